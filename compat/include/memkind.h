/* The interface of memkind 1.14 over Perdure's kinds, for programs written for it; see
 * docs/reference/compatibility.md.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* So that any value may be passed, to be refused. */
#ifdef __cplusplus
#define PERDURE_UNSIGNED_ENUM : unsigned
#else
#define PERDURE_UNSIGNED_ENUM
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Defined as `const` by programs that pass pointers to constant memory. */
#ifndef MEMKIND_MALLOC_USABLE_SIZE_CONST
#define MEMKIND_MALLOC_USABLE_SIZE_CONST
#endif

/* Bits, to be combined for `memkind_create_kind`. */
typedef enum memkind_memtype_t PERDURE_UNSIGNED_ENUM {
  MEMKIND_MEMTYPE_DEFAULT = 1 << 0,
  MEMKIND_MEMTYPE_HIGH_BANDWIDTH = 1 << 1
} memkind_memtype_t;

typedef enum memkind_policy_t PERDURE_UNSIGNED_ENUM {
  MEMKIND_POLICY_BIND_LOCAL = 0,  /* the nearest nodes, or ENOMEM */
  MEMKIND_POLICY_BIND_ALL,        /* any node of the type, or ENOMEM */
  MEMKIND_POLICY_PREFERRED_LOCAL, /* the nearest node, then others */
  MEMKIND_POLICY_INTERLEAVE_LOCAL,
  MEMKIND_POLICY_INTERLEAVE_ALL,
  MEMKIND_POLICY_MAX_VALUE
} memkind_policy_t;

/* The lowest byte is the logarithm of the page size; 0: ordinary pages. */
typedef enum memkind_bits_t PERDURE_UNSIGNED_ENUM { MEMKIND_MASK_PAGE_SIZE_2MB = 21 } memkind_bits_t;

typedef struct memkind* memkind_t;

enum memkind_const {
  MEMKIND_MAX_KIND = 512, /* no limit here */
  MEMKIND_ERROR_MESSAGE_SIZE = 128,
  MEMKIND_PMEM_MIN_SIZE = 1024 * 1024 * 16
};

enum {
  MEMKIND_SUCCESS = 0,
  MEMKIND_ERROR_UNAVAILABLE = -1,
  MEMKIND_ERROR_MBIND = -2,
  MEMKIND_ERROR_MMAP = -3,
  MEMKIND_ERROR_MALLOC = -6,
  MEMKIND_ERROR_ENVIRON = -12,
  MEMKIND_ERROR_INVALID = -13,
  MEMKIND_ERROR_TOOMANY = -15,
  MEMKIND_ERROR_BADOPS = -17,
  MEMKIND_ERROR_HUGETLB = -18,
  MEMKIND_ERROR_MEMTYPE_NOT_AVAILABLE = -20,
  MEMKIND_ERROR_OPERATION_FAILED = -21,
  MEMKIND_ERROR_ARENAS_CREATE = -22,
  MEMKIND_ERROR_RUNTIME = -255
};

typedef enum memkind_mem_usage_policy PERDURE_UNSIGNED_ENUM {
  MEMKIND_MEM_USAGE_POLICY_DEFAULT = 0,
  MEMKIND_MEM_USAGE_POLICY_CONSERVATIVE = 1, /* gives memory back as soon as a large block is freed */
  MEMKIND_MEM_USAGE_POLICY_MAX_VALUE
} memkind_mem_usage_policy;

typedef enum memkind_stat_type PERDURE_UNSIGNED_ENUM {
  MEMKIND_STAT_TYPE_RESIDENT = 0,  /* bytes of memory the kind has, in use or kept */
  MEMKIND_STAT_TYPE_ACTIVE = 1,    /* bytes of pages in use */
  MEMKIND_STAT_TYPE_ALLOCATED = 2, /* usable bytes of blocks */
  MEMKIND_STAT_TYPE_MAX_VALUE
} memkind_stat_type;

/* What does not concern Perdure's heap changes nothing. */
typedef enum memkind_stat_print_opt PERDURE_UNSIGNED_ENUM {
  MEMKIND_STAT_PRINT_ALL = 0,
  MEMKIND_STAT_PRINT_JSON_FORMAT = 1 << 0,
  MEMKIND_STAT_PRINT_OMIT_GENERAL = 1 << 1,
  MEMKIND_STAT_PRINT_OMIT_MERGED_ARENA = 1 << 2,
  MEMKIND_STAT_PRINT_OMIT_DESTROYED_MERGED_ARENA = 1 << 3,
  MEMKIND_STAT_PRINT_OMIT_PER_ARENA = 1 << 4,
  MEMKIND_STAT_PRINT_OMIT_PER_SIZE_CLASS_BINS = 1 << 5,
  MEMKIND_STAT_PRINT_OMIT_PER_SIZE_CLASS_LARGE = 1 << 6,
  MEMKIND_STAT_PRINT_OMIT_MUTEX = 1 << 7,
  MEMKIND_STAT_PRINT_OMIT_EXTENT = 1 << 8
} memkind_stat_print_opt;

