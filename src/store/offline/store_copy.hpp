// Copies the files of a store, while nothing changes them.
#pragma once

#include <filesystem>

#include "os/file.hpp"
#include "store/file/checkpoint_identity.hpp"
#include "store/file/layout.hpp"
#include "store/file/store_lock.hpp"
#include "store/file/unfinished_store.hpp"

namespace perdure::store {

/// The copy gets an empty journal in the place of each that is not copied.
enum class journals_to_copy {
  none,  ///< all of them are applied
  last,  ///< the journal of the copy's epoch
  both,
};

struct copy_options {
  known_checkpoint at;  ///< the committed one, at which the copy will open
  journals_to_copy journals = journals_to_copy::both;
  bool with_undo = false;    ///< pages were written home early; that is undone in the copy
  bool only_shared = false;  ///< throw `unsupported` rather than copy bytes
  bool writable = true;      ///< the source may be prepared for sharing
  bool durable = true;
};

/// The options for a copy of the store's last checkpoint, for a caller that has this lock. Throws `in_use`,
/// `damaged`.
copy_options copy_of_last_checkpoint(const os::file& directory, const layout::super_slot& super,
                                     const store_lock& lock);

/// Makes a store of the files in `from`, with a super block that says what `super` says and that it is a
/// copy.
void copy_into(const unfinished_store& to, const os::file& from, const layout::super_slot& super,
               const copy_options& options);

/// The same at `to`. Durable on return; after a crash it is there or not. Throws `already_exists`.
void copy_store(const os::file& from, const layout::super_slot& super, const std::filesystem::path& to,
                const copy_options& options);

}  // namespace perdure::store
