#include "crash/kill_loop/kill_loop.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <perdure/error.hpp>
#include <stdexcept>
#include <thread>

namespace perdure::crash {

namespace {

constexpr std::uint64_t batch = 1 << 14;  // edges that each thread may add beyond the limit

std::string text(const acknowledgement& one) {
  return "epoch " + std::to_string(one.epoch) + " with " + std::to_string(one.edges) + " edges";
}

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
  const store_info info = datastore::inspect(store_);
  is_pending_ = info.applied_epoch < info.epoch;
  if (is_pending_) ++counts_.pending;
  if (was_pending && is_pending_ && info.applied_epoch < known_.epoch) ++counts_.in_recovery;
  const knowledge found = observe(promised);
  require_plausible(found, ending, plan);
  require_whole("after the kill");
  if (random_.one_in(4)) {
    open_for_writing(found);
    require_whole("after it was opened for writing");
    is_pending_ = false;
  }
  known_ = found;
}

// As users find it: the program says epoch and edges, and the edges themselves are counted.
kill_loop::knowledge kill_loop::observe(bool something_was_promised) {
  const test::outcome info = test::perdure_run({"graph", "info", store_.string(), "--json"});
  const auto said = nlohmann::json::parse(info.out, nullptr, false);
  if (info.status != 0) {
    const std::string code = said.is_object() ? said["error"].value("code", "") : "";
    // The store was made, and its graph was not yet.
    if (something_was_promised || (code != "not_found" && code != "not_a_store"))
      fail("graph info ended with status " + std::to_string(info.status) + ": " + info.err);
    ++counts_.in_creation;
    return {datastore::inspect(store_).epoch, std::nullopt};
  }
  const manager store(open_read_only, store_);
  const knowledge found{store.store().epoch(), content_of(store)};
  if (said["epoch"] != found.epoch || !found.graph || said["edges"] != found.graph->edges)
    fail("graph info says " + info.out + " and the store holds epoch " + std::to_string(found.epoch) +
         " with " + std::to_string(found.graph ? found.graph->edges : 0) + " edges");
  return found;
}

void kill_loop::require_plausible(const knowledge& found, const ingestion::ending& ending,
                                  const ingestion_plan& plan) const {
  const graph_content base = known_.graph.value_or(graph_content{});
  acknowledgement last{known_.epoch, base.edges};
  for (const acknowledgement& one : ending.acknowledged) {
    if (one.epoch <= last.epoch && known_.graph) fail(text(one) + " was announced after " + text(last));
    last = one;
  }
  if (!found.graph) return;
  const acknowledgement holds{found.epoch, found.graph->edges};
  const bool is_new_store = !known_.graph && ending.acknowledged.empty();
  if (holds.epoch < last.epoch) fail("the store went back to " + text(holds) + " from " + text(last));
  const std::uint64_t all = base.edges + (plan.edges.edge_factor << plan.edges.scale);
  const std::uint64_t most =
      std::min(all, last.edges + plan.checkpoint_every + std::uint64_t{plan.threads} * batch);
  const std::uint64_t first_epochs = is_new_store ? 2 : 1;  // the empty heap is a checkpoint too
  if (holds.epoch > last.epoch + first_epochs || holds.edges < last.edges || holds.edges > most ||
      (holds.epoch == last.epoch && holds.edges != last.edges))
    fail("the store holds " + text(holds) + ", and the last announced was " + text(last));
  if (ending.how.status == 0 && holds.edges != all)
    fail("the program ended well and the store holds " + text(holds) + " of " + std::to_string(all));
  if (with_first_edges(base, plan.edges, holds.edges - base.edges) != *found.graph)
    fail("the store holds " + text(holds) + ", but not the edges of that checkpoint");
}

void kill_loop::open_for_writing(const knowledge& found) const {
  manager store(open_only, store_);
  const std::uint64_t epoch = store.store().epoch();
  // A store that was never filled is filled by whoever opens it.
  if (found.graph && (epoch != found.epoch || content_of(store) != found.graph))
    fail("opened for writing it is at epoch " + std::to_string(epoch) + ", or of other content");
  for (const std::string& wrong : store.check()) fail("opened for writing: " + wrong);
  store.discard();
}

void kill_loop::require_whole(const char* when) const {
  const test::outcome verified = test::perdure_run({"verify", store_.string()});
  if (verified.status != 0) fail(std::string("verify ") + when + ": " + verified.out + verified.err);
}

void kill_loop::start_over() {
  const test::outcome removed = test::perdure_run({"rm", store_.string()});
  if (removed.status != 0) fail("rm: " + removed.err);
  known_ = {};
  is_pending_ = false;
}

}  // namespace perdure::crash
