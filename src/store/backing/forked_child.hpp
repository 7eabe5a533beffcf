// Errors in a forked child about a store that its parent has open.
#pragma once

#include <filesystem>
#include <string>

namespace perdure::store {

/// The line that a child writes when it touches memory that it does not have.
std::string line_for_children(const std::filesystem::path& store, bool writable);

/// Throws `invalid_argument`, in calls that need something that only the parent has.
[[noreturn]] void refuse_child(const std::filesystem::path& store);

}  // namespace perdure::store
