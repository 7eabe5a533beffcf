// Blocks of arrays, from the heap of their store.
#include "array/block_store.hpp"

#include <algorithm>
#include <cstring>
#include <perdure/error.hpp>
#include <utility>

#include "array/array_name.hpp"
#include "base/invariant.hpp"
#include "os/crc32c.hpp"
#include "segment/segment.hpp"

namespace perdure::detail {

block_store::block_store(manager_core& store, array_catalogue* catalogue)
    : store_(store), catalogue_(catalogue) {}

void block_store::drop_left_over() {
  const write_guard guard(store_.memory());
  for (const unlinked_block& one : catalogue_->unlinked)
    store_.memory().deallocate(std::to_address(one.data));
  catalogue_->unlinked.clear();
}

std::byte* block_store::allocate(std::size_t bytes) {
  heap& memory = store_.memory();
  auto* const data = static_cast<std::byte*>(memory.allocate(std::max<std::size_t>(bytes, 1)));
  try {
    note_unlinked(data, bytes);
    const std::scoped_lock lock(mutex_);
    if (bytes >= least_released) young_.insert(data);
  } catch (...) {
    forget_unlinked(data);
    memory.deallocate(data);
    throw;
  }
  return data;
}

void block_store::note_unlinked(std::byte* data, std::size_t bytes) {
  catalogue_->unlinked.push_back({offset_ptr<std::byte>(data), bytes});
}

// Most were noted last.
void block_store::forget_unlinked(const std::byte* data) noexcept {
  auto& all = catalogue_->unlinked;
  for (std::size_t i = all.size(); i-- > 0;) {
    if (std::to_address(all[i].data) != data) continue;
    all[i] = all.back();
    all.pop_back();
    return;
  }
}

void block_store::link(const std::byte* data) noexcept {
  forget_unlinked(data);
}

void block_store::give_up(std::byte* data) noexcept {
  forget_unlinked(data);
  {
    const std::scoped_lock lock(mutex_);
    young_.erase(data);
  }
  store_.memory().deallocate(data);
}

void block_store::reserve(std::size_t blocks) {
  const auto make_room = [blocks](auto& of) {
    if (of.capacity() - of.size() < blocks) of.reserve(std::max(of.size() + blocks, 2 * of.capacity()));
  };
  make_room(catalogue_->unlinked);
  const std::scoped_lock lock(mutex_);
  make_room(retired_);
}

void block_store::retire(const stored_block& block) noexcept {
  std::byte* const data = std::to_address(block.data);
  if (!is_in_store(data, 1)) return;  // of a damaged store
  // What such a store says would release the pages of others.
  const std::size_t bytes = std::min<std::size_t>(block.stored_bytes, store_.memory().usable_size(data));
  {
    const std::scoped_lock lock(mutex_);
    // What no checkpoint has is needed only by those who look at it.
    const bool is_needed = bytes >= least_released && young_.erase(data) == 0;
    const retired one{data, bytes, ++generation_};
    if (is_needed || is_held(one)) {
      PERDURE_INVARIANT(retired_.size() < retired_.capacity());
      note_unlinked(data, bytes);
      retired_.push_back(one);
      if (!is_needed && bytes >= least_released) retired_.back().released = 0;
      return;
    }
  }
  store_.memory().deallocate(data);
}

void block_store::collect() noexcept {
  std::vector<std::byte*> gone;
  {
    const std::scoped_lock lock(mutex_);
    if (retired_.empty()) return;
    const std::uint64_t epoch = store_.store().epoch();
    const auto is_done = [&](const retired& one) {
      if (is_held(one)) return false;
      return one.bytes < least_released || (one.released != never && one.released <= epoch);
    };
    try {
      for (const retired& one : retired_)
        if (is_done(one)) gone.push_back(one.data);
    } catch (const std::bad_alloc&) {
      return;  // later
    }
    std::erase_if(retired_, is_done);
  }
  for (std::byte* const data : gone) {
    forget_unlinked(data);
    store_.memory().deallocate(data);
  }
}

// What is copied past memory takes turns with checkpoints; what is stored to memory, before and behind its
// whole pages, must keep them away.
std::uint32_t block_store::fill(std::byte* data, std::span<const std::byte> bytes, std::uint32_t checksum) {
  const auto store_to_memory = [&](std::size_t first, std::size_t count) {
    if (count == 0) return;
    const write_guard guard(store_.memory());
    checksum = os::crc32c_copy(checksum, data + first, bytes.data() + first, count);
  };
  const std::size_t head = -reinterpret_cast<std::uintptr_t>(data) % page_size;
  const std::size_t whole = bytes.size() < head ? 0 : (bytes.size() - head) / page_size * page_size;
  if (whole < datastore::least_past_memory) {
    store_to_memory(0, bytes.size());
    return checksum;
  }
  store_to_memory(0, head);
  checksum = store_.store().copy_in(data + head, bytes.subspan(head, whole), checksum);
  store_to_memory(head + whole, bytes.size() - head - whole);
  return checksum;
}

bool block_store::is_in_store(const std::byte* data, std::uint64_t bytes) const noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(store_.memory().base());
  const auto at = reinterpret_cast<std::uintptr_t>(data);
  const std::size_t size = store_.size();
  return at >= begin && at - begin <= size && bytes <= size - (at - begin);
}

std::span<const std::byte> block_store::bytes_of(const stored_block& block, std::string_view id) const {
  if (!is_in_store(std::to_address(block.data), block.stored_bytes))
    throw error(errc::damaged, quoted(id) + ": a block of it does not lie in the store");
  return {std::to_address(block.data), block.stored_bytes};
}

void block_store::read(const stored_block& block, std::span<std::byte> to, std::size_t element_size,
                       std::string_view id) const {
  const std::span<const std::byte> stored = bytes_of(block, id);
  const auto codec = static_cast<compression>(block.codec);
  if (codec == compression::none && block.shuffled == 0) {
    if (stored.size() != to.size())
      throw error(errc::damaged, quoted(id) + ": a block of it has another size than its part");
    store_.store().copy_out(to, stored.data());
    return;
  }
  store_.store().prefetch(stored.data(), stored.size());
  decode(stored, to, element_size, codec, block.shuffled != 0, id);
}

std::shared_ptr<void> block_store::hold() const {
  std::uint64_t began = 0;
  {
    const std::scoped_lock lock(mutex_);
    began = generation_;
    holds_.insert(began);
  }
  // Without the lock: where there is no memory for the pointer, the hold ends at once.
  return {nullptr, [this, began](void*) {
            const std::scoped_lock lock(mutex_);
            const auto held = holds_.find(began);
            PERDURE_INVARIANT(held != holds_.end());
            holds_.erase(held);
          }};
}

void block_store::departing(std::vector<page_run>& released) noexcept {
  const std::scoped_lock lock(mutex_);
  young_.clear();
  const std::uint64_t next = store_.store().epoch() + 1;
  for (retired& one : retired_) {
    if (one.bytes < least_released || one.released != never || is_held(one)) continue;
    const auto begin = static_cast<std::uint64_t>(one.data - store_.memory().base());
    const std::uint64_t first = (begin + page_size - 1) / page_size;
    const std::uint64_t end = (begin + one.bytes) / page_size;
    try {
      if (first < end) released.push_back({first, end - first});
    } catch (const std::bad_alloc&) {
      return;  // with a later one
    }
    one.released = next;
  }
}

}  // namespace perdure::detail
