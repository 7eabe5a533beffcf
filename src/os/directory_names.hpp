// Lists directories.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace perdure::os {

/// Returns the names of all that is in a directory but "." and "..", in no order. std::system_error if it
/// cannot be read, and std::bad_alloc: std::filesystem::directory_iterator ends the program where memory runs
/// out, because a function of libstdc++ that makes its paths is noexcept (seen in 12.2). O(names).
std::vector<std::string> names_in(const std::filesystem::path& directory);

}  // namespace perdure::os
