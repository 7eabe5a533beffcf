// Fails every call of a run, one run after the other: in one run the call alone, in another the call and all
// that follow, for every kind of failure that leaves the process alive.
//
//   crash_faults [--stride N] [--seed N]    every N-th call
//   crash_faults --test N                   the same; every call where PERDURE_LONG_TESTS is set
//
// Each run is a process of its own. It must end, with an error or without, never by a signal; afterwards its
// store must hold what it was promised; a handle must be of use again once the fault is gone.
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <new>
#include <perdure/error.hpp>

#include "crash/fault_plan.hpp"
#include "crash/scratch.hpp"
#include "crash/workload.hpp"

namespace {

using namespace perdure;
using namespace perdure::crash;

constexpr std::size_t steps = 6;

enum exit_code { ended_well = 0, could_not_create = 3, misbehaved = 7, killed_itself = 9 };

/// What a run leaves for its parent to know, in memory that both share.
struct report {
  std::atomic<std::uint64_t> calls{0};
  std::atomic<bool> created{false};
  std::atomic<std::size_t> attempted{0};
  std::atomic<std::size_t> promised{0};
  std::atomic<std::size_t> withdrawn{0};
  std::atomic<unsigned> failures{0};
  std::atomic<std::size_t> base[steps + 1]{};
  std::atomic<std::uint64_t> epoch[steps + 1]{};
  char message[1024]{};
};

class injector final : public os::file_observer {
 public:
  explicit injector(fault_plan& faults) : faults_(faults) { os::observe_files(this); }
  ~injector() override { os::observe_files(nullptr); }
  verdict before(const os::file_call& call) override { return faults_.before(call); }
  void after(const os::file_call&, std::int64_t, int) override { faults_.after(); }

 private:
  fault_plan& faults_;
};

class reporting_witness final : public witness {
 public:
  reporting_witness(report& told, fault_plan& faults, bool sticky)
      : told_(told), faults_(faults), sticky_(sticky) {}

  void attempting(std::size_t number, std::size_t base, std::uint64_t epoch) override {
    told_.base[number] = base;
    told_.epoch[number] = epoch;
    told_.attempted = number;
  }
  void promised(std::size_t number, std::uint64_t epoch) override {
    told_.epoch[number] = epoch;
    told_.promised = number;
    told_.created = true;
  }
  void failed(const std::string& what) override {
    told_.withdrawn = told_.attempted.load();
    const unsigned so_far = ++told_.failures;
    if (!faults_.struck()) throw std::logic_error("failed though nothing was wrong: " + what);
    constexpr unsigned patience = 3;
    if (so_far > (sticky_ ? patience : 1)) {
      throw std::logic_error("failed again though nothing is wrong any more: " + what);
    }
    if (so_far == patience) faults_.lift();
  }

