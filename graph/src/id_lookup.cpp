// Makes the look-up of vertices by many threads.
#include <algorithm>
#include <atomic>
#include <bit>
#include <perdure/graph/id_lookup.hpp>
#include <perdure/workload/parallel.hpp>

namespace perdure::graph {

id_lookup::id_lookup(std::span<const vertex_id> ids, unsigned threads) {
  constexpr std::size_t grain = std::size_t{1} << 16;
  const vertex_id largest = ids.empty() ? 0 : *std::max_element(ids.begin(), ids.end());
  // Up to four array entries a vertex cost no more memory than the table, and one access instead of two.
  if (largest / 4 <= ids.size() + 256) {
    by_id_.assign(largest + 1, no_vertex);
    workload::parallel_for(threads, ids.size(), grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t h = begin; h < end; ++h) by_id_[ids[h]] = static_cast<vertex_handle>(h);
    });
    return;
  }
  table_.resize(std::bit_ceil(2 * ids.size() + 1));
  mask_ = table_.size() - 1;
  workload::parallel_for(threads, ids.size(), grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t h = begin; h < end; ++h) {
      // The ids differ, so a slot is either free or another's: who gets it may write the id at leisure.
      for (std::size_t i = vertex_hash{}(ids[h]) & mask_;; i = (i + 1) & mask_) {
        vertex_handle expected = no_vertex;
        if (!std::atomic_ref(table_[i].handle)
                 .compare_exchange_strong(expected, static_cast<vertex_handle>(h), std::memory_order_relaxed))
          continue;
        table_[i].id = ids[h];
        break;
      }
    }
  });
}

}  // namespace perdure::graph
