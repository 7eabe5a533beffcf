// Builds a CSR of inputs at once, or in steps between which it can be interrupted.
#include <memory>
#include <perdure/error.hpp>
#include <perdure/graph/build_graph.hpp>
#include <perdure/graph/external_build.hpp>

namespace perdure::graph {
namespace {

/// Key of the build's attribute: the fingerprints of its inputs, a line each.
constexpr const char* inputs_attribute = "inputs";

class build_in_steps {
 public:
  build_in_steps(manager& store, const build_options& options)
      : store_(store), options_(options), name_(options.graph + build_suffix) {}

  void run(const std::vector<graph_input>& inputs, edge_source& edges, const csr_options& how,
           build_result& result) {
    auto* build = store_.find<stored_csr_build>(name_).first;
    std::string all;
    for (const graph_input& one : inputs) {
      if (build != nullptr && one.fingerprint.empty())
        refuse(one.name + " cannot be read a second time, as going on with the build needs");
      all += one.fingerprint + "\n";
    }
    result.resumed = build != nullptr;
    if (build == nullptr) {
      build = store_.construct<stored_csr_build>(name_)();
      store_.set_attribute(object_name(name_), inputs_attribute, all);
    } else if (store_.attribute(object_name(name_), inputs_attribute) != all) {
      refuse("a build of other files is under way; give those to go on with it");
    }
    build->run(edges, how, {.memory = options_.budget / 2, .checkpoint = [&] {
                              store_.checkpoint();
                              ++result.checkpoints;
                              if (options_.on_checkpoint) options_.on_checkpoint();
                            }});
    build->give_to(*store_.construct<stored_csr>(options_.graph)());
    store_.destroy<stored_csr_build>(name_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw error(errc::invalid_argument,
                store_.path().string() + ": " + why + "; or begin anew (--anew; in C++ build_options::anew)");
  }

  manager& store_;
  const build_options& options_;
  std::string name_;
};

}  // namespace

build_result build_graph(manager& store, std::vector<graph_input>& inputs, const build_options& options) {
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
  for (const object_info& object : store.named_objects())
    if (object.name() == options.graph)
      throw error(errc::already_exists,
                  store.path().string() + ": the store has something named \"" + options.graph +
                      "\" already; give the graph another name with --graph (in C++ build_options::graph)");
  if (store.read_only())
    throw error(
        errc::read_only,
        store.path().string() + ": the store is open for reading only; open it for writing to build a graph");
  if (options.anew) store.destroy<stored_csr_build>(options.graph + build_suffix);
  joined_inputs edges(inputs);
  std::shared_ptr<void> watched;
  if (options.watch) watched = options.watch(options.graph, [&edges] { return edges.progress(); });
  build_result result;
  if (options.budget == 0) {
    build_csr(*store.construct<stored_csr>(options.graph)(), edges, how);
  } else {
    build_in_steps(store, options).run(inputs, edges, how, result);
  }
  result.graph = store.find<stored_csr>(options.graph).first;
  result.skipped_lines = edges.skipped_lines();
  return result;
}

}  // namespace perdure::graph
