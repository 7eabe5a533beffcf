// Bandwidth and latency of memory from libhwloc, which knows more sources than sysfs. The library is loaded
// if it is there, so that nothing depends on it.
#include "os/numa_topology.hpp"

#if __has_include(<hwloc.h>)
#include <dlfcn.h>
#include <hwloc.h>

#include <cstdlib>
#include <memory>
#include <string>

namespace perdure::os {

namespace {

#if HWLOC_API_VERSION >= 0x00020300

template <class Function>
bool load(void* library, const char* name, Function*& function) noexcept {
  function = reinterpret_cast<Function*>(::dlsym(library, name));
  return function != nullptr;
}

struct hwloc_functions {
  decltype(&::hwloc_topology_init) init;
  decltype(&::hwloc_topology_load) load_topology;
  decltype(&::hwloc_topology_destroy) destroy;
  decltype(&::hwloc_get_type_depth) type_depth;
  decltype(&::hwloc_get_nbobjs_by_depth) count;
  decltype(&::hwloc_get_obj_by_depth) object;
  decltype(&::hwloc_memattr_get_best_initiator) best;

  bool load_from(void* library) noexcept {
    return load(library, "hwloc_topology_init", init) &&
           load(library, "hwloc_topology_load", load_topology) &&
           load(library, "hwloc_topology_destroy", destroy) &&
           load(library, "hwloc_get_type_depth", type_depth) &&
           load(library, "hwloc_get_nbobjs_by_depth", count) &&
           load(library, "hwloc_get_obj_by_depth", object) &&
           load(library, "hwloc_memattr_get_best_initiator", best);
  }
};

bool read_from(const hwloc_functions& hwloc, hwloc_topology_t loaded, numa_topology& topology) {
  bool any = false;
  const int depth = hwloc.type_depth(loaded, HWLOC_OBJ_NUMANODE);
  for (unsigned i = 0; i < hwloc.count(loaded, depth); ++i) {
    const hwloc_obj_t object = hwloc.object(loaded, depth, i);
    for (numa_node& node : topology.nodes) {
      if (object == nullptr || node.number != object->os_index) continue;
      hwloc_location initiator{};
      hwloc_uint64_t value = 0;
      if (hwloc.best(loaded, HWLOC_MEMATTR_ID_BANDWIDTH, object, 0, &initiator, &value) == 0 && value != 0) {
        node.bandwidth = value;
        any = true;
      }
      if (hwloc.best(loaded, HWLOC_MEMATTR_ID_LATENCY, object, 0, &initiator, &value) == 0 && value != 0) {
        node.latency = value;
        any = true;
      }
    }
  }
  return any;
}

#endif

}  // namespace

bool add_hwloc_attributes(numa_topology& topology, const std::filesystem::path& root) {
#if HWLOC_API_VERSION >= 0x00020300
  // Never closed: hwloc's plugins may leave things behind.
  static void* const library = ::dlopen("libhwloc.so.15", RTLD_NOW | RTLD_LOCAL);
  hwloc_functions hwloc{};
  if (library == nullptr || !hwloc.load_from(library)) return false;
  const bool elsewhere = root != "/";
  if (elsewhere) ::setenv("HWLOC_FSROOT", root.c_str(), 1);
  hwloc_topology_t loaded = nullptr;
  bool any = false;
  if (hwloc.init(&loaded) == 0) {
    if (hwloc.load_topology(loaded) == 0) any = read_from(hwloc, loaded, topology);
    hwloc.destroy(loaded);
  }
  if (elsewhere) ::unsetenv("HWLOC_FSROOT");
  if (any) topology.source = "hwloc";
  return any;
#else
  static_cast<void>(topology);
  static_cast<void>(root);
  return false;
#endif
}

}  // namespace perdure::os

#else

namespace perdure::os {
bool add_hwloc_attributes(numa_topology&, const std::filesystem::path&) {
  return false;
}
}  // namespace perdure::os

#endif
