// Tries crash states of many runs.
//
//   crash_replay [--states N] [--seconds N] [--seed N] [--jobs N] [--thin N] [--faults [--in NAME]]
//                [--kills-at-renames] [--dax] [--in-place] [--expect-violation PATTERN [--first N,N...]]
//   crash_replay --test N     N states; 300000, on all processors, where PERDURE_LONG_TESTS is set
//
// Run number n is the same in every process. Those after --first are tried first, then all from --seed on.
// Ends with a line that says how many states were recovered from; exit status 0 when all of them held what
// they must (with --expect-violation: when one did not, and what is said of it has the pattern in it; runs
// with other violations are told, and the search goes on with the next).
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <new>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "crash/expected_violation.hpp"
#include "crash/replayer.hpp"
#include "crash/scratch.hpp"
#include "os/persistent_memory.hpp"

namespace {

using namespace perdure::crash;
using perdure::random_stream;
using perdure::scratch_directory;

struct settings {
  std::uint64_t states = 5000;
  std::uint64_t seconds = 0;
  std::uint64_t seed = 1;
  unsigned jobs = 1;
  std::uint64_t thin = 1;
  bool faults = false;  // a call fails in every run, not in every third
  std::string in;       // only calls on files whose names begin so fail
  bool kills_at_renames = false;
  bool dax = false;       // stores in (pretended) persistent memory
  bool in_place = false;  // stores are made in a directory that is there
  std::vector<std::uint64_t> first{};
  expected_violation expected{};
};

/// In memory that parent and children share, so that it outlives a child that dies.
struct totals {
  std::atomic<std::uint64_t> states{0};
  std::atomic<std::uint64_t> runs{0};
  std::atomic<std::uint64_t> violations{0};
  std::atomic<std::uint64_t> settling{0};  // those of them that end the search
  using text = std::array<char, 1 << 16>;
  text violation{};  // what was said of the first one that ends the search
  text other{};      // what was said of the first one, if it does not

  // Returns whether the search is over.
  bool add_violation(const std::string& told, const expected_violation& expected) {
    std::fprintf(stderr, "VIOLATION %s\n", told.c_str());
    const bool settles = expected.settles(told);
    const bool is_first = violations++ == 0;
    const auto keep = [&told](text& to) {
      std::memcpy(to.data(), told.data(), std::min(told.size(), to.size() - 1));
    };
    if (settles) {
      if (settling++ == 0) keep(violation);
    } else if (is_first) {
      keep(other);
    }
    return settles;
  }
};

const replayer* at_work = nullptr;
totals* at_work_for = nullptr;
const expected_violation* at_work_to_find = nullptr;

void tell_and_die(int signal) {
  // Not async-signal-safe; the process is lost anyway and the text is worth the try.
  at_work_for->add_violation("signal " + std::to_string(signal) + " while recovering from:\n" +
                                 (at_work != nullptr ? at_work->where() : ""),
                             *at_work_to_find);
  ::_exit(1);
}

/// The runs that a job tries, in their order.
class run_numbers {
 public:
  run_numbers(const settings& wanted, unsigned job) : wanted_(wanted), next_(wanted.seed + job) {}

  std::uint64_t next() {
    if (listed_ < wanted_.first.size()) return wanted_.first[listed_++];
    const std::uint64_t number = next_;
    next_ += wanted_.jobs;
    return number;
  }

