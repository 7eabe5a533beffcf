// Bytes of a compressed file, decompressed.
#pragma once

#include <memory>
#include <perdure/workload/byte_stream.hpp>
#include <perdure/workload/compression.hpp>
#include <string>
#include <vector>

namespace perdure::workload {

class decoding_stream final : public byte_stream {
 public:
  /// `format` is what messages call it.
  decoding_stream(std::unique_ptr<byte_stream> file, std::unique_ptr<decoder> decoder, const char* format);

  std::size_t read(char* out, std::size_t size) override;
  const std::string& name() const noexcept override { return file_->name(); }
  std::uint64_t position() const noexcept override { return file_->position(); }
  std::uint64_t length() const noexcept override { return file_->length(); }
  bool is_encoded() const noexcept override { return true; }

 private:
  std::unique_ptr<byte_stream> file_;
  std::unique_ptr<decoder> decoder_;
  const char* format_;
  std::vector<char> input_;
  std::size_t begin_ = 0;  // of what was read and not yet decoded
  std::size_t end_ = 0;
  bool file_ended_ = false;
};

}  // namespace perdure::workload
