#include "malloc/process_heap.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <exception>

#include "os/forks.hpp"
#include "segment/volatile_segment.hpp"

namespace perdure::process_heap {

__thread bool is_inside = false;
__thread void* freed_meanwhile = nullptr;
std::atomic<heap*> ready{nullptr};

namespace {

constexpr std::size_t gib = std::size_t{1} << 30;
constexpr std::size_t usual_capacity = 1024 * gib;

enum class state { not_begun, under_way, over };
std::atomic<state> making{state::not_begun};

// Not through stdio, which allocates.
void say(const char* text) noexcept {
  const auto ignored = ::write(STDERR_FILENO, text, std::strlen(text));
  static_cast<void>(ignored);
}

/// Address space for the heap: half of what a limit leaves, so that the program can map as much itself.
std::size_t wanted_capacity() noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return usual_capacity;
  return std::min<std::size_t>(usual_capacity, limit.rlim_cur / 2 / gib * gib);
}

heap* make() noexcept {
  const std::size_t capacity = wanted_capacity();
  if (capacity == 0) {
    say("perdure-malloc: the limit of address space (ulimit -v) is below 2 GiB: the C library's malloc is "
        "used instead\n");
    return nullptr;
  }
  try {
    std::unique_ptr<detail::segment> memory = detail::make_volatile_segment(capacity);
    std::unique_ptr<heap> made = heap::format(*memory);
    // For ever: blocks are freed after every destructor has run.
    static_cast<void>(memory.release());
    return made.release();
  } catch (const std::exception& failure) {
    say("perdure-malloc: ");
    say(failure.what());
    say(": the C library's malloc is used instead\n");
    return nullptr;
  }
}

__thread bool locked_for_fork = false;

// A fork copies only the thread that calls it: the locks must be in its hands. Unless a signal handler forks
// that interrupted the heap: then this thread may hold some of them already, and goes on in the child too.
void before_fork() {
  heap* const h = ready.load(std::memory_order_acquire);
  if (h == nullptr || is_inside) return;
  is_inside = true;
  h->lock();
  locked_for_fork = true;
}
void after_fork() {
  if (!locked_for_fork) return;
  locked_for_fork = false;
  ready.load(std::memory_order_acquire)->unlock();
  is_inside = false;
}

// Registering may need libraries that are not ready at the first call of malloc.
__attribute__((constructor)) void watch_forks() {
  static constexpr os::fork_handlers handlers{before_fork, after_fork, after_fork};
  os::watch_forks(os::fork_layer::process_heap, handlers);
}

}  // namespace

heap* start() noexcept {
  state expected = state::not_begun;
  if (!making.compare_exchange_strong(expected, state::under_way)) return nullptr;
  is_inside = true;
  heap* const made = make();
  is_inside = false;
  ready.store(made, std::memory_order_release);
  making.store(state::over, std::memory_order_release);
  return made;
}

}  // namespace perdure::process_heap
