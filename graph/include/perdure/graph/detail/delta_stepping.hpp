// How sssp.hpp finds shortest paths.
//
// Vertices wait in *bins* by their distance from the source, each as wide as delta. The nearest bin that is
// not empty is emptied by all threads, which may fill it again, until it stays empty. A vertex may wait in
// several bins; where its turn comes in a later one than its distance belongs to, it had its turn before.
//
// Each thread has bins of its own for what it finds. Of the distances to come only a stretch has bins, so
// that weights of any size need little memory: what is beyond waits in one heap until the stretch has moved
// on.
//
// Distances are kept as `float` as long as each is one exactly, so that twice as many fit a cache. The first
// step that finds another one is followed by a change to `double`; what it found waits until then.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <perdure/graph/detail/neighbour_rows.hpp>
#include <perdure/graph/detail/weighted_arcs.hpp>
#include <perdure/graph/graph_view.hpp>
#include <perdure/progress.hpp>
#include <perdure/workload/parallel.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace perdure::graph::detail {

/// Throws `not_found` or `invalid_argument`.
void require_sssp_arguments(std::size_t vertices, vertex_handle source, double delta);

/// A delta from a sample of the weights: the mean weight through the average degree. The paper takes the
/// largest weight; docs/dev/sssp-step.md has what other widths cost.
template <graph_view Graph>
double suitable_delta(const Graph& graph) {
  if (!knows_weights(graph)) return 1;
  double sum = 0;
  std::size_t count = 0;
  const std::size_t step = std::max<std::size_t>(1, graph.size() / 4096);
  for (std::size_t v = 0; v < graph.size(); v += step) {
    unsigned taken = 0;
    visit_weighted(graph, static_cast<vertex_handle>(v), [&](vertex_handle, double weight) {
      if (taken++ >= 4 || !(weight > 0) || !(weight < std::numeric_limits<double>::infinity())) return;
      sum += weight;
      ++count;
    });
  }
  if (count == 0) return 1;
  const double degree = static_cast<double>(graph.arcs()) / static_cast<double>(graph.size());
  const double delta = sum / static_cast<double>(count) / std::max(1.0, degree);
  return delta > 0 && delta < std::numeric_limits<double>::infinity() ? delta : 1;
}

template <graph_view Graph>
class delta_stepping {
 public:
  delta_stepping(const Graph& graph, double delta, unsigned threads)
      : graph_(graph),
        bins_in_a_unit_(std::min(1 / delta, std::numeric_limits<double>::max())),
        threads_(std::max(1U, threads)),
        narrow_(graph.size(), std::numeric_limits<float>::infinity()),
        own_(threads_) {}

  std::vector<double> run(vertex_handle source) {
    narrow_[source] = 0;
    frontier_.assign(1, source);
    for (bin_ = 0;;) {
      begin_progress_round("step");
      step();
      if (next_bin()) continue;
      if (is_narrow()) widen();
      if (std::any_of(own_.begin(), own_.end(), [](const found& one) { return one.has_overflowed; }))
        require_numbers();
      return std::move(distances_);
    }
  }

 private:
  static constexpr std::size_t bins = 256;
  static constexpr std::size_t grain = 64;

  /// Vertices that one thread has found.
  struct alignas(128) found {
    std::array<std::vector<vertex_handle>, bins> near;  // by the bin's place in the stretch
    std::vector<vertex_handle> far;
    std::vector<vertex_handle> taken;
    std::vector<std::pair<vertex_handle, double>> inexact;  // distances that are no `float`
    bool has_overflowed = false;                            // a path, which need not be a shortest one
  };

  bool is_narrow() const noexcept { return distances_.empty(); }
  double distance(vertex_handle v) const noexcept {
    return is_narrow() ? static_cast<double>(narrow_[v]) : distances_[v];
  }
  /// In the stretch: how many bins behind its beginning, and what part of the next. All that asks for a bin
  /// goes by this, so that rounding gives each distance one answer.
  double place_of(double distance) const noexcept {
    return std::min(distance * bins_in_a_unit_, std::numeric_limits<double>::max()) - stretch_;
  }

  /// Follows the arcs of all vertices in the frontier.
  void step() {
    if (!is_narrow()) return step(distances_);
    step(narrow_);
    if (std::any_of(own_.begin(), own_.end(), [](const found& one) { return !one.inexact.empty(); })) widen();
  }

  template <class Distance>
  void step(std::vector<Distance>& distances) {
    const auto now = static_cast<double>(bin_);
    std::atomic<std::size_t> next{0};
    const std::size_t pieces = (frontier_.size() + grain - 1) / grain;
    // Of few vertices: in less time no other thread wakes up.
    const auto threads =
        static_cast<unsigned>(std::min<std::size_t>(threads_, std::max<std::size_t>(1, pieces)));
    workload::run_threads(threads, [&](unsigned index) {
      found& mine = own_[index];
      for (;;) {
        workload::end_if_cancelled();
        const std::size_t begin = next.fetch_add(1, std::memory_order_relaxed) * grain;
        if (begin >= frontier_.size()) break;
        const std::size_t end = std::min(begin + grain, frontier_.size());
        for (std::size_t i = begin; i < end; ++i) follow_arcs_of(distances, frontier_[i], now, mine);
      }
      // What was found for the same bin need not wait for the other threads, unless it is much.
      constexpr std::size_t few = 1000;
      while (!mine.near[bin_].empty() && mine.near[bin_].size() < few) {
        std::swap(mine.taken, mine.near[bin_]);
        for (const vertex_handle v : mine.taken) follow_arcs_of(distances, v, now, mine);
        mine.taken.clear();
      }
    });
  }

