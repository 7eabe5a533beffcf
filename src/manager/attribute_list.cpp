// The attributes of one object, as a linked list in the segment.
#include "manager/attribute_list.hpp"

#include <cstring>
#include <new>

namespace perdure::detail {

namespace {

bool sound(const checked_memory& memory, std::uint64_t offset) noexcept {
  if (!memory.holds(offset, sizeof(attribute_record), alignof(attribute_record))) return false;
  const auto* const record = static_cast<const attribute_record*>(memory.memory().at(offset));
  if (record->key_length > max_attribute_key || record->value_length > max_attribute_value) return false;
  return memory.holds(offset,
                      sizeof(attribute_record) + std::uint64_t{record->key_length} + record->value_length,
                      alignof(attribute_record));
}

attribute_record* at(const checked_memory& memory, std::uint64_t offset) {
  if (memory.holds(offset, sizeof(attribute_record), alignof(attribute_record)))
    memory.require_sound(offset, sizeof(attribute_record));
  if (!sound(memory, offset))
    memory.fail("an attribute at offset " + std::to_string(offset) + " is out of bounds");
  auto* const record = static_cast<attribute_record*>(memory.memory().at(offset));
  memory.require_sound(offset,
                       sizeof(attribute_record) + std::uint64_t{record->key_length} + record->value_length);
  return record;
}

std::string_view key_of(const attribute_record* record) noexcept {
  return text_after(record, record->key_length);
}
std::string_view value_of(const attribute_record* record) noexcept {
  return text_after(record, record->value_length, record->key_length);
}

/// Calls `visit(link, record)` for each record, where `link` is the field that points to it, until it returns
/// true. A bound on their number ends a list that damage has made circular.
template <class Visit>
bool visit_links(const checked_memory& memory, std::uint64_t& head, Visit visit) {
  std::uint64_t* link = &head;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; *link != 0; ++i) {
    if (i > max_attributes) memory.fail("an object has more attributes than can be");
    attribute_record* const record = at(memory, *link);
    // Their bytes are bounded too: otherwise a circle of the largest values would be copied out a thousand
    // times.
    bytes += sizeof *record + std::uint64_t{record->key_length} + record->value_length;
    if (bytes > memory.size()) memory.fail("an object's attributes are larger than the store");
    if (visit(*link, record)) return true;
    link = &record->next;
  }
  return false;
}

}  // namespace

void set_attribute(const checked_memory& memory, std::uint64_t& head, std::string_view key,
                   std::string_view value) {
  if (key.empty() || key.size() > max_attribute_key)
    throw error(errc::invalid_argument, memory.owner() + ": an attribute's key has 1 to " +
                                            std::to_string(max_attribute_key) + " bytes, not " +
                                            std::to_string(key.size()));
  if (value.size() > max_attribute_value)
    throw error(errc::invalid_argument, memory.owner() + ": an attribute's value has at most " +
                                            std::to_string(max_attribute_value) + " bytes, not " +
                                            std::to_string(value.size()) + "; store it as an object");
  std::uint64_t* old_link = nullptr;
  std::size_t count = 0;
  visit_links(memory, head, [&](std::uint64_t& link, attribute_record* record) {
    ++count;
    if (key_of(record) != key) return false;
    old_link = &link;
    return true;
  });
  if (old_link == nullptr && count >= max_attributes)
    throw error(errc::invalid_argument,
                memory.owner() + ": an object has at most " + std::to_string(max_attributes) + " attributes");

  heap& heap = memory.memory();
  void* const block = heap.allocate(sizeof(attribute_record) + key.size() + value.size());
  auto* const added = ::new (block) attribute_record{};
  added->key_length = static_cast<std::uint32_t>(key.size());
  added->value_length = static_cast<std::uint32_t>(value.size());
  char* const text = reinterpret_cast<char*>(added + 1);
  std::memcpy(text, key.data(), key.size());
  if (!value.empty()) std::memcpy(text + key.size(), value.data(), value.size());
  if (old_link != nullptr) {
    auto* const old = static_cast<attribute_record*>(heap.at(*old_link));
    added->next = old->next;
    *old_link = heap.offset_of(added);
    heap.deallocate(old);
  } else {
    added->next = head;
    head = heap.offset_of(added);
  }
}

std::optional<std::string> find_attribute(const checked_memory& memory, std::uint64_t head,
                                          std::string_view key) {
  std::optional<std::string> found;
  visit_links(memory, head, [&](std::uint64_t&, attribute_record* record) {
    if (key_of(record) != key) return false;
    found.emplace(value_of(record));
    return true;
  });
  return found;
}

bool remove_attribute(const checked_memory& memory, std::uint64_t& head, std::string_view key) {
  return visit_links(memory, head, [&](std::uint64_t& link, attribute_record* record) {
    if (key_of(record) != key) return false;
    link = record->next;
    memory.memory().deallocate(record);
    return true;
  });
}

std::vector<attribute> list_attributes(const checked_memory& memory, std::uint64_t head) {
  std::vector<attribute> all;
  visit_links(memory, head, [&](std::uint64_t&, attribute_record* record) {
    all.push_back({std::string(key_of(record)), std::string(value_of(record))});
    return false;
  });
  return all;
}

void free_attributes(const checked_memory& memory, std::uint64_t& head) noexcept {
  for (std::size_t i = 0; i <= max_attributes && sound(memory, head); ++i) {
    auto* const record = static_cast<attribute_record*>(memory.memory().at(head));
    head = record->next;
    memory.memory().deallocate(record);
  }
  head = 0;
}

}  // namespace perdure::detail
