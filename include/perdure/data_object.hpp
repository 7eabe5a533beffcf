// Named arrays of plain data that programs in every language find: bytes, numbers, structs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <perdure/data_type.hpp>
#include <perdure/detail/manager_core.hpp>
#include <perdure/open_mode.hpp>

namespace perdure {

/// The elements of an object whose type is plain data, whichever language made it. Valid until the object is
/// destroyed or the store closed.
struct data_object {
  data_type type;            ///< type of one element
  std::uint64_t length = 0;  ///< elements
  void* data = nullptr;      ///< null: there is no such object
  /// Tells whether there is such an object.
  explicit operator bool() const noexcept { return data != nullptr; }
};

namespace detail {

/// Makes the object, of zeros; or with `if_exists::use` gives the one of that name, if it has that type, at
/// least that many elements, and lies at a multiple of `alignment` (`wrong_type` if not). An alignment of 0
/// is the type's own. `created`, unless null, is told which.
data_object construct_data(manager_core& core, const object_name& name, const data_type& type,
                           std::uint64_t length, std::size_t alignment, if_exists policy,
                           bool* created = nullptr);
data_object find_data(const manager_core& core, const object_name& name);
bool destroy_data(manager_core& core, const object_name& name);
/// Destroys the object that begins at `data`, also one without a name. Throws `invalid_argument` where no
/// object begins, `wrong_type` if its elements are more than plain data, and `read_only`.
void destroy_data_at(manager_core& core, const void* data);

}  // namespace detail

}  // namespace perdure
