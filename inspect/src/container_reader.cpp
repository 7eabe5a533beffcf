// Finds the memory of containers.
#include "container_reader.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace perdure::inspect {
namespace {

constexpr std::uint64_t group = 16;  // control bytes of a table that are probed at once
constexpr std::uint8_t control_is_absent = 2;
constexpr std::uint64_t mask_bits = (std::uint64_t{1} << 48) - 1;  // above them is the table's seed

}  // namespace

std::optional<std::uint64_t> container_reader::target_of(const stored_type& type,
                                                         std::uint64_t offset) const noexcept {
  const auto held = load<std::uint64_t>(offset);
  if (held == 0) return std::nullopt;
  return type.pointers == pointer_form::address ? held - reinterpret_cast<std::uintptr_t>(base_)
                                                : offset + held + 1;
}

std::optional<container_contents> container_reader::contents_of(const stored_type& type,
                                                                std::uint64_t offset) const {
  container_contents inside;
  if (!type.parts.empty()) inside.element = type.parts[0].type;
  switch (type.form) {
    case type_form::elements:
      inside.count = type.size / size_of_element(type);
      inside.first = offset;
      return inside;
    case type_form::array:
      return contents_of_array(type, inside, offset);
    case type_form::string:
      return contents_of_string(type, inside, offset);
    case type_form::table:
      return contents_of_table(type, inside, offset);
    case type_form::std_vector:
      return contents_of_std_vector(type, inside, offset);
    case type_form::boost_string:
      return contents_of_boost_string(type, inside, offset);
    case type_form::std_string:
      return contents_of_std_string(type, inside, offset);
    case type_form::deque:
    case type_form::counted: {
      const std::uint64_t element = size_of_element(type);
      const auto number = type.form == type_form::deque
                              ? number_in_deque(type, offset, element)
                              : std::optional(load<std::uint64_t>(offset + type.places[0]));
      if (!number || *number > size_ / element) return std::nullopt;
      inside.count = *number;
      return inside;
    }
    default:
      return std::nullopt;
  }
}

std::optional<container_contents> container_reader::contents_of_array(const stored_type& type,
                                                                      container_contents inside,
                                                                      std::uint64_t offset) const {
  const std::uint64_t element = size_of_element(type);
  inside.count = load<std::uint64_t>(offset + type.places[1]);
  const auto capacity = load<std::uint64_t>(offset + type.places[2]);
  inside.first = type.pointers == pointer_form::distance_from_object
                     ? offset + load<std::uint64_t>(offset + type.places[0])
                     : target_of(type, offset + type.places[0]).value_or(offset);
  if (capacity == 0) inside.first = offset;
  if (inside.count > capacity || capacity > size_ / element) return std::nullopt;
  inside.bytes = capacity * element;
  inside.begin = inside.first;
  return holds(inside.first, inside.bytes) ? std::optional(inside) : std::nullopt;
}

/// `perdure::basic_string`: the last byte is the number of characters, which are in the object; or its top
/// bit is set, and the words are the distance from the object, the number, and what is allocated.
std::optional<container_contents> container_reader::contents_of_string(const stored_type& type,
                                                                       container_contents inside,
                                                                       std::uint64_t offset) const {
  const std::uint64_t begin = offset + type.places[0];
  const auto capacity = load<std::uint64_t>(begin + 16);
  if (capacity >> 63 == 0) {
    inside.count = load<std::uint8_t>(begin + 23);
    inside.first = begin;
    return inside.count > 22 ? std::nullopt : std::optional(inside);
  }
  inside.count = load<std::uint64_t>(begin + 8);
  inside.first = offset + load<std::uint64_t>(begin);
  inside.bytes = (capacity & ~(std::uint64_t{1} << 63)) + 1;
  inside.begin = inside.first;
  if (inside.bytes > size_ || inside.count >= inside.bytes || !holds(inside.first, inside.bytes))
    return std::nullopt;
  return inside;
}

/// `perdure::flat_map` and `flat_set`: the control bytes, before them the elements, the first one last.
std::optional<container_contents> container_reader::contents_of_table(const stored_type& type,
                                                                      container_contents inside,
                                                                      std::uint64_t offset) const {
  const std::uint64_t element = size_of_element(type);
  inside.count = load<std::uint64_t>(offset + type.places[0]);
  const auto distance = load<std::uint64_t>(offset + type.places[1]);
  if (distance == 0) return inside.count != 0 ? std::nullopt : std::optional(inside);
  inside.first = offset + type.places[0] + distance;
  const std::uint64_t mask = load<std::uint64_t>(offset + type.places[2]) & mask_bits;
  if (mask % group != 0 || mask > size_ || !holds(inside.first, mask + group)) return std::nullopt;
  inside.slots = mask + group - 1;
  for (std::uint64_t i = 0; mask == 0 && i < group; ++i)
    if (load<std::uint8_t>(inside.first + i) == control_is_absent) inside.slots = std::min(inside.slots, i);
  if (inside.slots > inside.first / element || inside.count > inside.slots) return std::nullopt;
  inside.begin = inside.first - inside.slots * element;
  inside.bytes = inside.slots * element + mask + group;
  return inside;
}

