// perdure.memmap: a file as an array that keeps to a budget of memory.
#pragma once

#include <nanobind/nanobind.h>

namespace perdure::python {

/// Adds `_memmap`, a module with the class `Region`.
void bind_memmap(nanobind::module_& module);

}  // namespace perdure::python
