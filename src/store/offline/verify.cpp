// Verification of a store's files.
//
// What must hold follows from the commit protocol (docs/explanation/durability.md). The checksum table, with
// what the last journal carries on, describes the home pages at the applied epoch. A committed journal that
// is not known to be applied may have been applied in part: the pages it speaks of may be old or new, and so
// may their table entries; the table pages with those entries may be torn. Recovery writes them all again, so
// they are judged by the journal and not by what is home, except for its fresh pages, which are nowhere but
// home.
#include "store/offline/verify.hpp"

#include <optional>
#include <perdure/datastore.hpp>
#include <perdure/kept_checkpoint.hpp>
#include <perdure/progress.hpp>
#include <perdure/store_maintenance.hpp>
#include <string>
#include <vector>

#include "segment/segment.hpp"
#include "store/file/failure.hpp"
#include "store/file/home_files.hpp"
#include "store/file/store_directory.hpp"
#include "store/offline/verify/checksum_table_check.hpp"
#include "store/offline/verify/expectations.hpp"
#include "store/offline/verify/findings.hpp"
#include "store/offline/verify/history_check.hpp"
#include "store/offline/verify/home_file_check.hpp"
#include "store/offline/verify/journal_check.hpp"
#include "store/offline/verify/page_walk.hpp"
#include "store/offline/verify/super_block_check.hpp"
#include "store/offline/verify/undo_log_check.hpp"

namespace perdure::store {

namespace {

bool can_check_pages(const layout::super_slot& super, const last_checkpoint& last, const os::file& table,
                     findings& found) {
  if ((super.flags & layout::flag_checksums_stale) != 0) {
    found.note(
        store_section::checksum_page, "crc", 0,
        "the store was written through a shared mapping, which keeps no checksums: its pages cannot be "
        "checked");
    return false;
  }
  return table && last.table_is_known;
}

// Home must have room for a checkpoint that is not applied yet.
void require_length(const layout::super_slot& super, const last_checkpoint& last,
                    const std::vector<checked_home_file>& home, findings& found) {
  std::uint64_t bytes = 0;
  for (const checked_home_file& one : home) bytes += one.bytes;
  if (last.committed_bytes > super.segment_bytes && bytes < last.committed_bytes) {
    found.damage(store_section::home_length, home_files::name_of(home.empty() ? 0 : home.size() - 1), 0,
                 "the home files are shorter than the last checkpoint needs");
  }
}

}  // namespace

verify_report verify_files(const os::file& directory, const store_lock& lock, const verify_options& options) {
  findings found(options.most_findings);
  std::uint64_t pages = 0;
  std::optional<last_checkpoint> last;
  if (const std::optional<checked_super> super = check_super_block(directory, found)) {
    journal_check journals(directory, lock, *super, found);
    const std::vector<checked_home_file> home = check_home_files(directory, super->slot, found);
    const checked_table table =
        check_checksum_header(directory, super->slot, super->slot.segment_bytes / page_size, found);
    last = journals.run();
    check_history(super->slot, *last, home, table, found);
    const expectations expected(*last, check_undo_log(directory, super->slot, *last, found), found);
    if (can_check_pages(super->slot, *last, table.file, found)) {
      require_length(super->slot, *last, home, found);
      pages = expected.pages();
      if (options.progress != nullptr) options.progress->total = last->committed_bytes;
      begin_progress_stage("verifying", last->committed_bytes, "bytes");
      page_walk(super->slot, home, table.file, expected, options, found).run();
    }
  }
  verify_report report = found.take_report();
  report.pages = pages;
  if (last) {
    report.epoch = last->epoch;
    report.applied_epoch = last->applied_epoch;
  }
  return report;
}

void throw_damaged_store(const std::filesystem::path& store, const verify_finding& first,
                         std::uint64_t more) {
  throw error(errc::damaged, store.string() + " is damaged: " + to_string(first) +
                                 (more == 0 ? "" : ", and " + std::to_string(more) + " more") +
                                 "; see `perdure verify` and `perdure repair`");
}

}  // namespace perdure::store

namespace perdure {

verify_report store_maintenance::verify(const std::filesystem::path& given, const verify_options& options) {
  const std::filesystem::path path = resolve_store_name(given);
  return store::reporting("verify", path, [&] {
    const os::file directory = store::open_store_directory(path);
    const store::store_lock lock(directory, store::store_access::inspect, store::usual_wait());
    return store::verify_files(directory, lock, options);
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
    case store_section::history:
      return "history";
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
