#include "memkind/fixed_area.hpp"

#include <algorithm>
#include <boost/interprocess/mem_algo/rbtree_best_fit.hpp>
#include <boost/interprocess/sync/mutex_family.hpp>
#include <cstdint>
#include <cstring>
#include <new>

namespace perdure::memkind_compat {

namespace {

using best_fit = boost::interprocess::rbtree_best_fit<boost::interprocess::mutex_family>;

class fixed_area final : public kind_allocation {
 public:
  fixed_area(std::byte* area, std::size_t bytes)
      : area_(area), bytes_(bytes), memory_(new(area) best_fit(bytes, 0)) {}
  ~fixed_area() override { memory_->~best_fit(); }

  void* allocate(std::size_t bytes, std::size_t alignment) noexcept override {
    if (bytes > bytes_) return nullptr;
    const std::size_t wanted = std::max<std::size_t>(bytes, 1);
    if (alignment <= best_fit::Alignment) return memory_->allocate(wanted);
    return memory_->allocate_aligned(wanted, alignment);
  }
  void deallocate(void* block) noexcept override { memory_->deallocate(block); }
  std::size_t usable_size(const void* block) const noexcept override { return memory_->size(block); }
  bool owns(const void* block) const noexcept override {
    const auto address = reinterpret_cast<std::uintptr_t>(block);
    const auto begin = reinterpret_cast<std::uintptr_t>(area_);
    return address >= begin && address - begin < bytes_;
  }
  memory_size size() const override { return {bytes_, memory_->get_free_memory()}; }
  kind_stats stats() const override {
    kind_stats now;
    now.free_bytes = memory_->get_free_memory();
    now.used_bytes = bytes_ - now.free_bytes;
    now.committed_bytes = now.capacity_bytes = bytes_;
    return now;
  }

 private:
  std::byte* area_;
  std::size_t bytes_;
  best_fit* memory_;
};

// An area that has no room for anything: a kind all the same, as memkind's.
class full_area final : public kind_allocation {
 public:
  explicit full_area(std::size_t bytes) : bytes_(bytes) {}

  void* allocate(std::size_t, std::size_t) noexcept override { return nullptr; }
  void deallocate(void*) noexcept override {}
  std::size_t usable_size(const void*) const noexcept override { return 0; }
  bool owns(const void*) const noexcept override { return false; }
  memory_size size() const override { return {bytes_, 0}; }

 private:
  std::size_t bytes_;
};

}  // namespace

std::shared_ptr<kind_allocation> allocation_over(void* area, std::size_t bytes) {
  // Its own record at the front must be aligned.
  void* begin = area;
  std::size_t left = bytes;
  if (std::align(best_fit::Alignment, sizeof(best_fit), begin, left) == nullptr ||
      left < best_fit::get_min_size(0))
    return std::make_shared<full_area>(bytes);
  return std::make_shared<fixed_area>(static_cast<std::byte*>(begin), left);
}

}  // namespace perdure::memkind_compat
