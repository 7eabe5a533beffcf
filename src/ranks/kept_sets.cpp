#include "ranks/kept_sets.hpp"

#include <fcntl.h>

#include <algorithm>
#include <optional>
#include <perdure/error.hpp>
#include <perdure/kept_checkpoint.hpp>
#include <perdure/store_maintenance.hpp>
#include <perdure/store_set.hpp>
#include <string>
#include <string_view>
#include <system_error>

#include "os/directory_names.hpp"
#include "os/file_clone.hpp"
#include "ranks/set_manifest.hpp"
#include "store/file/failure.hpp"
#include "store/file/kept_name.hpp"

namespace perdure {

namespace detail {

namespace {

/// Returns the epochs of which copies are there, whole or not, oldest first.
std::vector<std::uint64_t> epochs_of_copies(const set_directory& set) {
  std::vector<std::uint64_t> epochs;
  const std::filesystem::path kept = set.root() / store::kept_directory_name;
  if (!std::filesystem::is_directory(kept)) return epochs;
  for (const std::string& name : os::names_in(kept))
    if (const auto epoch = store::epoch_in(name)) epochs.push_back(*epoch);
  std::sort(epochs.begin(), epochs.end());
  return epochs;
}

bool is_whole_copy(const set_directory& copy) {
  std::error_code failure;
  return std::filesystem::exists(copy.root() / set_manifest::name, failure);
}

}  // namespace

std::filesystem::path path_of_kept_set(const set_directory& set, std::uint64_t epoch) {
  return set.root() / store::kept_directory_name / std::to_string(epoch);
}

void require_room_to_keep(const set_directory& set, const std::filesystem::path& part, std::uint32_t rank,
                          const keeping_of_set& wanted) {
  if (wanted.full_copies) return;
  const std::string probe = ".probe." + std::to_string(rank);
  const os::file root = os::file::open_directory(set.root());
  bool is_shared = false;
  {
    const os::file from = os::file::open_in(os::file::open_directory(part), "crc", O_RDONLY);
    const os::file to = os::file::open_in(root, probe, O_RDWR | O_CREAT | O_TRUNC);
    is_shared = os::share_blocks(from, to);
  }
  os::remove_in(root, probe);
  if (is_shared) return;
  throw error(errc::unsupported,
              set.root().string() +
                  ": labelled checkpoints cannot be kept, as the file system cannot share blocks "
                  "between files, or parts lie on other devices: use XFS or btrfs, keep full copies "
                  "(`keep_full_copies`), or keep none (no `keep_last`)");
}

void make_directory_of_kept(const set_directory& set) {
  const std::filesystem::path kept = set.root() / store::kept_directory_name;
  if (std::filesystem::is_directory(kept)) return;
  os::make_directory(kept);
  os::file::open_directory(set.root()).sync();
}

void remove_old_kept(const set_directory& set, const keeping_of_set& wanted) {
  std::vector<std::uint64_t> whole;
  const auto remove = [&](std::uint64_t epoch) {
    try {
      remove_whole_set(set_directory(path_of_kept_set(set, epoch)));
    } catch (const error& failure) {
      if (failure.code() != errc::in_use) throw;
    }
  };
  for (const std::uint64_t epoch : epochs_of_copies(set)) {
    if (is_whole_copy(set_directory(path_of_kept_set(set, epoch)))) {
      whole.push_back(epoch);
    } else {
      remove(epoch);
    }
  }
  for (std::size_t i = 0; i + wanted.last < whole.size(); ++i) remove(whole[i]);
}

void remove_whole_set(const set_directory& set, parts_elsewhere others) {
  const std::vector<std::uint64_t> copies = epochs_of_copies(set);
  set.require_removable(others);
  for (const std::uint64_t epoch : copies)
    set_directory(path_of_kept_set(set, epoch)).require_removable(others);
  const os::file withdrawn = set_manifest::withdraw(set.open());
  for (const std::uint64_t epoch : copies)
    remove_whole_set(set_directory(path_of_kept_set(set, epoch)), others);
  std::error_code other_files;
  std::filesystem::remove(set.root() / store::kept_directory_name, other_files);
  set.remove(others);
}

}  // namespace detail

namespace {

using detail::set_directory;

std::string in_quotes(std::string_view label) {
  std::string text(label);
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return '"' + text + '"';
}

kept_checkpoint describe_kept(const set_directory& set, std::uint64_t epoch) {
  kept_checkpoint one;
  one.epoch = epoch;
  one.path = detail::path_of_kept_set(set, epoch);
  const set_directory copy(one.path);
  const detail::set_state state = detail::set_manifest::read(copy.open());
  for (const checkpoint_record& record : store_maintenance::log(copy.part(state.number, 0))) {
    if (record.epoch != state.epoch) continue;
    one.time_ns = record.time_ns;
    one.label = record.label;
  }
  return one;
}

}  // namespace

std::vector<kept_checkpoint> kept_checkpoints_of_set(const std::filesystem::path& path) {
  const set_directory set(path);
  return store::reporting("read the kept checkpoints of", path, [&] {
    detail::set_manifest::read(set.open());
    std::vector<kept_checkpoint> all;
    for (const std::uint64_t epoch : detail::epochs_of_copies(set))
      if (detail::is_whole_copy(set_directory(detail::path_of_kept_set(set, epoch))))
        all.push_back(describe_kept(set, epoch));
    return all;
  });
}

std::filesystem::path resolve_set_name(const std::filesystem::path& given) {
  const store_name name = parse_store_name(given);
  if (name.checkpoint.empty() || !set_directory(name.store).has_set()) return given;
  const std::vector<kept_checkpoint> kept = kept_checkpoints_of_set(name.store);
  const auto find = [&](auto&& is_it) { return std::find_if(kept.rbegin(), kept.rend(), is_it); };
  const auto labelled = find([&](const kept_checkpoint& one) { return one.label == name.checkpoint; });
  if (labelled != kept.rend()) {
    for (const checkpoint_record& record : log_of_set(name.store)) {
      if (record.label != name.checkpoint || record.epoch <= labelled->epoch) continue;
      throw error(errc::not_found, name.store.string() + " does not keep the checkpoint " +
                                       in_quotes(name.checkpoint) + " of epoch " +
                                       std::to_string(record.epoch) +
                                       ", but an older one of that label: open " + name.store.string() + '@' +
                                       std::to_string(labelled->epoch));
    }
    return labelled->path;
  }
  if (const auto epoch = store::epoch_in(name.checkpoint)) {
    const auto found = find([&](const kept_checkpoint& one) { return one.epoch == *epoch; });
    if (found != kept.rend()) return found->path;
  }
  throw error(errc::not_found, name.store.string() + " keeps no checkpoint with the label or epoch " +
                                   in_quotes(name.checkpoint) + " ('perdure log' shows those that it keeps)");
}

}  // namespace perdure
