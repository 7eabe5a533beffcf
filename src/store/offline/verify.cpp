// Verification of a store's files.
//
// What must hold follows from the commit protocol (docs/durability.md). The checksum table, with what the
// last journal carries on, describes the home pages at the applied epoch. A committed journal that is not
// known to be applied may have been applied in part: the pages it speaks of may be old or new, and so may
// their table entries; the table pages with those entries may be torn. Recovery writes them all again, so
// they are judged by the journal and not by what is home, except for its fresh pages, which are nowhere but
// home.
#include "store/offline/verify.hpp"

#include <fcntl.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <mutex>
#include <perdure/datastore.hpp>
#include <thread>
#include <tuple>

#include "os/file_extents.hpp"
#include "segment/segment.hpp"
#include "store/commit/carried_entries.hpp"
#include "store/commit/redo.hpp"
#include "store/file/checked_block.hpp"
#include "store/file/checksum_table.hpp"
#include "store/file/failure.hpp"
#include "store/file/home_files.hpp"
#include "store/file/journal.hpp"
#include "store/file/store_directory.hpp"
#include "store/file/store_lock.hpp"
#include "store/file/super_block.hpp"
#include "store/file/undo_log.hpp"
#include "store/file/zero_bytes.hpp"

namespace perdure {

namespace {

using layout::entries_per_table_page;
using layout::entry_kind;

constexpr std::size_t pages_per_read = 64;  // 256 KiB: the copy stays in the second-level cache

unsigned available_processors() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<unsigned>(CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

class verification {
 public:
  verification(const os::file& directory, const store_lock& lock, const verify_options& options)
      : directory_(directory), lock_(lock), options_(options) {}

  verify_report run() {
    if (check_super()) {
      read_journal_headers();
      check_home_files();
      check_checksum_header();
      check_journals();
      check_undo();
      check_pages();
    }
    std::sort(report_.findings.begin(), report_.findings.end(),
              [](const verify_finding& a, const verify_finding& b) {
                return std::tie(a.file, a.offset) < std::tie(b.file, b.offset);
              });
    return std::move(report_);
  }

 private:
  struct home_file {
    os::file file;
    std::uint64_t bytes = 0;  // of the segment, at most; 0 where the file cannot be used
  };
  /// What a page must look like.
  struct expectation {
    enum class kind { anything, zero, checksum } kind;
    std::uint32_t checksum = 0;
    std::uint64_t epoch = 0;
  };
  /// What the journal that still counts says of pages.
  struct overlay_run {
    std::uint64_t first;
    std::uint64_t count;
    expectation expected;
  };
  /// A worker's own memory.
  struct scratch {
    std::vector<std::byte> bytes = std::vector<std::byte>(pages_per_read * page_size);
    std::vector<expectation> expected;
    std::uint64_t bytes_read = 0;
    // The piece of data found last, in bytes of that home file. Some file systems (tmpfs) look at every
    // page up to the answer, so it is asked for once and not for each stretch.
    std::size_t data_file = 0;
    std::uint64_t data_begin = 0;
    std::uint64_t data_end = 0;
  };

  void add(verify_finding finding) {
    const std::scoped_lock lock(mutex_);
    if (finding.damage) ++report_.damages;
    // Notes are few and never crowded out.
    if (finding.damage && report_.findings.size() >= options_.most_findings) return;
    report_.findings.push_back(std::move(finding));
  }
  void damage(store_section part, std::string file, std::uint64_t offset, std::string what) {
    add({part, true, std::move(file), offset, std::nullopt, super_.applied_epoch, std::move(what)});
  }
  void note(store_section part, std::string file, std::uint64_t offset, std::string what) {
    add({part, false, std::move(file), offset, std::nullopt, super_.applied_epoch, std::move(what)});
  }

  bool check_super();
  void check_other_slot(const super_file& content, std::size_t newest);
  void check_home_files();
  void check_padding(const os::file& file, const std::string& name);
  void check_checksum_header();
  void read_journal_headers();
  void check_journals();
  void check_last_journal();
  void overlay(const layout::journal_header& header, const std::vector<layout::journal_entry>& index);
  void check_undo();
  std::span<const layout::journal_entry> saved_in(std::uint64_t first, std::uint64_t end) const;
  void check_pages();
  void work(std::atomic<std::uint64_t>& next, std::uint64_t end);
  void check_stretch(std::uint64_t index, scratch& use);
  bool read_table_page(std::uint64_t index, layout::table_page& page, scratch& use);
  void expect(std::uint64_t index, const layout::table_page& table, bool known, scratch& use);
  void check_home(std::uint64_t first, const std::vector<expectation>& expected, scratch& use);
  void check_bytes(std::size_t file, std::uint64_t page, std::uint64_t count, const expectation* expected,
                   scratch& use);
  void check_hole(std::size_t file, std::uint64_t page, std::uint64_t count, const expectation* expected);
  void check_page(std::size_t file, std::uint64_t page, const std::byte* bytes, const expectation& expected);
  void damaged_page(std::size_t file, std::uint64_t page, const expectation& expected, std::string what);
  std::vector<overlay_run>::const_iterator overlay_at(std::uint64_t page) const {
    return std::lower_bound(
        overlay_.begin(), overlay_.end(), page,
        [](const overlay_run& run, std::uint64_t wanted) { return run.first + run.count <= wanted; });
  }

  const os::file& directory_;
  const store_lock& lock_;
  const verify_options& options_;
  std::mutex mutex_;
  verify_report report_;

  layout::super_slot super_{};
  bool slot_torn_ = false;
  std::size_t torn_slot_ = 0;
  std::vector<home_file> home_;
  os::file crc_;
  std::uint64_t applied_pages_ = 0;    // of the segment as home and the table hold it
  std::uint64_t committed_bytes_ = 0;  // of the segment at the committed epoch
  bool table_is_known_ = true;         // by the journal where the file is behind
  std::array<std::optional<journal>, 2> journals_;
  std::array<std::optional<layout::journal_header>, 2> headers_;  // of checkpoints committed by then
  std::vector<overlay_run> overlay_;
  std::vector<layout::journal_entry> saved_;  // by the undo log, of the last checkpoint; sorted by page
  std::exception_ptr failure_;
};

std::string at_most(std::uint64_t size) {
  return "it is cut short, to " + std::to_string(size) + " bytes";
}

bool verification::check_super() {
  if (!os::exists_in(directory_, "super")) {
    require_remains_of_store(directory_);
    damage(store_section::super_slot, "super", 0, "it is missing");
    return false;
  }
  const os::file file = os::file::open_in(directory_, "super", O_RDONLY);
  super_file content{};
  const std::size_t got = file.read_at(&content, sizeof content, 0);
  std::size_t newest = 2;
  for (std::size_t i = 0; i < 2; ++i) {
    const layout::super_slot& slot = content.slots[i];
    if (!is_sound(slot, layout::super_magic)) continue;
    if (newest == 2 || slot.sequence > content.slots[newest].sequence) newest = i;
  }
  if (newest == 2) {
    const bool any_magic =
        content.slots[0].magic == layout::super_magic || content.slots[1].magic == layout::super_magic;
    if (!any_magic && got == sizeof content) {
      throw error(errc::not_a_store,
                  directory_.path().string() + " holds no datastore: its `super` is some other file");
    }
    damage(store_section::super_slot, "super", 0, "neither of its two slots has a valid checksum");
    return false;
  }
  super_ = content.slots[newest];
  check_format(super_, file.path(), false);
  try {
    check_sense(super_, file.path());
  } catch (const error& contradiction) {
    damage(store_section::super_slot, "super", newest * layout::block, contradiction.what());
    return false;
  }
  report_.epoch = report_.applied_epoch = super_.applied_epoch;
  applied_pages_ = super_.segment_bytes / page_size;
  committed_bytes_ = super_.segment_bytes;
  check_other_slot(content, newest);
  if (!is_sound(content.abi, layout::stamp_magic)) {
    damage(store_section::abi_stamp, "super", offsetof(super_file, abi),
           "the ABI stamp has no valid checksum");
  } else {
    check_abi(content.abi, file.path());
  }
  if (const std::uint64_t size = file.size(); size != layout::super_file_bytes) {
    damage(
        store_section::super_slot, "super", std::min(size, layout::super_file_bytes),
        "it has " + std::to_string(size) + " bytes instead of " + std::to_string(layout::super_file_bytes));
  }
  if ((super_.flags & layout::flag_open_dirty) != 0) {
    damage(store_section::super_slot, "super", newest * layout::block,
           "the store was open with a shared mapping and not closed: its pages may be of different times");
  }
  return true;
}

void verification::check_other_slot(const super_file& content, std::size_t newest) {
  const std::size_t other = 1 - newest;
  const layout::super_slot& slot = content.slots[other];
  if (!is_sound(slot, layout::super_magic)) {
    // Judged once the journals are known: a crash while it was written is one way to come by it.
    slot_torn_ = true;
    torn_slot_ = other;
  } else if (slot.uuid != super_.uuid || slot.capacity > super_.capacity ||
             slot.home_file_bytes != super_.home_file_bytes || slot.address != super_.address) {
    damage(store_section::super_slot, "super", other * layout::block,
           "the two slots are of different stores");
  }
}

void verification::check_home_files() {
  const std::uint64_t file_bytes = super_.home_file_bytes;
  const std::uint64_t most = (super_.capacity + file_bytes - 1) / file_bytes;
  for (std::uint64_t index = 0; index < most; ++index) {
    const std::string name = home_files::name_of(static_cast<std::size_t>(index));
    const std::uint64_t begin = index * file_bytes;
    const bool needed = begin < super_.segment_bytes || index == 0;
    if (!os::exists_in(directory_, name)) {
      if (!needed) break;
      if (begin < super_.segment_bytes) damage(store_section::home_length, name, 0, "it is missing");
      home_.push_back({});
      continue;
    }
    home_file home{os::file::open_in(directory_, name, O_RDONLY), 0};
    const std::uint64_t size = home.file.size();
    layout::home_header header{};
    const std::size_t got = home.file.read_at(&header, sizeof header, 0);
    if (!needed && (size < layout::home_data_offset || !is_sound(header, layout::home_magic))) {
      note(store_section::home_header, name, 0, "an unfinished file, which nothing needs");
      break;
    }
    if (got != sizeof header || !is_sound(header, layout::home_magic)) {
      damage(store_section::home_header, name, 0, "its header has no valid checksum");
    } else if (header.uuid != super_.uuid || header.index != index || header.home_file_bytes != file_bytes) {
      damage(store_section::home_length, name, 0,
             "it belongs to another store or to another place in this one");
      home_.push_back({});
      continue;
    }
    home.bytes = size > layout::home_data_offset
                     ? std::min(size - layout::home_data_offset, file_bytes) / page_size * page_size
                     : 0;
    const std::uint64_t wanted =
        super_.segment_bytes > begin ? std::min(file_bytes, super_.segment_bytes - begin) : 0;
    if (home.bytes < wanted) damage(store_section::home_length, name, size, at_most(size));
    check_padding(home.file, name);
    home_.push_back(std::move(home));
  }
}

void verification::check_padding(const os::file& file, const std::string& name) {
  std::array<std::byte, 65536> bytes;
  std::uint64_t at = layout::block;
  while (at < layout::home_data_offset) {
    const auto data = os::next_data(file, at);
    if (!data || *data >= layout::home_data_offset) return;
    const std::uint64_t from = std::max(at, *data);
    const std::uint64_t end = std::min(os::next_hole(file, from), layout::home_data_offset);
    for (at = from; at < end;) {
      const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), end - at));
      const std::size_t got = file.read_at(bytes.data(), count, at);
      if (got == 0) return;
      if (!is_zero(bytes.data(), got)) {
        damage(store_section::home_padding, name, at, "the gap behind its header is not empty");
        return;
      }
      at += got;
    }
  }
}

