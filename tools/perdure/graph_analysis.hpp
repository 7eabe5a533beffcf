// The common part of the commands that analyse a graph: one of them is a file with its own options, a
// call of its kernel, and what it says of the answer.
//
//     void find_components(const analysis_options& given) {
//       analysis run(given);
//       run.on_graph([&](const auto& graph) {
//         const auto result = run.timed([&] { return graph::connected_components(graph, given.threads); });
//         run.check([&] { return graph::verify_components(graph, result.labels); });
//         run.write_vertices(graph, {{"component"}},
//                            [&](value_line& line, graph::vertex_handle v) { line(result.labels[v]); });
//         run.report({{"components", …}}, [&](output& out) { … });
//       });
//     }
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <perdure/graph/communities.hpp>
#include <perdure/graph/degrees.hpp>
#include <perdure/graph/result_table.hpp>
#include <perdure/graph/stored_graph.hpp>
#include <perdure/progress.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attached_graph.hpp"
#include "command.hpp"
#include "units.hpp"

namespace perdure::cli {

/// Options of all these commands.
struct analysis_options {
  std::filesystem::path store;
  std::string graph;         ///< the object's name; empty: `stored_graph` chooses
  std::uint64_t budget = 0;  ///< bytes of the store in memory; 0: as it is opened without
  std::filesystem::path output;
  std::string command;   ///< its name, as bfs
  std::string store_as;  ///< the array that gets the values; empty: none
  unsigned threads = 1;
  unsigned trials = 1;
  bool is_checked = false;
  verify_mode verify = verify_mode::journal;
  bool as_json = false;

  /// Returns whether values of vertices are asked for.
  bool has_values() const { return !output.empty() || !store_as.empty(); }
};

/// Adds a command with these options. `columns` says what `--output` writes for each vertex.
command add_analysis_command(command graph_command, const std::string& name, const std::string& description,
                             const std::string& columns, analysis_options& given);
/// Refuses a file of values that would go to standard output together with JSON.
void require_own_output(const char* option, const std::filesystem::path& file, bool as_json);
/// `--source`, or an option or argument of another name: a vertex as the input calls it.
void add_vertex_option(command target, const std::string& option_name, std::string& vertex,
                       const std::string& description);

/// A line of values for a vertex.
class value_line {
 public:
  value_line(graph::result_table& file, std::uint64_t id) : file_(file), id_(id) {}

  /// One for each column.
  template <class... Values>
  void operator()(const Values&... values) {
    file_.line(graph::vertex_value{id_}, values...);
  }

 private:
  graph::result_table& file_;
  std::uint64_t id_;
};

/// Vertices by a value, and what that is called: with `--json`, and by people.
struct ranking {
  const char* key;
  const char* label;
  std::vector<graph::ranked_vertex> top;
};

/// One command's work, from the store to the report. Times opening, indexing and the kernel apart.
class analysis {
 public:
  /// Opens the store and finds the graph. Throws `usage_error`, and what opening throws.
  explicit analysis(const analysis_options& given);

  /// Throws `invalid_argument` where a view of the graph would need memory for each vertex: a growing graph
  /// whose frozen form is not up to date. `option` is what asks for that.
  void require_rows(const std::string& option) const;

  /// Calls `work(view)` with a view of the graph, whichever kind it is.
  template <class Work>
  void on_graph(Work&& work) {
    const stopwatch watch;
    begin_progress_stage("indexing vertices");
    const graph::any_view graph = attached_.graph().view(given_.threads);
    if (!graph.is_plain_csr()) index_seconds_ = watch.seconds();
    graph.visit([&](const auto& view) {
      vertices_ = view.size();
      work(view);
    });
  }

  /// The vertex that the input calls so: where vertices have names the one of that name, if there is one,
  /// else the one of that id. Throws `not_found`, and `usage_error` for what can be neither.
  template <class Graph>
  graph::vertex_handle vertex_of(const Graph& graph, const std::string& called) const {
    const graph::vertex_handle v = graph.find(id_of(called));
    if (v == graph::no_vertex) throw_no_vertex(called);
    return v;
  }

  /// The vertex for people: its name where vertices have names, else its id.
  std::string name_of(graph::vertex_id id) const { return attached_.graph().name_of(id); }
  /// Adds `key` to what is told with `--json`, where vertices have names: this one's, or all of these.
  void add_name(json& findings, const char* key, graph::vertex_id id) const {
    if (attached_.graph().names() != nullptr) findings[key] = attached_.graph().name_of(id);
  }
  void add_names(json& findings, const char* key, const json& ids) const;

  /// Runs the kernel, `--trials` times, and returns its last result.
  template <class Kernel>
  auto timed(Kernel&& kernel) {
    for (unsigned trial = 1; trial < given_.trials; ++trial) {
      const stopwatch watch;
      begin_progress_stage("");
      static_cast<void>(kernel());
      trial_seconds_.push_back(watch.seconds());
    }
    const stopwatch watch;
    begin_progress_stage("");
    auto result = kernel();
    trial_seconds_.push_back(watch.seconds());
    return result;
  }

