// perdure.Error, and how the library's errors become Python exceptions.
#pragma once

#include <nanobind/nanobind.h>

namespace perdure::python {

/// Adds `Error` and its subclasses to the module, and has errors of the library raised as them.
void bind_errors(nanobind::module_& module);

}  // namespace perdure::python
