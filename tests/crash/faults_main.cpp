// Fails every call of a run, one run after the other: in one run the call alone, in another the call and all
// that follow, for every kind of failure that leaves the process alive.
//
//   crash_faults [--stride N] [--seed N] [--only KIND] [--expect-violation PATTERN]    every N-th call
//   crash_faults --test N    the same; every call where PERDURE_LONG_TESTS is set
//
// Each run is a process of its own (faulty_run.hpp). Exit status 0 when all held what they must (with
// --expect-violation: when one did not, and what is said of it has the pattern in it).
#include <stdlib.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdio>
#include <memory>
#include <new>
#include <string_view>

#include "crash/expected_violation.hpp"
#include "crash/fault_plan.hpp"
#include "crash/faulty_run.hpp"
#include "crash/scratch.hpp"

namespace {

using namespace perdure;
using namespace perdure::crash;
using perdure::random_stream;
using perdure::scratch_directory;

using call_count = std::atomic<std::uint64_t>;

/// Puts a plan in place, and says at the end of the run how many calls it met.
class planned_faults final : public fault_source, public os::file_observer {
 public:
  planned_faults(fault kind, std::uint64_t first, bool sticky, call_count& calls)
      : plan_(kind, first, sticky), calls_(calls) {
    os::observe_files(this);
  }
  ~planned_faults() override { os::observe_files(nullptr); }
  bool struck() const override { return plan_.struck(); }
  void lift() override { plan_.lift(); }
  verdict before(const os::file_call& call) override {
    const verdict decided = plan_.before(call);
    calls_ = plan_.calls();
    return decided;
  }
  void after(const os::file_call& call, std::int64_t, int error) override { plan_.after(call, error); }

 private:
  fault_plan plan_;
  call_count& calls_;
};

fault_rules rules_of(fault kind, bool sticky) {
  return {.may_strike_again = sticky,
          .is_harmless = kind == fault::interrupted || kind == fault::short_transfer,
          .loses_pages = kind == fault::write_back,
          .patience = sticky ? 3u : 1u,
          .kills = kind == fault::kill_before || kind == fault::kill_after};
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t stride = 1;
  std::uint64_t seed = 1;
  std::string_view only;
  expected_violation expected;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const std::uint64_t number = std::strtoull(argv[i + 1], nullptr, 10);
    if (name == "--stride" || name == "--test") stride = number;
    if (name == "--test" && thorough_tests_wanted()) stride = 1;
    if (name == "--seed") seed = number;
    if (name == "--only") only = argv[i + 1];
    if (name == "--expect-violation") expected.expect(argv[i + 1]);
  }
  if (stride == 0) stride = 1;

  void* const shared =
      ::mmap(nullptr, sizeof(call_count), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  call_count& calls = *new (shared) call_count;
  const scratch_directory here(place_for_rigs());
  const std::filesystem::path store = here.directory() / "store";
  faulty_run run;
  std::uint64_t runs = 0;
  std::uint64_t violations = 0;
  std::string violation;
  const auto one = [&](fault kind, std::uint64_t first, bool sticky) {
    std::filesystem::remove_all(here.directory());
    std::filesystem::create_directory(here.directory());
    calls = 0;
    const fault_rules rules = rules_of(kind, sticky);
    std::string problem = run.make(store, seed, rules, [&]() -> std::unique_ptr<fault_source> {
      return std::make_unique<planned_faults>(kind, first, sticky, calls);
    });
    ++runs;
    const std::uint64_t met = calls;
    if (problem.empty()) problem = run.check(store, seed, rules);
    if (problem.empty()) return met;
    problem = std::string(name_of(kind)) + (sticky ? " from then on" : "") + " at call " +
              std::to_string(first) + " of run " + std::to_string(seed) + ": " + problem;
    if (violations++ < 10) std::fprintf(stderr, "VIOLATION: %s\n", problem.c_str());
    if (!expected.is_caught(violation)) violation = problem;
    return met;
  };
  constexpr std::uint64_t never = ~std::uint64_t{0};
  for (const fault kind : {fault::io_error, fault::sync_error, fault::no_space, fault::interrupted,
                           fault::short_transfer, fault::write_back, fault::kill_before, fault::kill_after}) {
    if (!only.empty() && only != name_of(kind)) continue;
    const std::uint64_t calls_met = one(kind, never, false);
    random_stream random(seed, static_cast<std::uint64_t>(kind));
    for (std::uint64_t call = random.below(stride); call < calls_met && !expected.is_caught(violation);
         call += stride) {
      one(kind, call, false);
      if (!rules_of(kind, false).kills) one(kind, call, true);
    }
  }
  std::printf("%llu runs with a fault, %llu violations\n", static_cast<unsigned long long>(runs),
              static_cast<unsigned long long>(violations));
  return expected.judge(violation);
}
