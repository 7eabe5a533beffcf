// Recovers a store from every state a crash may leave, and sees whether anything promised is gone.
#pragma once

#include <chrono>
#include <string>
#include <unordered_set>

#include "crash/crash_point.hpp"
#include "crash/fault_plan.hpp"
#include "crash/state_directory.hpp"
#include "crash/workload.hpp"

namespace perdure::crash {

struct replay_limits {
  std::uint64_t states = 0;  ///< stop after so many
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();
  std::size_t random_states = 12;  ///< at each point, beside the systematic ones
  std::uint64_t thin = 1;          ///< try one in so many states, to see more runs in the same time
  bool dax = false;                ///< half of the recoveries are of stores in persistent memory
  bool kills_at_renames = false;   ///< try only kills right after a file was renamed, but each of those
  bool in_place = false;           ///< stores are made in a directory that is there
};

/// A run of a program on a store, written down.
struct recorded_run {
  disk_image before;
  call_log log;
  std::vector<attempt> attempts;
  std::string problem;  ///< empty, or what went wrong while it ran
};

/// Runs the workload in a directory of its own under `scratch`. `faults` may be null. `in_place`: the store
/// is made in an empty directory that stays.
recorded_run record(const std::filesystem::path& scratch, std::uint64_t seed, std::size_t steps,
                    fault_plan* faults, backing chosen = backing::private_memory, bool in_place = false);

class replayer {
 public:
  replayer(const std::filesystem::path& scratch, const replay_limits& limits);

  /// Tries the states of one run until the limits are reached.
  void explore(const recorded_run& run, std::uint64_t seed);

  std::uint64_t states() const { return states_; }  ///< distinct states recovered from
  std::uint64_t violations() const { return violations_; }
  const std::string& first_violation() const { return first_; }
  /// Until then no more states are tried after a violation.
  void forget_violations() { violations_ = 0; }
  bool is_done() const;
  /// The state being recovered from, for the case that doing so kills the process.
  const std::string& where() const { return where_; }

 private:
  struct expectation {
    std::vector<std::size_t> allowed;  // numbers of attempts that may be found
    bool may_be_absent;                // the store need not exist yet
    std::size_t undecided = 0;         // attempt that may be found prepared; 0: none
    bool is_prepared = false;          // it must be
    bool may_count = false;            // somebody may have decided that it does
  };
  // What a program did that found a state: opened the store, and perhaps made another attempt.
  struct sequel {
    bool is_sound = false;
    call_log log;
    std::vector<attempt> attempts;
  };
  // Tries the states after each call from `first` on.
  void explore(const disk_image& before, const call_log& log, const std::vector<attempt>& attempts,
               expectation expected, unsigned depth, std::size_t first = 0);
  void check(const disk_image& state, const std::vector<attempt>& attempts, const expectation& expected,
             unsigned depth);
  // The process is killed after `calls` calls of the log, and the program started again, before the power
  // fails: what the first had not synced the second finds in memory, and it may never reach the disk.
  void kill_and_go_on(const disk_image& before, const call_log& log, std::size_t calls,
                      const std::vector<attempt>& attempts, const expectation& first, const expectation& then,
                      const crash_point& at);
  sequel recover(const disk_image& state, const std::vector<attempt>& attempts, const expectation& expected);
  /// Makes the store that is not there.
  void create_anew(const disk_image& state, unsigned depth);
  void report(const std::string& problem);

  replay_limits limits_;
  state_directory directory_;
  std::filesystem::path store_;
  random_stream random_{0};
  random_stream losses_{0};  // decides about write-back
  std::unordered_set<std::uint64_t> seen_;
  std::uint64_t states_ = 0;
  std::uint64_t violations_ = 0;
  std::string first_;
  std::string where_;
};

}  // namespace perdure::crash
