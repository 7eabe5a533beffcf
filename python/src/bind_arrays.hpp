// The arrays of an open store.
#pragma once

#include <nanobind/nanobind.h>

#include "open_store.hpp"

namespace perdure::python {

/// Adds the functions of arrays to `StoreCore`.
void bind_arrays(nanobind::class_<open_store>& store);

}  // namespace perdure::python
