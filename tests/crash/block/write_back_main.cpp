// Lets the write-back of a real file system fail under a store, and then succeed.
//
//   crash_write_back [--file-system ext4|ext4-writeback|xfs|btrfs] [--runs N] [--seed N]
//                    [--expect-violation PATTERN]
//
// In each run of the workload of crash_faults the disk refuses, once, what the kernel writes back of one
// file; the process goes on, reads what has left memory, and the store is opened again after the file system
// was unmounted. Needs root, /dev/fuse and loop devices; ends with status 77 and a sentence where one is
// missing. Otherwise ends with a line of counts; status 0 when every run held what it must.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include "crash/block/failing_write_back.hpp"
#include "crash/block/not_possible.hpp"
#include "crash/expected_violation.hpp"
#include "crash/scratch.hpp"

namespace {

using namespace perdure::crash;
using perdure::random_stream;
using perdure::scratch_directory;

struct settings {
  std::string file_system = "ext4";
  std::uint64_t runs = 40;
  std::uint64_t seed = 1;
  expected_violation expected{};
};

settings parse(int argc, char** argv) {
  settings wanted;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const auto number = [&] { return std::strtoull(argv[i + 1], nullptr, 10); };
    if (name == "--file-system") {
      wanted.file_system = argv[i + 1];
    } else if (name == "--runs") {
      wanted.runs = number();
    } else if (name == "--seed") {
      wanted.seed = number();
    } else if (name == "--expect-violation") {
      wanted.expected.expect(argv[i + 1]);
    } else {
      std::fprintf(stderr, "crash_write_back: unknown option %s\n", name.c_str());
      std::exit(2);
    }
  }
  constexpr std::uint64_t more = 20;
  if (thorough_tests_wanted() && !wanted.expected.is_expected()) wanted.runs *= more;
  return wanted;
}

// Whether the file system refuses everything from now on.
bool has_given_up(const std::filesystem::path& root) {
  const std::filesystem::path probe = root / "probe";
  const bool works = std::ofstream(probe).put('1').flush().good();
  std::error_code ignored;
  return !works || !std::filesystem::remove(probe, ignored);
}

int run(const settings& wanted) {
  keep_mounts_private();
  const scratch_directory here(place_for_rigs());
  real_disk disk(here.directory(), wanted.file_system);
  faulty_run run;
  unsigned struck = 0;
  unsigned failures = 0;
  unsigned ended = 0;
  unsigned violations = 0;
  std::string violation;
  for (std::uint64_t number = 0; number < wanted.runs && !wanted.expected.is_caught(violation); ++number) {
    const std::uint64_t seed = wanted.seed + number;
    disk.take_log();
    disk.become(disk.blank());
    std::string problem;
    // The kernel may have written back other files too while the disk refused, and each of them tells.
    fault_rules rules{.loses_pages = true, .patience = 4};
    try {
      mounted before = disk.mount();
      constexpr std::uint64_t most_writes = 90;
      const std::uint64_t write = random_stream(seed, 11).below(most_writes);
      problem = run.make(disk.root() / "store", seed, rules, [&]() -> std::unique_ptr<fault_source> {
        return std::make_unique<failing_write_back>(disk, write);
      });
      // Where the process was killed, another would not have let the disk go on.
      disk.refuse_writes(false);
      if (has_given_up(disk.root())) {
        // It could not write its own records either: then nothing works any more, committing and taking back
        // included.
        ++ended;
        problem.clear();
        rules.may_strike_again = true;
      }
      before.unmount();
      const mounted after = disk.mount();
      if (problem.empty()) problem = run.check(disk.root() / "store", seed, rules);
    } catch (const std::exception& failure) {
      problem = failure.what();
    }
    struck += run.struck() ? 1 : 0;
    failures += run.failures();
    if (problem.empty()) continue;
    ++violations;
    problem = "in run " + std::to_string(seed) + " on " + wanted.file_system + ": " + problem;
    std::fprintf(stderr, "VIOLATION %s\n", problem.c_str());
    if (!wanted.expected.is_caught(violation)) violation = problem;
  }
  std::printf(
      "%s: %llu runs, the disk refused in %u, %u calls failed, %u file systems gave up, %u violations\n",
      wanted.file_system.c_str(), static_cast<unsigned long long>(wanted.runs), struck, failures, ended,
      violations);
  return wanted.expected.judge(violation);
}

}  // namespace

int main(int argc, char** argv) {
  const settings wanted = parse(argc, argv);
  return run_if_possible("crash_write_back", [&wanted] { return run(wanted); });
}
