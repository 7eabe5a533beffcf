#include "crash/faulty_run.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <perdure/error.hpp>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace perdure::crash {

namespace {

enum exit_code { ended_well = 0, could_not_create = 3, misbehaved = 7, killed_itself = 9 };

}  // namespace

/// What a run leaves for its parent to know.
struct faulty_run::report {
  std::atomic<bool> created{false};
  std::atomic<bool> struck{false};
  std::atomic<std::size_t> attempted{0};
  std::atomic<std::size_t> promised{0};
  std::atomic<std::size_t> withdrawn{0};
  std::atomic<unsigned> failures{0};
  std::array<std::atomic<std::size_t>, steps + 1> base{};
  std::array<std::atomic<std::uint64_t>, steps + 1> wanted_epoch{};
  std::array<std::atomic<std::uint64_t>, steps + 1> epoch{};
  std::array<char, 1024> message{};
};

class faulty_run::reporting_witness final : public witness {
 public:
  reporting_witness(report& told, fault_source& faults, const fault_rules& rules)
      : told_(told), faults_(faults), rules_(rules) {}

  void attempting(std::size_t number, std::size_t base, std::uint64_t epoch) override {
    told_.base[number] = base;
    told_.wanted_epoch[number] = epoch;
    told_.epoch[number] = epoch;
    told_.attempted = number;
  }
  void promised(std::size_t number, std::uint64_t epoch) override {
    told_.epoch[number] = epoch;
    told_.promised = number;
    told_.created = true;
    reopens_ = false;
  }
  void failed(const std::string& what) override {
    told_.withdrawn = told_.attempted.load();
    const unsigned so_far = ++told_.failures;
    if (!faults_.struck()) throw std::logic_error("failed though nothing was wrong: " + what);
    if (rules_.loses_pages && !reopens_ && what.find("reopen the store") != std::string::npos) {
      reopens_ = true;
      return;
    }
    if (so_far > rules_.patience)
      throw std::logic_error("failed again though nothing is wrong any more: " + what);
    if (so_far == rules_.patience) faults_.lift();
  }
  bool compares_memory() const override { return rules_.loses_pages; }
  bool reopens() const override { return reopens_; }

 private:
  report& told_;
  fault_source& faults_;
  const fault_rules& rules_;
  bool reopens_ = false;  // the store asked for it
};

faulty_run::faulty_run() {
  void* const memory =
      ::mmap(nullptr, sizeof(report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  told_ = new (memory) report;
}

faulty_run::~faulty_run() {
  ::munmap(told_, sizeof(report));
}

bool faulty_run::struck() const {
  return told_->struck;
}

unsigned faulty_run::failures() const {
  return told_->failures;
}

std::string faulty_run::make(const std::filesystem::path& store, std::uint64_t seed, const fault_rules& rules,
                             const std::function<std::unique_ptr<fault_source>()>& make_faults) {
  told_ = new (told_) report;
  const pid_t child = ::fork();
  if (child == 0) {
    const std::unique_ptr<fault_source> faults = make_faults();
    work(store, seed, rules, *faults);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return judge(status, rules);
}

void faulty_run::work(const std::filesystem::path& store, std::uint64_t seed, const fault_rules& rules,
                      fault_source& faults) {
  constexpr unsigned patience_s = 60;
  ::alarm(patience_s);
  reporting_witness witness(*told_, faults, rules);
  int status = ended_well;
  const auto note = [this](const char* what) {
    std::snprintf(told_->message.data(), told_->message.size(), "%s", what);
  };
  try {
    std::vector<attempt> attempts;
    run_workload(store, seed, steps, attempts, witness);
  } catch (const error& failure) {
    note(failure.what());
    // Only creating the store may fail in the end: everything else is tried until it works.
    status = told_->created || !faults.struck() ? misbehaved : could_not_create;
  } catch (const std::exception& failure) {
    note(failure.what());
    status = misbehaved;
  }
  told_->struck = faults.struck();
  ::_exit(status);
}

std::string faulty_run::judge(int status, const fault_rules& rules) const {
  if (WIFSIGNALED(status)) {
    if (rules.loses_pages && pages_leave_memory() && WTERMSIG(status) == SIGBUS) return {};
    return WTERMSIG(status) == SIGALRM ? "it hung" : "it died of signal " + std::to_string(WTERMSIG(status));
  }
  const int code = WEXITSTATUS(status);
  if (code == killed_itself) return rules.kills ? "" : "unexpected exit";
  if (code == misbehaved) return told_->message.data();
  if (rules.is_harmless && (code != ended_well || told_->failures != 0))
    return std::string("an interrupted or short call was not repeated: ") + told_->message.data();
  if (code != ended_well && code != could_not_create) return "unexpected exit code " + std::to_string(code);
  return {};
}

std::string faulty_run::check(const std::filesystem::path& path, std::uint64_t seed,
                              const fault_rules& rules) const {
  const report& told = *told_;
  if (!std::filesystem::exists(path)) return told.created ? "the store is gone" : "";
  std::vector<attempt> attempts(1);
  for (std::size_t number = 1; number <= told.attempted; ++number) {
    const attempt& base = attempts[told.base[number]];
    content what = base.what;
    prepare(seed, number, told.wanted_epoch[number], base, what, nullptr);
    attempts.push_back({told.epoch[number], what});
  }
  std::vector<std::size_t> allowed{told.promised};
  // An attempt that was under way when the process died may have made it. One that failed may not, unless
  // everything failed from then on, undoing it included.
  const bool ended = told.withdrawn == told.attempted;
  for (std::size_t number = told.promised + 1; number <= told.attempted; ++number) {
    if (rules.may_strike_again || (number == told.attempted && !ended)) allowed.push_back(number);
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

}  // namespace perdure::crash
