// The heap engine: hands out memory inside a segment. The same engine serves persistent and volatile heaps.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <perdure/detail/thread_cache.hpp>
#include <perdure/write_guard.hpp>
#include <string>
#include <type_traits>
#include <vector>

namespace perdure {

namespace detail {
class segment;
struct page_run;

/// Geometry of the hot path: zones of 1 GiB start with a table of one class byte per 16 KiB unit
/// (see docs/explanation/heap.md). A class byte is the size class plus one, 0 where no small block starts.
inline constexpr unsigned zone_shift = 30;
inline constexpr unsigned unit_shift = 14;
inline constexpr std::uintptr_t zone_mask = (std::uintptr_t{1} << zone_shift) - 1;
inline constexpr std::size_t class_map_offset = 64 * 1024;

inline std::uint8_t& class_byte(const void* block) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  return *reinterpret_cast<std::uint8_t*>((address & ~zone_mask) + class_map_offset +
                                          ((address & zone_mask) >> unit_shift));
}

/// Which open heap owns each GiB of the address space (48 bits of it).
inline constexpr std::size_t heap_table_size = std::size_t{1} << (48 - zone_shift);
extern std::atomic<heap*> heap_table[heap_table_size];
struct heap_access;
class own_change;
}  // namespace detail

/// Counts of `heap::stats()`, as of the last flush of the caches (cached blocks count as used). All sizes are
/// in bytes.
struct heap_stats {
  std::size_t used_bytes = 0;      ///< in allocated blocks, rounded up to their size class
  std::size_t free_bytes = 0;      ///< inside the used part of the segment, free for reuse
  std::size_t metadata_bytes = 0;  ///< heap bookkeeping inside the segment
  std::size_t segment_bytes = 0;   ///< accessible part of the segment
  std::size_t blocks = 0;          ///< allocated blocks
};

/// A heap inside a segment.
///
/// Thread safety: allocation, deallocation, size queries, `flush_caches` and `zero_free_memory` may be called
/// from any thread at once. `check`, `walk` and `release_free_memory` need a `standstill`, or all other
/// threads to be quiet (no call on this heap in progress, and their earlier calls synchronised with this
/// one); destruction needs them to be quiet.
class heap {
 public:
  /// Writes a new, empty heap into a fresh segment (all zero, size 0 or more).
  static std::unique_ptr<heap> format(detail::segment& memory);
  /// Attaches to the heap an earlier run left in the segment. O(1). Throws `errc::damaged`,
  /// `errc::too_new` when the segment's first bytes are not a heap this library can use.
  static std::unique_ptr<heap> attach(detail::segment& memory);

  heap(const heap&) = delete;
  heap& operator=(const heap&) = delete;
  /// Forgets the volatile part (caches, locks). Does not flush: call `flush_caches` first to keep cached
  /// blocks from being lost to a persistent heap.
  ~heap();

  /// Allocates at least `bytes` bytes, aligned to 16 (to 8 when `bytes` <= 8). `bytes` 0 gives a unique
  /// pointer. Throws `std::bad_alloc` when the segment's capacity or the system's memory is exhausted; the
  /// heap stays intact. O(1).
  void* allocate(std::size_t bytes) {
    if (bytes <= detail::max_small_size) [[likely]]
      if (void* const block = detail::take_cached(this, cache_slot_, bytes)) [[likely]]
        return block;
    return allocate_slow(bytes);
  }
  /// Allocates as above, aligned to `alignment`, a power of two up to 2 MiB; `std::bad_alloc` for any other.
  void* allocate(std::size_t bytes, std::size_t alignment);
  /// Throws `std::bad_array_new_length`, which says so, for callers that want so many elements that their
  /// bytes cannot be counted.
  [[noreturn]] void refuse_length(std::size_t elements, std::size_t element_bytes) const;
  /// Gives a block back; null is ignored. O(1). A block freed twice is fatal in debug builds; in release
  /// builds the second free is dropped when the caches are flushed, if the block was not handed out since.
  void deallocate(void* block) noexcept {
    if (block == nullptr) return;
#ifndef NDEBUG
    reject_invalid_free(block);
#endif
    const unsigned class_plus_one = detail::class_byte(block);
    if (class_plus_one != 0 && detail::put_cached(this, cache_slot_, class_plus_one - 1, block)) [[likely]]
      return;
    deallocate_slow(block);
  }
  /// Returns whether an allocated block of this heap begins at the address, which may be any. A block that
  /// was given back is known to be free by the thread that did, or once caches were flushed. Takes a lock.
  bool owns(const void* block) const noexcept;
  /// Returns whether the address, which lies in a block of this heap, is where that begins. Takes no lock.
  bool begins_block(const void* address) const noexcept;
  /// Returns the bytes that may be used in the block, at least what was asked for.
  std::size_t usable_size(const void* block) const noexcept;
  /// Grows (or shrinks) the block in place. Returns whether it could; the block never moves.
  bool try_expand(void* block, std::size_t bytes) noexcept;
  /// Changes the size of a block as `std::realloc` does: in place where it can, else by moving the bytes.
  /// Throws `std::bad_alloc`; then the block is as it was.
  void* reallocate(void* block, std::size_t bytes);

  /// Keeps other threads from changing the heap while it lives: their calls wait, and so do their
  /// `write_guard`s. What every thread had cached is given back. So the segment alone describes the heap, and
  /// its pages may be copied. Changes that have begun are waited for. Only one at a time: another thread's
  /// waits. The thread that has it must not change the heap either: it would wait for itself.
  class standstill {
   public:
    /// Waits until the heap stands still. Throws `invalid_argument` in a thread that is inside a
    /// `write_guard` of this heap, and `unsupported` where threads cannot be kept out (see
    /// docs/explanation/heap.md).
    explicit standstill(heap& memory);
    standstill(const standstill&) = delete;
    standstill& operator=(const standstill&) = delete;
    ~standstill();

