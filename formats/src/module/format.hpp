// Functions that the source of a module defines; entry.cpp makes the table of it.
#pragma once

#include <filesystem>
#include <perdure/formats/array_source.hpp>
#include <span>

namespace perdure::formats::modules {

array_sources open_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, std::span<array_source* const> arrays, bool compressed);

}  // namespace perdure::formats::modules
