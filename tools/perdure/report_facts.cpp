#include "report_facts.hpp"

#include <algorithm>
#include <optional>
#include <perdure/error.hpp>
#include <perdure/graph/stored_graph.hpp>
#include <perdure/inspect/overview.hpp>
#include <perdure/manager.hpp>
#include <perdure/store_maintenance.hpp>
#include <perdure/store_set.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "findings.hpp"
#include "kmer_facts.hpp"
#include "progress.hpp"
#include "report_rows.hpp"
#include "store_json.hpp"

namespace perdure::cli {
namespace {

json kmer_facts(const manager& store, const std::string& name) {
  if (kmer::kind_of_index(store, name) == kmer::index_kind::exact)
    return facts_of(kmer::exact_index(store, name));
  return facts_of(kmer::minimizer_index(store, name));
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
  add_arrays(facts, found);
  gather(facts, "graphs", "graph", graph::graphs_in(store), wanted.most_rows, stage,
         [&](const std::string& name) { return graph_row(store, name, wanted.threads); });
  gather(facts, "kmer_indexes", "k-mer index", kmer::indexes_in(store), wanted.most_rows, stage,
         [&](const std::string& name) { return kmer_facts(store, name); });
}

}  // namespace

json facts_for_report(const report_wanted& wanted) {
  if (is_set(wanted.store)) return facts_of_set(wanted);
  json facts = as_json(wanted.store, store_maintenance::inspect(wanted.store));
  begin_facts(facts, store_maintenance::log(wanted.store));
  facts["verification"] = nullptr;
  std::optional<verify_report> report;
  if (wanted.is_verified) {
    const stopwatch watch;
    report = manager::verify(wanted.store, verification_of(wanted));
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
