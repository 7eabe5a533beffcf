// The work of the layers when the process forks, in one order.
//
// A fork copies only the thread that calls it. So that thread takes the locks which the child needs, and lets
// them go again in the parent and in the child.
#pragma once

namespace perdure::os {

/// The layers that prepare for a fork, in the order in which they do it; afterwards they are called in the
/// opposite order. A layer that may wait for a lock of another while it holds its own comes before that
/// layer.
enum class fork_layer : unsigned {
  program_mappings,  ///< addons/pager_preload
  process_heap,      ///< addons/malloc
  store_locks,       ///< src/store/file
  kinds,             ///< src/kind: the list, and all locks of each kind's heap
  heap_caches,       ///< src/heap: the lists of caches and of heaps
  publications,      ///< src/pager
  withheld_memory,   ///< src/os: waits for nobody, and takes its ranges before anything else of the child
                     ///< comes to lie there
};
inline constexpr unsigned fork_layers = 7;

/// Each may be null. None may throw.
struct fork_handlers {
  void (*prepare)() = nullptr;    ///< in the thread that forks, before
  void (*in_parent)() = nullptr;  ///< in that thread, after
  void (*in_child)() = nullptr;   ///< in the only thread of the child
};

/// Has the handlers, which must never be destroyed, called at each fork(2) from now on, in the place of those
/// that the layer had. Not called for vfork, posix_spawn and a bare clone(2). Thread-safe. Throws
/// std::bad_alloc.
void watch_forks(fork_layer layer, const fork_handlers& handlers);

}  // namespace perdure::os
