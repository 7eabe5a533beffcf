// Functions for stores that need not be open: verify, copy, remove, logs, kept checkpoints.
#pragma once

#include <nanobind/nanobind.h>

namespace perdure::python {

/// Adds these functions to the module.
void bind_maintenance(nanobind::module_& module);

}  // namespace perdure::python
