#include "bind_graph.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <perdure/error.hpp>
#include <perdure/graph/build_graph.hpp>
#include <perdure/graph/ingest_files.hpp>
#include <perdure/workload/cancellation.hpp>

#include "bind_graph_kernels.hpp"
#include "edge_arrays.hpp"
#include "keyword_values.hpp"
#include "numpy_results.hpp"
#include "on_graph.hpp"
#include "store_place.hpp"

namespace nb = nanobind;

namespace perdure::python {
namespace {

/// Options of `build` and `ingest`, beside their edges.
struct making {
  std::string name;
  std::optional<bool> directed;
  bool grows = true;
  std::string duplicates;
  bool drop_loops = false;
  bool again = false;
  bool anew = false;
  bool by_degree = false;
  bool attributes = false;
  std::uint64_t budget = 0;
  std::uint64_t checkpoint_every = 0;
  unsigned threads = 1;

  std::optional<graph::direction> kind() const {
    if (!directed) return std::nullopt;
    return *directed ? graph::direction::directed : graph::direction::undirected;
  }
};

making making_of(const nb::dict& given) {
  making how;
  const keyword_values values(given);
  values.take("name", how.name);
  values.take("directed", how.directed);
  values.take("grows", how.grows);
  values.take("duplicates", how.duplicates);
  values.take("drop_loops", how.drop_loops);
  values.take("again", how.again);
  values.take("anew", how.anew);
  values.take("by_degree", how.by_degree);
  values.take("attributes", how.attributes);
  values.take("budget", how.budget);
  values.take("checkpoint_every", how.checkpoint_every);
  values.take("threads", how.threads);
  return how;
}

graph::duplicate_edges duplicates_called(const std::string& name) {
  if (name == "keep") return graph::duplicate_edges::keep;
  if (name == "sum") return graph::duplicate_edges::sum;
  if (name == "last") return graph::duplicate_edges::last;
  if (name == "error") return graph::duplicate_edges::error;
  throw error(errc::invalid_argument,
              "duplicates is \"" + name + "\": give one of keep, sum, last and error");
}

graph::graph_format format_called(const std::string& name) {
  for (int i = 0; i <= static_cast<int>(graph::graph_format::pajek); ++i)
    if (name == graph::name_of(static_cast<graph::graph_format>(i)))
      return static_cast<graph::graph_format>(i);
  throw error(errc::invalid_argument,
              "there is no format of graphs called \"" + name + "\": leave format out to have it recognised");
}

/// Makes a graph in a store, or adds to it. Returns the number of malformed lines that were left out.
std::uint64_t make_graph(manager& store, std::vector<graph::graph_input>& inputs, const making& how,
                         graph::deferred_names* names) {
  if (how.grows) {
    graph::file_ingest_options options;
    options.graph = how.name;
    options.kind = how.kind();
    options.duplicates = duplicates_called(how.duplicates);
    options.with_names = names != nullptr;
    options.again = how.again;
    options.threads = how.threads;
    if (how.checkpoint_every != 0) options.checkpoint_every = how.checkpoint_every;
    return graph::ingest_files(store, inputs, options, names).skipped_lines;
  }
  graph::build_options options;
  options.graph = how.name;
  options.kind = how.kind();
  options.drop_loops = how.drop_loops;
  options.drop_duplicates = how.duplicates == "smallest";
  options.order = how.by_degree ? graph::vertex_order::by_degree : graph::vertex_order::by_id;
  options.budget = how.budget;
  options.anew = how.anew;
  options.with_names = names != nullptr;
  options.with_attributes = how.attributes;
  options.threads = how.threads;
  options.on_checkpoint = workload::end_if_cancelled;
  return graph::build_graph(store, inputs, options, names).skipped_lines;
}

std::uint64_t make_from_files(nb::handle store, const std::vector<std::string>& files, const nb::dict& given,
                              const nb::dict& reading) {
  const store_place place = place_of(store);
  const making how = making_of(given);
  graph::graph_file_options options;
  bool with_names = false;
  const keyword_values columns(reading);
  columns.take("source", options.source_column);
  columns.take("target", options.target_column);
  columns.take("weight", options.weight_column);
  columns.take("time", options.time_column);
  columns.take("skip_bad_lines", options.skip_bad_lines);
  columns.take("names", with_names);
  std::string format = graph::name_of(graph::graph_format::automatic);
  columns.take("format", format);
  options.format = format_called(format);
  options.keep_attributes = how.attributes;
  const std::vector<std::filesystem::path> paths(files.begin(), files.end());
  return interruptible([&] {
    graph::deferred_names names;
    if (with_names) options.names = &names;
    std::vector<graph::graph_input> inputs =
        graph::open_graph_inputs(paths, options, workload::end_if_cancelled);
    return place.change(
        [&](manager& to) { return make_graph(to, inputs, how, with_names ? &names : nullptr); },
        how.budget / 2);
  });
}

using numbers = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using values = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void make_from_arrays(nb::handle store, const numbers& sources, const numbers& targets,
                      const std::optional<values>& weights, const std::optional<values>& times,
                      std::uint64_t vertices, std::vector<std::string> called, const nb::dict& given) {
  const store_place place = place_of(store);
  const making how = making_of(given);
  edge_arrays edges;
  edges.sources = {sources.data(), sources.size()};
  edges.targets = {targets.data(), targets.size()};
  if (weights) edges.weights = {weights->data(), weights->size()};
  if (times) edges.times = {times->data(), times->size()};
  edges.vertices = vertices;
  edges.names = std::move(called);
  interruptible([&] {
    graph::deferred_names names;
    graph::deferred_names* const used = edges.names.empty() ? nullptr : &names;
    std::vector<graph::graph_input> inputs;
    inputs.push_back(
        input_of_arrays(std::move(edges), how.kind().value_or(graph::direction::directed), used));
    return place.change([&](manager& to) { return make_graph(to, inputs, how, used); });
  });
}

std::string freeze(nb::handle store, const std::string& name, bool by_degree, bool rebuild, bool whole,
                   unsigned threads) {
  const store_place place = place_of(store);
  return interruptible([&] {
    return place.change([&](manager& to) {
      graph::growing_graph growing = graph::growing_graph::open(to, name);
      const graph::freeze_result done =
          growing.freeze({.order = by_degree ? graph::vertex_order::by_degree : graph::vertex_order::by_id,
                          .rebuild = rebuild,
                          .whole = whole,
                          .threads = threads});
      return std::string(graph::name_of(done.done));
    });
  });
}

std::unique_ptr<graph_handle> open_graph(nb::handle store, const std::string& name, std::size_t budget) {
  const store_place place = place_of(store);
  return interruptible([&] {
    if (!place.path().empty() && is_set(place.path()))
      return std::make_unique<graph_handle>(
          std::make_shared<const set_reader>(place.path(), options_for_budget(budget)), name);
    return std::make_unique<graph_handle>(place.open_to_read(name.empty() ? "graph" : name, budget), name);
  });
}

/// Returns the numbers of vertices with these ids. Throws `not_found` for the first id that no vertex has.
template <class View>
std::vector<graph::vertex_handle> numbers_of(const View& view, std::span<const std::uint64_t> ids) {
  std::vector<graph::vertex_handle> found;
  found.reserve(ids.size());
  for (const std::uint64_t id : ids) {
    found.push_back(view.find(id));
    if (found.back() == graph::no_vertex)
      throw error(errc::not_found, "the graph has no vertex with the id " + std::to_string(id));
  }
  return found;
}

/// A copy of rows, where a graph is no CSR.
struct copied_rows {
  std::vector<std::uint64_t> offsets;
  std::vector<graph::vertex_handle> targets;
  std::vector<double> weights;
};

template <class View>
copied_rows copy_rows(const View& view) {
  copied_rows rows;
  rows.offsets.reserve(view.size() + 1);
  rows.offsets.push_back(0);
  rows.targets.reserve(view.arcs());
  if (view.has_weights()) rows.weights.reserve(view.arcs());
  for (std::size_t v = 0; v < view.size(); ++v) {
    if (v % 4096 == 0) workload::end_if_cancelled();
    const auto vertex = static_cast<graph::vertex_handle>(v);
    for (const graph::vertex_handle to : view.neighbours(vertex)) rows.targets.push_back(to);
    if (view.has_weights())
      for (const double weight : view.weights(vertex)) rows.weights.push_back(weight);
    rows.offsets.push_back(rows.targets.size());
  }
  return rows;
}

nb::object find_vertex(const graph_handle& self, std::uint64_t id) {
  const graph::vertex_handle found = self.find()->view.visit([&](const auto& view) { return view.find(id); });
  if (found == graph::no_vertex) return nb::none();
  return nb::int_(found);
}

void bind_vertices(nb::class_<graph_handle>& graphs) {
  graphs
      .def("ids",
           [](const graph_handle& self) {
             return to_numpy(interruptible([&] {
               return self.find()->view.visit([](const auto& view) {
                 std::vector<std::uint64_t> ids(view.size());
                 for (std::size_t v = 0; v < ids.size(); ++v)
                   ids[v] = view.id(static_cast<graph::vertex_handle>(v));
                 return ids;
               });
             }));
           })
      .def("find", find_vertex, nb::arg("id"))
      .def(
          "find_all",
          [](const graph_handle& self, const numbers& ids) {
            return to_numpy(self.find()->view.visit([&](const auto& view) {
              return numbers_of(view, {ids.data(), ids.size()});
            }));
          },
          nb::arg("ids"))
      .def(
          "find_name",
          [](const graph_handle& self, const std::string& name) -> nb::object {
            const auto id = self.look().id_of(name);
            return id ? find_vertex(self, *id) : nb::none();
          },
          nb::arg("name"))
      .def("names",
           [](const graph_handle& self) {
             nb::list names;
             const auto found = self.find();
             if (found->graph.names() == nullptr) return names;
             found->view.visit([&](const auto& view) {
               for (std::size_t v = 0; v < view.size(); ++v) {
                 const std::string name = found->graph.name_of(view.id(static_cast<graph::vertex_handle>(v)));
                 PyObject* const text = PyUnicode_DecodeUTF8(
                     name.data(), static_cast<Py_ssize_t>(name.size()), "surrogateescape");
                 if (text == nullptr) throw nb::python_error();
                 names.append(nb::steal(text));
               }
             });
             return names;
           })
      .def(
          "neighbours",
          [](const graph_handle& self, graph::vertex_handle v) {
            return to_numpy(self.find()->view.visit([&](const auto& view) {
              if (v >= view.size())
                throw error(errc::not_found, "there is no vertex number " + std::to_string(v));
              std::vector<graph::vertex_handle> to;
              for (const graph::vertex_handle u : view.neighbours(v)) to.push_back(u);
              return to;
            }));
          },
          nb::arg("vertex"));
}

}  // namespace

void bind_graph(nb::module_& module) {
  nb::module_ graphs = module.def_submodule("_graph", "What perdure.graph is made of.");
  nb::class_<graph_handle> type(graphs, "Graph");
  type.def_prop_ro("name", &graph_handle::name)
      .def_prop_ro("vertices", [](const graph_handle& self) { return self.look().vertices(); })
      .def_prop_ro("edges", [](const graph_handle& self) { return self.look().edges(); })
      .def_prop_ro("arcs", [](const graph_handle& self) { return self.look().arcs(); })
      .def_prop_ro("self_loops", [](const graph_handle& self) { return self.look().self_loops(); })
      .def_prop_ro("directed", [](const graph_handle& self) { return !self.look().undirected(); })
      .def_prop_ro("has_weights", [](const graph_handle& self) { return self.look().has_weights(); })
      .def_prop_ro("has_names", [](const graph_handle& self) { return self.look().names() != nullptr; })
      .def_prop_ro("grows", [](const graph_handle& self) { return self.look().list() != nullptr; })
      .def_prop_ro("indptr",
                   [](const graph_handle& self) {
                     return nb::cast(view_as_numpy(self.rows().offsets, self.keeper()));
                   })
      .def_prop_ro("indices",
                   [](const graph_handle& self) {
                     return nb::cast(view_as_numpy(self.rows().targets, self.keeper()));
                   })
      .def_prop_ro("weights",
                   [](const graph_handle& self) -> nb::object {
                     if (!self.look().has_weights()) return nb::none();
                     return nb::cast(view_as_numpy(self.rows().arc_weights, self.keeper()));
                   })
      .def("rows", [](const graph_handle& self) {
        copied_rows rows = on_graph(self, 1, [](const auto& view) { return copy_rows(view); });
        return nb::make_tuple(to_numpy(std::move(rows.offsets)), to_numpy(std::move(rows.targets)),
                              to_numpy(std::move(rows.weights)));
      });
  bind_vertices(type);
  bind_graph_paths(type);
  bind_graph_parts(type);
  graphs.def("open", open_graph, nb::arg("store"), nb::arg("name"), nb::arg("budget"));
  graphs.def(
      "names", [](nb::handle store) { return graph::graphs_in(*place_of(store).open_to_read("graphs")); },
      nb::arg("store"));
  graphs.def("make_from_files", make_from_files, nb::arg("store"), nb::arg("files"), nb::arg("how"),
             nb::arg("reading"));
  graphs.def("make_from_arrays", make_from_arrays, nb::arg("store"), nb::arg("sources"), nb::arg("targets"),
             nb::arg("weights").none(), nb::arg("times").none(), nb::arg("vertices"), nb::arg("names"),
             nb::arg("how"));
  graphs.def("freeze", freeze, nb::arg("store"), nb::arg("name"), nb::arg("by_degree"), nb::arg("rebuild"),
             nb::arg("whole"), nb::arg("threads"));
}

}  // namespace perdure::python
