/* The interface of memkind's hbwmalloc over Perdure's kinds; see docs/reference/compatibility.md. */
#pragma once

#include <stdlib.h>

/* So that any value may be passed, to be refused. */
#ifdef __cplusplus
#define PERDURE_UNSIGNED_ENUM : unsigned
#else
#define PERDURE_UNSIGNED_ENUM
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum PERDURE_UNSIGNED_ENUM {
  HBW_POLICY_BIND = 1,       /* the nearest high-bandwidth nodes, or ENOMEM */
  HBW_POLICY_PREFERRED = 2,  /* the nearest, then any memory; where nothing was set */
  HBW_POLICY_INTERLEAVE = 3, /* page by page over all high-bandwidth nodes */
  HBW_POLICY_BIND_ALL = 4    /* any high-bandwidth node, or ENOMEM */
} hbw_policy_t;

typedef enum PERDURE_UNSIGNED_ENUM {
  HBW_PAGESIZE_4KB = 1,
  HBW_PAGESIZE_2MB = 2,
  HBW_PAGESIZE_1GB_STRICT = 3, /* sizes must be multiples of 1 GiB */
  HBW_PAGESIZE_1GB = 4,
  HBW_PAGESIZE_MAX_VALUE
} hbw_pagesize_t;

/* For hbw_verify_memory_region: reads and rewrites a byte of each page first. */
enum { HBW_TOUCH_PAGES = 1 << 0 };

hbw_policy_t hbw_get_policy(void);
/* Once, and before the first allocation: EPERM afterwards. EINVAL for what is no policy. */
int hbw_set_policy(hbw_policy_t mode);
/* 0 or ENODEV */
int hbw_check_available(void);
/* 0: all pages lie in high-bandwidth memory. -1: some do not. EINVAL: null, size 0, unknown flags. EFAULT:
   the pages could not be asked about. */
int hbw_verify_memory_region(void* addr, size_t size, int flags);

void* hbw_malloc(size_t size);
void* hbw_calloc(size_t num, size_t size);
/* EINVAL, ENOMEM */
int hbw_posix_memalign(void** memptr, size_t alignment, size_t size);
/* EINVAL also for a page size that the policy does not go with */
int hbw_posix_memalign_psize(void** memptr, size_t alignment, size_t size, hbw_pagesize_t pagesize);
void* hbw_realloc(void* ptr, size_t size);
void hbw_free(void* ptr);
size_t hbw_malloc_usable_size(void* ptr);

#ifdef __cplusplus
}
#endif

#undef PERDURE_UNSIGNED_ENUM
