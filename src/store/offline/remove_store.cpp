// Deleting a store.
#include <perdure/datastore.hpp>
#include <perdure/error.hpp>
#include <perdure/kept_checkpoint.hpp>
#include <perdure/store_maintenance.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "os/directory_names.hpp"
#include "store/file/failure.hpp"
#include "store/file/kept_name.hpp"
#include "store/file/replaced_files.hpp"
#include "store/file/store_directory.hpp"
#include "store/file/store_lock.hpp"
#include "store/file/unfinished_store.hpp"
#include "store/offline/kept_epochs.hpp"
#include "store/offline/twin.hpp"

namespace perdure {

bool store_maintenance::remove(const std::filesystem::path& given) {
  if (const store_name name = parse_store_name(given); !name.checkpoint.empty())
    throw error(errc::read_only, given.string() + " stands for a kept checkpoint of " + name.store.string() +
                                     ": to delete it alone, remove its directory, " +
                                     (name.store / store::kept_directory_name / "EPOCH").string() +
                                     " ('perdure log' shows its epoch)");
  const std::filesystem::path path = store::normalized_store_path(given);
  try {
    inspect(path);
  } catch (const error& failure) {
    if (failure.code() == errc::not_found) {
      store::remove_unfinished(path);
      return false;
    }
    // A store that can no longer be opened, or was never complete, may still be deleted.
    const bool is_other = failure.code() == errc::not_a_store && !store::holds_unfinished_store(path);
    if (is_other || failure.code() == errc::permission_denied) throw;
  }
  store::reporting("remove", path, [&] {
    const os::file directory = os::file::open_directory(path);
    store::store_lock lock(directory, store::store_access::alone);
    store::remove_unfinished(path);
    // Not before: now that the lock is held, no reader is making one.
    store::remove_abandoned_twins(path);
    store::remove_abandoned_copies(directory);
    store::remove_kept_epochs(directory);
    // Nothing but the store's own files is ever deleted, whatever else someone put beside them. `super` is
    // removed last: what an interrupted removal leaves still looks like a store, and the removal can be
    // repeated.
    for (const std::string& name : os::names_in(path))
      if (store::is_store_file(name)) os::remove_in(directory, name);
    os::remove_in(directory, store::unfinished_super);
    os::remove_in(directory, "LOCK");  // `super` is locked too
    os::remove_in(directory, "super");
    directory.sync();
    lock.release();
    os::remove_if_empty(path);  // there may be other files in it
  });
  return true;
}

}  // namespace perdure
