// The part of a minimizer's hash that a cell of a table lacks, as a number of a few bytes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <perdure/kmer/minimizer_table.hpp>

namespace perdure::kmer::detail {

/// Codes the rest of a hash, and finds the hash again. Hashes of one place and key are some in a row; a code
/// has the number among them, and by how many lines the cell is behind the hash's own.
///
/// Thread safety: any member from any thread.
class cell_rest {
 public:
  cell_rest(std::uint64_t pages, unsigned key_bits, unsigned hash_bits) noexcept
      : pages_(pages), key_bits_(key_bits), unused_bits_(64 - hash_bits), step_(pages << unused_bits_) {
    const std::uint64_t most = ((std::uint64_t{1} << low_bits()) - 1) / step_;
    constexpr std::uint64_t least_lines = 4;
    while (unknown() / (most + 1) < least_lines) ++bytes_;
    lines_ = static_cast<std::size_t>(std::min<std::uint64_t>(unknown() / (most + 1), table_page::lines));
  }

  /// Size of a code.
  std::size_t bytes() const noexcept { return bytes_; }
  /// Code of a cell whose hash is elsewhere.
  std::uint64_t unknown() const noexcept { return (std::uint64_t{1} << (8 * bytes_)) - 1; }
  /// Returns the code of a hash whose cell is `lines` behind its line: `unknown` for too many.
  std::uint64_t code(std::uint64_t hash, std::size_t lines) const noexcept {
    if (lines >= lines_) return unknown();
    const std::uint64_t low = (hash * pages_) & ((std::uint64_t{1} << low_bits()) - 1);
    return low / step_ * lines_ + lines;
  }
  /// Returns the hash of a cell by its page, its line, its key and its code, which is not `unknown`.
  std::uint64_t hash(std::uint64_t page, std::size_t line, std::uint32_t key,
                     std::uint64_t code) const noexcept {
    __extension__ using wide = unsigned __int128;
    const std::size_t home = (line + table_page::lines - code % lines_) % table_page::lines;
    const wide begin =
        static_cast<wide>(page) << 64 | std::uint64_t{home} << 58 | std::uint64_t{key} << low_bits();
    const auto first = static_cast<std::uint64_t>((begin + step_ - 1) / step_);
    return (first + code / lines_) << unused_bits_;
  }

 private:
  /// Bits of a hash's product with the number of pages that are below the key.
  unsigned low_bits() const noexcept { return 58 - key_bits_; }

  std::uint64_t pages_;
  unsigned key_bits_;
  unsigned unused_bits_;
  std::uint64_t step_;  // between the products of two hashes
  std::size_t bytes_ = 1;
  std::size_t lines_ = 0;
};

}  // namespace perdure::kmer::detail