  /// Calls `verify` if `--verify` is given, and throws the fault that it returns.
  void check(const std::function<std::optional<std::string>()>& verify);

  /// Writes `--output`: a line for each vertex, ordered by id, which is its first column. `write(line, v)`
  /// calls `line(values…)` once, or not at all for a vertex that is left out.
  template <class Graph, class Write>
  void write_vertices(const Graph& graph, std::vector<graph::result_column> columns, Write&& write) {
    if (!given_.store_as.empty()) store_vertices(graph, columns, write);
    write_vertices_to(given_.output, '\t', graph, std::move(columns), write);
  }
  /// The same to another file; nowhere where `path` is empty.
  template <class Graph, class Write>
  void write_vertices_to(const std::filesystem::path& path, char separator, const Graph& graph,
                         std::vector<graph::result_column> columns, Write&& write) {
    write_lines_to(path, separator, with_id(std::move(columns)),
                   [&](graph::result_table& file) { write_each(graph, write, file); });
  }
  /// Writes `--output`: the lines of `write(file)`.
  template <class Write>
  void write_lines(std::vector<graph::result_column> columns, Write&& write) {
    if (!given_.store_as.empty()) store_lines(columns, write);
    write_lines_to(given_.output, '\t', std::move(columns), write);
  }

  /// Has `--store-as` keep the communities of all levels too, by ids, in an array beside that of the values.
  void keep_levels(std::vector<graph::community_level<graph::vertex_id>> levels) {
    levels_ = std::move(levels);
  }
  /// The arrays of the store, or of the set.
  array_store arrays() const { return attached_.arrays(); }

  /// Says what was found: with `--json` these keys among those that all commands have, else what `write`
  /// writes behind the time of opening. Nothing where the values went to standard output.
  void report(const json& findings, const std::function<void(output&)>& write) const;
  /// The same, and behind it the vertices of a ranking: as "top", or a line each.
  void report(json findings, const ranking& ranked, const std::function<void(output&)>& write) const;

  /// "in 5.3 ms (index 2.1 ms, search 3.2 ms, 2 threads)"
  std::string times(const std::string& kernel) const;
  std::uint64_t vertices() const noexcept { return vertices_; }
  /// Returns the kernel's time, the median of `--trials`.
  double seconds() const;

 private:
  static std::vector<graph::result_column> with_id(std::vector<graph::result_column> columns) {
    columns.insert(columns.begin(), {.name = "id", .is_vertex = true});
    return columns;
  }
  template <class Graph, class Write>
  static void write_each(const Graph& graph, Write& write, graph::result_table& file) {
    begin_progress_stage("writing values", graph.size(), "vertices");
    for (const graph::vertex_handle v : graph.in_id_order()) {
      add_progress(1);
      value_line line(file, graph.id(v));
      write(line, v);
    }
  }
  template <class Graph, class Write>
  void store_vertices(const Graph& graph, std::vector<graph::result_column> columns, Write& write) {
    store_lines(with_id(std::move(columns)),
                [&](graph::result_table& file) { write_each(graph, write, file); });
  }
  /// Keeps the same lines as the elements of an array, for `--store-as`.
  template <class Write>
  void store_lines(const std::vector<graph::result_column>& columns, Write&& write) {
    std::string records;
    graph::result_table table(graph::table_format::records, columns,
                              [&records](std::string_view bytes) { records += bytes; });
    write(table);
    table.finish();
    store_records(graph::record_type(columns), records);
  }
  void store_records(const data_type& type, const std::string& records);

  template <class Write>
  void write_lines_to(const std::filesystem::path& path, char separator,
                      std::vector<graph::result_column> columns, Write&& write) {
    if (path.empty()) return;
    if (path == "-") wrote_to_standard_output_ = true;
    graph::result_table::name_lookup names;
    if (attached_.graph().names() != nullptr)
      names = [this](graph::vertex_id id) { return attached_.graph().name_of(id); };
    output out = output::to(path);
    graph::result_table file(
        graph::table_format_of(path), std::move(columns), [&out](std::string_view text) { out.write(text); },
        separator, std::move(names));
    write(file);
    file.finish();
    out.finish();
  }
  static const analysis_options& checked(const analysis_options& given);
  graph::vertex_id id_of(const std::string& called) const;
  [[noreturn]] static void throw_no_vertex(const std::string& called);

  const analysis_options& given_;
  attached_graph attached_;
  std::uint64_t vertices_ = 0;
  double index_seconds_ = 0;
  std::vector<double> trial_seconds_;
  std::vector<graph::community_level<graph::vertex_id>> levels_;
  bool is_right_ = false;
  bool wrote_to_standard_output_ = false;
};

}  // namespace perdure::cli
