// The file `super`: two slots that are written in turn, and the ABI stamp.
#include "store/file/super_block.hpp"

#include <fcntl.h>
#include <sys/random.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdio>
#include <cstring>
#include <limits>

#include "base/invariant.hpp"
#include "store/file/capacity.hpp"
#include "store/file/checked_block.hpp"
#include "store/file/failure.hpp"
#include "store/file/layout.hpp"
#include "store/file/store_directory.hpp"

namespace perdure::store {

namespace {

std::atomic<bool> are_copies_trusted{false};

void put_place(layout::super_slot& in, const os::file_identity& place) noexcept {
  in.inode = place.inode;
  in.born_ns = place.born_ns;
}

bool is_elsewhere(const layout::super_slot& slot, const os::file_identity& place) noexcept {
  return slot.inode != 0 && place.inode != 0 &&
         (slot.inode != place.inode ||
          (slot.born_ns != 0 && place.born_ns != 0 && slot.born_ns != place.born_ns));
}

}  // namespace

void carry_place(const os::file& original, const os::file& copy) {
  const auto place = os::lasting_identity(original);
  const auto other_place = os::lasting_identity(copy);
  if (!place || !other_place) return;
  super_file content{};
  copy.read_at(&content, sizeof content, 0);
  for (std::size_t i = 0; i < 2; ++i) {
    layout::super_slot& slot = content.slots[i];
    if (!is_sound(slot, layout::super_magic) || slot.inode == 0 || is_elsewhere(slot, *place)) continue;
    put_place(slot, *other_place);
    seal_block(slot);
    copy.write_at(&slot, sizeof slot, i * layout::block);
  }
}

void trust_copies(bool wanted) noexcept {
  are_copies_trusted = wanted;
}

void require_remains_of_store(const os::file& directory) {
  if (os::exists_in(directory, unfinished_super)) {
    throw error(errc::not_a_store, directory.path().string() +
                                       " holds a datastore that is not complete: create it once more, unless "
                                       "that is under way");
  }
  if (os::exists_in(directory, "manifest") && !os::exists_in(directory, "heap.000"))
    throw error(errc::not_a_store,
                directory.path().string() +
                    " is a set of stores, not a single store: this can only be done to a store, "
                    "and only MPI programs write a set (docs/reference/mpi.md)");
  if (!os::exists_in(directory, "heap.000") && !os::exists_in(directory, "jrnl.0"))
    throw error(errc::not_a_store, directory.path().string() + " holds no datastore: it has no file `super`");
}

void check_format(const layout::super_slot& slot, const std::filesystem::path& path, bool writable) {
  const std::string where = path.parent_path().string();
  if (slot.format > layout::format_version) {
    throw error(errc::too_new, where + " has format " + std::to_string(slot.format) +
                                   ", this library reads up to " + std::to_string(layout::format_version) +
                                   ": use a newer library");
  }
  if (slot.format < layout::oldest_readable_format) {
    throw error(errc::too_old,
                where + " has format " + std::to_string(slot.format) + ", this library reads from " +
                    std::to_string(layout::oldest_readable_format) + ": convert it with an older one");
  }
  if ((slot.incompat & ~layout::known_incompat) != 0) {
    throw error(errc::too_new, where + " uses features this library does not know: use a newer library");
  }
  if (writable &&
      (slot.read_only_compat & ~(layout::known_read_only_compat | layout::read_only_compat_joint)) != 0) {
    throw error(errc::too_new, where +
                                   " uses features this library can read but not write: open it for reading, "
                                   "or use a newer library");
  }
  if (slot.byte_order != layout::byte_order_mark || slot.pointer_bytes != sizeof(void*) ||
      slot.page_bytes != page_size || slot.chunk_bytes != layout::chunk_size) {
    throw error(errc::incompatible,
                where + " was written with another byte order, pointer, page or chunk size");
  }
}

void check_sense(const layout::super_slot& slot, const std::filesystem::path& path) {
  const auto damaged = [&path](const char* what) { throw_damaged(path, what); };
  constexpr std::uint64_t most = std::uint64_t{1} << 56;
  if (slot.capacity == 0 || slot.capacity % detail::segment_alignment != 0 ||
      slot.capacity > layout::most_capacity)
    damaged("absurd capacity");
  if (const std::uint64_t limit = limit_in(slot); limit == 0 || limit > slot.capacity)
    damaged("the limit contradicts the capacity");
  if (slot.segment_bytes > slot.capacity || slot.segment_bytes % layout::chunk_size != 0) {
    damaged("the segment's length contradicts the capacity");
  }
  if (slot.home_file_bytes == 0 || slot.home_file_bytes % layout::chunk_size != 0 ||
      slot.home_file_bytes > most) {
    damaged("absurd size of home files");
  }
  if ((slot.capacity - 1) / slot.home_file_bytes >= layout::most_home_files)
    damaged("absurd number of home files");
  if (slot.table_epoch > slot.applied_epoch || slot.applied_epoch > slot.epoch ||
      slot.epoch - slot.applied_epoch > 2)
    damaged("epochs out of order");
  const bool pinned = (slot.flags & layout::flag_pinned) != 0;
  if (pinned != (slot.address != 0) || slot.address % detail::segment_alignment != 0 || slot.address > most) {
    damaged("absurd base address");
  }
}

void check_abi(const layout::abi_stamp& theirs, const std::filesystem::path& path) {
  const layout::abi_stamp ours = own_abi();
  // The text names the architecture and compiler for people; the numbers before it decide.
  if (std::memcmp(&ours, &theirs, offsetof(layout::abi_stamp, text)) == 0) return;
  const std::string text(theirs.text.data(), ::strnlen(theirs.text.data(), theirs.text.size()));
  throw error(errc::incompatible, path.parent_path().string() + " was written with another ABI (" + text +
                                      "; this program has " + ours.text.data() + ")");
}

super_block super_block::create(const os::file& directory, const layout::super_slot& first,
                                const char* name) {
  super_block result;
  result.file_ = os::file::open_in(directory, name, O_RDWR | O_CREAT);
  result.tells_names_ = result.file_.has_name();
  result.identity_ = os::lasting_identity(result.file_).value_or(os::file_identity());
  result.now_ = first;
  if (first.inode != layout::unchecked_inode) result.record_place(result.now_);
  result.now_.sequence = 1;
  seal_block(result.now_);
  super_file content{{result.now_, result.now_}, own_abi()};
  result.file_.write_at(&content, sizeof content, 0);
  result.abi_ = content.abi.text.data();
  return result;
}

super_block super_block::load(const os::file& directory, bool writable) {
  super_block result;
  result.file_ = os::file::open_if_there(directory, "super", writable ? O_RDWR : O_RDONLY);
  if (!result.file_) {
    require_remains_of_store(directory);
    throw_damaged(directory.path() / "super", "it is missing");
  }
  result.tells_names_ = result.file_.has_name();
  const std::filesystem::path& path = result.file_.path();
  super_file content{};
  const std::size_t got = result.file_.read_at(&content, sizeof content, 0);

  bool any_magic = false;
  bool any_sound = false;
  for (std::size_t i = 0; i < 2; ++i) {
    const layout::super_slot& slot = content.slots[i];
    any_magic = any_magic || slot.magic == layout::super_magic;
    if (!is_sound(slot, layout::super_magic)) continue;
    if (any_sound && slot.sequence <= result.now_.sequence) continue;
    any_sound = true;
    result.now_ = slot;
    result.slot_ = i;
  }
  if (!any_sound && !any_magic && got == sizeof content) {
    throw error(errc::not_a_store,
                directory.path().string() + " holds no datastore: its `super` is some other file");
  }
  if (!any_sound) throw_damaged(path, "neither of its two slots has a valid checksum");
  check_format(result.now_, path, writable);
  if (result.file_.size() != layout::super_file_bytes) {
    throw_damaged(path, "it has " + std::to_string(result.file_.size()) + " bytes instead of " +
                            std::to_string(layout::super_file_bytes));
  }
  check_sense(result.now_, path);
  result.identity_ = os::lasting_identity(result.file_).value_or(os::file_identity());
  result.is_copied_ = !are_copies_trusted && is_elsewhere(result.now_, result.identity_);

  layout::abi_stamp theirs = content.abi;
  if (!is_sound(theirs, layout::stamp_magic)) throw_damaged(path, "the ABI stamp has no valid checksum");
  theirs.text.back() = '\0';
  result.abi_ = theirs.text.data();
  check_abi(theirs, path);
  return result;
}

void super_block::require_named() const {
  if (!tells_names_ || file_.has_name()) return;
  throw error(errc::conflict,
              file_.path().parent_path().string() +
                  " has been removed while it was open, and a checkpoint would be lost: copy what "
                  "is in memory to another store, or close this one with `discard`");
}

void super_block::accept_place() {
  is_copied_ = false;
  store(now_);
}

void super_block::record_place(layout::super_slot& in) const noexcept {
  put_place(in, identity_);
}

void super_block::store(layout::super_slot next) {
  // The slot that counts may be one whose fdatasync failed in an earlier run: then it is in this machine's
  // page cache and not on disk, where the other slot is the one that must be kept.
  if (!is_durable_) {
    file_.write_at(&now_, sizeof now_, slot_ * layout::block);
    file_.sync_data();
    is_durable_ = true;
  }
  // Whatever is opened later is judged by this slot.
  PERDURE_INVARIANT(next.applied_epoch <= next.epoch && next.table_epoch <= next.epoch);
  PERDURE_INVARIANT(next.segment_bytes <= next.capacity && next.uuid == now_.uuid);
  if (!is_copied_) record_place(next);
  next.sequence = now_.sequence + 1;
  next.written_ns = unix_time_ns();
  seal_block(next);
  const std::size_t other = 1 - slot_;
  file_.write_at(&next, sizeof next, other * layout::block);
  file_.sync_data();
  now_ = next;
  slot_ = other;
}

layout::abi_stamp own_abi() {
  layout::abi_stamp stamp{};
  stamp.magic = layout::stamp_magic;
  stamp.byte_order = layout::byte_order_mark;
  stamp.page_bytes = static_cast<std::uint32_t>(page_size);
  stamp.chunk_bytes = layout::chunk_size;
  stamp.pointer_bytes = sizeof(void*);
  stamp.long_bytes = sizeof(long);
  stamp.long_double_bytes = sizeof(long double);
  stamp.wide_char_bytes = sizeof(wchar_t);
  stamp.size_bytes = sizeof(std::size_t);
  stamp.most_alignment = alignof(std::max_align_t);
  stamp.char_is_signed = std::numeric_limits<char>::is_signed;
#if defined(__x86_64__)
  const char* architecture = "x86_64";
#elif defined(__aarch64__)
  const char* architecture = "aarch64";
#else
  const char* architecture = "other";
#endif
  std::snprintf(stamp.text.data(), stamp.text.size(),
                "%s, little-endian, %zu-bit pointers, %zu-byte pages, %zu-byte chunks", architecture,
                sizeof(void*) * CHAR_BIT, page_size, layout::chunk_size);
  seal_block(stamp);
  return stamp;
}

std::uint64_t unix_time_ns() {
  using namespace std::chrono;
  return static_cast<std::uint64_t>(
      duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count());
}

layout::uuid_bytes random_uuid() {
  layout::uuid_bytes uuid{};
  if (::getrandom(uuid.data(), uuid.size(), 0) != static_cast<ssize_t>(uuid.size())) {
    throw std::system_error(errno, std::generic_category(), "getrandom");
  }
  uuid[6] = static_cast<std::uint8_t>((uuid[6] & 0x0f) | 0x40);  // RFC 9562: version 4
  uuid[8] = static_cast<std::uint8_t>((uuid[8] & 0x3f) | 0x80);
  return uuid;
}

std::string to_text(const layout::uuid_bytes& uuid) {
  std::string text;
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", uuid[i]);
    text += digits;
  }
  return text;
}

}  // namespace perdure::store
