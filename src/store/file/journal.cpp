// The redo journals: written in slots, committed by their header, decided on, and replaced when they fail.
#include "store/file/journal.hpp"

#include <fcntl.h>

#include <algorithm>
#include <array>

#include "os/file_clone.hpp"
#include "store/file/checked_block.hpp"
#include "store/file/failure.hpp"
#include "store/file/journal_image.hpp"
#include "store/file/store_directory.hpp"
#include "store/file/super_block.hpp"

namespace perdure::store {

namespace {

void write_empty_header(const os::file& file, const layout::uuid_bytes& uuid) {
  // A journal is written over and over, has checksums of its own, and no snapshot shares its blocks.
  os::overwrite_in_place(file);
  layout::journal_header header = make_header(layout::journal_magic, uuid, {}, 0);
  seal_block(header);
  file.write_at(&header, sizeof header, 0);
  file.sync();
}

}  // namespace

void journal::create(const os::file& directory, unsigned parity, const layout::uuid_bytes& uuid) {
  write_empty_header(os::file::open_in(directory, name_of(parity), O_RDWR | O_CREAT | O_EXCL), uuid);
}

journal::journal(const os::file& directory, unsigned parity, const layout::uuid_bytes& uuid, bool writable)
    : directory_(reopened(directory, writable)), name_(name_of(parity)), uuid_(uuid) {
  file_ = os::file::open_if_there(directory, name_, writable ? O_RDWR : O_RDONLY);
  if (!file_) throw_damaged(directory_.path() / name_, "it is missing");
  layout::journal_header first{};
  if (file_.read_at(&first, sizeof first, 0) != sizeof first) {
    throw_damaged(file_.path(), "it is cut short, to " + std::to_string(file_.size()) + " bytes");
  }
  const bool is_header = is_sound(first, layout::journal_magic) || is_sound(first, layout::prepared_magic);
  if (is_header && first.uuid != uuid_) {
    throw_damaged(file_.path(), "it belongs to another store");
  }
}

std::optional<layout::journal_header> journal::header() const {
  if (const auto committed = image().header(layout::journal_magic, uuid_)) return committed;
  const auto prepared = image().header(layout::prepared_magic, uuid_);
  return prepared && is_decided(*prepared) ? prepared : std::nullopt;
}

std::optional<layout::journal_header> journal::undecided() const {
  const auto prepared = image().header(layout::prepared_magic, uuid_);
  return prepared && !is_decided(*prepared) ? prepared : std::nullopt;
}

bool journal::is_decided(const layout::journal_header& header) const {
  const std::uint64_t size = file_.size();
  if (header.index_offset > size || header.entries > size / sizeof(layout::journal_entry)) return false;
  layout::journal_decision found{};
  return file_.read_at(&found, sizeof found, journal_image::bytes(header)) == sizeof found &&
         is_sound(found, layout::decision_magic) && found.epoch == header.epoch &&
         found.header_crc == header.crc;
}

void journal::decide(const layout::journal_header& header) {
  layout::journal_decision block{};
  block.magic = layout::decision_magic;
  block.epoch = header.epoch;
  block.header_crc = header.crc;
  seal_block(block);
  file_.write_at(&block, sizeof block, journal_image::bytes(header));
  file_.sync_data();
}

std::optional<std::vector<layout::journal_entry>> journal::read_index(const layout::journal_header& header,
                                                                      std::uint64_t capacity) const {
  auto index = image().index(header, capacity);
  if (index && !image().is_whole(*index)) return std::nullopt;
  return index;
}

void journal::write_payload(std::uint64_t first, std::size_t count, const std::byte* from) {
  file_.write_at(from, count * page_size, journal_image::slot_offset(first));
}

layout::journal_header journal::commit(const known_checkpoint& next, std::uint64_t parent,
                                       std::span<const layout::journal_entry> index,
                                       std::uint64_t payload_pages, std::string_view label,
                                       const std::byte* base, decision made) {
  const layout::magic& magic = made == decision::made ? layout::journal_magic : layout::prepared_magic;
  layout::journal_header header = make_header(magic, uuid_, index, payload_pages);
  file_.write_at(index.data(), index.size_bytes(), header.index_offset);
  // Space for the decision is taken now: other stores may have decided when a full disk would be met.
  if (made == decision::pending)
    file_.reserve_space(journal_image::bytes(header), sizeof(layout::journal_decision));
  header.epoch = next.epoch;
  header.segment_bytes = next.segment_bytes;
  header.checkpoint = next.identity;
  header.parent = parent;
  header.committed_ns = unix_time_ns();
  label.copy(header.label.data(), header.label.size() - 1);
  header.address = reinterpret_cast<std::uintptr_t>(base);
  seal_block(header);
  is_header_begun_ = true;
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
    image().read_payload(done, count, batch.data());
    write_payload(done, count, batch.data());
  }
  file_.write_at(index.data(), index.size_bytes(), header.index_offset);
  file_.write_at(&header, sizeof header, 0);
  file_.sync_data();
  if (header.magic == layout::prepared_magic) decide(header);
}

void journal::replace(std::span<const kept_page> keep) {
  const std::string fresh = name_ + ".new";
  os::remove_in(directory_, fresh);
  os::file file = os::file::open_in(directory_, fresh, O_RDWR | O_CREAT | O_EXCL);
  try {
    write_empty_header(file, uuid_);
    take_over(keep, file);
  } catch (...) {
    // The unfinished file would take space until the next try.
    os::remove_in(directory_, fresh);
    throw;
  }
  os::rename_in(directory_, fresh, name_);
  file_ = os::file::open_in(directory_, name_, O_RDWR);
  // Not earlier: the name may be undone, and then the old file counts again.
  directory_.sync();
  is_header_begun_ = false;
}

void journal::take_over(std::span<const kept_page> keep, const os::file& to) const {
  alignas(64) std::array<std::byte, page_size> bytes;
  for (const kept_page& one : keep) {
    image().read_payload(one.slot, 1, bytes.data());
    if (page_checksum(one.page, bytes.data()) != one.checksum) {
      throw error(errc::io, "page " + std::to_string(one.page) +
                                ", moved out of memory, was lost by the device: reopen the store to go on "
                                "from its last checkpoint");
    }
    to.write_at(bytes.data(), page_size, journal_image::slot_offset(one.slot));
  }
}

}  // namespace perdure::store
