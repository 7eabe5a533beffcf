#include "minimizer_sets.hpp"

#include <algorithm>
#include <array>
#include <perdure/workload/parallel.hpp>

namespace perdure::kmer::detail {

void minimizer_sets::add(std::span<const minimizer_run> runs, taxon_node node) {
  std::vector<minimizer_taxon> pairs;
  pairs.reserve(runs.size());
  for (const minimizer_run& run : runs)
    if (run.minimizer != no_minimizer) pairs.push_back({hash_(run.minimizer), node});
  add(pairs);
}

void minimizer_sets::add(std::span<const minimizer_taxon> pairs) {
  // Sorted by part first, so that each part is locked once.
  std::array<std::size_t, parts + 1> ends{};
  constexpr unsigned shift = 64 - part_bits;
  for (const minimizer_taxon& pair : pairs) ++ends[(pair.hash >> shift) + 1];
  for (std::size_t i = 0; i < parts; ++i) ends[i + 1] += ends[i];
  std::vector<minimizer_taxon> sorted(pairs.size());
  std::array<std::size_t, parts + 1> next = ends;
  for (const minimizer_taxon& pair : pairs) sorted[next[pair.hash >> shift]++] = pair;
  for (std::size_t i = 0; i < parts; ++i) {
    if (ends[i] == ends[i + 1]) continue;
    const std::lock_guard lock(parts_[i].mutex);
    parts_[i].all.insert(parts_[i].all.end(), sorted.begin() + static_cast<std::ptrdiff_t>(ends[i]),
                         sorted.begin() + static_cast<std::ptrdiff_t>(ends[i + 1]));
  }
}

void minimizer_sets::merge(set_part& part) const {
  std::vector<minimizer_taxon>& all = part.all;
  const auto added = all.begin() + static_cast<std::ptrdiff_t>(part.merged);
  std::sort(added, all.end(), has_smaller_hash);
  std::inplace_merge(all.begin(), added, all.end(), has_smaller_hash);
  const std::size_t kept = keep_each_once(std::span(all), taxonomy_);
  all.resize(kept);
  part.merged = kept;
}

void minimizer_sets::end_batch(const scan_position& /*reached*/) {
  merge_if(false);
}
void minimizer_sets::merge_all() {
  merge_if(true);
}

void minimizer_sets::merge_if(bool all) {
  constexpr std::size_t least = 4096;
  workload::parallel_for(threads_, parts, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (all || parts_[i].all.size() > 2 * parts_[i].merged + least) merge(parts_[i]);
  });
}

std::uint64_t minimizer_sets::size() const noexcept {
  std::uint64_t sum = 0;
  for (const set_part& part : parts_) sum += part.merged;
  return sum;
}

}  // namespace perdure::kmer::detail
