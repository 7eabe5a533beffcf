/* The calls that Metall's MPI headers make, for a program of one process: rank 0 of 1. */
#ifndef PERDURE_TESTS_ONE_PROCESS_MPI_H
#define PERDURE_TESTS_ONE_PROCESS_MPI_H

#include <stdlib.h>
#include <string.h>

typedef int MPI_Comm;
typedef int MPI_Info;
typedef int MPI_Datatype;
typedef int MPI_Op;

#define MPI_SUCCESS 0
#define MPI_COMM_WORLD 1
#define MPI_COMM_NULL 0
#define MPI_COMM_TYPE_SHARED 1
#define MPI_INFO_NULL 0
#define MPI_INT 1
#define MPI_LAND 1
#define MPI_LOR 2
#define MPI_MIN 3

static inline int MPI_Comm_rank(MPI_Comm comm, int* rank) {
  (void)comm;
  *rank = 0;
  return MPI_SUCCESS;
}
static inline int MPI_Comm_size(MPI_Comm comm, int* size) {
  (void)comm;
  *size = 1;
  return MPI_SUCCESS;
}
static inline int MPI_Barrier(MPI_Comm comm) {
  (void)comm;
  return MPI_SUCCESS;
}
static inline int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                                MPI_Comm comm) {
  (void)type;
  (void)op;
  (void)comm;
  memcpy(to, from, (size_t)count * sizeof(int));
  return MPI_SUCCESS;
}
static inline int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  (void)type;
  (void)key;
  (void)info;
  *made = comm;
  return MPI_SUCCESS;
}
static inline int MPI_Comm_free(MPI_Comm* comm) {
  *comm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}
static inline int MPI_Abort(MPI_Comm comm, int code) {
  (void)comm;
  exit(code & 0xff);
}

#endif
