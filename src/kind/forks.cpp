// Kinds at a fork. A fork copies only the thread that calls it, so that thread holds
// the locks of all kinds meanwhile. Kinds whose memory parent and child share belong to the parent
// afterwards: else both would hand out the same blocks.
#include "os/forks.hpp"

#include <new>

#include "kind/kind_state.hpp"

namespace perdure::detail {

namespace {

void before_fork() {
  kind_list& list = every_kind();
  list.mutex.lock();
  for (kind* k : list.kinds)
    if (heap* const memory = kind_access::state_of(*k).memory) memory->lock();
}

void unlock_all() {
  kind_list& list = every_kind();
  for (kind* k : list.kinds)
    if (heap* const memory = kind_access::state_of(*k).memory) memory->unlock();
  list.mutex.unlock();
}

void after_fork_in_child() {
  for (kind* k : every_kind().kinds) {
    kind_state& state = kind_access::state_of(*k);
    // Threads that were inside a hook do not exist in the child, so nobody would unlock.
    new (&state.decorating) std::shared_mutex;
    new (&state.sizing) std::mutex;
    if (state.is_private) continue;
    state.belongs_to_parent = true;
    kind_access::update_short_way(*k);
  }
  unlock_all();
}

}  // namespace

void watch_forks() {
  static constexpr os::fork_handlers handlers{before_fork, unlock_all, after_fork_in_child};
  os::watch_forks(os::fork_layer::kinds, handlers);
}

}  // namespace perdure::detail
