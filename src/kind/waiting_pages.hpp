// Committed memory whose pages may not have been taken from the system yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace perdure::detail {

/// Not thread-safe.
class waiting_pages {
 public:
  /// Notes the pages; if there is no memory to note them in, takes them now.
  void add(void* address, std::size_t bytes) noexcept;
  void remove(void* address, std::size_t bytes) noexcept;
  /// Takes all of them. Throws `std::bad_alloc` if the system has not so many; then they go on waiting.
  void take();

  /// How many may wait, at most: the system does not tell when a page is touched.
  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  /// Returns whether neighbours are one range, and `bytes_` is what all ranges have.
  bool is_sound() const noexcept;

  std::map<std::uintptr_t, std::uintptr_t> ranges_;  // begin -> end; neighbours are one
  std::uint64_t bytes_ = 0;
};

}  // namespace perdure::detail
