// Keeps labelled checkpoints as copies in the store's own directory `epochs`.
#include "store/offline/kept_epochs.hpp"

#include <fcntl.h>

#include <algorithm>
#include <optional>
#include <perdure/datastore.hpp>
#include <perdure/error.hpp>
#include <perdure/store_maintenance.hpp>
#include <string>
#include <string_view>
#include <system_error>

#include "os/directory_names.hpp"
#include "os/file_clone.hpp"
#include "store/file/kept_name.hpp"
#include "store/file/unfinished_store.hpp"
#include "store/offline/store_copy.hpp"

namespace perdure::store {

namespace {

struct kept_directories {
  std::vector<std::uint64_t> epochs;      // whole or not, oldest first
  std::vector<std::uint64_t> unfinished;  // copies whose making a crash cut short
};

kept_directories directories_in(const os::file& store) {
  kept_directories found;
  if (!os::exists_in(store, kept_directory_name)) return found;
  for (const std::string& name : os::names_in(store.path() / kept_directory_name)) {
    if (const auto epoch = epoch_in(name)) found.epochs.push_back(*epoch);
    if (!name.starts_with('.')) continue;
    if (const auto epoch = epoch_in(std::string_view(name).substr(1, name.find(".new-") - 1)))
      found.unfinished.push_back(*epoch);
  }
  std::sort(found.epochs.begin(), found.epochs.end());
  return found;
}

void remove_unless_in_use(const std::filesystem::path& copy) {
  try {
    store_maintenance::remove(copy);
  } catch (const error& failure) {
    if (failure.code() != errc::in_use) throw;
  }
}

}  // namespace

void require_room_to_keep(const os::file& store, const keeping& wanted) {
  if (wanted.full_copies) return;
  constexpr const char* probe = "probe.new";
  os::remove_in(store, probe);
  bool shared = false;
  {
    const os::file from = os::file::open_in(store, "crc", O_RDONLY);
    const os::file to = os::file::open_in(store, probe, O_RDWR | O_CREAT | O_EXCL);
    shared = os::share_blocks(from, to);
  }
  os::remove_in(store, probe);
  if (shared) return;
  throw error(errc::unsupported, store.path().string() +
                                     ": this file system cannot share blocks between files, so labelled "
                                     "checkpoints cannot be kept: use XFS or btrfs, keep full copies "
                                     "(`keep_full_copies`), or keep none (no `keep_last`)");
}

void keep_epoch(const os::file& store, const layout::super_slot& super, const keeping& wanted) {
  if (!os::exists_in(store, kept_directory_name)) {
    os::make_directory(store.path() / kept_directory_name);
    store.sync();
  }
  copy_options options;
  options.at = at_home(super);
  options.journals = journals_to_copy::none;
  options.only_shared = !wanted.full_copies;
  copy_store(store, super, path_of_kept(store.path(), super.epoch), options);
  remove_unfinished_epochs(store);
  const kept_directories kept = directories_in(store);
  for (std::size_t i = 0; i + wanted.last < kept.epochs.size(); ++i)
    remove_unless_in_use(path_of_kept(store.path(), kept.epochs[i]));
}

std::filesystem::path path_of_kept(const std::filesystem::path& store, std::uint64_t epoch) {
  return store / kept_directory_name / std::to_string(epoch);
}

std::vector<std::uint64_t> kept_epochs(const os::file& store) {
  std::vector<std::uint64_t> found = directories_in(store).epochs;
  // A removal that was cut short leaves directories without `super`.
  std::erase_if(found, [&](std::uint64_t epoch) {
    std::error_code failure;
    return !std::filesystem::exists(path_of_kept(store.path(), epoch) / "super", failure);
  });
  return found;
}

std::vector<std::string> remove_unfinished_epochs(const os::file& store) {
  std::vector<std::string> removed;
  for (const std::uint64_t epoch : directories_in(store).unfinished)
    for (std::string& name : remove_unfinished(path_of_kept(store.path(), epoch)))
      removed.push_back(std::string(kept_directory_name) + '/' + name);
  return removed;
}

void remove_kept_epochs(const os::file& store) {
  remove_unfinished_epochs(store);
  const kept_directories kept = directories_in(store);
  for (const std::uint64_t epoch : kept.epochs) store_maintenance::remove(path_of_kept(store.path(), epoch));
  std::error_code other_files;
  std::filesystem::remove(store.path() / kept_directory_name, other_files);
}

}  // namespace perdure::store
