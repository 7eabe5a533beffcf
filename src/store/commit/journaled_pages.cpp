// The table of pages that are in a journal, by page and by slot.
#include "store/commit/journaled_pages.hpp"

#include <algorithm>
#include <perdure/error.hpp>
#include <utility>

#include "base/invariant.hpp"
#include "segment/growth.hpp"

namespace perdure::store {

journaled_pages::journaled_pages(std::uint64_t pages, unsigned parity, number slots)
    : parity_(parity),
      slots_allowed_(slots),
      memory_(detail::round_up(static_cast<std::size_t>(pages) * 2 * sizeof(std::uint32_t), page_size),
              page_size),
      table_(reinterpret_cast<std::atomic<std::uint32_t>*>(memory_.base())),
      checksums_(table_ + pages) {
  static_assert(sizeof(std::atomic<std::uint32_t>) == 4);
  os::map_anonymous(memory_.base(), memory_.size(), os::access::read_write);
}

journaled_pages::place journaled_pages::find(std::uint64_t page) const noexcept {
  const std::uint32_t entry = table_[page].load(std::memory_order_acquire);
  if (entry == 0) return {place::where::home, 0, 0};
  const number slot = (entry >> 1) - 1;
  if (slot == most_slots) return {place::where::nowhere, 0, 0};
  return {place::where::journal, entry & 1, slot};
}

journaled_pages::number journaled_pages::slot_for(std::uint64_t page) {
  const std::uint32_t entry = table_[page].load(std::memory_order_relaxed);
  if (entry != 0 && entry != zero_entry() && (entry & 1) == parity_) return (entry >> 1) - 1;
  if (records_.size() == slots_allowed_)
    throw error(errc::out_of_capacity, "a checkpoint changes more than 8 TiB: make checkpoints more often");
  records_.push_back({static_cast<number>(page), 0});
  return static_cast<number>(records_.size() - 1);
}

void journaled_pages::put(std::uint64_t page, number slot, std::uint32_t checksum) noexcept {
  PERDURE_INVARIANT(slot < records_.size() && checksum != 0);
  records_[slot] = {static_cast<number>(page), checksum};
  checksums_[page].store(checksum, std::memory_order_relaxed);
  table_[page].store(entry_of(slot), std::memory_order_release);
}

void journaled_pages::put_home(std::uint64_t page, std::uint32_t checksum) noexcept {
  erase({page, 1});
  checksums_[page].store(checksum, std::memory_order_relaxed);
}

void journaled_pages::reserve_zeros(std::size_t pages) {
  const std::size_t wanted = zeros_.size() + pages;
  if (wanted > zeros_.capacity()) zeros_.reserve(std::max(wanted, 2 * zeros_.capacity()));
}

void journaled_pages::put_zero(std::uint64_t page) {
  if (table_[page].load(std::memory_order_relaxed) == zero_entry()) return;
  zeros_.push_back(static_cast<number>(page));
  checksums_[page].store(0, std::memory_order_relaxed);
  table_[page].store(zero_entry(), std::memory_order_release);
}

void journaled_pages::put_before(std::uint64_t page, number slot, std::uint32_t checksum) {
  records_before_.push_back({static_cast<number>(page), checksum});
  checksums_[page].store(checksum, std::memory_order_relaxed);
  table_[page].store(entry_of(checksum == 0 ? most_slots : slot, parity_ ^ 1), std::memory_order_release);
}

void journaled_pages::erase(detail::page_run pages) noexcept {
  for (std::uint64_t page = pages.first; page < pages.first + pages.count; ++page) {
    checksums_[page].store(0, std::memory_order_relaxed);
    const std::uint32_t entry = table_[page].load(std::memory_order_relaxed);
    if (entry != 0 && (entry & 1) == parity_) table_[page].store(0, std::memory_order_release);
  }
}

std::vector<journaled_pages::record> journaled_pages::records() const {
  std::vector<record> all;
  for (number slot = 0; slot < slots(); ++slot) {
    const slot_record& one = records_[slot];
    if (table_[one.page].load(std::memory_order_relaxed) == entry_of(slot))
      all.push_back({one.page, slot, one.checksum});
  }
  for (const number page : zeros_)
    if (table_[page].load(std::memory_order_relaxed) == zero_entry()) all.push_back({page, 0, 0});
  std::ranges::sort(all, {}, &record::page);
  const auto repeated = std::ranges::unique(all, {}, &record::page);
  all.erase(repeated.begin(), repeated.end());
  return all;
}

void journaled_pages::commit() noexcept {
  // Otherwise a page of that epoch would be read from a journal that is written over.
  PERDURE_INVARIANT(records_before_.empty() && zeros_before_.empty());
  records_before_ = std::exchange(records_, {});
  zeros_before_ = std::exchange(zeros_, {});
  parity_ ^= 1;
}

}  // namespace perdure::store
