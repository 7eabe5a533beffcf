// Keeps labelled checkpoints as copies in the store's own directory `epochs`.
#include "store/offline/kept_epochs.hpp"

#include <fcntl.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <perdure/datastore.hpp>
#include <perdure/error.hpp>

#include "os/file_clone.hpp"
#include "store/offline/store_copy.hpp"

namespace perdure {

namespace {

constexpr const char* directory_name = "epochs";

std::filesystem::path path_of(const os::file& store, std::uint64_t epoch) {
  return store.path() / directory_name / std::to_string(epoch);
}

}  // namespace

void require_block_sharing(const os::file& store) {
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
                                     ": this file system cannot share blocks between files, so earlier "
                                     "checkpoints cannot be kept; use XFS or btrfs, or no `keep_last`");
}

void keep_epoch(const os::file& store, const layout::super_slot& super, unsigned keep_last) {
  if (!os::exists_in(store, directory_name)) {
    os::make_directory(store.path() / directory_name);
    store.sync();
  }
  copy_options options;
  options.epoch = super.epoch;
  options.journals = journals_to_copy::none;
  options.only_shared = true;
  copy_store(store, super, path_of(store, super.epoch), options);
  const std::vector<std::uint64_t> kept = kept_epochs(store);
  for (std::size_t i = 0; i + keep_last < kept.size(); ++i) datastore::remove(path_of(store, kept[i]));
}

std::vector<std::uint64_t> kept_epochs(const os::file& store) {
  std::vector<std::uint64_t> found;
  if (!os::exists_in(store, directory_name)) return found;
  for (const auto& entry : std::filesystem::directory_iterator(store.path() / directory_name)) {
    const std::string name = entry.path().filename().string();
    std::uint64_t epoch = 0;
    const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), epoch);
    if (failure == std::errc() && end == name.data() + name.size()) found.push_back(epoch);
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace perdure
