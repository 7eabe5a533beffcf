// Reads the bytes of stored objects.
#include "perdure/inspect/object_reader.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <perdure/type_stamp.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "container_reader.hpp"
#include "stored_types.hpp"

namespace perdure::inspect {
namespace {

constexpr unsigned deepest_value = 64;
// Elements that a listing looks at in one object: some tenths of a second.
constexpr std::uint64_t most_looked_at = 2'000'000;
constexpr std::uint64_t most_shown = 200'000;

}  // namespace

class object_reader::state {
 public:
  state(const manager& store, const object_info& object)
      : offset_(object.offset()),
        length_(object.length()),
        types_(object),
        bytes_(store.memory().base(), store.memory().stats().segment_bytes, types_) {}

  object_extent extent() {
    left_ = most_looked_at;
    return measure_all([](std::uint64_t, std::uint64_t) {});
  }
  object_extent each_block(const block_visitor& visit) {
    left_ = bytes_.size();
    return measure_all(visit);
  }
  std::vector<value> values(std::uint64_t limit);
  bool reads_elements() const noexcept {
    return length_ != 1 || !is_only_counted(shown(types_[0], offset_).first.form);
  }

 private:
  /// Returns the type as which this one is listed, and where.
  std::pair<const stored_type&, std::uint64_t> shown(const stored_type& type,
                                                     std::uint64_t offset) const noexcept {
    const stored_type* one = &type;
    for (unsigned depth = 0; one->form == type_form::same && depth < deepest_value; ++depth) {
      offset += one->parts[0].offset;
      one = &types_[one->parts[0].type];
    }
    return {*one, offset};
  }
  bool may_look_on() noexcept {
    if (left_ == 0) return false;
    --left_;
    return true;
  }
  /// Calls `visit(offset)` for elements until it returns false.
  template <class Visit>
  void each_element(const stored_type& type, const container_contents& inside, Visit&& visit);

  object_extent measure_all(const block_visitor& visit);
  void measure(const stored_type& type, std::uint64_t offset, unsigned depth, object_extent& extent,
               const block_visitor& visit);
  value read(const stored_type& type, std::uint64_t offset, std::uint64_t limit, unsigned depth);
  value read_number(const stored_type& type, std::uint64_t offset) const;
  value read_container(const stored_type& type, std::uint64_t offset, std::uint64_t limit, unsigned depth);
  std::vector<value> elements_of(const stored_type& type, const container_contents& inside,
                                 std::uint64_t limit, unsigned depth);
  static value::opaque opaque_of(const stored_type& type) {
    return {short_type_name(demangle(type.name)), type.size, std::nullopt};
  }

