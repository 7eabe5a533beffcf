// Objects that C++ programs have made: containers and texts as read-only values.
#pragma once

#include <nanobind/nanobind.h>

#include "open_store.hpp"

namespace perdure::python {

/// Adds the functions of objects to `StoreCore`.
void bind_objects(nanobind::class_<open_store>& store);

}  // namespace perdure::python
