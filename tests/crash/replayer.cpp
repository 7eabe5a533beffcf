#include "crash/replayer.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <perdure/error.hpp>

#include "store/file/unfinished_store.hpp"

namespace perdure::crash {

namespace {

constexpr const char* store_name = "store";
constexpr unsigned deepest = 2;  // crashes during the recovery from crashes

class recording_witness final : public witness {
 public:
  recording_witness(call_recorder& recorder, const fault_plan* faults)
      : recorder_(recorder), faults_(faults), loses_pages_(faults != nullptr && faults->loses_pages()) {}
  void attempting(std::size_t number, std::size_t, std::uint64_t) override { recorder_.mark_attempt(number); }
  void promised(std::size_t number, std::uint64_t) override {
    recorder_.mark_promise(number);
    reopens_ = false;
  }
  bool takes_two_phases() const override { return true; }
  void preparing(std::size_t number) override {
    preparing_ = number;
    recorder_.mark_preparing(number);
  }
  void prepared(std::size_t number) override { recorder_.mark_prepared(number); }
  void abandoning() override {
    had_struck_ = has_struck();
    recorder_.mark_abandoning();
  }
  // Abandoning cannot fail; where a call did, what is on disk may still be prepared.
  void abandoned() override { recorder_.mark_withdrawal(has_struck() != had_struck_ ? preparing_ : 0); }
  void left_undecided(const std::string& what) override { count_failure(what); }
  void failed(const std::string& what) override {
    recorder_.mark_withdrawal();
    if (loses_pages_ && !reopens_ && what.find("reopen the store") != std::string::npos) {
      reopens_ = true;
      return;
    }
    count_failure(what);
  }
  bool compares_memory() const override { return loses_pages_; }
  bool reopens() const override { return reopens_; }

 private:
  void count_failure(const std::string& what) {
    // One call was made to fail; what was tried again must work.
    if (++failures_ > 1) throw std::logic_error("failed again with nothing wrong any more: " + what);
  }

  bool has_struck() const { return faults_ != nullptr && faults_->struck(); }

