/* The C interface, used from C. Returns 0, or the number of the step that went wrong. */
#include <errno.h>
#include <metall/c_api/metall.h>
#include <stdint.h>

int use_c_api(const char* path, const char* snapshot_path) {
  metall_manager* manager = metall_create(path);
  if (manager == NULL) return 1;
  uint64_t* x = metall_malloc(manager, sizeof *x);
  if (x == NULL) return 2;
  *x = 1;
  metall_free(manager, x);
  metall_free(manager, NULL);

  uint64_t* array = metall_named_malloc(manager, "array", 10 * sizeof *array);
  if (array == NULL || array[9] != 0) return 3;
  errno = 0;
  if (metall_named_malloc(manager, "array", 1) != NULL || errno != EINVAL) return 4;
  array[0] = 5;
  metall_flush(manager);
  array[1] = 6;
  if (!metall_snapshot(manager, snapshot_path)) return 5;
  errno = 0;
  if (metall_remove(path) || errno != EADDRINUSE) return 6;
  if (metall_open(path) != NULL || errno != ENOTRECOVERABLE) return 7;
  metall_close(manager);
  metall_close(NULL);

  if (metall_create(path) != NULL || errno != EEXIST) return 8;
  manager = metall_open_read_only(snapshot_path);
  if (manager == NULL) return 9;
  array = metall_find(manager, "array");
  if (array == NULL || array[0] != 5 || array[1] != 6) return 10;
  errno = 0;
  if (metall_malloc(manager, 8) != NULL || errno != ENOMEM) return 11;
  metall_close(manager);

  manager = metall_open(path);
  if (manager == NULL) return 12;
  errno = 0;
  if (metall_find(manager, "nobody") != NULL || errno != ENOENT) return 13;
  errno = 0;
  if (metall_named_free(manager, "nobody") || errno != ENOENT) return 14;
  if (!metall_named_free(manager, "array")) return 15;
  metall_close(manager);
  if (!metall_remove(path) || !metall_remove(snapshot_path) || !metall_remove(path)) return 16;

  errno = 0;
  if (metall_malloc(NULL, 8) != NULL || errno != EINVAL) return 17;
  if (metall_find(NULL, "x") != NULL || metall_named_free(NULL, "x") || metall_snapshot(NULL, "x")) return 18;
  return 0;
}
