#include <algorithm>
#include <bit>
#include <numeric>
#include <perdure/error.hpp>
#include <perdure/graph/vertex_index.hpp>
#include <string>

namespace perdure::graph {

void vertex_index::resize() {
  const std::size_t vertices = first_.back();
  if (vertices >= no_vertex)
    throw error(errc::unsupported, "the graph has " + std::to_string(vertices) +
                                       " vertices; algorithms work on at most 2^32 - 2");
  ids_.resize(vertices);
  neighbours_.resize(vertices);
}

void vertex_index::make_lookup(unsigned threads) {
  const vertex_id max_id = ids_.empty() ? 0 : *std::max_element(ids_.begin(), ids_.end());
  // Up to four array entries a vertex cost no more memory than the table, and one access instead of two.
  if (max_id / 4 <= ids_.size() + 256) {
    by_id_.assign(max_id + 1, no_vertex);
    parallel_for(threads, ids_.size(), std::size_t{1} << 16, [&](std::size_t begin, std::size_t end) {
      for (std::size_t h = begin; h < end; ++h) by_id_[ids_[h]] = static_cast<vertex_handle>(h);
    });
    return;
  }
  table_first_.resize(bank_count + 1);
  for (std::size_t i = 0; i < bank_count; ++i)
    table_first_[i + 1] = table_first_[i] + std::bit_ceil(2 * (first_[i + 1] - first_[i]) + 1);
  table_.resize(table_first_.back());
  parallel_for(threads, bank_count, 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t bank = begin; bank < end; ++bank) {
      slot* table = table_.data() + table_first_[bank];
      const std::size_t mask = table_first_[bank + 1] - table_first_[bank] - 1;
      for (std::size_t h = first_[bank]; h < first_[bank + 1]; ++h) {
        std::size_t i = vertex_hash{}(ids_[h]) & mask;
        while (table[i].handle != no_vertex) i = (i + 1) & mask;
        table[i] = {ids_[h], static_cast<vertex_handle>(h)};
      }
    }
  });
}

std::vector<vertex_handle> vertex_index::in_id_order() const {
  std::vector<vertex_handle> order;
  if (!by_id_.empty()) {
    order.reserve(size());
    for (const vertex_handle h : by_id_)
      if (h != no_vertex) order.push_back(h);
    return order;
  }
  order.resize(size());
  std::iota(order.begin(), order.end(), vertex_handle{0});
  std::sort(order.begin(), order.end(),
            [this](vertex_handle a, vertex_handle b) { return ids_[a] < ids_[b]; });
  return order;
}

}  // namespace perdure::graph
