/* Kinds of memory: one heap interface over every memory a machine has. See docs/reference/kinds.md.
 *
 * The functions that allocate have the shape of the C library's: they give the block, or NULL and an errno.
 * All others return a perdure_status. Static kinds live as long as the program; kinds that were created are
 * destroyed by perdure_kind_destroy.
 *
 * Thread safety: everything may be called from any thread at once, but for perdure_kind_destroy. A kind that
 * was destroyed is recognised and refused, as is any other value that is no kind. In the child of fork()
 * kinds go on, with a copy of the memory; those over files and stores give the child no memory. */
#ifndef PERDURE_C_KIND_H
#define PERDURE_C_KIND_H

#include <perdure/c/store.h>
#include <stddef.h>
#include <stdint.h>

/// A heap over memory of one sort.
typedef struct perdure_kind perdure_kind;

/// Kinds that need no more than a name. "nearest" is the memory that is nearest to the processor that asks;
/// the best nodes are those that firmware says are (HMAT).
enum {
  PERDURE_KIND_DEFAULT = 0,
  PERDURE_KIND_HUGE_PAGES = 1,         ///< transparent huge pages
  PERDURE_KIND_HUGE_2M = 2,            ///< hugetlbfs
  PERDURE_KIND_HUGE_2M_PREFERRED = 3,  ///< ordinary pages where there are none
  PERDURE_KIND_HUGE_1G = 4,
  PERDURE_KIND_HUGE_1G_PREFERRED = 5,
  PERDURE_KIND_INTERLEAVE = 6,           ///< page by page over all nodes
  PERDURE_KIND_WEIGHTED_INTERLEAVE = 7,  ///< by the system's weights
  PERDURE_KIND_REGULAR = 8,              ///< nodes with processors
  PERDURE_KIND_MEMORY_ONLY = 9,          ///< the nearest node without processors
  PERDURE_KIND_MEMORY_ONLY_ALL = 10,
  PERDURE_KIND_MEMORY_ONLY_PREFERRED = 11,
  PERDURE_KIND_MEMORY_ONLY_INTERLEAVE = 12,
  PERDURE_KIND_DEVICE = 13,  ///< the nearest node that the kmem driver made
  PERDURE_KIND_DEVICE_ALL = 14,
  PERDURE_KIND_DEVICE_PREFERRED = 15,
  PERDURE_KIND_DEVICE_INTERLEAVE = 16,
  PERDURE_KIND_HIGHEST_BANDWIDTH = 17,  ///< the nearest of those
  PERDURE_KIND_HIGHEST_BANDWIDTH_ALL = 18,
  PERDURE_KIND_HIGHEST_BANDWIDTH_PREFERRED = 19,
  PERDURE_KIND_HIGHEST_BANDWIDTH_INTERLEAVE = 20,
  PERDURE_KIND_HIGHEST_BANDWIDTH_LOCAL = 21,  ///< the best of the processor's own nodes
  PERDURE_KIND_HIGHEST_BANDWIDTH_LOCAL_PREFERRED = 22,
  PERDURE_KIND_LOWEST_LATENCY = 23,
  PERDURE_KIND_LOWEST_LATENCY_ALL = 24,
  PERDURE_KIND_LOWEST_LATENCY_PREFERRED = 25,
  PERDURE_KIND_LOWEST_LATENCY_LOCAL = 26,
  PERDURE_KIND_LOWEST_LATENCY_LOCAL_PREFERRED = 27,
  PERDURE_KIND_HIGHEST_CAPACITY = 28,
  PERDURE_KIND_HIGHEST_CAPACITY_ALL = 29,
  PERDURE_KIND_HIGHEST_CAPACITY_PREFERRED = 30,
  PERDURE_KIND_HIGHEST_CAPACITY_LOCAL = 31,
  PERDURE_KIND_HIGHEST_CAPACITY_LOCAL_PREFERRED = 32,
  PERDURE_KIND_STATIC_COUNT = 33
};

/// Which memory of the machine.
enum {
  PERDURE_TIER_ANY = 0,
  PERDURE_TIER_NODES = 1,              ///< memory of perdure_kind_request.nodes
  PERDURE_TIER_REGULAR = 2,            ///< memory of nodes with processors
  PERDURE_TIER_MEMORY_ONLY = 3,        ///< memory of nodes without
  PERDURE_TIER_DEVICE = 4,             ///< memory of nodes that the kmem driver made
  PERDURE_TIER_HIGHEST_BANDWIDTH = 5,  ///< memory of the nodes that are best
  PERDURE_TIER_LOWEST_LATENCY = 6,
  PERDURE_TIER_HIGHEST_CAPACITY = 7
};

