// Blocks on their way to an array: filled, and listed as unlinked until the array has them.
#pragma once

#include <cstddef>
#include <mutex>
#include <perdure/detail/manager_core.hpp>
#include <shared_mutex>
#include <span>
#include <vector>

#include "array/array_geometry.hpp"
#include "array/block_codec.hpp"
#include "array/block_source.hpp"
#include "array/block_store.hpp"
#include "array/stored_array.hpp"

namespace perdure::detail {

/// Makes blocks of the arrays that `mutex` guards. Thread-safe: it takes that lock, and only while the heap
/// changes.
class block_maker {
 public:
  block_maker(manager_core& store, block_store& blocks, std::shared_mutex& mutex)
      : store_(store), blocks_(blocks), mutex_(mutex) {}

  /// Returns a block with the bytes of `from`, compressed if that makes them fewer. Throws std::bad_alloc,
  /// `no_space`, `io` and what the source throws; then no memory is taken.
  stored_block make(block_source& from, std::size_t element_size, const encoding& how);

 private:
  friend class new_blocks;

  manager_core& store_;
  block_store& blocks_;
  std::shared_mutex& mutex_;
};

/// Filled blocks that no array has yet. Those that are not linked when it is destroyed are given up.
class new_blocks {
 public:
  struct entry {
    box where;
    stored_block block;
  };

  explicit new_blocks(block_maker& maker) : maker_(maker) {}
  new_blocks(const new_blocks&) = delete;
  new_blocks& operator=(const new_blocks&) = delete;
  ~new_blocks();

  /// Makes a block and adds it.
  void add(const box& where, block_source& from, std::size_t element_size, const encoding& how);
  std::span<entry> all() noexcept { return all_; }
  std::span<const entry> all() const noexcept { return all_; }
  /// Calls `link`, which gives all blocks to an array, with the lock held and inside a guard.
  template <class Link>
  void link(Link&& link) {
    const std::unique_lock lock(maker_.mutex_);
    const write_guard guard(maker_.store_.memory());
    link(std::span<const entry>(all_));
    all_.clear();
  }

 private:
  block_maker& maker_;
  std::vector<entry> all_;
};

}  // namespace perdure::detail
