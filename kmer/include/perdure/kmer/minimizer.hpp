// Minimizers of k-mers, as published for Kraken 2 (Wood, Lu and Langmead, Genome Biology 20:257, 2019).
//
// The minimizer of a k-mer is one of the l-mers in it. An l-mer and its reverse complement count as one: the
// smaller of both as a number, with two bits for each base (A 0, C 1, G 2, T 3), the first base highest.
// Bases of it that a spaced seed leaves out are set to 0. Of the k - l + 1 l-mers of a k-mer the minimizer is
// the one that is smallest after an exclusive or with a constant, which keeps minimizers from being mostly A.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::kmer {

/// Parameters of minimizers.
struct minimizer_scheme {
  unsigned k = 35;  ///< bases of a k-mer
  unsigned l = 31;  ///< bases of a minimizer, at most 31
  /// Bases of a minimizer that are left out: every other one, from the last but one.
  unsigned spaces = 7;

  /// Compares all parameters.
  friend bool operator==(const minimizer_scheme&, const minimizer_scheme&) = default;
};

/// The minimizer of k-mers with an ambiguous base, which have none.
inline constexpr std::uint64_t no_minimizer = std::numeric_limits<std::uint64_t>::max();

/// K-mers, one after the other in a sequence, with the same minimizer.
struct minimizer_run {
  std::uint64_t minimizer = no_minimizer;  ///< the minimizer, or `no_minimizer`
  std::uint32_t kmers = 0;                 ///< number of k-mers
};

/// Returns a minimizer as letters, with a dot for each base that is left out.
std::string letters_of(std::uint64_t minimizer, const minimizer_scheme& scheme);

/// Finds the minimizers of sequences.
///
/// A k-mer with an ambiguous base has no minimizer, with one exception, which Kraken 2 makes: if the first
/// base of the k-mer is its only ambiguous one, and k > l, the minimizer is the one of the k - 1 bases behind
/// it.
///
/// Thread safety: one thread at a time.
class minimizer_scanner {
 public:
  /// Throws `invalid_argument` unless 1 <= l <= 31, l <= k, and half of the minimizer is left with `spaces`.
  explicit minimizer_scanner(const minimizer_scheme& scheme = {});

  /// Adds the runs of a sequence's k-mers to `runs`, in the order of the sequence. Letters that are no codes
  /// of nucleotides count as ambiguous bases. The numbers of k-mers add up to the length - k + 1, or 0.
  /// O(length).
  void scan(std::string_view bases, std::vector<minimizer_run>& runs);

  /// Returns the parameters of the minimizers.
  const minimizer_scheme& scheme() const noexcept { return scheme_; }

 private:
  void scan_stretch(std::string_view bases, std::size_t begin, std::vector<minimizer_run>& runs);

  minimizer_scheme scheme_;
  std::uint64_t letters_;  // bits of a minimizer
  std::uint64_t seed_;     // bits that the spaced seed keeps
  std::uint64_t toggle_;
  std::vector<std::uint64_t> candidates_;  // l-mers of a stretch without ambiguous bases
  std::size_t first_run_ = 0;              // of the sequence
};

}  // namespace perdure::kmer
