// Containers of Python values in stores.
#pragma once

#include <nanobind/nanobind.h>

#include "open_store.hpp"

namespace perdure::python {

/// Adds the functions that find and destroy containers to `StoreCore`.
void bind_container_kinds(nanobind::class_<open_store>& store);

/// Adds `DictBase`, `ListBase` and `SetBase`, which perdure.Dict, List and Set are made of, to the module.
void bind_containers(nanobind::module_& module);

}  // namespace perdure::python
