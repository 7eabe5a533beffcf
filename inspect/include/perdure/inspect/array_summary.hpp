// A histogram of the numbers in a stored array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <perdure/array/array_info.hpp>
#include <perdure/array/untyped_arrays.hpp>
#include <vector>

namespace perdure::inspect {

/// The distribution of an array's numbers, as doubles.
struct array_summary {
  std::uint64_t elements = 0;       ///< elements of the array
  std::uint64_t sampled = 0;        ///< elements that were read; fewer than `elements`: this is a sample
  std::uint64_t not_finite = 0;     ///< infinities and NaNs among those read
  double smallest = 0;              ///< smallest finite number read; 0 if there is none
  double largest = 0;               ///< largest finite number read; 0 if there is none
  double mean = 0;                  ///< mean of the finite numbers read; 0 if there is none
  std::vector<std::uint64_t> bins;  ///< numbers in equal steps from `smallest` to `largest`
};

/// The amount of work of `summary_of`.
struct summary_options {
  std::uint64_t most_elements = std::uint64_t{1} << 20;  ///< elements to be read at most; not 0
  std::size_t most_bins = 32;                            ///< bins of the histogram at most; not 0
};

/// Returns the distribution of an array's numbers; nothing if its elements are not integers, floating-point
/// numbers or booleans. Of an array with more elements than `most_elements` it reads a sample: 64 pieces at
/// equal distances, each inside one chunk of a chunked array. Errors as `untyped_arrays::read`.
std::optional<array_summary> summary_of(const untyped_arrays& arrays, const array_info& info,
                                        const summary_options& options = {});

}  // namespace perdure::inspect
