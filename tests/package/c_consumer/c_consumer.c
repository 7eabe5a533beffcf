/* A program outside the project, in C: it counts its own runs in a store that a C++ program made. */
#include <perdure/c/perdure.h>
#include <stdio.h>

static int failed(void) {
  fprintf(stderr, "c_consumer: %s\n", perdure_last_error_message());
  return 1;
}

int main(int argc, char** argv) {
  perdure_store* store;
  perdure_object_list* found;
  const perdure_object_info* runs;
  unsigned long count;
  if (argc != 2) return 2;
  if (perdure_store_open(argv[1], NULL, &store) != PERDURE_OK) return failed();
  if (perdure_object_find(store, "runs", &found) != PERDURE_OK) return failed();
  if (perdure_object_list_at(found, 0, &runs) != PERDURE_OK) return failed();
  if (runs->element_size != sizeof(uint64_t)) return 3;
  count = (unsigned long)++*(uint64_t*)runs->data;
  if (perdure_object_list_free(found) != PERDURE_OK) return failed();
  if (perdure_store_close(store) != PERDURE_OK) return failed();
  printf("%lu\n", count);
  return 0;
}
