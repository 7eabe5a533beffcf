// Whether a store is at a path, and deleting it.
#include "perdure/datastore.hpp"
#include "perdure/detail/manager_core.hpp"
#include "perdure/error.hpp"
#include "perdure/store_maintenance.hpp"

namespace perdure::detail {

bool store_exists(const std::filesystem::path& path) {
  try {
    store_maintenance::inspect(path);
    return true;
  } catch (const error& failure) {
    return failure.code() != errc::not_found && failure.code() != errc::not_a_store;
  }
}

bool remove_store(const std::filesystem::path& path) {
  return store_maintenance::remove(path);
}

}  // namespace perdure::detail
