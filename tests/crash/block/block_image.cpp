#include "crash/block/block_image.hpp"

#include <algorithm>
#include <cstring>

namespace perdure::crash {

void block_image::write(std::uint64_t offset, std::span<const std::byte> data) {
  while (!data.empty()) {
    const std::uint64_t number = offset / block_bytes;
    const std::size_t within = static_cast<std::size_t>(offset % block_bytes);
    const std::size_t here = std::min(data.size(), block_bytes - within);
    std::shared_ptr<const block>& held = blocks_[number];
    block changed = held != nullptr && here != block_bytes ? *held : block(block_bytes);
    std::memcpy(changed.data() + within, data.data(), here);
    const bool is_zero =
        std::all_of(changed.begin(), changed.end(), [](std::byte b) { return b == std::byte{}; });
    if (is_zero) {
      blocks_.erase(number);
    } else {
      held = std::make_shared<const block>(std::move(changed));
    }
    offset += here;
    data = data.subspan(here);
  }
}

void block_image::put_over(const block_image& held, std::byte* content) const {
  for (const auto& [number, bytes] : held.blocks_) {
    if (!blocks_.contains(number)) std::memset(content + number * block_bytes, 0, block_bytes);
  }
  for (const auto& [number, bytes] : blocks_) {
    const auto there = held.blocks_.find(number);
    if (there == held.blocks_.end() || there->second != bytes)
      std::memcpy(content + number * block_bytes, bytes->data(), block_bytes);
  }
}

}  // namespace perdure::crash
