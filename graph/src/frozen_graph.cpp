// How a CSR beside a growing graph is made, and kept up to date.
#include <perdure/graph/detail/frozen_graph.hpp>
#include <perdure/graph/freeze.hpp>

#include "base/invariant.hpp"

namespace perdure::graph::detail {

frozen_parts frozen_parts::find(const manager& store, const std::string& list) {
  return {store.find<stored_csr>(list + frozen_suffix).first,
          store.find<stored_patch>(list + patch_suffix).first,
          store.find<stored_delta>(list + delta_suffix).first};
}

bool frozen_parts::are_fresh(const stored_list& list, const stored_column* weights) const {
  if (!are_there() || patch == nullptr || !patch->fits(csr->view())) return false;
  if (delta->state() != list_state::of(list)) return false;
  // A CSR without arcs says nothing about weights.
  if (csr->arcs() == 0 && patch->empty() && delta->empty()) return true;
  return csr->has_weights() == (weights != nullptr);
}

std::optional<frozen_graph> frozen_graph::find(manager& store, const std::string& list) {
  const frozen_graph found(store.find<stored_csr>(list + frozen_suffix).first,
                           store.find<stored_patch>(list + patch_suffix).first,
                           store.find<stored_delta>(list + delta_suffix).first);
  if (found.csr_ == nullptr || found.patch_ == nullptr || found.delta_ == nullptr) return std::nullopt;
  return found;
}

frozen_graph frozen_graph::find_or_make(manager& store, const std::string& list) {
  return {store.find_or_construct<stored_csr>(list + frozen_suffix)(),
          store.find_or_construct<stored_patch>(list + patch_suffix)(),
          store.find_or_construct<stored_delta>(list + delta_suffix)()};
}

bool frozen_graph::has_much() const noexcept {
  const std::uint64_t ends = csr_->undirected() ? 2 : 1;
  return patch_->arcs() + delta_->edges().size() * ends > csr_->arcs() / 4 + 1024;
}

void frozen_graph::build(const vertex_index& list, vertex_order order, unsigned threads) {
  freeze(*csr_, list, order, threads);
  begin_anew();
}

void frozen_graph::merge(unsigned threads) {
  {
    const patched_csr all(csr_->view(), *patch_, *delta_);
    freeze(*csr_, all.view(), threads);
    PERDURE_INVARIANT(csr_->arcs() == all.view().arcs() && csr_->vertices() == all.view().size());
  }
  begin_anew();
}

void frozen_graph::fold() {
  patch_->add(csr_->view(), *delta_);
  delta_->clear();
}

void frozen_graph::forget() noexcept {
  begin_anew();
  set_stale();
}

void frozen_graph::begin_anew() noexcept {
  patch_->begin(csr_->view());
  delta_->clear();
}

}  // namespace perdure::graph::detail
