#include "crash/unsynced/power_loop.hpp"

#include <algorithm>
#include <cstdlib>
#include <perdure/datastore.hpp>
#include <perdure/store_maintenance.hpp>
#include <stdexcept>

#include "crash/state_directory.hpp"
#include "crash/unsynced/snapshotting_ingestion.hpp"
#include "crash/unsynced/unsynced_mount.hpp"
#include "support/program.hpp"

namespace perdure::crash {

namespace {

constexpr const char* store_name = "store";
constexpr const char* snapshot_name = "snapshot";
constexpr int killed = -9;

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what);
}

// Ends with the program killed or ended, and the disk answering nothing: what the program had been told
// before is all it has been told.
template <class Program>
void wait_and_kill(unsynced_disk& disk, Program& program) {
  constexpr std::chrono::milliseconds often{2};
  constexpr std::chrono::minutes patience{2};
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!program.has_ended() && !disk.wait_until_stopped(often)) {
    if (std::chrono::steady_clock::now() < until) continue;
    disk.stop();
    program.kill();
    disk.cut_power();
    fail("the program does not end");
  }
  disk.stop();
  program.kill();
}

}  // namespace

power_loop::power_loop(const std::filesystem::path& directory, const power_settings& settings)
    : settings_(settings),
      mount_point_(directory / "mounted"),
      state_(directory / "state"),
      random_(settings.seed, 13) {
  std::filesystem::create_directory(mount_point_);
  plan_.edges.scale = settings.scale;
  plan_.edges.seed = settings.seed * 1000003;
  plan_.threads = settings.threads;
  constexpr std::uint64_t checkpoints_a_run = 12;
  plan_.checkpoint_every =
      std::max<std::uint64_t>(1, (plan_.edges.edge_factor << settings.scale) / checkpoints_a_run);
}

void power_loop::step() {
  choose_environment();
  if (known_.graph && random_.one_in(5)) {
    cut_snapshot();
    return;
  }
  constexpr std::uint64_t most_runs = 6;
  const std::uint64_t edges = plan_.edges.edge_factor << plan_.edges.scale;
  if (known_.graph && (random_.one_in(5) || known_.graph->edges > edges * most_runs)) {
    disk_ = {};
    known_ = {};
  }
  cut_ingestion();
}

// Pages reach the store's files in other ways when memory is short, and by trackers that map them from there.
void power_loop::choose_environment() {
  constexpr const char* little_memory_mib = "4";
  if (random_.one_in(3))
    ::setenv("PERDURE_MEMORY_BUDGET", little_memory_mib, 1);
  else
    ::unsetenv("PERDURE_MEMORY_BUDGET");
  switch (random_.below(4)) {
    case 0:
      ::setenv("PERDURE_TRACKER", "pagemap", 1);
      break;
    case 1:
      ::setenv("PERDURE_TRACKER", "mprotect", 1);
      break;
    default:
      ::unsetenv("PERDURE_TRACKER");
  }
}

// While the program opens the store, at any time, in a sync, or right after one.
disk_stop power_loop::some_moment(const duration& whole) {
  disk_stop moment;
  const std::uint64_t any_sync = 1 + random_.below(whole.syncs + 1);
  switch (random_.below(4)) {
    case 0: {
      const std::uint64_t opening = random_.one_in(2) ? 30 : 80;
      moment.at_event = 1 + random_.below(opening);
      break;
    }
    case 1:
      moment.at_event = 1 + random_.below(whole.events + whole.events / 8 + 1);
      break;
    case 2:
      moment.in_sync = any_sync;
      break;
    default:
      moment.after_syncs = any_sync;
      moment.events_later = random_.below(4);
  }
  return moment;
}

void power_loop::let_write_back_fail(unsynced_disk& disk, const duration& whole) {
  if (disk.has_failed() || random_.one_in(2)) return;
  write_back_failure failure;
  if (random_.one_in(2))
    failure.in_sync = disk.syncs() + 1 + random_.below(whole.syncs + 1);
  else
    failure.at_event = disk.events() + 1 + random_.below(whole.events + 1);
  constexpr std::uint64_t soon = 60;
  switch (random_.below(3)) {
    case 0:
      failure.events_until_evicted = 0;
      break;
    case 1:
      failure.events_until_evicted = random_.below(soon);
      break;
    default:
      break;
  }
  disk.fail_when(failure);
}

// In reach of what a program does that is told of a failure.
void power_loop::cut_after_failed_sync(unsynced_disk& disk, std::uint64_t past_syncs) {
  constexpr std::uint64_t soon = 8;
  const std::uint64_t failing = past_syncs + 1 + random_.below(ingestion_.syncs + 1);
  disk.fail_when({.in_sync = failing});
  disk.stop_when({.after_syncs = failing + 1, .events_later = random_.below(soon)});
}

