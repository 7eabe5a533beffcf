// Verification: checks every byte of a store.
#pragma once

#include <filesystem>
#include <perdure/verify.hpp>

#include "os/file.hpp"
#include "store/file/store_lock.hpp"

namespace perdure::store {

/// Reads all files of the store, which this lock keeps as they are, and changes nothing. Throws what opening
/// would throw for other reasons than damage (`not_a_store`, `too_new`, `incompatible`), and failed system
/// calls other than reads.
verify_report verify_files(const os::file& directory, const store_lock& lock, const verify_options& options);

/// Throws `damaged` for a store that cannot be used as it is; `more` counts what else was found.
[[noreturn]] void throw_damaged_store(const std::filesystem::path& store, const verify_finding& first,
                                      std::uint64_t more = 0);

}  // namespace perdure::store
