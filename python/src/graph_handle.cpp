#include "graph_handle.hpp"

#include <perdure/error.hpp>
#include <perdure/graph/graph_objects.hpp>
#include <utility>

namespace perdure::python {
namespace {

/// Returns whether edges were added, or the frozen form has changed.
bool has_changed(const graph::stored_graph& before, const graph::stored_graph& now) {
  return before.csr() != now.csr() || before.list() != now.list() || before.arcs() != now.arcs() ||
         before.vertices() != now.vertices() || before.frozen() != now.frozen();
}

}  // namespace

graph_handle::graph_handle(std::shared_ptr<const manager> store, const std::string& name)
    : store_(std::move(store)), name_(graph::stored_graph(*store_, name).name()) {}

graph_handle::graph_handle(std::shared_ptr<const set_reader> set, const std::string& name)
    : set_(std::move(set)) {
  graph::stored_graph graph(*set_, name);
  name_ = graph.name();
  graph::any_view view = graph.view();
  found_ = std::make_shared<const found_graph>(found_graph{set_, std::move(graph), std::move(view)});
}

graph::stored_graph graph_handle::look() const {
  if (!store_) return found_->graph;
  return graph::stored_graph(*store_, name_);
}

std::shared_ptr<const graph_handle::found_graph> graph_handle::find(unsigned threads) const {
  const std::lock_guard lock(mutex_);
  if (!store_) return found_;
  graph::stored_graph now(*store_, name_);
  if (found_ && !has_changed(found_->graph, now)) return found_;
  graph::any_view view = now.view(threads);
  found_ = std::make_shared<const found_graph>(found_graph{store_, std::move(now), std::move(view)});
  return found_;
}

graph::csr_view graph_handle::rows() const {
  const graph::stored_graph now = look();
  if (const std::optional<graph::csr_view> rows = now.rows()) return *rows;
  if (now.frozen() == graph::frozen_state::fresh) {
    const auto* const frozen = store_->find<graph::stored_csr>(name_ + graph::frozen_suffix).first;
    if (frozen != nullptr && frozen->arcs() == now.arcs() && frozen->vertices() == now.vertices())
      return frozen->view();
  }
  throw error(errc::invalid_argument,
              "the graph \"" + name_ +
                  "\" is a growing one, and its CSR lacks edges that were added since: open the store for "
                  "writing and call freeze(whole=True)");
}

std::shared_ptr<const void> graph_handle::keeper() const {
  if (store_) return store_;
  return found_;
}

}  // namespace perdure::python
