// Functions that the source of a module defines; entry.cpp makes the table of it.
#pragma once

#include <filesystem>
#include <perdure/formats/array_source.hpp>
#include <span>

#include "opened_arrays.hpp"

namespace perdure::formats::modules {

opened_arrays open_file(const std::filesystem::path& path, const opening& how);
void write_file(const std::filesystem::path& path, std::span<array_source* const> arrays, bool compressed,
                const loss_sink& report);

}  // namespace perdure::formats::modules
