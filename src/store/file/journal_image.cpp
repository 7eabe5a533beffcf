// Reads and checks images of pages with their index, and makes their headers.
#include "store/file/journal_image.hpp"

#include "segment/growth.hpp"
#include "store/file/checked_block.hpp"
#include "store/file/failure.hpp"

namespace perdure::store {

namespace {

// How many pages an entry is about.
std::uint64_t pages_of(const layout::journal_entry& entry) {
  return is_run(entry) ? entry.value : 1;
}

bool is_valid_index(std::span<const layout::journal_entry> index, const layout::journal_header& header) {
  const std::uint64_t pages = header.segment_bytes / page_size;
  std::uint64_t next = 0;
  std::vector<bool> is_taken(static_cast<std::size_t>(header.payload_pages));
  for (const layout::journal_entry& entry : index) {
    if (entry.kind < layout::entry_kind::overwrite || entry.kind > layout::entry_kind::released) return false;
    const std::uint64_t count = pages_of(entry);
    if (entry.page < next || count == 0 || entry.page >= pages || count > pages - entry.page) return false;
    if (entry.kind <= layout::entry_kind::fresh && entry.value < layout::first_checksum) return false;
    if (entry.carried > 1 || (entry.carried == 1 && entry.kind == layout::entry_kind::overwrite))
      return false;
    if (entry.kind == layout::entry_kind::overwrite) {
      if (entry.slot >= is_taken.size() || is_taken[static_cast<std::size_t>(entry.slot)]) return false;
      is_taken[static_cast<std::size_t>(entry.slot)] = true;
    }
    next = entry.page + count;
  }
  return true;
}

}  // namespace

std::optional<layout::journal_header> journal_image::header(const layout::magic& magic,
                                                            const layout::uuid_bytes& uuid) const {
  layout::journal_header header{};
  if (file_->read_at(&header, sizeof header, at_) != sizeof header) return std::nullopt;
  if (!is_sound(header, magic) || header.uuid != uuid) return std::nullopt;
  if (header.format != layout::format_version) return std::nullopt;
  return header;
}

std::optional<std::vector<layout::journal_entry>> journal_image::index(const layout::journal_header& header,
                                                                       std::uint64_t capacity) const {
  const std::uint64_t file_bytes = file_->size();
  if (file_bytes < at_) return std::nullopt;
  const std::uint64_t size = file_bytes - at_;
  // The numbers are checked before any of them is used in arithmetic that could overflow.
  if (header.segment_bytes > capacity || header.segment_bytes % layout::chunk_size != 0) return std::nullopt;
  if (header.entries > size / sizeof(layout::journal_entry) || header.payload_pages > size / page_size) {
    return std::nullopt;
  }
  if (header.index_offset != slot_offset(header.payload_pages)) return std::nullopt;
  std::vector<layout::journal_entry> index(static_cast<std::size_t>(header.entries));
  const std::size_t index_bytes = index.size() * sizeof(layout::journal_entry);
  if (file_->read_at(index.data(), index_bytes, at_ + header.index_offset) != index_bytes)
    return std::nullopt;
  if (os::crc32c(0, index.data(), index_bytes) != header.index_crc) return std::nullopt;
  if (!is_valid_index(index, header)) return std::nullopt;
  return index;
}

bool journal_image::is_whole(std::span<const layout::journal_entry> index) const {
  bool whole = true;
  for_payload(*this, index, [&](std::span<const layout::journal_entry> pages, const std::byte* bytes) {
    for (const layout::journal_entry& entry : pages) {
      if (page_checksum(entry.page, bytes) != entry.value) whole = false;
      bytes += page_size;
    }
  });
  return whole;
}

void journal_image::read_payload(std::uint64_t first, std::size_t count, std::byte* to) const {
  const std::size_t bytes = count * page_size;
  if (file_->read_at(to, bytes, at_ + slot_offset(first)) != bytes) {
    throw_damaged(file_->path(), "it is cut short");
  }
}

std::uint64_t journal_image::bytes(const layout::journal_header& header) {
  return detail::round_up(header.index_offset + header.entries * sizeof(layout::journal_entry),
                          layout::block);
}

layout::journal_header make_header(const layout::magic& magic, const layout::uuid_bytes& uuid,
                                   std::span<const layout::journal_entry> index,
                                   std::uint64_t payload_pages) {
  layout::journal_header header{};
  header.magic = magic;
  header.format = layout::format_version;
  header.uuid = uuid;
  header.entries = index.size();
  header.payload_pages = payload_pages;
  header.index_offset = journal_image::slot_offset(payload_pages);
  header.index_crc = os::crc32c(0, index.data(), index.size_bytes());
  return header;
}

}  // namespace perdure::store
