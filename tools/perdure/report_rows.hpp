// Rows of a report's facts, which reports on stores and on sets of stores share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <perdure/checkpoint_log.hpp>
#include <perdure/error.hpp>
#include <perdure/graph/ranks/set_graph.hpp>
#include <perdure/inspect/overview.hpp>
#include <perdure/manager.hpp>
#include <perdure/verify.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"
#include "progress.hpp"
#include "report_facts.hpp"

namespace perdure::cli {

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

/// Returns how the store or the set of a report is verified.
inline verify_options verification_of(const report_wanted& wanted) {
  return {.threads = wanted.threads, .most_findings = wanted.most_rows};
}

/// Adds the time, the checkpoints, and no problems yet.
void begin_facts(json& facts, const std::vector<checkpoint_record>& log);
/// Returns the sums of the heap, its size classes and its map.
json heap_facts(const heap_stats& heap, const heap_occupancy& occupancy);
/// Adds the rows of arrays, and the sums of those that have none.
void add_arrays(json& facts, const inspect::arrays_overview& arrays);
/// Returns the row of a graph in a store. O(vertices + arcs).
json graph_row(const manager& store, const std::string& name, unsigned threads);
/// Returns the row of a graph of ranks, of which one part at a time is read.
json graph_row(const graph::set_graph& found);

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

/// Returns the facts of a set of stores, as `facts_for_report`.
json facts_of_set(const report_wanted& wanted);

}  // namespace perdure::cli
