// Fills the table of a layer, and reads the minimizers back.
#pragma once

#include <cstdint>
#include <perdure/kmer/minimizer_index.hpp>
#include <perdure/kmer/taxonomy.hpp>
#include <vector>

#include "minimizer_sets.hpp"

namespace perdure::kmer::detail {

/// Makes nodes and numbers of an empty layer, of which minimizers have the nodes in `used`. Returns how many
/// pages its table has at least. Throws `unsupported` for more than 2^24 - 1 taxa, ancestors included.
std::uint64_t begin_layer(stored_layer& layer, const std::vector<bool>& used, std::uint64_t minimizers,
                          const taxonomy_view& taxonomy);
/// Returns the number of pages to try where one of so many has no room for what belongs there.
std::uint64_t more_pages(std::uint64_t pages) noexcept;

/// Makes nodes, table and rests of an empty layer. All of the sets are merged. The same minimizers make the
/// same layer. Throws `unsupported` for more than 2^24 - 1 taxa, ancestors included.
void fill_layer(stored_layer& layer, const minimizer_sets& sets, const taxonomy_view& taxonomy,
                unsigned threads);

/// Adds all minimizers of a layer with their nodes.
void add_layer(minimizer_sets& sets, const stored_layer& layer, unsigned threads);

}  // namespace perdure::kmer::detail
