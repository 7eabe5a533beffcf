/* What memkind has deprecated, or dropped after 2016, and Perdure offers; memkind.h includes it. */
#pragma once

#include "memkind.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef MEMKIND_DEPRECATED
#define MEMKIND_DEPRECATED(func) func __attribute__((deprecated))
#endif

/* Huge pages of 1 GiB. */
extern memkind_t MEMKIND_GBTLB;
extern memkind_t MEMKIND_HBW_GBTLB;
extern memkind_t MEMKIND_HBW_PREFERRED_GBTLB;

enum memkind_base_partition {
  MEMKIND_PARTITION_DEFAULT = 0,
  MEMKIND_PARTITION_HBW = 1,
  MEMKIND_PARTITION_HBW_HUGETLB = 2,
  MEMKIND_PARTITION_HBW_PREFERRED = 3,
  MEMKIND_PARTITION_HBW_PREFERRED_HUGETLB = 4,
  MEMKIND_PARTITION_HUGETLB = 5,
  MEMKIND_PARTITION_HBW_GBTLB = 6,
  MEMKIND_PARTITION_HBW_PREFERRED_GBTLB = 7,
  MEMKIND_PARTITION_GBTLB = 8,
  MEMKIND_PARTITION_HBW_INTERLEAVE = 9,
  MEMKIND_PARTITION_INTERLEAVE = 10,
  MEMKIND_PARTITION_REGULAR = 11,
  MEMKIND_PARTITION_HBW_ALL = 12,
  MEMKIND_PARTITION_HBW_ALL_HUGETLB = 13,
  MEMKIND_PARTITION_DAX_KMEM = 14,
  MEMKIND_PARTITION_DAX_KMEM_ALL = 15,
  MEMKIND_PARTITION_DAX_KMEM_PREFERRED = 16,
  MEMKIND_PARTITION_DAX_KMEM_INTERLEAVE = 17,
  MEMKIND_PARTITION_HIGHEST_CAPACITY = 18,
  MEMKIND_PARTITION_HIGHEST_CAPACITY_PREFERRED = 19,
  MEMKIND_PARTITION_HIGHEST_CAPACITY_LOCAL = 20,
  MEMKIND_PARTITION_HIGHEST_CAPACITY_LOCAL_PREFERRED = 21,
  MEMKIND_PARTITION_LOWEST_LATENCY_LOCAL = 22,
  MEMKIND_PARTITION_LOWEST_LATENCY_LOCAL_PREFERRED = 23,
  MEMKIND_PARTITION_HIGHEST_BANDWIDTH_LOCAL = 24,
  MEMKIND_PARTITION_HIGHEST_BANDWIDTH_LOCAL_PREFERRED = 25,
  MEMKIND_NUM_BASE_KIND
};

/* UNAVAILABLE if there is no such kind. */
int MEMKIND_DEPRECATED(memkind_get_kind_by_partition(int partition, memkind_t* kind));

/* Of memkind 0.2 to 1.0. */
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
