// Repair: makes damaged parts anew from sound ones, in steps of which each is of use by itself.
//
// Order matters. Super block, headers and journals come first, since opening needs them; then a committed
// checkpoint is brought home, as any opening does, because it overwrites the pages that it names; then the
// checksum table is made to agree with the pages. Pages have no second copy: a damaged one is only named.
#include <fcntl.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <perdure/datastore.hpp>
#include <perdure/error.hpp>
#include <perdure/kept_checkpoint.hpp>
#include <perdure/store_maintenance.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "os/file.hpp"
#include "segment/segment.hpp"
#include "store/commit/redo.hpp"
#include "store/file/checked_block.hpp"
#include "store/file/checksum_table.hpp"
#include "store/file/failure.hpp"
#include "store/file/hard_links.hpp"
#include "store/file/home_files.hpp"
#include "store/file/journal.hpp"
#include "store/file/replaced_files.hpp"
#include "store/file/store_directory.hpp"
#include "store/file/store_lock.hpp"
#include "store/file/super_block.hpp"
#include "store/file/unfinished_store.hpp"
#include "store/offline/kept_epochs.hpp"
#include "store/offline/twin.hpp"
#include "store/offline/verify.hpp"

namespace perdure::store {

namespace {

using layout::entries_per_table_page;

bool is_sound_table_page(const os::file& table, std::uint64_t index, const layout::uuid_bytes& uuid) {
  layout::table_page page{};
  if (table.read_at(&page, sizeof page, (index + 1) * layout::block) != sizeof page) return false;
  const std::uint32_t crc = os::crc32c(0, &page.index, sizeof page - offsetof(layout::table_page, index));
  return page.crc == crc && page.index == index &&
         std::equal(page.store.begin(), page.store.end(), uuid.begin());
}

class repair_of_store {
 public:
  repair_of_store(const std::filesystem::path& path, const repair_options& options)
      : path_(path), options_(options), directory_(open_store_directory(path)) {}

  repair_report run() {
    {
      // Looked at before LOCK is made, so that a directory that is no store stays as it is.
      if (!os::exists_in(directory_, "super")) super_block::load(directory_, false);
      const bool had_lock = os::exists_in(directory_, "LOCK");
      store_lock lock(directory_, store_access::alone);
      if (!had_lock) done("made the missing file LOCK");
      remove_leftovers();
      report_.before = check(lock);
      if (report_.before.findings.empty()) {
        report_.after = report_.before;
        return std::move(report_);
      }
      leave_hard_links(directory_, lock);
      if (!mend_super()) {
        report_.after = report_.before;
        return std::move(report_);
      }
      mend_home_headers();
      mend_checksum_header();
      mend_journals();
      mend_undo();
      if (can_be_opened_) mend_history();
      directory_.sync();
    }
    if (can_be_opened_) bring_home();
    const store_lock lock(directory_, store_access::alone);
    if (can_be_opened_) mend_table(lock);
    // Before that `crc` may have been too short to be opened.
    if (can_be_opened_) mend_history();
    report_.after = check(lock);
    return std::move(report_);
  }

 private:
  verify_report check(const store_lock& lock) const {
    verify_options all;
    all.threads = options_.threads;
    all.most_findings = std::numeric_limits<std::size_t>::max();
    return verify_files(directory_, lock, all);
  }
  void done(std::string what) { report_.done.push_back(std::move(what)); }
  template <class Visit>
  static void for_damage(const verify_report& report, store_section part, Visit&& visit) {
    for (const verify_finding& one : report.findings)
      if (one.damage && one.part == part) visit(one);
  }
  static bool has(const verify_report& report, store_section part) {
    bool found = false;
    for_damage(report, part, [&](const verify_finding&) { found = true; });
    return found;
  }

  void remove_leftovers();
  bool mend_super();
  void mend_home_headers();
  void mend_checksum_header();
  std::optional<layout::journal_header> header_of(unsigned parity) const;
  void mend_journals();
  void mend_undo();
  void mend_history();
  void bring_home();
  void mend_table(const store_lock& lock);

