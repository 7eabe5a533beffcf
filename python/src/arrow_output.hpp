// Tables given to other libraries by Arrow's C stream interface, without a copy.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "arrow_abi.hpp"
#include "arrow_field.hpp"

namespace perdure::python {

/// Buffers of a column in one record batch. A bitmap is null where there are no nulls.
struct arrow_piece {
  std::int64_t length = 0;
  std::int64_t nulls = 0;   ///< -1: not counted
  std::int64_t offset = 0;  ///< values to skip at the beginning of each buffer
  std::array<const void*, parts_of_column> buffers{};
};

/// Record batches, and the memory that they lie in.
struct arrow_table {
  arrow_field schema;
  std::vector<std::vector<arrow_piece>> batches;  ///< pieces by the slots of `schema`
  std::shared_ptr<const void> memory;             ///< goes when the last batch is released, on any thread
};

/// Returns an address for a buffer of no elements.
const void* no_elements() noexcept;

/// Returns a capsule "arrow_array_stream" of the batches.
nanobind::object stream_capsule(std::shared_ptr<const arrow_table> table);
/// Returns a capsule "arrow_schema".
nanobind::object schema_capsule(const arrow_field& schema);

}  // namespace perdure::python
