// The sequences of genomes, their names and their taxa.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <perdure/kmer/build_index.hpp>
#include <perdure/kmer/sequence_reader.hpp>
#include <perdure/kmer/sequence_taxa.hpp>
#include <perdure/kmer/taxonomy.hpp>
#include <string>
#include <string_view>
#include <unordered_set>

namespace perdure::kmer::detail {

/// Finds the taxon of each sequence, and counts sequences and bases.
class genome_names {
 public:
  /// `advice` is a sentence for a taxon that the taxonomy does not have.
  genome_names(const taxonomy_view& taxonomy, const sequence_taxa& taxa, unmapped_sequences unmapped,
               std::string advice);

  /// Goes on after other sequences, with what was counted of them and their names, a line each.
  void resume(const build_result& counts, std::string_view names);
  /// Returns the node of a sequence, or nothing where it is to be left out. Throws `bad_input` with file and
  /// record where the name was there before, and where the taxon is not known.
  std::optional<taxon_node> take(const std::filesystem::path& file, std::uint64_t record,
                                 const sequence& one);
  /// Number of sequences, skipped ones, and bases so far.
  const build_result& counts() const noexcept { return counts_; }

 private:
  taxonomy_view taxonomy_;
  const sequence_taxa& taxa_;
  unmapped_sequences unmapped_;
  std::string advice_;
  std::unordered_set<std::string> names_;
  build_result counts_;
};

/// Throws `bad_input`: the genomes have no k-mer.
[[noreturn]] void throw_nothing_to_index(unsigned k);

}  // namespace perdure::kmer::detail
