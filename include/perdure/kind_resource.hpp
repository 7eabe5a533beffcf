// A kind of memory as a std::pmr::memory_resource.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <perdure/kind.hpp>

namespace perdure {

/// A memory resource over a kind, which must outlive it. Two are equal when they are of the same kind.
/// Alignments may be up to 2 MiB.
class kind_resource final : public std::pmr::memory_resource {
 public:
  /// Allocates from a kind, which must outlive the resource.
  explicit kind_resource(kind& memory) noexcept : memory_(&memory) {}
  /// Allocates from a static kind. Throws as `kind::get`.
  explicit kind_resource(static_kind which) : memory_(&kind::get(which)) {}

  /// Returns the kind.
  kind& memory() const noexcept { return *memory_; }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    return memory_->allocate(bytes, alignment);
  }
  void do_deallocate(void* block, std::size_t, std::size_t) override { memory_->free(block); }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    const auto* const same = dynamic_cast<const kind_resource*>(&other);
    return same != nullptr && same->memory_ == memory_;
  }

  kind* memory_;
};

}  // namespace perdure
