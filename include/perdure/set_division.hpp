// How a program divides some arrays of a set of stores among another number of parts. All other arrays are
// divided along their first dimension, in equal shares.
//
//     class my_divider : public perdure::set_divider { … };
//     my_divider divider;
//     perdure::repartition_set("run.set", 8, {}, &divider);  // or perdure::mpi::repartition
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <perdure/array/untyped_arrays.hpp>
#include <string>
#include <vector>

namespace perdure {

/// The parts that the elements of an array go to.
struct array_division {
  /// The bounds along the dimension: the first place of each part, and the number of all. Bounds of chunked
  /// arrays lie between chunks.
  std::vector<std::uint64_t> bounds;
  /// The dimension along which the array is divided.
  std::size_t dimension = 0;
};

/// Arrays that a program divides by itself. An array is named once at most, and must be in the set.
struct set_division {
  /// Arrays whose elements go to certain parts.
  std::map<std::string, array_division, std::less<>> divided;
  /// Arrays that `store_part` stores anew. Their old elements and attributes are dropped.
  std::vector<std::string> replaced;
};

/// Divides arrays of a set of stores whose elements belong together. The set is changed in one commit, with
/// the arrays that are divided along their first dimension: after a crash all are divided, or none.
///
/// Functions that throw end the division: all ranks get the error, and the set is as before.
class set_divider {
 public:
  set_divider() = default;
  set_divider(const set_divider&) = delete;
  set_divider& operator=(const set_divider&) = delete;
  virtual ~set_divider() = default;

  /// Returns what the program divides among `parts` parts; the same on all ranks. Called once on each rank,
  /// with the arrays of the set, which are open for reading. The call is collective: it may exchange messages
  /// with the same call on other ranks, and throws the same on all of them.
  virtual set_division plan(const std::shared_ptr<const untyped_arrays>& before, std::uint32_t parts) = 0;
  /// Stores what part `part` has of the arrays that are replaced, and of new ones, as its rank would: `made`
  /// takes elements by their places in the whole array. Two parts store no element both. Called once for each
  /// new part, by the rank that makes it, after `plan`. It exchanges no messages. Of `made` only arrays of
  /// this part can be read.
  virtual void store_part(const std::shared_ptr<const untyped_arrays>& before, untyped_arrays& made,
                          std::uint32_t part) = 0;
};

}  // namespace perdure
