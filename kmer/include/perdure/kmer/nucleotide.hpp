// Letters of sequences, and what each stands for.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace perdure::kmer {

/// Codes 0 to 3 are A, C, G, and T or U. Letters of both cases have the same code.
inline constexpr std::uint8_t ambiguous_nucleotide = 4;  ///< R Y S W K M B D H V N X, a gap (-) or a dot
inline constexpr std::uint8_t not_a_nucleotide = 5;      ///< any other character

/// The code of each character.
inline constexpr std::array<std::uint8_t, 256> nucleotide_codes = [] {
  std::array<std::uint8_t, 256> codes{};
  for (std::uint8_t& one : codes) one = not_a_nucleotide;
  const auto set = [&codes](std::string_view letters, std::uint8_t code) {
    for (const char letter : letters) {
      codes[static_cast<unsigned char>(letter)] = code;
      if (letter >= 'A') codes[static_cast<unsigned char>(letter - 'A' + 'a')] = code;
    }
  };
  set("A", 0);
  set("C", 1);
  set("G", 2);
  set("TU", 3);
  set("RYSWKMBDHVNX-.", ambiguous_nucleotide);
  return codes;
}();

/// Returns the code of a letter.
inline std::uint8_t code_of_nucleotide(char letter) noexcept {
  return nucleotide_codes[static_cast<unsigned char>(letter)];
}

}  // namespace perdure::kmer
