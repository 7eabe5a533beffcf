/* A kind of one's own: memory that another process sees. The other process gets the file's descriptor and
 * offsets into it; here it is a child, but a descriptor can be sent over a socket as well. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <perdure/c/perdure.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int memory = -1;

static int in_memory(void* context, uint64_t offset, size_t size, int* descriptor, uint64_t* file_offset) {
  (void)context;
  /* The file grows with the kind. */
  int failure = posix_fallocate(memory, (off_t)offset, (off_t)size);
  if (failure != 0) return failure;
  *descriptor = memory;
  *file_offset = offset;
  return 0;
}

static void check(perdure_status status) {
  if (status == PERDURE_OK) return;
  fprintf(stderr, "%s\n", perdure_last_error_message());
  exit(1);
}

/* What another process does: it maps the file, at whatever address, and follows offsets. It must not
 * allocate. */
static int other_process(uint64_t offset) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t skipped = offset % page;
  char* mapped = mmap(NULL, page * 2, PROT_READ | PROT_WRITE, MAP_SHARED, memory, (off_t)(offset - skipped));
  if (mapped == MAP_FAILED) return 1;
  char* text = mapped + skipped;
  for (size_t i = 0; text[i] != 0; ++i)
    if (text[i] >= 'a' && text[i] <= 'z') text[i] -= 'a' - 'A';
  return 0;
}

int main(void) {
  memory = memfd_create("shared", MFD_CLOEXEC);
  perdure_kind_ops ops = {0};
  ops.version = PERDURE_KIND_OPS_VERSION;
  ops.struct_size = sizeof ops;
  ops.flags = PERDURE_KIND_OPS_SHARED;
  ops.file = in_memory;
  perdure_kind_options options = {0};
  options.struct_size = sizeof options;
  options.name = "shared";
  options.capacity = (uint64_t)1 << 30;
  perdure_kind* shared = NULL;
  check(perdure_kind_create(&ops, NULL, NULL, &options, &shared));

  char* text = perdure_kind_calloc(shared, 256, 1);
  if (text == NULL || fgets(text, 256, stdin) == NULL) return 1;
  void* base = NULL;
  check(perdure_kind_range(shared, &base, NULL));
  uint64_t offset = (uint64_t)(text - (char*)base);

  pid_t child = fork();
  if (child == 0) _exit(other_process(offset));
  int status = 1;
  waitpid(child, &status, 0);
  printf("the other process made it: %s", text);
  check(perdure_kind_free(shared, text));
  check(perdure_kind_destroy(shared));
  close(memory);
  return status == 0 ? 0 : 1;
}
