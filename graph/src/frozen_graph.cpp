// How a CSR beside a growing graph is made, and kept up to date.
#include "frozen_graph.hpp"

#include <perdure/graph/freeze.hpp>

namespace perdure::cli {

std::optional<frozen_graph> frozen_graph::find(manager& store, const std::string& list) {
  const frozen_graph found(store.find<graph::stored_csr>(list + frozen_suffix).first,
                           store.find<stored_patch>(list + patch_suffix).first,
                           store.find<stored_delta>(list + delta_suffix).first);
  if (found.csr_ == nullptr || found.patch_ == nullptr || found.delta_ == nullptr) return std::nullopt;
  return found;
}

frozen_graph frozen_graph::find_or_make(manager& store, const std::string& list) {
  return {store.find_or_construct<graph::stored_csr>(list + frozen_suffix)(),
          store.find_or_construct<stored_patch>(list + patch_suffix)(),
          store.find_or_construct<stored_delta>(list + delta_suffix)()};
}

bool frozen_graph::has_much() const noexcept {
  const std::uint64_t ends = csr_->undirected() ? 2 : 1;
  return patch_->arcs() + delta_->edges().size() * ends > csr_->arcs() / 4 + 1024;
}

void frozen_graph::build(const graph::vertex_index& list, graph::vertex_order order, unsigned threads) {
  graph::freeze(*csr_, list, order, threads);
  begin_anew();
}

void frozen_graph::merge(unsigned threads) {
  {
    const graph::patched_csr all(csr_->view(), *patch_, *delta_);
    graph::freeze(*csr_, all.view(), threads);
  }
  begin_anew();
}

void frozen_graph::fold() {
  patch_->add(csr_->view(), *delta_);
  delta_->clear();
}

void frozen_graph::forget() {
  begin_anew();
  delta_->set_state({});
}

void frozen_graph::begin_anew() noexcept {
  patch_->begin(csr_->view());
  delta_->clear();
}

}  // namespace perdure::cli
