// mmap and what is done to mappings, in the program's way. Whatever does not concern a paged mapping goes to
// the kernel as it is.
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/mman.h>

#include "pager_preload/c_library.hpp"
#include "pager_preload/paged_mappings.hpp"

#define PERDURE_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using namespace perdure::pager_preload;
namespace pager = perdure::pager;

constexpr int collapse = 25;       // MADV_COLLAPSE
constexpr int populate_read = 22;  // MADV_POPULATE_READ
constexpr int page_out = 21;       // MADV_PAGEOUT
constexpr int cold = 20;           // MADV_COLD

bool is_at_page(const void* address) noexcept {
  return reinterpret_cast<uintptr_t>(address) % 4096 == 0;
}

void* map(void* address, size_t bytes, int protection, int flags, int file, off_t offset) noexcept {
  if (address == nullptr) {
    if (void* const paged = map_paged(bytes, protection, flags, file, offset)) return paged;
  } else if ((flags & MAP_FIXED) != 0 && !leave_to_kernel(address, bytes)) {
    return MAP_FAILED;
  }
  return kernel::map(address, bytes, protection, flags, file, offset);
}

int advise_paged(void* address, size_t bytes, int what) noexcept {
  auto* const begin = static_cast<std::byte*>(address);
  switch (what) {
    case MADV_NORMAL:
    case MADV_SEQUENTIAL:
      advise(begin, bytes, pager::advice::normal);
      return 0;
    case MADV_RANDOM:
      advise(begin, bytes, pager::advice::random);
      return 0;
    case MADV_WILLNEED:
    case populate_read:
      advise(begin, bytes, pager::advice::will_need);
      return 0;
    case MADV_DONTNEED:
    case cold:
    case page_out:
      advise(begin, bytes, pager::advice::dont_need);
      return 0;
    case MADV_HUGEPAGE:
    case MADV_NOHUGEPAGE:
    case collapse:
    case MADV_MERGEABLE:
    case MADV_UNMERGEABLE:
    case MADV_DODUMP:
    case MADV_DONTDUMP:
      return 0;  // of no consequence for what the program sees
    default:
      return leave_to_kernel(address, bytes) ? kernel::advise(address, bytes, what) : -1;
  }
}

}  // namespace

PERDURE_EXPORT void* mmap(void* address, size_t bytes, int protection, int flags, int file,
                          off_t offset) noexcept {
  return map(address, bytes, protection, flags, file, offset);
}

PERDURE_EXPORT void* mmap64(void* address, size_t bytes, int protection, int flags, int file,
                            off64_t offset) noexcept {
  return map(address, bytes, protection, flags, file, offset);
}

PERDURE_EXPORT int munmap(void* address, size_t bytes) noexcept {
  if (!is_paged(address, bytes) || !is_at_page(address)) return kernel::unmap(address, bytes);
  return unmap(static_cast<std::byte*>(address), bytes);
}

PERDURE_EXPORT int madvise(void* address, size_t bytes, int what) noexcept {
  if (!is_paged(address, bytes)) return kernel::advise(address, bytes, what);
  if (!is_at_page(address)) {
    errno = EINVAL;
    return -1;
  }
  if (is_within_one(address, bytes)) return advise_paged(address, bytes, what);
  return leave_to_kernel(address, bytes) ? kernel::advise(address, bytes, what) : -1;
}

PERDURE_EXPORT int posix_madvise(void* address, size_t bytes, int what) noexcept {
  static_assert(POSIX_MADV_NORMAL == MADV_NORMAL && POSIX_MADV_RANDOM == MADV_RANDOM &&
                POSIX_MADV_SEQUENTIAL == MADV_SEQUENTIAL && POSIX_MADV_WILLNEED == MADV_WILLNEED);
  // In the C library too this one does nothing: POSIX forbids it to lose data.
  if (what == POSIX_MADV_DONTNEED) return 0;
  const int saved = errno;
  const int result = madvise(address, bytes, what) == 0 ? 0 : errno;
  errno = saved;
  return result;
}

PERDURE_EXPORT int mprotect(void* address, size_t bytes, int protection) noexcept {
  if (is_paged(address, bytes)) {
    if (protection == PROT_READ && is_at_page(address) && is_within_one(address, bytes)) return 0;
    if (!leave_to_kernel(address, bytes)) return -1;
  }
  return kernel::protect(address, bytes, protection);
}

PERDURE_EXPORT void* mremap(void* address, size_t bytes, size_t new_bytes, int flags, ...) noexcept {
  void* target = nullptr;
  if ((flags & MREMAP_FIXED) != 0) {
    va_list more;
    va_start(more, flags);
    target = va_arg(more, void*);
    va_end(more);
    if (!leave_to_kernel(target, new_bytes)) return MAP_FAILED;
  }
  if (!leave_to_kernel(address, bytes == 0 ? 1 : bytes)) return MAP_FAILED;
  return kernel::remap(address, bytes, new_bytes, flags, target);
}

// Who wants memory to stay says so of all of it, so a budget has no more say.
PERDURE_EXPORT int mlock(const void* address, size_t bytes) noexcept {
  return leave_to_kernel(address, bytes) ? kernel::lock(address, bytes) : -1;
}

PERDURE_EXPORT int mlock2(const void* address, size_t bytes, unsigned flags) noexcept {
  return leave_to_kernel(address, bytes) ? kernel::lock(address, bytes, flags) : -1;
}
