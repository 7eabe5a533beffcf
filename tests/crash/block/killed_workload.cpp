#include "crash/block/killed_workload.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <new>
#include <stdexcept>
#include <system_error>

#include "os/file_observer.hpp"

namespace perdure::crash {

namespace {

constexpr std::size_t most_steps = 32;

/// In memory that both processes see, written before the number that says so.
struct testimony {
  struct step {
    std::size_t base = 0;
    std::uint64_t epoch = 0;
    std::size_t events_before = 0;
    std::size_t events_after = 0;
  };
  std::array<step, most_steps + 1> steps{};
  std::atomic<std::uint64_t> calls{0};
  std::atomic<std::uint64_t> syncs{0};
  std::atomic<bool> created{false};
  std::atomic<std::size_t> attempted{0};
  std::atomic<std::size_t> promised{0};
  std::array<char, 1024> complaint{};
};

class testifying_witness final : public witness {
 public:
  testifying_witness(testimony& told, const real_disk& disk) : told_(told), disk_(disk) {}
  void attempting(std::size_t number, std::size_t base, std::uint64_t epoch) override {
    told_.steps[number] = {base, epoch, disk_.events(), 0};
    told_.attempted = number;
  }
  void promised(std::size_t number, std::uint64_t epoch) override {
    told_.steps[number].epoch = epoch;
    told_.steps[number].events_after = disk_.events();
    told_.promised = number;
    told_.created = true;
  }
  void failed(const std::string& what) override { throw std::runtime_error(what); }

 private:
  testimony& told_;
  const real_disk& disk_;
};

// Its exit drops memory, mappings, locks and threads as a signal would, at an exact place.
class killer final : public os::file_observer {
 public:
  killer(time_of_death when, testimony& told) : when_(when), told_(told) { os::observe_files(this); }
  ~killer() override { os::observe_files(nullptr); }
  verdict before(const os::file_call& call) override {
    using os::file_operation;
    if (call.operation == file_operation::read) return {};
    const bool is_sync =
        call.operation == file_operation::sync || call.operation == file_operation::sync_data;
    if (told_.calls++ == when_.before_call) ::_exit(0);
    if (is_sync && told_.syncs++ == when_.before_sync) ::_exit(0);
    return {};
  }
  void after(const os::file_call&, std::int64_t, int) override {}

 private:
  time_of_death when_;
  testimony& told_;
};

class shared_testimony {
 public:
  shared_testimony() {
    void* const memory =
        ::mmap(nullptr, sizeof(testimony), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
    told_ = new (memory) testimony;
  }
  shared_testimony(const shared_testimony&) = delete;
  shared_testimony& operator=(const shared_testimony&) = delete;
  ~shared_testimony() { ::munmap(told_, sizeof(testimony)); }
  testimony& operator*() const { return *told_; }

 private:
  testimony* told_;
};

// Seen from outside, a workload's contents follow from its seed and from what each was built upon.
void write_down(const testimony& told, std::uint64_t seed, disk_run& run) {
  run.attempts.assign(1, {0, {}});
  if (told.created) run.told.promised(0, told.steps[0].events_after);
  for (std::size_t number = 1; number <= told.attempted; ++number) {
    const testimony::step& step = told.steps[number];
    const attempt& base = run.attempts[step.base];
    content what = base.what;
    prepare(seed, number, base.epoch + 1, base, what, nullptr);
    run.attempts.push_back({step.epoch, what});
    run.told.attempting(number, step.events_before);
    if (number <= told.promised) run.told.promised(number, step.events_after);
  }
}

}  // namespace

call_counts run_and_kill(const std::filesystem::path& store, std::uint64_t seed, std::size_t steps,
                         const real_disk& disk, time_of_death when, disk_run& run) {
  if (steps > most_steps) throw std::logic_error("too many steps");
  const shared_testimony shared;
  testimony& told = *shared;
  const pid_t child = ::fork();
  if (child == 0) {
    const killer in_place(when, told);
    try {
      std::vector<attempt> attempts;
      testifying_witness witness(told, disk);
      run_workload(store, seed, steps, attempts, witness);
    } catch (const std::exception& failure) {
      std::snprintf(told.complaint.data(), told.complaint.size(), "%s", failure.what());
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (told.complaint[0] != '\0') throw std::runtime_error(told.complaint.data());
  if (WIFSIGNALED(status)) throw std::runtime_error("it died of signal " + std::to_string(WTERMSIG(status)));
  write_down(told, seed, run);
  return {told.calls, told.syncs};
}

}  // namespace perdure::crash
