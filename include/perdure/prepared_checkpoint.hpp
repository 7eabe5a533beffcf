// A checkpoint that is durable but for the decision whether it counts.
#pragma once

#include <cstdint>

namespace perdure {

/// A checkpoint that is prepared, as `datastore::prepare` returns it. Its destructor abandons a checkpoint
/// that nobody has tried to decide on. It must end before the store, and in the thread that asked for it. The
/// protocol is presumed abort, after Mohan, Lindsay and Obermarck (1986), but for one thing: a store found
/// undecided does not presume, since who prepared several may have decided.
class prepared_checkpoint {
 public:
  prepared_checkpoint() = default;
  prepared_checkpoint(const prepared_checkpoint&) = delete;
  prepared_checkpoint& operator=(const prepared_checkpoint&) = delete;
  virtual ~prepared_checkpoint() = default;

  /// Returns the number that it has if it counts.
  virtual std::uint64_t epoch() const noexcept = 0;
  /// Returns what `datastore::checkpoint_identity` is then.
  virtual std::uint64_t identity() const noexcept = 0;
  /// Decides that it counts: one small write and a sync. On failure (`io`) it stays prepared, as somebody
  /// else may have decided on the same: then it may be tried again, or abandoned, which is the end of it
  /// whatever the device had made of the decision. Else the store is to be closed, and opened with what was
  /// decided (`store_options::last_decided`); its other calls throw `undecided`. Where `datastore::epoch` has
  /// reached this one it counts, and what failed is the copy of it that was to be kept.
  virtual void decide() = 0;
  /// Decides that it does not count: the store goes on from the checkpoint before, and the next one has its
  /// pages too. Where the device refuses what that takes, the next call that changes the store tries again
  /// and says so; a crash before finds the checkpoint still prepared, or decided on if that was tried.
  virtual void abandon() noexcept = 0;
  /// Leaves it prepared on disk, where nobody here knows whether it counts, or the decision cannot be
  /// written. The store is to be closed and opened with what was decided. Its calls that change it throw
  /// `undecided` until then; its memory can still be used.
  virtual void leave() noexcept = 0;
};

}  // namespace perdure
