// malloc and its like on Perdure's heap, for LD_PRELOAD.
//
// A block belongs to the heap in whose address range it lies, or else to the C library: memory given out
// before this library was ready, while a thread was inside the heap, where the heap could not serve, and for
// alignments above 2 MiB comes from there, and goes back there.
#include <dlfcn.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <perdure/detail/size_classes.hpp>
#include <utility>

#include "malloc/c_library.hpp"
#include "malloc/process_heap.hpp"
#include "os/clear_memory.hpp"
#include "os/mapping.hpp"

#define PERDURE_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using perdure::heap;
namespace process_heap = perdure::process_heap;

constexpr std::size_t most_bytes = std::numeric_limits<std::ptrdiff_t>::max();
constexpr std::size_t most_alignment = std::size_t{2} << 20;  // the heap's
constexpr std::size_t least_bytes = 16;                       // smaller blocks are aligned to 8 only

/// Blocks from here on are cleared by giving their pages back.
constexpr std::size_t least_cleared_by_kernel = std::size_t{1} << 20;
/// Largest request that is granted without asking the system whether it is too much.
constexpr std::size_t most_unasked = std::size_t{64} << 20;
/// Bytes of large blocks freed, and not taken again, until free memory is given back to the system.
constexpr std::ptrdiff_t freed_until_trim = std::ptrdiff_t{64} << 20;
/// Bytes that a thread counts on its own before it adds them to the common count.
constexpr std::ptrdiff_t most_untold = freed_until_trim / 16;
std::atomic<std::ptrdiff_t> freed{0};
__thread std::ptrdiff_t freed_by_thread __attribute__((tls_model("initial-exec"))) = 0;

/// Counts bytes of large blocks that were freed, or with a minus taken. Returns whether to give memory back.
bool count_freed(std::ptrdiff_t bytes) noexcept {
  freed_by_thread += bytes;
  if (std::abs(freed_by_thread) < most_untold) [[likely]]
    return false;
  const std::ptrdiff_t told = std::exchange(freed_by_thread, 0);
  const std::ptrdiff_t all = freed.fetch_add(told, std::memory_order_relaxed) + told;
  const bool is_enough = all >= freed_until_trim;
  // What is taken beyond what was freed is new memory.
  if (is_enough || all < 0) freed.store(0, std::memory_order_relaxed);
  return is_enough;
}

bool is_ours(const void* block) noexcept {
  return heap::containing(block) != nullptr;
}

std::size_t page_bytes() noexcept {
  static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

/// Returns whether the system has this much memory. The heap's reservation alone would allow any size.
bool may_have(std::size_t bytes) noexcept {
  return bytes <= most_unasked || !perdure::os::is_obvious_overcommit(bytes);
}

/// Null where the heap cannot serve.
void* from_heap(std::size_t bytes, std::size_t alignment = 1) noexcept {
  heap* const h = process_heap::get();
  if (h == nullptr || !may_have(bytes)) return nullptr;
  const process_heap::visit inside(*h);
  try {
    bytes = std::max(bytes, least_bytes);
    void* const block = alignment <= 16 ? h->allocate(bytes) : h->allocate(bytes, alignment);
    if (bytes > perdure::detail::max_small_size) count_freed(-static_cast<std::ptrdiff_t>(bytes));
    return block;
  } catch (...) {
    return nullptr;
  }
}

void* fail(int error) noexcept {
  errno = error;
  return nullptr;
}

void* aligned_block(std::size_t alignment, std::size_t bytes) noexcept {
  if (bytes > most_bytes) return fail(ENOMEM);
  if (alignment <= most_alignment)
    if (void* const block = from_heap(bytes, alignment)) return block;
  return __libc_memalign(alignment, bytes);
}

void give_back(void* block) noexcept {
  heap* const h = heap::containing(block);
  if (process_heap::is_inside) [[unlikely]] {
    *static_cast<void**>(block) = process_heap::freed_meanwhile;
    process_heap::freed_meanwhile = block;
    return;
  }
  const process_heap::visit inside(*h);
  const bool large = perdure::detail::class_byte(block) == 0;
  const std::size_t bytes = large ? h->usable_size(block) : 0;
  h->deallocate(block);
  if (!large || !count_freed(static_cast<std::ptrdiff_t>(bytes))) return;
  try {
    h->trim();
  } catch (...) {
    // The memory stays with the heap, to be used again.
  }
}

std::size_t usable_size_of_c_library(void* block) noexcept {
  using function = std::size_t (*)(void*);
  static std::atomic<function> known{nullptr};
  function f = known.load(std::memory_order_acquire);
  if (f == nullptr) {
    f = reinterpret_cast<function>(::dlsym(RTLD_NEXT, "malloc_usable_size"));
    known.store(f, std::memory_order_release);
  }
  return f == nullptr ? 0 : f(block);
}

}  // namespace

PERDURE_EXPORT void* malloc(std::size_t bytes) noexcept {
  if (bytes > most_bytes) return fail(ENOMEM);
  if (void* const block = from_heap(bytes)) [[likely]]
    return block;
  return __libc_malloc(bytes);
}

PERDURE_EXPORT void free(void* block) noexcept {
  if (block == nullptr) return;
  const int saved = errno;
  if (is_ours(block)) [[likely]]
    give_back(block);
  else
    __libc_free(block);
  errno = saved;
}

