// Renumbers a CSR, which may be larger than memory, by falling degree. The work can be interrupted between
// its steps.
//
// The degrees give each vertex its new number. The arcs by these numbers are the edges of a second external
// build.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <perdure/allocator.hpp>
#include <perdure/graph/csr.hpp>
#include <perdure/graph/edge_source.hpp>
#include <perdure/graph/external_build.hpp>
#include <span>
#include <type_traits>
#include <utility>

namespace perdure::graph {

namespace detail {

/// The edges of a CSR by other numbers of its vertices, in the same batches each time. An undirected edge
/// comes once.
template <class View>
class renumbered_source final : public edge_source {
 public:
  /// `numbers` has the new number of each vertex. Both must outlive the source.
  renumbered_source(const View& rows, std::span<const vertex_handle> numbers)
      : rows_(rows), numbers_(numbers) {}

  bool next(edge_batch& batch) override {
    batch.clear();
    const std::uint64_t begin = taken_.fetch_add(arcs_of_batch, std::memory_order_relaxed);
    if (begin >= rows_.targets.size()) return false;
    const std::uint64_t end = std::min<std::uint64_t>(begin + arcs_of_batch, rows_.targets.size());
    auto row = static_cast<std::size_t>(std::upper_bound(rows_.offsets.begin(), rows_.offsets.end(), begin) -
                                        rows_.offsets.begin() - 1);
    for (std::uint64_t arc = begin; arc < end; ++arc) {
      while (rows_.offsets[row + 1] <= arc) ++row;
      const vertex_handle target = rows_.targets[arc];
      if (rows_.symmetric() && target < row) continue;
      batch.edges.push_back({numbers_[row], numbers_[target]});
      if (rows_.has_weights()) batch.values.push_back(static_cast<double>(rows_.arc_weights[arc]));
    }
    return true;
  }
  workload::progress progress() const noexcept override {
    return {std::min<std::uint64_t>(taken_.load(std::memory_order_relaxed), rows_.targets.size()),
            rows_.targets.size(), "arcs"};
  }
  id_range declared_vertices() const noexcept override { return {0, numbers_.size()}; }

 private:
  static constexpr std::uint64_t arcs_of_batch = std::uint64_t{1} << 14;

  const View& rows_;
  std::span<const vertex_handle> numbers_;
  std::atomic<std::uint64_t> taken_{0};
};

}  // namespace detail

/// State of a renumbering, with all that it needs. It is an object for the store that the graph is in. It
/// takes as much space there as the graph and an external build together.
///
/// Thread safety: like a standard container.
template <class Allocator = perdure::allocator<std::byte>, class Weight = double>
class degree_ordering {
 public:
  using allocator_type = Allocator;  ///< allocator of all parts

  /// Makes an empty ordering.
  degree_ordering()
    requires std::is_default_constructible_v<Allocator>
      : degree_ordering(Allocator()) {}
  /// Makes an empty ordering in the memory of `allocator`.
  explicit degree_ordering(const Allocator& allocator)
      : rows_(allocator), numbers_(allocator), build_(allocator) {}
  degree_ordering(const degree_ordering&) = delete;
  degree_ordering& operator=(const degree_ordering&) = delete;

  /// Takes the graph, in the order of ids, that a build has filled. O(1).
  void take_from(csr_build<Allocator, Weight>& filled) {
    filled.give_to(rows_);
    has_rows_ = true;
  }
  /// Returns whether `take_from` was called.
  bool has_rows() const noexcept { return has_rows_; }

  /// Continues until the arrays are filled; call `give_to` afterwards. The graph is the one that `build_csr`
  /// makes with `vertex_order::by_degree`. Throws what `csr_build::run` throws. After an exception go back to
  /// the last checkpoint.
  void run(const csr_options& options, const external_options& external) {
    if (!is_numbered_) {
      number();
      is_numbered_ = true;
      if (external.checkpoint) external.checkpoint();
    }
    const auto rows = rows_.view();
    detail::renumbered_source source(rows, numbers_.elements());
    csr_options by_number = options;
    by_number.order = vertex_order::by_id;
    by_number.drop_loops = by_number.drop_duplicates = false;  // the rows have none
    by_number.with_weights = rows.has_weights();
    build_.run(source, by_number, external);
  }

  /// Replaces `graph`, which is in the same memory, by the renumbered one. The ordering is empty then.
  /// O(vertices).
  void give_to(csr<Allocator, Weight>& graph) {
    const auto rows = rows_.view();
    auto& arrays = build_.filled();
    arrays.ids.remake(rows.size());
    for (std::size_t v = 0; v < rows.size(); ++v)
      arrays.ids.elements()[numbers_.elements()[v]] = rows.id(static_cast<vertex_handle>(v));
    arrays.by_id.swap(numbers_);
    build_.give_to(graph);
    rows_.replace(rows_.empty_arrays());
    numbers_.remake(0);
    has_rows_ = is_numbered_ = false;
  }

 private:
  /// Numbers vertices by falling degree, those of one degree as they come. O(vertices log degrees), and
  /// memory for each different degree.
  void number() {
    const auto rows = rows_.view();
    std::map<std::uint64_t, std::uint64_t, std::greater<>> places;
    for (std::size_t v = 0; v < rows.size(); ++v) ++places[rows.degree(static_cast<vertex_handle>(v))];
    std::uint64_t first = 0;
    for (auto& [degree, place] : places) first += std::exchange(place, first);
    numbers_.remake(rows.size());
    for (std::size_t v = 0; v < rows.size(); ++v)
      numbers_.elements()[v] =
          static_cast<vertex_handle>(places[rows.degree(static_cast<vertex_handle>(v))]++);
  }

  csr<Allocator, Weight> rows_;
  array_for<vertex_handle, Allocator> numbers_;  // by vertex of `rows_`
  csr_build<Allocator, Weight> build_;
  bool has_rows_ = false;
  bool is_numbered_ = false;
};

/// A renumbering in a relocatable store.
using stored_degree_ordering = degree_ordering<>;

}  // namespace perdure::graph
