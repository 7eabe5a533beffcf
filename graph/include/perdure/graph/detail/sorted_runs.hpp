// Arcs in sorted runs, each as long as memory allowed, and pieces of all runs together.
//
// A run keeps every 256th of its keys apart. From these samples follows where all runs can be cut so that
// what lies between two cuts fits a memory of given size; so pieces can be sorted by many threads, in any
// number of runs.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <perdure/container/vector.hpp>
#include <perdure/graph/edge.hpp>
#include <span>
#include <type_traits>
#include <vector>

namespace perdure::graph::detail {

/// An arc by its ends, ordered by both; `weight` only where arcs have some, which then orders equals.
template <bool Weighted>
struct sortable_arc {
  vertex_id source;
  vertex_id target;
  double weight;
  bool operator<(const sortable_arc& other) const noexcept {
    if (source != other.source) return source < other.source;
    if (target != other.target) return target < other.target;
    return std::strong_order(weight, other.weight) < 0;
  }
};
template <>
struct sortable_arc<false> {
  vertex_id source;
  vertex_id target;
  bool operator<(const sortable_arc& other) const noexcept {
    return source != other.source ? source < other.source : target < other.target;
  }
};

/// The same with both ends in one word, of vertices that are numbered or of small ids.
template <bool Weighted>
struct packed_arc {
  std::uint64_t ends;
  double weight;
  bool operator<(const packed_arc& other) const noexcept {
    return ends != other.ends ? ends < other.ends : std::strong_order(weight, other.weight) < 0;
  }
};
template <>
struct packed_arc<false> {
  std::uint64_t ends;
  bool operator<(const packed_arc& other) const noexcept { return ends < other.ends; }
};

inline bool ends_before(const edge& a, const edge& b) noexcept {
  return a.source != b.source ? a.source < b.source : a.target < b.target;
}

/// Runs, as an object in a store or in other memory. Thread safety: like a standard container.
template <class Allocator>
class sorted_runs {
  template <class T>
  using array = perdure::vector<T, typename std::allocator_traits<Allocator>::template rebind_alloc<T>>;

 public:
  static constexpr std::size_t stride = 256;

  explicit sorted_runs(const Allocator& allocator)
      : words_(allocator), weights_(allocator), samples_(allocator), ids_(allocator), is_wide_(allocator) {}

  std::size_t size() const noexcept { return words_.size(); }
  std::uint64_t arcs() const noexcept { return arcs_; }
  /// All ids that the arcs of a run have, ordered, each once.
  std::span<const vertex_id> ids(std::size_t run) const noexcept {
    return {std::to_address(ids_[run].data()), ids_[run].size()};
  }

  /// Adds a sorted run. One of packed arcs has ids below 2^32.
  template <class Arc>
  void add(std::span<const Arc> arcs, std::span<const vertex_id> ids) {
    constexpr bool wide = requires(const Arc& arc) { arc.source; };
    constexpr bool weighted = requires(const Arc& arc) { arc.weight; };
    auto& words = words_.emplace_back();
    words.reserve(arcs.size() * (wide ? 2 : 1));
    for (const Arc& arc : arcs) {
      if constexpr (wide) {
        words.push_back(arc.source);
        words.push_back(arc.target);
      } else {
        words.push_back(arc.ends);
      }
    }
    auto& weights = weights_.emplace_back();
    if constexpr (weighted) {
      weights.reserve(arcs.size());
      for (const Arc& arc : arcs) weights.push_back(arc.weight);
    }
    is_wide_.push_back(wide ? 1 : 0);
    auto& samples = samples_.emplace_back();
    samples.reserve(arcs.size() / stride + 1);
    for (std::size_t i = 0; i < arcs.size(); i += stride) samples.push_back(arc_at(size() - 1, i));
    ids_.emplace_back().assign(ids.begin(), ids.end());
    arcs_ += arcs.size();
  }
  /// Adds a run of ids without arcs.
  void add_ids(std::span<const vertex_id> ids) { add(std::span<const packed_arc<false>>(), ids); }

  /// Where to cut, so that between two cuts are about `most` arcs at most.
  std::vector<edge> cuts(std::uint64_t most) const {
    std::vector<edge> all;
    for (const auto& one : samples_) all.insert(all.end(), one.begin(), one.end());
    std::sort(all.begin(), all.end(), ends_before);
    const std::uint64_t strides = most / stride;
    const std::size_t step = strides > size() ? static_cast<std::size_t>(strides - size()) : 1;
    std::vector<edge> chosen;
    for (std::size_t i = step; i < all.size(); i += step)
      if (chosen.empty() || ends_before(chosen.back(), all[i])) chosen.push_back(all[i]);
    return chosen;
  }

  /// Calls `visit(source, target, weight)` for the arcs from one cut, or from the first one, up to before the
  /// next.
  template <class Visit>
  void each_arc(const edge* from, const edge* to, Visit&& visit) const {
    for (std::size_t run = 0; run < size(); ++run) {
      const std::size_t begin = from == nullptr ? 0 : place_of(run, *from);
      const std::size_t end = to == nullptr ? length(run) : place_of(run, *to);
      const double* const weights = weights_[run].empty() ? nullptr : std::to_address(weights_[run].data());
      for (std::size_t i = begin; i < end; ++i) {
        const edge arc = arc_at(run, i);
        visit(arc.source, arc.target, weights == nullptr ? 0 : weights[i]);
      }
    }
  }

  void clear() noexcept {
    const auto drop = [](auto& one) {
      one.clear();
      one.shrink_to_fit();
    };
    drop(words_);
    drop(weights_);
    drop(samples_);
    drop(ids_);
    drop(is_wide_);
    arcs_ = 0;
  }

 private:
  std::size_t length(std::size_t run) const noexcept { return words_[run].size() >> is_wide_[run]; }
  edge arc_at(std::size_t run, std::size_t i) const noexcept {
    const std::uint64_t* const words = std::to_address(words_[run].data());
    if (is_wide_[run] != 0) return {words[2 * i], words[2 * i + 1]};
    return {words[i] >> 32, words[i] & 0xFFFF'FFFF};
  }
  /// The first arc that is not before a cut.
  std::size_t place_of(std::size_t run, const edge& cut) const noexcept {
    const auto& samples = samples_[run];
    const auto after = static_cast<std::size_t>(
        std::lower_bound(samples.begin(), samples.end(), cut, ends_before) - samples.begin());
    if (after == 0) return 0;
    std::size_t low = (after - 1) * stride;
    std::size_t high = std::min(length(run), after * stride);
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (ends_before(arc_at(run, middle), cut)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  array<array<std::uint64_t>> words_;  // of a wide run two for each arc, else one
  array<array<double>> weights_;       // of a run without weights empty
  array<array<edge>> samples_;
  array<array<vertex_id>> ids_;
  array<std::uint8_t> is_wide_;
  std::uint64_t arcs_ = 0;
};

}  // namespace perdure::graph::detail
