// Where the pages are that have left memory, and their checksums.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "os/mapping.hpp"
#include "segment/segment.hpp"

namespace perdure::store {

/// A page that is in a journal must be read from there until the epoch is applied. So the table has the pages
/// of two epochs: the running one, and until `settle` the one before it. It keeps the checksum of each page
/// that this process has written, so that older content, which a failed write-back leaves, is not taken for
/// the page. Not thread-safe, but for `find`, `is_home` and `checksum_of`.
class journaled_pages {
 public:
  using number = std::uint32_t;  // of a page or a slot

  /// `parity` is that of the running epoch. An epoch has at most `slots` slots. Takes 8 bytes of address
  /// space for each page.
  journaled_pages(std::uint64_t pages, unsigned parity, number slots = most_slots);

  struct place {
    enum class where { home, journal, nowhere } in;  ///< `nowhere`: it reads as zero
    unsigned parity;
    number slot;
  };
  /// Where to read a page. Thread-safe and async-signal-safe.
  place find(std::uint64_t page) const noexcept;
  bool is_home(std::uint64_t page) const noexcept {
    return table_[page].load(std::memory_order_acquire) == 0;
  }

  /// The checksum that the page must have in the place that `find` returns; 0 if this process did not write
  /// it. Thread-safe and async-signal-safe.
  std::uint32_t checksum_of(std::uint64_t page) const noexcept {
    return checksums_[page].load(std::memory_order_relaxed);
  }

  /// Slots in use; some of them may belong to no page any more.
  number slots() const noexcept { return static_cast<number>(records_.size()); }
  /// The slot of the page; a new one if it has none. Throws `out_of_capacity`.
  number slot_for(std::uint64_t page);
  /// The slot holds the page now.
  void put(std::uint64_t page, number slot, std::uint32_t checksum) noexcept;
  /// Home holds the page now.
  void put_home(std::uint64_t page, std::uint32_t checksum) noexcept;
  /// Room for so many calls of the next, so that they cannot throw.
  void reserve_zeros(std::size_t pages);
  /// The page is empty, which takes no slot.
  void put_zero(std::uint64_t page);
  /// The journal of the epoch before has the page, or says that it is empty (checksum 0, and no slot). To be
  /// called before another thread knows the table.
  void put_before(std::uint64_t page, number slot, std::uint32_t checksum);
  /// Forgets what the running epoch has of these pages.
  void erase(detail::page_run pages) noexcept;

  struct record {
    number page;
    number slot;
    std::uint32_t checksum;  ///< 0: the page is empty and has no slot
  };
  /// All pages that the running epoch has, sorted.
  std::vector<record> records() const;

  /// The running epoch is committed, and the next begins.
  void commit() noexcept;
  /// The epoch before the running one is home. Calls `visit` for each of its pages that must be read from
  /// home now. False if none was in the journal.
  template <class Visit>
  bool settle(Visit&& visit) noexcept {
    const auto settle_one = [&](number page) {
      const std::uint32_t seen = table_[page].load(std::memory_order_relaxed);
      if (seen == 0 || (seen & 1) == parity_) return;
      table_[page].store(0, std::memory_order_release);
      visit(page);
    };
    if (records_before_.empty() && zeros_before_.empty()) return false;
    for (const slot_record& one : records_before_) settle_one(one.page);
    for (const number page : zeros_before_) settle_one(page);
    records_before_ = {};
    zeros_before_ = {};
    return true;
  }

 private:
  // An entry of the table is 0 for pages that are home, else the slot plus one and, in the lowest bit, the
  // parity of the journal.
  static constexpr std::uint32_t most_slots = 0x7ffffffe;
  static std::uint32_t entry_of(number slot, unsigned parity) noexcept { return (slot + 1) << 1 | parity; }
  std::uint32_t entry_of(number slot) const noexcept { return entry_of(slot, parity_); }
  std::uint32_t zero_entry() const noexcept { return entry_of(most_slots); }

  struct slot_record {
    number page;
    std::uint32_t checksum;  // 0: nothing was put there
  };

  unsigned parity_;
  number slots_allowed_;
  os::reservation memory_;
  std::atomic<std::uint32_t>* table_;
  std::atomic<std::uint32_t>* checksums_;
  std::vector<slot_record> records_;  // by slot
  std::vector<number> zeros_;         // empty pages; some perhaps twice, or not empty any more
  // The same of the epoch before, until it is settled; of its empty pages some may be among the others.
  std::vector<slot_record> records_before_;
  std::vector<number> zeros_before_;
};

}  // namespace perdure::store