PERDURE_EXPORT void* calloc(std::size_t count, std::size_t bytes) noexcept {
  std::size_t total;
  if (__builtin_mul_overflow(count, bytes, &total) || total > most_bytes) return fail(ENOMEM);
  void* const block = from_heap(total);
  if (block == nullptr) return __libc_calloc(count, bytes);
  perdure::os::clear_anonymous(block, total, least_cleared_by_kernel);
  return block;
}

PERDURE_EXPORT void* realloc(void* block, std::size_t bytes) noexcept {
  if (block == nullptr) return malloc(bytes);
  if (bytes == 0) {
    free(block);
    return nullptr;
  }
  if (bytes > most_bytes) return fail(ENOMEM);
  if (!is_ours(block)) return __libc_realloc(block, bytes);
  heap* const h = heap::containing(block);
  if (bytes > most_unasked && bytes > h->usable_size(block) && !may_have(bytes - h->usable_size(block)))
    return fail(ENOMEM);
  if (!process_heap::is_inside) {
    const process_heap::visit inside(*h);
    try {
      return h->reallocate(block, std::max(bytes, least_bytes));
    } catch (...) {
      // The block is as it was.
    }
  }
  const std::size_t old_bytes = h->usable_size(block);
  void* const moved = __libc_malloc(bytes);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, block, std::min(bytes, old_bytes));
  free(block);
  return moved;
}

PERDURE_EXPORT void* reallocarray(void* block, std::size_t count, std::size_t bytes) noexcept {
  std::size_t total;
  if (__builtin_mul_overflow(count, bytes, &total)) return fail(ENOMEM);
  return realloc(block, total);
}

PERDURE_EXPORT void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  // As in the C library, any other alignment is rounded up to a power of two.
  constexpr std::size_t most = (std::numeric_limits<std::size_t>::max() >> 1) + 1;
  if (alignment > most) return fail(EINVAL);
  return aligned_block(std::bit_ceil(alignment), bytes);
}

PERDURE_EXPORT void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  if (!std::has_single_bit(alignment)) return fail(EINVAL);
  return aligned_block(alignment, bytes);
}

PERDURE_EXPORT int posix_memalign(void** result, std::size_t alignment, std::size_t bytes) noexcept {
  if (!std::has_single_bit(alignment) || alignment % sizeof(void*) != 0) return EINVAL;
  const int saved = errno;
  void* const block = aligned_block(alignment, bytes);
  errno = saved;
  if (block == nullptr) return ENOMEM;
  *result = block;
  return 0;
}

PERDURE_EXPORT void* valloc(std::size_t bytes) noexcept {
  return aligned_block(page_bytes(), bytes);
}

PERDURE_EXPORT void* pvalloc(std::size_t bytes) noexcept {
  const std::size_t page = page_bytes();
  if (bytes > most_bytes - page) return fail(ENOMEM);
  return aligned_block(page, (bytes + page - 1) / page * page);
}

PERDURE_EXPORT std::size_t malloc_usable_size(void* block) noexcept {
  if (block == nullptr) return 0;
  const heap* const h = heap::containing(block);
  return h != nullptr ? h->usable_size(block) : usable_size_of_c_library(block);
}

/// Gives whole chunks of free memory back to the system. `pad` has no effect.
PERDURE_EXPORT int malloc_trim(std::size_t) noexcept {
  heap* const h = process_heap::get();
  if (h == nullptr) return 0;
  const process_heap::visit inside(*h);
  try {
    // Memory goes when it was found free twice.
    const bool first = h->trim();
    return h->trim() || first ? 1 : 0;
  } catch (...) {
    return 0;
  }
}

/// None of the C library's parameters has a meaning here: nothing is set.
PERDURE_EXPORT int mallopt(int, int) noexcept {
  return 0;
}

/// Returns counts of the heap. Blocks in threads' caches count as in use; blocks of the C library do not
/// count.
PERDURE_EXPORT struct mallinfo2 mallinfo2() noexcept {
  struct mallinfo2 result {};
  heap* const h = process_heap::get();
  if (h == nullptr) return result;
  const process_heap::visit inside(*h);
  const perdure::heap_stats stats = h->stats();
  result.arena = stats.segment_bytes;
  result.uordblks = stats.used_bytes;
  result.fordblks = stats.free_bytes;
  return result;
}

/// Returns the counts of `mallinfo2`, limited to the range of an int.
PERDURE_EXPORT struct mallinfo mallinfo() noexcept {
  const struct mallinfo2 wide = mallinfo2();
  const auto cut = [](std::size_t n) {
    return static_cast<int>(std::min<std::size_t>(n, std::numeric_limits<int>::max()));
  };
  struct mallinfo result {};
  result.arena = cut(wide.arena);
  result.uordblks = cut(wide.uordblks);
  result.fordblks = cut(wide.fordblks);
  return result;
}

PERDURE_EXPORT void malloc_stats() noexcept {
  const struct mallinfo2 now = mallinfo2();
  char text[160];
  const int length = std::snprintf(text, sizeof text, "perdure-malloc: %zu bytes in use, %zu free, of %zu\n",
                                   now.uordblks, now.fordblks, now.arena);
  const auto ignored = ::write(STDERR_FILENO, text, static_cast<std::size_t>(std::max(length, 0)));
  static_cast<void>(ignored);
}

/// 1 if Perdure's heap serves this process, 0 if the C library does because there was not address space
/// enough. For programs that want to know: by dlsym.
PERDURE_EXPORT int perdure_malloc_is_active() noexcept {
  return process_heap::get() != nullptr ? 1 : 0;
}
