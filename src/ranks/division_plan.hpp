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

/// The plan of a division, which all ranks have alike before they make new parts.
class division_plan {
 public:
  /// Looks for the arrays that one rank has stored whole. Throws `unsupported` where a part holds objects
  /// beside the arrays of all ranks.
  explicit division_plan(part_readers& old);

  /// Has these arrays divided as the program says. Throws `not_found` and `invalid_argument` where they
  /// cannot be divided so.
  void follow(set_division by_program, const untyped_arrays& before, std::uint32_t parts);

  /// Returns the part that has all elements of an array that is moved as it is; nothing of another array.
  std::optional<std::uint32_t> owner_of_whole(const std::string& id) const;
  /// Returns whether an old part has arrays that the program does not store anew.
  bool has_more(std::uint32_t old) const;
  /// Returns whether the program stores the array anew.
  bool is_replaced(const std::string& id) const { return replaced_.contains(id); }
  /// Returns what a rank gets of an array that is divided, and has dimensions. Unless the program says
  /// otherwise, that is a range of the first dimension, of so many whole chunks as equal as can be.
  slab share_of(const array_info& info, int rank, int ranks) const;

 private:
  std::map<std::string, std::uint32_t> whole_;
  std::vector<std::vector<std::string>> arrays_of_parts_;
  std::map<std::string, array_division, std::less<>> divided_;
  std::set<std::string> replaced_;
};

}  // namespace perdure::detail