/* Static kinds: made when first used, never destroyed. */
extern memkind_t MEMKIND_DEFAULT;
extern memkind_t MEMKIND_REGULAR;
extern memkind_t MEMKIND_INTERLEAVE;
extern memkind_t MEMKIND_HUGETLB;
extern memkind_t MEMKIND_HBW;
extern memkind_t MEMKIND_HBW_ALL;
extern memkind_t MEMKIND_HBW_PREFERRED;
extern memkind_t MEMKIND_HBW_INTERLEAVE;
extern memkind_t MEMKIND_HBW_HUGETLB;
extern memkind_t MEMKIND_HBW_ALL_HUGETLB;
extern memkind_t MEMKIND_HBW_PREFERRED_HUGETLB;
extern memkind_t MEMKIND_DAX_KMEM;
extern memkind_t MEMKIND_DAX_KMEM_ALL;
extern memkind_t MEMKIND_DAX_KMEM_PREFERRED;
extern memkind_t MEMKIND_DAX_KMEM_INTERLEAVE;
extern memkind_t MEMKIND_HIGHEST_CAPACITY;
extern memkind_t MEMKIND_HIGHEST_CAPACITY_PREFERRED;
extern memkind_t MEMKIND_HIGHEST_CAPACITY_LOCAL;
extern memkind_t MEMKIND_HIGHEST_CAPACITY_LOCAL_PREFERRED;
extern memkind_t MEMKIND_LOWEST_LATENCY_LOCAL;
extern memkind_t MEMKIND_LOWEST_LATENCY_LOCAL_PREFERRED;
extern memkind_t MEMKIND_HIGHEST_BANDWIDTH_LOCAL;
extern memkind_t MEMKIND_HIGHEST_BANDWIDTH_LOCAL_PREFERRED;

/* 1014000 */
int memkind_get_version(void);
/* Writes at most `size` bytes, terminated. */
void memkind_error_message(int err, char* msg, size_t size);

/* The static kind of that memory. MEMKIND_DEFAULT for the policy PREFERRED_LOCAL where there is none, for the
   others MEMTYPE_NOT_AVAILABLE. INVALID: there is no such kind anywhere. */
int memkind_create_kind(memkind_memtype_t memtype_flags, memkind_policy_t policy, memkind_bits_t flags,
                        memkind_t* kind);
/* Kinds of one's own. Errors: INVALID, MALLOC, MMAP. */
/* A file without a name in the directory; `max_size` 0, or at least MEMKIND_PMEM_MIN_SIZE. */
int memkind_create_pmem(const char* dir, size_t max_size, memkind_t* kind);
/* Hands out the caller's memory, which must stay until the kind is destroyed. */
int memkind_create_fixed(void* addr, size_t size, memkind_t* kind);
/* Such a kind takes its memory with it, freed or not. A static kind stays. OPERATION_FAILED: no kind. */
int memkind_destroy_kind(memkind_t kind);

struct memkind_config;
struct memkind_config* memkind_config_new(void);
void memkind_config_delete(struct memkind_config* cfg);
void memkind_config_set_path(struct memkind_config* cfg, const char* pmem_dir);
void memkind_config_set_size(struct memkind_config* cfg, size_t pmem_size);
void memkind_config_set_memory_usage_policy(struct memkind_config* cfg, memkind_mem_usage_policy policy);
int memkind_create_pmem_with_config(struct memkind_config* cfg, memkind_t* kind);

/* Of any address: null for what is not ours. */
memkind_t memkind_detect_kind(void* ptr);
int memkind_check_available(memkind_t kind);
/* RUNTIME if there is no such directory, MMAP if files there cannot be mapped as persistent memory. */
int memkind_check_dax_path(const char* pmem_dir);
/* Bytes; -1 for preferred kinds and errors. */
ssize_t memkind_get_capacity(memkind_t kind);

/* A null kind stands for all. */
int memkind_update_cached_stats(void);
int memkind_get_stat(memkind_t kind, memkind_stat_type stat, size_t* value);
int memkind_stats_print(void (*write_cb)(void*, const char*), void* cbopaque, memkind_stat_print_opt opts);
/* There are no such threads here; succeeds. */
int memkind_set_bg_threads(bool state);

/* As in C, but that a size of 0 gives null. Null, errno ENOMEM or EINVAL, for no memory or no such kind.
   Where a kind may be null it is found by the address; what is not ours is left alone. */
void* memkind_malloc(memkind_t kind, size_t size);
void* memkind_calloc(memkind_t kind, size_t num, size_t size);
int memkind_posix_memalign(memkind_t kind, void** memptr, size_t alignment, size_t size);
void* memkind_realloc(memkind_t kind, void* ptr, size_t size);
void memkind_free(memkind_t kind, void* ptr);
size_t memkind_malloc_usable_size(memkind_t kind, MEMKIND_MALLOC_USABLE_SIZE_CONST void* ptr);
/* Null if the block stays where it is. */
void* memkind_defrag_reallocate(memkind_t kind, void* ptr);

/* A program may define, with C linkage, functions that are called before and after these:
   memkind_malloc_pre(memkind_t* kind, size_t* size)
   memkind_malloc_post(memkind_t kind, size_t size, void** result)
   memkind_calloc_pre(memkind_t* kind, size_t* num, size_t* size)
   memkind_calloc_post(memkind_t kind, size_t num, size_t size, void** result)
   memkind_posix_memalign_pre(memkind_t* kind, void** memptr, size_t* alignment, size_t* size)
   memkind_posix_memalign_post(memkind_t kind, void** memptr, size_t alignment, size_t size, int* err)
   memkind_realloc_pre(memkind_t* kind, void** ptr, size_t* size)
   memkind_realloc_post(memkind_t kind, void* ptr, size_t size, void** result)
   memkind_free_pre(memkind_t* kind, void** ptr)
   memkind_free_post(memkind_t kind, void* ptr)
   They are void, and like memkind's they are not declared here. */

#ifdef __cplusplus
}
#endif

#undef PERDURE_UNSIGNED_ENUM

#include "memkind_deprecated.h"
