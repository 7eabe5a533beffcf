// Rows in order, and rows turned round, whatever they were made of.
#include <perdure/graph/freeze.hpp>
#include <tuple>

#include "base/invariant.hpp"

namespace perdure::graph::detail {

void order_row(std::span<vertex_handle> targets, std::span<double> weights) {
  if (std::is_sorted(targets.begin(), targets.end())) return;
  if (weights.empty()) {
    std::sort(targets.begin(), targets.end());
    return;
  }
  thread_local std::vector<std::pair<vertex_handle, double>> row;
  row.clear();
  for (std::size_t i = 0; i < targets.size(); ++i) row.emplace_back(targets[i], weights[i]);
  std::stable_sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < targets.size(); ++i) std::tie(targets[i], weights[i]) = row[i];
}

void turn_round(std::span<const std::uint64_t> offsets, std::span<const vertex_handle> targets,
                std::span<std::uint64_t> in_offsets, std::span<vertex_handle> in_targets, unsigned threads) {
  const std::size_t vertices = offsets.size() - 1;
  std::fill(in_offsets.begin(), in_offsets.end(), 0);
  workload::parallel_for(
      threads, targets.size(), std::size_t{1} << 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
          std::atomic_ref(in_offsets[targets[i] + std::size_t{1}]).fetch_add(1, std::memory_order_relaxed);
      });
  std::partial_sum(in_offsets.begin(), in_offsets.end(), in_offsets.begin());
  PERDURE_INVARIANT(in_offsets.back() == targets.size());
  std::vector<std::uint64_t> next(in_offsets.begin(), in_offsets.end() - 1);
  workload::parallel_for(threads, vertices, 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v)
      for (std::uint64_t i = offsets[v]; i < offsets[v + 1]; ++i)
        in_targets[std::atomic_ref(next[targets[i]]).fetch_add(1, std::memory_order_relaxed)] =
            static_cast<vertex_handle>(v);
  });
  PERDURE_PARANOID_INVARIANT(std::equal(next.begin(), next.end(), in_offsets.begin() + 1));
  workload::parallel_for(threads, vertices, 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v)
      std::sort(in_targets.begin() + static_cast<std::ptrdiff_t>(in_offsets[v]),
                in_targets.begin() + static_cast<std::ptrdiff_t>(in_offsets[v + 1]));
  });
}

}  // namespace perdure::graph::detail
