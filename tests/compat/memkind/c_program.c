/* The headers in C99, and the linker with a C program. */
#include <hbwmalloc.h>
#include <memkind.h>
#include <memkind_memtier.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  char text[MEMKIND_ERROR_MESSAGE_SIZE];
  char* block = memkind_malloc(MEMKIND_DEFAULT, 100);
  if (block == NULL) return 1;
  strcpy(block, "kept in a kind");
  if (memkind_detect_kind(block) != MEMKIND_DEFAULT) return 2;
  memkind_error_message(MEMKIND_ERROR_UNAVAILABLE, text, sizeof text);
  printf("%s; %s\n", block, text);
  memkind_free(NULL, block);

  struct memtier_builder* builder = memtier_builder_new(MEMTIER_POLICY_STATIC_RATIO);
  if (memtier_builder_add_tier(builder, MEMKIND_DEFAULT, 1) != 0) return 3;
  struct memtier_memory* memory = memtier_builder_construct_memtier_memory(builder);
  memtier_builder_delete(builder);
  memtier_free(memtier_malloc(memory, 10));
  memtier_delete_memtier_memory(memory);

  hbw_free(hbw_malloc(10));
  return 0;
}