  call_recorder& recorder_;
  const fault_plan* faults_;
  bool loses_pages_;
  std::size_t preparing_ = 0;
  bool had_struck_ = false;  // before what is prepared was abandoned
  bool reopens_ = false;     // the store asked for it
  int failures_ = 0;
};

identities identities_of(const std::filesystem::path& directory, inode_number number) {
  struct stat status;
  if (::stat(directory.c_str(), &status) != 0) throw std::runtime_error("no directory " + directory.string());
  return {{status.st_ino, number}};
}

bool holds_store(const disk_image& state) {
  const auto& names = state.at(root_inode).names;
  const auto found = names.find(store_name);
  return found != names.end() && state.at(found->second).names.contains("super");
}

}  // namespace

recorded_run record(const std::filesystem::path& scratch, std::uint64_t seed, std::size_t steps,
                    fault_plan* faults, backing chosen, bool in_place) {
  const std::filesystem::path root = scratch / "run";
  std::filesystem::remove_all(root);
  std::filesystem::create_directory(root);
  recorded_run run;
  store::make_stores_in_place(in_place);
  identities known = identities_of(root, root_inode);
  if (in_place) {
    constexpr inode_number store = root_inode + 1;
    std::filesystem::create_directory(root / store_name);
    known.merge(identities_of(root / store_name, store));
    run.before.make(store, true);
    run.before.link(root_inode, store_name, store);
  }
  {
    call_recorder recorder(known, static_cast<inode_number>(run.before.inode_count()), faults);
    recording_witness witness(recorder, faults);
    if (chosen == backing::dax) recorder.watch_stores();
    if (random_stream(seed, 7).one_in(3)) recorder.slow_home_down();
    try {
      run_workload(root / store_name, seed, steps, run.attempts, witness, chosen);
    } catch (const error& failure) {
      // Creating it failed.
      if (faults == nullptr || !faults->struck()) run.problem = failure.what();
    } catch (const std::exception& failure) {
      run.problem = failure.what();
    }
    run.log = recorder.log();
  }
  std::filesystem::remove_all(root);
  return run;
}

replayer::replayer(const std::filesystem::path& scratch, const replay_limits& limits)
    : limits_(limits),
      directory_([&] {
        std::filesystem::create_directory(scratch / "state");
        return scratch / "state";
      }()),
      store_(directory_.root() / store_name) {}

bool replayer::is_done() const {
  return violations_ != 0 || states_ >= limits_.states || std::chrono::steady_clock::now() >= limits_.until;
}

void replayer::report(const std::string& problem) {
  if (violations_++ == 0) first_ = problem + "\n" + where_;
}

void replayer::explore(const recorded_run& run, std::uint64_t seed) {
  random_ = random_stream(seed, 2);
  losses_ = random_stream(seed, 8);
  seen_.clear();
  explore(run.before, run.log, run.attempts, {{0}, true}, 0);
}

void replayer::explore(const disk_image& before, const call_log& log, const std::vector<attempt>& attempts,
                       expectation expected, unsigned depth, std::size_t first) {
  crash_point point(before);
  const expectation at_first = expected;
  const std::string outer = where_;
  std::vector<std::size_t> promised = expected.allowed;
  // The states after a call include those after none of it, so the first point is before the first call.
  for (std::size_t i = 0; i <= log.size() && !is_done(); ++i) {
    bool adds_states = i == 0 && depth == 0;
    if (i > 0) {
      const logged_call& call = log[i - 1];
      point.step(call, i - 1);
      switch (call.what) {
        case logged::attempt:
          expected.allowed.push_back(call.number);
          continue;
        case logged::promise:
          promised.assign(1, call.number);
          expected = {promised, false};
          adds_states = true;
          break;
        case logged::preparing:
          expected.undecided = call.number;
          continue;
        case logged::prepared:
          expected.is_prepared = true;
          expected.may_count = true;
          adds_states = true;
          break;
        case logged::abandoning:
          expected.is_prepared = false;
          expected.may_count = false;
          continue;
        case logged::withdrawal:
          expected = {promised, expected.may_be_absent, call.number};
          adds_states = true;
          break;
        case logged::sync_begun:
        case logged::sync_ended:
        case logged::sync_failed:
        case logged::persist:
          // What is durable now was possible before.
          continue;
        default:
          adds_states = true;
          break;
      }
    }
    if (!adds_states || i < first) continue;
    const bool aimed = limits_.kills_at_renames && depth == 0;
    if (aimed && (i == 0 || log[i - 1].what != logged::rename)) continue;
    if (depth == 0 && (aimed || random_.one_in(limits_.thin))) {
      kill_and_go_on(before, log, i, attempts, at_first, expected, point);
    }
    if (aimed) continue;
    const std::size_t extra = depth == 0 ? limits_.random_states : 1;
    point.for_each_choice(random_, extra, [&](const choice& persisted) {
      if (!random_.one_in(depth > 0 ? depth * 4 : limits_.thin)) return !is_done();
      const disk_image state = point.state(persisted);
      std::uint64_t key = state.hash() + (expected.may_be_absent ? 1 : 0);
      if (expected.undecided != 0)
        key = mix(key ^
                  (4 * expected.undecided + (expected.may_count ? 2 : 0) + (expected.is_prepared ? 1 : 0)));
      for (const std::size_t number : expected.allowed) key = mix(key ^ (number + (depth << 20)));
      if (!seen_.insert(key).second) return !is_done();
      where_ = outer + "  crash after call " + std::to_string(i) + " of " + std::to_string(log.size()) +
               ":\n" + (violations_ == 0 ? point.describe(persisted) : "");
      check(state, attempts, expected, depth);
      where_ = outer;
      return !is_done();
    });
  }
  where_ = outer;
}

void replayer::check(const disk_image& state, const std::vector<attempt>& attempts,
                     const expectation& expected, unsigned depth) {
  ++states_;
  if (limits_.in_place ? !holds_store(state) : !state.at(root_inode).names.contains(store_name)) {
    if (!expected.may_be_absent) return report("the store is gone");
    if (limits_.in_place) create_anew(state, depth);
    return;
  }
  const sequel then = recover(state, attempts, expected);
  const bool changed = std::any_of(then.log.begin(), then.log.end(),
                                   [](const logged_call& call) { return call.what == logged::write; });
  if (!then.is_sound || !changed || depth == deepest || !random_.one_in(24)) return;
  where_ += "  then recovery and:\n";
  explore(state, then.log, then.attempts,
          {expected.allowed, false, expected.undecided, false, expected.may_count}, depth + 1);
}

void replayer::create_anew(const disk_image& state, unsigned depth) {
  directory_.become(state);
  call_log log;
  {
    call_recorder recorder(directory_.known(), static_cast<inode_number>(state.inode_count()), nullptr);
    try {
      datastore::create(store_, small_store());
      recorder.mark_promise(0);
    } catch (const std::exception& failure) {
      report(std::string("cannot be created: ") + failure.what());
    }
    log = recorder.log();
  }
  directory_.happened(log);
  if (depth == deepest || !random_.one_in(4)) return;
  where_ += "  then created and:\n";
  explore(state, log, {{0, {}}}, {{0}, true}, depth + 1);
}

void replayer::kill_and_go_on(const disk_image& before, const call_log& log, std::size_t calls,
                              const std::vector<attempt>& attempts, const expectation& first,
                              const expectation& then, const crash_point& at) {
  // A store whose creation was never reported may vanish, whoever opened it since.
  if (then.may_be_absent) return;
  const std::string outer = where_;
  where_ += "  killed after call " + std::to_string(calls) + " and started again\n";
  crash_point found = at;
  call_log both(log.begin(), log.begin() + static_cast<std::ptrdiff_t>(calls));
  // Between the two a write-back may fail, of which only the first would have been told: the second finds a
  // file as written or as on the disk, and no sync of its own says anything of it.
  const std::optional<inode_number> loser = losses_.one_in(4) ? found.one_written(losses_) : std::nullopt;
  if (loser) {
    logged_call loss{.what = logged::sync_failed, .target = *loser, .begun = both.size()};
    const bool is_evicted = losses_.one_in(2);
    if (is_evicted) loss = found.loss_of(*loser);
    where_ += is_evicted ? "  what was not synced of a file is gone\n"
                         : "  what was not synced of a file may be lost\n";
    found.step(loss, both.size());
    both.push_back(std::move(loss));
  }
  const std::size_t calls_before = both.size();
  sequel next = recover(found.state(found.everything()), attempts, then);
  if (next.is_sound) {
    for (logged_call& call : next.log) {
      if (call.what == logged::sync_ended || call.what == logged::sync_failed) call.begun += calls_before;
      both.push_back(std::move(call));
    }
    explore(before, both, next.attempts, first, 1, calls_before + 1);
  }
  where_ = outer;
}

replayer::sequel replayer::recover(const disk_image& state, const std::vector<attempt>& known,
                                   const expectation& expected) {
  directory_.become(state);
  sequel result;
  result.attempts = known;
  std::vector<attempt>& attempts = result.attempts;
  const bool every_page = random_.one_in(64);
  bool is_sound = false;
  std::vector<std::size_t> any = expected.allowed;
  try {
    if (random_.one_in(6)) {
      const auto reader = datastore::open_read_only(store_);
      const finding found = find_attempt(*reader, attempts, any, every_page);
      if (!found.problem.empty()) {
        report("read-only: " + found.problem);
        return result;
      }
    }
  } catch (const std::exception& failure) {
    report(std::string("read-only: ") + failure.what());
    return result;
  }
  // In some recoveries a call fails, once; then what failed is tried again and must work.
  store_options options =
      small_store(limits_.dax && random_.one_in(2) ? backing::dax : backing::private_memory);
  // A call that fails in the handler of a store ends the program.
  const fault kind = options.backing == backing::dax || !random_.one_in(10) ? fault::none
                     : random_.one_in(2)                                    ? fault::sync_error
                     : random_.one_in(3)                                    ? fault::no_space
                                                                            : fault::io_error;
  const std::uint64_t call = random_.below(kind == fault::sync_error ? 10 : 120);
  // A failed sync comes with a failed write-back, or without.
  const bool loses_pages = kind == fault::sync_error && !pages_leave_memory() && losses_.one_in(2);
  fault_plan faults(loses_pages ? fault::write_back : kind, loses_pages ? losses_.below(60) : call, false);
  {
    call_recorder recorder(directory_.known(), static_cast<inode_number>(state.inode_count()), &faults);
    if (options.backing == backing::dax) recorder.watch_stores();
    const auto trying = [&](bool withdraws, auto&& action) {
      try {
        return action();
      } catch (const error&) {
        if (!faults.struck()) throw;
        if (withdraws) recorder.mark_withdrawal();
      }
      return action();
    };
    // Says whether what was prepared counts.
    const auto decide = [&](bool counts) {
      options.last_decided = attempts[expected.undecided].epoch - (counts ? 0 : 1);
      if (counts) {
        recorder.mark_attempt(expected.undecided);
        any.assign(1, expected.undecided);
      } else {
        recorder.mark_abandoning();
        std::erase(any, expected.undecided);
      }
    };
    // What is prepared must be there for those who say so. Else the store may ask.
    if (expected.is_prepared && random_.one_in(2)) decide(true);
    const auto open_deciding = [&] {
      try {
        return datastore::open(store_, options);
      } catch (const error& failure) {
        const bool may_ask = expected.undecided != 0 && !options.last_decided;
        if (failure.code() != errc::undecided || !may_ask) throw;
      }
      decide(expected.may_count && random_.one_in(2));
      return datastore::open(store_, options);
    };
    try {
      auto store = trying(false, open_deciding);
      options.last_decided.reset();
      const finding found = find_attempt(*store, attempts, any, every_page);
      if (!found.problem.empty()) {
        report(found.problem);
      } else {
        recorder.mark_promise(found.number);
        is_sound = true;
        if (random_.one_in(3)) {
          content next = attempts[found.number].what;
          const auto released =
              mutate(random_stream(random_.next()), next, &store->memory(), random_.one_in(8));
          attempts.push_back({store->epoch() + 1, next});
          const std::size_t last = attempts.size() - 1;
          trying(true, [&] {
            recorder.mark_attempt(last);
            store->checkpoint(released);
          });
          attempts[last].epoch = store->epoch();
          recorder.mark_promise(last);
          store.reset();
          store = trying(false, [&] { return datastore::open(store_, options); });
          const finding again = find_attempt(*store, attempts, {last}, every_page);
          if (!again.problem.empty()) {
            is_sound = false;
            report("after one more checkpoint: " + again.problem);
          }
        }
      }
    } catch (const std::exception& failure) {
      is_sound = false;
      report(std::string(failure.what()) + (faults.struck() ? " (after a failed call)" : ""));
    }
    result.log = recorder.log();
  }
  directory_.happened(result.log);
  result.is_sound = is_sound;
  return result;
}

}  // namespace perdure::crash
