// Which rows of which array each new part of a set gets.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <perdure/array/untyped_arrays.hpp>
#include <perdure/set_division.hpp>
#include <set>
#include <string>
#include <vector>

#include "ranks/part_reader.hpp"

namespace perdure::detail {

struct row_range {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
};

/// What all ranks know of a division before they make new parts.
class division_plan {
 public:
  /// Looks for the arrays that one rank has stored whole.
  explicit division_plan(part_readers& old);

  /// Has these arrays divided as the program says. Throws `not_found` and `invalid_argument` where they
  /// cannot be divided so.
  void follow(set_division by_program, const untyped_arrays& before, std::uint32_t parts);

  /// Returns the part that has all elements of an array that is moved as it is; nothing of another array.
  std::optional<std::uint32_t> owner_of_whole(const std::string& id) const;
  /// Whether the program stores the array anew.
  bool is_replaced(const std::string& id) const { return replaced_.contains(id); }
  /// Returns the rows of an array that is divided. Unless the program says otherwise, each rank has so many
  /// whole chunks as equal as can be.
  row_range rows_of(const array_info& info, int rank, int ranks) const;

 private:
  std::map<std::string, std::uint32_t> whole_;
  std::map<std::string, std::vector<std::uint64_t>, std::less<>> bounds_;
  std::set<std::string> replaced_;
};

}  // namespace perdure::detail
