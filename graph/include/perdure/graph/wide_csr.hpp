// A CSR with 64-bit vertex numbers, for libraries that work with such arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <perdure/allocator.hpp>
#include <perdure/graph/csr.hpp>
#include <perdure/workload/parallel.hpp>
#include <span>
#include <utility>

namespace perdure::graph {

/// A graph in a relocatable store whose arcs lead to 64-bit numbers: 8 bytes for each arc instead of 4.
/// Algorithms accept its view like any other; they are slower because they read more.
using stored_wide_csr = csr<perdure::allocator<std::byte>, wide<double>>;
/// A graph in ordinary memory whose arcs lead to 64-bit numbers.
using memory_wide_csr = csr<std::allocator<std::byte>, wide<double>>;

namespace detail {

template <class Array, class Element>
void assign_copied(Array& to, std::span<const Element> from, unsigned threads) {
  constexpr std::size_t grain = std::size_t{1} << 16;
  to.remake(from.size());
  workload::parallel_for(threads, from.size(), grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) to.data()[i] = static_cast<typename Array::value_type>(from[i]);
  });
}

}  // namespace detail

/// Replaces `to` by a copy of `graph` with 64-bit numbers. O(vertices + arcs) by `threads` threads. Throws
/// `std::bad_alloc`; the content of `to` is unchanged then.
///
///     auto& wide = *store.construct<graph::stored_wide_csr>("web.wide")();
///     graph::widen_csr(wide, web, 8);
template <class Allocator, class OtherAllocator, class Weight>
void widen_csr(csr<Allocator, wide<Weight>>& to, const csr<OtherAllocator, Weight>& graph,
               unsigned threads = 1) {
  const basic_csr_view<Weight> from = graph.view();
  auto arrays = to.empty_arrays();
  detail::assign_copied(arrays.offsets, from.offsets, threads);
  detail::assign_copied(arrays.targets, from.targets, threads);
  detail::assign_copied(arrays.in_offsets, from.in_offsets, threads);
  detail::assign_copied(arrays.in_targets, from.in_targets, threads);
  detail::assign_copied(arrays.ids, from.ids, threads);
  detail::assign_copied(arrays.by_id, from.by_id, threads);
  detail::assign_copied(arrays.weights, from.arc_weights, threads);
  arrays.kind = from.kind;
  arrays.self_loops = graph.self_loops();
  to.replace(std::move(arrays));
}

}  // namespace perdure::graph
