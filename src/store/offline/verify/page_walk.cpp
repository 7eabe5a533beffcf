// Reads every page of a store, several threads at a time, and compares each with what it must look like.
#include "store/offline/verify/page_walk.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <perdure/progress.hpp>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/for_each_index.hpp"
#include "os/cpu.hpp"
#include "os/file_extents.hpp"
#include "segment/segment.hpp"
#include "store/file/checked_block.hpp"
#include "store/file/home_files.hpp"
#include "store/file/zero_bytes.hpp"
#include "store/offline/verify/checksum_table_check.hpp"

namespace perdure::store {

namespace {

using layout::entries_per_table_page;

constexpr std::size_t pages_per_read = 64;  // 256 KiB: the copy stays in the second-level cache

}  // namespace

/// A thread's own memory.
struct page_walk::scratch {
  std::vector<std::byte> bytes = std::vector<std::byte>(pages_per_read * page_size);
  std::vector<expectation> expected;
  std::uint64_t bytes_read = 0;
  // The piece of data found last, in bytes of that home file. Some file systems (tmpfs) look at every page up
  // to the answer, so it is asked for once and not for each stretch.
  std::size_t data_file = 0;
  std::uint64_t data_begin = 0;
  std::uint64_t data_end = 0;
};

// Table pages to be looked at, each with the pages that it describes.
std::uint64_t page_walk::stretches() const {
  std::uint64_t home_end = 0;
  for (std::size_t i = 0; i < home_.size(); ++i)
    if (home_[i].bytes != 0) home_end = i * super_.home_file_bytes + home_[i].bytes;
  const std::uint64_t in_file = (table_.size() + layout::block - 1) / layout::block;
  const std::uint64_t most =
      (super_.capacity / page_size + entries_per_table_page - 1) / entries_per_table_page;
  // What is longer than any file has been reported; there is nothing there to read.
  const std::uint64_t held = std::min(expected_.pages(), home_end / page_size);
  return std::min(most, std::max((held + entries_per_table_page - 1) / entries_per_table_page,
                                 in_file == 0 ? 0 : in_file - 1));
}

void page_walk::run() {
  const std::uint64_t end = stretches();
  const unsigned wanted = options_.threads != 0 ? options_.threads : os::available_processors();
  std::vector<scratch> of_threads(static_cast<std::size_t>(std::min<std::uint64_t>(wanted, end / 4 + 1)));
  progress_record* const progress = current_progress();
  base::for_each_index(of_threads.size(), end, [&](std::size_t index, std::size_t worker) {
    check_stretch(index, of_threads[worker]);
    if (progress != nullptr) progress->add(of_threads[worker].expected.size() * page_size);
  });
  for (const scratch& use : of_threads) found_.add_bytes_read(use.bytes_read);
}

// One table page and the home pages it describes.
void page_walk::check_stretch(std::uint64_t index, scratch& use) {
  layout::table_page table{};
  const bool known = check_table_page(table_, super_, expected_, index, table, use.bytes_read, found_);
  expected_.of_table_page(index, table, known, use.expected);
  if (!use.expected.empty()) check_home(index * entries_per_table_page, use.expected, use);
  if (options_.progress != nullptr)
    options_.progress->done.fetch_add(use.expected.size() * page_size, std::memory_order_relaxed);
}

// Splits a stretch by file and by what of the file is a hole.
void page_walk::check_home(std::uint64_t first, const std::vector<expectation>& expected, scratch& use) {
  std::uint64_t page = first;
  const std::uint64_t end = first + expected.size();
  while (page < end) {
    const std::size_t index = static_cast<std::size_t>(page * page_size / super_.home_file_bytes);
    const std::uint64_t begin = index * super_.home_file_bytes;
    if (index >= home_.size()) return;
    const checked_home_file& home = home_[index];
    const std::uint64_t file_end = std::min(end, (begin + super_.home_file_bytes) / page_size);
    const std::uint64_t held = std::min(file_end, (begin + home.bytes) / page_size);
    const auto offset_of = [begin](std::uint64_t p) {
      return layout::home_data_offset + p * page_size - begin;
    };
    const auto page_of = [begin](std::uint64_t offset) {
      return (offset - layout::home_data_offset + begin) / page_size;
    };
    while (page < held) {
      const std::uint64_t offset = offset_of(page);
      if (use.data_file != index || offset < use.data_begin || offset >= use.data_end) {
        const auto data = os::next_data(home.file, offset);
        const std::uint64_t from = data ? std::min(held, page_of(*data)) : held;
        if (from > page) check_hole(index, page, from - page, expected.data() + (page - first));
        page = std::max(page, from);
        if (page >= held) break;
        use.data_file = index;
        use.data_begin = offset_of(page);
        use.data_end = std::max(os::next_hole(home.file, use.data_begin), use.data_begin + page_size);
      }
      const std::uint64_t to = std::clamp(page_of(use.data_end + page_size - 1), page + 1, held);
      while (page < to) {
        const std::uint64_t count = std::min<std::uint64_t>(pages_per_read, to - page);
        check_bytes(index, page, count, expected.data() + (page - first), use);
        page += count;
      }
    }
    page = file_end;  // what the file does not hold has been reported
  }
}

void page_walk::check_bytes(std::size_t file, std::uint64_t page, std::uint64_t count,
                            const expectation* expected, scratch& use) {
  const std::uint64_t offset = layout::home_data_offset + page * page_size - file * super_.home_file_bytes;
  std::size_t got = 0;
  try {
    got = home_[file].file.read_at(use.bytes.data(), count * page_size, offset);
  } catch (const std::system_error& failure) {
    if (count == 1) {
      if (expected->what != expectation::kind::anything)
        damaged_page(file, page, *expected, std::string("it cannot be read: ") + failure.what());
      return;
    }
    for (std::uint64_t i = 0; i < count; ++i) check_bytes(file, page + i, 1, expected + i, use);
    return;
  }
  use.bytes_read += got;
  std::memset(use.bytes.data() + got, 0, count * page_size - got);
  for (std::uint64_t i = 0; i < count; ++i)
    check_page(file, page + i, use.bytes.data() + i * page_size, expected[i]);
}

void page_walk::check_hole(std::size_t file, std::uint64_t page, std::uint64_t count,
                           const expectation* expected) {
  alignas(64) static constexpr std::array<std::byte, page_size> zeros{};
  for (std::uint64_t i = 0; i < count; ++i) {
    if (expected[i].what != expectation::kind::checksum) continue;
    if (page_checksum(page + i, zeros.data()) != expected[i].checksum)
      damaged_page(file, page + i, expected[i], "its bytes are gone: the file has a hole here");
  }
}

void page_walk::check_page(std::size_t file, std::uint64_t page, const std::byte* bytes,
                           const expectation& expected) {
  using kind = expectation::kind;
  if (expected.what == kind::zero && !is_zero(bytes, page_size))
    damaged_page(file, page, expected, "it was never written and yet is not empty");
  if (expected.what == kind::checksum && page_checksum(page, bytes) != expected.checksum)
    damaged_page(file, page, expected, "its bytes contradict its checksum");
}

void page_walk::damaged_page(std::size_t file, std::uint64_t page, const expectation& expected,
                             std::string what) {
  found_.add({store_section::home_page, true, home_files::name_of(file),
              layout::home_data_offset + page * page_size - file * super_.home_file_bytes, page,
              expected.epoch, std::move(what)});
}

}  // namespace perdure::store
