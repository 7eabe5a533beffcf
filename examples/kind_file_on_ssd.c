/* A kind of one's own: memory in a file, as on a fast disk that is larger than memory. Each line of the input
 * is kept there. (perdure_kind_create_file does this and more; the point is how.) */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <perdure/c/perdure.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct disk {
  int file;
};

/* The context of all other operations. */
static int disk_init(void* argument, void** context) {
  struct disk* disk = malloc(sizeof *disk);
  if (disk == NULL) return ENOMEM;
  disk->file = open(argument, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (disk->file < 0) {
    int reason = errno;
    free(disk);
    return reason;
  }
  unlink(argument); /* the memory goes with the kind */
  *context = disk;
  return 0;
}

static void disk_destroy(void* context) {
  struct disk* disk = context;
  close(disk->file);
  free(disk);
}

/* The file has each byte at the place it has in the kind's range. Its space is taken before it is mapped:
 * else a full disk would be a signal, in the middle of the program. */
static int disk_file(void* context, uint64_t offset, size_t size, int* descriptor, uint64_t* file_offset) {
  struct disk* disk = context;
  int failure = posix_fallocate(disk->file, (off_t)offset, (off_t)size);
  if (failure != 0) return failure;
  *descriptor = disk->file;
  *file_offset = offset;
  return 0;
}

/* Disks like large steps: 16 MiB at least. */
static size_t disk_round_length(void* context, size_t missing, size_t committed) {
  (void)context;
  (void)committed;
  return missing < ((size_t)16 << 20) ? (size_t)16 << 20 : missing;
}

static void check(perdure_status status) {
  if (status == PERDURE_OK) return;
  fprintf(stderr, "%s\n", perdure_last_error_message());
  exit(1);
}

int main(void) {
  perdure_kind_ops ops = {0};
  ops.version = PERDURE_KIND_OPS_VERSION;
  ops.struct_size = sizeof ops;
  ops.flags = PERDURE_KIND_OPS_SHARED;
  ops.init = disk_init;
  ops.destroy = disk_destroy;
  ops.file = disk_file;
  ops.round_length = disk_round_length;
  perdure_kind_options options = {0};
  options.struct_size = sizeof options;
  options.name = "ssd";
  options.capacity = (uint64_t)1 << 30;
  char path[] = "memory-on-disk";
  perdure_kind* ssd = NULL;
  check(perdure_kind_create(&ops, path, NULL, &options, &ssd));

  char line[256];
  while (fgets(line, sizeof line, stdin) != NULL) {
    size_t size = strlen(line) + 1;
    char* kept = perdure_kind_malloc(ssd, size);
    if (kept == NULL) {
      fprintf(stderr, "%s\n", perdure_last_error_message());
      return 1;
    }
    memcpy(kept, line, size);
    perdure_kind* where = NULL;
    const char* name = NULL;
    check(perdure_kind_detect(kept, &where));
    check(perdure_kind_name(where, &name));
    printf("in %s: %s", name, kept);
    check(perdure_kind_free(NULL, kept));
  }
  check(perdure_kind_destroy(ssd));
  return 0;
}
