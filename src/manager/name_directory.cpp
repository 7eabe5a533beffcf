// The directory of a store's objects: a hash table in the segment, by open addressing.
#include "manager/name_directory.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <new>

#include "manager/attribute_list.hpp"
#include "manager/name_hash.hpp"

namespace perdure::detail {

namespace {

constexpr std::uint32_t most_table_bits = 40;
constexpr std::size_t no_slot = std::numeric_limits<std::size_t>::max();

constexpr std::uint64_t most_objects(std::uint64_t slots) noexcept {
  return slots - slots / 8;
}

/// Different for each kind, so that a unique object and a named one whose name is that type's name have
/// different hashes.
constexpr std::uint64_t kind_seed(instance_kind kind) noexcept {
  return (static_cast<std::uint64_t>(kind) + 1) * 0x9e3779b97f4a7c15;
}

std::uint64_t anonymous_hash(std::uint64_t offset) noexcept {
  return fold(offset ^ kind_seed(instance_kind::anonymous), 0x9b05688c2b3e6c1f);
}

std::size_t round_up_to(std::size_t bytes, std::size_t alignment) noexcept {
  return (bytes + alignment - 1) & ~(alignment - 1);
}

const object_record* record_before(const void* object) noexcept {
  return reinterpret_cast<const object_record*>(static_cast<const std::byte*>(object) -
                                                sizeof(object_record));
}

std::string_view name_of(const object_record& record, const void* object) noexcept {
  return {static_cast<const char*>(object) - record.lead, record.name_length};
}

bool sound(const object_record& record, std::uint64_t offset) noexcept {
  return record.check == record_check(record, offset) && record.kind <= 2 && record.lead <= offset &&
         std::uint64_t{record.name_length} + sizeof(object_record) <= record.lead;
}

}  // namespace

void name_directory::format(heap& memory) {
  const std::size_t slots = std::size_t{1} << least_table_bits;
  void* const table = memory.allocate(slots * sizeof(directory_slot));
  std::memset(table, 0, slots * sizeof(directory_slot));
  void* root = nullptr;
  try {
    root = memory.allocate(sizeof(directory_root));
  } catch (...) {
    memory.deallocate(table);
    throw;
  }
  auto* const fresh = ::new (root) directory_root{};
  fresh->magic = directory_magic;
  fresh->version = directory_version;
  fresh->table_bits = least_table_bits;
  fresh->table = memory.offset_of(table);
  memory.set_root(memory.offset_of(root));
}

name_directory::name_directory(checked_memory memory) : memory_(std::move(memory)) {
  const std::uint64_t offset = memory_.memory().root();
  if (offset == 0) return;
  root_ = memory_.at<directory_root>(offset, "its root");
  if (root_->magic != directory_magic)
    throw error(errc::incompatible,
                memory_.owner() +
                    ": the heap's root is not an object directory: the store was filled by "
                    "another program; open it as a datastore");
  if (root_->version > directory_version)
    throw error(errc::too_new, memory_.owner() + ": the object directory has version " +
                                   std::to_string(root_->version) + ", this library knows up to " +
                                   std::to_string(directory_version) + "; use a newer library");
  use_table(root_->table, root_->table_bits);
  const std::uint64_t most = most_objects(slot_count_);
  std::uint64_t objects = 0;
  for (const std::uint64_t count : root_->counts) {
    if (count > most) memory_.fail("more objects are counted than its table has slots");
    objects += count;
  }
  if (objects > most) memory_.fail("more objects are counted than its table has slots");
  if (root_->type_count > memory_.size() / sizeof(type_record) ||
      (root_->type_count != 0) != (root_->types != 0))
    memory_.fail("the count of types contradicts their list");
}

void name_directory::use_table(std::uint64_t offset, std::uint32_t bits) {
  if (bits < least_table_bits || bits > most_table_bits) memory_.fail("the size of its table is absurd");
  const std::size_t slots = std::size_t{1} << bits;
  slots_ = memory_.at<directory_slot>(offset, "its table", (slots - 1) * sizeof(directory_slot));
  slot_count_ = slots;
}

std::uint64_t name_directory::key_hash(instance_kind kind, std::string_view key) noexcept {
  return name_hash(key, kind_seed(kind));
}

directory_slot name_directory::slot_for(const object_record& record, const void* object) const noexcept {
  return (memory_.memory().offset_of(object) / object_alignment) |
         (std::uint64_t{record.kind} << slot_kind_shift) | (record.hash >> slot_tag_shift << slot_tag_shift);
}

object_record& name_directory::record_of(const void* object) const {
  const std::uint64_t offset = memory_.memory().offset_of(object);
  if (offset < sizeof(object_record) ||
      !memory_.holds(offset - sizeof(object_record), sizeof(object_record), 16))
    memory_.fail("an object at offset " + std::to_string(offset) + " is out of bounds");
  memory_.require_sound(offset - sizeof(object_record), sizeof(object_record));
  const object_record* const record = record_before(object);
  if (!sound(*record, offset))
    memory_.fail("the record of the object at offset " + std::to_string(offset) + " is not sound");
  memory_.require_sound(offset - record->lead, record->lead);
  return const_cast<object_record&>(*record);
}

void* name_directory::find(instance_kind kind, std::uint64_t hash, std::string_view key) const {
  const directory_slot wanted = (std::uint64_t{static_cast<std::uint8_t>(kind)} << slot_kind_shift) |
                                (hash >> slot_tag_shift << slot_tag_shift);
  // The bound ends a probe in a table that damage has filled up.
  for (std::size_t i = 0, at = hash; i < slot_count_; ++i, ++at) {
    const directory_slot s = slots_[at & mask()];
    if (s == 0) return nullptr;
    if ((s & ~slot_offset_mask) != wanted) continue;
    void* const object = object_in(s);
    const object_record& record = record_of(object);
    if (record.hash != hash || record.kind != static_cast<std::uint8_t>(kind)) continue;
    if (kind == instance_kind::unique ? type_table::name(type_of(record)) == key
                                      : name_of(record, object) == key)
      return object;
  }
  return nullptr;
}

std::size_t name_directory::slot_index_of(const void* object) const {
  const std::uint64_t address = reinterpret_cast<std::uintptr_t>(object);
  const std::uint64_t base = reinterpret_cast<std::uintptr_t>(memory_.memory().base());
  const std::uint64_t offset = address - base;
  if (address < base || offset < sizeof(object_record) || offset > memory_.size() ||
      offset % object_alignment != 0)
    return no_slot;
  // Whatever these bytes are, they are readable; what they say is believed only if a slot agrees.
  memory_.require_sound(offset - sizeof(object_record), sizeof(object_record));
  const object_record& record = *record_before(object);
  if (!sound(record, offset)) return no_slot;
  const directory_slot wanted = slot_for(record, object);
  for (std::size_t i = 0, at = record.hash; i < slot_count_; ++i, ++at) {
    const directory_slot s = slots_[at & mask()];
    if (s == wanted) return at & mask();
    if (s == 0) break;
  }
  return no_slot;
}

bool name_directory::contains(const void* object) const {
  return slot_index_of(object) != no_slot;
}

object_info name_directory::describe(const void* object) const {
  const object_record& record = record_of(object);
  const type_record& type = type_of(record);
  const std::uint64_t offset = memory_.memory().offset_of(object);
  if (type.size == 0 || record.length > (memory_.size() - offset) / type.size)
    memory_.fail("the elements of the object at offset " + std::to_string(offset) + " are out of bounds");
  object_info info;
  info.kind_ = static_cast<instance_kind>(record.kind);
  info.name_ = name_of(record, object);
  info.mangled_type_name_ = type_table::name(type);
  info.length_ = record.length;
  info.element_size_ = type.size;
  info.alignment_ = type.alignment;
  info.type_hash_ = type.hash;
  const recorded_parts inside = parts_of_recorded(type_table::inside(type));
  info.layout_ = inside.layout;
  info.form_ = inside.form;
  info.offset_ = offset;
  info.value_ = const_cast<void*>(object);
  if (record.attributes != 0) info.attributes_ = list_attributes(memory_, record.attributes);
  return info;
}

std::size_t name_directory::count(instance_kind kind) const noexcept {
  return root_ == nullptr ? 0 : root_->counts[static_cast<std::size_t>(kind)];
}

std::size_t name_directory::own_blocks() const {
  if (root_ == nullptr) return 0;
  constexpr std::size_t root_and_table = 2;
  return root_and_table + root_->type_count + list_attributes(memory_, root_->attributes).size();
}

void name_directory::place(directory_slot* table, std::size_t mask, directory_slot s,
                           std::uint64_t hash) noexcept {
  std::size_t at = hash & mask;
  while (table[at] != 0) at = (at + 1) & mask;
  table[at] = s;
}

void name_directory::reserve(std::size_t more) {
  const std::uint64_t objects = root_->counts[0] + root_->counts[1] + root_->counts[2];
  if (objects + more <= most_objects(slot_count_)) return;
  std::uint32_t bits = root_->table_bits;
  while (objects + more > most_objects(std::uint64_t{1} << bits)) ++bits;
  if (bits > most_table_bits) throw std::bad_alloc();

  heap& heap = memory_.memory();
  const std::size_t slots = std::size_t{1} << bits;
  void* const block = heap.allocate(slots * sizeof(directory_slot));
  std::memset(block, 0, slots * sizeof(directory_slot));
  auto* const table = static_cast<directory_slot*>(block);
  try {
    for (std::size_t i = 0; i < slot_count_; ++i)
      if (slots_[i] != 0) place(table, slots - 1, slots_[i], record_of(object_in(slots_[i])).hash);
  } catch (...) {
    heap.deallocate(block);
    throw;
  }
  heap.deallocate(slots_);
  root_->table = heap.offset_of(block);
  root_->table_bits = bits;
  slots_ = table;
  slot_count_ = slots;
}

void* name_directory::allocate_object(instance_kind kind, std::uint64_t hash, std::string_view name,
                                      std::uint64_t type, std::size_t element_size, std::size_t alignment,
                                      std::size_t length) {
  alignment = std::max(alignment, object_alignment);
  // A zero byte follows the name, for callers that hand it to C.
  const std::size_t lead = round_up_to(name.size() + 1 + sizeof(object_record), alignment);
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
  if (length > (most - lead) / element_size) memory_.memory().refuse_length(length, element_size);
  // At least a byte, so that an empty array has an address of its own too.
  const std::size_t bytes = lead + std::max<std::size_t>(length * element_size, 1);

  heap& heap = memory_.memory();
  auto* const block = static_cast<std::byte*>(
      alignment == object_alignment ? heap.allocate(bytes) : heap.allocate(bytes, alignment));
  if (!name.empty()) std::memcpy(block, name.data(), name.size());
  block[name.size()] = std::byte{0};
  std::byte* const object = block + lead;
  const std::uint64_t offset = heap.offset_of(object);
  auto* const record = ::new (object - sizeof(object_record)) object_record{};
  record->hash = kind == instance_kind::anonymous ? anonymous_hash(offset) : hash;
  record->type = type;
  record->length = length;
  record->name_length = static_cast<std::uint32_t>(name.size());
  record->lead = static_cast<std::uint32_t>(lead);
  record->kind = static_cast<std::uint8_t>(kind);
  record->check = record_check(*record, offset);
  return object;
}

void name_directory::free_object(void* object) noexcept {
  auto& record = const_cast<object_record&>(*record_before(object));
  free_attributes(memory_, record.attributes);
  // Made wrong, so that the address is not taken for an object while the block is free or holds something
  // else.
  record.check = ~record.check;
  memory_.memory().deallocate(static_cast<std::byte*>(object) - record.lead);
}

void name_directory::insert(void* object) noexcept {
  const object_record& record = *record_before(object);
  place(slots_, mask(), slot_for(record, object), record.hash);
  ++root_->counts[record.kind];
}

void name_directory::erase(const void* object) {
  const std::size_t index = slot_index_of(object);
  if (index == no_slot) memory_.fail("an object is not in its table");
  // Entries behind the gap move up where their hash allows it, so that no probe meets a gap before the entry
  // that it looks for. The records of all of them are checked first: an exception half way would leave an
  // entry in the table twice.
  std::size_t end = (index + 1) & mask();
  for (; slots_[end] != 0 && end != index; end = (end + 1) & mask()) record_of(object_in(slots_[end]));
  std::size_t gap = index;
  for (std::size_t at = (index + 1) & mask(); at != end; at = (at + 1) & mask()) {
    const std::size_t home = record_before(object_in(slots_[at]))->hash & mask();
    if (((at - home) & mask()) < ((at - gap) & mask())) continue;
    slots_[gap] = slots_[at];
    gap = at;
  }
  slots_[gap] = 0;
  --root_->counts[record_before(object)->kind];
}

object_range name_directory::objects(instance_kind kind) const {
  return {object_iterator(this, next_slot(0, kind), kind), object_iterator(this, slot_count_, kind)};
}

std::size_t name_directory::next_slot(std::size_t from, instance_kind kind) const noexcept {
  while (from < slot_count_ &&
         (slots_[from] == 0 || ((slots_[from] >> slot_kind_shift) & 3) != static_cast<std::uint64_t>(kind)))
    ++from;
  return from;
}

object_info name_directory::describe_slot(std::size_t index) const {
  if (index >= slot_count_ || slots_[index] == 0)
    throw error(errc::invalid_argument,
                memory_.owner() + ": an iterator was used after objects were constructed or destroyed");
  return describe(object_in(slots_[index]));
}

std::vector<std::string> name_directory::check() const {
  std::vector<std::string> wrong;
  std::uint64_t counts[3] = {0, 0, 0};
  for (std::size_t i = 0; i < slot_count_; ++i) {
    if (slots_[i] == 0) continue;
    try {
      void* const object = object_in(slots_[i]);
      const object_record& record = record_of(object);
      ++counts[record.kind];
      const object_info info = describe(object);
      if (slot_for(record, object) != slots_[i])
        wrong.push_back("slot " + std::to_string(i) + " of the directory contradicts the object's record");
      if (slot_index_of(object) != i)
        wrong.push_back("the object in slot " + std::to_string(i) +
                        " of the directory cannot be found from its name");
      const std::uint64_t hash = info.kind() == instance_kind::anonymous ? anonymous_hash(info.offset())
                                 : info.kind() == instance_kind::unique
                                     ? key_hash(info.kind(), info.mangled_type_name())
                                     : key_hash(info.kind(), info.name());
      if (record.hash != hash)
        wrong.push_back("the object in slot " + std::to_string(i) +
                        " of the directory has the hash of another name");
    } catch (const error& damage) {
      wrong.emplace_back(damage.what());
    }
  }
  try {
    list_attributes(memory_, store_attributes());
  } catch (const error& damage) {
    wrong.emplace_back(damage.what());
  }
  for (std::size_t kind = 0; kind < 3 && root_ != nullptr; ++kind)
    if (counts[kind] != root_->counts[kind])
      wrong.push_back("the directory counts " + std::to_string(root_->counts[kind]) + " objects of kind " +
                      std::to_string(kind) + " and has " + std::to_string(counts[kind]));
  return wrong;
}

}  // namespace perdure::detail

namespace perdure {

object_info object_iterator::operator*() const {
  if (directory_ == nullptr)
    throw error(errc::invalid_argument, "an iterator that belongs to no store was used");
  return directory_->describe_slot(slot_);
}

object_iterator& object_iterator::operator++() noexcept {
  if (directory_ != nullptr) slot_ = directory_->next_slot(slot_ + 1, kind_);
  return *this;
}

}  // namespace perdure
