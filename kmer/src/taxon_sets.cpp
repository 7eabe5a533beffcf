#include "taxon_sets.hpp"

#include <algorithm>
#include <cstring>
#include <perdure/error.hpp>

#include "prune_taxa.hpp"

namespace perdure::kmer::detail {

std::uint32_t taxon_set::pruned_from() const noexcept {
  std::uint32_t depth = 0;
  std::memcpy(&depth, bytes.data(), sizeof depth);
  return depth;
}

std::vector<taxon_count> taxon_set::taxa() const {
  std::vector<taxon_count> all((bytes.size() - sizeof(std::uint32_t)) / sizeof(taxon_count));
  std::memcpy(all.data(), bytes.data() + sizeof(std::uint32_t), all.size() * sizeof(taxon_count));
  return all;
}

std::uint32_t taxon_sets::number_of(std::string_view bytes, std::uint64_t kmers) {
  auto found = numbers_.find(bytes);
  if (found == numbers_.end()) {
    found = numbers_.emplace(std::string(bytes), static_cast<std::uint32_t>(sets_.size())).first;
    sets_.push_back({found->first, 0});
  }
  sets_[found->second].kmers += kmers;
  return found->second;
}

numbered_kmers number_kmers(std::span<const kmer_count> counts, const taxonomy_view& taxonomy,
                            unsigned prune) {
  numbered_kmers made;
  std::vector<taxon_count> taxa;
  std::string bytes;
  for (std::size_t i = 0; i < counts.size();) {
    const std::uint64_t hash = counts[i].hash;
    std::uint32_t pruned_from = stored_exact_layer::not_pruned;
    taxa.clear();
    for (; i < counts.size() && counts[i].hash == hash; ++i) {
      if ((counts[i].node & kmer_count::pruned) != 0) {
        pruned_from = std::min(pruned_from, counts[i].node & ~kmer_count::pruned);
        continue;
      }
      taxa.push_back({counts[i].node, counts[i].count});
      made.occurrences += counts[i].count;
    }
    if (prune != 0) pruned_from = prune_taxa(taxonomy, prune, pruned_from, taxa);
    bytes.assign(reinterpret_cast<const char*>(&pruned_from), sizeof pruned_from);
    bytes.append(reinterpret_cast<const char*>(taxa.data()), taxa.size() * sizeof(taxon_count));
    made.kmers.push_back({packed_hash(hash), made.sets.number_of(bytes, 1)});
  }
  return made;
}

std::vector<std::uint32_t> store_sets(stored_exact_layer& layer, const taxon_sets& sets) {
  const std::vector<taxon_set>& all = sets.all();
  if (all.size() >= exact_table_view::none)
    throw error(errc::unsupported,
                "the genomes have more than 2^32 - 2 sets of taxa with a k-mer; use --prune");
  std::vector<std::uint32_t> order(all.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&all](std::uint32_t a, std::uint32_t b) {
    return all[a].kmers != all[b].kmers ? all[a].kmers > all[b].kmers : all[a].bytes < all[b].bytes;
  });
  std::uint64_t end = 0;
  bool has_pruned = false;
  for (const std::uint32_t number : order) {
    const std::vector<taxon_count> taxa = all[number].taxa();
    layer.taxa.insert(layer.taxa.end(), taxa.begin(), taxa.end());
    layer.set_ends.push_back(end += taxa.size());
    has_pruned = has_pruned || all[number].pruned_from() != stored_exact_layer::not_pruned;
  }
  if (has_pruned)
    for (const std::uint32_t number : order) layer.pruned_from.push_back(all[number].pruned_from());
  std::vector<std::uint32_t> place(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  return place;
}

}  // namespace perdure::kmer::detail
