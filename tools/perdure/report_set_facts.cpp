// The facts of a report on a set of stores.
#include <optional>
#include <perdure/graph/ranks/set_graph.hpp>
#include <perdure/store_maintenance.hpp>
#include <perdure/store_set.hpp>
#include <utility>

#include "findings.hpp"
#include "report_rows.hpp"
#include "store_json.hpp"

namespace perdure::cli {
namespace {

json outcome_of(const set_verify_report& report, double seconds) {
  json parts = json::array();
  for (const verify_report& one : report.parts) parts.push_back(to_json(one));
  json value{{"whole", report.whole()}, {"epoch", report.epoch}, {"parts", std::move(parts)}};
  if (report.problem) value["problem"] = *report.problem;
  value["seconds"] = seconds;
  return value;
}

/// Returns the sizes of a part's files, also of one that is damaged.
json part_row(const set_part& part) {
  json row{{"path", part.path.string()}};
  if (!part.machine.empty()) row["machine"] = part.machine;
  try {
    const store_info info = store_maintenance::inspect(part.path);
    row["size"] = info.size;
    row["disk_bytes"] = info.disk_bytes;
  } catch (const error& failure) {
    row["problem"] = failure.what();
  }
  return row;
}

void read_set(json& facts, const set_reader& set, const report_wanted& wanted) {
  reading_stage stage;
  const progress_line line("reading", [&stage] { return stage.now(); });
  facts["read_at_epoch"] = set.epoch();
  for (std::uint32_t i = 0; i < set.parts(); ++i) {
    stage.enter("parts", i, set.parts());
    const manager part = set.open_part(i);
    facts["parts"][i]["heap"] = as_json(part.memory().stats());
    facts["parts"][i]["objects"] =
        part.get_num_named_objects() + part.get_num_unique_objects() + part.get_num_anonymous_objects();
  }
  inspect::overview_options limits;
  limits.most_rows = wanted.most_rows;
  limits.progress = [&stage](std::string_view what, std::uint64_t done, std::uint64_t total) {
    stage.enter(what, done, total);
  };
  const array_store opened = set.arrays();
  add_arrays(facts, inspect::overview_of(*opened.untyped(), limits));
  gather(facts, "graphs", "graph", graph::graphs_of_ranks_in(*opened.untyped()), wanted.most_rows, stage,
         [&](const std::string& name) { return graph_row(graph::set_graph(opened.untyped(), name)); });
}

}  // namespace

json facts_of_set(const report_wanted& wanted) {
  const std::filesystem::path path = resolve_set_name(wanted.store);
  const set_info info = inspect_set(path);
  json facts{{"set", wanted.store.string()},
             {"uuid", info.uuid},
             {"epoch", info.epoch},
             {"part_epoch", info.part_epoch},
             {"verification", nullptr}};
  begin_facts(facts, log_of_set(path));
  std::uint64_t size = 0;
  std::uint64_t disk_bytes = 0;
  json parts = json::array();
  for (const set_part& one : info.parts) {
    parts.push_back(part_row(one));
    size += parts.back().value("size", std::uint64_t{0});
    disk_bytes += parts.back().value("disk_bytes", std::uint64_t{0});
  }
  facts["size"] = size;
  facts["disk_bytes"] = disk_bytes;
  facts["parts"] = std::move(parts);
  if (wanted.is_verified) {
    const stopwatch watch;
    const set_verify_report report = verify_set(path, verification_of(wanted));
    facts["verification"] = outcome_of(report, watch.seconds());
    if (!report.whole()) {
      facts["problems"].push_back("arrays and graphs were not read, as the set is damaged");
      return facts;
    }
  }
  // Without a verification each page is checked before it is used.
  const store_options how{.verify = wanted.is_verified ? verify_mode::journal : verify_mode::lazy,
                          .beside_writer = reader_beside_writer::hold_writer};
  read_set(facts, set_reader(path, how), wanted);
  return facts;
}

}  // namespace perdure::cli
