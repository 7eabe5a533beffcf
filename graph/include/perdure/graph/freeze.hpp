// Makes a CSR of an adjacency list, or of another CSR and what was added to it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <perdure/graph/build_csr.hpp>
#include <perdure/graph/csr.hpp>
#include <perdure/graph/csr_delta.hpp>
#include <perdure/graph/csr_patch.hpp>
#include <perdure/graph/patched_csr.hpp>
#include <perdure/graph/vertex_index.hpp>
#include <perdure/workload/parallel.hpp>
#include <span>
#include <utility>
#include <vector>

namespace perdure::graph {

namespace detail {

/// Orders a row by its targets, and its weights (of as many, or none) with them.
void order_row(std::span<vertex_handle> targets, std::span<double> weights);

/// The rows of a graph turned round: from `offsets` and `targets` to others of as many vertices.
void turn_round(std::span<const std::uint64_t> offsets, std::span<const vertex_handle> targets,
                std::span<std::uint64_t> in_offsets, std::span<vertex_handle> in_targets, unsigned threads);

/// Fills the arrays of all rows: `degree(v)`, then `fill(v, targets, weights)` in any order of `v`, from many
/// threads. `weights` may be null; `targets` are put in order. Gives the number of loops.
template <class Offsets, class Targets, class Weights, class Degree, class Fill>
std::uint64_t fill_rows(Offsets& offset_array, Targets& target_array, Weights* weight_array,
                        std::size_t vertices, unsigned threads, Degree&& degree, Fill&& fill) {
  offset_array.remake(vertices + 1);
  const std::span<std::uint64_t> offsets = offset_array.elements();
  offsets[0] = 0;
  for (std::size_t v = 0; v < vertices; ++v)
    offsets[v + 1] = offsets[v] + degree(static_cast<vertex_handle>(v));
  target_array.remake(offsets[vertices]);
  if (weight_array != nullptr) weight_array->remake(offsets[vertices]);
  std::atomic<std::uint64_t> loops{0};
  workload::parallel_for(threads, vertices, 1024, [&](std::size_t begin, std::size_t end) {
    std::uint64_t loops_here = 0;
    for (std::size_t v = begin; v < end; ++v) {
      const std::size_t count = offsets[v + 1] - offsets[v];
      const auto targets = target_array.elements().subspan(offsets[v], count);
      const auto weights =
          weight_array != nullptr ? weight_array->elements().subspan(offsets[v], count) : std::span<double>();
      fill(static_cast<vertex_handle>(v), targets, weights);
      order_row(targets, weights);
      loops_here += static_cast<std::uint64_t>(std::count(targets.begin(), targets.end(), v));
    }
    loops.fetch_add(loops_here, std::memory_order_relaxed);
  });
  return loops.load(std::memory_order_relaxed);
}

template <class T>
void copy_pieces(const joined_row<T>& row, std::span<T> to) {
  const auto second = std::ranges::copy(row.first(), to.begin()).out;
  std::ranges::copy(row.second(), second);
}

}  // namespace detail

/// Makes a CSR with all vertices and edges of an adjacency list, given by its index. A directed graph gets
/// its incoming arcs too. Weights are those of the index. O(arcs log degree). Throws `std::bad_alloc`;
/// `frozen` is then unchanged.
template <class Allocator>
void freeze(csr<Allocator>& frozen, const vertex_index& list, vertex_order order, unsigned threads) {
  std::vector<vertex_handle> by_id = list.in_id_order();
  std::vector<vertex_handle> of(by_id);  // by handle of the CSR that of the list
  if (order == vertex_order::by_degree)
    std::stable_sort(of.begin(), of.end(),
                     [&](vertex_handle a, vertex_handle b) { return list.degree(a) > list.degree(b); });
  std::vector<vertex_handle> place(of.size());
  for (std::size_t v = 0; v < of.size(); ++v) place[of[v]] = static_cast<vertex_handle>(v);
  auto arrays = frozen.empty_arrays();
  arrays.kind = list.symmetric() ? direction::undirected : direction::directed;
  if (!of.empty()) {
    arrays.self_loops = detail::fill_rows(
        arrays.offsets, arrays.targets, list.has_weights() ? &arrays.weights : nullptr, of.size(), threads,
        [&](vertex_handle v) { return list.degree(of[v]); },
        [&](vertex_handle v, std::span<vertex_handle> targets, std::span<double> weights) {
          std::size_t i = 0;
          for (const vertex_handle to : list.neighbours(of[v])) targets[i++] = place[to];
          if (!weights.empty()) std::ranges::copy(list.weights(of[v]), weights.begin());
        });
    if (!list.symmetric()) {
      arrays.in_offsets.remake(of.size() + 1);
      arrays.in_targets.remake(arrays.targets.size());
      detail::turn_round(arrays.offsets.elements(), arrays.targets.elements(), arrays.in_offsets.elements(),
                         arrays.in_targets.elements(), threads);
    }
  }
  arrays.ids.remake(of.size());
  bool are_numbers = order == vertex_order::by_id;
  for (std::size_t v = 0; v < of.size(); ++v) {
    arrays.ids.elements()[v] = list.id(of[v]);
    are_numbers = are_numbers && list.id(of[v]) == v;
  }
  if (are_numbers) arrays.ids.remake(0);
  if (order == vertex_order::by_degree) {
    arrays.by_id.remake(of.size());
    for (std::size_t i = 0; i < of.size(); ++i) arrays.by_id.elements()[i] = place[by_id[i]];
  }
  frozen.replace(std::move(arrays));
}

/// Makes a CSR of another CSR and what was added to it; `merged` may be in the same memory or in other
/// memory. New vertices come last and keep their numbers. O(vertices + arcs), most of which is copying.
/// Throws `std::bad_alloc`; `merged` is then unchanged.
template <class Allocator>
void freeze(csr<Allocator>& merged, const patched_csr_view& graph, unsigned threads) {
  auto arrays = merged.empty_arrays();
  const std::size_t vertices = graph.size();
  arrays.kind = graph.symmetric() ? direction::undirected : direction::directed;
  if (vertices != 0) {
    arrays.self_loops = detail::fill_rows(
        arrays.offsets, arrays.targets, graph.has_weights() ? &arrays.weights : nullptr, vertices, threads,
        [&](vertex_handle v) { return graph.degree(v); },
        [&](vertex_handle v, std::span<vertex_handle> targets, std::span<double> weights) {
          detail::copy_pieces(graph.neighbours(v), targets);
          if (!weights.empty()) detail::copy_pieces(graph.weights(v), weights);
        });
    if (!graph.symmetric() && graph.has_incoming())
      detail::fill_rows(
          arrays.in_offsets, arrays.in_targets, static_cast<decltype(&arrays.weights)>(nullptr), vertices,
          threads, [&](vertex_handle v) { return graph.in_degree(v); },
          [&](vertex_handle v, std::span<vertex_handle> sources, std::span<double>) {
            detail::copy_pieces(graph.incoming(v), sources);
          });
  }
  if (vertices != 0 && !graph.ids_are_numbers()) {
    arrays.ids.remake(vertices);
    const auto ids = arrays.ids.elements();
    for (std::size_t v = 0; v < vertices; ++v) ids[v] = graph.id(static_cast<vertex_handle>(v));
    if (!std::is_sorted(ids.begin(), ids.end())) {
      arrays.by_id.remake(vertices);
      std::ranges::copy(graph.in_id_order(), arrays.by_id.elements().begin());
    }
  }
  merged.replace(std::move(arrays));
}

}  // namespace perdure::graph
