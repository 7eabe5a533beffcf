// Sizes and counts of an index of k-mers.
#pragma once

#include <perdure/kmer/exact_index.hpp>
#include <perdure/kmer/minimizer_index.hpp>

#include "command.hpp"

namespace perdure::cli {

/// Returns sizes and counts of an index, summed over its layers. O(layers).
json facts_of(const kmer::minimizer_index& index);
/// Returns the same of an exact index. O(sequences).
json facts_of(const kmer::exact_index& index);

}  // namespace perdure::cli
