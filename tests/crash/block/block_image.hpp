// What a disk holds, block by block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace perdure::crash {

/// Copies share what they have in common. A block that is missing reads as zero.
class block_image {
 public:
  static constexpr std::size_t block_bytes = 4096;

  void write(std::uint64_t offset, std::span<const std::byte> data);
  /// Makes `content`, which holds what `held` says, hold what this says.
  void put_over(const block_image& held, std::byte* content) const;

 private:
  using block = std::vector<std::byte>;
  std::unordered_map<std::uint64_t, std::shared_ptr<const block>> blocks_;
};

}  // namespace perdure::crash
