// The C library's own allocator under the names that stay when malloc and its like are replaced.
#pragma once

#include <cstddef>

extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier): the names are glibc's.
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* block, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void* block);
// NOLINTEND(bugprone-reserved-identifier)
}
