#include "taxon_number.hpp"

#include <charconv>
#include <system_error>

namespace perdure::kmer::detail {

std::optional<taxon_id> taxon_in(std::string_view text) noexcept {
  taxon_id id = 0;
  const char* const end = text.data() + text.size();
  const auto [behind, failure] = std::from_chars(text.data(), end, id);
  if (failure != std::errc() || behind != end || id == 0) return std::nullopt;
  return id;
}

}  // namespace perdure::kmer::detail
