#include <gtest/gtest.h>
#include <memkind.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

#include "compat/memkind/constants.hpp"

namespace {

std::size_t stat_of(memkind_t kind, memkind_stat_type which) {
  std::size_t value = 0;
  EXPECT_EQ(memkind_update_cached_stats(), MEMKIND_SUCCESS);
  EXPECT_EQ(memkind_get_stat(kind, which, &value), MEMKIND_SUCCESS);
  return value;
}

TEST(memkind_get_stat_, follows_allocations) {
  for (const auto which : {MEMKIND_STAT_TYPE_ALLOCATED, MEMKIND_STAT_TYPE_ACTIVE}) {
    const std::size_t before = stat_of(MEMKIND_DEFAULT, which);
    const std::size_t all_before = stat_of(nullptr, which);
    void* const block = memkind_malloc(MEMKIND_DEFAULT, 10 * mib);
    EXPECT_GE(stat_of(MEMKIND_DEFAULT, which), before + 10 * mib);
    EXPECT_GE(stat_of(nullptr, which), all_before + 10 * mib);
    memkind_free(MEMKIND_DEFAULT, block);
    EXPECT_LT(stat_of(MEMKIND_DEFAULT, which), before + 10 * mib);
  }
}

TEST(memkind_get_stat_, knows_what_is_resident) {
  void* const block = memkind_malloc(MEMKIND_DEFAULT, 10 * mib);
  std::memset(block, 1, 10 * mib);
  EXPECT_GE(stat_of(MEMKIND_DEFAULT, MEMKIND_STAT_TYPE_RESIDENT), 10 * mib);
  memkind_free(MEMKIND_DEFAULT, block);
}

TEST(memkind_get_stat_, refuses_bad_arguments) {
  std::size_t value = 0;
  int none = 0;
  EXPECT_EQ(memkind_get_stat(MEMKIND_DEFAULT, MEMKIND_STAT_TYPE_MAX_VALUE, &value), MEMKIND_ERROR_INVALID);
  EXPECT_EQ(memkind_get_stat(MEMKIND_DEFAULT, MEMKIND_STAT_TYPE_ACTIVE, nullptr), MEMKIND_ERROR_INVALID);
  EXPECT_EQ(memkind_get_stat(reinterpret_cast<memkind_t>(&none), MEMKIND_STAT_TYPE_ACTIVE, &value),
            MEMKIND_ERROR_INVALID);
}

void append(void* to, const char* text) {
  *static_cast<std::string*>(to) += text;
}

TEST(memkind_stats_print_, lists_kinds) {
  memkind_free(nullptr, memkind_malloc(MEMKIND_INTERLEAVE, 10));
  std::string text;
  EXPECT_EQ(memkind_stats_print(append, &text, MEMKIND_STAT_PRINT_ALL), MEMKIND_SUCCESS);
  EXPECT_NE(text.find("memkind_interleave"), std::string::npos);
  std::string json;
  EXPECT_EQ(memkind_stats_print(append, &json, MEMKIND_STAT_PRINT_JSON_FORMAT), MEMKIND_SUCCESS);
  EXPECT_GE(nlohmann::json::parse(json)["kinds"].size(), 1u);
}

TEST(memkind_stats_print_, refuses_options_that_are_none) {
  EXPECT_EQ(memkind_stats_print(append, nullptr, static_cast<memkind_stat_print_opt>(1 << 20)),
            MEMKIND_ERROR_INVALID);
}

TEST(memkind_stats_print_, writes_to_the_standard_error_output_by_itself) {
  memkind_free(nullptr, memkind_malloc(MEMKIND_DEFAULT, 10));
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(memkind_stats_print(nullptr, nullptr, MEMKIND_STAT_PRINT_ALL), MEMKIND_SUCCESS);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("allocated"), std::string::npos);
}

}  // namespace
