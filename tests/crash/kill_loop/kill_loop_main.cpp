// Kills `perdure graph ingest` at random moments, also while it recovers from the kill before.
//
//   crash_kill_loop [--directory D] [--kills N] [--minutes N] [--seed N] [--scale N] [--threads N]
//                   [--expect-violation PATTERN]
//
// Works in a new directory in D, which is left behind when something is wrong. Ends after N kills or N
// minutes, whichever is first. Status 0 when every store found held what it must (with --expect-violation:
// when one did not, and what is said of it has the pattern in it).
#include <stdlib.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "crash/expected_violation.hpp"
#include "crash/kill_loop/kill_loop.hpp"
#include "crash/scratch.hpp"

namespace {

using namespace perdure::crash;
using perdure::scratch_directory;

struct settings {
  std::filesystem::path directory = ".";
  std::uint64_t kills = 0;
  std::uint64_t minutes = 0;
  std::uint64_t seed = 1;
  unsigned scale = 16;
  unsigned threads = 2;
  expected_violation expected{};
};

settings parse(int argc, char** argv) {
  settings wanted;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    const char* const value = i + 1 < argc ? argv[i + 1] : "";
    const std::uint64_t number = std::strtoull(value, nullptr, 10);
    if (name == "--expect-violation")
      wanted.expected.expect(value);
    else if (name == "--directory")
      wanted.directory = value;
    else if (name == "--kills")
      wanted.kills = number;
    else if (name == "--minutes")
      wanted.minutes = number;
    else if (name == "--seed")
      wanted.seed = number;
    else if (name == "--scale")
      wanted.scale = static_cast<unsigned>(number);
    else if (name == "--threads")
      wanted.threads = static_cast<unsigned>(number);
    else {
      std::fprintf(stderr, "crash_kill_loop: unknown option %s\n", name.c_str());
      std::exit(2);
    }
  }
  constexpr std::uint64_t more = 20;
  if (thorough_tests_wanted()) wanted.kills *= more;
  if (wanted.kills == 0 && wanted.minutes == 0) wanted.minutes = 1;
  return wanted;
}

unsigned long long printable(std::uint64_t number) {
  return number;
}

}  // namespace

int main(int argc, char** argv) {
  const settings wanted = parse(argc, argv);
  scratch_directory work(wanted.directory);
  const auto start = std::chrono::steady_clock::now();
  const auto end = wanted.minutes == 0 ? std::chrono::steady_clock::time_point::max()
                                       : start + std::chrono::minutes(wanted.minutes);
  kill_loop loop(work.directory(), wanted.seed, wanted.scale, wanted.threads);
  std::string violation;
  try {
    while ((wanted.kills == 0 || loop.counts().kills < wanted.kills) &&
           std::chrono::steady_clock::now() < end)
      loop.step();
  } catch (const std::exception& failure) {
    violation = failure.what();
  }
  const kill_counts& counts = loop.counts();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf(
      "%llu kills in %.0f s, %llu checkpoints announced, %llu ingestions ended before; found: %llu stores "
      "not "
      "yet made, %llu with a checkpoint to bring home, %llu of those killed again before it was; "
      "%d violations\n",
      printable(counts.kills), seconds, printable(counts.checkpoints), printable(counts.completed),
      printable(counts.in_creation), printable(counts.pending), printable(counts.in_recovery),
      violation.empty() ? 0 : 1);
  if (!violation.empty()) {
    std::fprintf(stderr, "VIOLATION (seed %llu, in %s): %s\n", printable(wanted.seed),
                 work.directory().c_str(), violation.c_str());
    if (!wanted.expected.is_expected()) {
      work.keep();
      return 1;
    }
  }
  return wanted.expected.judge(violation);
}
