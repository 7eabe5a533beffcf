// Reading, making and changing the manifest of a set of stores.
#include "ranks/set_manifest.hpp"

#include <fcntl.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <perdure/error.hpp>
#include <system_error>
#include <type_traits>

#include "os/crc32c.hpp"
#include "store/file/failure.hpp"
#include "store/file/super_block.hpp"

namespace perdure::detail {

namespace {

constexpr store::layout::magic manifest_magic = {'P', 'E', 'R', 'D', 'U', 'R', 'E', 'M'};
constexpr std::uint32_t manifest_format = 1;
constexpr const char* next_name = ".manifest.next";
constexpr std::size_t slots = 2;
constexpr std::size_t copies = 2;

struct manifest_slot {
  struct half {
    manifest_record record;
    std::array<std::byte, store::layout::block / copies - sizeof(manifest_record)> reserved;
  };
  std::array<half, copies> halves;
};
static_assert(sizeof(manifest_slot) == store::layout::block && std::is_trivially_copyable_v<manifest_slot>);
using manifest_file = std::array<manifest_slot, slots>;

std::uint32_t checksum_of(const manifest_record& record) noexcept {
  return os::crc32c(0, &record, offsetof(manifest_record, crc));
}

manifest_slot slot_for(const set_state& what, std::uint64_t sequence) {
  manifest_record record{};
  record.magic = manifest_magic;
  record.format = manifest_format;
  record.ranks = what.ranks;
  record.uuid = what.uuid;
  record.number = what.number;
  record.epoch = what.epoch;
  record.epochs_before = what.epochs_before;
  record.identities = what.identities;
  record.sequence = sequence;
  record.written_ns = store::unix_time_ns();
  record.crc = checksum_of(record);
  manifest_slot slot{};
  for (manifest_slot::half& half : slot.halves) half.record = record;
  return slot;
}

struct found_state {
  set_state what;
  std::uint64_t sequence = 0;
  std::size_t slot = 0;
};

found_state read_from(const os::file& file) {
  const std::filesystem::path& path = file.path();
  manifest_file content{};
  const std::size_t got = file.read_at(&content, sizeof content, 0);
  if (got != sizeof content || file.size() != sizeof content) {
    store::throw_damaged(path, "it has " + std::to_string(file.size()) + " bytes instead of " +
                                   std::to_string(sizeof content));
  }
  std::optional<manifest_record> newest;
  std::size_t slot = 0;
  for (std::size_t i = 0; i < slots; ++i) {
    for (const manifest_slot::half& half : content[i].halves) {
      const manifest_record& record = half.record;
      if (record.magic != manifest_magic || record.crc != checksum_of(record)) continue;
      if (newest && record.sequence <= newest->sequence) continue;
      newest = record;
      slot = i;
    }
  }
  if (!newest) store::throw_damaged(path, "none of its records has a valid checksum");
  if (newest->format > manifest_format) {
    throw error(errc::too_new, path.string() + " has format " + std::to_string(newest->format) +
                                   ", this library reads up to " + std::to_string(manifest_format) +
                                   ": use a newer library");
  }
  if (newest->ranks == 0 || newest->ranks > (1u << 30) || newest->number == 0)
    store::throw_damaged(path, "what it says of its set cannot be");
  return {
      {newest->uuid, newest->number, newest->ranks, newest->epoch, newest->epochs_before, newest->identities},
      newest->sequence,
      slot};
}

[[noreturn]] void throw_no_set(const os::file& directory) {
  const std::string where = directory.path().string();
  if (os::exists_in(directory, set_manifest::unfinished_name)) {
    throw error(errc::not_a_store,
                where + " holds no set of stores: its creation was not finished; create it again");
  }
  throw error(errc::not_a_store, where + " holds no set of stores: it has no file `manifest`");
}

os::file open_manifest(const os::file& directory, int flags) {
  try {
    return os::file::open_in(directory, set_manifest::name, flags);
  } catch (const std::system_error& failure) {
    if (failure.code().value() == ENOENT) throw_no_set(directory);
    throw;
  }
}

}  // namespace

set_state set_manifest::read(const os::file& directory) {
  return read_from(open_manifest(directory, O_RDONLY)).what;
}

set_manifest set_manifest::open(const os::file& directory) {
  for (;;) {
    os::file file = open_manifest(directory, O_RDWR);
    if (!file.try_lock(os::lock_mode::exclusive)) {
      throw error(errc::in_use, directory.path().string() +
                                    " is in use: another program has the set open for writing, or divides it "
                                    "anew (the file LOCK of a part says who)");
    }
    // Its holder may have put another in its place and gone.
    if (!os::is_named(directory, name, file)) continue;
    const found_state found = read_from(file);
    set_manifest result(os::file::open_directory(directory.path()), std::move(file));
    result.now_ = found.what;
    result.sequence_ = found.sequence;
    result.slot_ = found.slot;
    // Parts are about to be opened by what it says.
    result.replace();
    return result;
  }
}

set_manifest set_manifest::begin(const os::file& directory) {
  for (;;) {
    const auto require_none = [&] {
      if (os::exists_in(directory, name)) {
        throw error(errc::already_exists,
                    directory.path().string() + " holds a set of stores: open it, or choose another path");
      }
    };
    require_none();
    os::file file = os::file::open_in(directory, unfinished_name, O_RDWR | O_CREAT);
    if (!file.try_lock(os::lock_mode::exclusive)) {
      throw error(errc::in_use,
                  directory.path().string() + " is in use: another program is creating the set");
    }
    if (!os::is_named(directory, unfinished_name, file)) continue;
    require_none();
    directory.sync();
    return {os::file::open_directory(directory.path()), std::move(file)};
  }
}

os::file set_manifest::withdraw(const os::file& directory) {
  for (;;) {
    const bool is_there = os::exists_in(directory, name);
    os::file file = os::file::open_in(directory, is_there ? name : unfinished_name, O_RDWR | O_CREAT);
    if (!file.try_lock(os::lock_mode::exclusive)) {
      throw error(errc::in_use, directory.path().string() + " is in use: another program has the set open");
    }
    if (!os::is_named(directory, is_there ? name : unfinished_name, file)) continue;
    if (is_there) os::rename_in(directory, name, unfinished_name);
    directory.sync();
    return file;
  }
}

void set_manifest::write_all(const os::file& to) {
  // The slot that is written next holds the same until then.
  const manifest_slot slot = slot_for(now_, sequence_);
  const manifest_file content{slot, slot};
  to.write_at(&content, sizeof content, 0);
  to.sync();
}

void set_manifest::publish(const set_state& first) {
  now_ = first;
  sequence_ = 1;
  slot_ = 0;
  try {
    write_all(file_);
    os::rename_in(directory_, unfinished_name, name);
  } catch (...) {
    sequence_ = 0;
    throw;
  }
  directory_.sync();
}

void set_manifest::replace() {
  os::file next = os::file::open_in(directory_, next_name, O_RDWR | O_CREAT | O_TRUNC);
  // Before it has the name: whoever opens it by that finds it locked.
  if (!next.try_lock(os::lock_mode::exclusive)) {
    throw error(errc::in_use, next.path().string() + " is in use: another program is changing the set");
  }
  write_all(next);
  os::rename_in(directory_, next_name, name);
  file_ = std::move(next);
  slot_ = 0;
  directory_.sync();
}

set_manifest::written set_manifest::store(const set_state& next, std::exception_ptr& failure) noexcept {
  try {
    store::reporting("change", file_.path(), [&] {
      const std::size_t other = 1 - slot_;
      const manifest_slot slot = slot_for(next, sequence_ + 1);
      file_.write_at(&slot, sizeof slot, other * store::layout::block);
      file_.sync_data();
      now_ = next;
      ++sequence_;
      slot_ = other;
    });
    return written::yes;
  } catch (...) {
    failure = std::current_exception();
  }
  try {
    // Some of it may be in the file, and a sync that has failed tells nothing of what is on disk.
    ++sequence_;
    replace();
    return written::no;
  } catch (...) {
    return written::in_doubt;
  }
}

}  // namespace perdure::detail
