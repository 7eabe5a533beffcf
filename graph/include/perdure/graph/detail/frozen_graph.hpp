// The frozen form of a growing graph: a CSR, its patch and its delta, kept up to date together.
#pragma once

#include <cstdint>
#include <optional>
#include <perdure/graph/build_csr.hpp>
#include <perdure/graph/graph_objects.hpp>
#include <perdure/graph/vertex_index.hpp>
#include <perdure/manager.hpp>
#include <string>

namespace perdure::graph::detail {

/// The three objects, or null pointers. Stores frozen by early versions have no patch; such a form is stale.
struct frozen_parts {
  const stored_csr* csr = nullptr;
  const stored_patch* patch = nullptr;
  const stored_delta* delta = nullptr;

  /// Finds the parts of the graph `list`. Throws `wrong_type`.
  static frozen_parts find(const manager& store, const std::string& list);

  bool are_there() const noexcept { return csr != nullptr && delta != nullptr; }
  /// Returns whether the parts together are the list as it is now. O(banks).
  bool are_fresh(const stored_list& list, const stored_column* weights) const;
};

/// A CSR, its patch, and the delta of what the list got since. A checkpoint has all three or none, so they
/// belong together in every store that opens.
class frozen_graph {
 public:
  static std::optional<frozen_graph> find(manager& store, const std::string& list);
  /// Makes the objects that are not there yet. They are stale until `set_state`.
  static frozen_graph find_or_make(manager& store, const std::string& list);

  bool is_new() const noexcept { return csr_->vertices() == 0; }
  bool is_fresh(const stored_list& list, const stored_column* weights) const {
    return frozen_parts{csr_, patch_, delta_}.are_fresh(list, weights);
  }
  const stored_csr& csr() const noexcept { return *csr_; }
  const stored_patch& patch() const noexcept { return *patch_; }
  stored_delta& delta() const noexcept { return *delta_; }
  std::uint64_t vertices() const noexcept { return csr_->vertices() + patch_->added().size(); }
  std::uint64_t arcs() const noexcept { return csr_->arcs() + patch_->arcs(); }

  /// Returns whether the additions have grown to a quarter of the CSR. Merging them then costs the same for
  /// each arc on average, however large the graph is.
  bool has_much() const noexcept;

  /// Makes the CSR anew from the list.
  void build(const vertex_index& list, vertex_order order, unsigned threads);
  /// Makes a CSR of all three.
  void merge(unsigned threads);
  /// Takes the delta into the patch, which costs what is in the delta.
  void fold();
  /// Gives the memory of the additions back. The form is stale afterwards.
  void forget() noexcept;

  /// Records that the form is the list as it is now. O(banks).
  void set_state(const stored_list& list) noexcept { delta_->set_state(list_state::of(list)); }
  /// Records that the form is no state of the list.
  void set_stale() noexcept { delta_->set_state(no_state); }

 private:
  static constexpr list_state no_state{~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}};

  frozen_graph(stored_csr* csr, stored_patch* patch, stored_delta* delta)
      : csr_(csr), patch_(patch), delta_(delta) {}
  void begin_anew() noexcept;

  stored_csr* csr_;
  stored_patch* patch_;
  stored_delta* delta_;
};

}  // namespace perdure::graph::detail