 private:
  report& told_;
  fault_plan& faults_;
  bool sticky_;
};

[[noreturn]] void run_child(const std::filesystem::path& store, std::uint64_t seed, fault kind,
                            std::uint64_t first, bool sticky, report& told) {
  constexpr unsigned patience_s = 60;
  ::alarm(patience_s);
  fault_plan faults(kind, first, sticky);
  injector in_place(faults);
  reporting_witness witness(told, faults, sticky);
  int status = ended_well;
  const auto note = [&](const char* what) { std::snprintf(told.message, sizeof told.message, "%s", what); };
  try {
    std::vector<attempt> attempts;
    run_workload(store, seed, steps, attempts, witness);
  } catch (const error& failure) {
    note(failure.what());
    // Only creating the store may fail in the end: everything else is tried until it works.
    status = told.created || !faults.struck() ? misbehaved : could_not_create;
  } catch (const std::exception& failure) {
    note(failure.what());
    status = misbehaved;
  }
  told.calls = faults.calls();
  ::_exit(status);
}

// Empty, or what is wrong with the store after a run.
std::string check_store(const std::filesystem::path& path, std::uint64_t seed, const report& told,
                        bool sticky) {
  if (!std::filesystem::exists(path)) return told.created ? "the store is gone" : "";
  std::vector<attempt> attempts(1);
  for (std::size_t number = 1; number <= told.attempted; ++number) {
    content what = attempts[told.base[number]].what;
    mutate(random_stream(seed, 1000 + number), what, nullptr);
    attempts.push_back({told.epoch[number], what});
  }
  std::vector<std::size_t> allowed{told.promised};
  // An attempt that was under way when the process died may have made it. One that failed may not, unless
  // everything failed from then on, undoing it included.
  const bool ended = told.withdrawn == told.attempted;
  for (std::size_t number = told.promised + 1; number <= told.attempted; ++number) {
    if (sticky || (number == told.attempted && !ended)) allowed.push_back(number);
  }
  try {
    auto store = datastore::open(path);
    const finding found = find_attempt(*store, attempts, allowed, true);
    if (!found.problem.empty()) return found.problem;
    content next = attempts[found.number].what;
    const auto released = mutate(random_stream(seed, 77), next, &store->memory());
    store->checkpoint(released);
    const std::uint64_t epoch = store->epoch();
    store.reset();
    store = datastore::open_read_only(path);
    return difference(*store, {epoch, next}, true);
  } catch (const std::exception& failure) {
    return failure.what();
  }
}

std::string judge(int status, fault kind, const report& told) {
  if (WIFSIGNALED(status)) {
    return WTERMSIG(status) == SIGALRM ? "it hung" : "it died of signal " + std::to_string(WTERMSIG(status));
  }
  const int code = WEXITSTATUS(status);
  const bool kills = kind == fault::kill_before || kind == fault::kill_after;
  if (code == killed_itself) return kills ? "" : "unexpected exit";
  if (code == misbehaved) return told.message;
  const bool harmless = kind == fault::interrupted || kind == fault::short_transfer;
  if (harmless && (code != ended_well || told.failures != 0)) {
    return std::string("an interrupted or short call was not repeated: ") + told.message;
  }
  if (code != ended_well && code != could_not_create) return "unexpected exit code " + std::to_string(code);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t stride = 1;
  std::uint64_t seed = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const std::uint64_t number = std::strtoull(argv[i + 1], nullptr, 10);
    if (name == "--stride" || name == "--test") stride = number;
    if (name == "--test" && thorough_tests_wanted()) stride = 1;
    if (name == "--seed") seed = number;
  }
  if (stride == 0) stride = 1;

  void* shared = ::mmap(nullptr, sizeof(report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  const scratch here;
  const std::filesystem::path store = here.path() / "store";
  std::uint64_t runs = 0;
  std::uint64_t violations = 0;
  const auto one = [&](fault kind, std::uint64_t first, bool sticky) {
    std::filesystem::remove_all(here.path());
    std::filesystem::create_directory(here.path());
    report& told = *new (shared) report;
    const pid_t child = ::fork();
    if (child == 0) run_child(store, seed, kind, first, sticky, told);
    int status = 0;
    ::waitpid(child, &status, 0);
    ++runs;
    std::string problem = judge(status, kind, told);
    if (problem.empty()) problem = check_store(store, seed, told, sticky);
    if (!problem.empty() && violations++ < 10) {
      std::fprintf(stderr, "VIOLATION: %s%s at call %llu of run %llu: %s\n", name_of(kind),
                   sticky ? " from then on" : "", static_cast<unsigned long long>(first),
                   static_cast<unsigned long long>(seed), problem.c_str());
    }
    return told.calls.load();
  };
  constexpr std::uint64_t never = ~std::uint64_t{0};
  for (const fault kind : {fault::io_error, fault::sync_error, fault::no_space, fault::interrupted,
                           fault::short_transfer, fault::kill_before, fault::kill_after}) {
    const std::uint64_t calls = one(kind, never, false);
    const bool kills = kind == fault::kill_before || kind == fault::kill_after;
    random_stream random(seed, static_cast<std::uint64_t>(kind));
    for (std::uint64_t call = random.below(stride); call < calls; call += stride) {
      one(kind, call, false);
      if (!kills) one(kind, call, true);
    }
  }
  std::printf("%llu runs with a fault, %llu violations\n", static_cast<unsigned long long>(runs),
              static_cast<unsigned long long>(violations));
  return violations == 0 ? 0 : 1;
}
