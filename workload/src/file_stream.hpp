// Bytes of a file as they are.
#pragma once

#include <atomic>
#include <perdure/workload/byte_stream.hpp>
#include <string>

namespace perdure::workload {

class file_stream final : public byte_stream {
 public:
  file_stream(const std::filesystem::path& path, int end_descriptor);
  ~file_stream() override;

  std::size_t read(char* out, std::size_t size) override;
  const std::string& name() const noexcept override { return name_; }
  std::uint64_t position() const noexcept override { return position_.load(std::memory_order_relaxed); }
  std::uint64_t length() const noexcept override { return length_; }

 private:
  std::string name_;
  int end_descriptor_;
  int descriptor_;
  std::uint64_t length_ = 0;
  std::atomic<std::uint64_t> position_{0};
};

}  // namespace perdure::workload