void verification::check_checksum_header() {
  if (!os::exists_in(directory_, "crc")) {
    damage(store_section::checksum_header, "crc", 0, "it is missing");
    return;
  }
  crc_ = os::file::open_in(directory_, "crc", O_RDONLY);
  layout::checksum_header header{};
  const std::size_t got = crc_.read_at(&header, sizeof header, 0);
  if (got != sizeof header || !is_sound(header, layout::checksum_magic)) {
    damage(store_section::checksum_header, "crc", 0, "its header has no valid checksum");
  } else if (header.uuid != super_.uuid) {
    damage(store_section::checksum_header, "crc", 0, "it belongs to another store");
    crc_.close();
    return;
  }
  const std::uint64_t wanted =
      layout::block * (1 + (applied_pages_ + entries_per_table_page - 1) / entries_per_table_page);
  if (const std::uint64_t size = crc_.size(); size < wanted)
    damage(store_section::checksum_page, "crc", size, at_most(size));
}

// Before anything else: a checkpoint that a writer commits meanwhile may need longer home files than are
// found.
void verification::read_journal_headers() {
  std::optional<store_lock::turn> no_commit;
  if (lock_.is_beside_writer()) no_commit.emplace(lock_.pause_commits());
  for (const unsigned parity : {0u, 1u}) {
    try {
      journals_[parity].emplace(directory_, parity, super_.uuid, false);
    } catch (const error& what) {
      damage(store_section::journal, journal::name_of(parity), 0, what.what());
      continue;
    }
    headers_[parity] = journals_[parity]->header();
    if (const auto undecided = journals_[parity]->undecided()) {
      note(store_section::journal, journal::name_of(parity), 0,
           "checkpoint " + std::to_string(undecided->epoch) + " is prepared, and not decided on");
    } else if (!headers_[parity]) {
      note(store_section::journal, journal::name_of(parity), 0,
           "its header has no valid checksum: an unfinished checkpoint, which was never acknowledged");
    }
  }
}

