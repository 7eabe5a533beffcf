// Opening, checkpoints and closing of stores.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <perdure/manager.hpp>

namespace perdure::python {

/// Returns the store of a perdure.Store, which stays open as long as the result lives. Throws nb::cast_error
/// for other objects, and `unsupported` for a set of stores.
std::shared_ptr<manager> manager_of(nanobind::handle store);

/// Adds `StoreCore`, which perdure.Store is made of, and `PendingCheckpoint` to the module.
void bind_stores(nanobind::module_& module);

}  // namespace perdure::python
