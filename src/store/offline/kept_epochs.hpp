// The directory `epochs` in a store: copies of its last labelled checkpoints that share its blocks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "os/file.hpp"
#include "store/file/layout.hpp"

namespace perdure {

/// Throws `unsupported` where the file system cannot share blocks between files.
void require_block_sharing(const os::file& store);

/// Copies the store, whose pages must all be home at `super.epoch`, and removes all but the newest
/// `keep_last` copies.
void keep_epoch(const os::file& store, const layout::super_slot& super, unsigned keep_last);

/// The kept epochs, oldest first.
std::vector<std::uint64_t> kept_epochs(const os::file& store);

}  // namespace perdure
