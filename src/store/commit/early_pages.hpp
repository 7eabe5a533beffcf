// Which pages were written home early, before the checkpoint that needs them (databases call such pages
// stolen).
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <map>

#include "segment/segment.hpp"

namespace perdure::store {

/// For the checkpoint to come it knows two things about a page: whether home may no longer hold what the last
/// checkpoint left there (*touched*: it may be written again in place), and whether home holds what memory
/// does, and with which checksum
/// (*settled*). Not thread-safe.
class early_pages {
 public:
  static constexpr std::uint64_t extent_pages = 512;

  bool is_touched(std::uint64_t page) const {
    const auto found = extents_.find(page / extent_pages);
    return found != extents_.end() && found->second.touched[page % extent_pages];
  }
  void touch(detail::page_run pages) {
    for_each(pages, [](extent& in, std::size_t i) { in.touched.set(i); });
  }
  /// Home holds, durably, what the last checkpoint left there.
  void untouch(detail::page_run pages) {
    for_each(pages, [](extent& in, std::size_t i) { in.touched.reset(i); });
  }

  bool is_settled(std::uint64_t page) const {
    const auto found = extents_.find(page / extent_pages);
    return found != extents_.end() && found->second.settled[page % extent_pages];
  }
  void settle(std::uint64_t page, std::uint32_t checksum) {
    extent& in = extents_[page / extent_pages];
    in.touched.set(page % extent_pages);
    in.settled.set(page % extent_pages);
    in.checksums[page % extent_pages] = checksum;
  }
  /// The pages were written to in memory, or are not needed any more.
  void unsettle(detail::page_run pages) noexcept {
    const std::uint64_t end = pages.first + pages.count;
    for (auto in = extents_.lower_bound(pages.first / extent_pages);
         in != extents_.end() && in->first * extent_pages < end; ++in) {
      const std::uint64_t begin = in->first * extent_pages;
      for (std::uint64_t i = 0; i < extent_pages; ++i)
        if (begin + i >= pages.first && begin + i < end) in->second.settled.reset(i);
    }
  }
  /// Calls `visit(page, checksum)` for settled pages, in order.
  template <class Visit>
  void for_settled(Visit&& visit) const {
    for (const auto& [number, in] : extents_) {
      if (in.settled.none()) continue;
      for (std::size_t i = 0; i < extent_pages; ++i)
        if (in.settled[i]) visit(number * extent_pages + i, in.checksums[i]);
    }
  }

  /// Returns whether no page was touched.
  bool empty() const noexcept { return extents_.empty(); }
  void clear() noexcept { extents_.clear(); }

 private:
  struct extent {
    std::bitset<extent_pages> touched;
    std::bitset<extent_pages> settled;
    std::array<std::uint32_t, extent_pages> checksums;
  };

  template <class Visit>
  void for_each(detail::page_run pages, Visit&& visit) {
    const std::uint64_t end = pages.first + pages.count;
    for (std::uint64_t page = pages.first; page < end;) {
      extent& in = extents_[page / extent_pages];
      const std::uint64_t stop = std::min(end, (page / extent_pages + 1) * extent_pages);
      for (; page < stop; ++page) visit(in, static_cast<std::size_t>(page % extent_pages));
    }
  }

  std::map<std::uint64_t, extent> extents_;
};

}  // namespace perdure::store
