// Keeps checkpoints away from a change that is half done.
#pragma once

namespace perdure {

class heap;

namespace detail {

struct thread_cache;

/// One change of a heap by the calling thread. From its beginning to its end no checkpoint copies the heap's
/// memory; it waits first for one that is doing so, unless the thread is inside another change of this heap.
/// Ends on the thread that began it. The library's own operations are such changes.
class heap_change {
 public:
  explicit heap_change(heap& memory) noexcept;
  heap_change(const heap_change&) = delete;
  heap_change& operator=(const heap_change&) = delete;
  ~heap_change();

  /// The calling thread's cache of the heap; null where there can be none.
  thread_cache* cache() const noexcept { return cache_; }

 private:
  heap& memory_;
  thread_cache* cache_;
};

}  // namespace detail

/// A guard that makes checkpoints of the store wait while a thread has it: what the thread stores from its
/// beginning to its end is in a checkpoint as a whole or not at all. `manager::writing` and `heap::writing`
/// give it.
///
/// It costs some nanoseconds, and more only while a checkpoint copies memory, for which it waits. Guards of
/// one store may be nested: the inner ones never wait.
///
/// Inside it a thread must not wait for another thread that changes the store, be it for a mutex or a
/// message: that one may be waiting for a checkpoint, and the checkpoint for this guard. So mutexes are
/// locked before the guard begins. It should be short, since all who would change the store wait once a
/// checkpoint does. A checkpoint by the thread itself throws `invalid_argument`.
///
/// It ends on the thread that began it: ending it on another one stops the program with a message. A thread
/// that ends inside a guard is reported on the standard error stream, and its guard counts no more.
class [[nodiscard]] write_guard {
 public:
  /// Begins the guard. Throws `std::bad_alloc`, also in the destructors that end a thread.
  explicit write_guard(heap& memory);
  write_guard(const write_guard&) = delete;
  write_guard& operator=(const write_guard&) = delete;
  ~write_guard();

 private:
  detail::heap_change change_;
  const void* thread_;
};

}  // namespace perdure
