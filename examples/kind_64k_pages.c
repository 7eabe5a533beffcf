/* A kind of one's own: an arena of 64 KiB pages. It hands out whole pages of 64 KiB and asks the kernel to
 * back them as such, which spares the processor 15 of 16 translations (where it has them: as multi-size huge
 * pages on Linux 6.8 and later, or as the page size of some arm64 kernels). */
#define _GNU_SOURCE
#include <perdure/c/perdure.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE ((size_t)64 * 1024)

static size_t advised;

static void advise(void* context, void* address, size_t size) {
  (void)context;
  /* Only a hint: /sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled decides. */
  madvise(address, size, MADV_HUGEPAGE);
  advised += size;
}

static size_t round_length(void* context, size_t missing, size_t committed) {
  (void)context;
  /* As much again as there is: fewer, larger steps. */
  return missing > committed ? missing : committed;
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
  ops.advise = advise;
  ops.round_length = round_length;
  perdure_kind_options options = {0};
  options.struct_size = sizeof options;
  options.name = "64 KiB pages";
  options.capacity = (uint64_t)1 << 30;
  perdure_kind* arena = NULL;
  check(perdure_kind_create(&ops, NULL, NULL, &options, &arena));

  int pages = 0;
  if (scanf("%d", &pages) != 1) return 1;
  for (int i = 0; i < pages; ++i) {
    void* page = NULL;
    if (perdure_kind_posix_memalign(arena, &page, PAGE, PAGE) != 0) return 1;
    memset(page, i, PAGE);
    if ((size_t)page % PAGE != 0) return 1;
  }
  perdure_kind_statistics stats = {0};
  stats.struct_size = sizeof stats;
  check(perdure_kind_stats_get(arena, &stats));
  printf("%d pages of 64 KiB: %d KiB used, all advised: %s\n", pages, (int)(stats.used_bytes / 1024),
         advised >= stats.used_bytes ? "yes" : "no");
  check(perdure_kind_destroy(arena)); /* with all pages */
  return 0;
}
