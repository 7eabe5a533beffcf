#include "crash/kill_loop/kill_loop.hpp"

#include <algorithm>
#include <perdure/datastore.hpp>
#include <perdure/store_maintenance.hpp>
#include <stdexcept>
#include <thread>

namespace perdure::crash {

namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what);
}

}  // namespace

kill_loop::kill_loop(std::filesystem::path directory, std::uint64_t seed, unsigned scale, unsigned threads)
    : store_(std::move(directory) / "store"), random_(seed, 7) {
  plan_.edges.scale = scale;
  plan_.edges.seed = seed * 1000003;
  plan_.threads = threads;
  const std::uint64_t edges = plan_.edges.edge_factor << scale;
  constexpr std::uint64_t checkpoints_a_run = 12;
  plan_.checkpoint_every = std::max<std::uint64_t>(1, edges / checkpoints_a_run);
}

void kill_loop::step() {
  if (known_.graph &&
      (random_.one_in(6) || known_.graph->edges > (plan_.edges.edge_factor << plan_.edges.scale) * 6))
    start_over();
  ++plan_.edges.seed;
  const auto start = std::chrono::steady_clock::now();
  ingestion program(store_, plan_);
  // The first run is left alone, to learn how long one takes.
  const bool is_first = counts_.kills + counts_.completed == 0;
  if (!is_first) {
    kill_somewhere(program);
    program.kill();
  }
  const ingestion::ending ending = program.wait();
  if (is_first) {
    whole_run_ =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
  }
  constexpr int killed = -9;
  if (ending.how.status != 0 && ending.how.status != killed)
    fail("the program ended with status " + std::to_string(ending.how.status) + ": " + ending.how.err);
  ++(ending.how.status == 0 ? counts_.completed : counts_.kills);
  counts_.checkpoints += ending.acknowledged.size();
  examine(ending, plan_);
}

// A third of the kills come while the program opens the store, a third at any time, and a third right after
// a checkpoint, while it is written home.
void kill_loop::kill_somewhere(ingestion& program) {
  using std::chrono::microseconds;
  const auto up_to = [&](std::chrono::milliseconds most) {
    const auto limit = std::chrono::duration_cast<microseconds>(most).count();
    std::this_thread::sleep_for(microseconds(random_.below(static_cast<std::uint64_t>(limit) + 1)));
  };
  switch (random_.below(3)) {
    case 0: {
      constexpr std::chrono::milliseconds opening{20};
      up_to(opening);
      break;
    }
    case 1:
      up_to(whole_run_ + whole_run_ / 8);
      break;
    default: {
      constexpr std::chrono::milliseconds writing_home{20};
      program.wait_for(1 + static_cast<std::size_t>(random_.below(10)), whole_run_ * 2);
      up_to(writing_home);
      break;
    }
  }
}

void kill_loop::examine(const ingestion::ending& ending, const ingestion_plan& plan) {
  const bool was_pending = is_pending_;
  const bool promised = known_.graph || !ending.acknowledged.empty() || ending.how.status == 0;
  if (!std::filesystem::exists(store_)) {
    if (promised) fail("the store is gone");
    ++counts_.in_creation;
    return;
  }
  const store_info info = store_maintenance::inspect(store_);
  is_pending_ = info.applied_epoch < info.epoch;
  if (is_pending_) ++counts_.pending;
  if (was_pending && is_pending_ && info.applied_epoch < known_.epoch) ++counts_.in_recovery;
  const knowledge found = observe(store_, promised);
  if (!found.graph) ++counts_.in_creation;
  require_plausible(found, known_, ending, plan);
  require_whole(store_, "after the kill");
  if (random_.one_in(4)) {
    open_for_writing(store_, found);
    require_whole(store_, "after it was opened for writing");
    is_pending_ = false;
  }
  known_ = found;
}

void kill_loop::start_over() {
  const test::outcome removed = test::perdure_run({"rm", store_.string()});
  if (removed.status != 0) fail("rm: " + removed.err);
  known_ = {};
  is_pending_ = false;
}

}  // namespace perdure::crash
