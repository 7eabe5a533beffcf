// Makes and fills blocks of arrays.
#include "array/block_maker.hpp"

#include <algorithm>
#include <memory>
#include <mutex>

namespace perdure::detail {

namespace {

std::vector<std::byte> gather_all(block_source& from) {
  std::vector<std::byte> all(from.bytes());
  for (std::size_t done = 0; done < all.size();) {
    const std::size_t now = from.next_bytes();
    from.gather(all.data() + done);
    done += now;
  }
  return all;
}

/// Returns the checksum of the bytes that it fills the block with.
std::uint32_t fill_from(block_store& blocks, std::byte* data, block_source& from) {
  std::vector<std::byte> piece;
  std::uint32_t checksum = 0;
  for (std::size_t done = 0; done < from.bytes();) {
    const std::size_t now = from.next_bytes();
    if (piece.size() < now) piece.resize(now);
    from.gather(piece.data());
    checksum = blocks.fill(data + done, {piece.data(), now}, checksum);
    done += now;
  }
  return checksum;
}

}  // namespace

stored_block block_maker::make(block_source& from, std::size_t element_size, const encoding& how) {
  stored_block made;
  made.bytes = from.bytes();
  // What is to be stored, where it lies in memory; else it is gathered piece by piece.
  std::span<const std::byte> content;
  if (from.in_place() != nullptr) content = {from.in_place(), from.bytes()};
  std::vector<std::byte> gathered;
  std::vector<std::byte> encoded;
  if (how.codec != compression::none) {
    if (content.data() == nullptr) content = gathered = gather_all(from);
    encoded = encode(content, element_size, how);
    // What does not become smaller is stored as it is.
    if (encoded.size() < made.bytes) {
      content = encoded;
      made.codec = static_cast<std::uint8_t>(how.codec);
      made.shuffled = how.shuffle && element_size > 1 ? 1 : 0;
    }
  }
  made.stored_bytes = content.data() != nullptr ? content.size() : made.bytes;
  {
    const std::unique_lock lock(mutex_);
    const write_guard guard(store_.memory());
    blocks_.collect();
    made.data = blocks_.allocate(made.stored_bytes);
  }
  std::byte* const data = std::to_address(made.data);
  try {
    made.checksum = content.data() != nullptr ? blocks_.fill(data, content) : fill_from(blocks_, data, from);
  } catch (...) {
    const std::unique_lock lock(mutex_);
    const write_guard guard(store_.memory());
    blocks_.give_up(data);
    throw;
  }
  return made;
}

new_blocks::~new_blocks() {
  if (all_.empty()) return;
  try {
    const std::unique_lock lock(maker_.mutex_);
    const write_guard guard(maker_.store_.memory());
    for (const entry& one : all_) maker_.blocks_.give_up(std::to_address(one.block.data));
  } catch (const std::exception&) {
    // There is no memory for the guard: they stay unlinked, and the next opening gives them back.
  }
}

void new_blocks::add(const box& where, block_source& from, std::size_t element_size, const encoding& how) {
  all_.push_back({where, {}});
  try {
    all_.back().block = maker_.make(from, element_size, how);
  } catch (...) {
    all_.pop_back();
    throw;
  }
}

}  // namespace perdure::detail
