/* Opening and closing stores. */
#ifndef PERDURE_C_STORE_H
#define PERDURE_C_STORE_H

#include <perdure/c/error.h>
#include <perdure/c/text_list.h>
#include <stddef.h>
#include <stdint.h>

/// An open store: a heap in a directory on disk, with a directory of named, typed objects.
///
/// Thread safety: functions that take a store may be called from any thread at once, except
/// perdure_store_close and perdure_store_discard. These two need threads that change the store or call its
/// functions to be quiet until they return. What lies in the store is the caller's to protect.
///
/// A handle is no address: one that was closed is recognised and refused, as is any other value. After fork()
/// the store belongs to the parent. If it is open for reading the child may read on; else the child has
/// nothing of the memory (touching it is SIGSEGV, functions that need it give PERDURE_INVALID_ARGUMENT), and
/// may only call perdure_store_close, which makes no checkpoint then, or perdure_store_discard.
typedef struct perdure_store perdure_store;

enum {
  /// Private mapping of the store's files: atomic checkpoints (default).
  PERDURE_BACKING_PRIVATE = 0,
  /// Shared mapping of the files: durable only after a clean close; for comparison and tmpfs.
  PERDURE_BACKING_SHARED = 1,
  /// At most the environment's PERDURE_MEMORY_BUDGET (MiB) in memory, for stores larger than memory: atomic
  /// checkpoints. System calls on memory that is not there fail with EFAULT, and a forked child has none of
  /// it.
  PERDURE_BACKING_PAGED = 2,
  /// Persistent memory: stores go to the files themselves, on a DAX file system; atomic checkpoints.
  /// PERDURE_UNSUPPORTED elsewhere. See docs/explanation/dax.md.
  PERDURE_BACKING_DAX = 3
};

enum {
  /// Opening checks what it needs: super block, headers, lengths, journals (default).
  PERDURE_OPEN_CHECKS_JOURNAL = 0,
  /// Opening checks every byte.
  PERDURE_OPEN_CHECKS_ALL = 1,
  /// Each 2 MiB is checked when one of its bytes is first touched, after the opening. Who touches damage gets
  /// SIGBUS, and a line about it goes to standard error. System calls on memory that was not touched yet fail
  /// with EFAULT: read a byte of each 2 MiB first. PERDURE_UNSUPPORTED with the other backings than
  /// PERDURE_BACKING_PRIVATE.
  PERDURE_OPEN_CHECKS_LAZILY = 2
};

/// The way in which messages about arrays write shapes and indices.
enum {
  /// The slowest dimension first, counted from 0: [0, 2] (default).
  PERDURE_INDICES_C = 0,
  /// The fastest dimension first, counted from 1: (3, 1). For Fortran and other languages that do so.
  /// Arguments
  /// and results of functions stay in C's order.
  PERDURE_INDICES_FORTRAN = 1
};

/// Options for creating or opening a store. Zero in a member means its default, so that a zeroed struct with
/// its size is a valid one: `perdure_store_options options = {0}; options.struct_size = sizeof options;`.
/// Later versions add members at the end. What the store records (capacity, file size, pinning) matters at
/// its creation only.
typedef struct perdure_store_options {
  size_t struct_size;       ///< sizeof(perdure_store_options)
  uint64_t capacity;        ///< bytes that the blocks in the store may take, at least 64 KiB; default 1 TiB
  uint64_t home_file_size;  ///< bytes per file `heap.NNN`, a multiple of 2 MiB; default 1 TiB
  void* address;            ///< base of a pinned store, a multiple of 1 GiB; default: chosen
  int32_t pinned;          ///< not 0: record the base address and always map there, so plain pointers survive
  int32_t backing;         ///< PERDURE_BACKING_…; the environment's PERDURE_BACKING instead of the default
  int32_t checks;          ///< PERDURE_OPEN_CHECKS_…
  int32_t accept_unclean;  ///< not 0: open a store that died while open with the shared backing
  uint32_t keep_last;      ///< keep the last so many labelled checkpoints, for perdure_store_open_kept
  /// Not 0: where the file system cannot share blocks, keep full copies. With 0 labelled checkpoints are
  /// PERDURE_UNSUPPORTED there while `keep_last` is not 0.
  int32_t keep_full_copies;
  /// Not 0: create the store also in an empty directory that every user may write to, who could then replace
  /// its files. With 0 that is PERDURE_PERMISSION_DENIED.
  int32_t others_may_write;
  /// Milliseconds that an opening waits for others that have the store open, before it is PERDURE_IN_USE: a
  /// writer for another writer, and for readers where the file system cannot share blocks. 0: the
  /// environment's PERDURE_WAIT (seconds), else not at all. Negative: not at all.
  int64_t wait_ms;
  int32_t indices;   ///< PERDURE_INDICES_…
  int32_t reserved;  ///< 0
} perdure_store_options;