void power_loop::require_expected_end(unsynced_disk& disk, const test::outcome& how, const char* program) {
  if (how.status == 0 || how.status == killed) return;
  if (how.status != 1 || !disk.has_failed())
    fail(std::string(program) + " ended with status " + std::to_string(how.status) + ": " + how.err);
  ++counts_.told;
}

disk_image power_loop::one_remaining(const crash_point& remains, std::uint64_t index) {
  ++counts_.states;
  if (remains.pending() != 0) ++counts_.losable;
  choice persisted = remains.one_by_file(random_);
  where_ = "un-synced calls, each file with a fate of its own";
  // The two simplest ways are worth more than their chance.
  if (index == 0) {
    for (std::vector<line_mask>& one : persisted) std::fill(one.begin(), one.end(), line_mask{0});
    where_ = "all un-synced calls lost";
  } else if (random_.one_in(8)) {
    persisted = remains.everything();
    where_ = "all un-synced calls on disk";
  }
  constexpr std::size_t worth_telling = 200;
  where_ += ", " + std::to_string(remains.pending()) + " of them\n";
  if (remains.pending() <= worth_telling) where_ += remains.describe(persisted);
  return remains.state(persisted);
}

ingestion::ending power_loop::ingest(unsynced_disk& disk, bool with_snapshots, bool is_power_cut) {
  ++plan_.edges.seed;
  std::vector<std::string> command{test::perdure_program(), "graph", "ingest"};
  if (with_snapshots) command = {std::filesystem::read_symlink("/proc/self/exe").string(), "ingest"};
  ingestion program(std::move(command), mount_point_ / store_name, plan_);
  wait_and_kill(disk, program);
  if (is_power_cut)
    disk.cut_power();
  else
    disk.go_on();
  ingestion::ending ending = program.wait();
  require_expected_end(disk, ending.how, "ingestion");
  counts_.checkpoints += ending.acknowledged.size();
  if (ending.how.status == 1 && ending.acknowledged.empty() && !known_.graph) is_removed_ = true;
  return ending;
}

void power_loop::cut_ingestion() {
  unsynced_disk disk(disk_, random_.next());
  const unsynced_mount mount(mount_point_, disk);
  is_removed_ = false;
  knowledge at_least = known_;
  knowledge before = known_;
  // The first run is left alone, to learn how long one takes.
  const bool is_first = counts_.cuts == 0;
  const bool is_killed_first = !is_first && random_.one_in(4);
  const bool with_snapshots = !is_first && !is_killed_first && random_.one_in(3);
  if (is_killed_first) {
    disk.stop_when(some_moment(ingestion_));
    let_write_back_fail(disk, ingestion_);
    const ingestion::ending ending = ingest(disk, false, false);
    where_ = "what a killed program left, before the cut\n";
    before = examine(disk.content(), known_, known_, ending);
    if (ending.how.status == 0) {
      at_least = before;
    } else if (!ending.acknowledged.empty()) {
      const acknowledgement& last = ending.acknowledged.back();
      const graph_content base = known_.graph.value_or(graph_content{});
      at_least = {last.epoch, with_first_edges(base, plan_.edges, last.edges - base.edges)};
    }
    ++counts_.after_kill;
  }
  const duration past{disk.events(), disk.syncs()};
  if (!is_first && settings_.cuts_after_failures) {
    cut_after_failed_sync(disk, past.syncs);
  } else if (!is_first) {
    disk_stop moment = some_moment(ingestion_);
    if (moment.at_event != disk_stop::never) moment.at_event += past.events;
    if (moment.after_syncs != disk_stop::never) moment.after_syncs += past.syncs;
    if (moment.in_sync != disk_stop::never) moment.in_sync += past.syncs;
    disk.stop_when(moment);
    let_write_back_fail(disk, ingestion_);
  }
  const ingestion::ending ending = ingest(disk, with_snapshots, true);
  ++counts_.cuts;
  if (with_snapshots) ++counts_.snapshotting;
  if (ending.how.status == 0) {
    ++counts_.completed;
    ingestion_ = {disk.events() - past.events, disk.syncs() - past.syncs};
  }
  if (disk.has_failed()) ++counts_.failures;
  const crash_point remains = disk.remains();
  counts_.unsynced += remains.pending();
  const std::uint64_t next = random_.below(settings_.states);
  disk_image next_disk;
  knowledge next_known;
  for (std::uint64_t i = 0; i < settings_.states; ++i) {
    const disk_image state = one_remaining(remains, i);
    const knowledge found = examine(state, at_least, before, ending);
    if (with_snapshots) examine_snapshots(before, ending);
    const std::uint64_t told =
        ending.acknowledged.empty() ? at_least.epoch : ending.acknowledged.back().epoch;
    if (found.epoch > told) ++counts_.newer;
    if (i != next) continue;
    next_disk = is_removed_ && !found.graph ? disk_image{} : state;
    next_known = found;
  }
  disk_ = next_disk;
  known_ = next_known;
  forget_snapshots();
}

