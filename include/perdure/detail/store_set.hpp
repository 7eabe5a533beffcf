// Stores of several ranks that have their checkpoints together.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <perdure/array/untyped_arrays.hpp>
#include <perdure/detail/manager_core.hpp>
#include <perdure/detail/rank_group.hpp>
#include <perdure/set_division.hpp>
#include <string>
#include <string_view>

namespace perdure::detail {

/// One open part: a manager of the program's kind. Its destructor closes it without a checkpoint.
class opened_part {
 public:
  opened_part() = default;
  opened_part(const opened_part&) = delete;
  opened_part& operator=(const opened_part&) = delete;
  virtual ~opened_part() = default;
  virtual manager_core& core() = 0;
};

/// Opens parts, as the program's kind of manager.
class part_opener {
 public:
  virtual ~part_opener() = default;
  virtual std::unique_ptr<opened_part> open(manager_core::mode how, const std::filesystem::path& path,
                                            const store_options& options) const = 0;
};

/// Options of a rank: the same on all of them but for the directories.
struct set_options {
  store_options store = {};
  /// Where a new part is made, on a device of the rank's own machine; empty: beside the manifest.
  std::filesystem::path parts_directory = {};
  /// Whether a new set is there from its first checkpoint on only, so that a crash before leaves none. Rank
  /// 0's counts.
  bool is_made_by_checkpoint = false;
  /// Where a rank that opens the set for reading copies its part to, to read it there; empty: nowhere.
  std::filesystem::path stage_directory = {};
};

/// A copy of a set that is being made.
class set_copy {
 public:
  set_copy() = default;
  set_copy(const set_copy&) = delete;
  set_copy& operator=(const set_copy&) = delete;
  /// Ends it, if `finish` has not, and keeps what that throws.
  virtual ~set_copy() = default;
  /// Whether this rank's part of it is there, durably, or has failed.
  virtual bool ready() const = 0;
  /// Collective: waits for all ranks; then the copy is there, durably, or as before. Throws what any of them
  /// met.
  virtual void finish() = 0;
};

/// The stores of all ranks, open on each. What is called collective is called by all ranks, in the same
/// order, by one thread of each; it throws the same error on all of them, or on none. After `timed_out`,
/// `rank_failed`, and `undecided`, and where a message says so, the set can only be closed and opened again,
/// and then has what it can have on all ranks.
class store_set {
 public:
  using mode = manager_core::mode;  // but for open_copy_on_write

  /// Collective; as a store's. `group` is kept.
  static std::unique_ptr<store_set> open(std::unique_ptr<rank_group> group, mode how,
                                         const std::filesystem::path& path, const set_options& options,
                                         const part_opener& opener);
  /// Collective; nobody need have the set open. The copy is there when it returns. `already_exists`.
  static void copy(std::unique_ptr<rank_group> group, const std::filesystem::path& from,
                   const std::filesystem::path& to);
  /// The same by a thread of each rank.
  static std::unique_ptr<set_copy> copy_async(std::unique_ptr<rank_group> group,
                                              const std::filesystem::path& from,
                                              const std::filesystem::path& to);
  /// Collective: divides the arrays of a set among `parts` parts, which the ranks of the group make in turn;
  /// 0: one for each rank. `unsupported` where the old parts hold anything else. Rank 0's `parts` counts.
  /// `divider` is null on all ranks, or on none.
  static void repartition(std::unique_ptr<rank_group> group, const std::filesystem::path& path,
                          const set_options& options, std::uint32_t parts = 0,
                          set_divider* divider = nullptr);

  store_set(const store_set&) = delete;
  store_set& operator=(const store_set&) = delete;
  /// Calls `give_up`, if the set is open.
  virtual ~store_set() = default;

  virtual int rank() const noexcept = 0;
  virtual int ranks() const noexcept = 0;
  /// Returns the number of parts in the set.
  virtual std::uint32_t parts() const noexcept = 0;
  /// Returns the epoch of the last checkpoint.
  virtual std::uint64_t epoch() const noexcept = 0;
  virtual bool read_only() const noexcept = 0;
  virtual bool is_open() const noexcept = 0;
  virtual const std::filesystem::path& path() const noexcept = 0;
  virtual rank_group::traffic counted() const noexcept = 0;

  /// The own part. `invalid_argument` where there is none, as a set opened for reading has another number of
  /// parts than there are ranks; or where it is closed.
  virtual opened_part& own() const = 0;
  /// Where a part lies, for who opens it alone to read it. `not_found` where that is another machine.
  virtual std::filesystem::path path_of_part(std::uint32_t part) const = 0;
  /// Opens it so, at the set's checkpoint.
  virtual std::unique_ptr<opened_part> open_part(std::uint32_t part, const part_opener& opener) const = 0;
  /// The arrays that all ranks have parts of. They must not be used after the set.
  virtual std::shared_ptr<untyped_arrays> arrays() = 0;

  /// Collective.
  virtual void checkpoint(std::string_view label) = 0;
  /// Collective: with a checkpoint, unless it is open for reading. If that throws it stays open, unless
  /// nothing more can be done with it.
  virtual void close() = 0;
  /// Collective: without one.
  virtual void discard() noexcept = 0;
  /// Closes without a checkpoint, and has the next collective call of the others fail. Waits for that as long
  /// as the group waits for ranks.
  virtual void give_up() noexcept = 0;
  /// Collective: a copy of the last checkpoint. `already_exists`.
  virtual void snapshot(const std::filesystem::path& to) = 0;
  /// Collective, and so is the end of it: the same by a thread of each rank, which holds later checkpoints up
  /// from the second on, as a reader does. `to` may be an earlier copy of this set, which it is until the new
  /// one is there.
  virtual std::unique_ptr<set_copy> snapshot_async(const std::filesystem::path& to) = 0;

 protected:
  store_set() = default;
};

}  // namespace perdure::detail
