// Calls the handlers of all layers at a fork, by one registration with the C library.
#include "os/forks.hpp"

#include <pthread.h>

#include <array>
#include <atomic>
#include <new>

namespace perdure::os {

namespace {

// Null until the layer watches forks. All calls for a layer bring the same handlers.
constinit std::array<std::atomic<const fork_handlers*>, fork_layers> layers{};

// Layers that have prepared for the fork of this thread, a bit for each: another thread may make a layer
// known meanwhile.
thread_local unsigned prepared = 0;

void prepare() {
  prepared = 0;
  for (unsigned i = 0; i < fork_layers; ++i) {
    const fork_handlers* const handlers = layers[i].load();
    if (handlers == nullptr) continue;
    if (handlers->prepare != nullptr) handlers->prepare();
    prepared |= 1U << i;
  }
}

void release(void (*fork_handlers::*handler)()) {
  for (unsigned i = fork_layers; i-- != 0;) {
    if ((prepared >> i & 1U) == 0) continue;
    if (const auto call = layers[i].load()->*handler; call != nullptr) call();
  }
}

}  // namespace

void watch_forks(fork_layer layer, const fork_handlers& handlers) {
  static const int failed = ::pthread_atfork(
      &prepare, [] { release(&fork_handlers::in_parent); }, [] { release(&fork_handlers::in_child); });
  if (failed != 0) throw std::bad_alloc();
  layers[static_cast<unsigned>(layer)] = &handlers;
}

}  // namespace perdure::os
