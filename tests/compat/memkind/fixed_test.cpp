// memkind_create_fixed: memory that the program owns.
#include <gtest/gtest.h>
#include <memkind.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <vector>

#include "compat/memkind/constants.hpp"

namespace {

class a_fixed_kind : public ::testing::Test {
 protected:
  a_fixed_kind() : area_(8 * mib) {
    EXPECT_EQ(memkind_create_fixed(area_.data(), area_.size(), &kind_), MEMKIND_SUCCESS);
  }
  ~a_fixed_kind() override { EXPECT_EQ(memkind_destroy_kind(kind_), MEMKIND_SUCCESS); }
  bool is_inside(const void* block, std::size_t bytes) const {
    const auto* const begin = static_cast<const char*>(block);
    return begin >= area_.data() && begin + bytes <= area_.data() + area_.size();
  }

  std::vector<char> area_;
  memkind_t kind_ = nullptr;
};

TEST_F(a_fixed_kind, hands_out_parts_of_its_area) {
  std::vector<char*> blocks;
  for (std::size_t bytes = 1; bytes < mib; bytes = bytes * 3 + 1) {
    blocks.push_back(static_cast<char*>(memkind_malloc(kind_, bytes)));
    ASSERT_NE(blocks.back(), nullptr);
    EXPECT_TRUE(is_inside(blocks.back(), bytes));
    EXPECT_GE(memkind_malloc_usable_size(kind_, blocks.back()), bytes);
    EXPECT_EQ(memkind_detect_kind(blocks.back()), kind_);
    std::memset(blocks.back(), 1, bytes);
  }
  for (char* const block : blocks) memkind_free(nullptr, block);
}

TEST_F(a_fixed_kind, ends_with_ENOMEM_and_reuses_what_was_freed) {
  std::vector<void*> blocks;
  errno = 0;
  while (void* const block = memkind_malloc(kind_, 100000)) blocks.push_back(block);
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_GT(blocks.size(), 70u);
  const std::size_t first = blocks.size();
  for (void* const block : blocks) memkind_free(kind_, block);
  blocks.clear();
  while (void* const block = memkind_malloc(kind_, 100000)) blocks.push_back(block);
  EXPECT_EQ(blocks.size(), first);
}

TEST_F(a_fixed_kind, aligns_and_reallocates) {
  void* block = nullptr;
  ASSERT_EQ(memkind_posix_memalign(kind_, &block, 4096, 100), 0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 4096, 0u);
  std::memset(block, 7, 100);
  auto* const grown = static_cast<char*>(memkind_realloc(kind_, block, 50000));
  ASSERT_NE(grown, nullptr);
  EXPECT_EQ(grown[99], 7);
  memkind_free(kind_, grown);
  auto* const zeros = static_cast<char*>(memkind_calloc(kind_, 10, 1000));
  ASSERT_NE(zeros, nullptr);
  for (int i = 0; i < 10000; ++i) ASSERT_EQ(zeros[i], 0);
  memkind_free(kind_, zeros);
  EXPECT_EQ(memkind_calloc(kind_, SIZE_MAX / 2, 4), nullptr);
}

TEST_F(a_fixed_kind, is_as_large_as_its_area) {
  EXPECT_NEAR(static_cast<double>(memkind_get_capacity(kind_)), 8.0 * mib, 4096);
}

TEST_F(a_fixed_kind, does_not_take_neighbours_for_its_own) {
  std::vector<char> other(100);
  EXPECT_EQ(memkind_detect_kind(other.data()), nullptr);
  memkind_free(kind_, other.data());
  memkind_free(nullptr, other.data());
}

TEST(memkind_create_fixed_, refuses_what_is_no_area) {
  memkind_t kind = nullptr;
  char small[16];
  EXPECT_EQ(memkind_create_fixed(nullptr, mib, &kind), MEMKIND_ERROR_INVALID);
  EXPECT_EQ(memkind_create_fixed(small, mib, nullptr), MEMKIND_ERROR_INVALID);
}

TEST(memkind_create_fixed_, takes_an_area_too_small_to_hand_anything_out) {
  char small[87];
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{25}, sizeof small}) {
    memkind_t kind = nullptr;
    ASSERT_EQ(memkind_create_fixed(small, bytes, &kind), MEMKIND_SUCCESS);
    EXPECT_EQ(memkind_get_capacity(kind), static_cast<ssize_t>(bytes));
    errno = 0;
    EXPECT_EQ(memkind_malloc(kind, 1), nullptr);
    EXPECT_EQ(errno, ENOMEM);
    EXPECT_EQ(memkind_detect_kind(small), nullptr);
    EXPECT_EQ(memkind_destroy_kind(kind), MEMKIND_SUCCESS);
  }
}

TEST(memkind_create_fixed_, takes_an_area_at_any_address) {
  std::vector<char> area(2 * mib);
  memkind_t kind = nullptr;
  ASSERT_EQ(memkind_create_fixed(area.data() + 3, area.size() - 3, &kind), MEMKIND_SUCCESS);
  void* const block = memkind_malloc(kind, 1000);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignof(std::max_align_t), 0u);
  EXPECT_EQ(memkind_destroy_kind(kind), MEMKIND_SUCCESS);
}

}  // namespace
