// memkind_create_kind and memkind_destroy_kind.
#include <gtest/gtest.h>
#include <memkind_1_0.h>

#include <cstdlib>
#include <vector>

#include "compat/memkind/child.hpp"
#include "compat/memkind/constants.hpp"

namespace {

constexpr auto both =
    static_cast<memkind_memtype_t>(MEMKIND_MEMTYPE_DEFAULT | MEMKIND_MEMTYPE_HIGH_BANDWIDTH);

memkind_t new_pmem_kind() {
  memkind_t kind = nullptr;
  EXPECT_EQ(memkind_create_pmem("/tmp", 0, &kind), MEMKIND_SUCCESS);
  return kind;
}

struct combination {
  memkind_memtype_t type;
  memkind_policy_t policy;
  memkind_bits_t flags;
  memkind_t* kind;
};

const combination combinations[] = {
    {MEMKIND_MEMTYPE_DEFAULT, MEMKIND_POLICY_PREFERRED_LOCAL, no_flags, &MEMKIND_DEFAULT},
    {MEMKIND_MEMTYPE_DEFAULT, MEMKIND_POLICY_PREFERRED_LOCAL, MEMKIND_MASK_PAGE_SIZE_2MB, &MEMKIND_HUGETLB},
    {MEMKIND_MEMTYPE_HIGH_BANDWIDTH, MEMKIND_POLICY_BIND_LOCAL, no_flags, &MEMKIND_HBW},
    {MEMKIND_MEMTYPE_HIGH_BANDWIDTH, MEMKIND_POLICY_BIND_LOCAL, MEMKIND_MASK_PAGE_SIZE_2MB,
     &MEMKIND_HBW_HUGETLB},
    {MEMKIND_MEMTYPE_HIGH_BANDWIDTH, MEMKIND_POLICY_BIND_ALL, no_flags, &MEMKIND_HBW_ALL},
    {MEMKIND_MEMTYPE_HIGH_BANDWIDTH, MEMKIND_POLICY_BIND_ALL, MEMKIND_MASK_PAGE_SIZE_2MB,
     &MEMKIND_HBW_ALL_HUGETLB},
    {MEMKIND_MEMTYPE_HIGH_BANDWIDTH, MEMKIND_POLICY_PREFERRED_LOCAL, no_flags, &MEMKIND_HBW_PREFERRED},
    {MEMKIND_MEMTYPE_HIGH_BANDWIDTH, MEMKIND_POLICY_PREFERRED_LOCAL, MEMKIND_MASK_PAGE_SIZE_2MB,
     &MEMKIND_HBW_PREFERRED_HUGETLB},
    {MEMKIND_MEMTYPE_HIGH_BANDWIDTH, MEMKIND_POLICY_INTERLEAVE_ALL, no_flags, &MEMKIND_HBW_INTERLEAVE},
    {both, MEMKIND_POLICY_INTERLEAVE_ALL, no_flags, &MEMKIND_INTERLEAVE},
};

// The static kind; where it is not there, preferring gives the default kind.
void expect_static_kinds() {
  for (const combination& each : combinations) {
    memkind_t kind = nullptr;
    const int status = memkind_create_kind(each.type, each.policy, each.flags, &kind);
    if (memkind_check_available(*each.kind) == MEMKIND_SUCCESS) {
      EXPECT_EQ(status, MEMKIND_SUCCESS) << each.policy;
      EXPECT_EQ(kind, *each.kind) << each.policy;
    } else if (each.policy == MEMKIND_POLICY_PREFERRED_LOCAL) {
      EXPECT_EQ(status, MEMKIND_SUCCESS) << each.policy;
      EXPECT_EQ(kind, MEMKIND_DEFAULT) << each.policy;
    } else {
      EXPECT_EQ(status, MEMKIND_ERROR_MEMTYPE_NOT_AVAILABLE) << each.policy;
      EXPECT_EQ(kind, nullptr) << each.policy;
      continue;
    }
    void* const block = memkind_malloc(kind, 100);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(memkind_detect_kind(block), kind);
    memkind_free(kind, block);
    EXPECT_EQ(memkind_destroy_kind(kind), MEMKIND_SUCCESS);
  }
}

TEST(memkind_create_kind_, gives_the_static_kind_of_that_memory) {
  expect_static_kinds();
}

TEST(memkind_create_kind_, gives_the_static_kind_of_high_bandwidth_memory) {
  in_a_child([] {
    ::setenv("MEMKIND_HBW_NODES", "0", 1);
    expect_static_kinds();
  });
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
    memkind_t const kind = new_pmem_kind();
    void* const block = memkind_malloc(kind, 8 << 20);
    ASSERT_NE(block, nullptr);
    ASSERT_EQ(memkind_destroy_kind(kind), MEMKIND_SUCCESS);
    EXPECT_EQ(memkind_detect_kind(block), nullptr);
  }
}

TEST(memkind_destroy_kind_, refuses_what_is_no_kind_any_more) {
  memkind_t const kind = new_pmem_kind();
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
    memkind_t const kind = new_pmem_kind();
    ASSERT_NE(memkind_malloc(kind, 100), nullptr) << i;
    kinds.push_back(kind);
  }
  for (memkind_t const kind : kinds) EXPECT_EQ(memkind_destroy_kind(kind), MEMKIND_SUCCESS);
}

TEST(memkind_finalize_, destroys_what_was_created) {
  int before = 0, after = 0;
  memkind_finalize();
  memkind_get_num_kind(&before);
  memkind_t const kind = new_pmem_kind();
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
