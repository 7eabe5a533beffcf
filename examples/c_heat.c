/* A plate that cools at its edges, in C99: each run goes on where the last one ended, and adds to the history
 * of its middle. What a run that is killed computed is lost, and nothing of what runs before it computed. */
#include <perdure/c/perdure.h>
#include <stdio.h>
#include <stdlib.h>

enum { n = 32 };

static void require(perdure_status status) {
  if (status == PERDURE_OK) return;
  fprintf(stderr, "c_heat: %s\n", perdure_last_error_message());
  exit(1);
}

static void step(double plate[n][n]) {
  static double next[n][n];
  int i;
  int j;
  for (i = 1; i < n - 1; ++i)
    for (j = 1; j < n - 1; ++j)
      next[i][j] = plate[i][j] + 0.2 * (plate[i - 1][j] + plate[i + 1][j] + plate[i][j - 1] +
                                        plate[i][j + 1] - 4 * plate[i][j]);
  for (i = 0; i < n; ++i)
    for (j = 0; j < n; ++j) plate[i][j] = next[i][j];
}

int main(void) {
  const uint64_t dims[] = {n, n};
  const uint64_t none[] = {0};
  perdure_array_options growing = {sizeof growing, PERDURE_LAYOUT_CHUNKED, 0, 0, 0, NULL, NULL, 0, 0};
  static double plate[n][n];
  perdure_array_list* history;
  const perdure_array_info* info;
  perdure_store* store;
  perdure_status status;
  int i;
  int j;
  require(perdure_store_open_or_create("heat.store", NULL, &store));
  status = perdure_array_read(store, "plate", "float64", NULL, plate, sizeof plate);
  if (status == PERDURE_NOT_FOUND) {
    for (i = 0; i < n; ++i)
      for (j = 0; j < n; ++j) plate[i][j] = 100;
    require(perdure_array_create(store, "middle", "float64", 1, none, &growing));
    require(perdure_array_attribute_set(store, "middle", "units", "string", 0, NULL, "degrees", 7));
  } else {
    require(status);
  }
  for (i = 0; i < 50; ++i) {
    step(plate);
    if (i % 10 == 9) require(perdure_array_append(store, "middle", "float64", 1, &plate[n / 2][n / 2]));
  }
  require(perdure_array_store(store, "plate", "float64", 2, dims, plate, NULL));
  require(perdure_array_find(store, "middle", &history));
  require(perdure_array_list_at(history, 0, &info));
  printf("%lu states known, the last one %.3f\n", (unsigned long)info->elements, plate[n / 2][n / 2]);
  require(perdure_array_list_free(history));
  require(perdure_store_close(store)); /* a checkpoint: all of this run, or nothing of it */
  return 0;
}
