// Two rounds over the edges, then one over the arcs of each range.
#include "row_lists.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <perdure/workload/parallel.hpp>
#include <type_traits>

namespace perdure::graph::detail {
namespace {

constexpr unsigned range_bits =
    10;  // about so many ranges: each has a cache line and a page that is written to

template <class End>
struct parted_arc;
template <>
struct parted_arc<plain_end> {
  vertex_handle source;
  vertex_handle target;

  static parted_arc of(vertex_handle source, plain_end end) { return {source, end.target}; }
  plain_end end() const { return {target}; }
};
template <>
struct parted_arc<weighted_end> {
  vertex_handle source;
  vertex_handle target;
  double weight;

  static parted_arc of(vertex_handle source, weighted_end end) { return {source, end.target, end.weight}; }
  weighted_end end() const { return {target, weight}; }
};

/// `visit(source, end)` for the arcs of a chunk.
template <class End, class Visit>
void each_arc(const edge_chunk& chunk, const row_options& options, Visit&& visit) {
  for (std::size_t i = 0; i < chunk.narrow.size(); ++i) {
    const short_edge e = chunk.narrow[i];
    if (options.drop_loops && e.source == e.target) continue;
    const auto give = [&](vertex_handle from, vertex_handle to) {
      if constexpr (std::is_same_v<End, plain_end>) {
        visit(from, plain_end{to});
      } else {
        visit(from, weighted_end{to, chunk.values[i]});
      }
    };
    if (!options.reversed) give(e.source, e.target);
    if (options.reversed || (options.both_ends && e.source != e.target)) give(e.target, e.source);
  }
}

}  // namespace

template <class End>
row_lists<End>::row_lists(std::vector<edge_chunk>& chunks, std::size_t vertices, const row_options& options)
    : begins_(vertices), ends_(vertices) {
  if (vertices == 0) return;
  const unsigned width = static_cast<unsigned>(std::bit_width(vertices - 1));
  const unsigned shift = width > range_bits ? width - range_bits : 0;
  const std::size_t ranges = ((vertices - 1) >> shift) + 1;

  // How many arcs of each chunk go to each range, then where the first of them goes.
  std::vector<std::uint64_t> places(chunks.size() * ranges);
  workload::parallel_for(options.threads, chunks.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c)
      each_arc<End>(chunks[c], options,
                    [&](vertex_handle from, const End&) { ++places[c * ranges + (from >> shift)]; });
  });
  std::vector<std::uint64_t> first(ranges + 1);
  std::uint64_t sum = 0;
  for (std::size_t range = 0; range < ranges; ++range) {
    first[range] = sum;
    for (std::size_t c = 0; c < chunks.size(); ++c) {
      std::uint64_t& place = places[c * ranges + range];
      const std::uint64_t count = place;
      place = sum;
      sum += count;
    }
  }
  first[ranges] = sum;

  const auto parted = std::make_unique_for_overwrite<parted_arc<End>[]>(sum);
  workload::parallel_for(options.threads, chunks.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      each_arc<End>(chunks[c], options, [&](vertex_handle from, const End& to) {
        parted[places[c * ranges + (from >> shift)]++] = parted_arc<End>::of(from, to);
      });
      if (options.last_use) chunks[c] = {};
    }
  });

  arcs_ = std::make_unique_for_overwrite<End[]>(sum);
  std::atomic<std::uint64_t> kept{0};
  const auto order_range = [&](std::size_t range) {
    const std::size_t low = range << shift;
    const std::size_t high = std::min(vertices, (range + 1) << shift);
    const std::span<const parted_arc<End>> here(parted.get() + first[range], parted.get() + first[range + 1]);
    for (const parted_arc<End>& arc : here) ++ends_[arc.source];
    std::uint64_t at = first[range];
    for (std::size_t v = low; v < high; ++v) {
      begins_[v] = at;
      at += ends_[v];
      ends_[v] = begins_[v];
    }
    for (const parted_arc<End>& arc : here) arcs_[ends_[arc.source]++] = arc.end();
    std::uint64_t kept_here = 0;
    for (std::size_t v = low; v < high; ++v) {
      End* const begin = arcs_.get() + begins_[v];
      End* end = arcs_.get() + ends_[v];
      std::sort(begin, end);
      if (options.drop_duplicates) {
        end = std::unique(begin, end, [](const End& a, const End& b) { return a.target == b.target; });
        ends_[v] = static_cast<std::uint64_t>(end - arcs_.get());
      }
      kept_here += static_cast<std::uint64_t>(end - begin);
    }
    kept.fetch_add(kept_here, std::memory_order_relaxed);
  };
  workload::parallel_for(options.threads, ranges, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t range = begin; range < end; ++range) order_range(range);
  });
  count_ = kept.load(std::memory_order_relaxed);
}

template class row_lists<plain_end>;
template class row_lists<weighted_end>;

}  // namespace perdure::graph::detail
