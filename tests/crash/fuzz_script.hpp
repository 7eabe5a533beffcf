// The bytes of a fuzzer, read as decisions. Past their end all decisions are 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace perdure::crash {

class fuzz_script {
 public:
  explicit fuzz_script(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  bool at_end() const { return bytes_.empty(); }
  std::span<const std::uint8_t> rest() const { return bytes_; }
  std::uint8_t byte() {
    if (bytes_.empty()) return 0;
    const std::uint8_t first = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return first;
  }
  std::uint64_t word(unsigned bytes = 8) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i) value |= std::uint64_t{byte()} << (8 * i);
    return value;
  }
  std::uint64_t below(std::uint64_t bound) {
    const unsigned bytes = bound <= 256 ? 1 : bound <= 65536 ? 2 : 8;
    return bound == 0 ? 0 : word(bytes) % bound;
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

}  // namespace perdure::crash
