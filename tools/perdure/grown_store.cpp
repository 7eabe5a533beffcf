#include "grown_store.hpp"

#include <perdure/datastore.hpp>
#include <perdure/manager.hpp>

#include "units.hpp"

namespace perdure::cli {
namespace {

store_info info_of(const std::filesystem::path& store) {
  return manager::exists(store) ? store_maintenance::inspect(store) : store_info{};
}

}  // namespace

void tell_grown_store(json& findings, const std::filesystem::path& store, std::uint64_t checkpoints) {
  const store_info info = info_of(store);
  findings["checkpoints"] = checkpoints;
  findings["epoch"] = info.epoch;
  findings["disk_bytes"] = info.disk_bytes;
}

void tell_grown_store(output& out, const std::filesystem::path& store) {
  const store_info info = info_of(store);
  out.write("store          " + store.string() + ", epoch " + grouped(info.epoch) + ", " +
            in_bytes(info.disk_bytes) + " on disk\n");
}

}  // namespace perdure::cli
