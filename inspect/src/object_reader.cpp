#include <perdure/inspect/object_reader.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <perdure/type_stamp.hpp>
#include <string>
#include <string_view>

#include "type_names.hpp"

namespace perdure::cli {
namespace {

constexpr unsigned deepest_value = 64;
// Elements that a listing looks at in one object: some tenths of a second.
constexpr std::uint64_t most_looked_at = 2'000'000;
constexpr std::uint64_t most_shown = 200'000;
constexpr std::uint64_t group = 16;  // control bytes of a table that are probed at once
constexpr std::uint8_t control_is_absent = 2;
constexpr std::uint64_t mask_bits = (std::uint64_t{1} << 48) - 1;  // above them is the table's seed

/// The shortest digits that mean this number.
json shortest(float number) {
  std::array<char, 64> digits;
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  double same = 0;
  std::from_chars(digits.data(), written.ptr, same);
  return same;
}

}  // namespace

object_reader::object_reader(const manager& store, const object_info& object)
    : base_(store.memory().base()),
      size_(store.memory().stats().segment_bytes),
      offset_(object.offset()),
      length_(object.length()),
      types_(object),
      left_(0) {}

template <class T>
T object_reader::load(std::uint64_t offset) const noexcept {
  T value{};
  if (holds(offset, sizeof value)) std::memcpy(&value, base_ + offset, sizeof value);
  return value;
}

std::optional<object_reader::contents> object_reader::contents_of(const stored_type& type,
                                                                  std::uint64_t offset) const {
  const auto word = [&](std::uint64_t at) { return load<std::uint64_t>(offset + at); };
  contents inside;
  if (!type.parts.empty()) inside.element = type.parts[0].type;
  const std::uint64_t element = type.parts.empty() ? 1 : types_[inside.element].size;
  switch (type.form) {
    case type_form::array:
      inside.count = type.size / element;
      inside.first = offset;
      return inside;
    case type_form::vector:
    case type_form::boost_vector: {
      // The allocator, if it has any bytes, then three words.
      const std::uint64_t begin = type.size - 24;
      std::uint64_t capacity = word(begin + 16);
      inside.count = word(begin + 8);
      inside.first = type.form == type_form::vector ? offset + word(begin)
                                                    : target_of(type, offset + begin).value_or(offset);
      if (capacity == 0) inside.first = offset;
      if (inside.count > capacity || capacity > size_ / element) return std::nullopt;
      inside.bytes = capacity * element;
      inside.begin = inside.first;
      if (!holds(inside.first, inside.bytes)) return std::nullopt;
      return inside;
    }
    case type_form::string: {
      const std::uint64_t begin = type.size - 24;
      const std::uint64_t capacity = word(begin + 16);
      if (capacity >> 63 == 0) {
        inside.count = load<std::uint8_t>(offset + begin + 23);
        inside.first = offset + begin;
        return inside.count > 22 ? std::nullopt : std::optional(inside);
      }
      inside.count = word(begin + 8);
      inside.first = offset + word(begin);
      inside.bytes = (capacity & ~(std::uint64_t{1} << 63)) + 1;
      inside.begin = inside.first;
      if (inside.bytes > size_ || inside.count >= inside.bytes || !holds(inside.first, inside.bytes))
        return std::nullopt;
      return inside;
    }
    case type_form::table: {
      inside.count = word(0);
      if (word(16) == 0) return inside.count != 0 ? std::nullopt : std::optional(inside);
      inside.first = offset + word(16);
      const std::uint64_t mask = word(24) & mask_bits;
      if (mask % group != 0 || mask > size_ || !holds(inside.first, mask + group)) return std::nullopt;
      inside.slots = mask + group - 1;
      for (std::uint64_t i = 0; mask == 0 && i < group; ++i)
        if (load<std::uint8_t>(inside.first + i) == control_is_absent)
          inside.slots = std::min(inside.slots, i);
      if (inside.slots > inside.first / element || inside.count > inside.slots) return std::nullopt;
      inside.begin = inside.first - inside.slots * element;
      inside.bytes = inside.slots * element + mask + group;
      return inside;
    }
    case type_form::std_vector:
      return contents_of_std_vector(type, inside, offset);
    case type_form::boost_string:
      return contents_of_boost_string(type, inside, offset);
    case type_form::std_string:
      return contents_of_std_string(type, inside, offset);
    case type_form::deque:
    case type_form::counted: {
      const auto number = type.form == type_form::deque ? number_in_deque(type, offset, element)
                                                        : std::optional(word(type.number_at));
      if (!number || *number > size_ / element) return std::nullopt;
      inside.count = *number;
      return inside;
    }
    default:
      return std::nullopt;
  }
}

/// The allocator, then the beginning, the end, and the end of what is allocated.
std::optional<object_reader::contents> object_reader::contents_of_std_vector(const stored_type& type,
                                                                             contents inside,
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
std::optional<object_reader::contents> object_reader::contents_of_boost_string(const stored_type& type,
                                                                               contents inside,
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
std::optional<object_reader::contents> object_reader::contents_of_std_string(const stored_type& type,
                                                                             contents inside,
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

/// Of Boost and libstdc++: two iterators of four pointers each, to the element, to the beginning and the end
/// of its block, and to the block's place in a table of blocks.
std::optional<std::uint64_t> object_reader::number_in_deque(const stored_type& type, std::uint64_t offset,
                                                            std::uint64_t element) const {
  std::array<std::uint64_t, 8> places{};
  std::size_t nulls = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto place = target_of(type, offset + type.number_at + 8 * i);
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

std::optional<std::uint64_t> object_reader::target_of(const stored_type& type,
                                                      std::uint64_t offset) const noexcept {
  const auto held = load<std::uint64_t>(offset);
  if (held == 0) return std::nullopt;
  return type.holds_addresses ? held - reinterpret_cast<std::uintptr_t>(base_) : offset + held + 1;
}

bool object_reader::may_look_on() const noexcept {
  if (left_ == 0) return false;
  --left_;
  return true;
}

template <class Visit>
void object_reader::each_element(const stored_type& type, const contents& inside, Visit&& visit) const {
  const std::uint64_t element = types_[inside.element].size;
  if (type.form != type_form::table) {
    for (std::uint64_t i = 0; i < inside.count; ++i)
      if (!visit(inside.first + i * element)) return;
    return;
  }
  for (std::uint64_t i = 0; i < inside.slots; ++i) {
    if (i % 64 == 63 && !may_look_on()) return;
    if (load<std::uint8_t>(inside.first + i) >= 0x80 && !visit(inside.first - (i + 1) * element)) return;
  }
}

object_extent object_reader::extent() const {
  left_ = most_looked_at;
  return measure_all([](std::uint64_t, std::uint64_t) {});
}

object_extent object_reader::each_block(const block_visitor& visit) const {
  left_ = size_;
  return measure_all(visit);
}

object_extent object_reader::measure_all(const block_visitor& visit) const {
  const stored_type& type = types_[0];
  object_extent extent;
  extent.bytes = length_ * type.size;
  visit(offset_, extent.bytes);
  if (length_ != 1) {
    extent.elements = length_;
  } else if (const auto inside = contents_of(type, offset_)) {
    extent.elements = inside->count;
  }
  if (!type.points_elsewhere) return extent;
  for (std::uint64_t i = 0; i < length_ && !extent.is_damaged && left_ != 0; ++i)
    measure(type, offset_ + i * type.size, 0, extent, visit);
  if (left_ == 0) extent.is_all = false;
  return extent;
}

void object_reader::measure(const stored_type& type, std::uint64_t offset, unsigned depth,
                            object_extent& extent, const block_visitor& visit) const {
  if (!type.points_elsewhere || extent.is_damaged || !may_look_on()) return;
  // Nothing is in more than one place, so no more can be found than there is.
  if (extent.bytes > size_ || depth == deepest_value) {
    extent.is_damaged = true;
    return;
  }
  if (type.form == type_form::unknown) {
    extent.is_all = false;
  } else if (type.form == type_form::aggregate || type.form == type_form::tuple) {
    for (const stored_type::part& one : type.parts)
      measure(types_[one.type], offset + one.offset, depth + 1, extent, visit);
  } else if (type.form == type_form::optional) {
    const stored_type& inside = types_[type.parts[0].type];
    if (load<std::uint8_t>(offset + inside.size) != 0) measure(inside, offset, depth + 1, extent, visit);
  } else if (const auto inside = contents_of(type, offset)) {
    extent.bytes += inside->bytes;
    if (inside->bytes != 0) visit(inside->begin, inside->bytes);
    if (is_only_counted(type.form)) extent.is_all = false;
    if (is_only_counted(type.form) || is_string(type.form) || !types_[inside->element].points_elsewhere)
      return;
    each_element(type, *inside, [&](std::uint64_t element) {
      measure(types_[inside->element], element, depth + 1, extent, visit);
      return !extent.is_damaged && left_ != 0;
    });
  } else {
    extent.is_damaged = true;
  }
}

json object_reader::unknown(const stored_type& type) const {
  return {{"bytes", type.size}, {"type", printable_name(short_type_name(demangle(type.name)))}};
}

json object_reader::list(const stored_type& type, const contents& inside, std::uint64_t limit,
                         unsigned depth) const {
  json all = json::array();
  each_element(type, inside, [&](std::uint64_t element) {
    if (all.size() == limit) return false;
    all.push_back(value(types_[inside.element], element, limit, depth + 1));
    return all.size() < limit;
  });
  return all;
}

json object_reader::value(const stored_type& type, std::uint64_t offset, std::uint64_t limit,
                          unsigned depth) const {
  if (!holds(offset, type.size) || depth == deepest_value) return {{"damaged", true}};
  if (!may_look_on()) return {{"more", 1}};
  switch (type.form) {
    case type_form::boolean:
      return load<std::uint8_t>(offset) != 0;
    case type_form::character:
      return std::string(1, load<char>(offset));
    case type_form::signed_integer: {
      if (type.size == 1) return load<std::int8_t>(offset);
      if (type.size == 2) return load<std::int16_t>(offset);
      if (type.size == 4) return load<std::int32_t>(offset);
      return load<std::int64_t>(offset);
    }
    case type_form::unsigned_integer: {
      if (type.size == 1) return load<std::uint8_t>(offset);
      if (type.size == 2) return load<std::uint16_t>(offset);
      if (type.size == 4) return load<std::uint32_t>(offset);
      return load<std::uint64_t>(offset);
    }
    case type_form::floating:
      return type.size == sizeof(float) ? shortest(load<float>(offset)) : json(load<double>(offset));
    case type_form::enumeration:
      return value(types_[type.parts[0].type], offset, limit, depth + 1);
    case type_form::aggregate: {
      json members = json::object();
      for (const stored_type::part& one : type.parts)
        members[one.label.substr(1)] = value(types_[one.type], offset + one.offset, limit, depth + 1);
      return members;
    }
    case type_form::tuple: {
      json members = json::array();
      for (const stored_type::part& one : type.parts)
        members.push_back(value(types_[one.type], offset + one.offset, limit, depth + 1));
      return members;
    }
    case type_form::optional: {
      const stored_type& held = types_[type.parts[0].type];
      return load<std::uint8_t>(offset + held.size) == 0 ? json(nullptr)
                                                         : value(held, offset, limit, depth + 1);
    }
    case type_form::array:
      if (types_[type.parts[0].type].form == type_form::character) {
        const auto* const text = reinterpret_cast<const char*>(base_ + offset);
        return std::string(text, ::strnlen(text, type.size));
      }
      break;
    case type_form::unknown:
      return unknown(type);
    default:
      break;
  }
  const std::optional<contents> inside = contents_of(type, offset);
  if (!inside) return {{"damaged", true}};
  if (is_only_counted(type.form)) {
    json summary = unknown(type);
    summary["elements"] = inside->count;
    return summary;
  }
  if (is_string(type.form)) {
    constexpr std::uint64_t longest = 4096;
    std::string text(reinterpret_cast<const char*>(base_ + inside->first), std::min(inside->count, longest));
    return inside->count > longest ? text + "…" : text;
  }
  json all = list(type, *inside, limit, depth);
  if (all.size() < inside->count) all.push_back({{"more", inside->count - all.size()}});
  return all;
}

bool object_reader::reads_elements() const noexcept {
  return length_ != 1 || !is_only_counted(types_[0].form);
}

json object_reader::values(std::uint64_t limit) const {
  left_ = most_shown;
  const stored_type& type = types_[0];
  if (length_ == 1 && !is_string(type.form) && reads_elements()) {
    if (const std::optional<contents> inside = contents_of(type, offset_))
      return list(type, *inside, limit, 0);
  }
  json all = json::array();
  for (std::uint64_t i = 0; i < std::min(length_, limit); ++i)
    all.push_back(value(type, offset_ + i * type.size, limit, 0));
  return all;
}

}  // namespace perdure::cli
