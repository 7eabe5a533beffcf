// Copies of stores.
#include "perdure/c/copy.h"

#include "c/handles.hpp"
#include "perdure/datastore.hpp"
#include "perdure/store_maintenance.hpp"

using namespace perdure::c;

perdure_status perdure_store_snapshot(const perdure_store* store, const char* to) {
  return guarded([&] { core_of(store).snapshot(required_text(to, "to")); });
}

perdure_status perdure_store_copy(const char* from, const char* to) {
  return guarded(
      [&] { perdure::store_maintenance::copy(required_text(from, "from"), required_text(to, "to")); });
}
