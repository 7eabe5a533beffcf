// Python values as bytes, which containers of stores have as their keys and values.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

namespace perdure::python {

// A cell is one byte that names the kind, and bytes that depend on it (docs/reference/python.md).

/// Appends the cell of a value: None, bool, int, float, str, bytes, tuples of these, and NumPy's arrays
/// unless it is a key. Numbers that are equal have the same cell as keys. Throws `wrong_type` for other
/// values.
void append_cell(std::string& to, nanobind::handle value, bool is_key);

/// Adds `encode_cell` to the module.
void bind_cells(nanobind::module_& module);

/// Returns the value of a cell. Throws `damaged` if there is none of such bytes.
nanobind::object value_of_cell(std::string_view cell);

}  // namespace perdure::python