   private:
    heap& memory_;
  };

  /// Holds checkpoints up until the guard ends.
  write_guard writing() { return write_guard(*this); }
  /// Holds checkpoints up as `writing` does, for callers in other languages, without an object. `end_writing`
  /// throws `invalid_argument` in a thread that has not begun.
  ///@{
  void begin_writing();
  void end_writing();
  ///@}
  /// Returns whether the calling thread is inside a `write_guard` of this heap.
  bool is_writing() const noexcept;

  /// Gives back what every thread has cached, once, in a `standstill` of its own.
  void flush_caches();
  /// Returns whole free chunks that hold memory. They are marked released, for the caller to `discard` and to
  /// punch out of the files.
  std::vector<detail::page_run> release_free_memory();

  /// Gives back what the calling thread has cached: small blocks, and the large one it freed last.
  void flush_own_cache() noexcept;

  /// Moves a small block from a slab that is emptier to one that is fuller, so that the first may become
  /// empty. Returns null if it stays where it is.
  void* move_to_denser(void* block) noexcept;

  /// Gives the memory of whole chunks back to the system that were free at the last call too. Returns whether
  /// there were any. For heaps in volatile segments; other threads may go on.
  bool trim();

  /// Takes every lock of the heap, so that fork() copies it in one piece; a thread may lock several heaps.
  /// Until it has unlocked all, in the parent and in the child, it must not use any heap. What other threads
  /// had cached is lost to the child.
  ///@{
  void lock() noexcept;
  void unlock() noexcept;
  ///@}

  /// Overwrites all free memory that was ever used with zeros, in a `standstill` of its own.
  void zero_free_memory();

  /// Sees to it that a forked child can close its heaps and end, whatever other threads of its parent were
  /// doing with theirs. Not done by itself, as what is registered for forks may allocate.
  static void prepare_for_forks();

  /// Reads and sets a persistent word for the layer above: the offset of its root object, 0 until set.
  ///@{
  std::uint64_t root() const noexcept;
  void set_root(std::uint64_t offset) noexcept;
  ///@}

  /// Returns counts. Other threads may go on. Takes each lock of the heap in turn; time as there are runs.
  heap_stats stats() const;
  /// Calls `visit(block, usable_bytes)` for each allocated block, in address order.
  template <class Visit>
  void walk(Visit&& visit) const {
    walk_blocks(
        [](void* visitor, void* block, std::size_t usable) {
          (*static_cast<std::remove_reference_t<Visit>*>(visitor))(block, usable);
        },
        const_cast<void*>(static_cast<const void*>(std::addressof(visit))));
  }
  /// Checks every invariant of the metadata. Returns what is wrong, one sentence each; empty when sound.
  std::vector<std::string> check() const;

  /// Counts containers that were moved, found no room, and have lost what they held: see
  /// detail/failed_move.hpp and detail/moved_away.hpp.
  ///@{
  unsigned failed_moves() const noexcept { return failed_moves_.load(std::memory_order_relaxed); }
  void count_failed_move() noexcept { failed_moves_.fetch_add(1, std::memory_order_relaxed); }
  ///@}

  /// Tells whether what is in the heap may outlive the process, so that what is put there must have all its
  /// memory there. Until told otherwise it does.
  ///@{
  bool is_kept() const noexcept { return is_kept_; }
  void set_kept(bool kept) noexcept { is_kept_ = kept; }
  ///@}

  /// Keeps a pointer of the layer above, which is found again by the address of any block: null until set.
  ///@{
  void* owner() const noexcept { return owner_.load(std::memory_order_acquire); }
  void set_owner(void* owner) noexcept { owner_.store(owner, std::memory_order_release); }
  ///@}
  /// Returns where threads keep their cache of this heap in `detail::slot_caches`.
  unsigned cache_slot() const noexcept { return cache_slot_; }

  /// Returns the first byte of the segment; allocators store their distance to it.
  std::byte* base() const noexcept { return base_; }
  /// Converts an address in the segment to its distance from the first byte, and back. Neither is checked.
  ///@{
  std::uint64_t offset_of(const void* p) const noexcept {
    return static_cast<std::uint64_t>(static_cast<const std::byte*>(p) - base_);
  }
  void* at(std::uint64_t offset) const noexcept { return base_ + offset; }
  ///@}

  /// Returns the open heap whose segment holds this address, or null. O(1), no lock.
  static heap* containing(const void* address) noexcept {
    const std::size_t slot = reinterpret_cast<std::uintptr_t>(address) >> detail::zone_shift;
    return slot < detail::heap_table_size ? detail::heap_table[slot].load(std::memory_order_acquire)
                                          : nullptr;
  }

 private:
  struct engine;
  friend struct detail::heap_access;
  friend class detail::heap_change;
  friend class detail::own_change;
  explicit heap(detail::segment& memory);

  void walk_blocks(void (*visit)(void* visitor, void* block, std::size_t usable), void* visitor) const;
  void* allocate_slow(std::size_t bytes);
  void deallocate_slow(void* block) noexcept;
  void reject_invalid_free(const void* block) const noexcept;

  std::byte* base_ = nullptr;
  unsigned cache_slot_ = 0;
  std::atomic<void*> owner_{nullptr};
  std::atomic<unsigned> failed_moves_{0};
  bool is_kept_ = true;
  std::unique_ptr<engine> engine_;
};

}  // namespace perdure
