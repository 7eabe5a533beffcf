// Crashes of the ranks of a set of stores that is checkpointed as one.
//
//   crash_ranks [--states N] [--stride N] [--ranks N,N...] [--expect-violation PATTERN]
//
// With each number of ranks: a rank is killed before each of its calls, and calls of each fail (every N-th of
// them), while the others go on; then N crash states of runs are tried in which the power fails for all.
// After each of them all ranks must find the same attempt, one that may be found. Exit status 0 when they do
// (with --expect-violation: when once they did not, and what is said of it has the pattern in it).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>
#include <unordered_set>
#include <vector>

#include "crash/crash_point.hpp"
#include "crash/expected_violation.hpp"
#include "crash/ranks/ranks_run.hpp"
#include "crash/scratch.hpp"
#include "crash/state_directory.hpp"

namespace {

using namespace perdure::crash;
using perdure::random_stream;
using perdure::scratch_directory;

struct settings {
  std::uint64_t states = 4000;  // with each number of ranks
  std::uint64_t stride = 1;
  std::vector<int> ranks{2, 4};
  expected_violation expected{};
};

class rig {
 public:
  rig(const settings& wanted, int ranks)
      : wanted_(wanted), ranks_(ranks), here_(place_for_rigs()), random_(1, 43) {}

  void run() {
    befall_all();
    explore_runs();
  }
  bool is_done() const { return is_settled_; }
  const std::string& violation() const { return violation_; }
  std::uint64_t mishaps() const { return mishaps_; }
  std::uint64_t states() const { return states_; }

 private:
  static constexpr int deepest = 1;  // crashes of recoveries
  static constexpr std::size_t random_choices = 6;

  void report(const std::string& told) {
    std::fprintf(stderr, "VIOLATION with %d ranks, %s\n", ranks_, told.c_str());
    if (violation_.empty() || wanted_.expected.settles(told)) violation_ = told;
    is_settled_ = is_settled_ || wanted_.expected.settles(told);
  }

  std::filesystem::path new_directory(const char* name) {
    const std::filesystem::path path = here_.directory() / name;
    std::filesystem::remove_all(path);
    std::filesystem::create_directory(path);
    return path;
  }

  // ---- one rank ----

  void befall_all() {
    for (const mishap what :
         {mishap::kill, mishap::io_error, mishap::no_space, mishap::io_errors, mishap::sync_errors}) {
      for (int rank = 0; rank < ranks_; ++rank) {
        // As many calls as it makes.
        const std::uint64_t stride = what == mishap::kill && ranks_ == 2 ? 1 : wanted_.stride;
        for (std::uint64_t call = random_.below(stride);; call += stride) {
          if (is_done() || !befall({what, rank, call})) break;
        }
      }
    }
  }

  bool befall(const planned_mishap& planned) {
    const std::filesystem::path root = new_directory("run");
    const ranks_run run = run_ranks(root, ranks_, 1, planned);
    const std::string where = std::string(name_of(planned.what)) + " at call " +
                              std::to_string(planned.call) + " of rank " + std::to_string(planned.rank) +
                              ": ";
    if (!run.problem.empty()) report(where + run.problem);
    if (!run.has_happened) return false;
    ++mishaps_;
    ranks_expectation expected;
    for (const logged_call& call : run.log) expected.learn(call);
    // As the process or the device left it: nothing is lost that the kernel was told.
    const found_set found = find_set(root, ranks_);
    std::string problem = judge(found, expected);
    if (problem.empty()) problem = go_on(root, ranks_, 1000, found.is_absent);
    if (!problem.empty()) report(where + problem + " (" + expected.text() + ")");
    // And then the power failed.
    crash_point end(run.before);
    for (std::size_t i = 0; i < run.log.size(); ++i) end.step(run.log[i], i);
    for (int times = 0; times < 2 && !is_done(); ++times)
      check(end, end.one_by_file(random_), expected, where, deepest);
    return true;
  }

  static std::string judge(const found_set& found, const ranks_expectation& expected) {
    if (!found.problem.empty()) return found.problem;
    if (found.is_absent) return expected.may_be_absent() ? "" : "the set is gone";
    return expected.objection(found.number);
  }

  // ---- all of them ----

