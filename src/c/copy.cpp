// Copies of stores.
#include "perdure/c/copy.h"

#include "c/handles.hpp"
#include "perdure/datastore.hpp"
#include "perdure/store_maintenance.hpp"

using namespace perdure::c;

perdure_status perdure_store_snapshot(const perdure_store* store, const char* to) {
  return guarded([&] {
    const char* const where = required_text(to, "to");
    const perdure_store& opened = object_of(store);
    if (opened.set != nullptr) {
      opened.set->snapshot(where);
    } else {
      core_of(store).snapshot(where);
    }
  });
}

perdure_status perdure_store_copy(const char* from, const char* to) {
  return guarded(
      [&] { perdure::store_maintenance::copy(required_text(from, "from"), required_text(to, "to")); });
}
