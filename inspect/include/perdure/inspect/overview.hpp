// An overview of a store: its largest objects, its heap, and its arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <perdure/array/array_info.hpp>
#include <perdure/array/attribute_value.hpp>
#include <perdure/array/untyped_arrays.hpp>
#include <perdure/heap.hpp>
#include <perdure/heap_occupancy.hpp>
#include <perdure/inspect/array_summary.hpp>
#include <perdure/inspect/contents.hpp>
#include <perdure/manager.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perdure::inspect {

/// Limits of an overview.
struct overview_options {
  std::size_t most_rows = 100;        ///< objects, types of anonymous objects, and arrays that are listed
  std::size_t most_stretches = 1024;  ///< stretches of the heap's map; not 0
  bool reads_arrays = true;           ///< false: arrays are left out, as their blocks may be damaged
  summary_options summaries = {};     ///< limits of each histogram
  /// Called with what is being read, and how many are done of how many. May be empty.
  std::function<void(std::string_view what, std::uint64_t done, std::uint64_t total)> progress = {};
};

/// An array, what is beside it, and its numbers.
struct array_overview {
  array_info info;                                                  ///< shape, type, layout and size
  std::vector<std::pair<std::string, attribute_value>> attributes;  ///< by key
  std::optional<array_summary> summary;  ///< nothing: its elements are not numbers, or were not read
  std::string problem;                   ///< why its elements were not read; empty otherwise
};

/// Arrays of a store or of a set of stores.
struct arrays_overview {
  std::vector<array_overview> arrays;   ///< the largest first
  std::uint64_t other_arrays = 0;       ///< number of arrays beyond `most_rows`
  std::uint64_t other_array_bytes = 0;  ///< bytes that these take in the store
};

/// The contents of a store. The objects refer to the store, which must stay open and unchanged.
struct store_overview : arrays_overview {
  heap_stats heap;                           ///< sums of the heap
  heap_occupancy occupancy;                  ///< division of the heap's memory
  std::vector<listed_object> objects;        ///< named and unique objects, the largest first
  std::uint64_t other_objects = 0;           ///< number of objects beyond `most_rows`
  std::uint64_t other_object_bytes = 0;      ///< bytes of these, with what they own
  std::vector<anonymous_objects> anonymous;  ///< objects without names by type, the largest sum first
  std::uint64_t other_anonymous = 0;         ///< number of objects of types beyond `most_rows`
  std::uint64_t other_anonymous_bytes = 0;   ///< bytes of these
  std::vector<std::string> problems;         ///< a sentence for each part that could not be read
};

/// Returns an overview of a store, which should be open for reading only: one that is open for writing gets a
/// directory of arrays if it has none. Damage that it meets becomes a sentence in `problems`, and the rest
/// is read. O(objects + runs of the heap + numbers read of arrays), and for each object what
/// `object_reader::extent` takes.
store_overview overview_of(const manager& store, const overview_options& options = {});

/// Returns an overview of arrays, such as those of a set of stores. An array that cannot be read is a
/// `problem` of its own. O(numbers read of arrays). Errors as `untyped_arrays::list` and `info`.
arrays_overview overview_of(const untyped_arrays& arrays, const overview_options& options = {});

}  // namespace perdure::inspect
