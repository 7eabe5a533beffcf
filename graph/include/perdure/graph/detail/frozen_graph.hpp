// What is kept of a growing graph as a CSR, to be brought up to date.
#pragma once

#include <cstdint>
#include <optional>
#include <perdure/graph/build_csr.hpp>
#include <perdure/graph/vertex_index.hpp>
#include <string>

#include "stored_graph.hpp"

namespace perdure::cli {

/// A CSR, its patch, and the delta of what the list got since. Nothing of it is in a checkpoint without the
/// rest, so that whatever store is found the three belong together.
class frozen_graph {
 public:
  /// Those of the list of this name.
  static std::optional<frozen_graph> find(manager& store, const std::string& list);
  /// Makes those that are not there; they are of no list then.
  static frozen_graph find_or_make(manager& store, const std::string& list);

  bool is_new() const noexcept { return csr_->vertices() == 0; }
  bool is_fresh(const stored_graph& list, const stored_column* weights) const {
    return frozen_parts{csr_, patch_, delta_}.are_fresh(list, weights);
  }
  const graph::stored_csr& csr() const noexcept { return *csr_; }
  const stored_patch& patch() const noexcept { return *patch_; }
  stored_delta& delta() const noexcept { return *delta_; }
  std::uint64_t vertices() const noexcept { return csr_->vertices() + patch_->added().size(); }
  std::uint64_t arcs() const noexcept { return csr_->arcs() + patch_->arcs(); }

  /// Whether what was added since the CSR was made has grown to a quarter of it: to merge it then costs the
  /// same for each arc on average, however large the graph is.
  bool has_much() const noexcept;

  /// Makes the CSR anew from the list.
  void build(const graph::vertex_index& list, graph::vertex_order order, unsigned threads);
  /// Makes a CSR of all three.
  void merge(unsigned threads);
  /// Takes the delta into the patch, which costs what is in the delta.
  void fold();
  /// Gives back what was added, and is of no state of the list any more.
  void forget();
  void set_state(const stored_graph& list) { delta_->set_state(graph::list_state::of(list)); }

 private:
  frozen_graph(graph::stored_csr* csr, stored_patch* patch, stored_delta* delta)
      : csr_(csr), patch_(patch), delta_(delta) {}
  void begin_anew() noexcept;

  graph::stored_csr* csr_;
  stored_patch* patch_;
  stored_delta* delta_;
};

}  // namespace perdure::cli
