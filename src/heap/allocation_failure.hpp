// What a heap throws when it has no block to give: a `std::bad_alloc` that says whose memory it was, what was
// asked for, and what can be done.
#pragma once

#include <array>
#include <cstddef>
#include <new>

#include "segment/segment.hpp"

namespace perdure::detail {

class allocation_failure final : public std::bad_alloc {
 public:
  /// No block of that size in this memory: its capacity is used up, or the system gives no more.
  allocation_failure(const segment& memory, std::size_t bytes) noexcept;
  /// No heap aligns blocks like that.
  struct of_alignment {
    std::size_t alignment;
  };
  allocation_failure(const segment& memory, of_alignment asked) noexcept;

  const char* what() const noexcept override { return text_.data(); }

 private:
  // No memory is taken to say that there is none.
  std::array<char, 640> text_;
};

}  // namespace perdure::detail
