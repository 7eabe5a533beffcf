// Files of a store that have other names: a backup made of hard links (`cp -al`) would change with the store.
#pragma once

#include "os/file.hpp"
#include "store/file/store_lock.hpp"

namespace perdure::store {

/// Replaces each file of the store that has another name by a copy, so that the other name keeps what it has.
/// To be called by a writer, before it has opened the files; the lock is then on the new ones. A crash leaves
/// either file under the name, and perhaps a copy that the next call removes. Takes as long as copying does,
/// where blocks cannot be shared.
void leave_hard_links(const os::file& directory, store_lock& lock);

}  // namespace perdure::store