void verification::check_journals() {
  check_last_journal();
  if (!slot_torn_) return;
  const std::string what = "the slot has no valid checksum; the other one is sound";
  if (report_.epoch == super_.applied_epoch && super_.table_epoch >= super_.applied_epoch) {
    damage(store_section::super_slot, "super", torn_slot_ * layout::block, what);
  } else {
    note(store_section::super_slot, "super", torn_slot_ * layout::block, what);
  }
}

void verification::check_last_journal() {
  const std::uint64_t applied = super_.applied_epoch;
  for (std::uint64_t epoch = applied + 2; epoch > applied; --epoch) {
    const unsigned parity = epoch & 1;
    if (!headers_[parity] || headers_[parity]->epoch != epoch) continue;
    const auto index = journals_[parity]->read_index(*headers_[parity], super_.capacity);
    if (!index) {
      note(store_section::journal, journal::name_of(parity), 0,
           "checkpoint " + std::to_string(epoch) + " is unfinished and was never acknowledged");
    } else if (headers_[parity]->segment_bytes < committed_bytes_) {
      damage(store_section::journal, journal::name_of(parity), 0, "its segment is shorter than before");
      return;
    } else {
      applied_pages_ = bytes_at_home(super_, epoch, headers_[1 - parity]) / page_size;
      return overlay(*headers_[parity], *index);
    }
  }
  if (super_.table_epoch >= applied) return;
  const unsigned parity = applied & 1;
  auto index = headers_[parity] && headers_[parity]->epoch == applied
                   ? journals_[parity]->image().index(*headers_[parity], super_.capacity)
                   : std::optional<std::vector<layout::journal_entry>>();
  if (!index) {
    table_is_known_ = false;
    return damage(store_section::journal, journal::name_of(parity), 0,
                  "it has lost the page checksums of checkpoint " + std::to_string(applied));
  }
  mark_applied(*index);
  overlay(*headers_[parity], *index);
}

