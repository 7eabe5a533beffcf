// What a command line calls an array: STORE:ID, and parts of it, STORE:ID[0:10,:,3].
#pragma once

#include <cstdint>
#include <filesystem>
#include <perdure/array/extents.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::cli {

/// Where an array is, or a group of them: `id` is empty for all of a store.
struct array_place {
  std::filesystem::path store;
  std::string id;
};

/// STORE or STORE:ID. A store whose path has colons is found before one whose name ends at an earlier colon.
array_place parse_array_place(const std::string& text);
/// The same of an array; a `usage_error` where there is no ":ID".
array_place parse_array_place_with_id(const std::string& text);

/// Part of an array as Python writes it: numbers, FROM:TO, FROM:TO:STEP and "..." between commas, negative
/// ones counted from the end. A dimension of which one element is chosen by its number is dropped.
class array_part {
 public:
  /// All of it.
  array_part() = default;
  /// What stands between the brackets. `usage_error`.
  explicit array_part(std::string_view text);

  bool is_whole() const noexcept { return selections_.empty(); }
  /// As NumPy does it: ranges are cut at the array's ends; `invalid_argument` for an element outside.
  struct selected {
    slab where;                    ///< of the array's rank
    std::vector<bool> is_dropped;  ///< for each dimension
    extents dims() const;          ///< of the dimensions that are left
  };
  selected of(const extents& dims) const;

 private:
  struct selection {
    enum class kind { one, range, rest };
    kind what = kind::range;
    bool has_begin = false;
    bool has_end = false;
    std::int64_t begin = 0;  // or the one
    std::int64_t end = 0;
    std::int64_t step = 1;
  };
  static selection parse_one(std::string_view text);
  static void select(const selection& one, std::uint64_t extent, std::size_t dimension, slab& where);

  std::vector<selection> selections_;
};

/// Splits "ID[0:10]" into the id and the part. An id may have brackets of its own: `exists` tells.
template <class Exists>
array_part take_part(std::string& id, Exists&& exists) {
  const std::size_t open = id.rfind('[');
  if (!id.ends_with(']') || open == std::string::npos || exists(id)) return {};
  array_part part(std::string_view(id).substr(open + 1, id.size() - open - 2));
  id.resize(open);
  return part;
}

}  // namespace perdure::cli
