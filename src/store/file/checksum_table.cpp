// The file `crc`: reads table pages when they are first needed, writes the changed ones, rebuilds torn ones.
#include "store/file/checksum_table.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cstring>

#include "os/file_clone.hpp"
#include "segment/growth.hpp"
#include "store/file/checked_block.hpp"
#include "store/file/failure.hpp"
#include "store/file/zero_bytes.hpp"

namespace perdure::store {

namespace {

using layout::entries_per_table_page;

std::size_t table_pages_for(std::uint64_t segment_bytes) {
  return static_cast<std::size_t>((segment_bytes / page_size + entries_per_table_page - 1) /
                                  entries_per_table_page);
}

std::uint64_t file_offset(std::size_t index) {
  return (index + 1) * layout::block;
}

std::array<std::uint8_t, 8> half_of(const layout::uuid_bytes& uuid) {
  std::array<std::uint8_t, 8> half{};
  std::copy_n(uuid.begin(), half.size(), half.begin());
  return half;
}

std::uint32_t checksum_of_table_page(const layout::table_page& page) {
  return os::crc32c(0, &page.index, sizeof page - offsetof(layout::table_page, index));
}

// Calls `visit` once for each table page that has entries of these pages, which are sorted.
template <class Visit>
void for_table_pages(std::span<const detail::page_run> pages, Visit&& visit) {
  std::size_t next = 0;
  for (const detail::page_run& run : pages) {
    const std::size_t end =
        static_cast<std::size_t>((run.first + run.count - 1) / entries_per_table_page) + 1;
    for (next = std::max(next, static_cast<std::size_t>(run.first / entries_per_table_page)); next < end;
         ++next)
      visit(next);
  }
}

}  // namespace

void checksum_table::create(const os::file& directory, const layout::super_slot& super) {
  layout::checksum_header header{};
  header.magic = layout::checksum_magic;
  header.format = layout::format_version;
  header.uuid = super.uuid;
  seal_block(header);
  const os::file file = os::file::open_in(directory, "crc", O_RDWR | O_CREAT | O_EXCL);
  os::limit_copy_on_write(file, layout::block);
  file.write_at(&header, sizeof header, 0);
  file.sync();
}

checksum_table::checksum_table(const os::file& directory, const layout::super_slot& super, bool writable)
    : store_(half_of(super.uuid)),
      pages_(table_pages_for(super.capacity)),
      loaded_(pages_, false),
      is_changed_(pages_, false) {
  file_ = os::file::open_if_there(directory, "crc", writable ? O_RDWR : O_RDONLY);
  if (!file_) throw_damaged(directory.path() / "crc", "it is missing");
  layout::checksum_header header{};
  const std::size_t got = file_.read_at(&header, sizeof header, 0);
  if (got != sizeof header || !store::is_sound(header, layout::checksum_magic)) {
    throw_damaged(file_.path(), "its header has no valid checksum");
  }
  if (header.uuid != super.uuid) throw_damaged(file_.path(), "it belongs to another store");
  stamps_ = file_stamps(header.stamps);
  if (file_.size() < file_bytes_for(super.segment_bytes)) {
    throw_damaged(file_.path(), "it is cut short, to " + std::to_string(file_.size()) + " bytes");
  }
  memory_ = os::reservation(detail::round_up(pages_ * layout::block, layout::chunk_size), layout::chunk_size);
  os::protect(memory_.base(), memory_.size(), os::access::read_write);
}

std::uint64_t checksum_table::file_bytes_for(std::uint64_t segment_bytes) {
  return file_offset(table_pages_for(segment_bytes));
}

void checksum_table::rebuild_from(page_reader read, std::uint64_t pages) {
  read_home_ = std::move(read);
  home_pages_ = pages;
}

void checksum_table::load(std::size_t index) {
  auto& page = *reinterpret_cast<layout::table_page*>(memory_.base() + index * layout::block);
  const std::size_t got = file_.read_at(&page, sizeof page, file_offset(index));
  if (got < sizeof page) std::memset(reinterpret_cast<std::byte*>(&page) + got, 0, sizeof page - got);
  if (!is_sound(index, page)) {
    if (!read_home_) {
      throw_damaged(file_.path(), "table page " + std::to_string(index) + " (for pages from " +
                                      std::to_string(index * entries_per_table_page) +
                                      ") has no valid checksum");
    }
    rebuild(index);
  }
  loaded_[index] = true;
}

void checksum_table::load(std::span<const detail::page_run> pages) {
  for_table_pages(pages, [this](std::size_t index) {
    if (!loaded_[index]) load(index);
  });
}

bool checksum_table::is_sound(std::size_t index, const layout::table_page& page) const noexcept {
  return is_zero(&page, sizeof page) ||
         (page.crc == checksum_of_table_page(page) && page.index == index && page.store == store_);
}

bool checksum_table::read_from_file(std::size_t index, layout::table_page& to) const noexcept {
  const std::ptrdiff_t got = os::try_read_at(file_.descriptor(), &to, sizeof to, file_offset(index));
  if (got < 0) return false;
  std::memset(reinterpret_cast<std::byte*>(&to) + got, 0, sizeof to - static_cast<std::size_t>(got));
  return is_sound(index, to);
}

void checksum_table::rebuild(std::size_t index) {
  auto& table = *reinterpret_cast<layout::table_page*>(memory_.base() + index * layout::block);
  table = layout::table_page{};
  alignas(64) std::byte bytes[page_size];
  for (std::size_t i = 0; i < entries_per_table_page; ++i) {
    const std::uint64_t page = index * entries_per_table_page + i;
    if (page >= home_pages_) break;
    read_home_(page, bytes);
    // A page of zeros is the same whether written or not. A released page gets a checksum here, which
    // only means that its next content goes through the journal.
    table.entries[i] = is_zero(bytes, page_size) ? layout::no_checksum : page_checksum(page, bytes);
  }
  if (!is_changed_[index]) changed_.push_back(index);
  is_changed_[index] = true;
}

layout::table_page& checksum_table::at(std::uint64_t page) {
  const std::size_t index = static_cast<std::size_t>(page / entries_per_table_page);
  if (!loaded_[index]) load(index);
  return *reinterpret_cast<layout::table_page*>(memory_.base() + index * layout::block);
}

std::uint32_t checksum_table::get(std::uint64_t page) {
  return at(page).entries[page % entries_per_table_page];
}

void checksum_table::set(std::uint64_t page, std::uint32_t entry) {
  at(page).entries[page % entries_per_table_page] = entry;
  const std::size_t index = static_cast<std::size_t>(page / entries_per_table_page);
  if (!is_changed_[index]) changed_.push_back(index);
  is_changed_[index] = true;
}

void checksum_table::reserve_space(std::span<const detail::page_run> pages) {
  load(pages);
  for_table_pages(pages, [this](std::size_t index) {
    const auto& page = *reinterpret_cast<const layout::table_page*>(memory_.base() + index * layout::block);
    // A table page with a checksum is on disk already.
    if (page.crc == 0) file_.reserve_space(file_offset(index), layout::block);
  });
}

void checksum_table::flush(std::uint64_t segment_bytes) {
  if (file_.size() < file_bytes_for(segment_bytes)) file_.resize(file_bytes_for(segment_bytes));
  std::sort(changed_.begin(), changed_.end());
  for (std::size_t i = 0; i < changed_.size();) {
    std::size_t end = i;
    do {
      auto& page = *reinterpret_cast<layout::table_page*>(memory_.base() + changed_[end] * layout::block);
      page.index = static_cast<std::uint32_t>(changed_[end]);
      page.store = store_;
      page.crc = checksum_of_table_page(page);
      ++end;
    } while (end < changed_.size() && changed_[end] == changed_[end - 1] + 1);
    file_.write_at(memory_.base() + changed_[i] * layout::block, (end - i) * layout::block,
                   file_offset(changed_[i]));
    i = end;
  }
  for (const std::size_t index : changed_) is_changed_[index] = false;
  changed_.clear();
}

}  // namespace perdure::store
