/* A store's records about itself. */
#ifndef PERDURE_C_INFO_H
#define PERDURE_C_INFO_H

#include <perdure/c/store.h>

/// Everything a store records about itself. Later versions add members at the end; only as much is written as
/// `struct_size` says.
typedef struct perdure_store_info {
  size_t struct_size;                  ///< sizeof(perdure_store_info), set by the caller
  char uuid[40];                       ///< identity of the store, as text; a copy has that of its original
  char abi[128];                       ///< endianness, pointer, page and chunk sizes, as text
  uint64_t compat_features;            ///< features that a library need not know
  uint64_t read_only_compat_features;  ///< features that a library must know to write
  uint64_t incompat_features;          ///< features that a library must know to open the store
  uint64_t epoch;                      ///< last committed checkpoint
  uint64_t applied_epoch;              ///< last checkpoint written home
  uint64_t capacity;                   ///< bytes that the blocks in the store may take
  uint64_t size;                       ///< bytes in use, as of the last checkpoint
  uint64_t home_file_size;             ///< bytes per file `heap.NNN`
  uint64_t home_files;                 ///< number of these files
  uint64_t disk_bytes;                 ///< allocated on disk by all files of the store
  uint64_t address;                    ///< address of a pinned store
  uint64_t copied_epoch;               ///< epoch at which a copy was taken
  uint64_t copied_ns;       ///< time of that, nanoseconds of Unix time; 0 for a store that is no copy
  uint32_t format_version;  ///< version of the files' format
  int32_t pinned;           ///< not 0: it has a fixed address
  int32_t open_dirty;       ///< not 0: of the shared backing, and not closed cleanly
  uint32_t reserved;        ///< 0
} perdure_store_info;

PERDURE_BEGIN_DECLARATIONS

/// Describes an open store. PERDURE_INVALID_ARGUMENT.
PERDURE_API perdure_status perdure_store_info_get(const perdure_store* store, perdure_store_info* info);

/// Describes the store at a path, without locking or mapping anything. PERDURE_NOT_FOUND,
/// PERDURE_NOT_A_STORE, PERDURE_DAMAGED, PERDURE_TOO_NEW.
PERDURE_API perdure_status perdure_store_inspect(const char* path, perdure_store_info* info);

PERDURE_END_DECLARATIONS

#endif
