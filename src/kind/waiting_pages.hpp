// Committed memory whose pages may not have been taken from the system yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace perdure::detail {

/// Not thread-safe.
class waiting_pages {
 public:
  /// Without memory to remember it by, the pages are taken.
  void add(void* address, std::size_t bytes) noexcept;
  void remove(void* address, std::size_t bytes) noexcept;
  /// Takes all of them. Throws `std::bad_alloc` where there are not so many; then they go on waiting.
  void take();

  /// An upper bound: nobody says when a page is touched.
  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  std::map<std::uintptr_t, std::uintptr_t> ranges_;  // begin -> end; neighbours are one
  std::uint64_t bytes_ = 0;
};

}  // namespace perdure::detail
