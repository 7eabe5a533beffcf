// Pages on their way to their slots in a journal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "store/commit/journaled_pages.hpp"
#include "store/file/journal.hpp"

namespace perdure::store {

/// Copies and checksums a page in one pass: so a thread that writes to it when it should be quiet changes
/// what is committed, but cannot make the journal look torn. Neighbouring slots are written together.
class slot_writer {
 public:
  /// Slots are given out in their order, or, if `journaled` is not null, by that table, which is told of each
  /// page once it is written.
  slot_writer(journal& to, journaled_pages* journaled);

  struct place {
    std::uint64_t slot;
    std::uint32_t checksum;
  };
  place add(std::uint64_t page, const std::byte* from);
  /// Writes all pages that were added.
  void flush();

 private:
  struct added {
    std::uint64_t page;
    std::uint32_t checksum;
  };

  journal& to_;
  journaled_pages* journaled_;
  std::unique_ptr<std::byte[]> bytes_;
  std::vector<added> pages_;
  std::uint64_t first_ = 0;  // slot of the first that was added
  std::uint64_t next_ = 0;   // slot to be given out
};

}  // namespace perdure::store
