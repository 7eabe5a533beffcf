#include "prune_taxa.hpp"

#include <algorithm>
#include <limits>
#include <perdure/error.hpp>

namespace perdure::kmer::detail {
namespace {

std::uint32_t depth_of(const taxonomy_view& taxonomy, taxon_node node) noexcept {
  std::uint32_t depth = 0;
  for (; node != 0; node = taxonomy.parents[node]) ++depth;
  return depth;
}

/// A taxon on its way to the root.
struct lifted_taxon {
  taxon_node at = 0;
  std::uint32_t depth = 0;  // of `at`
  taxon_count taxon;
};

}  // namespace

void add_up(std::vector<taxon_count>& taxa) {
  std::sort(taxa.begin(), taxa.end(), [](const auto& a, const auto& b) { return a.node < b.node; });
  std::size_t kept = 0;
  for (const taxon_count& one : taxa) {
    if (kept == 0 || taxa[kept - 1].node != one.node) {
      taxa[kept++] = one;
      continue;
    }
    std::uint32_t& sum = taxa[kept - 1].count;
    if (one.count > std::numeric_limits<std::uint32_t>::max() - sum)
      throw error(errc::unsupported,
                  "a taxon has a k-mer more than 2^32 - 1 times, which an index cannot count");
    sum += one.count;
  }
  taxa.resize(kept);
}

std::uint32_t prune_taxa(const taxonomy_view& taxonomy, std::size_t most, std::uint32_t pruned_from,
                         std::vector<taxon_count>& taxa) {
  if (taxa.size() <= most && pruned_from == stored_exact_layer::not_pruned) return pruned_from;
  std::vector<lifted_taxon> all;
  all.reserve(taxa.size());
  std::uint32_t depth = 0;
  for (const taxon_count& one : taxa) {
    all.push_back({one.node, depth_of(taxonomy, one.node), one});
    depth = std::max(depth, all.back().depth);
  }
  std::uint32_t pruned_to = pruned_from;
  for (;; --depth) {
    if (all.size() <= most && (pruned_from == stored_exact_layer::not_pruned || depth < pruned_from)) break;
    for (lifted_taxon& one : all)
      if (one.depth > depth) {
        one.at = taxonomy.parents[one.at];
        --one.depth;
      }
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
    std::vector<lifted_taxon> merged;
    for (const lifted_taxon& one : all) {
      if (merged.empty() || merged.back().at != one.at) {
        merged.push_back(one);
        continue;
      }
      std::vector<taxon_count> both{{one.at, merged.back().taxon.count}, {one.at, one.taxon.count}};
      add_up(both);
      merged.back().taxon = both.front();
    }
    all.swap(merged);
    pruned_to = depth;
    if (depth == 0) break;
  }
  taxa.clear();
  for (const lifted_taxon& one : all) taxa.push_back(one.taxon);
  std::sort(taxa.begin(), taxa.end(), [](const auto& a, const auto& b) { return a.node < b.node; });
  return pruned_to;
}

}  // namespace perdure::kmer::detail