  template <class Distance>
  void follow_arcs_of(std::vector<Distance>& distances, vertex_handle v, double now, found& mine) {
    const double from = std::atomic_ref(distances[v]).load(std::memory_order_relaxed);
    if (place_of(from) < now) return;
    visit_weighted(graph_, v, [&](vertex_handle u, double weight) {
      if (is_rare(weight)) [[unlikely]] {
        if (!(weight >= 0)) throw_bad_weight(weight);
        if (weight > farthest_number) mine.has_overflowed = true;
      }
      const double to = from + weight;
      if constexpr (std::is_same_v<Distance, double>) {
        if (!(to <= farthest_number)) [[unlikely]] {
          mine.has_overflowed = true;
          return;
        }
      }
      const std::atomic_ref known(distances[u]);
      Distance before = known.load(std::memory_order_relaxed);
      if (!(to < static_cast<double>(before))) return;
      if constexpr (std::is_same_v<Distance, float>) {
        if (!is_exact(to)) [[unlikely]] {
          mine.inexact.emplace_back(u, to);
          return;
        }
      }
      const auto kept = static_cast<Distance>(to);
      while (!known.compare_exchange_weak(before, kept, std::memory_order_relaxed))
        if (!(kept < before)) return;
      put(u, to, mine);
    });
  }

  /// Returns whether the weight is below 0, no number, infinite, or a zero with a sign: by one comparison of
  /// bits.
  static bool is_rare(double weight) noexcept {
    return std::bit_cast<std::uint64_t>(weight) > std::bit_cast<std::uint64_t>(farthest_number);
  }
  static bool is_exact(double distance) noexcept {
    return distance <= static_cast<double>(std::numeric_limits<float>::max()) &&
           static_cast<double>(static_cast<float>(distance)) == distance;
  }

  /// Lets a vertex wait for its turn.
  void put(vertex_handle v, double distance, found& mine) const {
    const double place = place_of(distance);
    if (place < static_cast<double>(bins)) {
      mine.near[static_cast<std::size_t>(place)].push_back(v);
    } else {
      mine.far.push_back(v);
    }
  }

  /// Goes on with distances of 64 bits.
  void widen() {
    distances_.assign(narrow_.begin(), narrow_.end());
    narrow_ = {};
    for (found& one : own_) {
      for (const auto& [v, distance] : one.inexact) {
        if (!(distance < distances_[v])) continue;
        distances_[v] = distance;
        put(v, distance, one);
      }
      one.inexact = {};
    }
  }

  /// Throws where a vertex is reached only by paths that are longer than any number.
  void require_numbers() const {
    for (std::size_t v = 0; v < distances_.size(); ++v)
      if (distances_[v] <= farthest_number)
        for (const vertex_handle u : graph_.neighbours(static_cast<vertex_handle>(v)))
          if (!(distances_[u] <= farthest_number)) throw_too_far();
  }

  /// Fills the frontier from the nearest bin that is not empty. False: there is none.
  bool next_bin() {
    for (; bin_ < bins; ++bin_) {
      frontier_.clear();
      for (found& one : own_) {
        std::vector<vertex_handle>& bin = one.near[bin_];
        frontier_.insert(frontier_.end(), bin.begin(), bin.end());
        bin.clear();
      }
      if (!frontier_.empty()) return true;
    }
    return next_stretch() && next_bin();
  }

  /// Moves the stretch to the nearest vertex beyond it. False: there is none.
  bool next_stretch() {
    std::vector<vertex_handle> far;
    double nearest = std::numeric_limits<double>::infinity();
    for (found& one : own_) {
      for (const vertex_handle v : one.far) {
        if (place_of(distance(v)) < static_cast<double>(bins)) continue;  // it had its turn
        nearest = std::min(nearest, distance(v));
        far.push_back(v);
      }
      one.far.clear();
    }
    if (far.empty()) return false;
    // Beyond the largest number all distances are in one bin.
    stretch_ = std::min(std::floor(nearest * bins_in_a_unit_), std::numeric_limits<double>::max());
    bin_ = 0;
    for (const vertex_handle v : far) put(v, distance(v), own_[0]);
    return true;
  }

  // A view's members are read at each step: by value they need not be read again after each store.
  const std::conditional_t<std::is_trivially_copyable_v<Graph>, Graph, const Graph&> graph_;
  const double bins_in_a_unit_;
  const unsigned threads_;
  std::vector<float> narrow_;
  std::vector<double> distances_;  // in the place of `narrow_`; empty before
  std::vector<found> own_;
  std::vector<vertex_handle> frontier_;
  double stretch_ = 0;   // the number of its first bin
  std::size_t bin_ = 0;  // within the stretch
};

}  // namespace perdure::graph::detail
