// Committed memory whose pages may not have been taken from the system yet.
#include "kind/waiting_pages.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <iterator>
#include <new>
#include <system_error>

#include "base/invariant.hpp"
#include "os/mapping.hpp"

namespace perdure::detail {

namespace {

constexpr int protection = PROT_READ | PROT_WRITE;

}  // namespace

void waiting_pages::add(void* address, std::size_t bytes) noexcept {
  auto begin = reinterpret_cast<std::uintptr_t>(address);
  const std::uintptr_t end = begin + bytes;
  try {
    const auto next = ranges_.lower_bound(begin);
    const bool joins_next = next != ranges_.end() && next->first == end;
    const std::uintptr_t new_end = joins_next ? next->second : end;
    if (next != ranges_.begin() && std::prev(next)->second == begin) {
      std::prev(next)->second = new_end;
    } else {
      ranges_.emplace_hint(next, begin, new_end);
    }
    if (joins_next) ranges_.erase(end);
    bytes_ += bytes;
    PERDURE_PARANOID_INVARIANT(is_sound());
  } catch (const std::bad_alloc&) {
    try {
      os::populate(address, bytes, protection);
    } catch (const std::system_error&) {  // they were free a moment ago; now they are no more certain than
                                          // other memory
    }
  }
}

void waiting_pages::remove(void* address, std::size_t bytes) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  const std::uintptr_t end = begin + bytes;
  auto range = ranges_.upper_bound(begin);
  if (range != ranges_.begin()) --range;
  while (range != ranges_.end() && range->first < end) {
    const auto [first, last] = *range;
    if (last <= begin) {
      ++range;
      continue;
    }
    bytes_ -= std::min(last, end) - std::max(first, begin);
    if (last > end) {
      try {
        ranges_.emplace(end, last);
      } catch (const std::bad_alloc&) {  // the range is forgotten: its pages are taken when they are touched
        bytes_ -= last - end;
      }
    }
    if (first < begin) {
      range->second = begin;
      ++range;
    } else {
      range = ranges_.erase(range);
    }
  }
  PERDURE_PARANOID_INVARIANT(is_sound());
}

bool waiting_pages::is_sound() const noexcept {
  std::uint64_t bytes = 0;
  std::uintptr_t before = 0;
  for (const auto& [begin, end] : ranges_) {
    if (begin >= end || (before != 0 && begin <= before)) return false;
    bytes += end - begin;
    before = end;
  }
  return bytes == bytes_;
}

void waiting_pages::take() {
  while (!ranges_.empty()) {
    const auto range = ranges_.begin();
    const std::size_t bytes = range->second - range->first;
    try {
      os::populate(reinterpret_cast<void*>(range->first), bytes, protection);
    } catch (const std::system_error&) {
      throw std::bad_alloc();
    }
    bytes_ -= bytes;
    ranges_.erase(range);
  }
}

}  // namespace perdure::detail
