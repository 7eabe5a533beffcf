// Crashes of the ranks of a set of stores that is checkpointed as one.
//
//   crash_ranks [--states N] [--stride N] [--ranks N,N...] [--late N,N...] [--divided N:N,N:N...]
//               [--divided-by-program N:N,N:N...] [--first MISHAP:RANK:CALL|power]
//               [--expect-violation PATTERN]
//
// With each number of ranks, and each set that is divided among another number of ranks and back: a rank is
// killed before each of its calls, and calls of each fail (every N-th of them), while the others go on; then
// N crash states of runs are tried in which the power fails for all. After each of them all ranks must find
// the same attempt, one that may be found, and nothing beside it. --late: with so many ranks whose set is
// there from its first checkpoint on only. --first: mishaps at that call and some
// around it are tried before all others (kill, io_error, no_space, io_errors, sync_errors), or states of a
// power failure. Exit status 0 when all is found (with
// --expect-violation: when once it was not, and what is said of it has the pattern in it).
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <unordered_set>
#include <vector>

#include "crash/crash_point.hpp"
#include "crash/expected_violation.hpp"
#include "crash/ranks/checkpointing_ranks.hpp"
#include "crash/ranks/divided_ranks.hpp"
#include "crash/scratch.hpp"
#include "crash/state_directory.hpp"

namespace {

using namespace perdure::crash;
using perdure::random_stream;
using perdure::scratch_directory;

struct settings {
  std::uint64_t states = 4000;  // with each number of ranks
  std::uint64_t stride = 1;
  std::vector<std::unique_ptr<ranks_program>> programs;
  std::string first;
  expected_violation expected{};
};

class rig {
 public:
  rig(const settings& wanted, const ranks_program& program)
      : wanted_(wanted), program_(program), here_(place_for_rigs()), random_(1, 43) {}

  void run() {
    if (wanted_.first == "power") explore_runs();
    befall_first();
    befall_all();
    explore_runs();
  }
  bool is_done() const { return is_settled_; }
  const std::string& violation() const { return violation_; }
  std::uint64_t mishaps() const { return mishaps_; }
  std::uint64_t states() const { return states_; }

 private:
  static constexpr int deepest = 1;  // crashes of recoveries
  struct mishap_option {
    mishap what;
    const char* name;  // after --first
  };
  static constexpr std::array<mishap_option, 5> all_mishaps{{{mishap::kill, "kill"},
                                                             {mishap::io_error, "io_error"},
                                                             {mishap::no_space, "no_space"},
                                                             {mishap::io_errors, "io_errors"},
                                                             {mishap::sync_errors, "sync_errors"}}};
  static constexpr std::size_t random_choices = 6;

  void report(const std::string& told) {
    std::fprintf(stderr, "VIOLATION with %s, %s\n", program_.name().c_str(), told.c_str());
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
    for (const auto& [what, option] : all_mishaps) {
      for (int rank = 0; rank < program_.ranks(); ++rank) {
        // As many calls as it makes.
        const std::uint64_t stride = what == mishap::kill && program_.ranks() == 2 ? 1 : wanted_.stride;
        for (std::uint64_t call = random_.below(stride);; call += stride) {
          if (is_done() || !befall({what, rank, call})) break;
        }
      }
    }
  }

  void befall_first() {
    constexpr std::uint64_t around = 6;
    std::istringstream text(wanted_.first);
    std::string kind;
    planned_mishap planned;
    char colon = 0;
    if (!std::getline(text, kind, ':') || !(text >> planned.rank >> colon >> planned.call)) return;
    for (const auto& [what, option] : all_mishaps)
      if (option == kind) planned.what = what;
    const std::uint64_t end = planned.call + around;
    planned.call -= std::min(planned.call, around);
    for (; planned.call < end && !is_done(); ++planned.call) befall(planned);
  }

  bool befall(const planned_mishap& planned) {
    const std::filesystem::path root = new_directory("run");
    const ranks_run run = program_.run(root, 1, planned);
    const std::string where = std::string(name_of(planned.what)) + " at call " +
                              std::to_string(planned.call) + " of rank " + std::to_string(planned.rank) +
                              ": ";
    if (!run.problem.empty()) report(where + run.problem);
    if (!run.has_happened) return false;
    ++mishaps_;
    ranks_expectation expected;
    for (const logged_call& call : run.log) expected.learn(call);
    crash_point end(run.before);
    for (std::size_t i = 0; i < run.log.size(); ++i) end.step(run.log[i], i);
    // Many calls change nothing on disk: what the mishap at one of them leaves, the next one leaves again. By
    // the calls, as each run has its own ids and times in its files.
    if (!left_.insert(std::hash<std::string>()(text_of_calls(run.log))).second) return true;
    // As the process or the device left it: nothing is lost that the kernel was told.
    const found_set found = program_.find(root);
    std::string problem = judge(found, expected);
    if (problem.empty()) problem = program_.go_on(root, found);
    if (!problem.empty()) report(where + problem + " (" + expected.text() + ")");
    // And then the power failed.
    for (int times = 0; times < 2 && !is_done(); ++times)
      check(end, end.one_by_file(random_), expected, where, deepest);
    return true;
  }

