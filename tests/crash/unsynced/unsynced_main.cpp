// Cuts the power under `perdure graph ingest` and `perdure snapshot`, on a file system that then forgets what
// was not synced. `--help` says the options.
//
// Needs root and /dev/fuse; ends with status 77 and a sentence where one is missing. Ends after N cuts or
// after the seconds, whichever is first, with a line of counts; status 0 when every state held what it must
// (with --expect-violation: when one did not, and what is said of it has the pattern in it). A state that did
// not is left behind.
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <string>

#include "crash/block/mounts.hpp"
#include "crash/block/not_possible.hpp"
#include "crash/expected_violation.hpp"
#include "crash/scratch.hpp"
#include "crash/unsynced/power_loop.hpp"
#include "crash/unsynced/snapshotting_ingestion.hpp"

namespace {

using namespace perdure::crash;
using perdure::scratch_directory;

struct settings {
  power_settings loop;
  std::uint64_t cuts = ~std::uint64_t{0};
  std::uint64_t seconds = 15;
  expected_violation expected{};
};

unsigned long long printable(std::uint64_t number) {
  return number;
}

void print(const power_counts& counts, double seconds, bool is_violated) {
  std::printf(
      "%llu power cuts in %.0f s: %llu in ingestions (%llu after a kill, %llu of programs that make "
      "snapshots, %llu after the end), %llu in snapshots of a store at rest; %llu calls not synced; %llu "
      "checkpoints announced\n",
      printable(counts.cuts + counts.in_snapshots), seconds, printable(counts.cuts),
      printable(counts.after_kill), printable(counts.snapshotting), printable(counts.completed),
      printable(counts.in_snapshots), printable(counts.unsynced), printable(counts.checkpoints));
  std::printf(
      "%llu states (%llu with something to lose): %llu with a newer checkpoint than announced, %llu with one "
      "to bring home, %llu without a store or graph yet, %llu snapshots; %llu write-backs failed, which %llu "
      "programs said at their end; %d violations\n",
      printable(counts.states), printable(counts.losable), printable(counts.newer), printable(counts.pending),
      printable(counts.in_creation), printable(counts.snapshots), printable(counts.failures),
      printable(counts.told), is_violated ? 1 : 0);
}

const power_loop* at_work = nullptr;
const expected_violation* expected_of_it = nullptr;

// Content that is wrong though all checksums are right may be followed anywhere.
void tell_and_die(int signal) {
  // Not async-signal-safe; the process is lost anyway and the text is worth the try.
  const std::string violation =
      "signal " + std::to_string(signal) + " while looking at:\n" + at_work->where();
  std::fprintf(stderr, "VIOLATION: %s\n", violation.c_str());
  const int status = expected_of_it->judge(violation);
  std::fflush(stdout);
  ::_exit(status);
}

// Ends with the first violation. Empty where there was none.
std::string run(const settings& wanted, std::uint64_t seed, std::chrono::steady_clock::time_point end) {
  scratch_directory here(place_for_rigs());
  const auto start = std::chrono::steady_clock::now();
  power_settings now = wanted.loop;
  now.seed = seed;
  power_loop loop(here.directory(), now);
  at_work = &loop;
  std::string violation;
  try {
    while (loop.counts().cuts < wanted.cuts && std::chrono::steady_clock::now() < end) loop.step();
  } catch (const not_possible&) {
    throw;
  } catch (const std::exception& failure) {
    violation = failure.what();
  }
  print(loop.counts(), std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
        !violation.empty());
  if (violation.empty()) return {};
  violation += "\n" + loop.where();
  std::fprintf(stderr, "VIOLATION (seed %llu): %s", printable(seed), violation.c_str());
  if (!wanted.expected.is_expected()) {
    here.keep();
    std::fprintf(stderr, "the state is in %s\n", here.directory().c_str());
  }
  return violation;
}

int run(const settings& wanted) {
  keep_mounts_private();
  expected_of_it = &wanted.expected;
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE}) ::signal(signal, tell_and_die);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(wanted.seconds);
  std::uint64_t seed = wanted.loop.seed;
  std::string violation = run(wanted, seed, end);
  while (!violation.empty() && !wanted.expected.settles(violation) && std::chrono::steady_clock::now() < end)
    violation = run(wanted, ++seed, end);
  return wanted.expected.judge(violation);
}

}  // namespace

int main(int argc, char** argv) {
  settings wanted;
  CLI::App options("Cuts the power under programs on a file system that forgets what was not synced.");
  options.add_option("--cuts", wanted.cuts, "Stop after so many in ingestions");
  options.add_option("--seconds", wanted.seconds, "Stop after so many seconds");
  options.add_option("--states", wanted.loop.states, "States looked at after each cut")
      ->check(CLI::PositiveNumber);
  options.add_flag("--cuts-after-failures", wanted.loop.cuts_after_failures,
                   "Always let a sync fail, and cut the power soon after");
  options.add_option("--seed", wanted.loop.seed);
  options.add_option("--scale", wanted.loop.scale, "Ingestions add 16 * 2^N edges");
  options.add_option("--threads", wanted.loop.threads, "Of an ingestion");
  // What the rig runs of itself.
  CLI::App& ingest = *options.add_subcommand("ingest", "Ingest into a store and make snapshots of it");
  std::string store;
  ingestion_plan plan;
  ingest.add_option("STORE", store)->required();
  ingest.add_option("--rmat-scale", plan.edges.scale);
  ingest.add_option("--edge-factor", plan.edges.edge_factor);
  ingest.add_option("--seed", plan.edges.seed);
  ingest.add_option("--threads", plan.threads);
  ingest.add_option("--checkpoint-every", plan.checkpoint_every);
  options.add_option_function<std::string>(
      "--expect-violation", [&wanted](const std::string& pattern) { wanted.expected.expect(pattern); },
      "For mutants: fail unless a violation is found, and what is said of it has this pattern in it");
  CLI11_PARSE(options, argc, argv);
  if (ingest.parsed()) {
    try {
      ingest_with_snapshots(store, plan);
      return 0;
    } catch (const std::exception& failure) {
      std::fprintf(stderr, "%s\n", failure.what());
      return 1;
    }
  }
  // The long form of the tests, unless it is a mutant that is looked for.
  constexpr std::uint64_t more = 20;
  if (thorough_tests_wanted() && !wanted.expected.is_expected()) wanted.seconds *= more;
  try {
    return run(wanted);
  } catch (const not_possible& lacking) {
    std::printf("skipped: %s\n", lacking.what());
    return skipped;
  }
}