void verification::overlay(const layout::journal_header& header,
                           const std::vector<layout::journal_entry>& index) {
  report_.epoch = header.epoch;
  committed_bytes_ = header.segment_bytes;
  overlay_.reserve(index.size());
  for (const layout::journal_entry& entry : index) {
    using kind = decltype(expectation::kind);
    const bool is_home = entry.kind == entry_kind::fresh || entry.carried != 0;
    const kind expected = !is_home || entry.kind == entry_kind::released ? kind::anything
                          : entry.kind == entry_kind::zero               ? kind::zero
                                                                         : kind::checksum;
    overlay_.push_back({entry.page, is_run(entry) ? entry.value : 1, {expected, entry.value, header.epoch}});
  }
}

void verification::check_undo() {
  try {
    const undo_log undo(directory_, super_.uuid, false);
    for (const undo_log::batch& one : undo.find(report_.epoch, committed_bytes_))
      saved_.insert(saved_.end(), one.index.begin(), one.index.end());
  } catch (const error& what) {
    damage(store_section::undo_log, "undo", 0, what.what());
    return;
  }
  if (saved_.empty()) return;
  // What an earlier writer left behind the batches of a later one says the same.
  std::stable_sort(
      saved_.begin(), saved_.end(),
      [](const layout::journal_entry& a, const layout::journal_entry& b) { return a.page < b.page; });
  note(store_section::undo_log, "undo", 0,
       "pages were written home for a checkpoint that never came; the next opening takes them back");
}

