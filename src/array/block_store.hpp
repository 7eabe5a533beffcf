// The blocks of arrays: made, filled, read, and given back when nobody needs them any more.
//
// A block that no array has any more may still be looked at by those who held the arrays before, and the last
// checkpoint may still need it. It is given back to the heap when neither is so; until then the catalogue
// lists it as unlinked. Its pages are released with the next checkpoint, so that new blocks in its place can
// be written home at once and once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <perdure/detail/checkpoint_listener.hpp>
#include <perdure/detail/manager_core.hpp>
#include <set>
#include <span>
#include <unordered_set>
#include <vector>

#include "array/block_codec.hpp"
#include "array/stored_array.hpp"

namespace perdure::detail {

class block_store {
 public:
  block_store(manager_core& store, array_catalogue* catalogue);

  /// Gives back what a program that died left unlinked. To be called once, by who opens the store for
  /// writing.
  void drop_left_over();

  // Of the next, those that change the catalogue are called with the arrays locked, inside a write_guard.

  /// Memory for a block, unlinked. `std::bad_alloc`.
  std::byte* allocate(std::size_t bytes);
  /// An array has the block now.
  void link(const std::byte* data) noexcept;
  /// Room for `retire` of so many. `std::bad_alloc`.
  void reserve(std::size_t blocks);
  /// No array has the block any more. `reserve` has been called for it.
  void retire(const stored_block& block) noexcept;
  /// An allocated block is not needed after all.
  void give_up(std::byte* data) noexcept;
  /// Gives back what nobody needs any more.
  void collect() noexcept;

  /// Fills a block, or a piece of it; by whoever has allocated it, without a lock, also while another thread
  /// makes a checkpoint. The checksum of what `checksum` is of, followed by the bytes. `no_space`, `io`.
  std::uint32_t fill(std::byte* data, std::span<const std::byte> bytes, std::uint32_t checksum = 0);
  /// The block's bytes before compression; `id` names its array. `damaged`.
  void read(const stored_block& block, std::span<std::byte> to, std::size_t element_size,
            std::string_view id) const;
  /// Where its bytes are, after looking at whether they can be there. `damaged`.
  std::span<const std::byte> bytes_of(const stored_block& block, std::string_view id) const;

  /// While it lives blocks that are linked now stay.
  std::shared_ptr<void> hold() const;

  /// By the thread that makes a checkpoint, while others are kept from the heap: pages whose content is of no
  /// consequence from that checkpoint on.
  void departing(std::vector<page_run>& released) noexcept;

 private:
  struct retired {
    std::byte* data;
    std::size_t bytes;
    std::uint64_t generation;        // that begins without it
    std::uint64_t released = never;  // with which checkpoint
  };
  static constexpr std::uint64_t never = ~std::uint64_t{0};
  // Smaller blocks share pages with others, and are given back at once.
  static constexpr std::size_t least_released = std::size_t{64} << 10;

  bool is_held(const retired& one) const noexcept {
    return !holds_.empty() && *holds_.begin() < one.generation;
  }
  bool is_in_store(const std::byte* data, std::uint64_t bytes) const noexcept;
  void note_unlinked(std::byte* data, std::size_t bytes);
  void forget_unlinked(const std::byte* data) noexcept;

  manager_core& store_;
  array_catalogue* catalogue_;
  mutable std::mutex mutex_;  // of what follows; never held while the heap is changed
  std::vector<retired> retired_;
  std::unordered_set<const std::byte*> young_;  // no checkpoint has seen them
  mutable std::multiset<std::uint64_t> holds_;  // generations at which they began
  std::uint64_t generation_ = 0;
};

}  // namespace perdure::detail
