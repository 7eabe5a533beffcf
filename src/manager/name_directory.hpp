// The directory of a store's objects: which names there are, and what is known of each object.
//
// All of it lives in the segment, so opening reads the root and nothing else. See directory_layout.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "manager/checked_memory.hpp"
#include "manager/directory_layout.hpp"
#include "manager/type_table.hpp"
#include "perdure/object_info.hpp"

namespace perdure::detail {

/// Thread safety: const members may run side by side; the others need exclusive access, except
/// `allocate_object` and `free_object`, which touch only the object's own block.
///
/// Members throw `errc::damaged` where they meet a record that cannot be. `key` is a named object's name
/// and a unique object's mangled type name; `hash` is `key_hash` of it.
class name_directory {
 public:
  /// Writes an empty directory and makes it the heap's root.
  static void format(heap& memory);
  /// Finds the directory of the heap. A heap without one is an empty directory that cannot be changed.
  explicit name_directory(checked_memory memory);

  static std::uint64_t key_hash(instance_kind kind, std::string_view key) noexcept;

  /// Null where there is none. O(1).
  void* find(instance_kind kind, std::uint64_t hash, std::string_view key) const;
  /// Returns whether an object of the directory begins at this address, which may be any. O(1).
  bool contains(const void* object) const;

  /// The record of an object that is in the directory, or was allocated for it.
  object_record& record_of(const void* object) const;
  const type_record& type_of(const object_record& record) const {
    return type_table::at(memory_, record.type);
  }
  object_info describe(const void* object) const;
  std::size_t count(instance_kind kind) const noexcept;
  object_range objects(instance_kind kind) const;

  /// The first attribute of the store itself; 0 where there is none.
  std::uint64_t store_attributes() const noexcept { return root_ == nullptr ? 0 : root_->attributes; }
  /// The link to that attribute, for changing it; only if the directory can be changed.
  std::uint64_t& store_attributes_link() noexcept { return root_->attributes; }
  /// Blocks of the heap that hold the directory itself, objects and their records not counted.
  std::size_t own_blocks() const;

  std::uint64_t intern(const type_stamp& type) { return types_.intern(memory_, *root_, type); }
  /// Makes room for `more` insertions, so that they cannot fail.
  void reserve(std::size_t more);
  /// Memory for the elements behind a filled-in record. `std::bad_alloc`; an absurd length is one too.
  void* allocate_object(instance_kind kind, std::uint64_t hash, std::string_view name, std::uint64_t type,
                        std::size_t element_size, std::size_t alignment, std::size_t length);
  void free_object(void* object) noexcept;
  void insert(void* object) noexcept;
  void erase(const void* object);

  const checked_memory& memory() const noexcept { return memory_; }
  /// Null where there is no directory yet.
  const directory_root* root() const noexcept { return root_; }
  /// Returns the faults of the table and its records, one sentence each.
  std::vector<std::string> check() const;

 private:
  friend class perdure::object_iterator;

  std::size_t mask() const noexcept { return slot_count_ - 1; }
  void use_table(std::uint64_t offset, std::uint32_t bits);
  void* object_in(directory_slot s) const noexcept {
    return memory_.memory().at((s & slot_offset_mask) * object_alignment);
  }
  directory_slot slot_for(const object_record& record, const void* object) const noexcept;
  std::size_t slot_index_of(const void* object) const;
  static void place(directory_slot* table, std::size_t mask, directory_slot s, std::uint64_t hash) noexcept;

  std::size_t next_slot(std::size_t from, instance_kind kind) const noexcept;
  object_info describe_slot(std::size_t index) const;

  checked_memory memory_;
  type_table types_;
  directory_root* root_ = nullptr;
  directory_slot* slots_ = nullptr;
  std::size_t slot_count_ = 0;
};

}  // namespace perdure::detail