/// Which nodes of a tier.
enum {
  PERDURE_SCOPE_ALL = 0,
  PERDURE_SCOPE_NEAREST = 1,  ///< nearest to the processor that needs memory
  PERDURE_SCOPE_LOCAL = 2     ///< the best of that processor's own nodes
};

/// The way in which pages are spread over nodes.
enum {
  PERDURE_NUMA_DEFAULT = 0,    ///< by the thread's own policy; for a tier: bind
  PERDURE_NUMA_BIND = 1,       ///< on these nodes only
  PERDURE_NUMA_PREFERRED = 2,  ///< elsewhere too when they are full, or are not there
  PERDURE_NUMA_INTERLEAVE = 3,
  PERDURE_NUMA_WEIGHTED_INTERLEAVE = 4,  ///< Linux 6.9
  PERDURE_NUMA_LOCAL = 5                 ///< on the node of the processor that touches the page first
};

/// Which pages a kind's memory has.
enum {
  PERDURE_PAGES_ORDINARY = 0,
  PERDURE_PAGES_TRANSPARENT_HUGE = 1,
  PERDURE_PAGES_HUGE_2M = 2,
  PERDURE_PAGES_HUGE_1G = 3
};

/// Memory of the machine. Zero in a member means its default; so in all structs of this header.
typedef struct perdure_kind_request {
  size_t struct_size;       ///< sizeof(perdure_kind_request)
  int32_t tier;             ///< PERDURE_TIER_…
  int32_t scope;            ///< PERDURE_SCOPE_…
  int32_t mode;             ///< PERDURE_NUMA_…
  int32_t pages;            ///< PERDURE_PAGES_…
  int32_t pages_preferred;  ///< not 0: ordinary pages where there are no huge ones
  uint32_t reserved;        ///< 0
  const uint64_t* nodes;    ///< for PERDURE_TIER_NODES: a bit a node, the lowest first
  size_t node_words;        ///< words of `nodes`, up to 16
} perdure_kind_request;

/// Options of a new kind. Zero in a member means its default.
typedef struct perdure_kind_options {
  size_t struct_size;   ///< sizeof(perdure_kind_options)
  const char* name;     ///< for messages and lists; copied; NULL: none
  uint64_t capacity;    ///< bytes of address space; default: twice the machine's memory
  int32_t check_frees;  ///< not 0: look at every free (always in debug builds)
  uint32_t reserved;    ///< 0
} perdure_kind_options;

/// Amounts of memory of a kind, in bytes. Blocks that threads keep for reuse count as used.
typedef struct perdure_kind_statistics {
  size_t struct_size;        ///< sizeof(perdure_kind_statistics), set by the caller
  uint64_t used_bytes;       ///< in allocated blocks, as large as the heap made them
  uint64_t free_bytes;       ///< in the used part, free for reuse
  uint64_t metadata_bytes;   ///< the heap's bookkeeping
  uint64_t committed_bytes;  ///< memory of the kind's sort, in use or kept for reuse
  uint64_t capacity_bytes;   ///< address space reserved
  uint64_t blocks;           ///< allocated blocks
} perdure_kind_statistics;

PERDURE_BEGIN_DECLARATIONS

/// Gives a static kind (PERDURE_KIND_…), made when it is asked for first. PERDURE_UNSUPPORTED where the
/// machine has no such memory (the last error's message says why), PERDURE_INVALID_ARGUMENT,
/// PERDURE_OUT_OF_MEMORY.
PERDURE_API perdure_status perdure_kind_get(int which, perdure_kind** kind);
/// Gives the kind of all memory of one node, strictly. As above.
PERDURE_API perdure_status perdure_kind_of_node(unsigned node, perdure_kind** kind);
/// Returns PERDURE_OK, or what perdure_kind_get would say; makes no kind.
PERDURE_API perdure_status perdure_kind_check_available(int which);
/// Returns PERDURE_OK, or what perdure_kind_create_memory would say of a request; makes no kind.
PERDURE_API perdure_status perdure_kind_check_request(const perdure_kind_request* request);
/// Returns the name, "default", "huge_pages", …, for ever valid; "unknown" for other numbers.
PERDURE_API const char* perdure_kind_static_name(int which);

/// Makes a kind over memory of the machine. PERDURE_UNSUPPORTED, PERDURE_INVALID_ARGUMENT,
/// PERDURE_OUT_OF_MEMORY. `options` may be NULL here and below.
PERDURE_API perdure_status perdure_kind_create_memory(const perdure_kind_request* request,
                                                      const perdure_kind_options* options,
                                                      perdure_kind** kind);
