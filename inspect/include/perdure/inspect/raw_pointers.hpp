// Words in a store that look like addresses in the process that wrote them. Types that keep raw pointers
// among private members get past the compiler, and crash when the store is opened again.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <perdure/manager.hpp>
#include <string>
#include <vector>

namespace perdure::inspect {

/// An object, or a block of the heap that belongs to no object's record, with such words.
struct pointing_bytes {
  std::optional<instance_kind> kind;  ///< nothing: a block
  std::string name;                   ///< empty unless the object has a name
  std::string type;                   ///< the object's type
  std::uint64_t length = 1;           ///< elements
  std::uint64_t bytes = 0;            ///< size of the object or block
  std::uint64_t store_offset = 0;     ///< bytes from the store's first byte
  std::uint64_t words = 0;            ///< how many such words
  std::uint64_t offset = 0;           ///< first word that leads into the store, else of the first
  std::uint64_t word = 0;             ///< content of the word at `offset`
  std::uint64_t epoch = 0;  ///< the last checkpoint for which the store was mapped where the word leads, or 0
};

/// Outcome of a search for raw pointers.
struct pointer_report {
  std::vector<pointing_bytes> found;  ///< by place; a few of many blocks of one size
  std::uint64_t places = 0;           ///< objects and blocks, listed or not
  std::uint64_t words = 0;            ///< in all of them
  std::uint64_t bytes_read = 0;       ///< bytes that were searched
};

/// Looks at every allocated block of a store that was verified before. `progress`, if there is one, is called
/// with the bytes read so far. O(bytes).
///
/// A word counts when it leads into the store as a checkpoint in the log had it mapped, or is aligned and
/// where programs are loaded and memory is mapped; not when it is text, or leads into a pinned store. Evenly
/// distributed 64-bit numbers meet the latter once in a few million, so an object is reported only if it has
/// more such words. Throws what `store_maintenance::log` throws.
pointer_report find_raw_pointers(const manager& store,
                                 const std::function<void(std::uint64_t)>& progress = {});

}  // namespace perdure::inspect
