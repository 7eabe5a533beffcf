// Elements of arrays.
#pragma once

#include <cstdint>
#include <memory>
#include <perdure/array/untyped_arrays.hpp>
#include <perdure/data_type.hpp>
#include <perdure/error.hpp>
#include <perdure/graph/detail/held_span.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace perdure::graph::detail {

/// Writes the elements of a part of an array that exists.
template <class Value>
void write_elements(untyped_arrays& arrays, const std::string& id, const slab& where,
                    std::span<const Value> values) {
  if (values.empty()) return;
  arrays.write(id, data_type_of<Value>(), where,
               const_untyped_view::row_major(values.data(), where.count, sizeof(Value)));
}

/// Reads the elements of a part, row-major.
template <class Value>
std::vector<Value> read_elements(const untyped_arrays& arrays, const std::string& id, const slab& where) {
  std::vector<Value> values(where.count.elements());
  if (values.empty()) return values;
  arrays.read(id, data_type_of<Value>(), where,
              untyped_view::row_major(values.data(), where.count, sizeof(Value)));
  return values;
}

/// Returns the elements `[first, first + count)` of an array with one dimension: in place if they lie there
/// in one piece, else read into memory.
template <class Value>
held_span<Value> elements_in_place(const untyped_arrays& arrays, const std::string& id, std::uint64_t first,
                                   std::uint64_t count) {
  if (count == 0) return {};
  const slab where{{first}, {count}, {}};
  try {
    auto held = std::make_shared<viewed_array>(arrays.view_part(id, data_type_of<Value>(), where));
    const auto address = reinterpret_cast<std::uintptr_t>(held->data);
    if (address % alignof(Value) == 0) {
      const std::span<const Value> there(reinterpret_cast<const Value*>(held->data), count);
      return {there, std::move(held)};
    }
  } catch (const error& refusal) {
    if (refusal.code() != errc::unsupported) throw;
  }
  return read_elements<Value>(arrays, id, where);
}

}  // namespace perdure::graph::detail
