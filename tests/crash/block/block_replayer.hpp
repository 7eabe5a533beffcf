// Cuts the power of a real file system and sees whether anything promised is gone.
#pragma once

#include <chrono>
#include <string>
#include <unordered_set>

#include "crash/block/disk_run.hpp"
#include "crash/block/killed_workload.hpp"
#include "crash/block/power_cut.hpp"
#include "crash/block/real_disk.hpp"

namespace perdure::crash {

class block_replayer {
 public:
  /// Throws `not_possible`.
  block_replayer(const std::filesystem::path& scratch, const std::string& file_system,
                 std::chrono::steady_clock::time_point until);

  /// Runs the workload on a new file system, in a process of its own. If that is `killed` somewhere, another
  /// opens the store that is left and goes on with it.
  disk_run record(std::uint64_t seed, std::size_t steps, bool killed);
  /// Tries about so many of the states in which a run may leave its disk. Ends early when the time is up
  /// or something is wrong.
  void explore(const disk_run& run, std::uint64_t seed, std::size_t states);

  struct tally {
    std::uint64_t states = 0;       ///< in which the file system was mounted and the store looked at
    std::uint64_t recoveries = 0;   ///< of them, those of a power cut during the recovery from another
    std::uint64_t not_mounted = 0;  ///< states with a torn block that the file system itself refused
    std::uint64_t absent = 0;       ///< the store was not there, and need not be
    std::uint64_t newer = 0;        ///< the store held a checkpoint that was not yet promised
  };
  const tally& counts() const { return counts_; }
  /// Puts the disk of the first violation into a file, to be looked at.
  void keep_image(std::filesystem::path file) { image_file_ = std::move(file); }
  /// Empty, or what was found wrong first.
  const std::string& violation() const { return violation_; }
  /// Until then no more states are looked at after a violation.
  void forget_violation() { violation_.clear(); }
  /// The state being looked at, for the case that doing so kills the process.
  const std::string& where() const { return where_; }

 private:
  bool is_done() const;
  void explore_states(const disk_run& run, std::size_t states, unsigned depth);
  std::vector<std::size_t> moments(const disk_run& run, std::size_t states);
  void check(const disk_run& run, const power_cut& cut, const block_image& state, unsigned depth);
  // Opens the store after a kill; the power has not failed yet.
  void go_on_after_kill(disk_run& run, random_stream& random);
  // Makes one attempt more, and writes it down. Empty, or what is wrong.
  std::string go_on(disk_run& run, std::unique_ptr<datastore>& store, std::size_t base, random_stream& random,
                    bool every_page) const;
  // Opens the store as a program would and goes on with it. Empty, or what is wrong.
  std::string use_store(disk_run& sequel, const promise_log::expectation& expected, bool& is_there);

  real_disk disk_;
  std::filesystem::path store_;
  std::filesystem::path image_file_;
  std::chrono::steady_clock::time_point until_;
  random_stream random_{0};
  std::unordered_set<std::uint64_t> seen_;
  call_counts usual_;  // of a run that is not killed
  tally counts_;
  std::string violation_;
  std::string where_;
};

}  // namespace perdure::crash
