// Takes edges away by the number of triangles that they are in, by all threads at once.
#include <algorithm>
#include <limits>
#include <numeric>
#include <perdure/error.hpp>
#include <perdure/graph/detail/lower_above.hpp>
#include <perdure/graph/detail/truss_peeling.hpp>
#include <perdure/progress.hpp>
#include <perdure/workload/parallel.hpp>

namespace perdure::graph::detail {
namespace {

/// Calls `visit(a, b)` for the elements of two ordered rows that have the same vertex.
template <class End, class Visit>
void each_common(std::span<const End> few, std::span<const End> many, Visit&& visit) {
  if (few.size() > many.size()) std::swap(few, many);
  const bool leap = many.size() > 8 * few.size();
  auto at = many.begin();
  for (const End& one : few) {
    if (leap) {
      at = std::lower_bound(at, many.end(), one.vertex,
                            [](const End& other, vertex_handle v) { return other.vertex < v; });
    } else {
      while (at != many.end() && at->vertex < one.vertex) ++at;
    }
    if (at == many.end()) return;
    if (at->vertex == one.vertex) visit(one.edge, at->edge);
  }
}

}  // namespace

truss_peeling::truss_peeling(const neighbour_rows& oriented, unsigned threads)
    : threads_(std::max(1U, threads)) {
  if (oriented.arcs() >= std::numeric_limits<std::uint32_t>::max())
    throw error(errc::unsupported, "the graph has more edges than trusses can be found of (2^32 - 2)");
  number_edges(oriented);
  count_triangles(oriented);
}

void truss_peeling::number_edges(const neighbour_rows& oriented) {
  const std::size_t size = oriented.size();
  first_edge_.resize(size + 1);
  for (std::size_t v = 0; v < size; ++v)
    first_edge_[v + 1] = first_edge_[v] + oriented.degree(static_cast<vertex_handle>(v));
  edge_ends_.resize(first_edge_[size]);
  // As in neighbour_rows::collect.
  offsets_.assign(size + 2, 0);
  each_vertex(threads_, size, [&](vertex_handle v) {
    std::uint64_t edge = first_edge_[v];
    for (const vertex_handle u : oriented.neighbours(v)) {
      edge_ends_[edge++] = {v, u};
      for (const vertex_handle row : {v, u})
        std::atomic_ref(offsets_[row + std::size_t{2}]).fetch_add(1, std::memory_order_relaxed);
    }
  });
  std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
  all_ends_.resize(offsets_.back());
  each_vertex(threads_, size, [&](vertex_handle v) {
    auto edge = static_cast<std::uint32_t>(first_edge_[v]);
    for (const vertex_handle u : oriented.neighbours(v)) {
      const auto put = [&](vertex_handle row, vertex_handle other) {
        const std::uint64_t place =
            std::atomic_ref(offsets_[row + std::size_t{1}]).fetch_add(1, std::memory_order_relaxed);
        all_ends_[place] = {other, edge};
      };
      put(v, u);
      put(u, v);
      ++edge;
    }
  });
  offsets_.pop_back();
  each_vertex(threads_, size, [&](vertex_handle v) {
    std::sort(all_ends_.begin() + static_cast<std::ptrdiff_t>(offsets_[v]),
              all_ends_.begin() + static_cast<std::ptrdiff_t>(offsets_[v + std::size_t{1}]),
              [](const end& a, const end& b) { return a.vertex < b.vertex; });
  });
  states_.assign(edge_ends_.size(), state::left);
  left_.resize(edge_ends_.size());
  std::iota(left_.begin(), left_.end(), std::uint32_t{0});
}

// A triangle is seen from its vertex with the fewest neighbours, whose row of `oriented` names the other two.
void truss_peeling::count_triangles(const neighbour_rows& oriented) {
  support_.assign(edge_ends_.size(), 0);
  const auto add = [this](std::uint64_t edge, std::uint32_t more) {
    std::atomic_ref(support_[edge]).fetch_add(more, std::memory_order_relaxed);
  };
  std::atomic<std::size_t> next{0};
  begin_progress_stage("counting triangles", oriented.size(), "vertices");
  workload::run_threads(threads_, [&](unsigned) {
    constexpr std::size_t grain = 256;
    // By vertex: the edge between it and `a`, counted from 1.
    std::vector<std::uint32_t> edge_to(oriented.size());
    for (;;) {
      workload::end_if_cancelled();
      const std::size_t begin = next.fetch_add(grain, std::memory_order_relaxed);
      if (begin >= oriented.size()) return;
      for (std::size_t i = begin; i < std::min(begin + grain, oriented.size()); ++i) {
        const auto a = static_cast<vertex_handle>(i);
        const std::span<const vertex_handle> row = oriented.neighbours(a);
        if (row.size() < 2) continue;
        auto edge = static_cast<std::uint32_t>(first_edge_[a]);
        for (const vertex_handle b : row) edge_to[b] = ++edge;
        edge = static_cast<std::uint32_t>(first_edge_[a]);
        for (const vertex_handle b : row) {
          std::uint64_t across = first_edge_[b];
          std::uint32_t found = 0;
          for (const vertex_handle c : oriented.neighbours(b)) {
            if (edge_to[c] != 0) {
              ++found;
              add(across, 1);
              add(edge_to[c] - 1, 1);
            }
            ++across;
          }
          if (found != 0) add(edge, found);
          ++edge;
        }
        for (const vertex_handle b : row) edge_to[b] = 0;
      }
      add_progress(std::min(grain, oriented.size() - begin));
    }
  });
}

void truss_peeling::run() {
  begin_progress_stage("peeling", left_.size(), "edges");
  for (find_next(); !going_.empty();) {
    // Edges that lose triangles and are then in as few go in the next round of the same level.
    std::vector<std::vector<std::uint32_t>> found(threads_);
    std::atomic<std::size_t> next{0};
    workload::run_threads(threads_, [&](unsigned index) {
      constexpr std::size_t grain = 32;
      for (;;) {
        workload::end_if_cancelled();
        const std::size_t begin = next.fetch_add(grain, std::memory_order_relaxed);
        if (begin >= going_.size()) return;
        for (std::size_t i = begin; i < std::min(begin + grain, going_.size()); ++i)
          take_away(going_[i], found[index]);
      }
    });
    for (const std::uint32_t edge : going_) states_[edge] = state::gone;
    add_progress(going_.size());
    going_.clear();
    for (const auto& part : found) going_.insert(going_.end(), part.begin(), part.end());
    for (const std::uint32_t edge : going_) states_[edge] = state::going;
    if (going_.empty()) find_next();
  }
}

/// Drops edges that have gone, and finds those in the fewest triangles.
void truss_peeling::find_next() {
  if (has_begun_) std::erase_if(left_, [this](std::uint32_t edge) { return states_[edge] == state::gone; });
  has_begun_ = true;
  level_ = std::numeric_limits<std::uint32_t>::max();
  for (const std::uint32_t edge : left_) level_ = std::min(level_, support_[edge]);
  for (const std::uint32_t edge : left_) {
    if (support_[edge] != level_) continue;
    going_.push_back(edge);
    states_[edge] = state::going;
  }
}

// Of a triangle the first edge that goes takes the others' triangle away. Where two go in the same round,
// which both still see it, that with the smaller number does; where all three do, none needs to.
void truss_peeling::take_away(std::uint32_t edge, std::vector<std::uint32_t>& next) {
  const auto [a, b] = edge_ends_[edge];
  each_common(ends_at(a), ends_at(b), [&](std::uint32_t e, std::uint32_t f) {
    if (states_[e] == state::gone || states_[f] == state::gone) return;
    const bool e_goes = states_[e] == state::going;
    const bool f_goes = states_[f] == state::going;
    if (!e_goes && (!f_goes || edge < f)) lose_triangle(e, next);
    if (!f_goes && (!e_goes || edge < e)) lose_triangle(f, next);
  });
}

void truss_peeling::lose_triangle(std::uint32_t edge, std::vector<std::uint32_t>& next) {
  // An edge that goes in the next round keeps its number.
  if (lower_above(level_, support_[edge])) next.push_back(edge);
}

}  // namespace perdure::graph::detail
