#include "report_facts.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <perdure/error.hpp>
#include <perdure/graph/degrees.hpp>
#include <perdure/graph/stored_graph.hpp>
#include <perdure/inspect/overview.hpp>
#include <perdure/manager.hpp>
#include <perdure/store_maintenance.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "degree_report.hpp"
#include "findings.hpp"
#include "kmer_facts.hpp"
#include "progress.hpp"
#include "store_json.hpp"
#include "stored_arrays.hpp"

namespace perdure::cli {
namespace {

constexpr unsigned degree_bins_per_doubling = 8;

/// The part that is being read, for a line on the terminal.
class reading_stage {
 public:
  void enter(std::string_view unit, std::uint64_t done, std::uint64_t total) {
    const std::lock_guard lock(mutex_);
    now_ = {done, total, unit};
  }
  workload::progress now() const {
    const std::lock_guard lock(mutex_);
    return now_;
  }

 private:
  mutable std::mutex mutex_;
  workload::progress now_{0, 0, "objects"};  // units are literals
};

verify_report verify(const report_wanted& wanted) {
  verify_progress progress;
  verify_options how;
  how.threads = wanted.threads;
  how.most_findings = wanted.most_rows;
  how.progress = &progress;
  const progress_line line("verifying", [&progress] {
    return workload::progress{progress.done, progress.total, "bytes"};
  });
  return manager::verify(wanted.store, how);
}

json heap_facts(const heap_stats& heap, const heap_occupancy& occupancy) {
  json value = as_json(heap);
  json classes = json::array();
  for (const heap_occupancy::size_class& one : occupancy.classes)
    classes.push_back({{"block_bytes", one.block_bytes},
                       {"slabs", one.slabs},
                       {"slab_bytes", one.slab_bytes},
                       {"used_blocks", one.used_blocks},
                       {"free_blocks", one.free_blocks}});
  value["size_classes"] = std::move(classes);
  value["large_blocks"] = occupancy.large_blocks;
  value["large_bytes"] = occupancy.large_bytes;
  value["free_runs"] = occupancy.free_runs;
  value["free_run_bytes"] = occupancy.free_run_bytes;
  value["longest_free_run"] = occupancy.longest_free_run;
  json map = json::array();
  for (const heap_occupancy::stretch& one : occupancy.map)
    map.push_back({one.slab_bytes, one.used_bytes, one.large_bytes, one.free_bytes});
  value["map"] = {{"stretch_bytes", occupancy.stretch_bytes},
                  {"columns", {"slab_bytes", "used_bytes", "large_bytes", "free_bytes"}},
                  {"stretches", std::move(map)}};
  return value;
}

json array_row(const inspect::array_overview& array) {
  json row = facts_of(array.info);
  row["attributes"] = json::object();
  for (const auto& [key, value] : array.attributes) row["attributes"][key] = value_of(value);
  if (const auto& numbers = array.summary)
    row["numbers"] = {
        {"elements", numbers->elements}, {"sampled", numbers->sampled}, {"not_finite", numbers->not_finite},
        {"smallest", numbers->smallest}, {"largest", numbers->largest}, {"mean", numbers->mean},
        {"bins", numbers->bins}};
  if (!array.problem.empty()) row["problem"] = array.problem;
  return row;
}

json graph_facts(const manager& store, const std::string& name, unsigned threads) {
  const graph::stored_graph found(store, name);
  json row{{"graph", name},
           {"layout", found.list() != nullptr ? "adjacency list" : "csr"},
           {"undirected", found.undirected()},
           {"weighted", found.has_weights()},
           {"vertices", found.vertices()},
           {"edges", found.edges()},
           {"self_loops", found.self_loops()},
           {"stored_neighbours", found.arcs()}};
  const graph::degree_result degrees =
      found.view(threads).visit([](const auto& view) { return graph::degrees(view); });
  row["isolated"] = degrees.isolated;
  row["degrees"] = as_json(graph::degree_distribution(degrees.out), degree_bins_per_doubling);
  if (!found.undirected())
    row["in_degrees"] = as_json(graph::degree_distribution(degrees.in), degree_bins_per_doubling);
  return row;
}

json kmer_facts(const manager& store, const std::string& name) {
  if (kmer::kind_of_index(store, name) == kmer::index_kind::exact)
    return facts_of(kmer::exact_index(store, name));
  return facts_of(kmer::minimizer_index(store, name));
}

/// Gathers a row for each of these names, and counts those beyond the limit.
template <class Row>
void gather(json& facts, const std::string& key, const char* what, const std::vector<std::string>& names,
            std::size_t most, reading_stage& stage, Row&& row) {
  json rows = json::array();
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) {
    stage.enter(what, i, names.size());
    try {
      rows.push_back(row(names[i]));
    } catch (const error& failure) {
      facts["problems"].push_back("the " + std::string(what) + " \"" + names[i] +
                                  "\" could not be read: " + failure.what());
    }
  }
  facts[key] = std::move(rows);
  facts["other_" + key] = names.size() - std::min(names.size(), most);
}

/// Returns whether damage leaves the objects' directory and the heap's bookkeeping alone, and every page is
/// there.
bool leaves_objects_readable(const verify_report& report) {
  constexpr std::uint64_t pages_of_zone = (std::uint64_t{1} << 30) / 4096;
  constexpr std::uint64_t pages_of_bookkeeping = (std::uint64_t{22} << 20) / 4096;
  if (report.findings.size() < report.damages) return false;
  return std::all_of(report.findings.begin(), report.findings.end(), [](const verify_finding& one) {
    if (!one.damage) return true;
    if (one.part == store_section::checksum_page || one.part == store_section::home_padding) return true;
    return one.part == store_section::home_page && one.page &&
           *one.page % pages_of_zone >= pages_of_bookkeeping;
  });
}

void read_contents(json& facts, const manager& store, const report_wanted& wanted, bool is_whole) {
  reading_stage stage;
  const progress_line line("reading", [&stage] { return stage.now(); });
  inspect::overview_options limits;
  limits.most_rows = wanted.most_rows;
  limits.reads_arrays = is_whole;
  limits.progress = [&stage](std::string_view what, std::uint64_t done, std::uint64_t total) {
    stage.enter(what, done, total);
  };
  const inspect::store_overview found = inspect::overview_of(store, limits);
  for (const std::string& one : found.problems) facts["problems"].push_back(one);
  facts["read_at_epoch"] = store.store().epoch();
  facts["heap"] = heap_facts(found.heap, found.occupancy);
  json objects = json::array();
  for (const auto& [object, extent] : found.objects) objects.push_back(as_json(object, extent));
  facts["objects"] = std::move(objects);
  facts["other_objects"] = {{"number", found.other_objects}, {"bytes", found.other_object_bytes}};
  json anonymous = json::array();
  for (const inspect::anonymous_objects& one : found.anonymous) anonymous.push_back(as_json(one));
  facts["anonymous"] = std::move(anonymous);
  facts["other_anonymous"] = {{"number", found.other_anonymous}, {"bytes", found.other_anonymous_bytes}};
  if (!is_whole) {
    facts["problems"].push_back("arrays, graphs and k-mer indexes were not read, as the store is damaged");
    return;
  }
  json arrays = json::array();
  for (const inspect::array_overview& one : found.arrays) arrays.push_back(array_row(one));
  facts["arrays"] = std::move(arrays);
  facts["other_arrays"] = {{"number", found.other_arrays}, {"bytes", found.other_array_bytes}};
  gather(facts, "graphs", "graph", graph::graphs_in(store), wanted.most_rows, stage,
         [&](const std::string& name) { return graph_facts(store, name, wanted.threads); });
  gather(facts, "kmer_indexes", "k-mer index", kmer::indexes_in(store), wanted.most_rows, stage,
         [&](const std::string& name) { return kmer_facts(store, name); });
}

}  // namespace

