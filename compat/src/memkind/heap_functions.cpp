// memkind_malloc and its like: memkind's conventions over a kind's functions.
#include <cerrno>

#include "memkind/kind_table.hpp"
#include "memkind/settings.hpp"

// Defined by the program, or null.
#define PERDURE_WEAK __attribute__((weak))
extern "C" {
PERDURE_WEAK void memkind_malloc_pre(memkind_t*, size_t*);
PERDURE_WEAK void memkind_malloc_post(memkind_t, size_t, void**);
PERDURE_WEAK void memkind_calloc_pre(memkind_t*, size_t*, size_t*);
PERDURE_WEAK void memkind_calloc_post(memkind_t, size_t, size_t, void**);
PERDURE_WEAK void memkind_posix_memalign_pre(memkind_t*, void**, size_t*, size_t*);
PERDURE_WEAK void memkind_posix_memalign_post(memkind_t, void**, size_t, size_t, int*);
PERDURE_WEAK void memkind_realloc_pre(memkind_t*, void**, size_t*);
PERDURE_WEAK void memkind_realloc_post(memkind_t, void*, size_t, void**);
PERDURE_WEAK void memkind_free_pre(memkind_t*, void**);
PERDURE_WEAK void memkind_free_post(memkind_t, void*);
}

namespace perdure::memkind_compat {

namespace {

constexpr std::size_t large_block = std::size_t{1} << 20;

void* fail(int code) noexcept {
  errno = code;
  return nullptr;
}

void* allocate(memkind_t of, std::size_t bytes) noexcept {
  if (of == nullptr) return fail(EINVAL);
  if (bytes == 0) return nullptr;
  kind* const live = kind_of(*of);
  return live != nullptr ? live->malloc(bytes) : fail(ENOMEM);
}

void* allocate_zeros(memkind_t of, std::size_t number, std::size_t bytes) noexcept {
  if (of == nullptr) return fail(EINVAL);
  if (number == 0 || bytes == 0) return nullptr;
  kind* const live = kind_of(*of);
  return live != nullptr ? live->calloc(number, bytes) : fail(ENOMEM);
}

int allocate_aligned(memkind_t of, void** block, std::size_t alignment, std::size_t bytes) noexcept {
  if (of == nullptr || block == nullptr) return EINVAL;
  if (alignment < sizeof(void*) || (alignment & (alignment - 1)) != 0) return EINVAL;
  if (bytes == 0) {
    *block = nullptr;
    return 0;
  }
  // POSIX: errno is not the function's to set.
  const int before = errno;
  kind* const live = kind_of(*of);
  const int status = live != nullptr ? live->posix_memalign(block, alignment, bytes) : ENOMEM;
  errno = before;
  return status;
}

void release(memkind_t of, void* block) noexcept {
  if (block == nullptr) return;
  kind* const live = of != nullptr ? kind_of(*of) : kind::detect(block);
  if (live == nullptr) return debug("what was freed is no block of any kind");
  bool trims = false;
  if (any_trims.load(std::memory_order_relaxed)) {
    memkind_t const owner = of != nullptr ? of : find(live);
    trims = owner != nullptr && owner->trims_on_free && live->usable_size(block) >= large_block;
  }
  if (!live->free(block)) return debug("what was freed is no block of that kind");
  if (trims) live->trim();
}

void* reallocate(memkind_t of, void* block, std::size_t bytes) noexcept {
  if (block == nullptr) return allocate(of, bytes);
  if (bytes == 0) {
    release(of, block);
    return nullptr;
  }
  kind* const live = of != nullptr ? kind_of(*of) : kind::detect(block);
  return live != nullptr ? live->realloc(block, bytes) : fail(EINVAL);
}

}  // namespace

}  // namespace perdure::memkind_compat

using namespace perdure::memkind_compat;

extern "C" {

void* memkind_malloc(memkind_t kind, size_t size) {
  if (memkind_malloc_pre != nullptr) memkind_malloc_pre(&kind, &size);
  void* result = allocate(kind, size);
  if (memkind_malloc_post != nullptr) memkind_malloc_post(kind, size, &result);
  return result;
}

void* memkind_calloc(memkind_t kind, size_t num, size_t size) {
  if (memkind_calloc_pre != nullptr) memkind_calloc_pre(&kind, &num, &size);
  void* result = allocate_zeros(kind, num, size);
  if (memkind_calloc_post != nullptr) memkind_calloc_post(kind, num, size, &result);
  return result;
}

int memkind_posix_memalign(memkind_t kind, void** memptr, size_t alignment, size_t size) {
  if (memkind_posix_memalign_pre != nullptr) memkind_posix_memalign_pre(&kind, memptr, &alignment, &size);
  int err = allocate_aligned(kind, memptr, alignment, size);
  if (memkind_posix_memalign_post != nullptr)
    memkind_posix_memalign_post(kind, memptr, alignment, size, &err);
  return err;
}

void* memkind_realloc(memkind_t kind, void* ptr, size_t size) {
  if (memkind_realloc_pre != nullptr) memkind_realloc_pre(&kind, &ptr, &size);
  void* result = reallocate(kind, ptr, size);
  if (memkind_realloc_post != nullptr) memkind_realloc_post(kind, ptr, size, &result);
  return result;
}

void memkind_free(memkind_t kind, void* ptr) {
  if (memkind_free_pre != nullptr) memkind_free_pre(&kind, &ptr);
  release(kind, ptr);
  if (memkind_free_post != nullptr) memkind_free_post(kind, ptr);
}

size_t memkind_malloc_usable_size(memkind_t kind, MEMKIND_MALLOC_USABLE_SIZE_CONST void* ptr) {
  if (ptr == nullptr) return 0;
  perdure::kind* const live = kind != nullptr ? kind_of(*kind) : perdure::kind::detect(ptr);
  return live != nullptr ? live->usable_size(ptr) : 0;
}

void* memkind_defrag_reallocate(memkind_t kind, void* ptr) {
  if (ptr == nullptr) return nullptr;
  perdure::kind* const live = kind != nullptr ? kind_of(*kind) : perdure::kind::detect(ptr);
  return live != nullptr ? live->defragment(ptr) : nullptr;
}

memkind_t memkind_detect_kind(void* ptr) {
  return find(ptr == nullptr ? nullptr : perdure::kind::detect(ptr));
}

}  // extern "C"
