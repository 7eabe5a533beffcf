/* The C API from C99: what one opening leaves, the next one finds. usage: test_c99 STORE */
#include <perdure/c/perdure.h>
#include <stdio.h>
#include <string.h>

static int checks_failed = 0;

static void check(int holds, const char* what, int line) {
  if (holds) return;
  fprintf(stderr, "line %d: %s: %s\n", line, what, perdure_last_error_message());
  ++checks_failed;
}
#define CHECK(condition) check((condition) ? 1 : 0, #condition, __LINE__)
#define CHECK_OK(call) check((call) == PERDURE_OK, #call, __LINE__)

struct node {
  uint64_t next; /* an offset */
  uint32_t value;
};

struct root {
  uint64_t first;
  uint64_t count;
};

static void push(perdure_store* store, struct root* root, uint32_t value) {
  void* block = NULL;
  struct node* node;
  CHECK_OK(perdure_allocate(store, sizeof *node, &block));
  if (block == NULL) return;
  node = block;
  node->next = root->first;
  node->value = value;
  CHECK_OK(perdure_offset_of(store, node, &root->first));
  ++root->count;
}

static void fill(const char* path) {
  perdure_store* store = NULL;
  perdure_store_options options = {0};
  perdure_pending_checkpoint* pending = NULL;
  void* data = NULL;
  uint32_t i;
  int ready = 0;
  options.struct_size = sizeof options;
  options.capacity = (uint64_t)4 << 30;
  CHECK_OK(perdure_store_create(path, &options, &store));
  CHECK_OK(perdure_data_create(store, "root", "uint8", sizeof(struct root), 0, &data));
  if (data == NULL) return;
  for (i = 1; i <= 100; ++i) push(store, data, i);
  CHECK_OK(perdure_attribute_set(store, "root", "holds", "a list", 6));
  CHECK_OK(perdure_checkpoint(store, "filled"));
  CHECK_OK(perdure_checkpoint_async(store, NULL, &pending));
  CHECK_OK(perdure_pending_checkpoint_wait(pending, NULL));
  CHECK_OK(perdure_pending_checkpoint_ready(pending, &ready));
  CHECK(ready == 1);
  CHECK_OK(perdure_pending_checkpoint_free(pending));
  CHECK_OK(perdure_store_close(store));
  CHECK(perdure_store_close(store) == PERDURE_INVALID_ARGUMENT);
}

static void read_back(const char* path) {
  perdure_store* store = NULL;
  perdure_object_list* objects = NULL;
  const perdure_object_info* object = NULL;
  const struct root* root;
  const char* base;
  void* data = NULL;
  void* first_byte = NULL;
  size_t size = 0;
  uint64_t at;
  uint64_t sum = 0;
  CHECK_OK(perdure_store_open_read_only(path, NULL, &store));
  CHECK_OK(perdure_data_find(store, "root", "uint8", &data, &size));
  CHECK(size == sizeof(struct root));
  CHECK_OK(perdure_base(store, &first_byte, NULL));
  if (data == NULL || first_byte == NULL) return;
  root = data;
  base = first_byte;
  for (at = root->first; at != 0; at = ((const struct node*)(const void*)(base + at))->next)
    sum += ((const struct node*)(const void*)(base + at))->value;
  CHECK(root->count == 100);
  CHECK(sum == 5050);
  CHECK_OK(perdure_object_list_create(store, &objects));
  CHECK_OK(perdure_object_list_at(objects, 0, &object));
  CHECK(object != NULL && strcmp(object->name, "root") == 0 && strcmp(object->data_type, "uint8") == 0);
  CHECK_OK(perdure_object_list_free(objects));
  CHECK(perdure_checkpoint(store, NULL) == PERDURE_READ_ONLY);
  CHECK(perdure_last_error_code() == PERDURE_READ_ONLY);
  CHECK(strcmp(perdure_status_name(PERDURE_READ_ONLY), "read_only") == 0);
  CHECK_OK(perdure_store_close(store));
}

static void inspect(const char* path) {
  perdure_store_info info = {0};
  perdure_checkpoint_log* log = NULL;
  const perdure_checkpoint_record* record = NULL;
  size_t count = 0;
  size_t i;
  int labelled = 0;
  info.struct_size = sizeof info;
  CHECK_OK(perdure_store_inspect(path, &info));
  CHECK(strlen(info.uuid) == 36);
  CHECK_OK(perdure_checkpoint_log_read(path, &log));
  CHECK_OK(perdure_checkpoint_log_size(log, &count));
  for (i = 0; i < count; ++i) {
    CHECK_OK(perdure_checkpoint_log_at(log, i, &record));
    if (strcmp(record->label, "filled") == 0) labelled = 1;
  }
  CHECK(labelled);
  CHECK_OK(perdure_checkpoint_log_free(log));
  CHECK_OK(perdure_verify(path, NULL, NULL));
}

int main(int argc, char** argv) {
  perdure_status removed;
  if (argc != 2) return 2;
  CHECK(perdure_version_number() == PERDURE_VERSION_NUMBER);
  removed = perdure_store_remove(argv[1]);
  CHECK(removed == PERDURE_OK || removed == PERDURE_NOT_FOUND);
  fill(argv[1]);
  read_back(argv[1]);
  inspect(argv[1]);
  CHECK_OK(perdure_store_remove(argv[1]));
  if (checks_failed != 0) return 1;
  puts("all checks hold");
  return 0;
}