void verification::check_pages() {
  if ((super_.flags & layout::flag_checksums_stale) != 0) {
    note(store_section::checksum_page, "crc", 0,
         "the store was written through a shared mapping, which keeps no checksums: its pages cannot be "
         "checked");
    return;
  }
  if (!crc_ || !table_is_known_) return;
  std::uint64_t home_bytes = 0;
  std::uint64_t home_end = 0;
  for (std::size_t i = 0; i < home_.size(); ++i) {
    home_bytes += home_[i].bytes;
    if (home_[i].bytes != 0) home_end = i * super_.home_file_bytes + home_[i].bytes;
  }
  if (committed_bytes_ > super_.segment_bytes && home_bytes < committed_bytes_) {
    damage(store_section::home_length, home_files::name_of(home_.empty() ? 0 : home_.size() - 1), 0,
           "the home files are shorter than the last checkpoint needs");
  }
  report_.pages = committed_bytes_ / page_size;
  const std::uint64_t in_file = (crc_.size() + layout::block - 1) / layout::block;
  const std::uint64_t most =
      (super_.capacity / page_size + entries_per_table_page - 1) / entries_per_table_page;
  // What is longer than any file has been reported; there is nothing there to read.
  const std::uint64_t held = std::min(report_.pages, home_end / page_size);
  const std::uint64_t stretches = std::min(
      most,
      std::max((held + entries_per_table_page - 1) / entries_per_table_page, in_file == 0 ? 0 : in_file - 1));
  if (options_.progress != nullptr) options_.progress->total = committed_bytes_;

  std::atomic<std::uint64_t> next{0};
  const unsigned wanted = options_.threads != 0 ? options_.threads : available_processors();
  const auto helpers = static_cast<std::size_t>(std::min<std::uint64_t>(wanted, stretches / 4 + 1) - 1);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < helpers; ++i)
      threads.emplace_back([this, &next, stretches] { work(next, stretches); });
    work(next, stretches);
  }
  if (failure_) std::rethrow_exception(failure_);
}

void verification::work(std::atomic<std::uint64_t>& next, std::uint64_t end) {
  try {
    scratch use;
    for (;;) {
      const std::uint64_t index = next.fetch_add(1, std::memory_order_relaxed);
      if (index >= end) break;
      check_stretch(index, use);
    }
    const std::scoped_lock lock(mutex_);
    report_.bytes_read += use.bytes_read;
  } catch (...) {
    const std::scoped_lock lock(mutex_);
    failure_ = std::current_exception();
    next = end;
  }
}

// One table page and the home pages it describes.
void verification::check_stretch(std::uint64_t index, scratch& use) {
  layout::table_page table{};
  const bool known = read_table_page(index, table, use);
  expect(index, table, known, use);
  const std::uint64_t first = index * entries_per_table_page;
  if (!use.expected.empty()) check_home(first, use.expected, use);
  if (options_.progress != nullptr)
    options_.progress->done.fetch_add(use.expected.size() * page_size, std::memory_order_relaxed);
}

