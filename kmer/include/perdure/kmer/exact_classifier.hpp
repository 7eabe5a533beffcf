// Finds the taxa of reads by an exact index, from the scores of all taxa that have k-mers of a read.
//
// The score of a taxon is the share of a read's distinct k-mers that it or a taxon below it has (Ames et al.:
// "Scalable metagenomic taxonomy classification using a reference genome database", Bioinformatics 2013).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <perdure/kmer/classify_files.hpp>
#include <perdure/kmer/exact_index.hpp>
#include <perdure/kmer/read_source.hpp>
#include <perdure/kmer/sequence_reader.hpp>
#include <perdure/kmer/taxonomy.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::kmer {

/// How a read came by its taxon.
enum class match_kind : unsigned char {
  direct,     ///< one lineage has the best scores
  several,    ///< several lineages do, and have this common ancestor
  none,       ///< no k-mer is in the index
  too_short,  ///< the read has no k-mer without an ambiguous base
};

/// Score of a taxon for a read.
struct taxon_score {
  taxon_node node = 0;  ///< the taxon's node
  double score = 0;     ///< from 0 to 1
};

/// Answer for a read, or for a pair of reads.
struct scored_read {
  std::uint64_t kmers = 0;  ///< number of distinct canonical k-mers
  /// Scores of the taxa that k-mers of the read have, by falling score and then by node.
  std::span<const taxon_score> scores;
  double mean = 0;                      ///< mean of the scores
  double deviation = 0;                 ///< standard deviation of the scores
  match_kind match = match_kind::none;  ///< how the read came by its taxon
  taxon_score found;                    ///< the read's taxon, with `direct` and `several`

  /// Returns whether `found` is valid.
  bool has_taxon() const noexcept { return match == match_kind::direct || match == match_kind::several; }
};

/// Classifies reads one by one. The index must outlive it.
///
/// Taxa count whose scores are at most one standard deviation below the best one. A lineage ends with such a
/// taxon that has none of them below it. The read's taxon is the end of the only lineage, or the common
/// ancestor of the ends of several.
///
/// Thread safety: one thread at a time.
class exact_classifier {
 public:
  /// Classifies with `index`. Takes 8 bytes and a bit for each node of its taxonomy.
  /// Throws `std::bad_alloc`.
  explicit exact_classifier(const exact_index& index);

  /// Returns the answer for a read, and its mate if it has one. It is valid until the next call. O(k-mers ×
  /// taxa of a k-mer × depth of the taxonomy).
  scored_read classify(std::string_view bases, std::string_view mate = {});

 private:
  void collect(std::string_view bases);
  void count(std::span<const taxon_count> taxa);

  const exact_index& index_;
  std::vector<std::uint64_t> kmers_;   // of the read
  std::vector<std::uint32_t> counts_;  // of each node, for the k-mers of it and those below
  std::vector<std::uint32_t> marks_;   // number of the k-mer that each node was counted for last
  std::vector<bool> is_direct_;        // whether a k-mer has the node itself
  std::vector<taxon_node> touched_;
  std::vector<taxon_count> room_;
  std::vector<taxon_score> scores_;
  std::uint32_t mark_ = 0;
};

/// Appends the line that LMAT writes for a read. Its columns have tabs between:
/// - the name and the bases, with a `|` between the bases of a pair;
/// - the mean, the standard deviation and the number of k-mers;
/// - each taxon with its score;
/// - the read's taxon with its score and kind of match, -1 for a read without a taxon.
void append_score_line(std::string& to, const exact_index& index, const scored_read& found,
                       const sequence& read, const sequence* mate);

/// Options of `score_files`.
struct score_options {
  unsigned threads = 1;                            ///< number of threads
  std::size_t batch_bytes = std::size_t{1} << 19;  ///< text of reads that a thread takes at a time
  /// Function that gets the lines of `append_score_line`, some at a time, in the order of the reads. One
  /// thread calls it at a time. Its exceptions end the work. Without it no lines are made.
  std::function<void(std::string_view)> on_lines = {};
  /// Function that gets the number of reads in a batch that was classified, and of their bases. Several
  /// threads call it at a time. Its exceptions end the work.
  std::function<void(std::uint64_t reads, std::uint64_t bases)> on_batch = {};
};

/// Classifies all reads of a source. Answers do not depend on the number of threads. Throws what the source
/// throws, like `classify_files`.
classify_result score_files(const exact_index& index, read_source& source, const score_options& options);

}  // namespace perdure::kmer
