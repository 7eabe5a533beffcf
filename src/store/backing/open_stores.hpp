// The factories of open stores, one for each backing.
#pragma once

#include <memory>

#include "store/commit/store_parts.hpp"

namespace perdure::store {

/// The `parts` of a writer must have been recovered: nothing is left to redo.
std::unique_ptr<datastore> make_journaled_store(store_parts parts);
std::unique_ptr<datastore> make_shared_store(store_parts parts);
std::unique_ptr<datastore> make_dax_store(store_parts parts);
std::unique_ptr<datastore> make_reader(store_parts parts);
/// Why a file cannot be mapped as persistent memory; nothing if it can. Throws std::system_error where that
/// cannot be found out.
std::optional<std::string> why_not_persistent_memory(const os::file& home,
                                                     const std::filesystem::path& store);

}  // namespace perdure::store
