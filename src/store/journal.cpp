#include "store/journal.hpp"

#include <fcntl.h>

#include <algorithm>

#include "os/file_clone.hpp"
#include "store/checked_block.hpp"
#include "store/failure.hpp"
#include "store/journal_image.hpp"
#include "store/super_block.hpp"

namespace perdure {

namespace {

constexpr std::size_t batch_pages = 256;

void write_empty_header(const os::file& file, const layout::uuid_bytes& uuid) {
  // Written over and over; it has checksums of its own, and no snapshot shares its blocks.
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
  return image().header(layout::journal_magic, uuid_);
}

std::optional<std::vector<layout::journal_entry>> journal::read_index(const layout::journal_header& header,
                                                                      std::uint64_t capacity) const {
  auto index = image().index(header, capacity);
  if (index && !image().is_whole(header, *index)) return std::nullopt;
  return index;
}

void journal::write_payload(std::size_t entries, std::uint64_t first, std::size_t count,
                            const std::byte* from) {
  file_.write_at(from, count * page_size, journal_image::payload_offset(entries) + first * page_size);
}

layout::journal_header journal::commit(std::uint64_t epoch, std::uint64_t segment_bytes,
                                       std::span<const layout::journal_entry> index,
                                       std::uint64_t payload_pages, std::string_view label) {
  file_.write_at(index.data(), index.size_bytes(), layout::block);
  layout::journal_header header = make_header(layout::journal_magic, uuid_, index, payload_pages);
  header.epoch = epoch;
  header.segment_bytes = segment_bytes;
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
    image().read_payload(header, done, count, batch.data());
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
