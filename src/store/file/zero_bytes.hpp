// Whether memory holds nothing but zeros.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace perdure::store {

/// Async-signal-safe. For most memory that is not zero the first word decides.
inline bool is_zero(const void* bytes, std::size_t count) noexcept {
  std::uint64_t head = 0;
  std::memcpy(&head, bytes, std::min(count, sizeof head));
  const auto* const from = static_cast<const std::byte*>(bytes);
  return head == 0 &&
         (count <= sizeof head || std::memcmp(from, from + sizeof head, count - sizeof head) == 0);
}

}  // namespace perdure::store