  std::uint64_t offset_;
  std::uint64_t length_;
  stored_types types_;
  container_reader bytes_;
  std::uint64_t left_ = 0;  // of what may be looked at: damage must not make it without end
};

object_reader::object_reader(const manager& store, const object_info& object)
    : state_(std::make_unique<state>(store, object)) {}
object_reader::object_reader(object_reader&&) noexcept = default;
object_reader& object_reader::operator=(object_reader&&) noexcept = default;
object_reader::~object_reader() = default;

object_extent object_reader::extent() const {
  return state_->extent();
}
object_extent object_reader::each_block(const block_visitor& visit) const {
  return state_->each_block(visit);
}
std::vector<value> object_reader::values(std::uint64_t limit) const {
  return state_->values(limit);
}
bool object_reader::reads_elements() const noexcept {
  return state_->reads_elements();
}

template <class Visit>
void object_reader::state::each_element(const stored_type& type, const container_contents& inside,
                                        Visit&& visit) {
  const std::uint64_t element = types_[inside.element].size;
  if (type.form != type_form::table) {
    for (std::uint64_t i = 0; i < inside.count; ++i)
      if (!visit(inside.first + i * element)) return;
    return;
  }
  for (std::uint64_t i = 0; i < inside.slots; ++i) {
    if (i % 64 == 63 && !may_look_on()) return;
    if (bytes_.load<std::uint8_t>(inside.first + i) >= 0x80 && !visit(inside.first - (i + 1) * element))
      return;
  }
}

object_extent object_reader::state::measure_all(const block_visitor& visit) {
  const stored_type& type = types_[0];
  object_extent extent;
  extent.bytes = length_ * type.size;
  visit(offset_, extent.bytes);
  if (length_ != 1) {
    extent.elements = length_;
  } else {
    const auto [container, offset] = shown(type, offset_);
    if (const auto inside = bytes_.contents_of(container, offset)) extent.elements = inside->count;
  }
  if (!type.points_elsewhere) return extent;
  for (std::uint64_t i = 0; i < length_ && !extent.is_damaged && left_ != 0; ++i)
    measure(type, offset_ + i * type.size, 0, extent, visit);
  if (left_ == 0) extent.is_all = false;
  return extent;
}

void object_reader::state::measure(const stored_type& type, std::uint64_t offset, unsigned depth,
                                   object_extent& extent, const block_visitor& visit) {
  if (!type.points_elsewhere || extent.is_damaged || !may_look_on()) return;
  // Nothing is in more than one place, so no more can be found than there is.
  if (extent.bytes > bytes_.size() || depth == deepest_value) {
    extent.is_damaged = true;
    return;
  }
  switch (type.form) {
    case type_form::unknown:
      extent.is_all = false;
      return;
    case type_form::same:
    case type_form::members:
    case type_form::tuple:
      for (const stored_type::part& one : type.parts)
        measure(types_[one.type], offset + one.offset, depth + 1, extent, visit);
      return;
    case type_form::optional: {
      const stored_type& inside = types_[type.parts[0].type];
      if (bytes_.load<std::uint8_t>(offset + inside.size) != 0)
        measure(inside, offset, depth + 1, extent, visit);
      return;
    }
    default:
      break;
  }
  const auto inside = bytes_.contents_of(type, offset);
  if (!inside) {
    extent.is_damaged = true;
    return;
  }
  extent.bytes += inside->bytes;
  if (inside->bytes != 0) visit(inside->begin, inside->bytes);
  if (is_only_counted(type.form)) extent.is_all = false;
  if (is_only_counted(type.form) || is_string(type.form) || !types_[inside->element].points_elsewhere) return;
  each_element(type, *inside, [&](std::uint64_t element) {
    measure(types_[inside->element], element, depth + 1, extent, visit);
    return !extent.is_damaged && left_ != 0;
  });
}

std::vector<value> object_reader::state::elements_of(const stored_type& type,
                                                     const container_contents& inside, std::uint64_t limit,
                                                     unsigned depth) {
  std::vector<value> all;
  each_element(type, inside, [&](std::uint64_t element) {
    if (all.size() == limit) return false;
    all.push_back(read(types_[inside.element], element, limit, depth + 1));
    return all.size() < limit;
  });
  return all;
}

value object_reader::state::read_number(const stored_type& type, std::uint64_t offset) const {
  switch (type.form) {
    case type_form::boolean:
      return {bytes_.load<std::uint8_t>(offset) != 0};
    case type_form::character:
      return {value::text{std::string(1, bytes_.load<char>(offset))}};
    case type_form::signed_integer:
      return {type.size == 1   ? std::int64_t{bytes_.load<std::int8_t>(offset)}
              : type.size == 2 ? std::int64_t{bytes_.load<std::int16_t>(offset)}
              : type.size == 4 ? std::int64_t{bytes_.load<std::int32_t>(offset)}
                               : bytes_.load<std::int64_t>(offset)};
    case type_form::unsigned_integer:
      return {type.size == 1   ? std::uint64_t{bytes_.load<std::uint8_t>(offset)}
              : type.size == 2 ? std::uint64_t{bytes_.load<std::uint16_t>(offset)}
              : type.size == 4 ? std::uint64_t{bytes_.load<std::uint32_t>(offset)}
                               : bytes_.load<std::uint64_t>(offset)};
    default:
      if (type.size == sizeof(float)) return {bytes_.load<float>(offset)};
      return {bytes_.load<double>(offset)};
  }
}

value object_reader::state::read(const stored_type& type, std::uint64_t offset, std::uint64_t limit,
                                 unsigned depth) {
  if (!bytes_.holds(offset, type.size) || depth == deepest_value) return {value::damaged()};
  if (!may_look_on()) return {value::left_out()};
  switch (type.form) {
    case type_form::boolean:
    case type_form::character:
    case type_form::signed_integer:
    case type_form::unsigned_integer:
    case type_form::floating:
      return read_number(type, offset);
    case type_form::same:
      return read(types_[type.parts[0].type], offset + type.parts[0].offset, limit, depth + 1);
    case type_form::members: {
      value::record members;
      for (const stored_type::part& one : type.parts)
        members.fields.push_back(
            {one.label.substr(1), read(types_[one.type], offset + one.offset, limit, depth + 1)});
      return {std::move(members)};
    }
    case type_form::tuple: {
      value::list members;
      for (const stored_type::part& one : type.parts)
        members.elements.push_back(read(types_[one.type], offset + one.offset, limit, depth + 1));
      return {std::move(members)};
    }
    case type_form::optional: {
      const stored_type& held = types_[type.parts[0].type];
      if (bytes_.load<std::uint8_t>(offset + held.size) == 0) return {value::nothing()};
      return read(held, offset, limit, depth + 1);
    }
    case type_form::elements:
      if (types_[type.parts[0].type].form == type_form::character) {
        const auto* const text = reinterpret_cast<const char*>(bytes_.base() + offset);
        return {value::text{std::string(text, ::strnlen(text, type.size))}};
      }
      return read_container(type, offset, limit, depth);
    case type_form::unknown:
      return {opaque_of(type)};
    default:
      return read_container(type, offset, limit, depth);
  }
}

value object_reader::state::read_container(const stored_type& type, std::uint64_t offset, std::uint64_t limit,
                                           unsigned depth) {
  const std::optional<container_contents> inside = bytes_.contents_of(type, offset);
  if (!inside) return {value::damaged()};
  if (is_only_counted(type.form)) {
    value::opaque counted = opaque_of(type);
    counted.elements = inside->count;
    return {std::move(counted)};
  }
  if (is_string(type.form)) {
    constexpr std::uint64_t longest = 4096;
    const std::uint64_t read = std::min(inside->count, longest);
    const auto* const characters = reinterpret_cast<const char*>(bytes_.base() + inside->first);
    return {value::text{std::string(characters, read), inside->count - read}};
  }
  value::list all{elements_of(type, *inside, limit, depth), 0};
  all.more = inside->count - std::min(inside->count, std::uint64_t{all.elements.size()});
  return {std::move(all)};
}

std::vector<value> object_reader::state::values(std::uint64_t limit) {
  left_ = most_shown;
  if (length_ == 1) {
    const auto [type, offset] = shown(types_[0], offset_);
    if (!is_string(type.form) && !is_only_counted(type.form))
      if (const std::optional<container_contents> inside = bytes_.contents_of(type, offset))
        return elements_of(type, *inside, limit, 0);
  }
  std::vector<value> all;
  for (std::uint64_t i = 0; i < std::min(length_, limit); ++i)
    all.push_back(read(types_[0], offset_ + i * types_[0].size, limit, 0));
  return all;
}

}  // namespace perdure::inspect
