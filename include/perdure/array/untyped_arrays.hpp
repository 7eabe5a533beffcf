// Arrays in a store without the C++ types of their elements.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <perdure/array/array_info.hpp>
#include <perdure/array/extents.hpp>
#include <perdure/data_type.hpp>
#include <perdure/detail/manager_core.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::detail {

/// Elements in a program's memory. `data_type` says what one is; strides are in bytes.
struct const_elements {
  const std::byte* data = nullptr;
  extents dims;
  std::array<std::ptrdiff_t, max_rank> strides{};

  static const_elements row_major(const void* data, const extents& dims, std::size_t element_size);
};
struct elements {
  std::byte* data = nullptr;
  extents dims;
  std::array<std::ptrdiff_t, max_rank> strides{};

  static elements row_major(void* data, const extents& dims, std::size_t element_size);
};

/// Gives the elements of a part, row-major, each as its type has them.
using element_source = std::function<void(const slab& part, std::byte* to)>;

/// Elements of any length each, one after the other: element i is `bytes[ends[i-1] .. ends[i])`.
struct variable_elements {
  std::vector<std::uint64_t> ends;
  std::string bytes;
};

/// A hold on what a store has of arrays: blocks that were replaced since stay as they are while it lives.
class array_hold {
 public:
  array_hold() = default;
  explicit array_hold(std::shared_ptr<void> hold) : hold_(std::move(hold)) {}

 private:
  std::shared_ptr<void> hold_;
};

struct viewed_array {
  array_info info;
  std::byte* data = nullptr;
  array_hold hold;
};

/// The arrays of one open store. All who open them in one process share what is not in the store: locks, and
/// who looks at what. Thread-safe, but for writes to the same elements.
class array_core {
 public:
  /// Shared by all who ask for that store. A store opened for reading that has no arrays is one of none.
  static std::shared_ptr<array_core> of(manager_core& store);
  array_core(const array_core&) = delete;
  array_core& operator=(const array_core&) = delete;
  virtual ~array_core() = default;

  virtual manager_core& store() noexcept = 0;

  /// Replaces the array, or makes one; `wrong_type` where there is one of another type and the options do not
  /// say `replaces_any`. What was there stays for those who hold it.
  virtual void store_whole(std::string_view id, const data_type& type, const const_elements& from,
                           const array_options& options) = 0;
  /// The same of elements that `source` gives, a few MiB at a time: of arrays that are larger than memory. Of
  /// an array in one compressed block all of it is in memory once.
  virtual void store_from(std::string_view id, const data_type& type, const extents& dims,
                          const element_source& source, const array_options& options);
  virtual void store_variable(std::string_view id, const data_type& type, const extents& dims,
                              const variable_elements& from, const array_options& options) = 0;
  /// An array of which nothing has been written: its elements are zero. `already_exists`; with
  /// `replaces_any` only where that has this type and shape.
  virtual void create(std::string_view id, const data_type& type, const extents& dims,
                      const array_options& options) = 0;
  virtual void write(std::string_view id, const data_type& type, const slab& where,
                     const const_elements& from) = 0;
  /// The slab's elements, in the order of `to`'s, which has the slab's counts.
  virtual void read(std::string_view id, const data_type& type, const slab& where,
                    const elements& to) const = 0;
  /// All elements, to where `place` says when it is told how many there are along each dimension.
  virtual void read_whole(std::string_view id, const data_type& type,
                          const std::function<elements(const extents&)>& place) const = 0;
  virtual variable_elements read_variable(std::string_view id, const data_type& type) const = 0;
  /// As `read`, but only of what blocks of this store hold; elements that none holds are left alone. Returns
  /// how many elements were written, which is more than there are where blocks overlap.
  virtual std::uint64_t read_held(std::string_view id, const slab& where, const elements& to) const = 0;
  virtual viewed_array view(std::string_view id, const data_type& type, bool to_write) const = 0;
  virtual void resize(std::string_view id, const extents& dims) = 0;
  virtual void append(std::string_view id, const data_type& type, const const_elements& from) = 0;
  virtual bool erase(std::string_view id) = 0;

  virtual std::optional<array_info> find(std::string_view id) const = 0;
  virtual array_info info(std::string_view id) const = 0;
  /// The parts that blocks hold, oldest first.
  virtual std::vector<slab> parts(std::string_view id) const = 0;
  /// Sorted; those whose id is the prefix, or begins with it and "/" (all of an empty one).
  virtual std::vector<std::string> list(std::string_view prefix) const = 0;
  virtual std::size_t count() const = 0;
  /// Brings what is stored of it into memory.
  virtual void prefetch(std::string_view id) const = 0;
  /// Compares all blocks with their checksums; what is wrong, a sentence each.
  virtual std::vector<std::string> check(std::string_view id) const = 0;

  virtual void set_attribute(std::string_view id, std::string_view key, const data_type& type,
                             const extents& dims, std::span<const std::byte> value) = 0;
  struct attribute_value {
    data_type type;
    extents dims;
    std::string bytes;
  };
  virtual std::optional<attribute_value> attribute(std::string_view id, std::string_view key) const = 0;
  virtual std::vector<std::string> attributes(std::string_view id) const = 0;
  virtual bool remove_attribute(std::string_view id, std::string_view key) = 0;

 protected:
  array_core() = default;
};

}  // namespace perdure::detail
