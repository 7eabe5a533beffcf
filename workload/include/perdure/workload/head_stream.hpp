// A stream whose first bytes can be looked at before they are read, to recognise what they are.
#pragma once

#include <perdure/workload/byte_stream.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace perdure::workload {

/// Thread safety: as of the stream it takes over.
class head_stream final : public byte_stream {
 public:
  explicit head_stream(std::unique_ptr<byte_stream> stream) : stream_(std::move(stream)) {}

  /// The first bytes, at most `size`, for as long as `more_wanted(bytes so far)`: a pipe's writer may be
  /// waiting for an answer to the few that it has sent. `read` begins with them. Before the first `read`.
  /// Throws what the stream throws.
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
