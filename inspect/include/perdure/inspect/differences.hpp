// Changes between two states of one store.
#pragma once

#include <cstdint>
#include <functional>
#include <perdure/manager.hpp>
#include <vector>

namespace perdure::inspect {

/// The way in which an object differs between two states of a store.
enum class difference {
  unsure,   ///< the object's own bytes agree; what belongs to it is not known whole
  changed,  ///< bytes of the object or of memory that belongs to it differ, or their places
  removed,  ///< it is only in the earlier state
  added     ///< it is only in the later state
};

/// Returns "unsure", "changed", "removed" or "added".
const char* to_string(difference what) noexcept;

/// An object that differs between two states of a store.
struct object_difference {
  difference what;     ///< how it differs
  object_info object;  ///< object of the later state, unless it was removed
};

/// Outcome of a comparison of two states of a store.
struct store_differences {
  std::uint64_t pages = 0;                 ///< 4 KiB each, in the larger state
  std::uint64_t different_pages = 0;       ///< pages behind the end of a state count as zeros
  std::uint64_t same_objects = 0;          ///< number of objects that are the same in both
  std::vector<object_difference> objects;  ///< all others: named, unique and anonymous ones
};

/// Compares two copies of one store, as of the checkpoints that `before` and `after` have open, page by page
/// and object by object. Named objects are told by their names, unique ones by their types, anonymous ones by
/// their places. `progress`, if there is one, is called with the bytes compared so far. O(bytes of both).
///
/// Throws `errc::incompatible` where the two are not copies of one store, and `errc::damaged` where the
/// directory of objects is. The results are valid until one of the stores is closed.
store_differences differences_between(const manager& before, const manager& after,
                                      const std::function<void(std::uint64_t)>& progress = {});

}  // namespace perdure::inspect
