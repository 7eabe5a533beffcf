#include <perdure/c/perdure.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
@snippet@
static void count(perdure_store* store, struct table* table, const char* word);
static void require(perdure_status status);
@snippet@
static void count(perdure_store* store, struct table* table, const char* word) {
  uint64_t* bucket = &table->buckets[0];
  struct entry* entry;
  void* memory;
@snippet@
}
@snippet@
