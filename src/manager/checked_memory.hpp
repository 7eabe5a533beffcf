// Access to what an earlier run left in the segment: every offset is checked before it is followed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "perdure/error.hpp"
#include "perdure/heap.hpp"
#include "segment/segment.hpp"

namespace perdure::detail {

/// A heap's segment with bounds. `owner` (the store's path) goes into messages.
class checked_memory {
 public:
  checked_memory(heap& memory, const segment& bounds, std::string owner)
      : heap_(&memory), segment_(&bounds), owner_(std::move(owner)) {}

  heap& memory() const noexcept { return *heap_; }
  const std::string& owner() const noexcept { return owner_; }
  std::uint64_t size() const noexcept { return segment_->size(); }

  bool holds(std::uint64_t offset, std::uint64_t bytes, std::size_t alignment) const noexcept {
    const std::uint64_t end = size();
    return offset != 0 && offset % alignment == 0 && bytes <= end && offset <= end - bytes;
  }

  /// Throws `damaged` if these bytes of the segment are not as they were written; examines pages that were
  /// not examined yet.
  void require_sound(std::uint64_t offset, std::uint64_t bytes) const {
    const std::uint64_t first = offset / page_size;
    segment_->require_sound({first, (offset + bytes + page_size - 1) / page_size - first});
  }

  /// The `T` at an offset, followed by `extra` bytes. `errc::damaged` where that cannot be, or their pages
  /// are not sound.
  template <class T>
  T* at(std::uint64_t offset, const char* what, std::uint64_t extra = 0) const {
    if (extra > size() || !holds(offset, sizeof(T) + extra, alignof(T)))
      fail(std::string(what) + " at offset " + std::to_string(offset) + " is out of bounds");
    require_sound(offset, sizeof(T) + extra);
    return static_cast<T*>(heap_->at(offset));
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw error(errc::damaged,
                owner_ + ": the object directory is damaged: " + what + "; restore the store from a copy");
  }

 private:
  heap* heap_;
  const segment* segment_;
  std::string owner_;
};

/// The characters that follow a record.
template <class Record>
std::string_view text_after(const Record* record, std::size_t length, std::size_t skip = 0) noexcept {
  return {reinterpret_cast<const char*>(record + 1) + skip, length};
}

}  // namespace perdure::detail
