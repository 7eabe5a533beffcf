// The MEMKIND_* environment variables.
#include <gtest/gtest.h>
#include <hbwmalloc.h>
#include <memkind.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "compat/memkind/child.hpp"
#include "compat/memkind/constants.hpp"

namespace {

TEST(MEMKIND_HBW_NODES_, makes_any_node_high_bandwidth_memory) {
  in_a_child([] {
    ::setenv("MEMKIND_HBW_NODES", "0", 1);
    EXPECT_EQ(memkind_check_available(MEMKIND_HBW), MEMKIND_SUCCESS);
    EXPECT_EQ(hbw_check_available(), 0);
    auto* const block = static_cast<char*>(memkind_malloc(MEMKIND_HBW, 100000));
    ASSERT_NE(block, nullptr);
    std::memset(block, 1, 100000);
    EXPECT_EQ(hbw_verify_memory_region(block, 100000, 0), 0);
    EXPECT_GT(memkind_get_capacity(MEMKIND_HBW_ALL), 0);
    memkind_t kind = nullptr;
    EXPECT_EQ(memkind_create_kind(MEMKIND_MEMTYPE_HIGH_BANDWIDTH, MEMKIND_POLICY_BIND_ALL, no_flags, &kind),
              MEMKIND_SUCCESS);
  });
}

TEST(MEMKIND_HBW_NODES_, must_name_nodes_that_are_there) {
  in_a_child([] {
    ::setenv("MEMKIND_HBW_NODES", "900-901", 1);
    EXPECT_EQ(memkind_check_available(MEMKIND_HBW), MEMKIND_ERROR_ENVIRON);
    EXPECT_EQ(hbw_check_available(), ENODEV);
    EXPECT_EQ(memkind_check_available(MEMKIND_REGULAR), MEMKIND_SUCCESS);
  });
}

TEST(MEMKIND_DAX_KMEM_NODES_, must_name_nodes_that_are_there) {
  in_a_child([] {
    ::setenv("MEMKIND_DAX_KMEM_NODES", "900", 1);
    EXPECT_EQ(memkind_check_available(MEMKIND_DAX_KMEM), MEMKIND_ERROR_ENVIRON);
    EXPECT_EQ(memkind_check_available(MEMKIND_DAX_KMEM_PREFERRED), MEMKIND_ERROR_ENVIRON);
    EXPECT_EQ(memkind_check_available(MEMKIND_REGULAR), MEMKIND_SUCCESS);
  });
}

TEST(MEMKIND_DAX_KMEM_NODES_, makes_any_node_persistent_memory) {
  in_a_child([] {
    ::setenv("MEMKIND_DAX_KMEM_NODES", "0", 1);
    for (memkind_t const kind : {MEMKIND_DAX_KMEM, MEMKIND_DAX_KMEM_ALL, MEMKIND_DAX_KMEM_INTERLEAVE}) {
      EXPECT_EQ(memkind_check_available(kind), MEMKIND_SUCCESS);
      void* const block = memkind_malloc(kind, 100);
      EXPECT_EQ(memkind_detect_kind(block), kind);
      memkind_free(kind, block);
    }
  });
}

TEST(MEMKIND_HBW_THRESHOLD_, decides_what_is_high_bandwidth) {
  in_a_child([] {
    ::setenv("MEMKIND_HBW_THRESHOLD", "18000000000000000000", 1);
    EXPECT_EQ(memkind_check_available(MEMKIND_HBW), MEMKIND_ERROR_MEMTYPE_NOT_AVAILABLE);
  });
}

using variable = std::pair<const char*, const char*>;

class a_variable_for_all_kinds : public ::testing::TestWithParam<variable> {};

TEST_P(a_variable_for_all_kinds, of_no_sound_value_is_an_error) {
  in_a_child([] {
    ::setenv(GetParam().first, GetParam().second, 1);
    memkind_t kind = nullptr;
    EXPECT_EQ(memkind_check_available(MEMKIND_REGULAR), MEMKIND_ERROR_ENVIRON);
    EXPECT_EQ(memkind_create_pmem("/tmp", 0, &kind), MEMKIND_ERROR_ENVIRON);
    EXPECT_EQ(memkind_malloc(MEMKIND_REGULAR, 100), nullptr);
    EXPECT_EQ(memkind_check_available(MEMKIND_DEFAULT), MEMKIND_SUCCESS);
    EXPECT_NE(memkind_malloc(MEMKIND_DEFAULT, 100), nullptr);
  });
}

INSTANTIATE_TEST_SUITE_P(each, a_variable_for_all_kinds,
                         ::testing::Values(variable("MEMKIND_ARENA_NUM_PER_KIND", "0"),
                                           variable("MEMKIND_ARENA_NUM_PER_KIND", "3000000000"),
                                           variable("MEMKIND_HOG_MEMORY", "yes"),
                                           variable("MEMKIND_BACKGROUND_THREAD_LIMIT", "x")));

class a_variable_for_some_kinds : public ::testing::TestWithParam<variable> {};

TEST_P(a_variable_for_some_kinds, of_no_sound_value_is_an_error_of_theirs) {
  in_a_child([] {
    ::setenv(GetParam().first, GetParam().second, 1);
    const bool of_persistent_memory = std::string(GetParam().first).find("DAX") != std::string::npos;
    memkind_t const theirs = of_persistent_memory ? MEMKIND_DAX_KMEM : MEMKIND_HBW;
    memkind_t const other = of_persistent_memory ? MEMKIND_HBW : MEMKIND_DAX_KMEM;
    EXPECT_EQ(memkind_check_available(theirs), MEMKIND_ERROR_ENVIRON);
    EXPECT_EQ(memkind_malloc(theirs, 100), nullptr);
    EXPECT_NE(memkind_check_available(other), MEMKIND_ERROR_ENVIRON);
    EXPECT_EQ(memkind_check_available(MEMKIND_REGULAR), MEMKIND_SUCCESS);
    EXPECT_NE(memkind_malloc(MEMKIND_REGULAR, 100), nullptr);
    memkind_t kind = nullptr;
    EXPECT_EQ(memkind_create_pmem("/tmp", 0, &kind), MEMKIND_SUCCESS);
  });
}

INSTANTIATE_TEST_SUITE_P(
    each, a_variable_for_some_kinds,
    ::testing::Values(variable("MEMKIND_HBW_NODES", "one"), variable("MEMKIND_HBW_NODES", ""),
                      variable("MEMKIND_HBW_NODES", "3-1"), variable("MEMKIND_HBW_NODES", "1,"),
                      variable("MEMKIND_HBW_NODES", "99999999999999999999999"),
                      variable("MEMKIND_DAX_KMEM_NODES", "-1"), variable("MEMKIND_HBW_THRESHOLD", "much"),
                      variable("MEMKIND_HBW_THRESHOLD", "-5")));

TEST(MEMKIND_ARENA_NUM_PER_KIND_, changes_nothing) {
  in_a_child([] {
    ::setenv("MEMKIND_ARENA_NUM_PER_KIND", "4", 1);
    ::setenv("MEMKIND_BACKGROUND_THREAD_LIMIT", "2", 1);
    ::setenv("MEMKIND_HEAP_MANAGER", "TBB", 1);
    void* const block = memkind_malloc(MEMKIND_DEFAULT, 100);
    EXPECT_NE(block, nullptr);
    memkind_free(nullptr, block);
  });
}

TEST(MEMKIND_HOG_MEMORY_, keeps_what_a_conservative_kind_would_give_back) {
  in_a_child([] {
    ::setenv("MEMKIND_HOG_MEMORY", "1", 1);
    struct memkind_config* const settings = memkind_config_new();
    memkind_config_set_path(settings, "/tmp");
    memkind_config_set_size(settings, 64 << 20);
    memkind_config_set_memory_usage_policy(settings, MEMKIND_MEM_USAGE_POLICY_CONSERVATIVE);
    memkind_t kind = nullptr;
    ASSERT_EQ(memkind_create_pmem_with_config(settings, &kind), MEMKIND_SUCCESS);
    void* const block = memkind_malloc(kind, 40 << 20);
    ASSERT_NE(block, nullptr);
    std::memset(block, 1, 40 << 20);
    memkind_free(kind, block);
    std::size_t kept = 0;
    memkind_get_stat(kind, MEMKIND_STAT_TYPE_RESIDENT, &kept);
    EXPECT_GE(kept, std::size_t{40} << 20);
  });
}

TEST(MEMKIND_DEBUG_, says_what_went_wrong) {
  EXPECT_EXIT(
      {
        ::setenv("MEMKIND_DEBUG", "1", 1);
        int on_the_stack = 0;
        memkind_free(nullptr, &on_the_stack);
        std::_Exit(0);
      },
      ::testing::ExitedWithCode(0), "memkind: .*freed");
}

}  // namespace
