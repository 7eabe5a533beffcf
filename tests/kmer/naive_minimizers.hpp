// Minimizers by their definition, of one k-mer at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <perdure/kmer/minimizer.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::test {

/// Returns the code of a base, or 4.
inline unsigned naive_code(char base) {
  const std::size_t at = std::string_view("ACGTacgtUu").find(base);
  return at == std::string_view::npos ? 4 : at < 8 ? static_cast<unsigned>(at % 4) : 3;
}

/// Returns the minimizer of the l-mers in `bases`, by number: the spaced seed and the exclusive or included.
inline std::uint64_t naive_minimizer(std::string_view bases, const kmer::minimizer_scheme& scheme) {
  std::uint64_t toggle = 0xe37e28c4271b5a2d;
  if (scheme.l < 32) toggle &= (std::uint64_t{1} << (2 * scheme.l)) - 1;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t begin = 0; begin + scheme.l <= bases.size(); ++begin) {
    std::uint64_t forward = 0;
    std::uint64_t backward = 0;
    for (std::size_t i = 0; i < scheme.l; ++i) {
      forward = forward * 4 + naive_code(bases[begin + i]);
      backward = backward * 4 + (3 - naive_code(bases[begin + scheme.l - 1 - i]));
    }
    std::uint64_t one = std::min(forward, backward);
    for (unsigned i = 0; i < scheme.spaces; ++i) one &= ~(std::uint64_t{3} << (2 * (2 * i + 1)));
    least = std::min(least, one ^ toggle);
  }
  return least ^ toggle;
}

/// Returns the minimizer of each k-mer of a sequence; `no_minimizer` where it has none.
inline std::vector<std::uint64_t> naive_minimizers(std::string_view bases,
                                                   const kmer::minimizer_scheme& scheme) {
  std::vector<std::uint64_t> all;
  for (std::size_t begin = 0; begin + scheme.k <= bases.size(); ++begin) {
    std::string_view window = bases.substr(begin, scheme.k);
    if (scheme.k > scheme.l && naive_code(window.front()) == 4) window.remove_prefix(1);
    const bool is_ambiguous =
        std::any_of(window.begin(), window.end(), [](char base) { return naive_code(base) == 4; });
    all.push_back(is_ambiguous ? kmer::no_minimizer : naive_minimizer(window, scheme));
  }
  return all;
}

}  // namespace perdure::test
