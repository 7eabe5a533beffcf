// Copies a store: in a hidden directory beside its place, made durable file by file, and given its name last.
// Until then a crash leaves a directory that `remove_unfinished` recognises by its name and by its LOCK,
// which no process holds.
#include "store/offline/store_copy.hpp"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <perdure/datastore.hpp>
#include <perdure/error.hpp>
#include <perdure/kept_checkpoint.hpp>
#include <perdure/progress.hpp>
#include <perdure/store_maintenance.hpp>
#include <thread>
#include <vector>

#include "base/for_each_index.hpp"
#include "base/signals_blocked.hpp"
#include "os/directory_names.hpp"
#include "os/file_clone.hpp"
#include "os/file_extents.hpp"
#include "store/commit/file_history.hpp"
#include "store/commit/readable_journals.hpp"
#include "store/commit/redo.hpp"
#include "store/file/checksum_table.hpp"
#include "store/file/failure.hpp"
#include "store/file/file_for_copy.hpp"
#include "store/file/home_files.hpp"
#include "store/file/journal.hpp"
#include "store/file/store_directory.hpp"
#include "store/file/store_lock.hpp"
#include "store/file/super_block.hpp"
#include "store/file/undo_log.hpp"
#include "store/file/unfinished_store.hpp"

namespace perdure::store {

namespace {

constexpr std::uint64_t piece_bytes = std::uint64_t{8} << 20;
constexpr unsigned most_threads = 8;

struct pair_of_files {
  os::file from;
  os::file to;
};

struct piece {
  const pair_of_files* files;
  std::uint64_t offset;
  std::uint64_t bytes;
};

bool has_journal(const copy_options& options, unsigned parity) {
  return options.journals == journals_to_copy::both ||
         (options.journals == journals_to_copy::last && parity == (options.at.epoch & 1));
}

std::vector<std::string> names_to_copy(const os::file& from, const copy_options& options) {
  std::vector<std::string> names;
  for (std::size_t i = 0; os::exists_in(from, home_files::name_of(i)); ++i)
    names.push_back(home_files::name_of(i));
  names.emplace_back("crc");
  if (os::exists_in(from, "log")) names.emplace_back("log");
  if (os::exists_in(from, "undo") && (options.journals != journals_to_copy::none || options.with_undo))
    names.emplace_back("undo");
  for (const unsigned parity : {0u, 1u})
    if (has_journal(options, parity)) names.push_back(journal::name_of(parity));
  return names;
}

void copy_pieces(const std::vector<piece>& pieces) {
  std::uint64_t bytes = 0;
  for (const piece& one : pieces) bytes += one.bytes;
  begin_progress_stage("copying", bytes, "bytes");
  progress_record* const progress = current_progress();
  const std::size_t threads = std::clamp(std::thread::hardware_concurrency(), 1u, most_threads);
  base::for_each_index(threads, pieces.size(), [&](std::size_t index, std::size_t) {
    const piece& one = pieces[index];
    os::copy_range(one.files->from, one.files->to, one.offset, one.bytes);
    if (progress != nullptr) progress->add(one.bytes);
  });
}

void copy_files(const os::file& from, const os::file& to, const copy_options& options) {
  std::vector<pair_of_files> all;
  for (const std::string& name : names_to_copy(from, options)) {
    all.push_back(
        {os::file::open_in(from, name, options.writable ? O_RDWR : O_RDONLY), make_file_for_copy(to, name)});
  }
  std::vector<piece> pieces;
  for (const pair_of_files& files : all) {
    // The original's blocks are shared from now on, too.
    if (options.writable) os::limit_copy_on_write(files.from, layout::block);
    if (os::share_blocks(files.from, files.to)) continue;
    if (options.only_shared) {
      throw error(
          errc::unsupported,
          to.path().string() + ": this file system cannot share blocks between files; XFS and btrfs can");
    }
    const std::uint64_t size = files.from.size();
    files.to.resize(size);
    for (const os::file_part& data : os::data_within(files.from.descriptor(), 0, size))
      for (std::uint64_t offset = data.begin; offset < data.end; offset += piece_bytes)
        pieces.push_back({&files, offset, std::min(piece_bytes, data.end - offset)});
  }
  copy_pieces(pieces);
  if (!options.durable) return;
  begin_progress_stage("syncing");
  for (const pair_of_files& files : all) files.to.sync();
}

}  // namespace

copy_options copy_of_last_checkpoint(const os::file& directory, const layout::super_slot& super,
                                     const store_lock& lock) {
  const readable_journals found = open_journals(directory, super, lock);
  const auto pending = find_committed(found.files, super, found.ceiling);
  require_one_history(home_files(directory, super, false), checksum_table(directory, super, false), super,
                      directory.path(), pending);
  copy_options options;
  options.at = pending ? checkpoint_in(pending->header) : at_home(super);
  // The other journal may be that of the writer's next checkpoint.
  if (lock.is_beside_writer()) options.journals = journals_to_copy::last;
  options.writable = false;
  return options;
}

void copy_into(const unfinished_store& to, const os::file& from, const layout::super_slot& super,
               const copy_options& options) {
  const os::file& directory = to.directory();
  copy_files(from, directory, options);
  for (const unsigned parity : {0u, 1u})
    if (!has_journal(options, parity)) journal::create(directory, parity, super.uuid);
  layout::super_slot slot = super;
  slot.compat |= layout::compat_copied;
  slot.copied_epoch = options.at.epoch;
  slot.copied_checkpoint = options.at.identity;
  slot.copied_ns = unix_time_ns();
  slot.staging_epoch = slot.staging_token = 0;
  if (super_block::load(from, false).is_copied()) slot.inode = layout::unchecked_inode;
  const super_block written = super_block::create(directory, slot, to.super_name());
  if (options.durable) {
    written.sync();
    directory.sync();
  }
  if (!options.with_undo) return;
  home_files home(directory, slot, true);
  undo_log undo(directory, slot.uuid, true);
  undo_at_home(undo, home, at_home(slot));
}

void copy_store(const os::file& from, const layout::super_slot& super, const std::filesystem::path& to,
                const copy_options& options) {
  const std::filesystem::path place = free_place(to);
  require_private_place(place);
  remove_unfinished(place);
  unfinished_store fresh(place, store_access::alone);
  copy_into(fresh, from, super, options);
  fresh.publish();
}

}  // namespace perdure::store

namespace perdure {

void store_maintenance::copy(const std::filesystem::path& from, const std::filesystem::path& to) {
  const std::filesystem::path source = resolve_store_name(from);
  const std::filesystem::path target = store::normalized_store_path(to);
  store::reporting("copy", source, [&] {
    const os::file directory = store::open_store_directory(source);
    const store::store_lock lock(directory, store::store_access::inspect, store::usual_wait());
    const store::super_block super = store::super_block::load(directory, false);
    if ((super.now().flags & store::layout::flag_open_dirty) != 0) {
      throw error(errc::damaged, source.string() +
                                     " was open with a shared mapping and not closed: its pages may be of "
                                     "different times, and so would be the copy's");
    }
    const store::layout::super_slot& now = super.now();
    store::copy_store(directory, now, target, store::copy_of_last_checkpoint(directory, now, lock));
  });
}

}  // namespace perdure
