// Element types of stores and of NumPy.
#pragma once

#include <nanobind/nanobind.h>

#include <perdure/data_type.hpp>

namespace perdure::python {

/// Returns the NumPy type of elements, from a table or from `perdure._dtypes.to_dtype`. Needs the GIL.
nanobind::object dtype_of(const data_type& type);

/// Adds `DataType` to the module.
void bind_data_types(nanobind::module_& module);

}  // namespace perdure::python
