// The common part of the commands that ask a graph of a set something, as graph_analysis.hpp has for graphs
// in stores.
#pragma once

#include <bit>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <perdure/error.hpp>
#include <perdure/graph/ranks/gathered_values.hpp>
#include <perdure/graph/ranks/joint_call.hpp>
#include <perdure/graph/ranks/stored_communities.hpp>
#include <perdure/graph/ranks/whole_graph.hpp>
#include <perdure/graph/result_table.hpp>
#include <perdure/progress.hpp>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "job.hpp"
#include "stored_set.hpp"
#include "units.hpp"

namespace perdure::cli {

/// Options that all of them take.
struct set_options {
  std::filesystem::path set;
  std::string graph;
  std::filesystem::path output;
  std::string store_as;
  std::filesystem::path stage;
  std::string command;  ///< its name, as bfs
  std::uint64_t budget = 0;
  unsigned threads = 1;
  bool divides_anew = false;
  bool is_checked = false;
  bool as_json = false;

  /// Returns whether values of vertices are asked for.
  bool has_values() const { return !output.empty() || !store_as.empty(); }
};

/// Adds a command with these options. `columns` says what `--output` writes for each vertex.
command add_set_command(command graph_command, const std::string& name, const std::string& description,
                        const std::string& columns, set_options& given);

/// `--verify`, for commands that call `set_analysis::check`.
void add_verify_option(command target, set_options& given);

/// Lines that a rank writes of its vertices: the values of each, one vertex after the other.
struct vertex_lines {
  std::vector<graph::vertex_id> ids;
  std::vector<std::uint64_t> values;

  template <class... Values>
  void add(graph::vertex_id id, Values... of_it) {
    ids.push_back(id);
    (values.push_back(of_it), ...);
  }
};

/// One command's work, from the set to the report. All members are collective.
class set_analysis {
 public:
  /// Opens the set, and reads this rank's part of the graph.
  set_analysis(job& run, const set_options& given);

  const graph::rank_graph& part() const noexcept { return opened_.part; }
  graph::rank_exchange& ranks() const noexcept { return run_.ranks(); }
  const untyped_arrays& arrays() const { return *opened_.set.untyped(); }

  /// Returns what the kernel gives, and notes how long all ranks took and what was sent until then.
  template <class Kernel>
  auto timed(Kernel&& kernel) {
    const stopwatch watch;
    begin_progress_stage("");
    auto result = kernel();
    sent_ = rank_traffic(ranks());
    seconds_ = run_.longest("seconds", watch.seconds());
    return result;
  }
  /// Has rank 0 read the whole graph and all values, one of each vertex, and call `verify`, which says what
  /// is wrong, if anything is. Does nothing without `--verify`.
  template <class Value, class Verify>
  void check(const std::vector<Value>& values, Verify&& verify) {
    if (!given_.is_checked) return;
    begin_progress_stage("checking the answer");
    const std::vector<Value> all = gathered(values);
    graph::joint_call(ranks(), [&] {
      if (!run_.is_first()) return;
      const graph::whole_graph whole(opened_.stored.part(0, 1));
      if (const auto wrong = verify(whole.view(), all))
        throw error(errc::damaged, "the answer is wrong: " + *wrong);
    });
    is_right_ = true;
  }
  /// Returns the ids of own vertices.
  std::vector<graph::vertex_id> own_ids() const;
  /// Writes a line for each vertex, ordered by id, with its id and these columns, as `--output` and
  /// `--store-as` say.
  void write(const std::vector<graph::result_column>& columns, vertex_lines lines) {
    write_lines("id", columns, std::move(lines));
  }
  /// Whatever lines there are, with a vertex as the first column: in the order of ranks where that ascends,
  /// else by this vertex, which each line must have another one of.
  void write_lines(const char* first, const std::vector<graph::result_column>& columns, vertex_lines lines);
  /// The same of one value for each vertex.
  void write(const graph::result_column& column, const std::vector<std::uint64_t>& values) {
    write({column}, vertex_lines{own_ids(), values});
  }
  /// Has `--store-as` keep the communities of all levels too, by ids, in an array beside that of the values.
  void keep_levels(std::vector<graph::community_level<graph::vertex_id>> levels);
  /// Adds a number of each rank to the report.
  void add_column(const rank_column& column) { columns_.push_back(column); }
  /// Says what was found.
  void report(const json& findings, const std::function<void(output&)>& write);
  /// "in 5.3 ms (2 ranks, 1 thread each)"
  std::string times() const;
  double seconds() const noexcept { return seconds_; }
  bool has_weights() const noexcept { return opened_.stored.has_weights(); }
  /// How the set numbers vertices.
  graph::rank_order order() const noexcept { return opened_.stored.order(); }
  std::uint64_t vertices() const noexcept { return opened_.part.vertices(); }

 private:
  /// Keeps the lines for good, or leaves the set as it was.
  void store(const std::vector<graph::result_column>& columns, const vertex_lines& lines);
  void write_array(mpi::array_store& set, const std::vector<graph::result_column>& columns,
                   const vertex_lines& lines);
  /// All ranks' values on rank 0, and nothing elsewhere.
  template <class Value>
  std::vector<Value> gathered(const std::vector<Value>& values) {
    std::vector<std::uint64_t> own;
    own.reserve(values.size());
    for (const Value& value : values) own.push_back(as_number(value));
    std::vector<Value> all;
    graph::gather_values(ranks(), own, {}, 0,
                         [&all](std::span<const std::uint64_t> some, std::span<const std::uint64_t>) {
                           for (const std::uint64_t number : some) all.push_back(as_value<Value>(number));
                         });
    return all;
  }
  template <class Value>
  static std::uint64_t as_number(const Value& value) {
    if constexpr (std::is_same_v<Value, double>) {
      return std::bit_cast<std::uint64_t>(value);
    } else {
      return value;
    }
  }
  template <class Value>
  static Value as_value(std::uint64_t number) {
    if constexpr (std::is_same_v<Value, double>) {
      return std::bit_cast<double>(number);
    } else {
      return static_cast<Value>(number);
    }
  }

  job& run_;
  const set_options& given_;
  opened_graph opened_;
  rank_traffic sent_;
  std::vector<rank_column> columns_;
  std::vector<graph::community_level<graph::vertex_id>> levels_;
  double seconds_ = 0;
  double store_seconds_ = 0;
  bool is_right_ = false;
  bool is_reader_gone_ = false;  // of what rank 0 writes to standard output
};

}  // namespace perdure::cli
