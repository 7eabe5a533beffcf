// Builds a CSR of inputs at once, or in steps between which it can be interrupted.
#include <algorithm>
#include <memory>
#include <optional>
#include <perdure/error.hpp>
#include <perdure/graph/build_graph.hpp>
#include <perdure/graph/degree_ordering.hpp>
#include <perdure/graph/external_build.hpp>
#include <perdure/graph/keep_attributes.hpp>
#include <string>
#include <utility>

namespace perdure::graph {
namespace {

/// Key of an attribute of a build, and of the graph that it becomes: the fingerprints of its inputs, a line
/// each.
constexpr const char* inputs_attribute = "inputs";
/// Key of another one of the graph: how it was made of them.
constexpr const char* options_attribute = "built";

/// Nothing where an input cannot be recognised.
std::optional<std::string> fingerprints_of(const std::vector<graph_input>& inputs) {
  std::string all;
  for (const graph_input& one : inputs) {
    if (one.fingerprint.empty()) return std::nullopt;
    all += one.fingerprint + "\n";
  }
  return all;
}

std::string text_of(const csr_options& how, const build_options& options) {
  return std::string(how.kind == direction::undirected ? "undirected" : "directed") +
         (how.with_weights ? " weights" : "") + (how.drop_loops ? " drop-loops" : "") +
         (how.drop_duplicates ? " drop-duplicates" : "") +
         (how.order == vertex_order::by_degree ? " by-degree" : " by-id") +
         (options.with_names ? " names" : "") + (options.with_attributes ? " all-attributes" : "");
}

bool has_times(const attributed_edges& edges) {
  return std::any_of(edges.attributes.begin(), edges.attributes.end(),
                     [](const edge_attribute& one) { return one.name == "time"; });
}

void keep_attributes_of(std::vector<graph_input>& inputs, manager& store, const std::string& graph,
                        build_result& result) {
  std::vector<vertex_attribute> of_vertices;
  std::vector<attributed_edges> of_edges;
  result.lacks_times = false;
  for (graph_input& one : inputs) {
    for (vertex_attribute& attribute : one.edges->take_vertex_attributes())
      of_vertices.push_back(std::move(attribute));
    of_edges.push_back(one.edges->take_edge_attributes());
    result.lacks_times |= one.info.has_times && !has_times(of_edges.back());
  }
  array_store arrays(store);
  const csr_view view = result.graph->view();
  result.attributes = keep_attributes(arrays, graph, view, of_vertices);
  result.edge_attributes = keep_edge_attributes(arrays, graph, view, of_edges);
}

/// Draws the edges that are left, for what a source says of them only while it is read.
void draw_rest(edge_source& source) {
  edge_batch batch;
  while (source.next(batch)) continue;
}

class build_in_steps {
 public:
  build_in_steps(manager& store, const build_options& options)
      : store_(store), options_(options), name_(options.graph + build_suffix) {}

  void run(const std::vector<graph_input>& inputs, edge_source& edges, const csr_options& how,
           build_result& result) {
    auto* build = store_.find<stored_csr_build>(name_).first;
    const std::optional<std::string> all = fingerprints_of(inputs);
    if (build != nullptr && !all)
      refuse("an input cannot be read a second time, as going on with the build needs");
    const bool by_degree = how.order == vertex_order::by_degree;
    const std::string made_of = all.value_or("") + (options_.with_names ? "names\n" : "") +
                                (options_.with_attributes ? "all-attributes\n" : "") +
                                (by_degree ? "by-degree\n" : "");
    result.resumed = build != nullptr;
    if (build == nullptr) {
      build = store_.construct<stored_csr_build>(name_)();
      store_.set_attribute(object_name(name_), inputs_attribute, made_of);
    } else if (store_.attribute(object_name(name_), inputs_attribute) != made_of) {
      refuse(
          "a build of other files, or with other names or another order, is under way; give what it was "
          "given "
          "to go on with it");
    }
    const external_options external{.memory = options_.budget / 2, .checkpoint = [&] {
                                      store_.checkpoint();
                                      ++result.checkpoints;
                                      if (options_.on_checkpoint) options_.on_checkpoint();
                                    }};
    if (by_degree) {
      build_by_degree(*build, edges, how, external);
    } else {
      build->run(edges, how, external);
      build->give_to(*store_.construct<stored_csr>(options_.graph)());
    }
    store_.destroy<stored_csr_build>(name_);
  }

