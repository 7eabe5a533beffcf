// Reports of reads by taxon, in the format of Kraken.
#pragma once

#include <cstdint>
#include <perdure/kmer/found_minimizers.hpp>
#include <perdure/kmer/taxonomy.hpp>
#include <span>
#include <string>
#include <vector>

namespace perdure::kmer {

/// A line of a report.
struct clade {
  taxon_node node = 0;       ///< the taxon's node
  unsigned depth = 0;        ///< number of ancestors
  std::uint64_t reads = 0;   ///< reads of the taxon and of all taxa below it
  std::uint64_t direct = 0;  ///< reads of the taxon itself
  std::string rank;          ///< "S" for a species, "S1" one level below it, and so on
};

/// Returns the taxa that have reads, or below which some have, in the order of a report: each taxon is
/// followed by those below it, the ones with more reads first, of as many those with the smaller id. `reads`
/// has the number of reads of each node. O(nodes log nodes).
std::vector<clade> clades_of(const taxonomy_view& taxonomy, const std::vector<std::uint64_t>& reads);

/// Returns a report in Kraken's format, of six columns with tabs between: share of all reads in percent,
/// reads of the taxon and all below it, reads of the taxon itself, rank, id, and the name after two blanks
/// for each ancestor. Reads without a taxon have the first line.
///
/// With `minimizers`, those of each node that were found, two more columns stand before the rank, as Kraken 2
/// has them with `--report-minimizer-data`: minimizers of the taxon and all below it, and distinct ones.
std::string kraken_report(const taxonomy_view& taxonomy, const std::vector<std::uint64_t>& reads,
                          std::uint64_t unclassified, std::span<const minimizer_count> minimizers = {});

/// Returns the text that Krona's `ktImportText` reads: for each taxon with reads of its own a line of their
/// number and the names on the path from the root to it, with tabs between. A tab in a name becomes a blank.
/// Reads without a taxon have the first line.
std::string krona_text(const taxonomy_view& taxonomy, const std::vector<std::uint64_t>& reads,
                       std::uint64_t unclassified);

}  // namespace perdure::kmer