// False when the entries cannot be relied on.
bool verification::read_table_page(std::uint64_t index, layout::table_page& page, scratch& use) {
  const std::uint64_t offset = (index + 1) * layout::block;
  const std::uint64_t first = index * entries_per_table_page;
  const auto torn = [&](const std::string& what) {
    const auto touched = overlay_at(first);
    // Recovery makes it anew from the pages it describes.
    if (touched != overlay_.end() && touched->first < first + entries_per_table_page) {
      note(store_section::checksum_page, "crc", offset, what + "; a checkpoint was being written home");
    } else {
      damage(store_section::checksum_page, "crc", offset,
             what + "; it describes the pages from " + std::to_string(first));
    }
    return false;
  };
  try {
    const auto data = os::next_data(crc_, offset);
    if (!data || *data >= offset + layout::block) {
      page = {};
      return offset < crc_.size() || first >= applied_pages_;
    }
    use.bytes_read += crc_.read_at(&page, sizeof page, offset);
  } catch (const std::system_error& failure) {
    damage(store_section::checksum_page, "crc", offset, std::string("it cannot be read: ") + failure.what());
    return false;
  }
  if (is_zero(&page, sizeof page)) return true;
  std::array<std::uint8_t, 8> half{};
  std::copy_n(super_.uuid.begin(), half.size(), half.begin());
  const std::uint32_t crc = os::crc32c(0, &page.index, sizeof page - offsetof(layout::table_page, index));
  if (page.crc != crc) return torn("the table page has no valid checksum");
  if (page.index != index || page.store != half)
    return torn("the table page belongs to another store or to another place in this one");
  for (std::uint64_t i = 0; i < entries_per_table_page; ++i) {
    if (first + i < applied_pages_ || page.entries[i] == layout::no_checksum) continue;
    const auto touched = overlay_at(first + i);
    if (touched != overlay_.end() && touched->first <= first + i) continue;
    damage(store_section::checksum_page, "crc", offset, "the table page describes pages beyond the segment");
    break;
  }
  return true;
}

void verification::expect(std::uint64_t index, const layout::table_page& table, bool known, scratch& use) {
  using kind = decltype(expectation::kind);
  const std::uint64_t first = index * entries_per_table_page;
  const std::uint64_t count =
      first < report_.pages ? std::min(entries_per_table_page, report_.pages - first) : 0;
  use.expected.clear();
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint32_t entry = table.entries[i];
    expectation expected{kind::anything, 0, super_.applied_epoch};
    if (first + i >= applied_pages_) {
      expected.kind = kind::zero;
      expected.epoch = report_.epoch;
    } else if (known && entry == layout::no_checksum) {
      expected.kind = kind::zero;
    } else if (known && entry != layout::any_content) {
      expected.kind = kind::checksum;
      expected.checksum = entry;
    }
    use.expected.push_back(expected);
  }
  for (auto run = overlay_at(first); run != overlay_.end() && run->first < first + count; ++run) {
    const std::uint64_t begin = std::max(run->first, first);
    const std::uint64_t end = std::min(run->first + run->count, first + count);
    for (std::uint64_t page = begin; page < end; ++page) use.expected[page - first] = run->expected;
  }
  // Home holds something else there; that the saved page is whole has been seen already.
  for (const layout::journal_entry& saved : saved_in(first, first + count)) {
    const std::uint64_t begin = std::max(saved.page, first);
    const std::uint64_t end = std::min(saved.page + (is_run(saved) ? saved.value : 1), first + count);
    for (std::uint64_t page = begin; page < end; ++page) {
      expectation& expected = use.expected[page - first];
      if (expected.kind == kind::checksum && (is_run(saved) || saved.value != expected.checksum)) {
        add({store_section::undo_log, true, "undo", 0, page, expected.epoch,
             "what it saved of the page contradicts the page's checksum"});
      }
      expected.kind = kind::anything;
    }
  }
}

std::span<const layout::journal_entry> verification::saved_in(std::uint64_t first, std::uint64_t end) const {
  const auto before = [](const layout::journal_entry& entry, std::uint64_t page) {
    return entry.page < page;
  };
  auto from = std::lower_bound(saved_.begin(), saved_.end(), first, before);
  // A run may begin before.
  while (from != saved_.begin() && is_run(*(from - 1)) && (from - 1)->page + (from - 1)->value > first)
    --from;
  return {from, std::lower_bound(from, saved_.end(), end, before)};
}

