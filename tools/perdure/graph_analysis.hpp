// What the commands that ask a graph something have in common: one of them is a file with its own options, a
// call of its kernel, and what it says of the answer.
//
//     void find_components(const analysis_options& given) {
//       analysis run(given);
//       run.on_graph([&](const auto& graph) {
//         const auto result = run.timed([&] { return graph::connected_components(graph, given.threads); });
//         run.check([&] { return graph::verify_components(graph, result.labels); });
//         run.write_vertices(graph, [&](value_line& line, graph::vertex_handle v) { line(result.labels[v]);
//         }); run.report({{"components", …}}, [&](output& out) { … });
//       });
//     }
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <perdure/graph/csr_view.hpp>
#include <perdure/graph/vertex_index.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"
#include "stored_graph.hpp"
#include "units.hpp"

namespace perdure::cli {

/// What all of them take.
struct analysis_options {
  std::filesystem::path store;
  std::string graph;         ///< the object's name; empty: `attached_graph` chooses
  std::uint64_t budget = 0;  ///< bytes of the store in memory; 0: as it is opened without
  std::filesystem::path output;
  unsigned threads = 1;
  unsigned trials = 1;
  bool is_checked = false;
  verify_mode verify = verify_mode::journal;
  bool as_json = false;
};

/// Adds a command with these options. `columns` says what `--output` writes for each vertex.
command add_analysis_command(command graph_command, const std::string& name, const std::string& description,
                             const std::string& columns, analysis_options& given);
/// Refuses a file of values that would go to standard output together with JSON.
void require_own_output(const char* option, const std::filesystem::path& file, bool as_json);
/// `--source`, a vertex as the input names it.
void add_source_option(command target, std::uint64_t& source);

/// A line of values for a vertex.
class value_line {
 public:
  value_line(output& out, char separator, std::uint64_t id) : out_(out), separator_(separator), id_(id) {}

  template <class... Values>
  void operator()(const Values&... values) {
    out_.write(id_);
    (put(values), ...);
    out_.write("\n");
  }

 private:
  template <std::unsigned_integral Number>
  void put(Number value) {
    out_.write(std::string_view(&separator_, 1));
    out_.write(std::uint64_t{value});
  }
  void put(double value);

  output& out_;
  char separator_;
  std::uint64_t id_;
};

/// One command's work, from the store to the report. Times opening, indexing and the kernel apart.
class analysis {
 public:
  /// Opens the store and finds the graph. Throws `usage_error`, and what opening throws.
  explicit analysis(const analysis_options& given);

  /// Calls `work(view)` with a view of the graph, whichever kind it is.
  template <class Work>
  void on_graph(Work&& work) {
    if (const auto* const rows = std::get_if<const graph::stored_csr*>(&attached_.graph)) {
      vertices_ = (*rows)->vertices();
      work((*rows)->view());
      return;
    }
    const stopwatch watch;
    const graph::vertex_index index(*std::get<const stored_graph*>(attached_.graph), given_.threads);
    index_seconds_ = watch.seconds();
    vertices_ = index.size();
    work(index);
  }

  /// The vertex that the input names so. Throws `not_found`.
  template <class Graph>
  static graph::vertex_handle vertex_of(const Graph& graph, std::uint64_t id) {
    const graph::vertex_handle v = graph.find(id);
    if (v == graph::no_vertex) throw_no_vertex(id);
    return v;
  }

  /// What the kernel gives, the last time of `--trials`.
  template <class Kernel>
  auto timed(Kernel&& kernel) {
    for (unsigned trial = 1; trial < given_.trials; ++trial) {
      const stopwatch watch;
      static_cast<void>(kernel());
      trial_seconds_.push_back(watch.seconds());
    }
    const stopwatch watch;
    auto result = kernel();
    trial_seconds_.push_back(watch.seconds());
    return result;
  }

  /// With `--check`: what `verify` says is wrong with the answer, if anything, is thrown.
  void check(const std::function<std::optional<std::string>()>& verify);

  /// With `--output`: a line for each vertex, ordered by id, its columns separated by tabs. `write(line, v)`
  /// calls `line(values…)` once, or not at all for a vertex that is left out.
  template <class Graph, class Write>
  void write_vertices(const Graph& graph, Write&& write) {
    write_vertices_to(given_.output, '\t', graph, write);
  }
  /// The same to another file; nowhere where `path` is empty.
  template <class Graph, class Write>
  void write_vertices_to(const std::filesystem::path& path, char separator, const Graph& graph,
                         Write&& write) {
    if (path.empty()) return;
    if (path == "-") wrote_to_standard_output_ = true;
    output out = output::to(path);
    for (const graph::vertex_handle v : graph.in_id_order()) {
      value_line line(out, separator, graph.id(v));
      write(line, v);
    }
    out.finish();
  }

  /// Says what was found: with `--json` these keys among those that all commands have, else what `write`
  /// writes behind the time of opening. Nothing where the values went to standard output.
  void report(const json& findings, const std::function<void(output&)>& write) const;

  /// "in 5.3 ms (index 2.1 ms, search 3.2 ms, 2 threads)"
  std::string times(const std::string& kernel) const;
  std::uint64_t vertices() const noexcept { return vertices_; }

 private:
  static const analysis_options& checked(const analysis_options& given);
  [[noreturn]] static void throw_no_vertex(std::uint64_t id);
  double seconds() const;

  const analysis_options& given_;
  attached_graph attached_;
  std::uint64_t vertices_ = 0;
  double index_seconds_ = 0;
  std::vector<double> trial_seconds_;
  bool is_right_ = false;
  bool wrote_to_standard_output_ = false;
};

}  // namespace perdure::cli
