// The files heap.NNN: made, lengthened, cut, read, written and synced.
#include "store/file/home_files.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cstdio>

#include "os/file_clone.hpp"
#include "os/file_extents.hpp"
#include "store/file/checked_block.hpp"
#include "store/file/failure.hpp"
#include "store/file/journal_image.hpp"
#include "store/file/store_directory.hpp"

namespace perdure::store {

namespace {

constexpr std::uint64_t writeback_step = std::uint64_t{16} << 20;
constexpr std::uint64_t writeback_piece = std::uint64_t{64} << 10;

void write_header(const os::file& file, std::size_t index, const layout::uuid_bytes& uuid,
                  std::uint64_t file_bytes, const file_stamps& stamps) {
  layout::home_header header{};
  header.magic = layout::home_magic;
  header.format = layout::format_version;
  header.index = static_cast<std::uint32_t>(index);
  header.uuid = uuid;
  header.home_file_bytes = file_bytes;
  header.stamps = stamps.sectors();
  seal_block(header);
  file.write_at(&header, sizeof header, 0);
}

os::file make_file(const os::file& directory, std::size_t index, const layout::uuid_bytes& uuid,
                   std::uint64_t file_bytes) {
  // O_TRUNC: a crash may have left an unfinished file of this name.
  os::file file = os::file::open_in(directory, home_files::name_of(index), O_RDWR | O_CREAT | O_TRUNC);
  // A snapshot shares the blocks of this file; a page that is written later must cost no more than its own
  // copy.
  os::limit_copy_on_write(file, layout::block);
  write_header(file, index, uuid, file_bytes, {});
  file.resize(layout::home_data_offset);
  return file;
}

}  // namespace

home_files::home_files(const os::file& directory, const layout::super_slot& super, bool writable)
    : directory_(reopened(directory, writable)),
      uuid_(super.uuid),
      file_bytes_(super.home_file_bytes),
      names_unsynced_(writable) {
  const std::uint64_t most = (super.capacity + file_bytes_ - 1) / file_bytes_;
  for (std::size_t index = 0; index < most; ++index) {
    const std::string name = name_of(index);
    os::file file = os::file::open_if_there(directory, name, writable ? O_RDWR : O_RDONLY);
    if (!file) break;
    layout::home_header header{};
    const std::size_t got = file.read_at(&header, sizeof header, 0);
    const std::uint64_t size = file.size();
    if (got != sizeof header || size < layout::home_data_offset) {
      // A crash between the making of a file and the commit that needs it leaves an unfinished file that
      // nothing needs.
      if (index * file_bytes_ >= super.segment_bytes) break;
      throw_damaged(file.path(), "it is cut short, to " + std::to_string(size) + " bytes");
    }
    if (!is_sound(header, layout::home_magic)) {
      if (index * file_bytes_ >= super.segment_bytes) break;
      throw_damaged(file.path(), "its header has no valid checksum");
    }
    if (header.uuid != uuid_ || header.index != index || header.home_file_bytes != file_bytes_) {
      throw_damaged(file.path(), "it belongs to another store or to another place in this one");
    }
    files_.push_back(std::move(file));
    sizes_.push_back(std::min(size - layout::home_data_offset, file_bytes_));
    unsynced_.push_back(0);
    stamps_.emplace_back(header.stamps);
    header_unsure_.push_back(index * file_bytes_ >= super.segment_bytes);
  }
  count_bytes();
  require(super.segment_bytes);
}

std::string home_files::name_of(std::size_t index) {
  char name[32];
  std::snprintf(name, sizeof name, "heap.%03zu", index);
  return name;
}

void home_files::count_bytes() {
  bytes_ = 0;
  for (const std::uint64_t size : sizes_) {
    bytes_ += size;
    if (size != file_bytes_) break;
  }
}

void home_files::require(std::uint64_t segment_bytes) const {
  if (bytes_ >= segment_bytes) return;
  const std::size_t index = static_cast<std::size_t>(bytes_ / file_bytes_);
  const std::filesystem::path path = directory_.path() / name_of(index);
  if (index >= files_.size()) throw_damaged(path, "it is missing");
  const std::uint64_t needed = std::min(file_bytes_, segment_bytes - index * file_bytes_);
  throw_damaged(path, "it is cut short, to " + std::to_string(layout::home_data_offset + sizes_[index]) +
                          " bytes, of which the store needs " +
                          std::to_string(layout::home_data_offset + needed));
}

void home_files::create_file() {
  files_.push_back(make_file(directory_, files_.size(), uuid_, file_bytes_));
  sizes_.push_back(0);
  unsynced_.push_back(1);
  stamps_.emplace_back();
  header_unsure_.push_back(1);
  names_unsynced_ = true;
}

void home_files::create(const os::file& directory, const layout::super_slot& super) {
  make_file(directory, 0, super.uuid, super.home_file_bytes).sync();
}

void home_files::extend(std::uint64_t segment_bytes) {
  for (std::uint64_t at = 0; at < segment_bytes; at += file_bytes_) {
    const std::size_t index = static_cast<std::size_t>(at / file_bytes_);
    if (index >= files_.size()) create_file();
    const std::uint64_t wanted = std::min(file_bytes_, segment_bytes - at);
    if (sizes_[index] >= wanted) continue;
    files_[index].resize(layout::home_data_offset + wanted);
    unsynced_[index] = 1;
    sizes_[index] = wanted;
  }
  count_bytes();
}

void home_files::truncate(std::uint64_t segment_bytes) {
  for (std::size_t index = files_.size(); index-- > 0;) {
    const std::uint64_t begin = index * file_bytes_;
    const std::uint64_t wanted = segment_bytes > begin ? std::min(file_bytes_, segment_bytes - begin) : 0;
    if (sizes_[index] <= wanted) continue;
    sync_names();
    files_[index].resize(layout::home_data_offset + wanted);
    // The cut must not be undone by a crash once later pages, taken to be zero, are committed.
    files_[index].sync();
    sizes_[index] = wanted;
  }
  count_bytes();
}

template <class Visit>
void home_files::for_parts(std::uint64_t offset, std::uint64_t bytes, Visit&& visit) const {
  while (bytes != 0) {
    const std::uint64_t within = offset % file_bytes_;
    const std::uint64_t here = std::min(bytes, file_bytes_ - within);
    visit(part{static_cast<std::size_t>(offset / file_bytes_), layout::home_data_offset + within, here});
    offset += here;
    bytes -= here;
  }
}

std::vector<detail::file_extent> home_files::extents(std::uint64_t segment_bytes) const {
  std::vector<detail::file_extent> result;
  for_parts(0, segment_bytes, [&](const part& piece) {
    result.push_back({files_[piece.file].descriptor(), piece.offset, static_cast<std::size_t>(piece.bytes)});
  });
  return result;
}

os::mapped_medium home_files::medium() const noexcept {
  if (files_.empty()) return os::mapped_medium::page_cache;
  if (files_.front().is_direct_access()) return os::mapped_medium::direct_access;
  return os::fills_touched_holes(files_.front()) ? os::mapped_medium::tmpfs : os::mapped_medium::page_cache;
}

void home_files::write(std::uint64_t page, std::uint64_t pages, const std::byte* from) {
  for_parts(page * page_size, pages * page_size, [&](const part& piece) {
    unsynced_[piece.file] = 1;
    files_[piece.file].write_at(from, static_cast<std::size_t>(piece.bytes), piece.offset);
    from += piece.bytes;
    // The device begins to write while the processor still copies and checksums a large checkpoint. Not for
    // single pages: to submit them costs so much that an opening that brings a journal home would wait for
    // that rather than for the copying.
    if (piece.bytes < writeback_piece) return;
    written_since_writeback_ += piece.bytes;
    if (written_since_writeback_ >= writeback_step) {
      written_since_writeback_ = 0;
      files_[piece.file].start_writeback();
    }
  });
}

void home_files::read(std::uint64_t page, std::uint64_t pages, std::byte* to) const {
  for_parts(page * page_size, pages * page_size, [&](const part& piece) {
    if (files_[piece.file].read_at(to, static_cast<std::size_t>(piece.bytes), piece.offset) != piece.bytes) {
      throw_damaged(files_[piece.file].path(), "it is cut short");
    }
    to += piece.bytes;
  });
}

void home_files::punch(detail::page_run pages) {
  for_parts(pages.first * page_size, pages.count * page_size, [&](const part& piece) {
    unsynced_[piece.file] = 1;
    files_[piece.file].punch(piece.offset, piece.bytes);
  });
}

void home_files::reserve_space(detail::page_run pages) {
  for_parts(pages.first * page_size, pages.count * page_size, [&](const part& piece) {
    unsynced_[piece.file] = 1;
    files_[piece.file].reserve_space(piece.offset, piece.bytes);
  });
}

void home_files::stamp(std::span<const layout::journal_entry> index, const known_checkpoint& by) {
  std::size_t next = 0;
  for (const layout::journal_entry& entry : index) {
    if (entry.carried != 0) continue;
    const std::uint64_t last = entry.page + (is_run(entry) ? entry.value : 1) - 1;
    const std::size_t end =
        std::min(files_.size(), static_cast<std::size_t>(last * page_size / file_bytes_) + 1);
    for (std::size_t i = std::max(next, static_cast<std::size_t>(entry.page * page_size / file_bytes_));
         i < end; ++i) {
      unsynced_[i] = 1;
      stamps_[i].write(files_[i], by);
    }
    next = std::max(next, end);
  }
}

void home_files::stamp_all(const known_checkpoint& by) {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    unsynced_[i] = 1;
    stamps_[i].write(files_[i], by);
  }
}

