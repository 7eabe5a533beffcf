// Layers of exact indexes, made of counts of k-mers and read back.
#pragma once

#include <cstddef>
#include <functional>
#include <perdure/kmer/exact_index.hpp>
#include <perdure/kmer/minimizer_hash.hpp>
#include <perdure/kmer/taxonomy.hpp>
#include <string>
#include <vector>

#include "kmer_counts.hpp"

namespace perdure::kmer::detail {

/// A sequence of an index, with its name.
struct named_sequence {
  std::string name;
  stored_sequence counts;
};

/// Fills an empty layer from merged counts, which are forgotten, and sequences in any order. `prune` is the
/// most taxa of a k-mer, or 0. The same counts make the same layer for any number of threads.
void fill_exact_layer(stored_exact_layer& layer, kmer_counts& counts, std::vector<named_sequence> sequences,
                      const taxonomy_view& taxonomy, unsigned prune, unsigned hash_bits, unsigned threads);

/// Stores sequences, sorted by name.
void store_sequences(stored_exact_layer& layer, std::vector<named_sequence> sequences);

/// Adds the k-mers of a layer to counts. `node_of` returns the node that a node of the layer has there.
void add_exact_layer(kmer_counts& counts, const stored_exact_layer& layer, unsigned hash_bits,
                     unsigned threads, const std::function<taxon_node(taxon_node)>& node_of);

}  // namespace perdure::kmer::detail