  static std::string text_of_calls(const call_log& log) {
    std::string text;
    for (const logged_call& call : log) {
      text += std::to_string(static_cast<int>(call.what));
      for (const std::uint64_t one : {std::uint64_t{call.target}, std::uint64_t{call.other}, call.offset,
                                      call.bytes, std::uint64_t{call.begun}, std::uint64_t{call.number}})
        text += ' ' + std::to_string(one);
      text += '\n';
    }
    return text;
  }

  static std::string judge(const found_set& found, const ranks_expectation& expected) {
    if (!found.problem.empty()) return found.problem;
    if (found.is_absent) return expected.may_be_absent() ? "" : "the set is gone";
    return expected.objection(found.number);
  }

  // ---- all of them ----

  void explore_runs() {
    for (std::uint64_t seed = 1; states_ < wanted_.states && !is_done(); ++seed) {
      const ranks_run run = program_.run(new_directory("run"), seed, {});
      const std::string where = "in run " + std::to_string(seed) + ": ";
      if (!run.problem.empty()) return report(where + run.problem);
      // Else the first calls of a run, which make the set, would be all that is looked at. Of eight choices
      // after a call about four are states of their own.
      const std::uint64_t all = 4 * (run.log.size() - run.first);
      const std::uint64_t thin =
          std::max<std::uint64_t>(1, all * ranks_program::runs / std::max<std::uint64_t>(wanted_.states, 1));
      explore(run.before, run.log, {}, where, 0, wanted_.states, run.first, thin);
    }
  }

  void explore(const disk_image& before, const call_log& log, ranks_expectation expected,
               const std::string& where, int depth, std::uint64_t most, std::size_t first,
               std::uint64_t thin) {
    crash_point at(before);
    for (std::size_t i = 0; i < log.size() && states_ < most && !is_done(); ++i) {
      at.step(log[i], i);
      expected.learn(log[i]);
      if (i < first || (thin > 1 && !random_.one_in(thin))) continue;
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
      found = program_.find(directory_->root());
      log = recorder.log();
    }
    std::string problem = judge(found, expected);
    const bool goes_on = problem.empty() && random_.one_in(found.is_absent ? 2 : 6);
    if (goes_on) {
      problem = program_.go_on(directory_->root(), found);
      // What that did was not written down.
      directory_.reset();
    } else {
      directory_->happened(log);
    }
    if (!problem.empty()) {
      report(where + problem + " (" + text + ")\n" + at.describe(persisted));
    } else if (depth < deepest && !found.is_absent && !log.empty()) {
      // What it has found it must find again.
      explore(state, log, ranks_expectation(found.number), where + "recovering: ", depth + 1, states_ + 40, 0,
              8);  // deeper down they are many
    }
  }

  const settings& wanted_;
  const ranks_program& program_;
  scratch_directory here_;
  random_stream random_;
  std::optional<state_directory> directory_;
  std::unordered_set<std::uint64_t> seen_;
  std::unordered_set<std::uint64_t> left_;  // by a mishap
  std::uint64_t mishaps_ = 0;
  std::uint64_t states_ = 0;
  std::string violation_;
  bool is_settled_ = false;
};

template <class Add>
void each_in(const std::string& list, Add&& add) {
  std::istringstream names(list);
  for (std::string one; std::getline(names, one, ',');) add(one);
}

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
      each_in(value, [&](const std::string& one) {
        wanted.programs.push_back(std::make_unique<checkpointing_ranks>(std::atoi(one.c_str())));
      });
    } else if (name == "--late") {
      each_in(value, [&](const std::string& one) {
        wanted.programs.push_back(std::make_unique<checkpointing_ranks>(std::atoi(one.c_str()), true));
      });
    } else if (name == "--divided" || name == "--divided-by-program") {
      const bool by_program = name == "--divided-by-program";
      each_in(value, [&](const std::string& one) {
        wanted.programs.push_back(std::make_unique<divided_ranks>(
            std::atoi(one.c_str()), std::atoi(one.c_str() + one.find(':') + 1), by_program));
      });
    } else if (name == "--first") {
      wanted.first = value;
    } else if (name == "--expect-violation") {
      wanted.expected.expect(value);
    } else {
      std::fprintf(stderr, "crash_ranks: unknown option %s\n", name.c_str());
      std::exit(2);
    }
  }
  if (wanted.programs.empty()) {
    for (const int ranks : {2, 4}) wanted.programs.push_back(std::make_unique<checkpointing_ranks>(ranks));
    wanted.programs.push_back(std::make_unique<checkpointing_ranks>(2, true));
    wanted.programs.push_back(std::make_unique<divided_ranks>(2, 4, false));
    wanted.programs.push_back(std::make_unique<divided_ranks>(2, 4, true));
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
  for (const auto& program : wanted.programs) {
    rig one(wanted, *program);
    one.run();
    std::printf("%s: %llu mishaps of one, %llu crash states of all\n", program->name().c_str(),
                static_cast<unsigned long long>(one.mishaps()),
                static_cast<unsigned long long>(one.states()));
    if (violation.empty() || one.is_done()) violation = one.violation();
    if (one.is_done()) break;
  }
  return wanted.expected.judge(violation);
}
