// A program's request for a checkpoint.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "segment/segment.hpp"

namespace perdure::store {

/// Throws `invalid_argument` for a label that is too long.
void require_label(std::string_view label);

/// Returns the runs in order and without overlap. Throws `invalid_argument` when one is not within a segment
/// of so many pages.
std::vector<detail::page_run> sound_released(std::span<const detail::page_run> released, std::uint64_t pages,
                                             const std::filesystem::path& store);

}  // namespace perdure::store