knowledge power_loop::examine(const disk_image& state, const knowledge& at_least, const knowledge& before,
                              const ingestion::ending& ending) {
  place(state);
  const std::filesystem::path store = state_ / store_name;
  const bool nothing_told = ending.acknowledged.empty() && ending.how.status != 0;
  const bool promised = at_least.graph || !nothing_told;
  if (is_removed_ && !promised) return {};
  if (!std::filesystem::exists(store)) {
    if (promised) fail("the store is gone");
    ++counts_.in_creation;
    return {};
  }
  // By another process first: damaged content is followed below.
  require_whole(store, "after the cut");
  const store_info info = store_maintenance::inspect(store);
  if (info.applied_epoch < info.epoch) ++counts_.pending;
  const knowledge found = observe(store, promised);
  if (!found.graph) ++counts_.in_creation;
  const bool is_as_promised_before = nothing_told && found == at_least;
  if (!is_as_promised_before) require_plausible(found, before, ending, plan_);
  if (random_.one_in(2)) {
    open_for_writing(store, found);
    require_whole(store, "after it was opened for writing");
  }
  return found;
}

void power_loop::cut_snapshot() {
  unsynced_disk disk(disk_, random_.next());
  const unsynced_mount mount(mount_point_, disk);
  disk.stop_when(some_moment(snapshot_));
  let_write_back_fail(disk, snapshot_);
  test::process program({test::perdure_program(), "snapshot", (mount_point_ / store_name).string(),
                         (mount_point_ / snapshot_name).string()});
  wait_and_kill(disk, program);
  disk.cut_power();
  const test::outcome how = program.wait();
  require_expected_end(disk, how, "snapshot");
  if (disk.has_failed()) ++counts_.failures;
  ++counts_.in_snapshots;
  if (how.status == 0) snapshot_ = {disk.events(), disk.syncs()};
  const crash_point remains = disk.remains();
  counts_.unsynced += remains.pending();
  for (std::uint64_t i = 0; i < settings_.states; ++i) {
    disk_image state = one_remaining(remains, i);
    place(state);
    require_whole(state_ / store_name, "after the cut of a snapshot");
    if (observe(state_ / store_name, true) != known_) fail("making a snapshot changed the store");
    if (std::filesystem::exists(state_ / snapshot_name))
      require_snapshot(snapshot_name, known_);
    else if (how.status == 0)
      fail("the snapshot is gone");
    disk_ = std::move(state);
  }
  forget_snapshots();
}

void power_loop::examine_snapshots(const knowledge& before, const ingestion::ending& ending) {
  const std::vector<std::uint64_t> announced = announced_snapshots(ending.how.out);
  const graph_content base = before.graph.value_or(graph_content{});
  for (const acknowledgement& one : ending.acknowledged) {
    const std::string name = snapshot_of(one.epoch);
    if (std::filesystem::exists(state_ / name))
      require_snapshot(name, {one.epoch, with_first_edges(base, plan_.edges, one.edges - base.edges)});
    else if (std::find(announced.begin(), announced.end(), one.epoch) != announced.end())
      fail(name + " is gone");
  }
}

void power_loop::require_snapshot(const std::string& name, const knowledge& of) {
  const std::filesystem::path snapshot = state_ / name;
  require_whole(snapshot, name.c_str());
  if (observe(snapshot, true) != of) fail(name + " does not hold what the store held");
  open_for_writing(snapshot, of);
  require_whole(snapshot, (name + ", opened for writing").c_str());
  ++counts_.snapshots;
}

// The next programs make others.
void power_loop::forget_snapshots() {
  const auto names = disk_.at(root_inode).names;
  for (const auto& [name, number] : names)
    if (name.starts_with(snapshot_name)) disk_.unlink(root_inode, name);
}

void power_loop::place(const disk_image& state) const {
  std::filesystem::remove_all(state_);
  std::filesystem::create_directory(state_);
  state_directory(state_).become(state);
}

}  // namespace perdure::crash
