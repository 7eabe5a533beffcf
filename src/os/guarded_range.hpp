// A range of memory of which parts may be closed until they have been examined and found sound.
//
// A closed extent is inaccessible. The thread that first touches it examines it, in the handler of its
// SIGSEGV, and opens it; other threads that touch it meanwhile wait. All changes of protections in the range
// must go through this class, so that no closed extent is opened by accident.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "os/mapping.hpp"
#include "os/memory_faults.hpp"

namespace perdure::os {

/// Tells whether an extent is sound. Called by any thread, by several at once for different extents, with all
/// signals blocked, and often in a signal handler: `is_fit` and `refused` must be async-signal-safe.
class extent_examiner {
 public:
  virtual ~extent_examiner() = default;

  virtual bool is_fit(std::size_t extent) noexcept = 0;

  /// Called in the handler of a thread that touched `address` in an extent that is not sound. No lock is
  /// held, and the call need not return. True: open the extent as it is; false: let the thread try again.
  virtual bool refused(std::size_t extent, std::byte* address) = 0;
  /// The same for an extent that the kernel refused to make accessible.
  virtual void kept_closed(std::size_t extent, std::byte* address, int error) = 0;
};

class guarded_range {
 public:
  static constexpr std::size_t extent_bytes = std::size_t{2} << 20;

  /// No extent is closed yet.
  guarded_range(std::byte* base, std::size_t bytes) : base_(base), bytes_(bytes) {}
  guarded_range(const guarded_range&) = delete;
  guarded_range& operator=(const guarded_range&) = delete;

  std::byte* base() const noexcept { return base_; }
  std::size_t size() const noexcept { return bytes_; }

  /// Closes [0, bytes), in whole extents; to be called once, before other threads know the range. Extents get
  /// the access `once_open` when they are opened. Throws std::system_error.
  void close(std::size_t bytes, access once_open, extent_examiner& examiner);
  bool is_closed(std::size_t extent) const noexcept {
    return extent < extents_ && states_[extent].load(std::memory_order_acquire) != open_state;
  }
  std::size_t closable_extents() const noexcept { return extents_; }

  enum class opening { open, unfit, failed };
  /// Examines and opens an extent, or waits for the thread that does. `failed`: the kernel has refused, and
  /// errno says why.
  opening open(std::size_t extent) noexcept;

  /// Like os::protect, for the extents that are not closed.
  void protect(std::size_t offset, std::size_t bytes, access allowed);
  /// The same; false with errno. Async-signal-safe.
  bool try_protect(std::size_t offset, std::size_t bytes, access allowed) noexcept;

  /// Makes the extents of one part read-only that are not closed, and so are those that are opened meanwhile,
  /// until `release` makes them writable. One part at a time. Throws std::system_error; then nothing is held.
  void hold(std::size_t offset, std::size_t bytes);
  void release(std::size_t offset, std::size_t bytes) noexcept;

  /// Puts new mappings in the place of a part: calls `map(offset, bytes, access)` for pieces of it, with
  /// what may be done with them. That is nothing in closed extents, reading in what is held, else `allowed`.
  /// `map` must not touch memory of the range, or allocate any.
  void remap(std::size_t offset, std::size_t bytes, access allowed,
             const std::function<void(std::size_t, std::size_t, access)>& map);

  /// Ends the answering of faults. Must be called before the range is unmapped.
  void detach() noexcept { watch_.reset(); }

 private:
  // A word of `states_` or `lock_` is one of these, or the number of the process whose thread has claimed it.
  // In a forked child that thread does not exist, so a word with the number of another process counts as
  // free.
  using word = std::atomic<std::uint32_t>;
  static_assert(word::is_always_lock_free && sizeof(word) == 4, "a futex is a plain 32-bit word");
  static constexpr std::uint32_t closed_state = 0;
  static constexpr std::uint32_t open_state = 1;

  class critical_part;

  static bool on_touch(void* self, std::byte* address, touch how) noexcept;
  bool answer(std::byte* address, touch how) noexcept;
  bool claim(std::size_t extent, bool wait) noexcept;
  void unclaim(std::size_t first, std::size_t count) noexcept;
  bool admit(std::size_t first, std::size_t count) noexcept;
  bool admit_with_neighbours(std::size_t extent) noexcept;
  opening open_claimed(std::size_t extent, bool examine) noexcept;
  bool protect_open(std::size_t offset, std::size_t bytes, access allowed) noexcept;
  access access_of(std::size_t extent) const noexcept;

  std::byte* base_;
  std::size_t bytes_;
  std::size_t extents_ = 0;  // that were closed once
  access once_open_ = access::none;
  extent_examiner* examiner_ = nullptr;
  reservation memory_;  // of `states_`
  word* states_ = nullptr;
  word lock_{0};  // held while protections change together with the states that they follow from
  std::size_t held_begin_ = 0;
  std::size_t held_end_ = 0;
  std::optional<fault_watch> watch_;
};

}  // namespace perdure::os
