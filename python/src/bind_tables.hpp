// Tables of a store, from and to Arrow's C interfaces.
#pragma once

#include <nanobind/nanobind.h>

#include "open_store.hpp"

namespace perdure::python {

/// Adds `ArrowField`, `ArrowInput` and what streams are made of to the module.
void bind_arrow(nanobind::module_& module);

/// Adds members for tables to `StoreCore`.
void bind_tables(nanobind::class_<open_store>& bound);

}  // namespace perdure::python
