// K-mers of sequences as numbers, where a k-mer and its reverse complement are one.
//
// A k-mer has two bits for each base (A 0, C 1, G 2, T and U 3), the first base highest. Of a k-mer and its
// reverse complement the smaller number is the canonical one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <perdure/kmer/nucleotide.hpp>
#include <string>
#include <string_view>

namespace perdure::kmer {

/// Largest k of a k-mer that is a number of 64 bits.
inline constexpr unsigned most_kmer_bases = 31;

/// Calls `visit(position, kmer)` for each k-mer without an ambiguous base, in the order of the sequence, with
/// the position of its first base from 0 and its canonical number. Letters that are no codes of nucleotides
/// count as ambiguous bases. `k` is at most `most_kmer_bases`. O(length).
template <class Visit>
void for_each_canonical_kmer(std::string_view bases, unsigned k, Visit&& visit) {
  const std::uint64_t letters = (std::uint64_t{1} << (2 * k)) - 1;
  const unsigned high = 2 * (k - 1);
  std::uint64_t forward = 0;
  std::uint64_t backward = 0;
  std::size_t known = 0;  // bases since the last ambiguous one
  for (std::size_t i = 0; i < bases.size(); ++i) {
    const std::uint64_t code = code_of_nucleotide(bases[i]);
    if (code >= ambiguous_nucleotide) {
      known = 0;
      continue;
    }
    forward = (forward << 2 | code) & letters;
    backward = backward >> 2 | (3 - code) << high;
    if (++known >= k) visit(i + 1 - k, std::min(forward, backward));
  }
}

/// Returns a k-mer as letters.
inline std::string letters_of_kmer(std::uint64_t kmer, unsigned k) {
  std::string letters(k, ' ');
  for (std::size_t i = k; i-- > 0; kmer >>= 2) letters[i] = "ACGT"[kmer & 3];
  return letters;
}

}  // namespace perdure::kmer
