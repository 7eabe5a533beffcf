/* A set of stores on the communicator of an MPI program in C99. Each rank prints what fails, and ends with 1.
 */
#include <perdure/c/perdure.h>
#include <perdure/mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { rows = 12, columns = 5 };

static int failed = 0;
static int rank = 0;
static int size = 1;

static void check(int holds, const char* what, int line) {
  if (holds) return;
  fprintf(stderr, "c_set.c:%d: rank %d: %s: %s\n", line, rank, what, perdure_last_error_message());
  failed = 1;
}
#define CHECK(condition) check(condition, #condition, __LINE__)
#define CHECK_OK(call) check((call) == PERDURE_OK, #call, __LINE__)

static double value(int step, uint64_t row, uint64_t column) {
  return 1000.0 * step + 10.0 * (double)row + (double)column;
}

/* Rows of a rank, as equal shares as can be, the larger ones first. */
static void rows_of(int which, uint64_t* first, uint64_t* count) {
  const uint64_t share = rows / (uint64_t)size;
  const uint64_t rest = rows % (uint64_t)size;
  const uint64_t before = (uint64_t)which;
  *first = share * before + (before < rest ? before : rest);
  *count = share + (before < rest ? 1 : 0);
}

static perdure_status write_rows(perdure_store* set, int step, uint64_t first, uint64_t count) {
  uint64_t offset[2] = {0, 0};
  uint64_t counts[2] = {0, columns};
  perdure_array_part part = {2, NULL, NULL, NULL, NULL};
  double mine[rows][columns];
  uint64_t i;
  uint64_t j;
  offset[0] = first;
  counts[0] = count;
  part.offset = offset;
  part.count = counts;
  for (i = 0; i < count; ++i)
    for (j = 0; j < columns; ++j) mine[i][j] = value(step, first + i, j);
  return perdure_array_write(set, "field", "float64", &part, mine);
}

static int holds(const perdure_store* set, int step) {
  double all[rows][columns];
  uint64_t i;
  uint64_t j;
  if (perdure_array_read(set, "field", "float64", NULL, all, sizeof all) != PERDURE_OK) return 0;
  for (i = 0; i < rows; ++i)
    for (j = 0; j < columns; ++j)
      if (all[i][j] != value(step, i, j)) return 0;
  return 1;
}

static void work(const char* path) {
  const uint64_t dims[2] = {rows, columns};
  perdure_store_options store_options = {0};
  perdure_set_options options = {0};
  perdure_set_info info = {0};
  perdure_ranks ranks = perdure_mpi_ranks(MPI_COMM_WORLD);
  perdure_store* set = NULL;
  uint64_t first;
  uint64_t count;
  store_options.struct_size = sizeof store_options;
  store_options.capacity = (uint64_t)1 << 30;
  options.struct_size = sizeof options;
  options.store = &store_options;
  options.timeout_ms = 60000;
  info.struct_size = sizeof info;
  rows_of(rank, &first, &count);

  CHECK_OK(perdure_set_open_or_create(path, &ranks, &options, &set));
  CHECK_OK(perdure_array_create(set, "field", "float64", 2, dims, NULL));
  CHECK_OK(write_rows(set, 1, first, count));
  CHECK_OK(perdure_checkpoint(set, NULL));
  CHECK(holds(set, 1));
  CHECK_OK(perdure_set_info_get(set, &info));
  CHECK(info.rank == rank && info.ranks == size && info.parts == (uint64_t)size);
  if (size > 1) {
    CHECK_OK(write_rows(set, 2, 0, rows));
    CHECK(perdure_checkpoint(set, NULL) == PERDURE_CONFLICT);
    CHECK(strstr(perdure_last_error_message(), "rank 0 and rank 1 have both written") != NULL);
  }
  CHECK_OK(perdure_store_discard(set));

  ranks = perdure_mpi_ranks(MPI_COMM_WORLD);
  CHECK_OK(perdure_set_open_read_only(path, &ranks, &options, &set));
  CHECK(holds(set, 1));
  CHECK_OK(perdure_store_close(set));

  /* By the first rank alone, and by all again. */
  if (rank == 0) {
    ranks = perdure_mpi_ranks(MPI_COMM_SELF);
    CHECK_OK(perdure_set_repartition(path, &ranks, &options));
    CHECK_OK(perdure_store_open_read_only(path, &store_options, &set));
    CHECK(holds(set, 1));
    CHECK_OK(perdure_store_close(set));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  ranks = perdure_mpi_ranks(MPI_COMM_WORLD);
  CHECK_OK(perdure_set_repartition(path, &ranks, &options));
  ranks = perdure_mpi_ranks(MPI_COMM_WORLD);
  CHECK_OK(perdure_set_open(path, &ranks, &options, &set));
  CHECK_OK(write_rows(set, 3, first, count));
  CHECK_OK(perdure_store_close(set));

  ranks = perdure_mpi_ranks(MPI_COMM_NULL);
  CHECK(perdure_set_open(path, &ranks, &options, &set) == PERDURE_INVALID_ARGUMENT);
  CHECK(strstr(perdure_last_error_message(), "MPI_COMM_NULL") != NULL);
  ranks = perdure_mpi_ranks(MPI_COMM_WORLD);
  CHECK_OK(perdure_set_open_read_only(path, &ranks, &options, &set));
  CHECK(holds(set, 3));
  CHECK_OK(perdure_store_close(set));
  ranks = perdure_mpi_ranks(MPI_COMM_WORLD);
  CHECK_OK(perdure_set_open(path, &ranks, &options, &set));
  CHECK_OK(write_rows(set, 4, first, count));
  MPI_Finalize();

  CHECK(perdure_checkpoint(set, NULL) == PERDURE_INVALID_ARGUMENT);
  CHECK(strstr(perdure_last_error_message(), "before MPI_Finalize") != NULL);
  CHECK_OK(perdure_store_discard(set));
  ranks = perdure_mpi_ranks(MPI_COMM_WORLD);
  CHECK(perdure_set_open(path, &ranks, &options, &set) == PERDURE_INVALID_ARGUMENT);
  CHECK(strstr(perdure_last_error_message(), "MPI_Finalize") != NULL);
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  work(argv[1]);
  return failed;
}
