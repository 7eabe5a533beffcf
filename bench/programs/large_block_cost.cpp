// Is a large block as cheap in a big store as in a small one? The blocks are never touched, so a store of
// hundreds of gigabytes fits any machine.
#include <algorithm>
#include <perdure/datastore.hpp>
#include <perdure/heap.hpp>
#include <vector>

#include "measure.hpp"
#include "store_cost.hpp"

namespace perdure::bench {

nlohmann::json large_blocks(const store_workload& work) {
  constexpr std::size_t block_bytes = std::size_t{2} << 20;
  constexpr std::size_t measured = 1000;
  const std::filesystem::path path = work.directory / "large";
  std::filesystem::remove_all(path);
  nlohmann::json result;
  {
    const auto store =
        datastore::create(path, {.capacity = std::max<std::size_t>(2 * work.bytes, std::size_t{8} << 30)});
    const auto memory = heap::format(store->memory());
    std::vector<void*> blocks;
    blocks.reserve(work.bytes / block_bytes + measured);
    while (blocks.size() * block_bytes < work.bytes) blocks.push_back(memory->allocate(block_bytes));

    std::vector<double> nanoseconds;
    for (std::size_t i = 0; i < measured; ++i) {
      const double start = wall_seconds();
      blocks.push_back(memory->allocate(block_bytes));
      nanoseconds.push_back((wall_seconds() - start) * 1e9);
    }
    // Holes all over the store: freeing and taking again must not search.
    std::vector<double> refill;
    for (std::size_t i = 0; i < measured; ++i) {
      void*& block = blocks[(i * 7919) % blocks.size()];
      const double start = wall_seconds();
      memory->deallocate(block);
      block = memory->allocate(block_bytes);
      refill.push_back((wall_seconds() - start) * 1e9);
    }
    const auto median = [](std::vector<double>& values) {
      std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                       values.end());
      return values[values.size() / 2];
    };
    double total = 0;
    for (const double value : nanoseconds) total += value;
    result = {{"store_bytes", work.bytes},
              {"median_ns", median(nanoseconds)},
              {"mean_ns", total / measured},
              {"pair_median_ns", median(refill)}};
    store->close();
  }
  std::filesystem::remove_all(path);
  return result;
}

}  // namespace perdure::bench