json facts_for_report(const report_wanted& wanted) {
  if (is_set(wanted.store))
    throw error(
        errc::unsupported,
        wanted.store.string() + " is a set of stores: report on one part, whose path 'perdure info' shows");
  json facts = as_json(wanted.store, store_maintenance::inspect(wanted.store));
  facts["time"] = in_utc(static_cast<std::uint64_t>(
      std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count()));
  facts["problems"] = json::array();
  json checkpoints = json::array();
  for (const checkpoint_record& one : store_maintenance::log(wanted.store))
    checkpoints.push_back(as_json(one));
  facts["checkpoints"] = std::move(checkpoints);
  facts["verification"] = nullptr;
  std::optional<verify_report> report;
  if (wanted.is_verified) {
    const stopwatch watch;
    report = verify(wanted);
    facts["verification"] = to_json(*report);
    facts["verification"]["seconds"] = watch.seconds();
  }
  const bool is_whole = !report || report->whole();
  if (!is_whole && !leaves_objects_readable(*report)) {
    facts["problems"].push_back("the contents were not read, as the damage may lie in what leads to them");
    return facts;
  }
  // Without a verification each page is checked before it is used.
  const store_options how{.verify = report ? verify_mode::journal : verify_mode::lazy,
                          .beside_writer = reader_beside_writer::hold_writer};
  try {
    read_contents(facts, manager(open_read_only, wanted.store, how), wanted, is_whole);
  } catch (const error& failure) {
    if (is_whole) throw;
    facts["problems"].push_back("the contents could not be read: " + std::string(failure.what()));
  }
  return facts;
}

bool has_damage(const json& facts) {
  return facts["verification"].is_object() && !facts["verification"]["whole"].get<bool>();
}

}  // namespace perdure::cli
