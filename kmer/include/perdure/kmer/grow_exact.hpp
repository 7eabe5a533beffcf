// Adds genomes to an exact index, takes them out, and merges indexes and their layers.
#pragma once

#include <filesystem>
#include <perdure/kmer/build_exact.hpp>
#include <perdure/kmer/exact_index.hpp>
#include <perdure/kmer/sequence_taxa.hpp>
#include <perdure/manager.hpp>
#include <string>
#include <vector>

namespace perdure::kmer {

/// Adds all sequences of FASTA or FASTQ files to the exact index that `options` name, with the index's k,
/// `prune` and taxonomy. They become the last layer, with which earlier layers are merged as `add_genomes`
/// does. Answers are those of one index of all genomes. Takes time and memory in proportion to that layer.
/// After an exception the index is as it was.
///
/// Throws what `build_exact_index` and `exact_index` throw, but `already_exists`; and `bad_input` for a
/// sequence whose name the index has already.
exact_result add_exact_genomes(manager& store, const std::vector<std::filesystem::path>& genomes,
                               const sequence_taxa& taxa, const exact_options& options = {});

/// Takes sequences out of the exact index that `options` name: their k-mers count less, and k-mers that no
/// sequence has any more go. The index has one layer then, the same as if it had been built without them.
/// Takes time in proportion to the index. After an exception the index is as it was.
///
/// Throws what reading files throws; `bad_input` for a sequence that the index does not have by name, bases,
/// taxon and k-mers, and where no k-mer would be left; and `unsupported` for an index with `prune`, whose
/// common ancestors do not say which genomes made them.
exact_result remove_exact_genomes(manager& store, const std::vector<std::filesystem::path>& genomes,
                                  const sequence_taxa& taxa, const exact_options& options = {});

/// Adds the genomes of another exact index, as `add_exact_genomes` adds those of files. Throws `bad_input`
/// for another k or `prune`, for a sequence that both have by name, and for a taxon that this index's
/// taxonomy does not have; of indexes with `prune` both taxonomies must be the same.
exact_result merge_exact_index(manager& store, const exact_index& other, const exact_options& options = {});

/// Merges all layers of an exact index. It is the same then as if one `build_exact_index` had taken all
/// genomes. After an exception the index is as it was. Throws what `exact_index` throws.
exact_result compact_exact_index(manager& store, const std::string& name = default_index_name,
                                 unsigned threads = 1);

}  // namespace perdure::kmer
