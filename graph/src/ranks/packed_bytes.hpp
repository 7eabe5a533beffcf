// Values one after the other in messages between ranks of one program.
#pragma once

#include <cstddef>
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
