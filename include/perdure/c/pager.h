/* Files in memory that hold only so much of it. See docs/explanation/pager.md. */
#ifndef PERDURE_C_PAGER_H
#define PERDURE_C_PAGER_H

#include <perdure/c/error.h>
#include <stddef.h>
#include <stdint.h>

/// A mapped file. Owned by the caller, who unmaps it.
typedef struct perdure_mapping perdure_mapping;

/// Pages kept in memory. Owned by the caller, who unpins them before the file is unmapped.
typedef struct perdure_pin perdure_pin;

/// The use that may be made of the bytes, and the fate of changes.
enum {
  PERDURE_MAP_READ_ONLY = 0,     ///< stores are a SIGSEGV
  PERDURE_MAP_PRIVATE_COPY = 1,  ///< changes stay in the mapping
  PERDURE_MAP_WRITE_BACK = 2     ///< changes go to the file
};

/// The technique.
enum {
  PERDURE_PAGER_AUTOMATIC = 0,    ///< the first of the others that is to be had
  PERDURE_PAGER_UFFD_SIGBUS = 1,  ///< pages come and go under the budget
  PERDURE_PAGER_PLAIN = 2,        ///< the kernel's own mapping; the budget is not kept
  PERDURE_PAGER_GUARD = 3         ///< the same where userfaultfd is forbidden
};

/// The use that a program is going to make of a range.
enum {
  PERDURE_ADVICE_NORMAL = 0,     ///< for the whole mapping: touch some pages one after the other
  PERDURE_ADVICE_RANDOM = 1,     ///< for the whole mapping: never so
  PERDURE_ADVICE_WILL_NEED = 2,  ///< touch it soon
  PERDURE_ADVICE_DONT_NEED = 3   ///< not touch it for long; it is evicted, after writing what is changed
};

/// Options of a mapping. Zero in a member means its default, but for `budget`.
typedef struct perdure_map_options {
  size_t struct_size;           ///< sizeof(perdure_map_options)
  uint64_t budget;              ///< bytes of the file in memory at a time, at least 16384
  int32_t mode;                 ///< PERDURE_MAP_…
  int32_t tier;                 ///< PERDURE_PAGER_…
  const char* spill_directory;  ///< for private copies that do not fit; NULL: beside the file, or TMPDIR
  int32_t buffered;             ///< not 0: through the page cache
  uint32_t reserved;            ///< 0
  uint64_t offset;              ///< where in the file the mapping begins, a multiple of 4096
  uint64_t bytes;               ///< its length; 0: up to the end of the file
} perdure_map_options;

/// Part of a mapping.
typedef struct perdure_map_range {
  size_t offset;  ///< first byte, from the beginning of the mapping
  size_t bytes;   ///< length in bytes
} perdure_map_range;

/// Counts since the file was mapped. Later versions add members at the end; only as much is written as
/// `struct_size` says.
typedef struct perdure_map_statistics {
  size_t struct_size;            ///< sizeof(perdure_map_statistics), set by the caller
  uint64_t faults;               ///< touches that had to be answered
  uint64_t loads;                ///< pages brought in by them
  uint64_t read_ahead;           ///< pages brought in before they were touched
  uint64_t first_stores;         ///< clean pages that became writable in memory
  uint64_t hot_loads;            ///< pages that came back so soon that they are kept longer
  uint64_t evictions;            ///< pages that left memory
  uint64_t evictions_by_touch;   ///< evictions by threads that had to make room for themselves
  uint64_t rescues;              ///< pages stored to while they were on their way out
  uint64_t bytes_read;           ///< bytes read from the file
  uint64_t bytes_written;        ///< bytes written to the file
  uint64_t resident_bytes;       ///< bytes of the file in memory now
  uint64_t most_resident_bytes;  ///< the most bytes that ever were in memory
  uint64_t latency[40];          ///< faults that took 2^i to 2^(i+1) nanoseconds
} perdure_map_statistics;

PERDURE_BEGIN_DECLARATIONS

/// Maps a regular file as long as it is now. `data` and `size` (unless NULL) are set to its first byte and
/// its length. What of it cannot be read when it is touched is a SIGBUS, as with mmap. PERDURE_NOT_FOUND,
/// PERDURE_PERMISSION_DENIED, PERDURE_INVALID_ARGUMENT (an empty file, a directory, too small a budget, a
/// part that it lacks), PERDURE_UNSUPPORTED (a tier that is not to be had), PERDURE_OUT_OF_MEMORY.
PERDURE_API perdure_status perdure_map(const char* path, const perdure_map_options* options,
                                       perdure_mapping** mapping, void** data, size_t* size);

/// Maps an open file, whose descriptor stays the caller's and may be closed.
PERDURE_API perdure_status perdure_map_descriptor(int descriptor, const perdure_map_options* options,
                                                  perdure_mapping** mapping, void** data, size_t* size);

/// Writes what is changed to the file without making it durable (PERDURE_MAP_WRITE_BACK), and unmaps it; call
/// perdure_flush first to learn of failures. Nobody may touch it meanwhile. PERDURE_IN_USE while pages are
/// pinned. NULL is ignored.
PERDURE_API perdure_status perdure_unmap(perdure_mapping* mapping);

/// Makes all changes made before the call durable in the file. PERDURE_NO_SPACE, PERDURE_IO: then they stay
/// in memory.
PERDURE_API perdure_status perdure_flush(perdure_mapping* mapping);

/// Brings ranges into memory, as far as they fit in half of the budget.
PERDURE_API perdure_status perdure_map_prefetch(perdure_mapping* mapping, const perdure_map_range* ranges,
                                                size_t count);

/// Tells how a range is going to be used: `advice` is one of PERDURE_ADVICE_…. PERDURE_INVALID_ARGUMENT.
PERDURE_API perdure_status perdure_map_advise(perdure_mapping* mapping, perdure_map_range range, int advice);

/// Brings pages into memory and keeps them there. System calls cannot wait for the pager: what is given to
/// them must be pinned, `for_writing` if they store to it, or they fail with EFAULT. PERDURE_OUT_OF_CAPACITY
/// when fewer than four pages of the budget would be left for others.
PERDURE_API perdure_status perdure_map_pin(perdure_mapping* mapping, const void* address, size_t bytes,
                                           int for_writing, perdure_pin** pin);

/// Lets the pages go. NULL is ignored.
PERDURE_API perdure_status perdure_map_unpin(perdure_pin* pin);

/// Fills `statistics`. PERDURE_INVALID_ARGUMENT.
PERDURE_API perdure_status perdure_map_statistics_get(const perdure_mapping* mapping,
                                                      perdure_map_statistics* statistics);

/// Sets `tier` to one of PERDURE_PAGER_…, never PERDURE_PAGER_AUTOMATIC.
PERDURE_API perdure_status perdure_map_tier(const perdure_mapping* mapping, int* tier);

/// Fails as the first thing did that went wrong with the file behind the program's back (PERDURE_IO,
/// PERDURE_NO_SPACE, …), with file and offset in the message; PERDURE_OK if nothing did.
PERDURE_API perdure_status perdure_map_failure(const perdure_mapping* mapping);

PERDURE_END_DECLARATIONS

#endif
