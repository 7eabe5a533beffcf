// The volatile part of a heap that makes allocation fast: per thread and heap, a stack of free blocks per
// size class. Only the owning thread touches it, so the hot path has no lock and no atomic operation.
#pragma once

#include <atomic>
#include <cstdint>
#include <perdure/detail/size_classes.hpp>

namespace perdure {
class heap;
}

namespace perdure::detail {

struct cache_bin {
  std::uint32_t count = 0;
  std::uint32_t capacity = 0;  // grows with use up to the class's limit, so idle classes hold nothing
  void** blocks = nullptr;     // blocks[0, count): the most recently freed last
};

struct thread_cache {
  /// Null once the heap is gone; then the thread may give this cache to another heap.
  std::atomic<heap*> owner{nullptr};
  cache_bin bins[class_count];
};

/// The cache this thread used last; never null (at first an empty one that belongs to no heap).
/// Initial-exec: eight bytes of static TLS buy an access without a call, also in the shared library.
extern __thread thread_cache* current_cache __attribute__((tls_model("initial-exec")));

}  // namespace perdure::detail
