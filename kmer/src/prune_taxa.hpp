// Sets of taxa with a limit of their size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <perdure/kmer/exact_index.hpp>
#include <perdure/kmer/taxonomy.hpp>
#include <vector>

namespace perdure::kmer::detail {

/// Replaces taxa by common ancestors, the deepest common ancestors first and those of one depth together,
/// until at most `most` taxa are left. `pruned_from` is the depth down to which that was done before, or
/// `stored_exact_layer::not_pruned`: ancestors at least as deep are taken in any case. Returns that depth for
/// the result. So sets that were pruned and are then put together give what all their taxa at once give.
///
/// `taxa` are sorted by node and stay so. `most` is not 0. O(depth × taxa log taxa), if there are too many.
std::uint32_t prune_taxa(const taxonomy_view& taxonomy, std::size_t most, std::uint32_t pruned_from,
                         std::vector<taxon_count>& taxa);

/// Sorts taxa by node and adds up the counts of those that are there more than once. Throws `unsupported`
/// where a count does not fit 32 bits.
void add_up(std::vector<taxon_count>& taxa);

}  // namespace perdure::kmer::detail
