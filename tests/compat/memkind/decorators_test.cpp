// Functions of the program's that are called before and after each call, and may change what goes in and out.
#include <gtest/gtest.h>
#include <memkind_memtier.h>

#include <string>
#include <vector>

namespace {

std::vector<std::string> calls;
memkind_t redirected = nullptr;

std::vector<std::string> taken() {
  return std::exchange(calls, {});
}

}  // namespace

extern "C" {
void memkind_malloc_pre(memkind_t* kind, size_t* size) {
  calls.emplace_back("malloc_pre");
  if (redirected != nullptr) *kind = redirected;
  if (*size == 1) *size = 5000;
}
void memkind_malloc_post(memkind_t kind, size_t, void** result) {
  calls.emplace_back("malloc_post");
  if (*result == nullptr && kind != MEMKIND_REGULAR) *result = memkind_malloc(MEMKIND_REGULAR, 64);
}
void memkind_calloc_pre(memkind_t*, size_t*, size_t*) {
  calls.emplace_back("calloc_pre");
}
void memkind_calloc_post(memkind_t, size_t, size_t, void**) {
  calls.emplace_back("calloc_post");
}
void memkind_posix_memalign_pre(memkind_t*, void**, size_t*, size_t*) {
  calls.emplace_back("posix_memalign_pre");
}
void memkind_posix_memalign_post(memkind_t, void**, size_t, size_t, int*) {
  calls.emplace_back("posix_memalign_post");
}
void memkind_realloc_pre(memkind_t*, void**, size_t*) {
  calls.emplace_back("realloc_pre");
}
void memkind_realloc_post(memkind_t, void*, size_t, void**) {
  calls.emplace_back("realloc_post");
}
void memkind_free_pre(memkind_t*, void**) {
  calls.emplace_back("free_pre");
}
void memkind_free_post(memkind_t, void*) {
  calls.emplace_back("free_post");
}
void memtier_kind_malloc_post(memkind_t, size_t, void**) {
  calls.emplace_back("memtier_malloc_post");
}
void memtier_kind_free_pre(void**) {
  calls.emplace_back("memtier_free_pre");
}
}

namespace {

using strings = std::vector<std::string>;

TEST(decorators, are_called_before_and_after) {
  void* block = memkind_malloc(MEMKIND_DEFAULT, 10);
  EXPECT_EQ(taken(), (strings{"malloc_pre", "malloc_post"}));
  block = memkind_realloc(MEMKIND_DEFAULT, block, 1000);
  EXPECT_EQ(taken(), (strings{"realloc_pre", "realloc_post"}));
  memkind_free(MEMKIND_DEFAULT, block);
  EXPECT_EQ(taken(), (strings{"free_pre", "free_post"}));
  memkind_free(nullptr, memkind_calloc(MEMKIND_DEFAULT, 2, 2));
  EXPECT_EQ(taken(), (strings{"calloc_pre", "calloc_post", "free_pre", "free_post"}));
  ASSERT_EQ(memkind_posix_memalign(MEMKIND_DEFAULT, &block, 64, 2), 0);
  EXPECT_EQ(taken(), (strings{"posix_memalign_pre", "posix_memalign_post"}));
  memkind_free(nullptr, block);
}

TEST(decorators, may_change_arguments) {
  void* block = memkind_malloc(MEMKIND_DEFAULT, 1);
  EXPECT_GE(memkind_malloc_usable_size(nullptr, block), 5000u);
  memkind_free(nullptr, block);
  redirected = MEMKIND_REGULAR;
  block = memkind_malloc(MEMKIND_DEFAULT, 10);
  EXPECT_EQ(memkind_detect_kind(block), MEMKIND_REGULAR);
  memkind_free(nullptr, block);
  redirected = nullptr;
}

TEST(decorators, may_change_results) {
  void* const block = memkind_malloc(MEMKIND_DEFAULT, ~std::size_t{0});
  EXPECT_EQ(memkind_detect_kind(block), MEMKIND_REGULAR);
  memkind_free(nullptr, block);
}

TEST(decorators, are_there_for_tiers_too) {
  taken();
  void* const block = memtier_kind_malloc(MEMKIND_DEFAULT, 10);
  EXPECT_EQ(taken(), (strings{"malloc_pre", "malloc_post", "memtier_malloc_post"}));
  memtier_free(block);
  EXPECT_EQ(taken(), (strings{"memtier_free_pre", "free_pre", "free_post"}));
}

}  // namespace
