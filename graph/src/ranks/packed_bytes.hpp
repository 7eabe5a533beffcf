// Values one after the other in messages between ranks of one program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace perdure::graph::detail {

template <class Value>
void pack(std::vector<std::byte>& bytes, const Value& value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  const std::size_t end = bytes.size();
  bytes.resize(end + sizeof value);
  std::memcpy(bytes.data() + end, &value, sizeof value);
}

/// Appends a number in as few bytes as it needs, seven bits in each, the lowest first: 1 to 10 bytes.
inline void pack_number(std::vector<std::byte>& bytes, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) bytes.push_back(static_cast<std::byte>(number | 0x80));
  bytes.push_back(static_cast<std::byte>(number));
}
/// The same of a difference modulo 2^64, which is short also where it is negative.
inline void pack_difference(std::vector<std::byte>& bytes, std::uint64_t difference) {
  pack_number(bytes, (difference << 1) ^ (~(difference >> 63) + 1));
}

/// Takes values from a message, in the order in which they were packed.
class unpacker {
 public:
  explicit unpacker(const std::vector<std::byte>& bytes) noexcept
      : next_(bytes.data()), end_(next_ + bytes.size()) {}

  bool empty() const noexcept { return next_ == end_; }
  template <class Value>
  Value take() noexcept {
    Value value;
    std::memcpy(&value, next_, sizeof value);
    next_ += sizeof value;
    return value;
  }
  std::uint64_t take_number() noexcept {
    std::uint64_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto seven = static_cast<std::uint64_t>(*next_++);
      number |= (seven & 0x7f) << shift;
      if (seven < 0x80) return number;
    }
  }
  std::uint64_t take_difference() noexcept {
    const std::uint64_t number = take_number();
    return (number >> 1) ^ (~(number & 1) + 1);
  }

 private:
  const std::byte* next_;
  const std::byte* end_;
};

/// Bytes of a rank for each of the others; only messages with bytes are sent.
class outgoing {
 public:
  explicit outgoing(rank_exchange& ranks) : ranks_(ranks), bytes_(static_cast<std::size_t>(ranks.size())) {}

  std::vector<std::byte>& to(int rank) noexcept { return bytes_[static_cast<std::size_t>(rank)]; }
  std::vector<rank_message> exchange() {
    std::vector<rank_message> messages;
    for (std::size_t rank = 0; rank < bytes_.size(); ++rank)
      if (!bytes_[rank].empty())
        messages.push_back({static_cast<int>(rank), std::exchange(bytes_[rank], {})});
    return ranks_.exchange(std::move(messages));
  }

 private:
  rank_exchange& ranks_;
  std::vector<std::vector<std::byte>> bytes_;
};

}  // namespace perdure::graph::detail
