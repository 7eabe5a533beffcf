/* Kinds of one's own: a table of operations that say where memory comes from, or that hand it out. */
#ifndef PERDURE_C_KIND_OPS_H
#define PERDURE_C_KIND_OPS_H

#include <perdure/c/kind.h>

enum { PERDURE_KIND_OPS_VERSION = 1 };

enum {
  /// Parent and child of a fork share the memory: the child may only read.
  PERDURE_KIND_OPS_SHARED = 1,
  /// Take pages when they are committed, so that a lack of them is an allocation that fails.
  PERDURE_KIND_OPS_POPULATE = 2
};

/// The operations of a kind. An operation that is NULL is that of the kind it inherits, or as in ordinary
/// memory. A later version adds members at the end; a library that does not know them refuses a table that
/// uses them.
///
/// A kind reserves a range of addresses and commits parts of it when they are used first: multiples of
/// `granularity`, at an `offset` from the range's start. These calls come one at a time, none of them on the
/// way of an allocation that finds memory the kind has already. They must not use the kind they serve.
///
/// A table with `malloc` hands out memory wholly by itself: then `free`, `usable_size` and `owns` must be
/// there too, the operations about ranges must not, and all may be called from any thread at once.
typedef struct perdure_kind_ops {
  uint32_t version;      ///< PERDURE_KIND_OPS_VERSION
  uint32_t struct_size;  ///< sizeof(perdure_kind_ops)
  uint32_t flags;        ///< PERDURE_KIND_OPS_…
  uint32_t reserved;     ///< 0

  /// Makes the `context` that the others get; without it that is `argument`. Returns 0, or an errno.
  int (*init)(void* argument, void** context);
  /// Ends the kind: the last call, when the memory is unmapped.
  void (*destroy)(void* context);

  /// Returns where the range should be: a multiple of 1 GiB, or NULL for anywhere. If it is taken, anywhere.
  void* (*address_hint)(void* context, size_t capacity);
  /// Returns the unit of what is committed: a power of two from 2 MiB (the default) to 1 GiB.
  size_t (*granularity)(void* context);
  /// Returns how many bytes to commit when `missing` are needed and `committed` are there.
  size_t (*round_length)(void* context, size_t missing, size_t committed);
  /// Returns the protection for mmap(2).
  int (*protection)(void* context, uint64_t offset, size_t size);
  /// Returns flags for mmap(2), without MAP_FIXED.
  int (*mmap_flags)(void* context, uint64_t offset, size_t size);
  /// Tells the file that holds these bytes, and where; -1: none. Returns 0, or an errno.
  int (*file)(void* context, uint64_t offset, size_t size, int* descriptor, uint64_t* file_offset);
  /// Tells PERDURE_NUMA_…, and a bit a node (zeros at first). Returns 0, or an errno.
  int (*numa)(void* context, uint64_t offset, size_t size, int* mode, uint64_t nodes[16]);
  /// Advises the kernel (madvise(2)), after memory was mapped.
  void (*advise)(void* context, void* address, size_t size);
  /// Makes the memory readable and writable, instead of all mapping. Returns 0, or an errno.
  int (*commit)(void* context, void* address, size_t size, uint64_t offset);
  /// Gives memory back that holds nothing any more. Returns not 0 if it must be committed before it is used
  /// again. Not called for what is left when the kind is destroyed.
  int (*decommit)(void* context, void* address, size_t size, uint64_t offset);
  /// Tells total and free bytes of such memory. Returns 0, or an errno: not known.
  int (*get_size)(void* context, uint64_t* total, uint64_t* free_bytes);

  /// Allocates, aligned to `alignment` (a power of two); NULL for want of memory.
  void* (*malloc)(void* context, size_t size, size_t alignment);
  /// Changes the size of a block that `owns` says yes to. NULL for want of memory. May be NULL: then blocks
  /// are copied.
  void* (*realloc)(void* context, void* block, size_t size);
  /// Frees a block that `owns` says yes to.
  void (*free)(void* context, void* block);
  /// Returns the usable bytes of a block that `owns` says yes to.
  size_t (*usable_size)(void* context, const void* block);
  /// Returns not 0 if it may be a block of this kind; for any address.
  int (*owns)(void* context, const void* address);
} perdure_kind_ops;

PERDURE_BEGIN_DECLARATIONS

/// Makes a kind of these operations, which are copied. `inherits`, unless NULL, is the kind whose operations
/// stand for those that are missing; it may be destroyed before. PERDURE_INVALID_ARGUMENT (a table that
/// contradicts itself), PERDURE_UNSUPPORTED (a later version's, or inheriting from a store's kind),
/// PERDURE_IO (`init` failed), PERDURE_OUT_OF_MEMORY.
PERDURE_API perdure_status perdure_kind_create(const perdure_kind_ops* ops, void* argument,
                                               const perdure_kind* inherits,
                                               const perdure_kind_options* options, perdure_kind** kind);

PERDURE_END_DECLARATIONS

#endif
