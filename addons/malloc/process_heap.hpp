// The heap behind the process's malloc: made at the first use, never destroyed.
#pragma once

#include <atomic>
#include <cstddef>
#include <perdure/heap.hpp>

namespace perdure::process_heap {

/// Set while this thread is inside the heap. What the heap itself allocates meanwhile (a thread's cache, an
/// exception) and what a signal handler asks for comes from the C library's allocator, so the heap is never
/// entered twice.
extern __thread bool is_inside __attribute__((tls_model("initial-exec")));

/// Null until `start` has succeeded.
extern std::atomic<heap*> ready;

/// Makes the heap, once. Null while that is under way, and for ever if it failed: the reason has then been
/// written to the standard error stream.
heap* start() noexcept;

/// The heap, or null where the C library must do.
inline heap* get() noexcept {
  if (is_inside) [[unlikely]]
    return nullptr;
  heap* const made = ready.load(std::memory_order_acquire);
  return made != nullptr ? made : start();
}

/// Blocks a signal handler freed while its thread was inside, linked through their first words.
extern __thread void* freed_meanwhile __attribute__((tls_model("initial-exec")));

/// Marks the thread as inside.
class visit {
 public:
  explicit visit(heap& h) noexcept : heap_(h) { is_inside = true; }
  visit(const visit&) = delete;
  visit& operator=(const visit&) = delete;
  ~visit() {
    while (freed_meanwhile != nullptr) [[unlikely]] {
      void* const block = freed_meanwhile;
      freed_meanwhile = *static_cast<void**>(block);
      heap_.deallocate(block);
    }
    is_inside = false;
  }

 private:
  heap& heap_;
};

}  // namespace perdure::process_heap