void home_files::stamp_anew(const known_checkpoint& by) {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    unsynced_[i] = 1;
    stamps_[i].write_anew(files_[i], by);
  }
}

std::span<const file_stamps> home_files::stamps_within(std::uint64_t segment_bytes) const noexcept {
  const auto files = static_cast<std::size_t>((segment_bytes + file_bytes_ - 1) / file_bytes_);
  return std::span(stamps_).first(std::min(stamps_.size(), files));
}

std::optional<std::uint64_t> home_files::stamps_at(std::uint64_t epoch,
                                                   std::uint64_t segment_bytes) const noexcept {
  return sum_of_stamps(stamps_within(segment_bytes), epoch);
}

void home_files::sync() {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (unsynced_[i] == 0) continue;
    // Written again: after a failed sync, a second sync says nothing about what was written before the first.
    if (header_unsure_[i] != 0) write_header(files_[i], i, uuid_, file_bytes_, stamps_[i]);
    files_[i].sync_data();
    unsynced_[i] = 0;
    header_unsure_[i] = 0;
  }
  sync_names();
}

void home_files::sync_names() {
  if (!names_unsynced_) return;
  directory_.sync();
  names_unsynced_ = false;
}

void home_files::sync_all() {
  std::fill(unsynced_.begin(), unsynced_.end(), 1);
  sync();
}

std::uint64_t home_files::allocated_bytes() const {
  std::uint64_t bytes = 0;
  for (const os::file& file : files_) bytes += file.allocated_bytes();
  return bytes;
}

}  // namespace perdure::store
