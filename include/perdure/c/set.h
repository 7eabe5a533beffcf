/* Sets of stores: one store for each rank of a parallel program, checkpointed together, all of them or none
 * (docs/reference/mpi.md). Programs that run by MPI include <perdure/mpi.h>, which has the ranks of a
 * communicator:
 *
 *     perdure_ranks ranks = perdure_mpi_ranks(MPI_COMM_WORLD);
 *     perdure_set_open_or_create("run.set", &ranks, NULL, &store);
 *
 * An open set is a perdure_store. With it
 *   - functions of array.h work on the arrays of the set: perdure_array_create is called by all ranks that
 * write parts of an array, perdure_array_write stores elements of this rank, perdure_array_store a whole
 * array of one rank, and perdure_array_read reads what any rank has written, that of others as of the last
 * checkpoint;
 *   - perdure_checkpoint, perdure_store_close, perdure_store_discard and perdure_store_snapshot are
 * collective: called by all ranks, in the same order. They fail with the same error on all ranks or on none;
 *   - other functions work on the store of this rank, whose own checkpoints are refused.
 *
 * After PERDURE_TIMED_OUT, PERDURE_RANK_FAILED and PERDURE_UNDECIDED a set can only be closed, and opened
 * again. One process reads a set without ranks by perdure_store_open_read_only.
 *
 * Thread safety: as of stores; collective functions are called by one thread of each rank at a time. */
#ifndef PERDURE_C_SET_H
#define PERDURE_C_SET_H

#include <perdure/c/store.h>

/// The functions by which a rank exchanges messages with the others. <perdure/mpi.h> fills it for MPI.
/// Functions that start something return at once; `test` is called until that is done, before anything else
/// is started. All return 0, or a code that `explain` knows. They are called in the thread that calls
/// functions of sets.
typedef struct perdure_ranks {
  size_t struct_size;   ///< sizeof(perdure_ranks)
  void* context;        ///< passed to each function
  const char* failure;  ///< NULL; else why ranks cannot be reached: functions of sets give it as their error
  int32_t rank;         ///< number of this process, from 0 on
  int32_t size;         ///< number of ranks
  /// Starts to make a channel of its own for all that follows. Collective. May be NULL.
  int (*begin)(void* context);
  /// Starts a reduction to rank 0: `all` gets the votes of all ranks, combined by perdure_combine_votes in
  /// any order. A vote has `bytes` bytes, always the same number.
  int (*reduce)(void* context, const void* own, void* all, size_t bytes);
  /// Starts to send `bytes` bytes from rank 0 to all ranks.
  int (*broadcast)(void* context, void* data, size_t bytes);
  /// Starts to collect `bytes` bytes of each rank on rank 0: `sizes` and `offsets` say how many bytes of each
  /// rank go where in `all`. On other ranks the last three are not used.
  int (*gather)(void* context, const void* own, int32_t bytes, void* all, const int32_t* sizes,
                const int32_t* offsets);
  /// Sets `is_done` to 1 if what was started last is done, else to 0.
  int (*test)(void* context, int* is_done);
  /// Lets messages of others make progress. May be NULL.
  int (*progress)(void* context);
  /// Returns 1 if ranks cannot be reached any more, as after MPI_Finalize. May be NULL.
  int (*has_ended)(void* context);
  /// Writes what a code means to `text`, of `capacity` bytes, with a zero byte at the end.
  void (*explain)(void* context, int code, char* text, size_t capacity);
  /// Frees the context; called once. If `is_left` is not 0, something was started that never ended, and must
  /// be left alone. May be NULL.
  void (*free)(void* context, int is_left);
} perdure_ranks;

/// Options for creating or opening a set. Zero in a member means its default. Later versions add members at
/// the end.
typedef struct perdure_set_options {
  size_t struct_size;  ///< sizeof(perdure_set_options)
  /// Options of each part; NULL: defaults. `keep_last` and `keep_full_copies` are of the set. The backings
  /// PERDURE_BACKING_SHARED and PERDURE_BACKING_DAX are PERDURE_UNSUPPORTED for writing.
  const perdure_store_options* store;
  /// The directory in which this rank's part is made, on a device of its machine; NULL: in the set's
  /// directory.
  const char* parts_directory;
  /// Milliseconds that a rank waits for others in a collective function before it is PERDURE_TIMED_OUT; 0: 10
  /// minutes.
  uint64_t timeout_ms;
} perdure_set_options;

/// An open set. Later versions add members at the end.
typedef struct perdure_set_info {
  size_t struct_size;  ///< sizeof(perdure_set_info), to be set by the caller
  int32_t rank;        ///< number of this process
  int32_t ranks;       ///< number of ranks that have it open
  uint64_t parts;      ///< number of ranks that write it, which may differ where it is open for reading
  uint64_t epoch;      ///< number of the last checkpoint; grows by one with each
} perdure_set_info;

PERDURE_BEGIN_DECLARATIONS

/// Creates a set: a directory with a store for each rank. Collective, as are all that take `ranks`: these are
/// used until the set is closed, and freed once, also where the function fails. `options` may be NULL.
/// PERDURE_ALREADY_EXISTS, PERDURE_INVALID_ARGUMENT, PERDURE_TIMED_OUT, and as perdure_store_create.
PERDURE_API perdure_status perdure_set_create(const char* path, const perdure_ranks* ranks,
                                              const perdure_set_options* options, perdure_store** store);

/// Opens a set for reading and writing at its last checkpoint, on as many ranks as it has parts
/// (PERDURE_INVALID_ARGUMENT). PERDURE_NOT_FOUND, PERDURE_NOT_A_STORE, PERDURE_IN_USE, PERDURE_DAMAGED,
/// PERDURE_CONFLICT (a part is missing, another set's, or at another checkpoint), PERDURE_TIMED_OUT.
PERDURE_API perdure_status perdure_set_open(const char* path, const perdure_ranks* ranks,
                                            const perdure_set_options* options, perdure_store** store);

/// Opens a set for reading, on any number of ranks. `path` may be SET@LABEL or SET@EPOCH.
PERDURE_API perdure_status perdure_set_open_read_only(const char* path, const perdure_ranks* ranks,
                                                      const perdure_set_options* options,
                                                      perdure_store** store);

/// Opens a set like perdure_set_open, or makes it like perdure_set_create where there is none.
PERDURE_API perdure_status perdure_set_open_or_create(const char* path, const perdure_ranks* ranks,
                                                      const perdure_set_options* options,
                                                      perdure_store** store);

/// Divides the arrays of a set among as many parts as there are ranks: along their first dimension, in shares
/// as equal as possible, the larger ones first. An array that one rank has stored whole stays whole: it is
/// the same rank's, or rank 0's where there is no such rank any more. Nobody may have the set open. On
/// failure it is as before. PERDURE_UNSUPPORTED where parts hold anything but arrays of the set.
PERDURE_API perdure_status perdure_set_repartition(const char* path, const perdure_ranks* ranks,
                                                   const perdure_set_options* options);

/// Fills `info`. PERDURE_INVALID_ARGUMENT for a store that perdure_set_… has not opened.
PERDURE_API perdure_status perdure_set_info_get(const perdure_store* store, perdure_set_info* info);

/// Combines `count` votes, one behind the other, that `perdure_ranks.reduce` was given: those at `into` with
/// those at `from`. Neither need be aligned.
PERDURE_API void perdure_combine_votes(const void* from, void* into, int32_t count);

PERDURE_END_DECLARATIONS

#endif
