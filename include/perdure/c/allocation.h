/* Memory in a store that has no name: keep its offset (address.h) somewhere that has. */
#ifndef PERDURE_C_ALLOCATION_H
#define PERDURE_C_ALLOCATION_H

#include <perdure/c/store.h>

/// Counts of the heap, in bytes. Blocks that threads keep for reuse count as used until the next checkpoint.
typedef struct perdure_heap_stats {
  size_t struct_size;       ///< sizeof(perdure_heap_stats), set by the caller
  uint64_t used_bytes;      ///< in allocated blocks, as large as the heap made them
  uint64_t free_bytes;      ///< inside the used part of the store, free for reuse
  uint64_t metadata_bytes;  ///< the heap's bookkeeping
  uint64_t segment_bytes;   ///< accessible part of the store
  uint64_t blocks;          ///< allocated blocks
} perdure_heap_stats;

PERDURE_BEGIN_DECLARATIONS

/// Allocates at least `size` bytes, uninitialised, aligned to 16 (to 8 when `size` <= 8). 0 bytes have an
/// address of their own too. PERDURE_OUT_OF_MEMORY (of the machine, or the store's capacity),
/// PERDURE_READ_ONLY.
PERDURE_API perdure_status perdure_allocate(perdure_store* store, size_t size, void** block);

/// Allocates as above, at a multiple of `alignment`, a power of two up to 2 MiB. PERDURE_INVALID_ARGUMENT for
/// any other.
PERDURE_API perdure_status perdure_allocate_aligned(perdure_store* store, size_t size, size_t alignment,
                                                    void** block);

/// Gives a block back; NULL is ignored. PERDURE_INVALID_ARGUMENT for an address where no allocated block of
/// this store begins, such as one that this thread gave back before; PERDURE_READ_ONLY.
PERDURE_API perdure_status perdure_deallocate(perdure_store* store, void* block);

/// Makes a block longer or shorter, in place where that can be, else by moving its bytes; `resized` is where
/// it is now. Keeps no alignment above 16 when it moves. NULL allocates. On failure the block stays as it
/// was. PERDURE_INVALID_ARGUMENT, PERDURE_OUT_OF_MEMORY, PERDURE_READ_ONLY.
PERDURE_API perdure_status perdure_reallocate(perdure_store* store, void* block, size_t size, void** resized);

/// Sets `size` to the bytes that may be used in the block: as many as were asked for, or more.
/// PERDURE_INVALID_ARGUMENT.
PERDURE_API perdure_status perdure_usable_size(const perdure_store* store, const void* block, size_t* size);

/// Fills `stats`. PERDURE_INVALID_ARGUMENT.
PERDURE_API perdure_status perdure_heap_stats_get(const perdure_store* store, perdure_heap_stats* stats);

PERDURE_END_DECLARATIONS

#endif
