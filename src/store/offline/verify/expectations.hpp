// The expected content of each page at home, by the checksum table, the last journal and the undo log
// together.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "store/file/checkpoint_identity.hpp"
#include "store/file/layout.hpp"
#include "store/offline/verify/findings.hpp"

namespace perdure::store {

struct expectation {
  enum class kind { anything, zero, checksum } what;
  std::uint32_t checksum = 0;
  std::uint64_t epoch = 0;  ///< the checkpoint that the page belongs to
};

/// Pages that the journal that still counts describes.
struct overlay_run {
  std::uint64_t first;
  std::uint64_t count;
  expectation expected;
};

/// The checkpoint that the store would open at, as far as it is known without its pages.
struct last_checkpoint {
  std::uint64_t epoch = 0;
  std::uint64_t applied_epoch = 0;        ///< the checkpoint that home is at
  std::uint64_t committed_bytes = 0;      ///< length of the segment at `epoch`
  std::uint64_t identity = 0;             ///< the checkpoint's; 0 where it has none
  std::vector<known_checkpoint> later{};  ///< checkpoints after the one that home is at
  std::uint64_t applied_pages = 0;        ///< length of the segment, as home and the table hold it
  bool table_is_known = true;             ///< by the journal where the file is behind
  std::vector<overlay_run> overlay;       ///< sorted by page
};

class expectations {
 public:
  /// `saved`: what the undo log holds of the last checkpoint, sorted by page.
  expectations(const last_checkpoint& last, std::vector<layout::journal_entry> saved, findings& found)
      : last_(last), saved_(std::move(saved)), found_(found) {}

  /// Pages of the segment at the last checkpoint, and at the one that home is at.
  std::uint64_t pages() const noexcept;
  std::uint64_t applied_pages() const noexcept { return last_.applied_pages; }

  /// Returns whether recovery writes one of these pages again, and their entries of the table with it.
  bool are_rewritten(std::uint64_t first, std::uint64_t count) const;

  /// Examines the pages that a table page describes, within the segment; `known`: the table page can be
  /// relied on. Reports where the undo log contradicts the table. Thread-safe.
  void of_table_page(std::uint64_t index, const layout::table_page& table, bool known,
                     std::vector<expectation>& expected) const;

 private:
  std::vector<overlay_run>::const_iterator overlay_at(std::uint64_t page) const;
  std::span<const layout::journal_entry> saved_in(std::uint64_t first, std::uint64_t end) const;

  const last_checkpoint& last_;
  const std::vector<layout::journal_entry> saved_;
  findings& found_;
};

}  // namespace perdure::store