/// The allocator, then the beginning, the end, and the end of what is allocated.
std::optional<container_contents> container_reader::contents_of_std_vector(const stored_type& type,
                                                                           container_contents inside,
                                                                           std::uint64_t offset) const {
  const auto begin = target_of(type, offset + 8);
  const auto end = target_of(type, offset + 16);
  const auto limit = target_of(type, offset + 24);
  if (!begin && !end && !limit) return inside;
  const std::uint64_t element = types_[inside.element].size;
  if (!begin || !end || !limit || *end < *begin || *limit < *end || (*end - *begin) % element != 0)
    return std::nullopt;
  inside.count = (*end - *begin) / element;
  inside.first = inside.begin = *begin;
  inside.bytes = *limit - *begin;
  return holds(inside.begin, inside.bytes) ? std::optional(inside) : std::nullopt;
}

/// The allocator, then either up to 22 characters behind a byte with their number, or the number, what is
/// allocated, and a pointer. The lowest bit of the number tells which.
std::optional<container_contents> container_reader::contents_of_boost_string(const stored_type& type,
                                                                             container_contents inside,
                                                                             std::uint64_t offset) const {
  const std::uint64_t begin = offset + 8;
  const auto short_number = load<std::uint8_t>(begin);
  if ((short_number & 1U) != 0) {
    inside.count = short_number >> 1U;
    inside.first = begin + 1;
    return inside.count > 22 ? std::nullopt : std::optional(inside);
  }
  inside.count = load<std::uint64_t>(begin) >> 1U;
  inside.bytes = load<std::uint64_t>(begin + 8);
  inside.first = inside.begin = target_of(type, begin + 16).value_or(size_);
  return inside.count < inside.bytes && holds(inside.begin, inside.bytes) ? std::optional(inside)
                                                                          : std::nullopt;
}

/// The allocator, a pointer, the number of characters, and either 16 of them or what is allocated.
std::optional<container_contents> container_reader::contents_of_std_string(const stored_type& type,
                                                                           container_contents inside,
                                                                           std::uint64_t offset) const {
  const std::uint64_t own = offset + 24;
  inside.count = load<std::uint64_t>(offset + 16);
  inside.first = target_of(type, offset + 8).value_or(size_);
  if (inside.first == own) return inside.count > 15 ? std::nullopt : std::optional(inside);
  inside.begin = inside.first;
  const auto capacity = load<std::uint64_t>(own);
  if (capacity >= size_ || inside.count > capacity) return std::nullopt;
  inside.bytes = capacity + 1;
  return holds(inside.begin, inside.bytes) ? std::optional(inside) : std::nullopt;
}

/// Finds the number of an element in a deque of Boost or libstdc++. An iterator has four pointers: to the
/// element, the beginning and the end of its block, and to the block's place in a table of blocks.
std::optional<std::uint64_t> container_reader::number_in_deque(const stored_type& type, std::uint64_t offset,
                                                               std::uint64_t element) const {
  std::array<std::uint64_t, 8> places{};
  std::size_t nulls = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto place = target_of(type, offset + type.places[0] + 8 * i);
    nulls += place ? 0U : 1U;
    places[i] = place.value_or(0);
  }
  if (nulls == places.size()) return 0;
  const auto [first, first_begin, first_end, first_block, last, last_begin, last_end, last_block] = places;
  const std::uint64_t block = first_end - first_begin;
  if (nulls != 0 || first < first_begin || first > first_end || last < last_begin || last > last_end ||
      last_end - last_begin != block || block > size_ || block % element != 0 || last_block < first_block ||
      last_block - first_block > size_)
    return std::nullopt;
  const std::uint64_t blocks = (last_block - first_block) / 8;
  if (blocks == 0) return last < first ? std::nullopt : std::optional((last - first) / element);
  if (block != 0 && blocks > size_ / block) return std::nullopt;
  return ((blocks - 1) * block + (first_end - first) + (last - last_begin)) / element;
}

}  // namespace perdure::inspect
