// Reads the elements of stored objects by what the store tells of their types. Every offset is checked before
// it is followed, and no more is read than the store holds, so that damaged objects can be looked at too.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <perdure/manager.hpp>

#include "command.hpp"
#include "stored_types.hpp"

namespace perdure::cli {

struct object_extent {
  std::uint64_t bytes = 0;                ///< of the object, and of the memory that what is in it owns
  std::optional<std::uint64_t> elements;  ///< of a container or an array
  bool is_all = true;       ///< else of some of it nothing is known, or it was too much to look at
  bool is_damaged = false;  ///< something leads out of the store
};

class object_reader {
 public:
  /// Told of the object's bytes, and of each block of memory that what is in it owns.
  using block_visitor = std::function<void(std::uint64_t offset, std::uint64_t bytes)>;

  object_reader(const manager& store, const object_info& object);

  /// As far as is quickly found out.
  object_extent extent() const;
  /// However long it takes.
  object_extent each_block(const block_visitor& visit) const;
  /// The first elements of the object; of an object that is no container, or whose elements are not read,
  /// itself. Of what is inside them, too, no more elements are shown, followed by `{"more": N}`. What is not
  /// read is `{"bytes": N, "type": NAME}`, with `"elements"` where their number is known.
  json values(std::uint64_t limit) const;
  /// Whether `values` are the elements.
  bool reads_elements() const noexcept;

 private:
  /// The memory of a container.
  struct contents {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;  ///< of the memory it owns
    std::uint64_t begin = 0;  ///< of that memory
    std::uint64_t first = 0;  ///< a vector's elements, a string's characters, a flat table's control bytes
    std::uint64_t slots = 0;  ///< of a flat table
    std::size_t element = 0;  ///< its type
  };

  bool holds(std::uint64_t offset, std::uint64_t bytes) const noexcept {
    return offset <= size_ && bytes <= size_ - offset;
  }
  template <class T>
  T load(std::uint64_t offset) const noexcept;
  /// Where the pointer at an offset leads, which may be out of the store; nothing where it is null.
  std::optional<std::uint64_t> target_of(const stored_type& type, std::uint64_t offset) const noexcept;
  /// Nothing where it leads out of the store, or contradicts itself. The container itself is in the store.
  std::optional<contents> contents_of(const stored_type& type, std::uint64_t offset) const;
  std::optional<contents> contents_of_std_vector(const stored_type& type, contents inside,
                                                 std::uint64_t offset) const;
  std::optional<contents> contents_of_boost_string(const stored_type& type, contents inside,
                                                   std::uint64_t offset) const;
  std::optional<contents> contents_of_std_string(const stored_type& type, contents inside,
                                                 std::uint64_t offset) const;
  std::optional<std::uint64_t> number_in_deque(const stored_type& type, std::uint64_t offset,
                                               std::uint64_t element) const;
  bool may_look_on() const noexcept;
  /// Calls `visit(offset)` for elements until it returns false.
  template <class Visit>
  void each_element(const stored_type& type, const contents& inside, Visit&& visit) const;

  object_extent measure_all(const block_visitor& visit) const;
  void measure(const stored_type& type, std::uint64_t offset, unsigned depth, object_extent& extent,
               const block_visitor& visit) const;
  json value(const stored_type& type, std::uint64_t offset, std::uint64_t limit, unsigned depth) const;
  json list(const stored_type& type, const contents& inside, std::uint64_t limit, unsigned depth) const;
  json unknown(const stored_type& type) const;

  const std::byte* base_;
  std::uint64_t size_;
  std::uint64_t offset_;
  std::uint64_t length_;
  stored_types types_;
  mutable std::uint64_t left_;  // of what may be looked at: damage must not make it without end
};

}  // namespace perdure::cli