 private:
  void build_by_degree(stored_csr_build& build, edge_source& edges, const csr_options& how,
                       const external_options& external) {
    const std::string name = options_.graph + ordering_suffix;
    auto& ordering = *store_.find_or_construct<stored_degree_ordering>(name)();
    if (!ordering.has_rows()) {
      csr_options by_id = how;
      by_id.order = vertex_order::by_id;
      build.run(edges, by_id, external);
      ordering.take_from(build);
      external.checkpoint();
    }
    ordering.run(how, external);
    ordering.give_to(*store_.construct<stored_csr>(options_.graph)());
    store_.destroy<stored_degree_ordering>(name);
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw error(errc::invalid_argument,
                store_.path().string() + ": " + why + "; or begin anew (--anew; in C++ build_options::anew)");
  }

  manager& store_;
  const build_options& options_;
  std::string name_;
};

}  // namespace

build_result build_graph(manager& store, std::vector<graph_input>& inputs, const build_options& options,
                         deferred_names* names) {
  const growth_options growth = growth_for(inputs);
  csr_options how;
  how.kind = options.kind.value_or(growth.kind_if_new);
  how.drop_loops = options.drop_loops;
  how.drop_duplicates = options.drop_duplicates;
  how.order = options.order;
  how.with_incoming = true;
  how.with_weights = growth.with_weights;
  how.threads = options.threads;
  give_directions(inputs, how.kind);
  const std::optional<std::string> fingerprints = fingerprints_of(inputs);
  build_result result;
  for (const object_info& object : store.named_objects()) {
    if (object.name() != options.graph) continue;
    const object_name name(options.graph);
    result.was_built = fingerprints && store.attribute(name, inputs_attribute) == fingerprints &&
                       store.attribute(name, options_attribute) == text_of(how, options);
    if (result.was_built) {
      result.graph = store.find<stored_csr>(options.graph).first;
      return result;
    }
    throw error(errc::already_exists, store.path().string() + ": the store has something named \"" +
                                          options.graph +
                                          "\" already, which is not the graph of these files; give the graph "
                                          "another name with --graph (in C++ "
                                          "build_options::graph)");
  }
  if (store.read_only())
    throw error(
        errc::read_only,
        store.path().string() + ": the store is open for reading only; open it for writing to build a graph");
  const std::string name_of_names = options.graph + names_suffix;
  const bool goes_on =
      !options.anew && store.find<stored_csr_build>(options.graph + build_suffix).first != nullptr;
  if (options.anew) {
    store.destroy<stored_csr_build>(options.graph + build_suffix);
    store.destroy<stored_degree_ordering>(options.graph + ordering_suffix);
  }
  // A build that goes on keeps its names.
  if (!goes_on) store.destroy<stored_names>(name_of_names);
  if (options.with_names) {
    auto* const kept = store.find_or_construct<stored_names>(name_of_names)(store.get_allocator<std::byte>());
    if (names != nullptr) names->keep_in(kept);
  }
  joined_inputs edges(inputs);
  std::shared_ptr<void> watched;
  if (options.watch) watched = options.watch(options.graph, [&edges] { return edges.progress(); });
  if (options.budget == 0) {
    build_csr(*store.construct<stored_csr>(options.graph)(), edges, how);
  } else {
    build_in_steps(store, options).run(inputs, edges, how, result);
  }
  result.graph = store.find<stored_csr>(options.graph).first;
  if (fingerprints) {
    const object_name name(options.graph);
    store.set_attribute(name, inputs_attribute, *fingerprints);
    store.set_attribute(name, options_attribute, text_of(how, options));
  }
  for (const graph_input& one : inputs) result.lacks_times |= one.info.has_times;
  if (options.with_attributes) {
    // A build that went on had no need of edges that it had sorted.
    draw_rest(edges);
    keep_attributes_of(inputs, store, options.graph, result);
  }
  result.skipped_lines = edges.skipped_lines();
  return result;
}

}  // namespace perdure::graph