  void explore_runs() {
    for (std::uint64_t seed = 1; states_ < wanted_.states && !is_done(); ++seed) {
      const ranks_run run = run_ranks(new_directory("run"), ranks_, seed, {});
      const std::string where = "in run " + std::to_string(seed) + ": ";
      if (!run.problem.empty()) return report(where + run.problem);
      explore(run.before, run.log, {}, where, 0, wanted_.states);
    }
  }

  void explore(const disk_image& before, const call_log& log, ranks_expectation expected,
               const std::string& where, int depth, std::uint64_t most) {
    crash_point at(before);
    for (std::size_t i = 0; i < log.size() && states_ < most && !is_done(); ++i) {
      at.step(log[i], i);
      expected.learn(log[i]);
      // Deeper down they are many.
      if (depth > 0 && !random_.one_in(8)) continue;
      choice nothing = at.everything();
      for (auto& one : nothing) std::fill(one.begin(), one.end(), line_mask{0});
      check(at, nothing, expected, where, depth);
      check(at, at.everything(), expected, where, depth);
      for (std::size_t times = 0; times < (depth == 0 ? random_choices : 1) && !is_done(); ++times)
        check(at, at.one_by_file(random_), expected, where, depth);
    }
  }

  void check(const crash_point& at, const choice& persisted, const ranks_expectation& expected,
             const std::string& where, int depth) {
    const disk_image state = at.state(persisted);
    const std::string text = expected.text();
    if (is_done() || !seen_.insert(state.hash() ^ std::hash<std::string>()(text)).second) return;
    ++states_;
    if (!directory_) directory_.emplace(new_directory("state"));
    directory_->become(state);
    found_set found;
    call_log log;
    {
      call_recorder recorder(directory_->known(), static_cast<inode_number>(state.inode_count()));
      found = find_set(directory_->root(), ranks_);
      log = recorder.log();
    }
    std::string problem = judge(found, expected);
    const bool goes_on = problem.empty() && (found.is_absent || random_.one_in(6));
    if (goes_on) {
      problem = go_on(directory_->root(), ranks_, 1000, found.is_absent);
      // What that did was not written down.
      directory_.reset();
    } else {
      directory_->happened(log);
    }
    if (!problem.empty()) {
      report(where + problem + " (" + text + ")\n" + at.describe(persisted));
    } else if (depth < deepest && !found.is_absent && !log.empty()) {
      // What it has found it must find again.
      explore(state, log, ranks_expectation(found.number), where + "recovering: ", depth + 1, states_ + 40);
    }
  }

  const settings& wanted_;
  int ranks_;
  scratch_directory here_;
  random_stream random_;
  std::optional<state_directory> directory_;
  std::unordered_set<std::uint64_t> seen_;
  std::uint64_t mishaps_ = 0;
  std::uint64_t states_ = 0;
  std::string violation_;
  bool is_settled_ = false;
};

settings parse(int argc, char** argv) {
  settings wanted;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const std::string value = i + 1 < argc ? argv[++i] : "";
    if (name == "--states") {
      wanted.states = std::strtoull(value.c_str(), nullptr, 10);
    } else if (name == "--stride") {
      wanted.stride = std::max<std::uint64_t>(std::strtoull(value.c_str(), nullptr, 10), 1);
    } else if (name == "--ranks") {
      wanted.ranks.clear();
      std::istringstream list(value);
      for (std::string one; std::getline(list, one, ',');) wanted.ranks.push_back(std::atoi(one.c_str()));
    } else if (name == "--expect-violation") {
      wanted.expected.expect(value);
    } else {
      std::fprintf(stderr, "crash_ranks: unknown option %s\n", name.c_str());
      std::exit(2);
    }
  }
  if (thorough_tests_wanted() && !wanted.expected.is_expected()) {
    wanted.stride = 1;
    wanted.states *= 20;
  }
  return wanted;
}

}  // namespace

int main(int argc, char** argv) {
  const settings wanted = parse(argc, argv);
  std::string violation;
  for (const int ranks : wanted.ranks) {
    rig one(wanted, ranks);
    one.run();
    std::printf("%d ranks: %llu mishaps of one, %llu crash states of all\n", ranks,
                static_cast<unsigned long long>(one.mishaps()),
                static_cast<unsigned long long>(one.states()));
    if (violation.empty() || one.is_done()) violation = one.violation();
    if (one.is_done()) break;
  }
  return wanted.expected.judge(violation);
}
