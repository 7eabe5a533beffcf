// A taxonomy, genomes and reads of any size, drawn at random, for tests and measurements.
//
//     const kmer::synthetic_genomes drawn({.taxa = 1000, .mutation = 0.02});
//     std::string fasta;
//     drawn.append_genomes(0, drawn.lines(), fasta);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <perdure/kmer/taxonomy.hpp>
#include <span>
#include <string>
#include <vector>

namespace perdure::kmer {

/// Parameters of `synthetic_genomes`.
struct synthetic_parameters {
  std::uint64_t taxa = 100;              ///< number of species, 1 to 2^30; each has a genome
  std::uint64_t genome_bases = 100'000;  ///< bases of each genome, 1 to 2^32
  double mutation = 0.02;        ///< share of bases in which a taxon differs from the taxon above it, 0 to 1
  std::uint64_t reads = 10'000;  ///< number of reads
  std::uint64_t read_bases = 150;  ///< bases of each read, at most those of a genome
  double errors = 0.005;           ///< share of the bases of reads that are wrong, 0 to 1
  std::uint64_t seed = 1;          ///< seed of the random numbers
};

/// Where a read was drawn from.
struct read_origin {
  taxon_id taxon = 0;                  ///< taxon of the genome
  std::uint64_t position = 0;          ///< place of its leftmost base in the genome, from 0
  bool is_reverse_complement = false;  ///< the read is the reverse complement of the genome's bases
};

/// A tree of taxa of the ranks phylum, class, order, family, genus and species below a root, with up to four
/// children each but for the root. The root has a random sequence. Each taxon has a copy of the sequence
/// above it in which some bases were replaced by others, and those of species are the genomes. All of it is a
/// pure function of the parameters, so any part may be drawn by any thread, without the others.
///
/// Thread safety: const members from any thread.
class synthetic_genomes {
 public:
  static constexpr std::uint64_t line_bases = 80;  ///< bases of a line of a genome's text

  /// Throws `invalid_argument` for parameters out of range.
  explicit synthetic_genomes(const synthetic_parameters& parameters);

  /// Returns the parameters.
  const synthetic_parameters& parameters() const noexcept { return parameters_; }
  /// Returns the number of taxa, including the root and all between it and the species.
  std::uint64_t nodes() const noexcept { return first_.back() + counts_.back(); }
  /// Returns the id of a species, which are numbered from 0.
  taxon_id species(std::uint64_t number) const noexcept {
    return static_cast<taxon_id>(first_.back() + number + 1);
  }
  /// Returns the number of lines of bases in the text of all genomes.
  std::uint64_t lines() const noexcept { return parameters_.taxa * lines_of_genome_; }

  /// Appends lines of `nodes.dmp` and `names.dmp` for the taxa with the ids `first + 1` to `last`.
  void append_taxa(std::uint64_t first, std::uint64_t last, std::string& nodes, std::string& names) const;
  /// Writes the bases of a species' genome from `position` on, as letters. O(bases).
  void draw_bases(std::uint64_t species, std::uint64_t position, std::span<char> to) const noexcept;
  /// Appends FASTA: the lines `[first, last)` of bases of all genomes, one genome after the other, and before
  /// the first line of each genome its header. Its name is `kraken:taxid|N|genome`, N its taxon.
  void append_genomes(std::uint64_t first, std::uint64_t last, std::string& fasta) const;
  /// Returns the origin of a read, which are numbered from 0.
  read_origin origin(std::uint64_t read) const noexcept;
  /// Appends the reads `[first, last)`, named `r1` and so on, as FASTQ, and to `truth` a line of each: name,
  /// taxon, position in the genome from 1, and strand (+ or -), with tabs between.
  void append_reads(std::uint64_t first, std::uint64_t last, std::string& fastq, std::string& truth) const;

 private:
  static constexpr std::size_t levels = 7;

  synthetic_parameters parameters_;
  std::uint64_t lines_of_genome_ = 0;
  std::uint64_t mutation_limit_ = 0;  // of 2^62
  std::uint64_t error_limit_ = 0;     // of 2^62
  std::uint64_t genomes_key_ = 0;
  std::uint64_t reads_key_ = 0;
  std::array<std::uint64_t, levels> counts_{};  // taxa of each level, from the root down
  std::array<std::uint64_t, levels> first_{};   // number of the first taxon of each level
};

}  // namespace perdure::kmer
