// An exact index that is being built with a budget, as an object in its store.
#pragma once

#include <cstdint>
#include <perdure/container/vector.hpp>
#include <perdure/kmer/exact_index.hpp>

#include "kmer_counts.hpp"
#include "stored_scan.hpp"
#include "stored_sort.hpp"
#include "taxon_sets.hpp"

namespace perdure::kmer::detail {

struct stored_exact_build {
  build_stage stage = build_stage::collecting;
  stored_scan scan;
  perdure::vector<stored_sequence> sequences;  ///< in the order of reading
  perdure::vector<char> names;                 ///< their names, one after the other
  stored_sort<kmer_count> sorted;
  std::uint64_t kmers = 0;                 ///< number of distinct ones that are merged
  stored_entries<numbered_kmer> numbered;  ///< each k-mer with its set, while pages are filled
  stored_exact_layer layer;
};

}  // namespace perdure::kmer::detail
