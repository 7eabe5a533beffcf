// Hands out runs of units, and finds free ones whose memory can be given back.
#include "heap/run_allocator.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "perdure/error.hpp"

namespace perdure::detail {

unsigned run_allocator::list_of(std::uint32_t units) noexcept {
  if (units < 16) return units;
  const unsigned top = static_cast<unsigned>(std::bit_width(units)) - 1;
  return 16 + (top - 4) * 8 + ((units >> (top - 3)) & 7);
}

void run_allocator::link(unit_index first, std::uint32_t units, idle_state idle) noexcept {
  heap_header& header = metadata_.header();
  const unsigned list = list_of(units);
  unit_descriptor& run = metadata_.unit(first);
  if (units > 1) {
    unit_descriptor& tail = metadata_.unit(first + units - 1);
    tail.kind = unit_kind::free_tail;
    tail.length = units - 1;
  }
  run.kind = unit_kind::free_run;
  run.length = units;
  run.idle = idle;
  run.previous = no_unit;
  run.next = header.run_lists[list];
  if (run.next != no_unit) metadata_.unit(run.next).previous = first;
  header.run_lists[list] = first;
  header.run_list_bits[list / 64] |= std::uint64_t{1} << (list % 64);
  header.free_units += units;
}

void run_allocator::unlink(unit_index first) noexcept {
  heap_header& header = metadata_.header();
  unit_descriptor& run = metadata_.unit(first);
  const unsigned list = list_of(run.length);
  if (run.previous != no_unit)
    metadata_.unit(run.previous).next = run.next;
  else
    header.run_lists[list] = run.next;
  if (run.next != no_unit) metadata_.unit(run.next).previous = run.previous;
  if (header.run_lists[list] == no_unit)
    header.run_list_bits[list / 64] &= ~(std::uint64_t{1} << (list % 64));
  header.free_units -= run.length;
}

unit_index run_allocator::find_fit(std::uint32_t units) const noexcept {
  const heap_header& header = metadata_.header();
  const unsigned list = list_of(units);
  // Lists of 32 units and more mix lengths, so the first few of the run's own list may be too short.
  unit_index candidate = header.run_lists[list];
  for (int tries = 0; candidate != no_unit && tries < 4; ++tries) {
    const unit_descriptor& run = metadata_.unit(candidate);
    if (run.length >= units) return candidate;
    candidate = run.next;
  }
  for (unsigned next = list + 1; next < run_list_count;) {
    const std::uint64_t bits = header.run_list_bits[next / 64] >> (next % 64);
    if (bits != 0) return header.run_lists[next + static_cast<unsigned>(std::countr_zero(bits))];
    next = (next / 64 + 1) * 64;
  }
  return no_unit;
}

void run_allocator::make_accessible(unit_index first, std::uint32_t units) {
  const std::size_t end = (std::size_t{first} + units) * unit_size;
  if (end > memory_.size()) memory_.grow(std::min(memory_.capacity(), end));
  if (memory_.commits_on_use()) commit(std::size_t{first} * unit_size, end, page_role::data);
  zone_header& zone = metadata_.zone(first / units_per_zone);
  zone.frontier = std::max(zone.frontier, first % units_per_zone + units);
}

void run_allocator::commit(std::size_t begin, std::size_t end, page_role role) {
  const std::uint64_t first = begin / page_size;
  memory_.commit({first, (std::min(end, memory_.capacity()) + page_size - 1) / page_size - first}, role);
}

unit_index run_allocator::take(unit_index run, std::uint32_t skip, std::uint32_t units) {
  make_accessible(run + skip, units);
  const unit_descriptor found = metadata_.unit(run);
  unlink(run);
  if (skip != 0) link(run, skip, found.idle);
  if (found.length > skip + units) link(run + skip + units, found.length - skip - units, found.idle);
  return run + skip;
}

unit_index run_allocator::allocate(std::uint32_t units, std::uint32_t alignment_units) {
  const std::uint32_t sought = units + alignment_units - 1;
  unit_index run = find_fit(sought);
  if (run == no_unit) {
    if (!add_zone()) throw std::bad_alloc();
    run = find_fit(sought);
    if (run == no_unit) throw std::bad_alloc();
  }
  const std::uint32_t skip = (alignment_units - run % alignment_units) % alignment_units;
  return take(run, skip, units);
}

void run_allocator::release(unit_index first, std::uint32_t units) {
  recent_.note(first, units);
  const unit_index zone_start = first - first % units_per_zone;
  const unit_index zone_end = zone_start + metadata_.zone(first / units_per_zone).end_unit;
  idle_state idle = idle_state::fresh;
  if (first + units < zone_end && metadata_.unit(first + units).kind == unit_kind::free_run) {
    const std::uint32_t right = metadata_.unit(first + units).length;
    unlink(first + units);
    units += right;
  }
  if (first > zone_start + first_data_unit) {
    const unit_descriptor& left = metadata_.unit(first - 1);
    if (left.kind == unit_kind::free_run || left.kind == unit_kind::free_tail) {
      const unit_index start = left.kind == unit_kind::free_run ? first - 1 : first - 1 - left.length;
      const std::uint32_t length = metadata_.unit(start).length;
      unlink(start);
      first = start;
      units += length;
    }
  }
  link(first, units, idle);
}

bool run_allocator::extend(unit_index first, std::uint32_t units, std::uint32_t new_units) {
  const unit_index right = first + units;
  if (units_to_zone_end(first) < new_units || metadata_.unit(right).kind != unit_kind::free_run) return false;
  const std::uint32_t wanted = new_units - units;
  if (metadata_.unit(right).length < wanted) return false;
  try {
    take(right, 0, wanted);
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

bool run_allocator::add_zone() {
  heap_header& header = metadata_.header();
  for (std::size_t z = 0; z < header.zone_count; ++z) {
    if (is_vacant(header.zones[z])) {
      start_zone(z, true);
      return true;
    }
  }
  const std::size_t next = header.zone_count;
  if (next >= max_zones || next * zone_size + data_offset + unit_size > memory_.capacity()) return false;
  const std::size_t metadata_end = next * zone_size + data_offset;
  if (metadata_end > memory_.size()) memory_.grow(metadata_end);
  start_zone(next, true);
  header.zone_count = static_cast<std::uint32_t>(next + 1);
  return true;
}

void run_allocator::start_zone(std::size_t z, bool as_free_run) {
  heap_header& header = metadata_.header();
  std::byte* start = metadata_.base() + z * zone_size;
  if (memory_.commits_on_use()) commit(z * zone_size, z * zone_size + data_offset, page_role::bookkeeping);
  // A zone that was the middle of a huge block holds the block's bytes where its metadata must be.
  if (is_vacant(header.zones[z]))
    std::memset(start + zone_header_offset, 0, data_offset - zone_header_offset);
  const std::size_t room = std::min(memory_.capacity() - z * zone_size, zone_size);
  metadata_.zone(z).end_unit = static_cast<std::uint32_t>(room / unit_size);
  metadata_.zone(z).frontier = first_data_unit;
  if (!as_free_run) return;
  header.zones[z] = zone_kind::runs;
  link(static_cast<unit_index>(z * units_per_zone + first_data_unit),
       metadata_.zone(z).end_unit - first_data_unit, idle_state::released);
}

unit_index run_allocator::allocate_huge(std::size_t bytes) {
  heap_header& header = metadata_.header();
  if (bytes > memory_.capacity()) throw std::bad_alloc();
  const std::size_t zones = (data_offset + bytes + zone_size - 1) / zone_size;
  // Vacant zones in a row first, else new ones at the end (which may begin with vacant ones).
  std::size_t start = 0, length = 0;
  for (std::size_t z = 0; z < header.zone_count && length < zones; ++z) {
    if (!is_vacant(header.zones[z])) {
      length = 0;
      start = z + 1;
    } else {
      ++length;
    }
  }
  const std::size_t end = start * zone_size + data_offset + bytes;
  if (start + zones > max_zones || end > memory_.capacity()) throw std::bad_alloc();
  if (end > memory_.size()) memory_.grow(end);
  start_zone(start, false);
  if (memory_.commits_on_use()) commit(start * zone_size + data_offset, end, page_role::data);
  header.zones[start] = zone_kind::huge;
  for (std::size_t z = 1; z < zones; ++z) header.zones[start + z] = zone_kind::huge_rest;
  header.zone_count = std::max(header.zone_count, static_cast<std::uint32_t>(start + zones));
  const auto first = static_cast<unit_index>(start * units_per_zone + first_data_unit);
  metadata_.zone(start).frontier = units_per_zone;
  return first;
}

void run_allocator::release_huge(unit_index first) {
  heap_header& header = metadata_.header();
  std::size_t z = first / units_per_zone;
  header.zones[z] = zone_kind::vacant;
  for (++z; z < header.zone_count && header.zones[z] == zone_kind::huge_rest; ++z)
    header.zones[z] = zone_kind::vacant;
}

bool run_allocator::is_free_run(unit_index first, unsigned list) const noexcept {
  const heap_header& header = metadata_.header();
  const std::size_t z = first / units_per_zone;
  if (z >= header.zone_count || header.zones[z] != zone_kind::runs) return false;
  if (!metadata::is_held(z, memory_.size())) return false;
  const std::uint32_t within = first % units_per_zone;
  const std::uint32_t end = std::min(metadata_.zone(z).end_unit, units_per_zone);
  const unit_descriptor& run = metadata_.unit(first);
  return within >= first_data_unit && within < end && run.kind == unit_kind::free_run &&
         run.length <= end - within && list_of(run.length) == list;
}

// Calls `visit` for each free run of a chunk or longer.
template <class Visit>
void run_allocator::visit_unreleased_runs(Visit&& visit) {
  const heap_header& header = metadata_.header();
  // There is room for no more runs of that length than this: a list that is longer goes in a circle.
  std::uint64_t most = std::uint64_t{header.zone_count} * (units_per_zone / units_per_chunk);
  for (unsigned list = list_of(units_per_chunk); list < run_list_count; ++list) {
    for (unit_index first = header.run_lists[list]; first != no_unit; first = metadata_.unit(first).next) {
      if (most-- == 0 || !is_free_run(first, list))
        throw error(errc::damaged,
                    "the heap's lists of free runs are damaged; restore the store from a copy");
      unit_descriptor& run = metadata_.unit(first);
      if (run.idle != idle_state::released) visit(first, run);
    }
  }
}

// Adds the whole chunks of [begin, end), which is part of the free run at `first`, to those to be given back.
void run_allocator::give_back(unit_index first, unit_index begin, unit_index end,
                              std::vector<page_run>& chunks) {
  constexpr std::uint64_t pages_per_unit = unit_size / page_size;
  const auto held = static_cast<unit_index>(memory_.size() / unit_size);
  const std::size_t z = first / units_per_zone;
  const auto zone_start = static_cast<unit_index>(z * units_per_zone);
  const unit_index used_end = std::min(zone_start + metadata_.zone(z).frontier, held);
  begin = (begin + units_per_chunk - 1) / units_per_chunk * units_per_chunk;
  // Nothing from the frontier on was ever used, so a last chunk that reaches past it counts as whole.
  const unit_index end_of_used_chunks = (used_end + units_per_chunk - 1) / units_per_chunk * units_per_chunk;
  const unit_index end_of_chunks = std::min(end, end_of_used_chunks) / units_per_chunk * units_per_chunk;
  if (begin >= end_of_chunks) return;
  if (end >= used_end) metadata_.zone(z).frontier = begin - zone_start;
  chunks.push_back({begin * pages_per_unit, (end_of_chunks - begin) * pages_per_unit});
}

void run_allocator::take_vacant_zones(std::vector<page_run>& chunks) {
  heap_header& header = metadata_.header();
  for (std::size_t z = 0; z < header.zone_count; ++z) {
    if (header.zones[z] != zone_kind::vacant) continue;
    header.zones[z] = zone_kind::vacant_released;
    const std::size_t end = std::min((z + 1) * zone_size, memory_.size());
    if (end > z * zone_size) chunks.push_back({z * zone_size / page_size, (end - z * zone_size) / page_size});
  }
}

std::vector<page_run> run_allocator::take_idle_chunks() {
  std::vector<page_run> chunks;
  visit_unreleased_runs([&](unit_index first, unit_descriptor& run) {
    if (run.idle == idle_state::fresh) {
      run.idle = idle_state::seen;
      return;
    }
    run.idle = idle_state::released;
    give_back(first, first, first + run.length, chunks);
  });
  take_vacant_zones(chunks);
  return chunks;
}

std::vector<page_run> run_allocator::take_idle_parts() {
  std::vector<page_run> chunks;
  const std::span<const released_run> recent = recent_.take();
  visit_unreleased_runs([&](unit_index first, unit_descriptor& run) {
    const unit_index end = first + run.length;
    run.idle = idle_state::released;
    unit_index idle_begin = first;
    for (const released_run& kept : recent) {
      const unit_index kept_end = kept.first + kept.units;
      if (kept_end <= idle_begin || kept.first >= end) continue;
      run.idle = idle_state::fresh;
      if (kept.first > idle_begin) give_back(first, idle_begin, kept.first, chunks);
      idle_begin = kept_end;
    }
    if (idle_begin < end) give_back(first, idle_begin, end, chunks);
  });
  take_vacant_zones(chunks);
  return chunks;
}

}  // namespace perdure::detail
