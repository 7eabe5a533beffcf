// Graph kernels with OpenMP, to compare with.
#include "plain_kernels.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace perdure::bench {

unsigned plain_pagerank(const plain_graph& graph, double tolerance, std::vector<float>& ranks) {
  const auto size = static_cast<std::int64_t>(graph.size());
  const float base = 0.15F / static_cast<float>(size);
  ranks.assign(graph.size(), 1.0F / static_cast<float>(size));
  std::vector<float> shares(graph.size());
#pragma omp parallel for
  for (std::int64_t v = 0; v < size; ++v)
    shares[static_cast<std::size_t>(v)] = ranks[static_cast<std::size_t>(v)] /
                                          static_cast<float>(graph.row(static_cast<std::size_t>(v)).size());
  for (unsigned iteration = 1;; ++iteration) {
    double change = 0;
#pragma omp parallel for reduction(+ : change) schedule(dynamic, 16384)
    for (std::int64_t i = 0; i < size; ++i) {
      const auto v = static_cast<std::size_t>(i);
      float sum = 0;
      for (const std::uint32_t u : graph.row(v)) sum += shares[u];
      const float before = ranks[v];
      ranks[v] = base + 0.85F * sum;
      change += std::fabs(ranks[v] - before);
      shares[v] = ranks[v] / static_cast<float>(graph.row(v).size());
    }
    if (change < tolerance || iteration == 1000) return iteration;
  }
}

std::vector<std::int32_t> plain_sssp(const plain_graph& graph, std::span<const plain_end> ends,
                                     std::uint32_t source, std::int32_t delta) {
  constexpr std::int32_t far = std::numeric_limits<std::int32_t>::max() / 2;
  constexpr std::size_t no_bucket = std::numeric_limits<std::size_t>::max() / 2;
  std::vector<std::int32_t> distances(graph.size(), far);
  distances[source] = 0;
  std::vector<std::uint32_t> frontier(graph.targets.size());
  frontier[0] = source;
  std::size_t next_buckets[2] = {0, no_bucket};
  std::size_t tails[2] = {1, 0};
#pragma omp parallel
  {
    std::vector<std::vector<std::uint32_t>> buckets;
    const auto relax = [&](std::uint32_t v) {
      for (std::uint64_t i = graph.offsets[v]; i < graph.offsets[v + 1]; ++i) {
        const std::atomic_ref known(distances[ends[i].vertex]);
        std::int32_t before = known.load(std::memory_order_relaxed);
        const std::int32_t now =
            std::atomic_ref(distances[v]).load(std::memory_order_relaxed) + ends[i].weight;
        while (now < before) {
          if (!known.compare_exchange_weak(before, now, std::memory_order_relaxed)) continue;
          const auto bucket = static_cast<std::size_t>(now / delta);
          if (bucket >= buckets.size()) buckets.resize(bucket + 1);
          buckets[bucket].push_back(ends[i].vertex);
          break;
        }
      }
    };
    for (std::size_t round = 0; next_buckets[round & 1] != no_bucket; ++round) {
      std::size_t& bucket = next_buckets[round & 1];
      std::size_t& next_bucket = next_buckets[(round + 1) & 1];
      std::size_t& tail = tails[round & 1];
      std::size_t& next_tail = tails[(round + 1) & 1];
#pragma omp for nowait schedule(dynamic, 64)
      for (std::size_t i = 0; i < tail; ++i)
        if (distances[frontier[i]] >= delta * static_cast<std::int32_t>(bucket)) relax(frontier[i]);
      while (bucket < buckets.size() && !buckets[bucket].empty() && buckets[bucket].size() < 1000) {
        const std::vector<std::uint32_t> here = std::exchange(buckets[bucket], {});
        for (const std::uint32_t v : here) relax(v);
      }
      for (std::size_t i = bucket; i < buckets.size(); ++i)
        if (!buckets[i].empty()) {
#pragma omp critical
          next_bucket = std::min(next_bucket, i);
          break;
        }
#pragma omp barrier
#pragma omp single nowait
      {
        bucket = no_bucket;
        tail = 0;
      }
      if (next_bucket < buckets.size()) {
        std::vector<std::uint32_t>& mine = buckets[next_bucket];
        const std::size_t at = std::atomic_ref(next_tail).fetch_add(mine.size());
        std::copy(mine.begin(), mine.end(), frontier.begin() + static_cast<std::ptrdiff_t>(at));
        mine.clear();
      }
#pragma omp barrier
    }
  }
  return distances;
}

