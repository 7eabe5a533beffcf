// Cuts the power of a real file system on a disk that writes down what it is told.
//
//   crash_block [--file-system ext4|ext4-writeback|xfs|btrfs] [--seconds N] [--runs N] [--states N]
//               [--seed N] [--expect-violation PATTERN] [--image FILE]
//
// `--states` are those of one run of the workload; run follows run until the seconds are over or N are done.
// Needs root, /dev/fuse and loop devices; ends with status 77 and a sentence where one is missing. Otherwise
// ends with a line of counts; status 0 when every state held what it must (with --expect-violation: when one
// did not, and what is said of it has the pattern in it). `--image`: the disk of the first violation.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>

#include "crash/block/block_replayer.hpp"
#include "crash/block/not_possible.hpp"
#include "crash/expected_violation.hpp"
#include "crash/scratch.hpp"

namespace {

using namespace perdure::crash;
using perdure::scratch_directory;

struct settings {
  std::string file_system = "ext4";
  std::uint64_t seconds = 10;
  std::uint64_t runs = ~std::uint64_t{0};
  std::uint64_t states = 60;
  std::uint64_t seed = 1;
  expected_violation expected{};
  std::string image{};
};

settings parse(int argc, char** argv) {
  settings wanted;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const char* const value = i + 1 < argc ? argv[i + 1] : "";
    const auto number = [&] { return ++i, std::strtoull(value, nullptr, 10); };
    if (name == "--file-system") {
      wanted.file_system = value;
      ++i;
    } else if (name == "--image") {
      wanted.image = value;
      ++i;
    } else if (name == "--seconds") {
      wanted.seconds = number();
    } else if (name == "--runs") {
      wanted.runs = number();
    } else if (name == "--states") {
      wanted.states = number();
    } else if (name == "--seed") {
      wanted.seed = number();
    } else if (name == "--expect-violation") {
      wanted.expected.expect(value);
      ++i;
    } else {
      std::fprintf(stderr, "crash_block: unknown option %s\n", name.c_str());
      std::exit(2);
    }
  }
  // The long form of the tests, unless it is a mutant that is looked for.
  if (thorough_tests_wanted() && !wanted.expected.is_expected()) {
    constexpr std::uint64_t more = 20;
    wanted.seconds *= more;
    wanted.runs = ~std::uint64_t{0};
  }
  return wanted;
}

unsigned long long printable(std::uint64_t number) {
  return number;
}

const block_replayer* at_work = nullptr;

void tell_and_die(int signal) {
  // Not async-signal-safe; the process is lost anyway and the text is worth the try.
  if (at_work != nullptr)
    std::fprintf(stderr, "signal %d while looking at:\n%s\n", signal, at_work->where().c_str());
  ::_exit(1);
}

int run(const settings& wanted) {
  keep_mounts_private();
  const scratch_directory here(place_for_rigs());
  const auto start = std::chrono::steady_clock::now();
  block_replayer rig(here.directory(), wanted.file_system, start + std::chrono::seconds(wanted.seconds));
  rig.keep_image(wanted.image);
  at_work = &rig;
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE}) ::signal(signal, tell_and_die);
  constexpr std::size_t steps = 8;
  std::uint64_t runs = 0;
  std::uint64_t writes = 0;
  std::uint64_t flushes = 0;
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  std::string violation;
  const auto is_over = [&] { return !violation.empty() && wanted.expected.settles(violation); };
  while (!is_over() && runs < wanted.runs && seconds() < static_cast<double>(wanted.seconds)) {
    const std::uint64_t seed = wanted.seed + runs++;
    std::string problem;
    try {
      // In every second run the program is killed, and another goes on, before the power fails.
      const disk_run recorded = rig.record(seed, steps, runs % 2 == 0);
      for (const disk_event& event : recorded.log) ++(event.is_flush ? flushes : writes);
      rig.explore(recorded, seed, wanted.states);
      problem = rig.violation();
    } catch (const std::exception& failure) {
      problem = failure.what();
    }
    if (problem.empty()) continue;
    rig.forget_violation();
    violation = "in run " + std::to_string(seed) + " on " + wanted.file_system + ": " + problem;
    std::fprintf(stderr, "VIOLATION %s\n", violation.c_str());
  }
  const block_replayer::tally& counts = rig.counts();
  std::printf(
      "%s: %llu states after a power cut (%llu in recovery from another) of %llu runs with %llu writes and "
      "%llu flushes; a newer checkpoint in %llu, no store yet in %llu; %llu torn states not mounted; %d "
      "violations, %.1f states a second\n",
      wanted.file_system.c_str(), printable(counts.states), printable(counts.recoveries), printable(runs),
      printable(writes), printable(flushes), printable(counts.newer), printable(counts.absent),
      printable(counts.not_mounted), violation.empty() ? 0 : 1,
      static_cast<double>(counts.states) / seconds());
  return wanted.expected.judge(violation);
}

}  // namespace

int main(int argc, char** argv) {
  const settings wanted = parse(argc, argv);
  return run_if_possible("crash_block", [&wanted] { return run(wanted); });
}
