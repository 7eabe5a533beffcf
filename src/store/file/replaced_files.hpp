// Puts copies in the place of files of a store that a writer is about to change, so that who has the old
// ones, open or under another name, keeps what is in them.
//
// The copies are made in a hidden directory inside the store and made durable, and take over the names,
// `super` last. Each has the same bytes as its original (but `super`, which says where it is), and nothing is
// changed before all names are durable. So a crash leaves originals and copies in any mixture, and each is
// the same store.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "os/file.hpp"

namespace perdure::store {

enum class how_to_copy {
  share_blocks,  ///< or not at all
  any,           ///< copies bytes where blocks cannot be shared
};

/// Returns the new `super`, open for writing, or a file that is not open if it is not among the names;
/// nothing where that cannot be, or where the copies would not get the owner and mode of the originals: then
/// nothing has changed. The caller must be the only one that opens these files by their names. `lock` locks
/// the new `super` before others can find it. Throws std::system_error.
std::optional<os::file> replace_by_copies(const os::file& directory, std::vector<std::string> names,
                                          how_to_copy how,
                                          const std::function<void(const os::file& super)>& lock);

/// Removes copies that a crash has left, and returns whether there were any. To be called by a writer that
/// has the lock.
bool remove_abandoned_copies(const os::file& directory);

}  // namespace perdure::store
