/* Making the present state durable. */
#ifndef PERDURE_C_CHECKPOINT_H
#define PERDURE_C_CHECKPOINT_H

#include <perdure/c/store.h>

/// A checkpoint under way. Owned by the caller, who frees it at any time. May outlive the store; thread-safe,
/// but freed once. In a child of fork() its outcome is not known: PERDURE_INVALID_ARGUMENT.
typedef struct perdure_pending_checkpoint perdure_pending_checkpoint;

/// One checkpoint that a store remembers. Later versions add members at the end.
typedef struct perdure_checkpoint_record {
  uint64_t epoch;              ///< its number
  uint64_t time_ns;            ///< time of the commit, nanoseconds of Unix time
  uint64_t fresh_pages;        ///< written once
  uint64_t overwritten_pages;  ///< written to the journal, then home
  uint64_t cleared_pages;      ///< become zero, or given back
  uint64_t segment_bytes;      ///< used part of the store
  const char* label;           ///< "" if it had none
  int32_t kept;                ///< not 0: a copy of it is kept (`keep_last`)
} perdure_checkpoint_record;

/// Checkpoints that a store remembers. The log is owned by the caller, who frees it. It may be read from any
/// thread.
typedef struct perdure_checkpoint_log perdure_checkpoint_log;

PERDURE_BEGIN_DECLARATIONS

/// Makes the present state of everything in the store durable, atomically. Other threads may go on; what they
/// store to memory of the store meanwhile may be in it in part, unless they have begun writing. `label`, up
/// to 63 bytes or NULL, is kept in the store's log. PERDURE_READ_ONLY, PERDURE_NO_SPACE, PERDURE_IO: then the
/// previous checkpoint stays the durable one and the call may be repeated. PERDURE_INVALID_ARGUMENT in a
/// thread that has begun writing.
PERDURE_API perdure_status perdure_checkpoint(perdure_store* store, const char* label);

/// Makes a checkpoint as above, but returns as soon as the changed pages are copied; they become durable
/// while the program goes on. `pending` tells when, and what went wrong. A checkpoint that failed changes
/// nothing but that: the next has its changes too. Waits first for the last one, if that is still under way.
PERDURE_API perdure_status perdure_checkpoint_async(perdure_store* store, const char* label,
                                                    perdure_pending_checkpoint** pending);

/// Makes checkpoints wait for this thread until perdure_end_writing, so that what it stores meanwhile is in
/// one as a whole or not at all. Waits itself only while a checkpoint copies memory. May be nested. Before
/// its end the thread must not wait for another one that changes the store, be it for a mutex: that one may
/// be waiting for the checkpoint. PERDURE_READ_ONLY, PERDURE_OUT_OF_MEMORY.
PERDURE_API perdure_status perdure_begin_writing(perdure_store* store);

/// Ends what perdure_begin_writing began, on the same thread. PERDURE_INVALID_ARGUMENT in one that has not
/// begun.
PERDURE_API perdure_status perdure_end_writing(perdure_store* store);

/// Waits until the checkpoint is durable, or fails as it failed; as often as it is called. `epoch`, unless it
/// is NULL, is set to its number.
PERDURE_API perdure_status perdure_pending_checkpoint_wait(const perdure_pending_checkpoint* pending,
                                                           uint64_t* epoch);

/// Sets `ready` to 1 if the outcome is known, so that waiting returns at once; else to 0.
PERDURE_API perdure_status perdure_pending_checkpoint_ready(const perdure_pending_checkpoint* pending,
                                                            int* ready);

/// Waits; sets `outcome` to PERDURE_OK or to why it failed, which is then the thread's last error too. Fails
/// itself only for wrong arguments.
PERDURE_API perdure_status perdure_pending_checkpoint_error(const perdure_pending_checkpoint* pending,
                                                            perdure_status* outcome);

/// Forgets the handle, not the checkpoint. NULL is ignored.
PERDURE_API perdure_status perdure_pending_checkpoint_free(perdure_pending_checkpoint* pending);

/// Waits until the last checkpoint is written home, so that no journal is needed any more. PERDURE_NO_SPACE,
/// PERDURE_IO.
PERDURE_API perdure_status perdure_wait_applied(perdure_store* store);

/// Reads the checkpoints that the store at the path remembers, oldest first. It may be open; then its last
/// checkpoint may be missing until it is written home (perdure_wait_applied). PERDURE_NOT_FOUND,
/// PERDURE_NOT_A_STORE.
PERDURE_API perdure_status perdure_checkpoint_log_read(const char* path, perdure_checkpoint_log** log);

/// Sets `size` to the number of records. PERDURE_INVALID_ARGUMENT.
PERDURE_API perdure_status perdure_checkpoint_log_size(const perdure_checkpoint_log* log, size_t* size);

/// Gives the record at `index`, counted from 0; valid until the log is freed. PERDURE_INVALID_ARGUMENT past
/// the end.
PERDURE_API perdure_status perdure_checkpoint_log_at(const perdure_checkpoint_log* log, size_t index,
                                                     const perdure_checkpoint_record** record);

/// Frees the log. NULL is ignored.
PERDURE_API perdure_status perdure_checkpoint_log_free(perdure_checkpoint_log* log);

PERDURE_END_DECLARATIONS

#endif
