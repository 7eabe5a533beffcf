#include "crash/block/block_replayer.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <perdure/error.hpp>
#include <perdure/store_maintenance.hpp>
#include <perdure/verify.hpp>
#include <system_error>

namespace perdure::crash {

namespace {

// As long as the power holds, what was begun may be found though the disk was told nothing of it.
constexpr std::size_t everything = std::numeric_limits<std::size_t>::max();

std::string damage_in(const std::filesystem::path& store) {
  const verify_report report = store_maintenance::verify(store);
  if (report.whole()) return {};
  const auto first = std::find_if(report.findings.begin(), report.findings.end(),
                                  [](const verify_finding& one) { return one.damage; });
  return "verify: " + to_string(*first);
}

}  // namespace

block_replayer::block_replayer(const std::filesystem::path& scratch, const std::string& file_system,
                               std::chrono::steady_clock::time_point until)
    : disk_(scratch, file_system), store_(disk_.root() / "store"), until_(until) {}

bool block_replayer::is_done() const {
  return !violation_.empty() || std::chrono::steady_clock::now() >= until_;
}

disk_run block_replayer::record(std::uint64_t seed, std::size_t steps, bool killed) {
  disk_run run{disk_.blank(), {}, promise_log({{0}, true}), {}};
  random_stream random(seed, 6);
  disk_.become(run.before);
  mounted file_system = disk_.mount();
  const bool dies = killed && usual_.syncs != 0;
  time_of_death when;
  if (dies && random.one_in(2)) {
    when.before_call = random.below(usual_.all);
  } else if (dies) {
    when.before_sync = random.below(usual_.syncs);
  }
  const call_counts calls = run_and_kill(store_, seed, steps, disk_, when, run);
  if (!dies) usual_ = calls;
  // A store whose creation was never reported may vanish, whoever opened it since.
  if (dies && !run.told.after(everything).may_be_absent) go_on_after_kill(run, random);
  file_system.unmount();
  run.log = disk_.take_log();
  return run;
}

void block_replayer::go_on_after_kill(disk_run& run, random_stream& random) {
  auto store = datastore::open(store_);
  const finding found = find_attempt(*store, run.attempts, run.told.after(everything).allowed, true);
  if (!found.problem.empty()) throw std::runtime_error("after a kill: " + found.problem);
  run.told.promised(found.number, disk_.events());
  std::size_t base = found.number;
  for (std::uint64_t more = random.below(3); more > 0; --more) {
    const std::string problem = go_on(run, store, base, random, true);
    if (!problem.empty()) throw std::runtime_error("after a kill: " + problem);
    base = run.attempts.size() - 1;
  }
}

std::string block_replayer::go_on(disk_run& run, std::unique_ptr<datastore>& store, std::size_t base,
                                  random_stream& random, bool every_page) const {
  content next = run.attempts[base].what;
  const auto released = mutate(random_stream(random.next()), next, &store->memory(), random.one_in(8));
  run.attempts.push_back({store->epoch() + 1, next});
  const std::size_t last = run.attempts.size() - 1;
  run.told.attempting(last, disk_.events());
  store->checkpoint(released);
  run.attempts[last].epoch = store->epoch();
  run.told.promised(last, disk_.events());
  store.reset();
  store = datastore::open(store_);
  const finding again = find_attempt(*store, run.attempts, {last}, every_page);
  return again.problem.empty() ? "" : "after one more checkpoint: " + again.problem;
}

void block_replayer::explore(const disk_run& run, std::uint64_t seed, std::size_t states) {
  random_ = random_stream(seed, 5);
  seen_.clear();
  explore_states(run, states, 0);
}

// Every promise is broken most easily right after it was given. For the rest, half of the cuts are spread
// over the writes and half over the flushes, since most flushes have few writes before them.
std::vector<std::size_t> block_replayer::moments(const disk_run& run, std::size_t states) {
  std::vector<std::size_t> all = run.told.moments();
  std::vector<std::size_t> flushes;
  for (std::size_t i = 0; i < run.log.size(); ++i) {
    if (run.log[i].is_flush) flushes.push_back(i);
  }
  while (all.size() < states) {
    if (flushes.empty() || random_.one_in(2)) {
      all.push_back(static_cast<std::size_t>(random_.below(run.log.size() + 1)));
    } else {
      // Before the flush, or when the next one is already under way.
      all.push_back(flushes[static_cast<std::size_t>(random_.below(flushes.size()))] + random_.below(2));
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

void block_replayer::explore_states(const disk_run& run, std::size_t states, unsigned depth) {
  const std::string outer = where_;
  const std::vector<std::size_t> promises = run.told.moments();
  block_image flushed = run.before;
  std::size_t applied = 0;
  for (const std::size_t moment : moments(run, states)) {
    const bool is_promise = std::binary_search(promises.begin(), promises.end(), moment);
    const survival what = is_promise || random_.one_in(6) ? survival::nothing
                          : random_.one_in(6)             ? survival::everything
                                                          : survival::any;
    const power_cut cut = cut_power(run.log, moment, what, random_);
    for (; applied < cut.flushed; ++applied) {
      const disk_event& event = run.log[applied];
      if (!event.is_flush) flushed.write(event.offset, event.data);
    }
    std::uint64_t key = hash(cut) + depth;
    for (const std::size_t number : run.told.after(moment).allowed) key = mix(key ^ number);
    if (depth == 0 && !seen_.insert(key).second) continue;
    where_ = outer + "  " + describe(cut, run.log) + "\n";
    check(run, cut, after(cut, run.log, flushed), depth);
    where_ = outer;
    if (is_done()) return;
  }
}

void block_replayer::check(const disk_run& run, const power_cut& cut, const block_image& state,
                           unsigned depth) {
  const promise_log::expectation expected = run.told.after(cut.received);
  disk_.become(state);
  disk_run sequel{state, {}, promise_log(expected), run.attempts};
  bool is_there = false;
  std::string problem;
  std::unique_ptr<mounted> file_system;
  try {
    file_system.reset(new mounted(disk_.mount()));
  } catch (const std::system_error& failure) {
    // A file system may rely on its blocks being whole. What it does not mount says nothing of the store.
    if (cut.tears) {
      ++counts_.not_mounted;
      disk_.take_log();
      return;
    }
    problem = failure.what();
  }
  try {
    if (file_system) {
      problem = use_store(sequel, expected, is_there);
      file_system->unmount();
    }
  } catch (const std::exception& failure) {
    problem = failure.what();
  }
  sequel.log = disk_.take_log();
  ++counts_.states;
  if (depth > 0) ++counts_.recoveries;
  if (!problem.empty()) {
    violation_ = problem + "\n" + where_;
    if (!image_file_.empty()) disk_.save(state, image_file_);
    return;
  }
  const bool cuts_again = depth == 0 && is_there && random_.one_in(8);
  if (!cuts_again) return;
  constexpr std::size_t states_of_a_recovery = 5;
  where_ += "  then recovery and:\n";
  explore_states(sequel, states_of_a_recovery, depth + 1);
}

std::string block_replayer::use_store(disk_run& sequel, const promise_log::expectation& expected,
                                      bool& is_there) {
  is_there = std::filesystem::exists(store_);
  if (!is_there) {
    if (!expected.may_be_absent) return "the store is gone";
    ++counts_.absent;
    return {};
  }
  const bool every_page = random_.one_in(8);
  const auto looked_at = [&](datastore& store, const std::vector<std::size_t>& allowed) {
    return find_attempt(store, sequel.attempts, allowed, every_page);
  };
  try {
    if (random_.one_in(4)) {
      if (std::string damage = damage_in(store_); !damage.empty()) return "before recovery, " + damage;
      const finding found = looked_at(*datastore::open_read_only(store_), expected.allowed);
      if (!found.problem.empty()) return "read-only: " + found.problem;
    }
    auto store = datastore::open(store_);
    const finding found = looked_at(*store, expected.allowed);
    if (!found.problem.empty()) return found.problem;
    sequel.told.promised(found.number, disk_.events());
    if (found.number != expected.allowed.front()) ++counts_.newer;
    if (random_.one_in(3)) {
      const std::string problem = go_on(sequel, store, found.number, random_, every_page);
      if (!problem.empty()) return problem;
    }
    store.reset();
    if (random_.one_in(4)) {
      if (std::string damage = damage_in(store_); !damage.empty()) return "after recovery, " + damage;
    }
  } catch (const error& failure) {
    return failure.what();
  }
  return {};
}

}  // namespace perdure::crash
