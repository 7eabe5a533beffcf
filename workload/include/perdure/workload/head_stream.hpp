// A stream whose first bytes can be looked at before they are read, to recognise what they are.
#pragma once

#include <perdure/workload/byte_stream.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace perdure::workload {

/// A stream over another one that can show its first bytes before they are read.
///
/// Thread safety: like the other stream.
class head_stream final : public byte_stream {
 public:
  /// Takes over `stream`.
  explicit head_stream(std::unique_ptr<byte_stream> stream) : stream_(std::move(stream)) {}

  /// Returns the first bytes, at most `size`. Reads as long as `more_wanted(bytes so far)` returns true,
  /// since the writer of a pipe may wait for an answer to the first few bytes. `read` begins with them. Call
  /// it before the first `read`. Throws what the stream throws.
  template <class MoreWanted>
  std::string_view peek(std::size_t size, MoreWanted&& more_wanted) {
    while (head_.size() < size && more_wanted(std::string_view(head_))) {
      const std::size_t have = head_.size();
      head_.resize(size);
      std::size_t got = 0;
      try {
        got = stream_->read(head_.data() + have, size - have);
      } catch (...) {
        head_.resize(have);
        throw;
      }
      head_.resize(have + got);
      if (got == 0) break;
    }
    return head_;
  }

  std::size_t read(char* out, std::size_t size) override {
    if (position_ == head_.size()) return stream_->read(out, size);
    const std::size_t taken = head_.copy(out, size, position_);
    position_ += taken;
    return taken;
  }
  const std::string& name() const noexcept override { return stream_->name(); }
  std::uint64_t position() const noexcept override { return stream_->position(); }
  std::uint64_t length() const noexcept override { return stream_->length(); }
  bool is_encoded() const noexcept override { return stream_->is_encoded(); }

 private:
  std::unique_ptr<byte_stream> stream_;
  std::string head_;
  std::size_t position_ = 0;  // in it
};

}  // namespace perdure::workload
