#include "kmer_facts.hpp"

#include <algorithm>
#include <cstdint>

namespace perdure::cli {

json facts_of(const kmer::minimizer_index& index) {
  const kmer::minimizer_scheme& scheme = index.scheme();
  std::uint64_t sequences = 0;
  std::uint64_t bases = 0;
  std::uint64_t minimizers = 0;
  std::uint64_t bytes = 0;
  std::uint32_t key_bits = 32;  // the smallest number
  for (const kmer::stored_layer* const layer : index.stored_layers()) {
    sequences += layer->sequences;
    bases += layer->bases;
    minimizers += layer->minimizers;
    bytes += layer->bytes();
    key_bits = std::min(key_bits, layer->key_bits);
  }
  return {{"index", index.name()},
          {"k", scheme.k},
          {"l", scheme.l},
          {"spaces", scheme.spaces},
          {"sequences", sequences},
          {"bases", bases},
          {"minimizers", minimizers},
          {"taxa", index.taxa()},
          {"taxa_in_taxonomy", index.taxonomy().size()},
          {"layers", index.layers().size()},
          {"bytes", bytes},
          {"key_bits", key_bits}};
}

json facts_of(const kmer::exact_index& index) {
  std::uint64_t sequences = 0;
  std::uint64_t bases = 0;
  std::uint64_t kmers = 0;
  std::uint64_t occurrences = 0;
  std::uint64_t sets = 0;
  std::uint64_t bytes = 0;
  for (const kmer::stored_exact_layer* const layer : index.stored_layers()) {
    sequences += layer->sequences.size();
    for (const kmer::stored_sequence& one : layer->sequences) bases += one.bases;
    kmers += layer->kmers;
    occurrences += layer->occurrences;
    sets += layer->set_ends.size();
    bytes += layer->bytes();
  }
  return {{"index", index.name()},           {"k", index.k()}, {"prune", index.prune()},
          {"sequences", sequences},          {"bases", bases}, {"kmers", kmers},
          {"occurrences", occurrences},      {"sets", sets},   {"taxa_in_taxonomy", index.taxonomy().size()},
          {"layers", index.tables().size()}, {"bytes", bytes}};
}

}  // namespace perdure::cli
