#include "crash/kill_loop/ingested_store.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <perdure/error.hpp>
#include <perdure/store_maintenance.hpp>
#include <stdexcept>

#include "support/program.hpp"

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

// As users find it: the program says epoch and edges, and the edges themselves are counted.
knowledge observe(const std::filesystem::path& path, bool something_was_promised) {
  const test::outcome info = test::perdure_run({"graph", "info", path.string(), "--json"});
  const auto said = nlohmann::json::parse(info.out, nullptr, false);
  if (info.status != 0) {
    const std::string code = said.is_object() ? said["error"].value("code", "") : "";
    // The store was made, and its graph was not yet.
    if (something_was_promised || (code != "not_found" && code != "not_a_store"))
      fail("graph info ended with status " + std::to_string(info.status) + ": " + info.err);
    return {store_maintenance::inspect(path).epoch, std::nullopt};
  }
  const manager store(open_read_only, path);
  const knowledge found{store.store().epoch(), content_of(store)};
  if (said["epoch"] != found.epoch || !found.graph || said["edges"] != found.graph->edges)
    fail("graph info says " + info.out + " and the store holds epoch " + std::to_string(found.epoch) +
         " with " + std::to_string(found.graph ? found.graph->edges : 0) + " edges");
  return found;
}

void require_plausible(const knowledge& found, const knowledge& before, const ingestion::ending& ending,
                       const ingestion_plan& plan) {
  const graph_content base = before.graph.value_or(graph_content{});
  acknowledgement last{before.epoch, base.edges};
  for (const acknowledgement& one : ending.acknowledged) {
    if (one.epoch <= last.epoch && before.graph) fail(text(one) + " was announced after " + text(last));
    last = one;
  }
  if (!found.graph) return;
  const acknowledgement holds{found.epoch, found.graph->edges};
  const bool is_new_store = !before.graph && ending.acknowledged.empty();
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

void open_for_writing(const std::filesystem::path& path, const knowledge& found) {
  manager store(open_only, path);
  const std::uint64_t epoch = store.store().epoch();
  // A store that was never filled is filled by whoever opens it.
  if (found.graph && (epoch != found.epoch || content_of(store) != found.graph))
    fail("opened for writing it is at epoch " + std::to_string(epoch) + ", or of other content");
  for (const std::string& wrong : store.check()) fail("opened for writing: " + wrong);
  store.discard();
}

void require_whole(const std::filesystem::path& path, const char* when) {
  const test::outcome verified = test::perdure_run({"verify", path.string()});
  if (verified.status != 0) fail(std::string("verify ") + when + ": " + verified.out + verified.err);
}

}  // namespace perdure::crash