 private:
  const settings& wanted_;
  std::size_t listed_ = 0;
  std::uint64_t next_;
};

// Not with pages that leave memory: one that is lost ends the program, as it should.
bool fails_to_write_back(std::uint64_t run) {
  return run % 12 == 5 && !pages_leave_memory();
}

void work(const settings& wanted, unsigned job, totals& sum) {
  const scratch_directory here(place_for_rigs());
  replay_limits limits;
  limits.states = (wanted.states + wanted.jobs - 1) / wanted.jobs;
  limits.thin = wanted.thin;
  limits.dax = wanted.dax;
  limits.in_place = wanted.in_place;
  limits.kills_at_renames = wanted.kills_at_renames;
  perdure::os::pretend_persistent_memory(wanted.dax);
  const perdure::backing chosen = wanted.dax ? perdure::backing::dax : perdure::backing::private_memory;
  if (wanted.seconds != 0) {
    limits.until = std::chrono::steady_clock::now() + std::chrono::seconds(wanted.seconds);
    if (wanted.states == 0) limits.states = ~std::uint64_t{0};
  }
  // What is new about a store made in place is how it begins.
  const std::size_t steps = wanted.in_place ? 1 : 8;
  replayer rig(here.directory(), limits);
  at_work = &rig;
  run_numbers numbers(wanted, job);
  while (!rig.is_done()) {
    const std::uint64_t seed = numbers.next();
    recorded_run run = record(here.directory(), seed, steps, nullptr, chosen, wanted.in_place);
    // Every third run has a call that fails, and others a write-back.
    const bool fails = seed % 3 == 0 || fails_to_write_back(seed) || wanted.faults;
    if (run.problem.empty() && !wanted.dax && fails) {
      random_stream random(seed, 3);
      fault kind = random.one_in(2)   ? fault::sync_error
                   : random.one_in(3) ? fault::no_space
                                      : fault::io_error;
      if (fails_to_write_back(seed)) kind = fault::write_back;
      fault_plan count(kind, ~std::uint64_t{0}, false, wanted.in);
      record(here.directory(), seed, steps, &count, chosen, wanted.in_place);
      fault_plan faults(kind, random.below(std::max<std::uint64_t>(1, count.calls())), false, wanted.in);
      run = record(here.directory(), seed, steps, &faults, chosen, wanted.in_place);
    }
    ++sum.runs;
    if (!run.problem.empty()) {
      sum.add_violation("in run " + std::to_string(seed) + ": " + run.problem, wanted.expected);
      break;
    }
    rig.explore(run, seed);
    if (rig.violations() != 0) {
      const bool is_over =
          sum.add_violation("in run " + std::to_string(seed) + ": " + rig.first_violation(), wanted.expected);
      if (std::getenv("PERDURE_CRASH_LOG") != nullptr) {
        file_names names;
        for (std::size_t i = 0; i < run.log.size(); ++i) {
          learn_names(run.log[i], names);
          std::fprintf(stderr, "%4zu %s\n", i, describe(run.log[i], names).c_str());
        }
      }
      if (is_over) break;
      rig.forget_violations();
    }
  }
  sum.states += rig.states();
}

settings parse(int argc, char** argv) {
  settings wanted;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const auto number = [&] { return i + 1 < argc ? std::strtoull(argv[++i], nullptr, 10) : 0; };
    if (name == "--states")
      wanted.states = number();
    else if (name == "--seconds")
      wanted.seconds = number();
    else if (name == "--seed")
      wanted.seed = number();
    else if (name == "--jobs")
      wanted.jobs = static_cast<unsigned>(number());
    else if (name == "--thin")
      wanted.thin = number();
    else if (name == "--test") {
      wanted.states = number();
      wanted.thin = 4;
      if (thorough_tests_wanted()) {
        wanted.states = 300000;
        wanted.jobs = std::thread::hardware_concurrency();
      }
    } else if (name == "--faults")
      wanted.faults = true;
    else if (name == "--in")
      wanted.in = i + 1 < argc ? argv[++i] : "";
    else if (name == "--kills-at-renames")
      wanted.kills_at_renames = true;
    else if (name == "--dax")
      wanted.dax = true;
    else if (name == "--in-place")
      wanted.in_place = true;
    else if (name == "--expect-violation")
      wanted.expected.expect(i + 1 < argc ? argv[++i] : "");
    else if (name == "--first") {
      std::istringstream list(i + 1 < argc ? argv[++i] : "");
      for (std::string run; std::getline(list, run, ',');)
        wanted.first.push_back(std::strtoull(run.c_str(), nullptr, 10));
    } else {
      std::fprintf(stderr, "crash_replay: unknown option %s\n", name.c_str());
      std::exit(2);
    }
  }
  if (wanted.jobs == 0) wanted.jobs = 1;
  if (wanted.thin == 0) wanted.thin = 1;
  return wanted;
}

}  // namespace

int main(int argc, char** argv) {
  const settings wanted = parse(argc, argv);
  void* shared = ::mmap(nullptr, sizeof(totals), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  totals& sum = *new (shared) totals;
  at_work_for = &sum;
  at_work_to_find = &wanted.expected;
  const auto start = std::chrono::steady_clock::now();
  for (unsigned job = 0; job < wanted.jobs; ++job) {
    if (::fork() != 0) continue;
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE}) ::signal(signal, tell_and_die);
    try {
      work(wanted, job, sum);
    } catch (const std::exception& failure) {
      sum.add_violation(std::string("of the rig itself: ") + failure.what(), wanted.expected);
      ::_exit(1);
    }
    ::_exit(0);
  }
  int badly_ended = 0;
  for (unsigned job = 0; job < wanted.jobs; ++job) {
    int status = 0;
    ::wait(&status);
    if (status != 0) badly_ended = status;
  }
  // A job that ended before it could say of what.
  std::string violation = sum.settling != 0 ? sum.violation.data() : sum.other.data();
  if (violation.empty() && badly_ended != 0) {
    violation = WIFSIGNALED(badly_ended)
                    ? "a job ended by signal " + std::to_string(WTERMSIG(badly_ended))
                    : "a job ended with status " + std::to_string(WEXITSTATUS(badly_ended));
    std::fprintf(stderr, "VIOLATION %s\n", violation.c_str());
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const std::uint64_t states = sum.states;
  std::printf("%llu crash states of %llu runs, %llu violations, %.0f states a second\n",
              static_cast<unsigned long long>(states), static_cast<unsigned long long>(sum.runs.load()),
              static_cast<unsigned long long>(sum.violations.load()), static_cast<double>(states) / seconds);
  return wanted.expected.judge(violation);
}
