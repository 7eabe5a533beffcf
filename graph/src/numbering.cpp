// Ids may be dense or any 64-bit numbers; either way no list of them is sorted that is longer than needed.
#include "numbering.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>
#include <numeric>
#include <perdure/container/flat_set.hpp>
#include <perdure/error.hpp>
#include <perdure/workload/parallel.hpp>
#include <string>
#include <utility>

namespace perdure::graph::detail {
namespace {

template <class Visit>
void each_id(const edge_chunk& chunk, Visit&& visit) {
  for (const short_edge& e : chunk.narrow) {
    visit(vertex_id{e.source});
    visit(vertex_id{e.target});
  }
  for (const edge& e : chunk.wide) {
    visit(e.source);
    visit(e.target);
  }
}

using id_set = perdure::flat_set<vertex_id, vertex_hash, std::equal_to<vertex_id>, std::allocator<vertex_id>>;

}  // namespace

id_ranks::id_ranks(const drawn_edges& all, unsigned threads) {
  // A quarter of a byte for each id up to the largest: no more than the edges take.
  const std::uint64_t named = all.declared.count + all.vertices.size();
  if (all.edges == 0 && named == 0) {
    identical_ = true;
  } else if (all.largest_id / 32 <= all.edges + named + 1024) {
    mark_present(all, threads);
  } else {
    sort_ids(all, threads);
  }
  if (vertices_ > most_vertices)
    throw error(errc::unsupported,
                "the edges have " + std::to_string(vertices_) + " vertices; a CSR has at most 2^32 - 1");
  if (!sorted_.empty()) lookup_.emplace(sorted_, threads);
}

void id_ranks::mark_present(const drawn_edges& all, unsigned threads) {
  blocks_.resize(all.largest_id / 64 + 1);
  workload::parallel_for(threads, all.chunks.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      each_id(all.chunks[i], [&](vertex_id id) {
        const std::atomic_ref present(blocks_[id / 64].present);
        const std::uint64_t bit = std::uint64_t{1} << (id % 64);
        if ((present.load(std::memory_order_relaxed) & bit) == 0)
          present.fetch_or(bit, std::memory_order_relaxed);
      });
  });
  const auto add = [this](vertex_id id) { blocks_[id / 64].present |= std::uint64_t{1} << (id % 64); };
  for (std::uint64_t i = 0; i < all.declared.count; ++i) add(all.declared.first + i);
  for (const vertex_id id : all.vertices) add(id);
  for (block& one : blocks_) {
    one.before = vertices_;
    vertices_ += static_cast<unsigned>(std::popcount(one.present));
  }
  identical_ = vertices_ == all.largest_id + 1;
}

void id_ranks::sort_ids(const drawn_edges& all, unsigned threads) {
  // Sorted runs without duplicates, of which each round merges pairs.
  std::vector<std::vector<vertex_id>> runs(all.chunks.size());
  workload::parallel_for(threads, runs.size(), 1, [&](std::size_t begin, std::size_t end) {
    id_set seen;
    for (std::size_t i = begin; i < end; ++i) {
      seen.clear();
      each_id(all.chunks[i], [&](vertex_id id) { seen.insert(id); });
      runs[i].assign(seen.begin(), seen.end());
      std::sort(runs[i].begin(), runs[i].end());
    }
  });
  if (all.declared.count != 0) {
    std::vector<vertex_id>& declared = runs.emplace_back(all.declared.count);
    std::iota(declared.begin(), declared.end(), all.declared.first);
  }
  if (!all.vertices.empty()) {
    std::vector<vertex_id>& vertices = runs.emplace_back(all.vertices);
    std::sort(vertices.begin(), vertices.end());
    vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  }
  while (runs.size() > 1) {
    std::vector<std::vector<vertex_id>> merged((runs.size() + 1) / 2);
    workload::parallel_for(threads, merged.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (2 * i + 1 == runs.size()) {
          merged[i] = std::move(runs[2 * i]);
          continue;
        }
        std::vector<vertex_id>& a = runs[2 * i];
        std::vector<vertex_id>& b = runs[2 * i + 1];
        merged[i].resize(a.size() + b.size());
        merged[i].erase(std::set_union(a.begin(), a.end(), b.begin(), b.end(), merged[i].begin()),
                        merged[i].end());
        a = {};
        b = {};
      }
    });
    runs = std::move(merged);
  }
  sorted_ = std::move(runs.front());
  vertices_ = sorted_.size();
}

void id_ranks::write_ids(std::span<vertex_id> ids) const {
  if (!sorted_.empty()) {
    std::copy(sorted_.begin(), sorted_.end(), ids.begin());
    return;
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < blocks_.size(); ++i)
    for (std::uint64_t left = blocks_[i].present; left != 0; left &= left - 1)
      ids[next++] = i * 64 + static_cast<unsigned>(std::countr_zero(left));
}

}  // namespace perdure::graph::detail
