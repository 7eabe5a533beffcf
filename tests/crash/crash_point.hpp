// The states a disk may be in when the machine stops at some point of a run.
#pragma once

#include <functional>
#include <optional>

#include "crash/call_log.hpp"
#include "support/random_stream.hpp"

namespace perdure::crash {

/// For each pending call how much of it reached the disk: lines of each piece of a write, whole sectors of
/// one by a system call; of any other call, which happens whole or not at all, one entry with all bits or
/// none.
using choice = std::vector<std::vector<line_mask>>;

/// What is on disk after the calls so far, if no more come.
///
/// The rules, a little wider than what ext4 and XFS do: sectors of writes reach the disk each for itself,
/// in any order, until the file is synced; changes of one file's size and holes, and of one directory's
/// names, reach it in their order, independent of everything else, until that file or directory is synced.
/// Syncing a file says nothing of its name. After a failed sync what was dirty may be lost for good; what is
/// seen to be lost never reaches the disk. Of
/// stores through a mapping each cache line reaches the disk for itself, until it is persisted or the file is
/// synced; persisting makes the file's size durable too, as MAP_SYNC does.
class crash_point {
 public:
  explicit crash_point(disk_image before) : durable_(std::move(before)) {}

  /// The next call has been made. `index` only grows; `begun` of a sync's end is the one it began at.
  void step(const logged_call& call, std::size_t index);

  std::size_t pending() const { return pending_.size(); }
  /// One of the files that have been written to since they were synced.
  std::optional<inode_number> one_written(random_stream& random) const;
  /// The call by which all that is pending of a file's writes is lost. It does not tell what is read then.
  logged_call loss_of(inode_number file) const;
  const disk_image& durable() const { return durable_; }
  disk_image state(const choice& persisted) const;
  /// All that is pending reaches the disk.
  choice everything() const { return uniform(all_lines); }

  /// Calls `visit` for choices that obey the rules: nothing, everything, prefixes, one missing, one alone,
  /// all subsets of few, tears of recent writes, and then `extra` random ones. Stops when it returns false.
  void for_each_choice(random_stream& random, std::size_t extra,
                       const std::function<bool(const choice&)>& visit) const;

  /// A choice in which every file and directory has a fate of its own: all that is pending of it is lost,
  /// or reaches the disk, or the first calls do, or some, or some sectors of each.
  choice one_by_file(random_stream& random) const;

  std::string describe(const choice& persisted) const;

 private:
  struct pending_call {
    std::size_t index;
    logged_call call;
    bool is_lost = false;  // a failed sync may have dropped it
  };
  choice uniform(line_mask persisted) const;
  void obey_rules(choice& persisted) const;
  void make_durable(const logged_call& call);
  void persist(const logged_call& call);
  void lose(const logged_call& call);
  static void apply(const logged_call& call, const std::vector<line_mask>& persisted, disk_image& to);

  disk_image durable_;
  std::vector<pending_call> pending_;
};

}  // namespace perdure::crash