// Splits a stretch by file and by what of the file is a hole.
void verification::check_home(std::uint64_t first, const std::vector<expectation>& expected, scratch& use) {
  std::uint64_t page = first;
  const std::uint64_t end = first + expected.size();
  while (page < end) {
    const std::size_t index = static_cast<std::size_t>(page * page_size / super_.home_file_bytes);
    const std::uint64_t begin = index * super_.home_file_bytes;
    if (index >= home_.size()) return;
    const home_file& home = home_[index];
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

void verification::check_bytes(std::size_t file, std::uint64_t page, std::uint64_t count,
                               const expectation* expected, scratch& use) {
  const std::uint64_t offset = layout::home_data_offset + page * page_size - file * super_.home_file_bytes;
  std::size_t got = 0;
  try {
    got = home_[file].file.read_at(use.bytes.data(), count * page_size, offset);
  } catch (const std::system_error& failure) {
    if (count == 1) {
      if (expected->kind != decltype(expectation::kind)::anything)
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

void verification::check_hole(std::size_t file, std::uint64_t page, std::uint64_t count,
                              const expectation* expected) {
  alignas(64) static constexpr std::array<std::byte, page_size> zeros{};
  for (std::uint64_t i = 0; i < count; ++i) {
    if (expected[i].kind != decltype(expectation::kind)::checksum) continue;
    if (page_checksum(page + i, zeros.data()) != expected[i].checksum)
      damaged_page(file, page + i, expected[i], "its bytes are gone: the file has a hole here");
  }
}

void verification::check_page(std::size_t file, std::uint64_t page, const std::byte* bytes,
                              const expectation& expected) {
  using kind = decltype(expectation::kind);
  if (expected.kind == kind::zero && !is_zero(bytes, page_size))
    damaged_page(file, page, expected, "it was never written and yet is not empty");
  if (expected.kind == kind::checksum && page_checksum(page, bytes) != expected.checksum)
    damaged_page(file, page, expected, "its bytes contradict its checksum");
}

void verification::damaged_page(std::size_t file, std::uint64_t page, const expectation& expected,
                                std::string what) {
  add({store_section::home_page, true, home_files::name_of(file),
       layout::home_data_offset + page * page_size - file * super_.home_file_bytes, page, expected.epoch,
       std::move(what)});
}

}  // namespace

verify_report verify_files(const os::file& directory, const store_lock& lock, const verify_options& options) {
  return verification(directory, lock, options).run();
}

void throw_damaged_store(const std::filesystem::path& store, const verify_finding& first,
                         std::uint64_t more) {
  throw error(errc::damaged, store.string() + " is damaged: " + to_string(first) +
                                 (more == 0 ? "" : ", and " + std::to_string(more) + " more") +
                                 "; see `perdure verify` and `perdure repair`");
}

verify_report datastore::verify(const std::filesystem::path& given, const verify_options& options) {
  const std::filesystem::path path = normalized_store_path(given);
  return reporting("verify", path, [&] {
    const os::file directory = open_store_directory(path);
    const store_lock lock(directory, store_access::inspect);
    return verify_files(directory, lock, options);
  });
}

std::string_view to_string(store_section part) noexcept {
  switch (part) {
    case store_section::super_slot:
      return "super_slot";
    case store_section::abi_stamp:
      return "abi_stamp";
    case store_section::home_header:
      return "home_header";
    case store_section::home_padding:
      return "home_padding";
    case store_section::home_length:
      return "home_length";
    case store_section::home_page:
      return "home_page";
    case store_section::checksum_header:
      return "checksum_header";
    case store_section::checksum_page:
      return "checksum_page";
    case store_section::journal:
      return "journal";
    case store_section::undo_log:
      return "undo_log";
    case store_section::heap:
      return "heap";
    case store_section::objects:
      return "objects";
  }
  return "unknown";
}

std::string to_string(const verify_finding& finding) {
  std::string text = finding.file + " at byte " + std::to_string(finding.offset);
  if (finding.page) text += ", page " + std::to_string(*finding.page);
  return text + ", epoch " + std::to_string(finding.epoch) + ": " + finding.what;
}

}  // namespace perdure