PERDURE_BEGIN_DECLARATIONS

/// Creates a store in a new directory, durable on return. `options` may be NULL.
/// PERDURE_ALREADY_EXISTS, PERDURE_PERMISSION_DENIED, PERDURE_NO_SPACE, PERDURE_IO.
PERDURE_API perdure_status perdure_store_create(const char* path, const perdure_store_options* options,
                                                perdure_store** store);

/// Opens a store for reading and writing at its last checkpoint, whatever its size in the same time.
/// PERDURE_NOT_FOUND, PERDURE_NOT_A_STORE, PERDURE_IN_USE, PERDURE_DAMAGED, PERDURE_TOO_NEW,
/// PERDURE_INCOMPATIBLE, PERDURE_ADDRESS_TAKEN (a pinned store).
PERDURE_API perdure_status perdure_store_open(const char* path, const perdure_store_options* options,
                                              perdure_store** store);

/// Opens a store for reading at its last checkpoint, also by many processes at once. A set of stores
/// (<perdure/c/set.h>) is opened too: its arrays, of all parts, may be read; other functions but those of
/// array.h, perdure_store_path, perdure_store_is_read_only and those that close it give PERDURE_UNSUPPORTED.
/// What lies in the store must not be written to (its pages are protected); functions that would change it
/// give PERDURE_READ_ONLY. `path` may be STORE@LABEL, which stands for a kept checkpoint, here and in all
/// functions that only read; see perdure_store_open_kept.
PERDURE_API perdure_status perdure_store_open_read_only(const char* path,
                                                        const perdure_store_options* options,
                                                        perdure_store** store);

/// Opens a checkpoint that the store at the path kept (`keep_last`), for reading: the newest with this label,
/// or, where `label` is NULL, the one of this epoch. The store itself may be open, also for writing. Such a
/// checkpoint is never changed: functions that write give PERDURE_READ_ONLY. PERDURE_NOT_FOUND where it is
/// not kept (any more); perdure_checkpoint_log_read tells which are. Otherwise as
/// perdure_store_open_read_only.
PERDURE_API perdure_status perdure_store_open_kept(const char* path, const char* label, uint64_t epoch,
                                                   const perdure_store_options* options,
                                                   perdure_store** store);

/// Opens a store as perdure_store_open does, or creates it as perdure_store_create does where nothing is at
/// the path.
PERDURE_API perdure_status perdure_store_open_or_create(const char* path,
                                                        const perdure_store_options* options,
                                                        perdure_store** store);

/// Checkpoints (unless read-only) and closes; all addresses in the store become invalid. If the checkpoint
/// fails (PERDURE_NO_SPACE, PERDURE_IO) the store stays open: call again, or discard. If what comes after it
/// fails, the store is closed all the same. NULL is ignored. A store that is still open when the program ends
/// keeps its last checkpoint and nothing later.
PERDURE_API perdure_status perdure_store_close(perdure_store* store);

/// Closes without a checkpoint: what changed since the last one is dropped. NULL is ignored.
/// PERDURE_INVALID_ARGUMENT between perdure_begin_writing and perdure_end_writing.
PERDURE_API perdure_status perdure_store_discard(perdure_store* store);

/// Sets `read_only` to 1 or 0.
PERDURE_API perdure_status perdure_store_is_read_only(const perdure_store* store, int* read_only);

/// Gives the path that the store was opened by; valid until the store is closed.
PERDURE_API perdure_status perdure_store_path(const perdure_store* store, const char** path);

/// Checks the heap and the directory of objects, reading the bookkeeping of every object: PERDURE_OK, or
/// PERDURE_DAMAGED. `wrong`, unless it is NULL, is set to what is wrong, for the caller to free, in both
/// cases.
PERDURE_API perdure_status perdure_store_check(perdure_store* store, perdure_text_list** wrong);

/// Sets `exists` to 1 if a store is at the path, open or not, sound or not; else to 0.
PERDURE_API perdure_status perdure_store_exists(const char* path, int* exists);

/// Deletes the store at the path. PERDURE_NOT_FOUND; PERDURE_NOT_A_STORE (nothing is touched),
/// PERDURE_IN_USE, PERDURE_PERMISSION_DENIED, PERDURE_IO.
PERDURE_API perdure_status perdure_store_remove(const char* path);

PERDURE_END_DECLARATIONS

#endif
