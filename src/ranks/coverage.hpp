// Whether two ranks have written the same elements of an array, told by one number a rank.
//
// Each coordinate of an array gets a random number below a prime; a box weighs the product, over its
// dimensions, of the differences between its end's and its beginning's. So boxes that do not overlap weigh
// together what all of their elements weigh, however they are cut: the sum over all ranks is the weight of
// the whole array if they have written each element once, and another number, but for a chance of about 1 in
// 2^56, if some element was written twice and another not at all. A sum that is neither that nor one that was
// looked at is looked at: then rank 0 compares the boxes themselves.
//
// A rank that has an array adds a random number for that too, which follows from the array's layout, names of
// dimensions and attributes: so the sum also differs where ranks have made different arrays of one name.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <perdure/array/array_info.hpp>
#include <perdure/array/extents.hpp>
#include <perdure/array/untyped_arrays.hpp>
#include <perdure/error.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "ranks/boxes.hpp"

namespace perdure::detail {

/// Properties of an array that all ranks have to choose alike, beside its type and shape.
struct array_making {
  array_layout layout = array_layout::blocks;
  compression codec = compression::none;
  extents chunk;
  std::vector<std::string> dimensions;              // their names
  std::map<std::string, std::uint64_t> attributes;  // by key: a hash of type, shape and value

  bool has_layout_of(const array_making& other) const {
    return layout == other.layout && codec == other.codec && chunk == other.chunk;
  }
};

/// One array as one rank has it.
struct array_parts {
  std::string type;
  extents dims;
  box_list boxes;  // that do not overlap
  array_making making = {};
  bool exists = true;
};

/// Returns the hash that `array_making` has of an attribute.
std::uint64_t hash_of(const attribute_value& value);

/// Returns the number that a rank adds to the sum for an array. All of these add up to 0 where each rank has
/// the array, made alike, and all of its elements are written once.
std::uint64_t cover_of(std::string_view id, const array_parts& array, int rank, int ranks);

/// Returns the arrays that have changed since the last comparison, as bytes for rank 0.
std::string to_bytes(const std::map<std::string, array_parts>& changed);

/// The arrays of all ranks, as rank 0 knows them.
class cover_book {
 public:
  /// Returns whether a sum needs no closer look.
  bool is_known(std::uint64_t sum) const noexcept { return sum == 0 || known_ == sum; }
  /// Takes down what all ranks gave, and looks for two that have the same element of one array, or differ in
  /// what that array is. An attribute may be missing on some ranks, but must be the same on the others.
  /// `conflict`, `wrong_type`.
  void look(const std::vector<std::string>& given);
  /// Nothing was found where the sum was this.
  void remember(std::uint64_t sum) noexcept { known_ = sum; }

 private:
  using ranks_parts = std::map<int, array_parts>;
  static void require_sound(const std::string& id, const ranks_parts& all);

  std::map<std::string, ranks_parts> arrays_;
  std::optional<std::uint64_t> known_;
};

}  // namespace perdure::detail