/// Makes a kind over an unlinked file in the directory, of up to `max_bytes` (0: as the file system has).
/// When the disk is full, allocations fail. PERDURE_NOT_FOUND, PERDURE_PERMISSION_DENIED, PERDURE_NO_SPACE,
/// PERDURE_IO.
PERDURE_API perdure_status perdure_kind_create_file(const char* directory, uint64_t max_bytes,
                                                    const perdure_kind_options* options, perdure_kind** kind);
/// Makes a kind over an open store's heap, whose blocks are kept with the store. Destroy the kind before the
/// store is closed: that leaves the blocks alone. PERDURE_ALREADY_EXISTS (there is one), PERDURE_READ_ONLY.
PERDURE_API perdure_status perdure_kind_create_store(perdure_store* store,
                                                     const perdure_kind_options* options,
                                                     perdure_kind** kind);
/// Destroys a kind with all its blocks: their memory is unmapped, whether they were freed or not.
/// PERDURE_INVALID_ARGUMENT for a static kind or that of a node. NULL is ignored.
PERDURE_API perdure_status perdure_kind_destroy(perdure_kind* kind);

/// Allocates at least `size` bytes, aligned to 16 (8 for up to 8 bytes); 0 bytes have an address of their own
/// too. NULL and ENOMEM, or EINVAL for what is no kind.
PERDURE_API void* perdure_kind_malloc(perdure_kind* kind, size_t size);
/// Allocates zeros. NULL and ENOMEM also if `count * size` is more than there are addresses.
PERDURE_API void* perdure_kind_calloc(perdure_kind* kind, size_t count, size_t size);
/// Changes the size of a block; with kind NULL in the kind that has it. A NULL block is allocated (needs a
/// kind); size 0 frees. NULL, the block as it was, and ENOMEM, or EINVAL for what is no block of the kind.
PERDURE_API void* perdure_kind_realloc(perdure_kind* kind, void* block, size_t size);
/// Allocates as POSIX says. Returns 0, EINVAL (not a power of two, not a multiple of a pointer's size, no
/// kind), ENOMEM (also above 2 MiB). Sets no errno.
PERDURE_API int perdure_kind_posix_memalign(perdure_kind* kind, void** block, size_t alignment, size_t size);
/// Frees a block; with kind NULL in the kind that has it, which is found at once by the address. A NULL block
/// is ignored. PERDURE_INVALID_ARGUMENT for an address in no memory of the kind (of any kind); and, where
/// frees are checked, for what is no block or was freed before. Keeps errno.
PERDURE_API perdure_status perdure_kind_free(perdure_kind* kind, void* block);
/// Returns the bytes that may be used in the block; with kind NULL of any kind. 0 for NULL and what is not
/// the kind's.
PERDURE_API size_t perdure_kind_malloc_usable_size(perdure_kind* kind, const void* block);

/// Finds the kind in whose memory the address lies, which may be any. PERDURE_NOT_FOUND: not ours.
PERDURE_API perdure_status perdure_kind_detect(const void* address, perdure_kind** kind);
/// Tells how much memory of this sort there is, limits of control groups included, up to 0.1 s old. Both may
/// be NULL; 0 where not known.
PERDURE_API perdure_status perdure_kind_get_size(const perdure_kind* kind, uint64_t* total,
                                                 uint64_t* free_bytes);
/// Fills `stats`. PERDURE_INVALID_ARGUMENT.
PERDURE_API perdure_status perdure_kind_stats_get(const perdure_kind* kind, perdure_kind_statistics* stats);
/// Gives memory back that is free. `gave`, unless NULL, is set to 1 if there was any, else to 0.
PERDURE_API perdure_status perdure_kind_trim(perdure_kind* kind, int* gave);
/// Moves the block (of `kind`, or with NULL of any) to memory that is used more densely. NULL if it stays.
PERDURE_API void* perdure_kind_defragment(perdure_kind* kind, void* block);
/// Gives the name that the kind was given; valid until the kind is destroyed.
PERDURE_API perdure_status perdure_kind_name(const perdure_kind* kind, const char** name);
/// Gives the first byte of the kind's range of addresses, from which the offsets count that a policy is told,
/// and its length. PERDURE_UNSUPPORTED for a kind that allocates by functions of its own.
PERDURE_API perdure_status perdure_kind_range(const perdure_kind* kind, void** base, size_t* capacity);

PERDURE_END_DECLARATIONS

#endif
