// Taxa as text has them.
#pragma once

#include <optional>
#include <perdure/kmer/taxonomy.hpp>
#include <string_view>

namespace perdure::kmer::detail {

/// Returns the number of a taxon in decimal, 1 to 2^32 - 1, or nothing where the text is none.
std::optional<taxon_id> taxon_in(std::string_view text) noexcept;

}  // namespace perdure::kmer::detail