  const std::filesystem::path& path_;
  const repair_options& options_;
  os::file directory_;
  repair_report report_;
  layout::super_slot super_{};
  bool can_be_opened_ = true;  // as far as `super` goes
  bool is_history_mended_ = false;
  bool had_checksums_ = true;   // by which the pages were checked before
  bool is_table_lost_ = false;  // the journal is lost that had the entries which `crc` lacks
};

void repair_of_store::remove_leftovers() {
  for (const std::vector<std::string>& names :
       {remove_unfinished(path_), remove_abandoned_twins(path_), remove_unfinished_epochs(directory_)})
    for (const std::string& name : names)
      done("removed " + name + ", an unfinished store that a killed process had left");
  if (remove_abandoned_copies(directory_)) done("removed copies of files that a killed writer had left");
}

// False when nothing more can be done.
bool repair_of_store::mend_super() {
  const os::file file = os::file::open_in(directory_, "super", O_RDWR);
  super_file content{};
  file.read_at(&content, sizeof content, 0);
  std::optional<std::size_t> newest;
  for (std::size_t i = 0; i < 2; ++i) {
    if (!is_sound(content.slots[i], layout::super_magic)) continue;
    if (!newest || content.slots[i].sequence > content.slots[*newest].sequence) newest = i;
  }
  if (!newest) return false;
  super_ = content.slots[*newest];
  had_checksums_ = (super_.flags & layout::flag_checksums_stale) == 0;
  try {
    check_sense(super_, file.path());
  } catch (const error&) {
    return false;
  }
  bool changed = false;
  const std::size_t other = 1 - *newest;
  if (!is_sound(content.slots[other], layout::super_magic) &&
      has(report_.before, store_section::super_slot)) {
    file.write_at(&super_, sizeof super_, other * layout::block);
    done("wrote slot " + std::to_string(other) + " of super anew from the other slot");
    changed = true;
  }
  if (!is_sound(content.abi, layout::stamp_magic)) {
    // Nothing else records what the stamp said.
    if (options_.accept_damage) {
      const layout::abi_stamp own = own_abi();
      file.write_at(&own, sizeof own, offsetof(super_file, abi));
      done("wrote the ABI stamp of this program into super, untested");
      changed = true;
    } else {
      can_be_opened_ = false;
    }
  }
  if (file.size() != layout::super_file_bytes) {
    file.resize(layout::super_file_bytes);
    done("gave super its right length");
    changed = true;
  }
  if ((super_.flags & layout::flag_open_dirty) != 0 && options_.accept_damage) {
    super_.flags &= ~layout::flag_open_dirty;
    ++super_.sequence;
    seal_block(super_);
    file.write_at(&super_, sizeof super_, other * layout::block);
    done("declared the store closed, though it was not: its pages may be of different times");
    changed = true;
  }
  if (changed) file.sync();
  if ((super_.flags & layout::flag_open_dirty) != 0) can_be_opened_ = false;
  return true;
}

void repair_of_store::mend_home_headers() {
  for_damage(report_.before, store_section::home_header, [&](const verify_finding& one) {
    const std::size_t index = static_cast<std::size_t>(std::stoul(one.file.substr(one.file.find('.') + 1)));
    // If its pages agree with the table, it is the file that belongs there.
    const bool pages_agree = std::none_of(
        report_.before.findings.begin(), report_.before.findings.end(), [&](const verify_finding& other) {
          return other.damage && other.part == store_section::home_page && other.file == one.file;
        });
    if (!pages_agree && !options_.accept_damage) return;
    layout::home_header header{};
    header.magic = layout::home_magic;
    header.format = layout::format_version;
    header.index = static_cast<std::uint32_t>(index);
    header.uuid = super_.uuid;
    header.home_file_bytes = super_.home_file_bytes;
    seal_block(header);
    const os::file file = os::file::open_in(directory_, one.file, O_RDWR);
    file.write_at(&header, sizeof header, 0);
    file.sync();
    done("wrote the header of " + one.file + " anew");
  });
  for_damage(report_.before, store_section::home_padding, [&](const verify_finding& one) {
    const os::file file = os::file::open_in(directory_, one.file, O_RDWR);
    file.punch(layout::block, layout::home_data_offset - layout::block);
    file.sync();
    done("emptied the gap behind the header of " + one.file);
  });
  if (!options_.accept_damage) return;
  for_damage(report_.before, store_section::home_length, [&](const verify_finding& one) {
    if (!os::exists_in(directory_, one.file)) return;
    const os::file file = os::file::open_in(directory_, one.file, O_RDWR);
    layout::home_header header{};
    if (file.read_at(&header, sizeof header, 0) != sizeof header) return;
    if (is_sound(header, layout::home_magic) && header.uuid != super_.uuid) return;
    const std::uint64_t begin = std::stoull(one.file.substr(one.file.find('.') + 1)) * super_.home_file_bytes;
    if (begin >= super_.segment_bytes) return;
    const std::uint64_t wanted =
        layout::home_data_offset + std::min(super_.home_file_bytes, super_.segment_bytes - begin);
    if (file.size() >= wanted) return;
    file.resize(wanted);
    file.sync();
    done("made " + one.file + " as long as it ought to be: what is missing is zero now");
  });
}

void repair_of_store::mend_checksum_header() {
  if (!os::exists_in(directory_, "crc")) {
    checksum_table::create(directory_, super_);
    done("made the missing file crc");
    return;
  }
  const os::file file = os::file::open_in(directory_, "crc", O_RDWR);
  layout::checksum_header header{};
  file.read_at(&header, sizeof header, 0);
  if (is_sound(header, layout::checksum_magic)) return;  // the store's, or another one's
  header = {};
  header.magic = layout::checksum_magic;
  header.format = layout::format_version;
  header.uuid = super_.uuid;
  seal_block(header);
  file.write_at(&header, sizeof header, 0);
  file.sync();
  done("wrote the header of crc anew");
}

/// Reads the header of a journal of this store; nothing if it is not sound.
std::optional<layout::journal_header> repair_of_store::header_of(unsigned parity) const {
  try {
    return journal(directory_, parity, super_.uuid, false).header();
  } catch (const error&) {
    return std::nullopt;
  }
}

void repair_of_store::mend_journals() {
  for_damage(report_.before, store_section::journal, [&](const verify_finding& one) {
    const unsigned parity = one.file == journal::name_of(1) ? 1 : 0;
    if (report_.before.epoch == super_.applied_epoch && super_.table_epoch < super_.applied_epoch &&
        parity == (super_.applied_epoch & 1))
      is_table_lost_ = true;
    if (os::exists_in(directory_, one.file)) {
      layout::journal_header header{};
      bool foreign = false;
      {
        const os::file file = os::file::open_in(directory_, one.file, O_RDONLY);
        const std::size_t got = file.read_at(&header, sizeof header, 0);
        foreign = got == sizeof header &&
                  (is_sound(header, layout::journal_magic) || is_sound(header, layout::prepared_magic));
        const bool is_old = header.epoch < super_.applied_epoch;
        if (foreign && header.uuid == super_.uuid &&
            (is_old || is_of_this_history(header, super_, header_of(1 - parity))))
          return;
      }
      if (foreign) {
        os::rename_in(directory_, one.file, one.file + ".foreign");
        done("put a journal of another store or of a copy aside as " + one.file + ".foreign");
      } else {
        os::remove_in(directory_, one.file);
      }
    }
    journal::create(directory_, parity, super_.uuid);
    done("made an empty " + one.file + "; if it held a checkpoint later than " +
         std::to_string(super_.applied_epoch) + ", that one is lost");
  });
}

// Without the before-images in it, pages at home may be those of a checkpoint that never came.
void repair_of_store::mend_undo() {
  for_damage(report_.before, store_section::undo_log, [&](const verify_finding& one) {
    if (one.page) return;
    if (!options_.accept_damage) {
      can_be_opened_ = false;
      return;
    }
    os::remove_in(directory_, "undo");
    done("removed undo: pages that were written home for a checkpoint that never came stay as they are");
  });
}

// Checksums of pages say more than stamps do: where all pages agree, the files belong together.
void repair_of_store::mend_history() {
  const bool is_foreign = has(report_.before, store_section::history);
  const bool is_header_new =
      has(report_.before, store_section::home_header) || has(report_.before, store_section::checksum_header);
  if (is_history_mended_ || (!is_foreign && !is_header_new)) return;
  const bool is_checked = had_checksums_ && !is_table_lost_ &&
                          !has(report_.before, store_section::home_page) &&
                          !has(report_.before, store_section::home_length);
  if (is_foreign && !is_checked && !options_.accept_damage) return;
  try {
    super_block super = super_block::load(directory_, true);
    home_files home(directory_, super_, true);
    checksum_table table(directory_, super_, true);
    known_checkpoint now = at_home(super_);
    home.stamp_anew(now);
    super_.home_stamps = home.stamps_at(now.epoch, now.segment_bytes).value_or(0);
    now.epoch = super_.table_epoch;
    table.stamp_anew(now);
    super_.table_stamp = now.identity;
    home.sync();
    table.sync();
    super.store(super_);
    super_ = super.now();
    is_history_mended_ = true;
  } catch (const error&) {
    // The report says what is wrong with the files.
    return;
  }
  if (is_foreign)
    done(is_checked ? "wrote into all files that they belong together, as their pages agree"
                    : "declared that all files belong together, though they do not");
}

void repair_of_store::bring_home() {
  const bool is_committed = report_.before.epoch != report_.before.applied_epoch;
  const bool is_early = std::any_of(
      report_.before.findings.begin(), report_.before.findings.end(),
      [](const verify_finding& one) { return !one.damage && one.part == store_section::undo_log; });
  const bool is_carried = super_.table_epoch < super_.applied_epoch && !is_table_lost_;
  if (!is_committed && !is_early && !is_carried) return;
  try {
    // Also of a part of a set, unless that has a checkpoint on which the set decides.
    store_options options;
    if (const store_info now = store_maintenance::inspect(path_); now.undecided_epoch == 0)
      options.last_decided = now.epoch;
    const auto store = datastore::open(path_, options);
    store->wait_applied();
    store->close();
    done(is_committed ? "brought checkpoint " + std::to_string(report_.before.epoch) + " home"
         : is_early   ? "took back pages that were written home for a checkpoint that never came"
                      : "wrote the checksums into crc that the last journal carried");
  } catch (const error&) {
    // The report says what keeps the store from opening.
  }
}

void repair_of_store::mend_table(const store_lock& lock) {
  const verify_report now = check(lock);
  if (!has(now, store_section::checksum_page) && !has(now, store_section::home_page) &&
      (super_.flags & layout::flag_checksums_stale) == 0 &&
      !has(report_.before, store_section::checksum_header) && !is_table_lost_) {
    return;
  }
  const bool is_early = std::any_of(now.findings.begin(), now.findings.end(), [](const verify_finding& one) {
    return one.part == store_section::undo_log;
  });
  if (now.epoch != now.applied_epoch || is_early || has(now, store_section::home_length) ||
      has(now, store_section::home_header) || has(now, store_section::checksum_header)) {
    return;
  }
  super_block super = super_block::load(directory_, true);
  super_ = super.now();
  const bool stale = (super_.flags & layout::flag_checksums_stale) != 0 || is_table_lost_;
  // By checksums made from pages of another history its files would be taken for the store's own.
  if (stale && has(report_.before, store_section::history) && !options_.accept_damage) return;
  const std::uint64_t pages = super_.segment_bytes / page_size;
  const std::uint64_t table_pages = (pages + entries_per_table_page - 1) / entries_per_table_page;

  std::set<std::uint64_t> anew;  // table pages
  bool is_of_later_epoch = false;
  std::uint64_t intact = table_pages;
  {
    const os::file file = os::file::open_in(directory_, "crc", O_RDWR);
    intact = file.size() / layout::block;
    intact = intact == 0 ? 0 : intact - 1;
    if (file.size() < (table_pages + 1) * layout::block) file.resize((table_pages + 1) * layout::block);
    for_damage(now, store_section::checksum_page, [&](const verify_finding& one) {
      if (one.offset < layout::block) return;
      is_of_later_epoch |= is_sound_table_page(file, one.offset / layout::block - 1, super_.uuid);
    });
  }
  // A later checkpoint was being written home, and the journal that could complete it is gone: the pages may
  // be those of either.
  if (is_of_later_epoch && !options_.accept_damage) return;
  for (std::uint64_t index = std::min(intact, table_pages); index < table_pages; ++index) anew.insert(index);
  for_damage(now, store_section::checksum_page, [&](const verify_finding& one) {
    if (one.offset >= layout::block) anew.insert(one.offset / layout::block - 1);
  });
  if (stale) {
    for (std::uint64_t index = 0; index < table_pages; ++index) anew.insert(index);
  }

  home_files home(directory_, super_, false);
  checksum_table table(directory_, super_, true);
  table.rebuild_from([&home](std::uint64_t page, std::byte* to) { home.read(page, to); }, pages);
  alignas(64) std::byte bytes[page_size];
  const auto restamp = [&](std::uint64_t page) {
    try {
      home.read(page, bytes);
    } catch (const std::system_error&) {
      // The page cannot be read. With any checksum at all it stays among the damage that verification names.
      if (table.get(page) < layout::first_checksum) table.set(page, layout::first_checksum);
      return;
    }
    const bool zero = bytes[0] == std::byte{0} && std::memcmp(bytes, bytes + 1, page_size - 1) == 0;
    table.set(page, zero ? layout::no_checksum : page_checksum(page, bytes));
  };
  for (const std::uint64_t index : anew) {
    const std::uint64_t first = index * entries_per_table_page;
    for (std::uint64_t page = first; page < first + entries_per_table_page; ++page) {
      if (page < pages) {
        restamp(page);
      } else if (page < super_.capacity / page_size) {
        table.set(page, layout::no_checksum);
      }
    }
    if (!stale) {
      done("made table page " + std::to_string(index) + " anew from the pages " + std::to_string(first) +
           " to " + std::to_string(std::min(first + entries_per_table_page, pages)) +
           ", which could not be checked themselves");
    }
  }
  if (options_.accept_damage) {
    for_damage(now, store_section::home_page, [&](const verify_finding& one) {
      restamp(*one.page);
      done("took page " + std::to_string(*one.page) + " as it is now for the right one");
    });
  }
  table.flush(super_.segment_bytes);
  table.sync();
  if (!stale) return;
  super_.flags &= ~layout::flag_checksums_stale;
  super_.table_epoch = super_.applied_epoch;
  super.store(super_);
  done(is_table_lost_ ? "made all checksums anew: the journal that carried the last ones is lost"
                      : "made all checksums anew: a shared mapping keeps none");
}

/// Throws `not_found` if there is no store at this path but leftovers of processes that were killed while
/// they made it, which it removes.
void refuse_unfinished(const std::filesystem::path& path) {
  if (std::filesystem::exists(std::filesystem::symlink_status(path))) return;
  const std::vector<std::string> removed = remove_unfinished(path);
  if (removed.empty()) return;
  std::string names;
  for (const std::string& name : removed) names += (names.empty() ? "" : ", ") + name;
  throw error(errc::not_found, "there is no datastore " + path.string() +
                                   ": a process was killed while it made one, and what it left (" + names +
                                   ") is removed now");
}

}  // namespace

}  // namespace perdure::store

namespace perdure {

repair_report store_maintenance::repair(const std::filesystem::path& given, const repair_options& options) {
  require_changeable_store(given);
  const std::filesystem::path path = store::normalized_store_path(given);
  return store::reporting("repair", path, [&] {
    store::refuse_unfinished(path);
    return store::repair_of_store(path, options).run();
  });
}

}  // namespace perdure
