// Reads a stored object by what the store says of its type.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <perdure/inspect/value.hpp>
#include <perdure/manager.hpp>
#include <vector>

namespace perdure::inspect {

/// How large an object is.
struct object_extent {
  std::uint64_t bytes = 0;                ///< bytes of the object, and of memory that its parts own
  std::optional<std::uint64_t> elements;  ///< number of elements of a container or an array
  bool is_all =
      true;  ///< false: `bytes` is a lower bound, as some types are not known or it was much to read
  bool is_damaged = false;  ///< something leads out of the store
};

/// Reads one object of an open store. No type of the program is needed: the store records which members a
/// class has and how containers are read (`perdure/stored_form.hpp`). Containers of Boost and of the standard
/// library are known by their names; of lists, trees, hash tables and deques the elements are only counted.
///
/// Every offset is checked before it is followed and the work is bounded, so damaged objects can be read.
///
/// Uses `store`, which must stay open. Thread safety: an object reader for each thread; the object must not
/// be changed meanwhile.
class object_reader {
 public:
  /// Called with each piece of memory of an object, in bytes from the store's first one.
  using block_visitor = std::function<void(std::uint64_t offset, std::uint64_t bytes)>;

  /// Prepares to read an object of an open store.
  object_reader(const manager& store, const object_info& object);
  /// Takes the reading over; the other reader may only be destroyed or assigned to.
  object_reader(object_reader&&) noexcept;
  /// Takes the reading over, as the constructor does.
  object_reader& operator=(object_reader&&) noexcept;
  ~object_reader();

  /// Returns how large the object is. Looks at two million elements at most.
  object_extent extent() const;
  /// Visits the object's own bytes, then each block of memory that what is in it owns, and returns how large
  /// the object is. O(elements).
  object_extent each_block(const block_visitor& visit) const;
  /// Returns up to `limit` elements of a container or an array, or the object itself as the only value where
  /// it is neither or its elements are not read. Lists inside are cut at `limit` too. Reads 200,000 values at
  /// most.
  std::vector<value> values(std::uint64_t limit) const;
  /// Returns whether `values` returns elements.
  bool reads_elements() const noexcept;

 private:
  class state;
  std::unique_ptr<state> state_;
};

}  // namespace perdure::inspect
