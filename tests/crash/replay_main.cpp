// Tries crash states of many runs.
//
//   crash_replay [--states N] [--seconds N] [--seed N] [--jobs N] [--thin N] [--faults [--in NAME]]
//                [--dax] [--expect-violation]
//   crash_replay --test N     N states; 300000, on all processors, where PERDURE_LONG_TESTS is set
//
// Ends with a line that says how many states were recovered from; exit status 0 when all of them held what
// they must (with --expect-violation: when one did not).
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>
#include <thread>

#include "crash/replayer.hpp"
#include "crash/scratch.hpp"
#include "os/persistent_memory.hpp"

namespace {

using namespace perdure::crash;

struct settings {
  std::uint64_t states = 5000;
  std::uint64_t seconds = 0;
  std::uint64_t seed = 1;
  unsigned jobs = 1;
  std::uint64_t thin = 1;
  bool faults = false;  // a call fails in every run, not in every third
  std::string in;       // only calls on files whose names begin so fail
  bool dax = false;     // stores in (pretended) persistent memory
  bool expect_violation = false;
};

struct totals {
  std::atomic<std::uint64_t> states{0};
  std::atomic<std::uint64_t> runs{0};
  std::atomic<std::uint64_t> violations{0};
};

const replayer* at_work = nullptr;

void tell_and_die(int signal) {
  // Not async-signal-safe; the process is lost anyway and the text is worth the try.
  if (at_work != nullptr) {
    std::fprintf(stderr, "signal %d while recovering from:\n%s\n", signal, at_work->where().c_str());
  }
  ::_exit(1);
}

void work(const settings& wanted, unsigned job, totals& sum) {
  const scratch here;
  replay_limits limits;
  limits.states = (wanted.states + wanted.jobs - 1) / wanted.jobs;
  limits.thin = wanted.thin;
  limits.dax = wanted.dax;
  perdure::os::pretend_persistent_memory(wanted.dax);
  const perdure::backing chosen = wanted.dax ? perdure::backing::dax : perdure::backing::private_memory;
  if (wanted.seconds != 0) {
    limits.until = std::chrono::steady_clock::now() + std::chrono::seconds(wanted.seconds);
    if (wanted.states == 0) limits.states = ~std::uint64_t{0};
  }
  constexpr std::size_t steps = 8;
  replayer rig(here.path(), limits);
  at_work = &rig;
  for (std::uint64_t seed = wanted.seed + job; !rig.is_done(); seed += wanted.jobs) {
    std::string problem;
    recorded_run run = record(here.path(), seed, steps, nullptr, chosen);
    // Every third run has a call that fails.
    if (run.problem.empty() && !wanted.dax && (seed % 3 == 0 || wanted.faults)) {
      random_stream random(seed, 3);
      const fault kind = random.one_in(2)   ? fault::sync_error
                         : random.one_in(3) ? fault::no_space
                                            : fault::io_error;
      fault_plan count(kind, ~std::uint64_t{0}, false, wanted.in);
      record(here.path(), seed, steps, &count);
      fault_plan faults(kind, random.below(std::max<std::uint64_t>(1, count.calls())), false, wanted.in);
      run = record(here.path(), seed, steps, &faults);
    }
    ++sum.runs;
    if (!run.problem.empty()) {
      ++sum.violations;
      std::fprintf(stderr, "VIOLATION in run %llu: %s\n", static_cast<unsigned long long>(seed),
                   run.problem.c_str());
      break;
    }
    rig.explore(run, seed);
    if (rig.violations() != 0) {
      sum.violations += rig.violations();
      std::fprintf(stderr, "VIOLATION in run %llu: %s\n", static_cast<unsigned long long>(seed),
                   rig.first_violation().c_str());
      if (std::getenv("PERDURE_CRASH_LOG") != nullptr) {
        for (std::size_t i = 0; i < run.log.size(); ++i) {
          std::fprintf(stderr, "%4zu %s\n", i, describe(run.log[i]).c_str());
        }
      }
      break;
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
    else if (name == "--dax")
      wanted.dax = true;
    else if (name == "--expect-violation")
      wanted.expect_violation = true;
    else {
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
  const auto start = std::chrono::steady_clock::now();
  bool died = false;
  for (unsigned job = 0; job < wanted.jobs; ++job) {
    if (::fork() != 0) continue;
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE}) ::signal(signal, tell_and_die);
    try {
      work(wanted, job, sum);
    } catch (const std::exception& failure) {
      std::fprintf(stderr, "crash_replay: %s\n", failure.what());
      ::_exit(1);
    }
    ::_exit(0);
  }
  for (unsigned job = 0; job < wanted.jobs; ++job) {
    int status = 0;
    ::wait(&status);
    died = died || !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const std::uint64_t states = sum.states;
  std::printf("%llu crash states of %llu runs, %llu violations%s, %.0f states a second\n",
              static_cast<unsigned long long>(states), static_cast<unsigned long long>(sum.runs.load()),
              static_cast<unsigned long long>(sum.violations.load()), died ? " and a crash" : "",
              static_cast<double>(states) / seconds);
  const bool violated = died || sum.violations != 0;
  return violated == wanted.expect_violation ? 0 : 1;
}
