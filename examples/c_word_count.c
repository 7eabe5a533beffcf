/* Counts words over all its runs, in C99: a hash table that lies in a store and is there again next time.
 *
 *     echo to be or not to be | c_word_count     prints: 4 different words so far */
#include <perdure/c/perdure.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What lies in a store refers to other places in it by offset; 0 is none. */
struct entry {
  uint64_t next;
  uint64_t count;
  char word[];
};

struct table {
  uint64_t words;
  uint64_t buckets[1024];
};
#define TABLE_TYPE "{8200/8 words:uint64@0 buckets:uint64[1024]@8}"

static void require(perdure_status status) {
  if (status == PERDURE_OK) return;
  fprintf(stderr, "c_word_count: %s\n", perdure_last_error_message());
  exit(1);
}

static uint64_t* bucket_of(struct table* table, const char* word) {
  uint64_t hash = 5381;
  while (*word != 0) hash = hash * 33 + (unsigned char)*word++;
  return &table->buckets[hash % 1024];
}

static void count(perdure_store* store, struct table* table, const char* word) {
  uint64_t* bucket = bucket_of(table, word);
  struct entry* entry;
  void* memory;
  uint64_t at;
  for (at = *bucket; at != 0; at = entry->next) {
    require(perdure_address_of(store, at, &memory));
    entry = memory;
    if (strcmp(entry->word, word) == 0) {
      ++entry->count;
      return;
    }
  }
  require(perdure_allocate(store, sizeof *entry + strlen(word) + 1, &memory));
  entry = memory;
  entry->next = *bucket;
  entry->count = 1;
  strcpy(entry->word, word);
  require(perdure_offset_of(store, entry, bucket));
  ++table->words;
}

int main(void) {
  perdure_store* store;
  void* table;
  char word[64];
  require(perdure_store_open_or_create("words.store", NULL, &store));
  require(perdure_data_find_or_create(store, "words", TABLE_TYPE, 1, 0, &table, NULL));
  while (scanf("%63s", word) == 1) count(store, table, word);
  printf("%lu different words so far\n", (unsigned long)((struct table*)table)->words);
  require(perdure_store_close(store));
  return 0;
}
