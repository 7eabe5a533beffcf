#include "store/journal.hpp"

#include <fcntl.h>

#include <algorithm>

#include "segment/growth.hpp"
#include "store/checked_block.hpp"
#include "store/failure.hpp"
#include "store/super_block.hpp"

namespace perdure {

namespace {

constexpr std::size_t batch_pages = 256;

void write_empty_header(const os::file& file, const layout::uuid_bytes& uuid) {
  layout::journal_header header{};
  header.magic = layout::journal_magic;
  header.format = layout::format_version;
  header.uuid = uuid;
  header.payload_offset = layout::block;
  seal_block(header);
  file.write_at(&header, sizeof header, 0);
  file.sync();
}

// Pages an entry speaks of.
std::uint64_t pages_of(const layout::journal_entry& entry) {
  const bool single = entry.kind == layout::entry_kind::overwrite || entry.kind == layout::entry_kind::fresh;
  return single ? 1 : entry.value;
}

bool is_valid_index(std::span<const layout::journal_entry> index, const layout::journal_header& header) {
  const std::uint64_t pages = header.segment_bytes / page_size;
  std::uint64_t next = 0;
  std::uint64_t payload = 0;
  for (const layout::journal_entry& entry : index) {
    if (entry.kind < layout::entry_kind::overwrite || entry.kind > layout::entry_kind::released) return false;
    const std::uint64_t count = pages_of(entry);
    if (entry.page < next || count == 0 || entry.page >= pages || count > pages - entry.page) return false;
    if (entry.kind <= layout::entry_kind::fresh && entry.value < layout::first_checksum) return false;
    if (entry.kind == layout::entry_kind::overwrite) ++payload;
    next = entry.page + count;
  }
  return payload == header.payload_pages;
}

}  // namespace

void journal::create(const os::file& directory, unsigned parity, const layout::uuid_bytes& uuid) {
  write_empty_header(os::file::open_in(directory, name_of(parity), O_RDWR | O_CREAT | O_EXCL), uuid);
}

journal::journal(const os::file& directory, unsigned parity, const layout::uuid_bytes& uuid, bool writable)
    : directory_(os::file::open_directory(directory.path())), name_(name_of(parity)), uuid_(uuid) {
  if (!os::exists_in(directory_, name_)) throw_damaged(directory_.path() / name_, "it is missing");
  file_ = os::file::open_in(directory_, name_, writable ? O_RDWR : O_RDONLY);
  layout::journal_header first{};
  if (file_.read_at(&first, sizeof first, 0) != sizeof first) {
    throw_damaged(file_.path(), "it is cut short, to " + std::to_string(file_.size()) + " bytes");
  }
  if (is_sound(first, layout::journal_magic) && first.uuid != uuid_) {
    throw_damaged(file_.path(), "it belongs to another store");
  }
}

std::optional<layout::journal_header> journal::header() const {
  layout::journal_header header{};
  if (file_.read_at(&header, sizeof header, 0) != sizeof header) return std::nullopt;
  if (!is_sound(header, layout::journal_magic) || header.uuid != uuid_) return std::nullopt;
  if (header.format != layout::format_version) return std::nullopt;
  return header;
}

std::optional<std::vector<layout::journal_entry>> journal::read_index_only(
    const layout::journal_header& header, std::uint64_t capacity) const {
  const std::uint64_t size = file_.size();
  // Bounds before any of them is used in arithmetic that could wrap.
  if (header.segment_bytes > capacity || header.segment_bytes % layout::chunk_size != 0) return std::nullopt;
  if (header.entries > size / sizeof(layout::journal_entry) || header.payload_pages > size / page_size) {
    return std::nullopt;
  }
  if (header.payload_offset != payload_offset(static_cast<std::size_t>(header.entries))) return std::nullopt;
  if (header.payload_offset + header.payload_pages * page_size > size && header.payload_pages != 0)
    return std::nullopt;
  std::vector<layout::journal_entry> index(static_cast<std::size_t>(header.entries));
  const std::size_t bytes = index.size() * sizeof(layout::journal_entry);
  if (file_.read_at(index.data(), bytes, layout::block) != bytes) return std::nullopt;
  if (os::crc32c(0, index.data(), bytes) != header.index_crc) return std::nullopt;
  if (!is_valid_index(index, header)) return std::nullopt;
  return index;
}

std::optional<std::vector<layout::journal_entry>> journal::read_index(const layout::journal_header& header,
                                                                      std::uint64_t capacity) const {
  auto index = read_index_only(header, capacity);
  if (!index) return std::nullopt;
  std::vector<std::byte> batch(batch_pages * page_size);
  std::uint64_t next = 0;
  std::size_t in_batch = 0;
  std::size_t used = 0;
  for (const layout::journal_entry& entry : *index) {
    if (entry.kind != layout::entry_kind::overwrite) continue;
    if (used == in_batch) {
      in_batch = static_cast<std::size_t>(std::min<std::uint64_t>(batch_pages, header.payload_pages - next));
      read_payload(header, next, in_batch, batch.data());
      next += in_batch;
      used = 0;
    }
    if (page_checksum(entry.page, batch.data() + used * page_size) != entry.value) return std::nullopt;
    ++used;
  }
  return index;
}

void journal::read_payload(const layout::journal_header& header, std::uint64_t first, std::size_t count,
                           std::byte* to) const {
  const std::size_t bytes = count * page_size;
  if (file_.read_at(to, bytes, header.payload_offset + first * page_size) != bytes) {
    throw_damaged(file_.path(), "it is cut short");
  }
}

std::uint64_t journal::payload_offset(std::size_t entries) {
  return round_up(layout::block + entries * sizeof(layout::journal_entry), layout::block);
}

void journal::write_payload(std::size_t entries, std::uint64_t first, std::size_t count,
                            const std::byte* from) {
  file_.write_at(from, count * page_size, payload_offset(entries) + first * page_size);
}

layout::journal_header journal::commit(std::uint64_t epoch, std::uint64_t segment_bytes,
                                       std::span<const layout::journal_entry> index,
                                       std::uint64_t payload_pages, std::string_view label) {
  file_.write_at(index.data(), index.size_bytes(), layout::block);
  layout::journal_header header{};
  header.magic = layout::journal_magic;
  header.format = layout::format_version;
  header.uuid = uuid_;
  header.epoch = epoch;
  header.segment_bytes = segment_bytes;
  header.entries = index.size();
  header.payload_pages = payload_pages;
  header.payload_offset = payload_offset(index.size());
  header.index_crc = os::crc32c(0, index.data(), index.size_bytes());
  header.committed_ns = unix_time_ns();
  label.copy(header.label.data(), header.label.size() - 1);
  seal_block(header);
  file_.write_at(&header, sizeof header, 0);
  file_.sync_data();
  return header;
}

void journal::make_durable(const layout::journal_header& header,
                           std::span<const layout::journal_entry> index) {
  std::vector<std::byte> batch(std::min<std::uint64_t>(batch_pages, header.payload_pages) * page_size);
  for (std::uint64_t done = 0; done < header.payload_pages; done += batch_pages) {
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(batch_pages, header.payload_pages - done));
    read_payload(header, done, count, batch.data());
    write_payload(index.size(), done, count, batch.data());
  }
  file_.write_at(index.data(), index.size_bytes(), layout::block);
  file_.write_at(&header, sizeof header, 0);
  file_.sync_data();
}

void journal::replace() {
  const std::string fresh = name_ + ".new";
  os::remove_in(directory_, fresh);
  os::file file = os::file::open_in(directory_, fresh, O_RDWR | O_CREAT | O_EXCL);
  write_empty_header(file, uuid_);
  os::rename_in(directory_, fresh, name_);
  file_ = os::file::open_in(directory_, name_, O_RDWR);
  directory_.sync();
}

}  // namespace perdure
