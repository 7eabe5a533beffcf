/* Declarations of memkind.h from 0.2 to 1.0 that later versions removed. Programs of that time include it by
   `-include memkind_1_0.h`, others may have such names of their own. */
#pragma once

#include "memkind.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MEMKIND_NAME_LENGTH = 64, MEMKIND_ERROR_REPNAME = -14 };

/* Static kinds, and those that were created and not destroyed. */
int memkind_get_num_kind(int* num_kind);
/* UNAVAILABLE if there is no such kind. */
int memkind_get_kind_by_name(const char* name, memkind_t* kind);
/* Of the kind's memory; INVALID, UNAVAILABLE. */
int memkind_get_size(memkind_t kind, size_t* total, size_t* free);
/* Destroys the kinds that were created and not destroyed. */
int memkind_finalize(void);

/* How a kind of one's own gets its memory. What is null is as in MEMKIND_DEFAULT. Kinds whose table has
   `malloc` hand out memory wholly by themselves; then `free` is needed too. */
struct memkind_ops {
  int (*create)(struct memkind* kind, const struct memkind_ops* ops, const char* name);
  int (*destroy)(struct memkind* kind);
  void* (*malloc)(struct memkind* kind, size_t size);
  void* (*calloc)(struct memkind* kind, size_t num, size_t size);
  int (*posix_memalign)(struct memkind* kind, void** memptr, size_t alignment, size_t size);
  void* (*realloc)(struct memkind* kind, void* ptr, size_t size);
  void (*free)(struct memkind* kind, void* ptr);
  void* (*mmap)(struct memkind* kind, void* addr, size_t size); /* must map at `addr` */
  int (*mbind)(struct memkind* kind, void* ptr, size_t size);
  int (*madvise)(struct memkind* kind, void* addr, size_t size);
  int (*get_mmap_flags)(struct memkind* kind, int* flags);
  int (*get_mbind_mode)(struct memkind* kind, int* mode);
  int (*get_mbind_nodemask)(struct memkind* kind, unsigned long* nodemask, unsigned long maxnode);
  int (*get_arena)(struct memkind* kind, unsigned int* arena); /* not called */
  int (*get_size)(struct memkind* kind, size_t* total, size_t* free);
  int (*check_available)(struct memkind* kind);
  int (*check_addr)(struct memkind* kind, void* addr); /* 0: a block of a kind that has `malloc` */
  void (*init_once)(void);
};

/* BADOPS (no table; `malloc` without `free`), INVALID (name of MEMKIND_NAME_LENGTH or more bytes, or none),
   REPNAME (there is a kind of that name), or what `create` returns. */
int memkind_create(const struct memkind_ops* ops, const char* name, memkind_t* kind);

#ifdef __cplusplus
}
#endif
