// Creates and opens stores.
#include <fcntl.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <perdure/kept_checkpoint.hpp>

#include "base/environment.hpp"
#include "os/memory_limits.hpp"
#include "os/page_tracker.hpp"
#include "store/backing/address_space.hpp"
#include "store/backing/backings.hpp"
#include "store/backing/open_stores.hpp"
#include "store/commit/readable_journals.hpp"
#include "store/commit/recovery.hpp"
#include "store/commit/redo.hpp"
#include "store/file/capacity.hpp"
#include "store/file/failure.hpp"
#include "store/file/hard_links.hpp"
#include "store/file/layout.hpp"
#include "store/file/replaced_files.hpp"
#include "store/file/store_busy.hpp"
#include "store/file/store_directory.hpp"
#include "store/file/unfinished_store.hpp"
#include "store/offline/store_copy.hpp"
#include "store/offline/twin.hpp"
#include "store/offline/verify.hpp"

namespace perdure::store {

namespace {

layout::super_slot first_slot(const store_options& options) {
  constexpr std::size_t most = layout::most_capacity;
  if (options.home_file_size == 0 || options.home_file_size % layout::chunk_size != 0 ||
      options.home_file_size > most) {
    throw error(errc::invalid_argument,
                "a store's home file size must be a multiple of 2 MiB up to 64 TiB, not " +
                    std::to_string(options.home_file_size));
  }
  layout::super_slot slot{};
  sound_capacity(options.capacity, options.home_file_size).record_in(slot);
  slot.home_file_bytes = options.home_file_size;
  if (!options.pinned && options.address != nullptr) {
    throw error(errc::invalid_argument, "an address can be chosen for pinned stores only");
  }
  if (reinterpret_cast<std::uintptr_t>(options.address) % detail::segment_alignment != 0) {
    throw error(errc::invalid_argument, "the address of a pinned store must be a multiple of 1 GiB");
  }
  slot.magic = layout::super_magic;
  slot.format = layout::format_version;
  slot.byte_order = layout::byte_order_mark;
  slot.uuid = random_uuid();
  slot.page_bytes = static_cast<std::uint32_t>(page_size);
  slot.pointer_bytes = sizeof(void*);
  slot.chunk_bytes = layout::chunk_size;
  slot.flags = options.pinned ? layout::flag_pinned : 0;
  slot.read_only_compat = options.last_decided ? layout::read_only_compat_joint : 0;
  slot.created_ns = slot.written_ns = unix_time_ns();
  slot.incompat = layout::incompat_identities;
  slot.checkpoint = draw_identity();
  return slot;
}

std::optional<std::uint64_t> chosen_budget(const store_options& options) {
  if (options.memory_budget != 0) return options.memory_budget;
  if (const auto mebibytes = base::number_in("PERDURE_MEMORY_BUDGET")) return *mebibytes << 20;
  return std::nullopt;
}

std::uint64_t memory_budget(const store_options& options) {
  if (const auto chosen = chosen_budget(options)) return *chosen;
  // Read once: several files, which opening a store should not wait for each time.
  static const std::uint64_t usable = os::usable_memory();
  return usable / 2;
}

// Before anything is made or locked: what is wrong with them is no matter of the store's.
void require_sound_settings(const store_options& options) {
  chosen_budget(options);
  chosen_backing(options);
  base::switch_in("PERDURE_HUGE_PAGES");
  os::tracker_wanted();
  usual_wait();
}

// What a writer gets: the backing that it chose, or the one that stands in for it.
const backing_row& obtainable(const backing_row& chosen, const os::file& file, std::uint64_t capacity,
                              const std::filesystem::path& store) {
  const auto reason = why_not(chosen, file, capacity, store);
  if (!reason) return chosen;
  if (!chosen.otherwise) throw error(errc::unsupported, *reason);
  return row_of(*chosen.otherwise);
}

// A writer that is open beside the reader decides itself.
epoch_ceiling ceiling_for(const readable_journals& journals, const layout::super_slot& super,
                          const store_options& options, const std::filesystem::path& path) {
  if (!options.last_decided || journals.ceiling.epoch != any_epoch) return journals.ceiling;
  const auto found = find_committed(journals.files, super);
  const std::uint64_t decided = found ? found->header.epoch : super.epoch;
  // Pages of the one before may be gone.
  if (decided > *options.last_decided) {
    throw error(errc::conflict, path.string() + " has decided on checkpoint " + std::to_string(decided) +
                                    ", after the last that is to count, " +
                                    std::to_string(*options.last_decided) + ": restore a copy");
  }
  return {*options.last_decided, true};
}

// Everything but the memory of a store whose lock is held.
store_parts load(const std::filesystem::path& path, store_lock lock, store_use use,
                 const store_options& options, os::reservation place) {
  const bool writable = use == store_use::write;
  // The program may have another working directory when it comes to keeping a checkpoint.
  const std::filesystem::path fixed_path = std::filesystem::absolute(path);
  os::file directory = os::file::open_directory(fixed_path);
  super_block super = super_block::load(directory, writable);
  const layout::super_slot& now = super.now();
  if ((now.flags & layout::flag_open_dirty) != 0 && !options.accept_unclean) {
    throw error(errc::damaged,
                path.string() +
                    " was open with a shared mapping and not closed: its pages may be of different "
                    "times. Restore a copy, or open it with `accept_unclean` to look at what is there");
  }
  if (writable && (now.read_only_compat & layout::read_only_compat_joint) != 0 && !options.last_decided) {
    throw error(errc::invalid_argument,
                path.string() +
                    " is a part of a set of stores and cannot be opened for writing alone, as all parts have "
                    "their checkpoints together: open the set, or open the part for reading");
  }
  // Opened first of all: a checkpoint that a writer commits meanwhile may need longer home files than were
  // found.
  readable_journals journals =
      writable
          ? readable_journals{{journal(directory, 0, now.uuid, true), journal(directory, 1, now.uuid, true)}}
          : open_journals(directory, now, lock);
  const epoch_ceiling ceiling = ceiling_for(journals, now, options, path);
  home_files home(directory, now, writable);
  checksum_table checksums(directory, now, writable);
  const layout::uuid_bytes uuid = now.uuid;
  undo_log undo(directory, uuid, writable);
  checkpoint_log log(directory, uuid, writable);
  if (place.base() == nullptr) {
    place =
        now.address != 0 ? reserve_at(now.address, now.capacity, path) : reserve_anywhere(now.capacity, path);
  }
  if (!writable) lock.forget_names();
  const verify_mode verify = !writable && super.is_copied() && options.verify == verify_mode::journal
                                 ? verify_mode::lazy
                                 : options.verify;
  // Of readers no more than this depends on the backing.
  const backing_row& chosen = chosen_backing(options);
  const bool is_paged =
      chosen.budget == budget_of::all_pages && !why_not(chosen, home.files().front(), now.capacity, path);
  return {.path = path,
          .use = use,
          .lock = std::move(lock),
          .directory = std::move(directory),
          .super = std::move(super),
          .home = std::move(home),
          .checksums = std::move(checksums),
          .journals = std::move(journals.files),
          .ceiling = ceiling,
          .undo = std::move(undo),
          .log = std::move(log),
          .keep = {.last = options.keep_last, .full_copies = options.keep_full_copies},
          .memory_budget = writable || is_paged ? memory_budget(options) : 0,
          .resident = is_paged ? residence::within_budget : residence::all,
          .verify = verify,
          .place = std::move(place)};
}

void require_whole(const os::file& directory, const store_lock& lock, const std::filesystem::path& path) {
  const verify_report report = verify_files(directory, lock, {});
  if (report.whole()) return;
  const auto first = std::find_if(report.findings.begin(), report.findings.end(),
                                  [](const verify_finding& one) { return one.damage; });
  throw_damaged_store(path, *first, report.damages - 1);
}

// A tool that knows nothing of stores has copied it, perhaps while it changed.
void require_whole_copy(const os::file& directory, const store_lock& lock,
                        const std::filesystem::path& path) {
  verify_report report = verify_files(directory, lock, {});
  // Of two super slots one is enough, as at any opening.
  std::erase_if(report.findings, [](const verify_finding& one) {
    return !one.damage || one.part == store_section::super_slot;
  });
  if (!report.findings.empty())
    throw_damaged_store(path, report.findings.front(), report.findings.size() - 1);
}

std::unique_ptr<datastore> open_within_limit(std::unique_ptr<datastore> (*make)(store_parts),
                                             store_parts parts) {
  const std::uint64_t limit = limit_in(parts.super.now());
  std::unique_ptr<datastore> opened = make(std::move(parts));
  opened->memory().set_limit(limit);
  return opened;
}

std::unique_ptr<datastore> open_locked(const std::filesystem::path& path, store_lock lock, store_use use,
                                       const store_options& options, os::reservation place) {
  if (use == store_use::write) leave_hard_links(os::file::open_directory(path), lock);
  store_parts parts = load(path, std::move(lock), use, options, std::move(place));
  if (use != store_use::write) return open_within_limit(make_reader, std::move(parts));
  if (parts.super.is_copied()) {
    if (options.verify != verify_mode::open) require_whole_copy(parts.directory, parts.lock, path);
    parts.super.accept_place();
  }
  const backing_row& used =
      obtainable(chosen_backing(options), parts.home.files().front(), parts.super.now().capacity, path);
  recover(parts, used.opens_without_room);
  return open_within_limit(used.open, std::move(parts));
}

store_access access_for(store_use use, const store_options& options) {
  if (use != store_use::write) return store_access::read_beside_writer;
  return chosen_backing(options).readers_beside ? store_access::write : store_access::write_in_place;
}

// Opens a twin of the store that shares its blocks, and that stays as it is while the writer goes on.
std::unique_ptr<datastore> open_sharing_blocks(const std::filesystem::path& path, const os::file& directory,
                                               store_lock lock, store_use use, const store_options& options) {
  const super_block super = super_block::load(directory, false);
  copy_options how = copy_of_last_checkpoint(directory, super.now(), lock);
  how.only_shared = true;
  how.durable = false;
  // It is removed again at the end, when all its files are open.
  const std::unique_ptr<unfinished_store> twin = begin_twin(path, directory);
  try {
    copy_into(*twin, directory, super.now(), how);
  } catch (const error& failure) {
    if (failure.code() != errc::unsupported) throw;
    throw store_busy(path, obstacle::no_sharing,
                     store_lock::describe_writer(directory) +
                         ", and its file system cannot share blocks between files as XFS and btrfs can, so "
                         "that a reader would hold the writer up");
  }
  lock.release();
  twin->lock().lock_super(twin->directory(), twin->super_name());
  // The writer decides, and the twin has what the writer has decided on.
  store_options untold = options;
  untold.last_decided.reset();
  store_parts parts = load(twin->path(), std::move(twin->lock()), use, untold, {});
  parts.path = path;
  parts.directory = os::file::open_directory(std::filesystem::absolute(path));
  parts.files = file_origin::twin;
  return open_within_limit(make_reader, std::move(parts));
}

std::unique_ptr<datastore> open_once(const std::filesystem::path& path, const os::file& directory,
                                     store_use use, const store_options& options, store_access access,
                                     std::chrono::milliseconds wait) {
  store_lock lock(directory, access, wait);
  if (options.verify == verify_mode::open) require_whole(directory, lock, path);
  if (lock.is_beside_writer() && options.beside_writer == reader_beside_writer::share_blocks)
    return open_sharing_blocks(path, directory, std::move(lock), use, options);
  if (use == store_use::write) {
    remove_abandoned_copies(directory);
    remove_abandoned_twins(path);
  }
  return open_locked(path, std::move(lock), use, options, {});
}

// A reader that cannot read beside the writer without holding it up waits for its end.
std::unique_ptr<datastore> open_in_time(const std::filesystem::path& path, const os::file& directory,
                                        store_use use, const store_options& options) {
  const std::chrono::milliseconds wait = std::min(options.wait.value_or(usual_wait()), most_wait);
  const auto begin = std::chrono::steady_clock::now();
  try {
    return open_once(path, directory, use, options, access_for(use, options), wait);
  } catch (const store_busy& busy) {
    const obstacle what = busy.what_is_in_the_way();
    if (what != obstacle::no_sharing && what != obstacle::no_files) throw;
    const auto waited = std::chrono::steady_clock::now() - begin;
    if (waited >= wait) throw;
    try {
      return open_once(path, directory, use, options, store_access::read,
                       std::chrono::ceil<std::chrono::milliseconds>(wait - waited));
    } catch (const store_busy&) {
      throw busy;
    }
  }
}

std::unique_ptr<datastore> open_existing(const std::filesystem::path& given, store_use use,
                                         const store_options& options) {
  if (use == store_use::write) require_changeable_store(given);
  const std::filesystem::path path =
      use == store_use::write ? normalized_store_path(given) : resolve_store_name(given);
  require_sound_settings(options);
  return reporting("open", path, [&] {
    if (options.verify == verify_mode::lazy && use == store_use::write &&
        !chosen_backing(options).verifies_lazily) {
      throw error(errc::unsupported, path.string() +
                                         ": pages of a shared mapping cannot be checked when they are first "
                                         "touched: open the store privately, or check all of it first "
                                         "(verify_mode::open)");
    }
    const os::file directory = open_store_directory(path);
    // Looked at before LOCK is made, so that a directory that is no store stays as it is.
    if (!os::exists_in(directory, "super")) super_block::load(directory, false);
    return open_in_time(path, directory, use, options);
  });
}

std::unique_ptr<datastore> create_new(const std::filesystem::path& given, const store_options& options) {
  const std::filesystem::path path = normalized_store_path(given);
  require_sound_settings(options);
  layout::super_slot slot = first_slot(options);
  return reporting("create", path, [&] {
    const std::filesystem::path where = free_place(path);
    if (!options.others_may_write) require_private_place(where);
    os::reservation place;
    if (options.pinned) {
      std::uint64_t seed;
      std::memcpy(&seed, slot.uuid.data(), sizeof seed);
      place = options.address != nullptr
                  ? reserve_at(reinterpret_cast<std::uintptr_t>(options.address), slot.capacity, path)
                  : choose_pinned_place(slot.capacity, seed, path);
      slot.address = reinterpret_cast<std::uintptr_t>(place.base());
    }
    remove_unfinished(where);
    unfinished_store fresh(where, access_for(store_use::write, options));
    const os::file& directory = fresh.directory();
    super_block::create(directory, slot, fresh.super_name()).sync();
    fresh.lock().lock_super(directory, fresh.super_name());
    checksum_table::create(directory, slot);
    journal::create(directory, 0, slot.uuid);
    journal::create(directory, 1, slot.uuid);
    home_files::create(directory, slot);
    // Before the store has its name; the others are as well asked when it is opened.
    if (const backing_row& chosen = chosen_backing(options); chosen.needs == backing_needs::persistent_memory)
      obtainable(chosen, os::file::open_in(directory, home_files::name_of(0), O_RDWR), slot.capacity, path);
    directory.sync();
    return open_locked(path, fresh.publish(), store_use::write, options, std::move(place));
  });
}

}  // namespace

}  // namespace perdure::store

namespace perdure {

std::unique_ptr<datastore> datastore::create(const std::filesystem::path& path,
                                             const store_options& options) {
  return store::create_new(path, options);
}

std::unique_ptr<datastore> datastore::open(const std::filesystem::path& path, const store_options& options) {
  return store::open_existing(path, store::store_use::write, options);
}

std::unique_ptr<datastore> datastore::open_read_only(const std::filesystem::path& path,
                                                     const store_options& options) {
  return store::open_existing(path, store::store_use::read, options);
}

std::unique_ptr<datastore> datastore::open_copy_on_write(const std::filesystem::path& path,
                                                         const store_options& options) {
  return store::open_existing(path, store::store_use::private_changes, options);
}

}  // namespace perdure
