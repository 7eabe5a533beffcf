// Graph kernels with OpenMP, to compare with.
#include "plain_kernels.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace perdure::bench {

namespace {

/// Of the vertices that are not reached yet those with a neighbour in `front`, whose parent that becomes.
std::uint64_t search_upward(const plain_graph& graph, std::vector<std::int32_t>& parents,
                            const std::vector<std::uint64_t>& front, std::vector<std::uint64_t>& next) {
  const auto size = static_cast<std::int64_t>(graph.size());
  std::uint64_t found = 0;
  std::fill(next.begin(), next.end(), 0);
#pragma omp parallel for reduction(+ : found) schedule(dynamic, 1024)
  for (std::int64_t i = 0; i < size; ++i) {
    const auto v = static_cast<std::size_t>(i);
    if (parents[v] >= 0) continue;
    for (const std::uint32_t u : graph.row(v)) {
      if ((front[u / 64] >> (u % 64) & 1) == 0) continue;
      parents[v] = static_cast<std::int32_t>(u);
      next[v / 64] |= std::uint64_t{1} << (v % 64);  // a piece is whole words
      ++found;
      break;
    }
  }
  return found;
}

/// Follows the arcs of `queue`, and puts what they reach into `next`. Gives the number of their arcs.
std::uint64_t search_downward(const plain_graph& graph, std::vector<std::int32_t>& parents,
                              const std::vector<std::uint32_t>& queue, std::vector<std::uint32_t>& next,
                              std::uint64_t& tail) {
  std::uint64_t arcs = 0;
#pragma omp parallel reduction(+ : arcs)
  {
    std::vector<std::uint32_t> mine;
    const auto flush = [&] {
      const std::uint64_t at = std::atomic_ref(tail).fetch_add(mine.size(), std::memory_order_relaxed);
      std::copy(mine.begin(), mine.end(), next.begin() + static_cast<std::ptrdiff_t>(at));
      mine.clear();
    };
#pragma omp for nowait schedule(dynamic, 64)
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const std::uint32_t u : graph.row(queue[i])) {
        const std::atomic_ref parent(parents[u]);
        std::int32_t before = parent.load(std::memory_order_relaxed);
        if (before >= 0 || !parent.compare_exchange_strong(before, static_cast<std::int32_t>(queue[i]),
                                                           std::memory_order_relaxed))
          continue;
        mine.push_back(u);
        arcs += graph.row(u).size();
        if (mine.size() == 4096) flush();
      }
    }
    flush();
  }
  return arcs;
}

}  // namespace

std::uint64_t plain_bfs(const plain_graph& graph, std::uint32_t source, std::vector<std::int32_t>& parents) {
  const std::size_t size = graph.size();
  parents.assign(size, -1);
  parents[source] = static_cast<std::int32_t>(source);
  std::vector<std::uint32_t> queue{source};
  std::vector<std::uint32_t> next(size);
  std::vector<std::uint64_t> front(size / 64 + 1);
  std::vector<std::uint64_t> next_front(size / 64 + 1);
  std::uint64_t reached = 1;
  std::uint64_t unexplored = graph.targets.size();
  for (std::uint64_t arcs = graph.row(source).size(); !queue.empty();) {
    if (arcs > unexplored / 15) {
      std::fill(front.begin(), front.end(), 0);
      for (const std::uint32_t v : queue) front[v / 64] |= std::uint64_t{1} << (v % 64);
      std::uint64_t before = 0;
      std::uint64_t now = queue.size();
      do {
        before = now;
        now = search_upward(graph, parents, front, next_front);
        reached += now;
        std::swap(front, next_front);
      } while (now >= before || now > size / 18);
      queue.clear();
      for (std::size_t i = 0; i < front.size(); ++i)
        for (std::uint64_t left = front[i]; left != 0; left &= left - 1)
          queue.push_back(static_cast<std::uint32_t>(i * 64 + static_cast<unsigned>(std::countr_zero(left))));
      arcs = 1;
    } else {
      unexplored -= std::min(unexplored, arcs);
      std::uint64_t tail = 0;
      arcs = search_downward(graph, parents, queue, next, tail);
      queue.assign(next.begin(), next.begin() + static_cast<std::ptrdiff_t>(tail));
      reached += tail;
    }
  }
  return reached;
}

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
