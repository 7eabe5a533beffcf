// Bytes of a file as they are.
#pragma once

#include <atomic>
#include <perdure/workload/byte_stream.hpp>
#include <string_view>

namespace perdure::workload {

class file_stream final : public byte_stream {
 public:
  file_stream(const std::filesystem::path& path, int end_descriptor);
  ~file_stream() override;

  /// The first bytes of the file, at most `size`, for as long as those seen may be the beginning of
  /// something: a pipe's writer may be waiting for an answer to the few that it has sent. `read` begins with
  /// them.
  template <class MayBegin>
  std::string_view peek(std::size_t size, MayBegin&& may_begin) {
    while (head_.size() < size && may_begin(std::string_view(head_))) {
      const std::size_t have = head_.size();
      head_.resize(size);
      std::size_t got = 0;
      try {
        got = read_file(head_.data() + have, size - have);
      } catch (...) {
        head_.resize(have);
        throw;
      }
      head_.resize(have + got);
      if (got == 0) break;
    }
    return head_;
  }

  std::size_t read(char* out, std::size_t size) override;
  const std::string& name() const noexcept override { return name_; }
  std::uint64_t position() const noexcept override { return position_.load(std::memory_order_relaxed); }
  std::uint64_t length() const noexcept override { return length_; }

 private:
  std::size_t read_file(char* out, std::size_t size);

  std::string name_;
  int end_descriptor_;
  int descriptor_;
  std::uint64_t length_ = 0;
  std::atomic<std::uint64_t> position_{0};
  std::string head_;  // read ahead to recognise the format
  std::size_t head_position_ = 0;
};

}  // namespace perdure::workload
