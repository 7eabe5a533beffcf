// Saves before-images of persistent memory, in the handler of the thread that is about to write.
#include "store/backing/before_image_keeper.hpp"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>

#include "base/signals_blocked.hpp"
#include "os/bus_error.hpp"
#include "os/persistent_memory.hpp"
#include "os/thread_sanitizer.hpp"
#include "segment/growth.hpp"
#include "store/file/checked_block.hpp"
#include "store/file/journal_image.hpp"
#include "store/file/zero_bytes.hpp"

namespace perdure::store {

namespace {

using layout::entry_kind;
using layout::journal_entry;

constexpr std::uint64_t granule = detail::dax_segment::granule;
constexpr std::uint64_t extent = os::guarded_range::extent_bytes;
constexpr std::uint64_t window_bytes = std::uint64_t{16} << 20;
constexpr std::uint64_t file_step = std::uint64_t{2} << 20;  // in which the file grows

// A batch of so many pages has one block of index.
constexpr std::uint64_t most_pages = before_image_keeper::most_entries;
constexpr std::uint64_t most_bytes = 2 * layout::block + most_pages * page_size;
static_assert(window_bytes >= extent + most_bytes && most_pages >= granule / page_size);

std::uint64_t round_down(std::uint64_t value, std::uint64_t step) {
  return value / step * step;
}

}  // namespace

before_image_keeper::before_image_keeper(const os::file& directory, const layout::uuid_bytes& uuid,
                                         const os::reservation& place, std::uint64_t home_file_bytes)
    : file_(os::file::open_in(directory, "undo", O_RDWR | O_CREAT)),
      base_(place.base()),
      home_file_bytes_(home_file_bytes),
      header_(make_header(layout::undo_magic, uuid, {}, 0)),
      window_(window_bytes, extent),
      message_("perdure: cannot save what the last checkpoint of " + directory.path().string() +
               " holds of memory that is about to change: ") {
  directory.sync();
  const std::size_t tags = place.size() / granule * sizeof(tag);
  const std::size_t marks = detail::round_up(place.size() / extent * sizeof(mark), alignof(std::max_align_t));
  const std::size_t files = (place.size() / home_file_bytes + 1) * sizeof(std::atomic<int>);
  tables_ = os::reservation(detail::round_up(tags + marks + files, extent), extent);
  os::protect(tables_.base(), tables_.size(), os::access::read_write);
  // Zero memory is a valid array of zero atomics on every platform this builds for.
  saved_for_ = reinterpret_cast<tag*>(tables_.base());
  is_reserved_ = reinterpret_cast<mark*>(tables_.base() + tags);
  descriptors_ = reinterpret_cast<std::atomic<int>*>(tables_.base() + tags + marks);
  // Nothing in it counts any more: recovery has put it back.
  file_.resize(0);
  os::map_persistent(window_.base(), window_bytes, file_.descriptor(), 0, os::access::read_write);
}

void before_image_keeper::begin(const known_checkpoint& home) noexcept {
  const base::signals_blocked quiet;
  const std::scoped_lock lock(lock_);
  end_ = 0;
  batches_ = 0;
  epoch_ = home.epoch;
  segment_bytes_ = home.segment_bytes;
  identity_ = home.identity;
}

void before_image_keeper::reserved(std::uint64_t offset, std::uint64_t bytes) noexcept {
  for (std::uint64_t at = offset / extent; at < (offset + bytes) / extent; ++at) is_reserved_[at] = 1;
}

void before_image_keeper::punched(std::uint64_t offset, std::uint64_t bytes) noexcept {
  for (std::uint64_t at = offset / extent; at * extent < offset + bytes; ++at) is_reserved_[at] = 0;
}

bool before_image_keeper::prepare(os::byte_range& part) noexcept {
  const base::signals_blocked quiet;
  const std::scoped_lock lock(lock_);
  errno = refusal_;
  if (errno != 0) return false;
  const std::uint64_t committed = segment_bytes_;
  // Nothing is saved beyond the last checkpoint's end: recovery cuts that off.
  if (part.offset >= committed) {
    const std::uint64_t end = detail::round_up(part.offset + part.bytes, extent);
    part.offset = round_down(part.offset, extent);
    part.bytes = end - part.offset;
  }
  if (!reserve_space(part.offset, part.bytes)) return false;
  const std::uint64_t end = std::min(part.offset + part.bytes, committed) / granule;
  const std::uint64_t now = epoch_ + 1;
  constexpr std::uint64_t most = most_pages * page_size / granule;
  for (std::uint64_t first = part.offset / granule; first < end;) {
    std::uint64_t count = 0;
    while (first + count < end && count < most && saved_for_[first + count] != now) ++count;
    if (count != 0 && !save(first, count)) return false;
    for (std::uint64_t i = first; i < first + count; ++i) saved_for_[i] = now;
    first += std::max<std::uint64_t>(count, 1);
  }
  return true;
}

// Takes disk space where there is a hole: the kernel would send SIGBUS for a write that the disk has no room
// for.
bool before_image_keeper::reserve_space(std::uint64_t offset, std::uint64_t bytes) noexcept {
  for (std::uint64_t at = round_down(offset, extent); at < offset + bytes; at += extent) {
    if (is_reserved_[at / extent] != 0) continue;
    const int descriptor = descriptors_[at / home_file_bytes_];
    if (!os::try_reserve_space(descriptor, layout::home_data_offset + at % home_file_bytes_, extent))
      return false;
    is_reserved_[at / extent] = 1;
  }
  return true;
}

// Takes disk space behind the last batch, and maps it if it is not in the window.
bool before_image_keeper::make_room(std::uint64_t bytes) noexcept {
  while (file_bytes_ < end_ + bytes) {
    if (!os::try_resize(file_.descriptor(), file_bytes_ + file_step) ||
        !os::try_reserve_space(file_.descriptor(), file_bytes_, file_step))
      return false;
    file_bytes_ += file_step;
  }
  if (end_ >= window_at_ && end_ + bytes <= window_at_ + window_bytes) return true;
  const std::uint64_t at = round_down(end_, extent);
  if (!os::try_map_persistent(window_.base(), window_bytes, file_.descriptor(), at, os::access::read_write))
    return false;
  window_at_ = at;
  return true;
}

// Appends a batch of so many granules, durably.
bool before_image_keeper::save(std::uint64_t first, std::uint64_t count) noexcept {
  const std::uint64_t begin = first * granule / page_size;
  const std::uint64_t pages = count * granule / page_size;
  if (!make_room(2 * layout::block + pages * page_size)) return false;
  std::byte* const batch = window_.base() + (end_ - window_at_);
  auto& index = index_;
  std::size_t entries = 0;
  std::uint64_t saved = 0;
  os::begin_ordered_reads();
  for (std::uint64_t page = begin; page < begin + pages; ++page) {
    const std::byte* const bytes = base_ + page * page_size;
    if (!is_zero(bytes, page_size)) {
      const std::uint32_t checksum = copy_page(page, batch + journal_image::slot_offset(saved), bytes);
      index[entries++] = {page, checksum, entry_kind::overwrite, 0, {}, saved++};
    } else if (entries != 0 && index[entries - 1].kind == entry_kind::zero &&
               index[entries - 1].page + index[entries - 1].value == page) {
      ++index[entries - 1].value;
    } else {
      index[entries++] = {page, 1, entry_kind::zero, 0, {}};
    }
  }
  os::end_ordered_reads();
  header_.epoch = epoch_;
  header_.segment_bytes = segment_bytes_;
  header_.checkpoint = identity_;
  header_.flags = batches_;
  header_.entries = entries;
  header_.payload_pages = saved;
  header_.index_offset = journal_image::slot_offset(saved);
  header_.index_crc = os::crc32c(0, index.data(), entries * sizeof(journal_entry));
  std::memcpy(batch + header_.index_offset, index.data(), entries * sizeof(journal_entry));
  seal_block(header_);
  std::memcpy(batch, &header_, sizeof header_);
  // In any order: a batch of which a part is missing is torn, and then the program has not written yet.
  const iovec part{batch, journal_image::bytes(header_)};
  os::persist({&part, 1});
  end_ += part.iov_len;
  ++batches_;
  return true;
}

void before_image_keeper::refused(std::byte* address, int error) {
  // If these fail there is nobody to tell.
  const char* const why = ::strerrordesc_np(error);
  const iovec parts[] = {{message_.data(), message_.size()},
                         {const_cast<char*>(why), why == nullptr ? 0 : std::strlen(why)},
                         {const_cast<char*>("\n"), 1}};
  static_cast<void>(!::writev(STDERR_FILENO, parts, std::size(parts)));
  os::raise_bus_error(address);
}

void before_image_keeper::clear() {
  file_.resize(0);
}

}  // namespace perdure::store
