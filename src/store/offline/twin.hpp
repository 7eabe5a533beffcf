// The twin of a store: files that share their blocks with the store's, for one reader beside a writer. It has
// names only until the reader has opened it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "os/file.hpp"
#include "store/file/unfinished_store.hpp"

namespace perdure::store {

/// Begins to make a twin of the store at `path`, in its directory, or beside it where this process may not
/// make files there. Throws `permission_denied` (`store_busy`) where it may do neither.
std::unique_ptr<unfinished_store> begin_twin(const std::filesystem::path& path, const os::file& directory);

/// Removes the twins that readers have left which were killed while they made them, and returns the names of
/// their directories. To be called by a writer that has the lock, since readers that have no lock yet make
/// none. Never fails.
std::vector<std::string> remove_abandoned_twins(const std::filesystem::path& path) noexcept;

}  // namespace perdure::store
