// Where the elements of a stored container are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "stored_types.hpp"

namespace perdure::inspect {

/// The memory of a container. Offsets are from the store's first byte.
struct container_contents {
  std::uint64_t count = 0;  ///< elements, or characters
  std::uint64_t bytes = 0;  ///< bytes of memory that it owns
  std::uint64_t begin = 0;  ///< offset of that memory
  std::uint64_t first = 0;  ///< a vector's elements, a string's characters, a flat table's control bytes
  std::uint64_t slots = 0;  ///< number of slots of a flat table
  std::size_t element = 0;  ///< its type
};

/// Reads the bytes of a store, of which none is trusted. Uses `types`.
class container_reader {
 public:
  container_reader(const std::byte* base, std::uint64_t size, const stored_types& types) noexcept
      : base_(base), size_(size), types_(types) {}

  const std::byte* base() const noexcept { return base_; }
  std::uint64_t size() const noexcept { return size_; }
  bool holds(std::uint64_t offset, std::uint64_t bytes) const noexcept {
    return offset <= size_ && bytes <= size_ - offset;
  }
  /// Returns zero where it is not in the store.
  template <class T>
  T load(std::uint64_t offset) const noexcept {
    T loaded{};
    if (holds(offset, sizeof loaded)) std::memcpy(&loaded, base_ + offset, sizeof loaded);
    return loaded;
  }
  /// Returns nothing where the type is no container, or its memory is not in the store, or it contradicts
  /// itself.
  std::optional<container_contents> contents_of(const stored_type& type, std::uint64_t offset) const;

 private:
  /// Returns where the container's pointer at an offset leads, which may be out of the store; nothing where
  /// it is null.
  std::optional<std::uint64_t> target_of(const stored_type& type, std::uint64_t offset) const noexcept;
  std::optional<container_contents> contents_of_array(const stored_type& type, container_contents inside,
                                                      std::uint64_t offset) const;
  std::optional<container_contents> contents_of_string(const stored_type& type, container_contents inside,
                                                       std::uint64_t offset) const;
  std::optional<container_contents> contents_of_table(const stored_type& type, container_contents inside,
                                                      std::uint64_t offset) const;
  std::optional<container_contents> contents_of_std_vector(const stored_type& type, container_contents inside,
                                                           std::uint64_t offset) const;
  std::optional<container_contents> contents_of_boost_string(const stored_type& type,
                                                             container_contents inside,
                                                             std::uint64_t offset) const;
  std::optional<container_contents> contents_of_std_string(const stored_type& type, container_contents inside,
                                                           std::uint64_t offset) const;
  std::optional<std::uint64_t> number_in_deque(const stored_type& type, std::uint64_t offset,
                                               std::uint64_t element) const;
  std::uint64_t size_of_element(const stored_type& type) const noexcept {
    return type.parts.empty() ? 1 : types_[type.parts[0].type].size;
  }

  const std::byte* base_;
  std::uint64_t size_;
  const stored_types& types_;
};

}  // namespace perdure::inspect
