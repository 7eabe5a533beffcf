#include <perdure/hash.hpp>
#include <perdure/kmer/sequence_taxa.hpp>

#include "taxon_number.hpp"
#include "text_lines.hpp"

namespace perdure::kmer {

sequence_taxa::sequence_taxa(const std::filesystem::path& map) {
  detail::text_lines lines(map);
  std::string_view line;
  while (lines.next(line)) {
    line = detail::trimmed(line);
    const std::size_t gap = line.find_first_of(" \t");
    const std::string_view name = line.substr(0, gap);
    const std::string_view number = gap == std::string_view::npos ? "" : detail::trimmed(line.substr(gap));
    const auto taxon = detail::taxon_in(number);
    if (!taxon) throw lines.error_here("it is not a sequence's name and the number of its taxon");
    const auto [entry, is_new] = taxa_.try_emplace(std::string(name), *taxon);
    if (!is_new && entry->second != *taxon)
      throw lines.error_here("sequence " + std::string(name) + " has the taxon " +
                             std::to_string(entry->second) + " already");
  }
}

std::uint64_t sequence_taxa::digest() const noexcept {
  std::uint64_t sum = 0;  // the order of the entries does not count
  for (const auto& [name, taxon] : taxa_)
    sum += hash_combine(hash_bytes(name.data(), name.size()), std::uint64_t{taxon});
  return sum;
}

std::optional<taxon_id> sequence_taxa::taxon_of(std::string_view sequence) const {
  if (const auto entry = taxa_.find(sequence); entry != taxa_.end()) return entry->second;
  static constexpr std::string_view key = "kraken:taxid|";
  const std::size_t at = sequence.find(key);
  if (at == std::string_view::npos || (at != 0 && sequence[at - 1] != '|')) return std::nullopt;
  const std::string_view rest = sequence.substr(at + key.size());
  return detail::taxon_in(rest.substr(0, rest.find('|')));
}

}  // namespace perdure::kmer
