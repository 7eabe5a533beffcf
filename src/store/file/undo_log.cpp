// The undo log: saves before-images, finds them after a crash, and puts them back.
#include "store/file/undo_log.hpp"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "store/file/checked_block.hpp"
#include "store/file/failure.hpp"
#include "store/file/store_directory.hpp"

namespace perdure::store {

namespace {

using layout::entry_kind;
using layout::journal_entry;

std::vector<journal_entry> index_of(std::span<const detail::page_run> pages,
                                    std::span<const detail::page_run> empty) {
  std::vector<journal_entry> index;
  for (const detail::page_run& run : empty) {
    // An entry counts its pages in 32 bits.
    constexpr std::uint64_t most = std::uint64_t{1} << 30;
    for (std::uint64_t done = 0; done < run.count; done += most) {
      const auto count = static_cast<std::uint32_t>(std::min(most, run.count - done));
      index.push_back({run.first + done, count, entry_kind::zero, {}});
    }
  }
  for (const detail::page_run& run : pages) {
    for (std::uint64_t page = run.first; page < run.first + run.count; ++page)
      index.push_back({page, 0, entry_kind::overwrite, {}});
  }
  std::sort(index.begin(), index.end(),
            [](const journal_entry& a, const journal_entry& b) { return a.page < b.page; });
  return index;
}

// Makes pages read as zero. Few pages are overwritten rather than punched: to punch a page costs ext4
// milliseconds while its neighbours are being written.
void empty(detail::page_run pages, home_files& home) {
  constexpr std::uint64_t worth_punching = 64;
  alignas(64) static constexpr std::array<std::byte, page_size> zeros{};
  if (pages.count >= worth_punching) return home.punch(pages);
  for (std::uint64_t i = 0; i < pages.count; ++i) home.write(pages.first + i, 1, zeros.data());
}

}  // namespace

undo_log::undo_log(const os::file& directory, const layout::uuid_bytes& uuid, bool writable)
    : directory_(reopened(directory, writable)),
      uuid_(uuid),
      file_(os::file::open_if_there(directory, "undo", writable ? O_RDWR : O_RDONLY)) {
  // The sync of the file's emptying may have failed.
  was_found_empty_ = writable && file_ && file_.size() == 0;
}

void undo_log::save(const known_checkpoint& of, std::span<const detail::page_run> pages,
                    std::span<const detail::page_run> empty, const home_files& home,
                    const std::function<void()>& meanwhile) {
  std::vector<journal_entry> index = index_of(pages, empty);
  if (index.empty()) return;
  // A power failure may bring back the old batches of a file that was found empty. Behind a torn batch that
  // was being written over the first of them they would look like damage. So that file is not written to
  // again.
  if (std::exchange(was_found_empty_, false)) {
    file_ = os::file();
    os::remove_in(directory_, "undo");
  }
  if (!file_) {
    name_unsynced_ = true;
    file_ = os::file::open_in(directory_, "undo", O_RDWR | O_CREAT);
  }
  if (of != of_) {
    of_ = of;
    end_ = 0;
    batches_ = 0;
  }
  std::vector<std::byte> copied(batch_pages * page_size);
  std::uint64_t saved = 0;
  auto entry = index.begin();
  for (const detail::page_run& run : pages) {
    for (std::uint64_t done = 0; done < run.count; done += batch_pages) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(batch_pages, run.count - done));
      home.read(run.first + done, count, copied.data());
      for (std::size_t i = 0; i < count; ++i, ++entry) {
        while (entry->kind != entry_kind::overwrite) ++entry;
        entry->value = page_checksum(entry->page, copied.data() + i * page_size);
        entry->slot = saved + i;
      }
      file_.write_at(copied.data(), count * page_size, end_ + journal_image::slot_offset(saved));
      saved += count;
      meanwhile();
    }
  }
  layout::journal_header header = make_header(layout::undo_magic, uuid_, index, saved);
  file_.write_at(index.data(), index.size() * sizeof(journal_entry), end_ + header.index_offset);
  header.epoch = of.epoch;
  header.segment_bytes = of.segment_bytes;
  header.checkpoint = of.identity;
  header.flags = batches_;
  seal_block(header);
  file_.write_at(&header, sizeof header, end_);
  meanwhile();
  file_.sync_data();
  if (name_unsynced_) directory_.sync();
  name_unsynced_ = false;
  end_ += journal_image::bytes(header);
  ++batches_;
}

std::vector<undo_log::batch> undo_log::find(const known_checkpoint& of) const {
  std::vector<batch> found;
  if (!file_) return found;
  std::uint64_t at = 0;
  for (;;) {
    const journal_image image(file_, at);
    const auto is_next = [&](const std::optional<layout::journal_header>& header, std::size_t number) {
      return header && header->epoch == of.epoch && header->segment_bytes == of.segment_bytes &&
             header->flags == number;
    };
    const auto header = image.header(layout::undo_magic, uuid_);
    if (!is_next(header, found.size())) return found;
    // Its pages would be put back over those of another history, and those to be put back are missing.
    if (of.identity != 0 && header->checkpoint != of.identity)
      throw_damaged(file_.path(), "it belongs to another checkpoint " + std::to_string(of.epoch) +
                                      " than the store's: it comes from a copy");
    auto index = image.index(*header, of.segment_bytes);
    if (!index || !image.is_whole(*index)) {
      // If there is a next batch, this one was durable before it was written.
      const bool has_bounds = header->index_offset < file_.size() && header->entries < file_.size();
      if (has_bounds &&
          is_next(journal_image(file_, at + journal_image::bytes(*header)).header(layout::undo_magic, uuid_),
                  found.size() + 1)) {
        throw_damaged(file_.path(), "what it saved of the last checkpoint is torn");
      }
      return found;
    }
    at += journal_image::bytes(*header);
    found.push_back({image, *header, std::move(*index)});
  }
}

void undo_log::clear() {
  if (!file_ || file_.size() == 0) return;
  file_.resize(0);
  end_ = 0;
  batches_ = 0;
}

void undo_at_home(undo_log& undo, home_files& home, const known_checkpoint& last) {
  const std::vector<undo_log::batch> saved = undo.find(last);
  if (saved.empty()) return;
  home.sync_names();
  for (const undo_log::batch& one : saved) {
    for_payload(one.image, one.index, [&](std::span<const journal_entry> pages, const std::byte* bytes) {
      home.write(pages.front().page, pages.size(), bytes);
    });
    for (const journal_entry& entry : one.index)
      if (entry.kind == entry_kind::zero) empty({entry.page, entry.value}, home);
  }
  home.sync();
  undo.clear();
  // Without this sync a crash might bring old batches back, behind a torn batch that will be written over the
  // first.
  undo.sync();
}

void undo_in_memory(const std::vector<undo_log::batch>& saved, std::byte* base) {
  for (const undo_log::batch& one : saved) {
    for_payload(one.image, one.index, [&](std::span<const journal_entry> pages, const std::byte* bytes) {
      std::memcpy(base + pages.front().page * page_size, bytes, pages.size() * page_size);
    });
    for (const journal_entry& entry : one.index)
      if (entry.kind == entry_kind::zero)
        std::memset(base + entry.page * page_size, 0, entry.value * page_size);
  }
}

}  // namespace perdure::store
