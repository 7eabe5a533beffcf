// memkind_create_kind and memkind_destroy_kind.
#include <gtest/gtest.h>
#include <memkind.h>

#include <cstring>
#include <vector>

#include "compat/memkind/constants.hpp"

namespace {

constexpr auto both =
    static_cast<memkind_memtype_t>(MEMKIND_MEMTYPE_DEFAULT | MEMKIND_MEMTYPE_HIGH_BANDWIDTH);

TEST(memkind_create_kind_, makes_a_kind_apart_from_the_static_one) {
  memkind_t kind = nullptr;
  ASSERT_EQ(memkind_create_kind(MEMKIND_MEMTYPE_DEFAULT, MEMKIND_POLICY_PREFERRED_LOCAL, no_flags, &kind),
            MEMKIND_SUCCESS);
  void* const block = memkind_malloc(kind, 1000);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(memkind_detect_kind(block), kind);
  EXPECT_EQ(memkind_check_available(kind), MEMKIND_SUCCESS);
  memkind_free(kind, block);
  EXPECT_EQ(memkind_destroy_kind(kind), MEMKIND_SUCCESS);
}

TEST(memkind_create_kind_, interleaves_over_all_memory) {
  memkind_t kind = nullptr;
  ASSERT_EQ(memkind_create_kind(both, MEMKIND_POLICY_INTERLEAVE_ALL, no_flags, &kind), MEMKIND_SUCCESS);
  void* const block = memkind_malloc(kind, 100000);
  ASSERT_NE(block, nullptr);
  std::memset(block, 1, 100000);
  EXPECT_EQ(memkind_destroy_kind(kind), MEMKIND_SUCCESS);
}

TEST(memkind_create_kind_, makes_high_bandwidth_kinds_where_there_is_such_memory) {
  const bool there = memkind_check_available(MEMKIND_HBW) == MEMKIND_SUCCESS;
  for (const memkind_policy_t policy : {MEMKIND_POLICY_BIND_LOCAL, MEMKIND_POLICY_BIND_ALL,
                                        MEMKIND_POLICY_PREFERRED_LOCAL, MEMKIND_POLICY_INTERLEAVE_ALL}) {
    memkind_t kind = nullptr;
    const int status = memkind_create_kind(MEMKIND_MEMTYPE_HIGH_BANDWIDTH, policy, no_flags, &kind);
    EXPECT_EQ(status, there ? MEMKIND_SUCCESS : MEMKIND_ERROR_MEMTYPE_NOT_AVAILABLE) << policy;
    if (status != MEMKIND_SUCCESS) continue;
    void* const block = memkind_malloc(kind, 100);
    EXPECT_NE(block, nullptr);
    memkind_free(kind, block);
    EXPECT_EQ(memkind_destroy_kind(kind), MEMKIND_SUCCESS);
  }
}

TEST(memkind_create_kind_, needs_huge_pages_for_huge_pages) {
  memkind_t kind = nullptr;
  const int status = memkind_create_kind(MEMKIND_MEMTYPE_DEFAULT, MEMKIND_POLICY_PREFERRED_LOCAL,
                                         MEMKIND_MASK_PAGE_SIZE_2MB, &kind);
  EXPECT_EQ(status, memkind_check_available(MEMKIND_HUGETLB));
  if (status == MEMKIND_SUCCESS) memkind_destroy_kind(kind);
}

TEST(memkind_create_kind_, refuses_what_does_not_go_together) {
  memkind_t kind = nullptr;
  const auto refused = [&](memkind_memtype_t type, memkind_policy_t policy, memkind_bits_t flags) {
    return memkind_create_kind(type, policy, flags, &kind) == MEMKIND_ERROR_INVALID;
  };
  EXPECT_TRUE(refused(static_cast<memkind_memtype_t>(0), MEMKIND_POLICY_PREFERRED_LOCAL, no_flags));
  EXPECT_TRUE(refused(static_cast<memkind_memtype_t>(8), MEMKIND_POLICY_PREFERRED_LOCAL, no_flags));
  EXPECT_TRUE(refused(MEMKIND_MEMTYPE_DEFAULT, MEMKIND_POLICY_MAX_VALUE, no_flags));
  EXPECT_TRUE(refused(both, MEMKIND_POLICY_PREFERRED_LOCAL, no_flags));
  EXPECT_TRUE(
      refused(MEMKIND_MEMTYPE_DEFAULT, MEMKIND_POLICY_PREFERRED_LOCAL, static_cast<memkind_bits_t>(30)));
  EXPECT_TRUE(refused(both, MEMKIND_POLICY_INTERLEAVE_ALL, MEMKIND_MASK_PAGE_SIZE_2MB));
  EXPECT_EQ(memkind_create_kind(MEMKIND_MEMTYPE_DEFAULT, MEMKIND_POLICY_PREFERRED_LOCAL, no_flags, nullptr),
            MEMKIND_ERROR_INVALID);
}

TEST(memkind_destroy_kind_, takes_memory_that_was_not_freed) {
  for (int round = 0; round < 20; ++round) {
    memkind_t kind = nullptr;
    ASSERT_EQ(memkind_create_kind(MEMKIND_MEMTYPE_DEFAULT, MEMKIND_POLICY_PREFERRED_LOCAL, no_flags, &kind),
              MEMKIND_SUCCESS);
    void* const block = memkind_malloc(kind, 8 << 20);
    ASSERT_NE(block, nullptr);
    ASSERT_EQ(memkind_destroy_kind(kind), MEMKIND_SUCCESS);
    EXPECT_EQ(memkind_detect_kind(block), nullptr);
  }
}

TEST(memkind_destroy_kind_, refuses_what_is_no_kind_any_more) {
  memkind_t kind = nullptr;
  ASSERT_EQ(memkind_create_kind(MEMKIND_MEMTYPE_DEFAULT, MEMKIND_POLICY_PREFERRED_LOCAL, no_flags, &kind),
            MEMKIND_SUCCESS);
  EXPECT_EQ(memkind_destroy_kind(kind), MEMKIND_SUCCESS);
  EXPECT_EQ(memkind_destroy_kind(kind), MEMKIND_ERROR_OPERATION_FAILED);
  EXPECT_EQ(memkind_destroy_kind(nullptr), MEMKIND_ERROR_OPERATION_FAILED);
}

TEST(kinds_, are_limited_by_memory_only) {
#if defined(__SANITIZE_THREAD__)
  constexpr int many = 40;  // ThreadSanitizer leaves a program a few TiB of addresses
#else
  constexpr int many = 100;
#endif
  std::vector<memkind_t> kinds;
  for (int i = 0; i < many; ++i) {
    memkind_t kind = nullptr;
    ASSERT_EQ(memkind_create_kind(MEMKIND_MEMTYPE_DEFAULT, MEMKIND_POLICY_PREFERRED_LOCAL, no_flags, &kind),
              MEMKIND_SUCCESS)
        << i;
    ASSERT_NE(memkind_malloc(kind, 100), nullptr) << i;
    kinds.push_back(kind);
  }
  for (memkind_t const kind : kinds) EXPECT_EQ(memkind_destroy_kind(kind), MEMKIND_SUCCESS);
}

TEST(memkind_finalize_, destroys_what_was_created) {
  int before = 0, after = 0;
  memkind_finalize();
  memkind_get_num_kind(&before);
  memkind_t kind = nullptr;
  ASSERT_EQ(memkind_create_kind(MEMKIND_MEMTYPE_DEFAULT, MEMKIND_POLICY_PREFERRED_LOCAL, no_flags, &kind),
            MEMKIND_SUCCESS);
  EXPECT_EQ(memkind_finalize(), MEMKIND_SUCCESS);
  memkind_get_num_kind(&after);
  EXPECT_EQ(before, after);
  EXPECT_EQ(memkind_check_available(kind), MEMKIND_ERROR_INVALID);
}

TEST(memkind_set_bg_threads_, succeeds) {
  EXPECT_EQ(memkind_set_bg_threads(true), MEMKIND_SUCCESS);
  EXPECT_EQ(memkind_set_bg_threads(false), MEMKIND_SUCCESS);
}

}  // namespace
