// Elements of arrays with one dimension.
#pragma once

#include <cstdint>
#include <perdure/array/untyped_arrays.hpp>
#include <perdure/data_type.hpp>
#include <span>
#include <string>
#include <vector>

namespace perdure::graph::detail {

/// Writes elements of an array that exists, from `first` on.
template <class Value>
void write_elements(untyped_arrays& arrays, const std::string& id, std::uint64_t first,
                    std::span<const Value> values) {
  if (values.empty()) return;
  const slab where{{first}, {values.size()}, {}};
  arrays.write(id, data_type_of<Value>(), where,
               const_untyped_view::row_major(values.data(), where.count, sizeof(Value)));
}

/// Reads the elements `[first, first + count)`.
template <class Value>
std::vector<Value> read_elements(const untyped_arrays& arrays, const std::string& id, std::uint64_t first,
                                 std::uint64_t count) {
  std::vector<Value> values(count);
  if (count == 0) return values;
  const slab where{{first}, {count}, {}};
  arrays.read(id, data_type_of<Value>(), where,
              untyped_view::row_major(values.data(), where.count, sizeof(Value)));
  return values;
}

}  // namespace perdure::graph::detail
