// One size class of a heap: takes blocks out of slabs, puts them back, and makes and drops slabs.
#include "heap/bin.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

namespace perdure::detail {

void bin::attach(unsigned size_class, std::byte* base, run_allocator& runs, std::mutex& runs_mutex,
                 block_allowance& allowance) noexcept {
  size_class_ = size_class;
  metadata_ = metadata(base);
  runs_ = &runs;
  runs_mutex_ = &runs_mutex;
  allowance_ = &allowance;
}

void bin::link(unit_index slab) noexcept {
  unit_index& head = metadata_.header().partial_slabs[size_class_];
  unit_descriptor& d = metadata_.unit(slab);
  d.previous = no_unit;
  d.next = head;
  if (head != no_unit) metadata_.unit(head).previous = slab;
  head = slab;
}

void bin::unlink(unit_index slab) noexcept {
  unit_descriptor& d = metadata_.unit(slab);
  if (d.previous != no_unit)
    metadata_.unit(d.previous).next = d.next;
  else
    metadata_.header().partial_slabs[size_class_] = d.next;
  if (d.next != no_unit) metadata_.unit(d.next).previous = d.previous;
}

unit_index bin::new_slab() {
  const slab_geometry& geometry = slab_geometries[size_class_];
  unit_index slab;
  {
    const std::lock_guard lock(*runs_mutex_);
    slab = runs_->allocate(geometry.units, 1);
    // The descriptors are set under the lock because a neighbour's release reads them.
    for (std::uint32_t i = 0; i < geometry.units; ++i) {
      unit_descriptor& d = metadata_.unit(slab + i);
      d.kind = i == 0 ? unit_kind::slab : unit_kind::slab_rest;
      d.size_class = static_cast<std::uint8_t>(size_class_);
      d.length = i == 0 ? geometry.units : i;
    }
  }
  unit_descriptor& d = metadata_.unit(slab);
  d.first_word = 0;
  d.free_blocks = geometry.blocks;
  std::uint64_t* bitmap = metadata_.bitmap(slab, geometry);
  for (std::uint32_t w = 0; w < geometry.words; ++w) bitmap[w] = ~std::uint64_t{0};
  if (geometry.blocks % 64 != 0)
    bitmap[geometry.words - 1] = (std::uint64_t{1} << (geometry.blocks % 64)) - 1;
  for (std::uint32_t i = 0; i < geometry.units; ++i)
    metadata_.class_byte_of(slab + i) = static_cast<std::uint8_t>(size_class_ + 1);
  metadata_.header().slab_units[size_class_] += geometry.units;
  link(slab);
  return slab;
}

void bin::drop_slab(unit_index slab) noexcept {
  const slab_geometry& geometry = slab_geometries[size_class_];
  unlink(slab);
  metadata_.header().slab_units[size_class_] -= geometry.units;
  for (std::uint32_t i = 0; i < geometry.units; ++i) metadata_.class_byte_of(slab + i) = 0;
  const std::lock_guard lock(*runs_mutex_);
  runs_->release(slab, geometry.units);
}

std::uint32_t bin::take(void** blocks, std::uint32_t wanted) {
  const std::uint64_t block_size = slab_geometries[size_class_].block_size;
  const std::uint32_t allowed = allowance_->take_blocks(block_size, wanted);
  if (allowed == 0) throw allowance_used_up();
  std::uint32_t got = 0;
  try {
    got = take_allowed(blocks, allowed);
  } catch (const std::bad_alloc&) {
    allowance_->give_back(allowed * block_size);
    throw;
  }
  allowance_->give_back((allowed - got) * block_size);
  return got;
}

std::uint32_t bin::take_allowed(void** blocks, std::uint32_t wanted) {
  const slab_geometry& geometry = slab_geometries[size_class_];
  const std::lock_guard lock(mutex_);
  heap_header& header = metadata_.header();
  // Filled from the back: the lowest addresses are handed out first.
  std::uint32_t missing = wanted;
  while (missing != 0) {
    unit_index slab = header.partial_slabs[size_class_];
    if (slab == no_unit) {
      try {
        slab = new_slab();
      } catch (const std::bad_alloc&) {
        if (missing == wanted) throw;
        break;
      }
    }
    unit_descriptor& d = metadata_.unit(slab);
    std::uint64_t* bitmap = metadata_.bitmap(slab, geometry);
    std::byte* start = metadata_.address(slab);
    std::uint32_t w = d.first_word;
    std::uint32_t got = 0;
    const std::uint32_t goal = std::min(missing, d.free_blocks);
    for (; got < goal; ++w) {
      std::uint64_t word = bitmap[w];
      while (word != 0 && got < goal) {
        const unsigned bit = static_cast<unsigned>(std::countr_zero(word));
        word &= word - 1;
        blocks[missing - 1 - got++] = start + std::size_t{w * 64 + bit} * geometry.block_size;
      }
      bitmap[w] = word;
      if (word != 0) break;
    }
    d.first_word = static_cast<std::uint16_t>(w);
    d.free_blocks -= got;
    missing -= got;
    header.used_blocks[size_class_] += got;
    if (d.free_blocks == 0) unlink(slab);
  }
  if (missing != 0) std::copy(blocks + missing, blocks + wanted, blocks);
  return wanted - missing;
}

inline void bin::put_one(void* block) noexcept {
  const slab_geometry& geometry = slab_geometries[size_class_];
  const unit_index slab = metadata_.slab_of(metadata_.unit_of(block));
  unit_descriptor& d = metadata_.unit(slab);
  const auto offset = static_cast<std::uint64_t>(static_cast<std::byte*>(block) - metadata_.address(slab));
  const auto index = static_cast<std::uint32_t>((offset * geometry.reciprocal) >> 32);
  std::uint64_t& word = metadata_.bitmap(slab, geometry)[index / 64];
  const std::uint64_t bit = std::uint64_t{1} << (index % 64);
  if ((word & bit) != 0) {
    ++double_frees_;
    return;
  }
  word |= bit;
  --metadata_.header().used_blocks[size_class_];
  d.first_word = static_cast<std::uint16_t>(std::min<std::uint32_t>(d.first_word, index / 64));
  if (d.free_blocks++ == 0) link(slab);
  // An empty slab is kept while it is the only one with free blocks, so that a program that allocates
  // and frees one block does not build and drop a slab each time.
  if (d.free_blocks == geometry.blocks && (d.next != no_unit || d.previous != no_unit)) drop_slab(slab);
}

void bin::put(void* const* blocks, std::uint32_t count) noexcept {
  const std::lock_guard lock(mutex_);
  const std::uint64_t& used_blocks = metadata_.header().used_blocks[size_class_];
  const std::uint64_t before = used_blocks;
  for (std::uint32_t i = 0; i < count; ++i) put_one(blocks[i]);
  allowance_->give_back((before - used_blocks) * slab_geometries[size_class_].block_size);
}

void* bin::move_to_denser(void* block) noexcept {
  // Few slabs, as every call looks at them; a fuller one that is found comes to the front, so that later
  // calls see it.
  constexpr int most_tries = 8;
  const slab_geometry& geometry = slab_geometries[size_class_];
  const std::lock_guard lock(mutex_);
  heap_header& header = metadata_.header();
  const unit_index own = metadata_.slab_of(metadata_.unit_of(block));
  const auto free_blocks = [this](unit_index slab) { return metadata_.unit(slab).free_blocks; };
  if (free_blocks(own) == 0) return nullptr;
  unit_index fullest = own;
  int tries = 0;
  for (unit_index slab = header.partial_slabs[size_class_]; slab != no_unit && tries < most_tries;
       slab = metadata_.unit(slab).next, ++tries)
    // A slab that is as full as the block's own will do: it is the fuller one afterwards.
    if (free_blocks(slab) < free_blocks(fullest) || (fullest == own && free_blocks(slab) == free_blocks(own)))
      fullest = slab;
  if (header.partial_slabs[size_class_] != fullest) {
    unlink(fullest);
    link(fullest);
  }
  if (fullest == own) return nullptr;
  unit_descriptor& d = metadata_.unit(fullest);
  std::uint64_t* const bitmap = metadata_.bitmap(fullest, geometry);
  std::uint32_t w = d.first_word;
  while (bitmap[w] == 0) ++w;
  const auto bit = static_cast<unsigned>(std::countr_zero(bitmap[w]));
  bitmap[w] &= bitmap[w] - 1;
  d.first_word = static_cast<std::uint16_t>(w);
  ++header.used_blocks[size_class_];
  if (--d.free_blocks == 0) unlink(fullest);
  void* const moved = metadata_.address(fullest) + std::size_t{w * 64 + bit} * geometry.block_size;
  std::memcpy(moved, block, geometry.block_size);
  put_one(block);
  return moved;
}

bool bin::is_used(const void* block) noexcept {
  const slab_geometry& geometry = slab_geometries[size_class_];
  const std::lock_guard lock(mutex_);
  const unit_index slab = metadata_.slab_of(metadata_.unit_of(block));
  const auto offset =
      static_cast<std::uint64_t>(static_cast<const std::byte*>(block) - metadata_.address(slab));
  const auto index = static_cast<std::uint32_t>(offset / geometry.block_size);
  if (offset % geometry.block_size != 0 || index >= geometry.blocks) return false;
  return (metadata_.bitmap(slab, geometry)[index / 64] >> (index % 64) & 1) == 0;
}

}  // namespace perdure::detail
