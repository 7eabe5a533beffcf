// memkind_malloc and its like, by memkind(3).
#include <gtest/gtest.h>
#include <memkind.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

namespace {

TEST(memkind_malloc_, gives_memory_to_write_to) {
  for (const std::size_t size : {1, 8, 100, 5000, 300000, 5 << 20}) {
    auto* const block = static_cast<char*>(memkind_malloc(MEMKIND_DEFAULT, size));
    ASSERT_NE(block, nullptr) << size;
    std::memset(block, 1, size);
    memkind_free(MEMKIND_DEFAULT, block);
  }
}

TEST(memkind_malloc_, gives_null_for_no_bytes) {
  EXPECT_EQ(memkind_malloc(MEMKIND_DEFAULT, 0), nullptr);
}

TEST(memkind_malloc_, says_ENOMEM_for_more_than_there_is) {
  errno = 0;
  EXPECT_EQ(memkind_malloc(MEMKIND_DEFAULT, SIZE_MAX), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  errno = 0;
  EXPECT_EQ(memkind_malloc(MEMKIND_DEFAULT, SIZE_MAX / 2), nullptr);
  EXPECT_EQ(errno, ENOMEM);
}

TEST(memkind_malloc_, refuses_no_kind) {
  errno = 0;
  EXPECT_EQ(memkind_malloc(nullptr, 8), nullptr);
  EXPECT_EQ(errno, EINVAL);
}

TEST(memkind_calloc_, gives_zeros_where_something_was) {
  for (int round = 0; round < 3; ++round) {
    auto* const block = static_cast<char*>(memkind_calloc(MEMKIND_DEFAULT, 100, 40));
    ASSERT_NE(block, nullptr);
    for (int i = 0; i < 4000; ++i) ASSERT_EQ(block[i], 0);
    std::memset(block, 1, 4000);
    memkind_free(MEMKIND_DEFAULT, block);
  }
}

TEST(memkind_calloc_, gives_null_for_no_bytes) {
  EXPECT_EQ(memkind_calloc(MEMKIND_DEFAULT, 0, 8), nullptr);
  EXPECT_EQ(memkind_calloc(MEMKIND_DEFAULT, 8, 0), nullptr);
}

TEST(memkind_calloc_, catches_a_product_that_overflows) {
  errno = 0;
  EXPECT_EQ(memkind_calloc(MEMKIND_DEFAULT, SIZE_MAX / 2, 3), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_EQ(memkind_calloc(MEMKIND_REGULAR, std::size_t{1} << 33, std::size_t{1} << 33), nullptr);
}

TEST(memkind_realloc_, keeps_content) {
  auto* block = static_cast<char*>(memkind_malloc(MEMKIND_DEFAULT, 10));
  std::memcpy(block, "123456789", 10);
  block = static_cast<char*>(memkind_realloc(MEMKIND_DEFAULT, block, 100000));
  ASSERT_NE(block, nullptr);
  EXPECT_STREQ(block, "123456789");
  block = static_cast<char*>(memkind_realloc(nullptr, block, 5));
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(std::memcmp(block, "12345", 5), 0);
  memkind_free(MEMKIND_DEFAULT, block);
}

TEST(memkind_realloc_, allocates_for_null_and_frees_for_no_bytes) {
  void* const block = memkind_realloc(MEMKIND_DEFAULT, nullptr, 10);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(memkind_realloc(MEMKIND_DEFAULT, block, 0), nullptr);
  errno = 0;
  EXPECT_EQ(memkind_realloc(nullptr, nullptr, 10), nullptr);
  EXPECT_EQ(errno, EINVAL);
}

TEST(memkind_realloc_, refuses_what_is_not_ours) {
  int on_the_stack = 0;
  errno = 0;
  EXPECT_EQ(memkind_realloc(nullptr, &on_the_stack, 10), nullptr);
  EXPECT_EQ(errno, EINVAL);
}

TEST(memkind_posix_memalign_, aligns) {
  for (std::size_t alignment = sizeof(void*); alignment <= std::size_t{2} << 20; alignment *= 2) {
    void* block = nullptr;
    ASSERT_EQ(memkind_posix_memalign(MEMKIND_DEFAULT, &block, alignment, 100), 0) << alignment;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0u);
    memkind_free(nullptr, block);
  }
}

TEST(memkind_posix_memalign_, refuses_bad_alignments_with_EINVAL) {
  void* block = nullptr;
  for (const std::size_t alignment : {0, 1, 3, 4, 24}) {
    EXPECT_EQ(memkind_posix_memalign(MEMKIND_DEFAULT, &block, alignment, 8), EINVAL) << alignment;
  }
}

TEST(memkind_posix_memalign_, says_ENOMEM_and_leaves_errno_alone) {
  void* block = nullptr;
  errno = 0;
  EXPECT_EQ(memkind_posix_memalign(MEMKIND_DEFAULT, &block, 64, SIZE_MAX / 2), ENOMEM);
  EXPECT_EQ(errno, 0);
}

TEST(memkind_posix_memalign_, gives_null_for_no_bytes) {
  void* block = &block;
  EXPECT_EQ(memkind_posix_memalign(MEMKIND_DEFAULT, &block, 64, 0), 0);
  EXPECT_EQ(block, nullptr);
}

TEST(memkind_malloc_usable_size_, is_at_least_what_was_asked_for) {
  void* const block = memkind_malloc(MEMKIND_DEFAULT, 1000);
  EXPECT_GE(memkind_malloc_usable_size(MEMKIND_DEFAULT, block), 1000u);
  EXPECT_GE(memkind_malloc_usable_size(nullptr, block), 1000u);
  memkind_free(MEMKIND_DEFAULT, block);
  EXPECT_EQ(memkind_malloc_usable_size(MEMKIND_DEFAULT, nullptr), 0u);
  int on_the_stack = 0;
  EXPECT_EQ(memkind_malloc_usable_size(nullptr, &on_the_stack), 0u);
}

TEST(memkind_free_, finds_the_kind_if_it_is_not_told) {
  void* const one = memkind_malloc(MEMKIND_DEFAULT, 100);
  void* const other = memkind_malloc(MEMKIND_INTERLEAVE, 100);
  memkind_free(nullptr, one);
  memkind_free(nullptr, other);
  memkind_free(nullptr, nullptr);
  memkind_free(MEMKIND_DEFAULT, nullptr);
}

TEST(memkind_free_, leaves_alone_what_is_not_ours) {
  int on_the_stack = 5;
  memkind_free(nullptr, &on_the_stack);
  void* const of_the_c_library = std::malloc(100);
  memkind_free(nullptr, of_the_c_library);
  memkind_free(nullptr, reinterpret_cast<void*>(std::uintptr_t{64}));
  EXPECT_EQ(on_the_stack, 5);
  std::free(of_the_c_library);
}

TEST(memkind_detect_kind_, tells_kinds_apart) {
  void* const one = memkind_malloc(MEMKIND_DEFAULT, 100);
  void* const other = memkind_malloc(MEMKIND_INTERLEAVE, 100);
  EXPECT_EQ(memkind_detect_kind(one), MEMKIND_DEFAULT);
  EXPECT_EQ(memkind_detect_kind(other), MEMKIND_INTERLEAVE);
  memkind_free(MEMKIND_DEFAULT, one);
  memkind_free(MEMKIND_INTERLEAVE, other);
}

TEST(memkind_detect_kind_, answers_null_for_what_is_not_ours) {
  int on_the_stack = 0;
  EXPECT_EQ(memkind_detect_kind(nullptr), nullptr);
  EXPECT_EQ(memkind_detect_kind(&on_the_stack), nullptr);
  EXPECT_EQ(memkind_detect_kind(reinterpret_cast<void*>(~std::uintptr_t{0})), nullptr);
  void* const of_the_c_library = std::malloc(100);
  EXPECT_EQ(memkind_detect_kind(of_the_c_library), nullptr);
  std::free(of_the_c_library);
}

TEST(memkind_defrag_reallocate_, keeps_content_whether_it_moves_or_not) {
  std::vector<char*> blocks;
  for (int i = 0; i < 2000; ++i) {
    blocks.push_back(static_cast<char*>(memkind_malloc(MEMKIND_DEFAULT, 100)));
    std::memset(blocks.back(), i % 100, 100);
  }
  for (int i = 0; i < 2000; ++i) {
    if (i % 20 != 0)
      memkind_free(MEMKIND_DEFAULT, std::exchange(blocks[static_cast<std::size_t>(i)], nullptr));
  }
  for (std::size_t i = 0; i < blocks.size(); i += 20) {
    if (void* const moved = memkind_defrag_reallocate(MEMKIND_DEFAULT, blocks[i]))
      blocks[i] = static_cast<char*>(moved);
    EXPECT_EQ(blocks[i][99], static_cast<char>(i % 100));
    memkind_free(nullptr, blocks[i]);
  }
  EXPECT_EQ(memkind_defrag_reallocate(MEMKIND_DEFAULT, nullptr), nullptr);
  int on_the_stack = 0;
  EXPECT_EQ(memkind_defrag_reallocate(nullptr, &on_the_stack), nullptr);
}

TEST(threads_, may_free_what_others_allocated) {
  std::vector<void*> blocks(10000);
  std::thread([&] {
    for (void*& block : blocks) block = memkind_malloc(MEMKIND_DEFAULT, 48);
  }).join();
  for (void* const block : blocks) memkind_free(nullptr, block);
}

}  // namespace
