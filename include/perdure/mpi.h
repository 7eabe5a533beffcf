/* Sets of stores of the ranks of an MPI program, in C: <perdure/c/set.h> with the ranks of a communicator.
 *
 *     perdure_ranks ranks = perdure_mpi_ranks(MPI_COMM_WORLD);
 *     perdure_store* store;
 *     perdure_set_open_or_create("run.set", &ranks, NULL, &store);
 *     perdure_array_write(store, "temperature", "float64", &my_rows, mine);
 *     perdure_checkpoint(store, NULL);     (of all ranks, or of none)
 *     perdure_store_close(store);          (before MPI_Finalize)
 *
 * Needs MPI 3, of any make, when the program is compiled; the library itself has nothing of MPI in it. MPI is
 * called only by the thread that calls functions of the set, so MPI_THREAD_FUNNELED is enough. */
#ifndef PERDURE_MPI_H
#define PERDURE_MPI_H

#include <mpi.h>
#include <perdure/c/set.h>
#include <stdlib.h>
#include <string.h>

/// \cond
/* A communicator with the one message that is under way in it. */
struct perdure_mpi_channel {
  MPI_Comm given;
  MPI_Comm own; /* none until `begin` is done */
  MPI_Datatype vote;
  MPI_Op combination;
  MPI_Request request;
};

static inline int perdure_mpi_has_ended(void* context) {
  int is_finalized = 0;
  (void)context;
  MPI_Finalized(&is_finalized);
  return is_finalized;
}

static inline int perdure_mpi_begin(void* context) {
  struct perdure_mpi_channel* const channel = (struct perdure_mpi_channel*)context;
  return MPI_Comm_idup(channel->given, &channel->own, &channel->request);
}

static inline void perdure_mpi_combine(void* from, void* into, int* count, MPI_Datatype* type) {
  (void)type;
  perdure_combine_votes(from, into, *count);
}

static inline int perdure_mpi_reduce(void* context, const void* own, void* all, size_t bytes) {
  struct perdure_mpi_channel* const channel = (struct perdure_mpi_channel*)context;
  int code = MPI_SUCCESS;
  if (channel->vote == MPI_DATATYPE_NULL) {
    code = MPI_Comm_set_errhandler(channel->own, MPI_ERRORS_RETURN);
    if (code == MPI_SUCCESS) code = MPI_Op_create(perdure_mpi_combine, 1, &channel->combination);
    if (code == MPI_SUCCESS) code = MPI_Type_contiguous((int)bytes, MPI_BYTE, &channel->vote);
    if (code == MPI_SUCCESS) code = MPI_Type_commit(&channel->vote);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_Ireduce(own, all, 1, channel->vote, channel->combination, 0, channel->own, &channel->request);
}

static inline int perdure_mpi_broadcast(void* context, void* data, size_t bytes) {
  struct perdure_mpi_channel* const channel = (struct perdure_mpi_channel*)context;
  return MPI_Ibcast(data, (int)bytes, MPI_BYTE, 0, channel->own, &channel->request);
}

static inline int perdure_mpi_gather(void* context, const void* own, int32_t bytes, void* all,
                                     const int32_t* sizes, const int32_t* offsets) {
  struct perdure_mpi_channel* const channel = (struct perdure_mpi_channel*)context;
  return MPI_Igatherv(own, (int)bytes, MPI_BYTE, all, sizes, offsets, MPI_BYTE, 0, channel->own,
                      &channel->request);
}

static inline int perdure_mpi_test(void* context, int* is_done) {
  struct perdure_mpi_channel* const channel = (struct perdure_mpi_channel*)context;
  return MPI_Test(&channel->request, is_done, MPI_STATUS_IGNORE);
}

static inline int perdure_mpi_progress(void* context) {
  struct perdure_mpi_channel* const channel = (struct perdure_mpi_channel*)context;
  int is_there = 0;
  return MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, channel->own, &is_there, MPI_STATUS_IGNORE);
}

static inline void perdure_mpi_explain(void* context, int code, char* text, size_t capacity) {
  char all[MPI_MAX_ERROR_STRING + 1] = {0};
  int length = 0;
  (void)context;
  MPI_Error_string(code, all, &length);
  strncpy(text, all, capacity - 1);
  text[capacity - 1] = '\0';
}

static inline void perdure_mpi_free(void* context, int is_left) {
  struct perdure_mpi_channel* const channel = (struct perdure_mpi_channel*)context;
  if (channel == NULL || is_left != 0) return; /* MPI may still use it */
  if (!perdure_mpi_has_ended(context)) {
    if (channel->combination != MPI_OP_NULL) MPI_Op_free(&channel->combination);
    if (channel->vote != MPI_DATATYPE_NULL) MPI_Type_free(&channel->vote);
    if (channel->own != MPI_COMM_NULL) MPI_Comm_free(&channel->own);
  }
  free(channel);
}

/// \endcond

/// Returns the ranks of a communicator, for one call of a function of <perdure/c/set.h>. The set gets a
/// communicator of its own, so that its messages meet no others. Where MPI does not run, or the communicator
/// is MPI_COMM_NULL, that function gives PERDURE_INVALID_ARGUMENT.
static inline perdure_ranks perdure_mpi_ranks(MPI_Comm communicator) {
  perdure_ranks ranks;
  struct perdure_mpi_channel* channel;
  int is_initialized = 0;
  int rank = 0;
  int size = 1;
  memset(&ranks, 0, sizeof ranks);
  ranks.struct_size = sizeof ranks;
  MPI_Initialized(&is_initialized);
  if (!is_initialized || perdure_mpi_has_ended(NULL)) {
    ranks.failure =
        "MPI is not initialised, or has ended: a set of stores is opened between MPI_Init and MPI_Finalize";
    return ranks;
  }
  if (communicator == MPI_COMM_NULL) {
    ranks.failure = "a set of stores cannot be opened on MPI_COMM_NULL";
    return ranks;
  }
  channel = (struct perdure_mpi_channel*)malloc(sizeof *channel);
  if (channel == NULL) {
    ranks.failure = "there is not enough memory for a communicator of the set";
    return ranks;
  }
  channel->given = communicator;
  channel->own = MPI_COMM_NULL;
  channel->vote = MPI_DATATYPE_NULL;
  channel->combination = MPI_OP_NULL;
  channel->request = MPI_REQUEST_NULL;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &size);
  ranks.context = channel;
  ranks.rank = rank;
  ranks.size = size;
  ranks.begin = perdure_mpi_begin;
  ranks.reduce = perdure_mpi_reduce;
  ranks.broadcast = perdure_mpi_broadcast;
  ranks.gather = perdure_mpi_gather;
  ranks.test = perdure_mpi_test;
  ranks.progress = perdure_mpi_progress;
  ranks.has_ended = perdure_mpi_has_ended;
  ranks.explain = perdure_mpi_explain;
  ranks.free = perdure_mpi_free;
  return ranks;
}

#endif
