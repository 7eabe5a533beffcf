#include "minimizer_sets.hpp"

namespace perdure::kmer::detail {

void minimizer_sets::add(std::span<const minimizer_run> runs, taxon_node node) {
  std::vector<minimizer_taxon> pairs;
  pairs.reserve(runs.size());
  for (const minimizer_run& run : runs)
    if (run.minimizer != no_minimizer) pairs.push_back({hash_(run.minimizer), node});
  add(pairs);
}

void minimizer_sets::end_batch(const scan_position& /*reached*/) {
  merge_if(false);
}
void minimizer_sets::merge_all() {
  merge_if(true);
}

void minimizer_sets::merge_if(bool all) {
  parts_.merge(threads_, all, has_smaller_hash,
               [this](std::span<minimizer_taxon> sorted) { return keep_each_once(sorted, taxonomy_); });
}

std::uint64_t minimizer_sets::size() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& part : parts_) sum += part.merged;
  return sum;
}

}  // namespace perdure::kmer::detail
