// The types of a store's objects, as records in the segment.
#include "manager/type_table.hpp"

#include <cstring>
#include <limits>
#include <string>

#include "manager/stored_data_type.hpp"
#include "manager/type_layout.hpp"

namespace perdure::detail {

const type_record& type_table::at(const checked_memory& memory, std::uint64_t offset) {
  const auto* type = memory.at<type_record>(offset, "a type record");
  const std::uint64_t texts = std::uint64_t{type->name_length} + 1 + type->layout_length;
  if (!memory.holds(offset, sizeof(type_record) + texts, alignof(type_record)))
    memory.fail("the name of the type record at offset " + std::to_string(offset) + " is out of bounds");
  memory.require_sound(offset, sizeof(type_record) + texts);
  return *type;
}

void type_table::load(const checked_memory& memory, const directory_root& root) {
  offsets_.clear();
  std::uint64_t offset = root.types;
  for (std::uint64_t i = 0; i < root.type_count; ++i) {
    const type_record& type = at(memory, offset);
    offsets_.emplace(type.hash, offset);
    offset = type.next;
  }
  if (offset != 0) memory.fail("there are more types than their count says");
  loaded_ = true;
}

std::uint64_t type_table::intern(const checked_memory& memory, directory_root& root,
                                 const type_stamp& stamp) {
  if (!loaded_) load(memory, root);
  // The hash leaves out the names of members and the form: types that differ only in these have a record
  // each.
  const recorded_parts recorded = parts_to_record(stamp);
  const auto [first, last] = offsets_.equal_range(stamp.hash);
  for (auto known = first; known != last; ++known)
    if (parts_of_recorded(inside(at(memory, known->second))) == recorded) return known->second;

  if (stamp.name.size() > std::numeric_limits<std::uint32_t>::max() ||
      stamp.alignment > std::numeric_limits<std::uint32_t>::max())
    throw error(errc::invalid_argument,
                memory.owner() + ": the type's name or alignment is too long to be recorded");
  // A zero byte follows the name, for callers that hand it to C.
  void* const block = memory.memory().allocate(sizeof(type_record) + stamp.name.size() + 1 +
                                               recorded.layout.size() + recorded.form.size());
  const std::uint64_t offset = memory.memory().offset_of(block);
  try {
    offsets_.emplace(stamp.hash, offset);
  } catch (...) {
    memory.memory().deallocate(block);
    throw;
  }
  auto* const type = ::new (block) type_record{};
  type->next = root.types;
  type->hash = stamp.hash;
  type->name_hash = stamp.name_hash;
  type->size = stamp.size;
  type->alignment = static_cast<std::uint32_t>(stamp.alignment);
  type->version = stamp.version;
  type->trivially_copyable = stamp.trivially_copyable;
  type->name_length = static_cast<std::uint32_t>(stamp.name.size());
  auto* const name = reinterpret_cast<char*>(type + 1);
  std::memcpy(name, stamp.name.data(), stamp.name.size());
  name[stamp.name.size()] = '\0';
  type->layout_length = static_cast<std::uint16_t>(recorded.layout.size() + recorded.form.size());
  char* const texts = name + stamp.name.size() + 1;
  recorded.form.copy(texts + recorded.layout.copy(texts, recorded.layout.size()), recorded.form.size());
  root.types = offset;
  ++root.type_count;
  return offset;
}

bool type_table::is_same(const type_record& type, const type_stamp& asked, type_match match) {
  const std::string_view stored = layout(type);
  if (is_stamp_of(type.hash, stored, asked)) return true;
  if (match == type_match::layout) {
    if (type.hash == asked.hash) return true;
    if (!stored.empty() && !asked.layout.empty() &&
        !layout_difference(stored, asked.layout, layout_names::where_opaque))
      return true;
  }
  // Of what a program without C++ types has made only the bytes' meaning can be compared.
  const bool is_neutral = is_language_neutral(name(type)) || is_language_neutral(asked.name);
  return is_neutral && stored_data_type(name(type), type.size, stored) ==
                           stored_data_type(asked.name, asked.size, asked.layout);
}

void type_table::require_same(const checked_memory& memory, const type_record& type, const type_stamp& asked,
                              type_match match, std::string_view object) {
  if (is_same(type, asked, match)) return;
  const std::string_view stored = layout(type);
  const std::string stored_name = demangle(name(type));
  const std::string asked_name = demangle(asked.name);
  std::string stored_as = short_type_name(stored_name);
  std::string asked_as = short_type_name(asked_name);
  if (stored_as == asked_as && stored_name != asked_name) {
    stored_as = stored_name;
    asked_as = asked_name;
  }
  std::string message = memory.owner() + ": " + std::string(object) + " was stored as " + stored_as;
  if (name(type) == asked.name) {
    message += ", and that type's layout has changed since: ";
    if (const auto difference = layout_difference(stored, asked.layout, layout_names::compared)) {
      message += *difference;
    } else {
      message += "stored with " +
                 in_words(type.size, type.alignment, type.version, type.trivially_copyable != 0) + ", now " +
                 in_words(asked.size, asked.alignment, asked.version, asked.trivially_copyable);
    }
    message += "; docs/reference/types.md says how to convert what is stored";
  } else {
    message += ", not as " + asked_as;
    const auto difference = layout_difference(stored, asked.layout, layout_names::where_opaque);
    if (match == type_match::layout) {
      message += ", and their layouts differ";
      if (difference) message += ": " + *difference;
    } else if (!difference && !stored.empty() && !asked.layout.empty()) {
      message +=
          "; only names differ: if it is the same type under another name, find it with "
          "perdure::same_layout, "
          "as docs/reference/types.md says";
    }
  }
  throw error(errc::wrong_type, message);
}

}  // namespace perdure::detail
