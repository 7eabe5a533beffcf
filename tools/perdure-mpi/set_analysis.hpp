// What the commands that ask a graph of a set something have in common, as graph_analysis.hpp has for graphs
// in stores.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "job.hpp"
#include "stored_set.hpp"
#include "units.hpp"

namespace perdure::cli {

/// What all of them take.
struct set_options {
  std::filesystem::path set;
  std::string graph;
  std::filesystem::path output;
  std::string store_as;
  unsigned threads = 1;
  bool divides_anew = false;
  bool is_checked = false;
  bool as_json = false;
};

/// Adds a command with these options. `columns` says what `--output` writes for each vertex.
command add_set_command(command graph_command, const std::string& name, const std::string& description,
                        const std::string& columns, set_options& given);

/// One command's work, from the set to the report. All members are collective.
class set_analysis {
 public:
  /// Opens the set, and reads this rank's part of the graph.
  set_analysis(job& run, const set_options& given);

  const graph::rank_graph& part() const noexcept { return opened_.part; }
  graph::rank_exchange& ranks() const noexcept { return run_.ranks(); }

  /// Returns what the kernel gives, and notes how long all ranks took.
  template <class Kernel>
  auto timed(Kernel&& kernel) {
    const stopwatch watch;
    auto result = kernel();
    seconds_ = run_.longest(watch.seconds());
    return result;
  }
  /// With `--verify`: rank 0 reads the whole graph and all values, and calls `verify`, which says what is
  /// wrong, if anything is.
  void check(const std::vector<std::uint64_t>& values,
             const std::function<std::optional<std::string>(
                 const graph::rank_graph& all, const std::vector<std::uint64_t>& values)>& verify);
  /// With `--output` and `--store-as`: a line for each vertex, ordered by id, with its id and its value.
  void write(const char* column, bool is_vertex, const std::vector<std::uint64_t>& values);
  /// Says what was found.
  void report(const json& findings, const std::function<void(output&)>& write);
  /// "in 5.3 ms (2 ranks, 1 thread each)"
  std::string times() const;
  std::uint64_t vertices() const noexcept { return opened_.part.rows.bounds.back(); }

 private:
  void store(const char* column, const std::vector<std::uint64_t>& values);
  std::vector<graph::vertex_id> own_ids() const;

  job& run_;
  const set_options& given_;
  opened_graph opened_;
  double seconds_ = 0;
  bool is_right_ = false;
};

}  // namespace perdure::cli