std::uint64_t plain_triangles(const plain_graph& graph) {
  const std::size_t size = graph.size();
  std::vector<std::uint32_t> order(size);
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return graph.row(a).size() != graph.row(b).size() ? graph.row(a).size() > graph.row(b).size() : a > b;
  });
  std::vector<std::uint32_t> ranks(size);
  std::vector<std::uint64_t> offsets(size + 1);
  for (std::size_t i = 0; i < size; ++i) {
    ranks[order[i]] = static_cast<std::uint32_t>(i);
    offsets[i + 1] = offsets[i] + graph.row(order[i]).size();
  }
  std::vector<std::uint32_t> targets(graph.targets.size());
#pragma omp parallel for schedule(dynamic, 1024)
  for (std::size_t i = 0; i < size; ++i) {
    std::uint64_t at = offsets[i];
    for (const std::uint32_t u : graph.row(order[i])) targets[at++] = ranks[u];
    std::sort(targets.begin() + static_cast<std::ptrdiff_t>(offsets[i]),
              targets.begin() + static_cast<std::ptrdiff_t>(at));
  }
  std::uint64_t found = 0;
#pragma omp parallel for reduction(+ : found) schedule(dynamic, 64)
  for (std::size_t a = 0; a < size; ++a) {
    for (std::uint64_t i = offsets[a]; i < offsets[a + 1] && targets[i] <= a; ++i) {
      const std::uint32_t b = targets[i];
      std::uint64_t at = offsets[a];
      for (std::uint64_t j = offsets[b]; j < offsets[b + 1] && targets[j] <= b; ++j) {
        while (targets[at] < targets[j]) ++at;
        if (targets[at] == targets[j]) ++found;
      }
    }
  }
  return found;
}

std::vector<std::uint32_t> plain_components(const plain_graph& graph) {
  const std::size_t size = graph.size();
  std::vector<std::uint32_t> parents(size);
  std::iota(parents.begin(), parents.end(), 0U);
  const auto parent = [&](std::uint32_t v) {
    return std::atomic_ref(parents[v]).load(std::memory_order_relaxed);
  };
  const auto link = [&](std::uint32_t u, std::uint32_t v) {
    std::uint32_t a = parent(u);
    std::uint32_t b = parent(v);
    while (a != b) {
      const std::uint32_t high = std::max(a, b);
      const std::uint32_t low = std::min(a, b);
      std::uint32_t above = parent(high);
      if (above == low ||
          (above == high && std::atomic_ref(parents[high]).compare_exchange_strong(above, low)))
        return;
      a = parent(parent(high));
      b = parent(low);
    }
  };
  const auto compress = [&] {
#pragma omp parallel for schedule(dynamic, 16384)
    for (std::size_t v = 0; v < size; ++v)
      while (parent(static_cast<std::uint32_t>(v)) != parent(parent(static_cast<std::uint32_t>(v))))
        std::atomic_ref(parents[v])
            .store(parent(parent(static_cast<std::uint32_t>(v))), std::memory_order_relaxed);
  };
  for (std::size_t round = 0; round < 2; ++round) {
#pragma omp parallel for schedule(dynamic, 16384)
    for (std::size_t v = 0; v < size; ++v)
      if (graph.row(v).size() > round) link(static_cast<std::uint32_t>(v), graph.row(v)[round]);
    compress();
  }
  std::unordered_map<std::uint32_t, unsigned> counts;
  for (std::size_t i = 0; i < 1024; ++i) ++counts[parents[i * 7919 % size]];
  std::uint32_t most = 0;
  for (const auto& [root, count] : counts)
    if (count > counts[most]) most = root;
#pragma omp parallel for schedule(dynamic, 16384)
  for (std::size_t v = 0; v < size; ++v) {
    if (parent(static_cast<std::uint32_t>(v)) == most) continue;
    for (std::size_t i = 2; i < graph.row(v).size(); ++i)
      link(static_cast<std::uint32_t>(v), graph.row(v)[i]);
  }
  compress();
  return parents;
}

}  // namespace perdure::bench
