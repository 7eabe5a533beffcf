// An index of minimizers that is being built with a budget, as an object in its store.
#pragma once

#include <cstdint>
#include <perdure/container/vector.hpp>
#include <perdure/kmer/minimizer_index.hpp>

#include "packed_minimizer.hpp"
#include "stored_scan.hpp"
#include "stored_sort.hpp"

namespace perdure::kmer::detail {

struct stored_build {
  build_stage stage = build_stage::collecting;
  stored_scan scan;
  stored_sort<packed_minimizer> sorted;
  perdure::vector<std::uint8_t> used;  ///< for each node of the taxonomy whether a minimizer has it
  // The layer, as far as it is filled.
  std::uint64_t pages = 0;     ///< number of pages that the table will have
  std::uint64_t in_layer = 0;  ///< number of minimizers that are in pages
  stored_layer layer;
};

}  // namespace perdure::kmer::detail
