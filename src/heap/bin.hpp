// One size class of a heap: its slabs, and moving blocks between them and the threads' caches in batches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "heap/block_allowance.hpp"
#include "heap/metadata.hpp"
#include "heap/run_allocator.hpp"

namespace perdure::detail {

class bin {
 public:
  void attach(unsigned size_class, std::byte* base, run_allocator& runs, std::mutex& runs_mutex,
              block_allowance& allowance) noexcept;

  /// Takes up to `wanted` blocks (at least one) out of the slabs, so that `blocks[got - 1]` has the lowest
  /// address. Throws `std::bad_alloc` if not even one can be had.
  std::uint32_t take(void** blocks, std::uint32_t wanted);
  /// Puts blocks back. Those that are free already are dropped and counted.
  void put(void* const* blocks, std::uint32_t count) noexcept;
  /// Copies a used block into another slab that has no more free blocks than its own, and frees it. Null if
  /// there is none among the first few slabs.
  void* move_to_denser(void* block) noexcept;
  /// Returns whether the block is a used one of a slab of this class.
  bool is_used(const void* block) noexcept;

  /// Keeps other threads out of this class.
  void lock() noexcept { mutex_.lock(); }
  void unlock() noexcept { mutex_.unlock(); }

  std::uint64_t double_frees() const noexcept { return double_frees_; }

 private:
  std::uint32_t take_allowed(void** blocks, std::uint32_t wanted);
  unit_index new_slab();
  void put_one(void* block) noexcept;
  void drop_slab(unit_index slab) noexcept;
  void link(unit_index slab) noexcept;
  void unlink(unit_index slab) noexcept;

  std::mutex mutex_;
  metadata metadata_{nullptr};
  run_allocator* runs_ = nullptr;
  std::mutex* runs_mutex_ = nullptr;
  block_allowance* allowance_ = nullptr;
  unsigned size_class_ = 0;
  std::uint64_t double_frees_ = 0;
};

}  // namespace perdure::detail
