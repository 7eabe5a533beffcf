/* The interface of memkind's memory tiering over Perdure's kinds; see docs/reference/compatibility.md. */
#pragma once

#include <stdlib.h>

#include "memkind.h"

/* So that any value may be passed, to be refused. */
#ifdef __cplusplus
#define PERDURE_UNSIGNED_ENUM : unsigned
#else
#define PERDURE_UNSIGNED_ENUM
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct memtier_builder;
struct memtier_memory;

typedef enum memtier_policy_t PERDURE_UNSIGNED_ENUM {
  MEMTIER_POLICY_STATIC_RATIO = 0,      /* so that the tiers' sizes keep their ratio */
  MEMTIER_POLICY_DYNAMIC_THRESHOLD = 1, /* by the block's size, with a bound that follows the ratio */
  MEMTIER_POLICY_MAX_VALUE
} memtier_policy_t;

/* Null: no such policy, or no memory. */
struct memtier_builder* memtier_builder_new(memtier_policy_t policy);
void memtier_builder_delete(struct memtier_builder* builder);
/* 0; -1: null, a kind that is there already, a ratio of 0 */
int memtier_builder_add_tier(struct memtier_builder* builder, memkind_t kind, unsigned kind_ratio);
/* Null: no tiers; for DYNAMIC_THRESHOLD fewer than two, thresholds that are out of order, or a trigger or
   degree that is negative or not a number. */
struct memtier_memory* memtier_builder_construct_memtier_memory(struct memtier_builder* builder);
void memtier_delete_memtier_memory(struct memtier_memory* memory);

void* memtier_malloc(struct memtier_memory* memory, size_t size);
void* memtier_kind_malloc(memkind_t kind, size_t size);
void* memtier_calloc(struct memtier_memory* memory, size_t num, size_t size);
void* memtier_kind_calloc(memkind_t kind, size_t num, size_t size);
/* A block stays in its tier. */
void* memtier_realloc(struct memtier_memory* memory, void* ptr, size_t size);
void* memtier_kind_realloc(memkind_t kind, void* ptr, size_t size);
int memtier_posix_memalign(struct memtier_memory* memory, void** memptr, size_t alignment, size_t size);
int memtier_kind_posix_memalign(memkind_t kind, void** memptr, size_t alignment, size_t size);
size_t memtier_usable_size(void* ptr);
void memtier_kind_free(memkind_t kind, void* ptr);
static inline void memtier_free(void* ptr) {
  memtier_kind_free(NULL, ptr);
}
/* Usable bytes of the blocks that functions of this header allocated there. */
size_t memtier_kind_allocated_size(memkind_t kind);

/* `name`: policy.dynamic_threshold.check_cnt (unsigned), .trigger, .degree (float), or
   policy.dynamic_threshold.thresholds[N].val, .min, .max (size_t). 0, or -1 for another name or policy;
   values are judged when the memory is constructed. */
int memtier_ctl_set(struct memtier_builder* builder, const char* name, const void* val);

/* A program may define, with C linkage, functions that are called after or before these:
   memtier_kind_malloc_post(memkind_t kind, size_t size, void** result)
   memtier_kind_calloc_post(memkind_t kind, size_t num, size_t size, void** result)
   memtier_kind_posix_memalign_post(memkind_t kind, void** memptr, size_t alignment, size_t size, int* err)
   memtier_kind_realloc_post(memkind_t kind, void* ptr, size_t size, void** result)
   memtier_kind_free_pre(void** ptr)
   memtier_kind_usable_size_post(void** ptr, size_t size)
   They are void, and like memkind's they are not declared here. */

#ifdef __cplusplus
}
#endif

#undef PERDURE_UNSIGNED_ENUM
