// Finds the taxon of a read, by the rules of Kraken 2.
//
// Each k-mer of a read has the taxon that the index has for its minimizer, or none. The score of a taxon is
// the number of k-mers with this taxon or one of its ancestors. The read gets the taxon with the highest
// score. Several taxa with the highest score give their lowest common ancestor. With a confidence, the read
// gets the nearest taxon, from there upwards, whose clade has that share of the read's k-mers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <perdure/kmer/minimizer_index.hpp>
#include <perdure/kmer/sequence_reader.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::kmer {

/// Rules by which a read gets its taxon.
struct classify_rules {
  /// Least share of a read's k-mers, ambiguous ones too, that its taxon and the taxa below it have: 0 to 1.
  double confidence = 0;
  /// Least number of runs of k-mers with the same minimizer and a taxon. A read with fewer gets no taxon.
  std::uint64_t minimum_hit_groups = 2;
};

/// K-mers in a row that have the same taxon.
struct kmer_hits {
  static constexpr std::uint32_t ambiguous = 0xffffffff;    ///< k-mers with an ambiguous base
  static constexpr std::uint32_t mate_border = 0xfffffffe;  ///< stands between the reads of a pair

  std::uint32_t taxon = 0;  ///< number of the index, 0: none, or one of the above
  std::uint32_t kmers = 0;  ///< number of k-mers
};

/// The answer for a read or a pair.
struct classified_read {
  std::uint32_t taxon = 0;          ///< number of the index, or 0
  std::uint64_t kmers = 0;          ///< number of k-mers
  std::uint64_t hit_groups = 0;     ///< number of hit groups
  std::span<const kmer_hits> hits;  ///< in the order of the read, valid until the next batch
};

/// K-mers of a read, one after the other, with the same minimizer and a taxon. K-mers with an ambiguous base
/// do not end a group.
struct hit_group {
  std::uint64_t minimizer = no_minimizer;  ///< the minimizer
  std::uint32_t taxon = 0;                 ///< number of the index
};

/// Minimizers of some reads, and their taxa.
struct scanned_reads {
  /// Runs of all reads. Between the reads of a pair is a run of no k-mers.
  std::vector<minimizer_run> runs;
  std::vector<std::size_t> ends;    ///< end of each read's runs
  std::vector<std::uint32_t> taxa;  ///< taxon of each run: number of the index, or 0
};

/// Classifies batches of reads. The index must outlive it.
///
/// `classify` does three steps, which can be done apart: `scan`, `find_taxa` (or a `batch_lookup`),
/// `resolve`.
///
/// Thread safety: one thread at a time.
class read_classifier {
 public:
  /// `keeps_groups`: whether `hit_groups` returns any. Throws `invalid_argument` for a confidence that is not
  /// in [0, 1].
  read_classifier(const minimizer_index& index, const classify_rules& rules, bool keeps_groups = false);

  /// Classifies reads, or pairs where there are as many mates as reads, and returns one result for each.
  /// Valid until the next call. Throws `invalid_argument` for another number of mates.
  std::span<const classified_read> classify(std::span<const sequence> reads,
                                            std::span<const sequence> mates = {});
  /// Replaces `scanned` by the minimizers of reads, without taxa. Throws like `classify`.
  void scan(std::span<const sequence> reads, std::span<const sequence> mates, scanned_reads& scanned);
  /// Looks for the taxa of all runs, one by one.
  void find_taxa(scanned_reads& scanned);
  /// Returns one result for each of the reads. Valid until the next call.
  std::span<const classified_read> resolve(const scanned_reads& scanned);
  /// Returns the hit groups of the last batch, those of reads without a taxon too. Valid until the next call
  /// of `classify` or `resolve`.
  std::span<const hit_group> hit_groups() const noexcept { return groups_; }

 private:
  void count_hits(const scanned_reads& scanned, std::size_t begin, std::size_t end, classified_read& read);
  std::uint32_t best_taxon(std::uint64_t kmers);

  const minimizer_index& index_;
  classify_rules rules_;
  bool keeps_groups_;
  minimizer_scanner scanner_;
  scanned_reads scanned_;                 // of `classify`
  std::vector<std::uint64_t> hashes_;     // of each run
  std::vector<table_place> places_;       // of look-ups that wait for memory, in each layer
  std::vector<kmer_hits> hits_;           // of a batch
  std::vector<hit_group> groups_;         // of a batch
  std::vector<std::size_t> hit_ends_;     // of each read's hits
  std::vector<classified_read> results_;  // of a batch
  std::vector<std::uint32_t> counts_;     // k-mers of a read, for each taxon
  std::vector<std::uint32_t> found_;      // taxa with a count
};

/// Appends a line of Kraken's output, with its end: C or U, the name, the taxon's id, the length, and the
/// hits as "taxon:k-mers" with A for ambiguous k-mers and "|:|" between mates. `mate` is null for a single
/// read.
void append_kraken_line(std::string& to, const minimizer_index& index, const classified_read& found,
                        const sequence& read, const sequence* mate);

}  // namespace perdure::kmer
