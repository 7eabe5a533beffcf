// memkind_memtier.h, by libmemtier(3).
#include <gtest/gtest.h>
#include <memkind_memtier.h>

#include <cerrno>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace {

struct deletes {
  void operator()(memtier_builder* one) const { memtier_builder_delete(one); }
  void operator()(memtier_memory* one) const { memtier_delete_memtier_memory(one); }
};
using builder = std::unique_ptr<memtier_builder, deletes>;
using memory = std::unique_ptr<memtier_memory, deletes>;

builder two_tiers(memtier_policy_t policy, unsigned first, unsigned second) {
  builder made(memtier_builder_new(policy));
  EXPECT_EQ(memtier_builder_add_tier(made.get(), MEMKIND_DEFAULT, first), 0);
  EXPECT_EQ(memtier_builder_add_tier(made.get(), MEMKIND_REGULAR, second), 0);
  return made;
}

memory built(const builder& from) {
  return memory(memtier_builder_construct_memtier_memory(from.get()));
}

TEST(static_ratio, is_kept) {
  const memory tiers = built(two_tiers(MEMTIER_POLICY_STATIC_RATIO, 1, 4));
  ASSERT_NE(tiers, nullptr);
  std::vector<void*> blocks;
  for (int i = 0; i < 5000; ++i)
    blocks.push_back(memtier_malloc(tiers.get(), 100 + static_cast<unsigned>(i) % 900));
  const auto first = static_cast<double>(memtier_kind_allocated_size(MEMKIND_DEFAULT));
  const auto second = static_cast<double>(memtier_kind_allocated_size(MEMKIND_REGULAR));
  EXPECT_NEAR(second / first, 4, 0.05);
  for (void* const block : blocks) memtier_free(block);
  EXPECT_EQ(memtier_kind_allocated_size(MEMKIND_DEFAULT), 0u);
  EXPECT_EQ(memtier_kind_allocated_size(MEMKIND_REGULAR), 0u);
}

TEST(static_ratio, may_be_of_one_tier) {
  const builder one(memtier_builder_new(MEMTIER_POLICY_STATIC_RATIO));
  ASSERT_EQ(memtier_builder_add_tier(one.get(), MEMKIND_REGULAR, 7), 0);
  const memory tiers = built(one);
  void* const block = memtier_malloc(tiers.get(), 10);
  EXPECT_EQ(memkind_detect_kind(block), MEMKIND_REGULAR);
  memtier_free(block);
}

TEST(dynamic_threshold, splits_by_size) {
  const memory tiers = built(two_tiers(MEMTIER_POLICY_DYNAMIC_THRESHOLD, 1, 1));
  void* const small = memtier_malloc(tiers.get(), 1023);
  void* const large = memtier_malloc(tiers.get(), 1024);
  EXPECT_EQ(memkind_detect_kind(small), MEMKIND_DEFAULT);
  EXPECT_EQ(memkind_detect_kind(large), MEMKIND_REGULAR);
  memtier_free(small);
  memtier_free(large);
}

TEST(dynamic_threshold, follows_the_ratio) {
  const memory tiers = built(two_tiers(MEMTIER_POLICY_DYNAMIC_THRESHOLD, 1, 1));
  std::vector<void*> blocks;
  // All above the threshold, which therefore must rise until these belong below it.
  for (int i = 0; i < 2000; ++i) blocks.push_back(memtier_malloc(tiers.get(), 1100));
  EXPECT_GT(memtier_kind_allocated_size(MEMKIND_DEFAULT), 0u);
  const auto below = static_cast<double>(memtier_kind_allocated_size(MEMKIND_DEFAULT));
  const auto above = static_cast<double>(memtier_kind_allocated_size(MEMKIND_REGULAR));
  EXPECT_NEAR(above / below, 1, 0.15);
  for (void* const block : blocks) memtier_free(block);
}

TEST(dynamic_threshold, stays_within_its_bounds) {
  const builder made = two_tiers(MEMTIER_POLICY_DYNAMIC_THRESHOLD, 1, 1);
  const std::size_t value = 64, least = 64, most = 64;
  ASSERT_EQ(memtier_ctl_set(made.get(), "policy.dynamic_threshold.thresholds[0].val", &value), 0);
  ASSERT_EQ(memtier_ctl_set(made.get(), "policy.dynamic_threshold.thresholds[0].min", &least), 0);
  ASSERT_EQ(memtier_ctl_set(made.get(), "policy.dynamic_threshold.thresholds[0].max", &most), 0);
  const memory tiers = built(made);
  ASSERT_NE(tiers, nullptr);
  for (int i = 0; i < 500; ++i) {
    void* const block = memtier_malloc(tiers.get(), 64);
    EXPECT_EQ(memkind_detect_kind(block), MEMKIND_REGULAR);
    memtier_free(block);
  }
}

TEST(dynamic_threshold, has_one_fewer_than_tiers) {
  const builder made(memtier_builder_new(MEMTIER_POLICY_DYNAMIC_THRESHOLD));
  ASSERT_EQ(memtier_builder_add_tier(made.get(), MEMKIND_DEFAULT, 1), 0);
  EXPECT_EQ(built(made), nullptr) << "needs two tiers";
  ASSERT_EQ(memtier_builder_add_tier(made.get(), MEMKIND_REGULAR, 1), 0);
  ASSERT_EQ(memtier_builder_add_tier(made.get(), MEMKIND_INTERLEAVE, 1), 0);
  const memory tiers = built(made);
  ASSERT_NE(tiers, nullptr);
  void* const largest = memtier_malloc(tiers.get(), 2048);
  EXPECT_EQ(memkind_detect_kind(largest), MEMKIND_INTERLEAVE);
  memtier_free(largest);
}

TEST(memtier_ctl_set_, knows_its_properties) {
  const builder made = two_tiers(MEMTIER_POLICY_DYNAMIC_THRESHOLD, 1, 1);
  const unsigned count = 5;
  const float fraction = 0.5F;
  const std::size_t bytes = 100;
  EXPECT_EQ(memtier_ctl_set(made.get(), "policy.dynamic_threshold.check_cnt", &count), 0);
  EXPECT_EQ(memtier_ctl_set(made.get(), "policy.dynamic_threshold.trigger", &fraction), 0);
  EXPECT_EQ(memtier_ctl_set(made.get(), "policy.dynamic_threshold.degree", &fraction), 0);
  EXPECT_EQ(memtier_ctl_set(made.get(), "policy.dynamic_threshold.thresholds[1].val", &bytes), -1);
  EXPECT_EQ(memtier_ctl_set(made.get(), "policy.dynamic_threshold.thresholds[x].val", &bytes), -1);
  EXPECT_EQ(memtier_ctl_set(made.get(), "policy.dynamic_threshold.thresholds[0].other", &bytes), -1);
  EXPECT_EQ(memtier_ctl_set(made.get(), "policy.other", &bytes), -1);
  EXPECT_EQ(memtier_ctl_set(made.get(), nullptr, &bytes), -1);
  EXPECT_EQ(memtier_ctl_set(made.get(), "policy.dynamic_threshold.check_cnt", nullptr), -1);
  EXPECT_EQ(memtier_ctl_set(nullptr, "policy.dynamic_threshold.check_cnt", &count), -1);
  const builder fixed = two_tiers(MEMTIER_POLICY_STATIC_RATIO, 1, 1);
  EXPECT_EQ(memtier_ctl_set(fixed.get(), "policy.dynamic_threshold.check_cnt", &count), -1);
}

TEST(memtier_ctl_set_, can_put_thresholds_out_of_order_and_nothing_is_built) {
  const builder made = two_tiers(MEMTIER_POLICY_DYNAMIC_THRESHOLD, 1, 1);
  const std::size_t beyond = 100000;
  ASSERT_EQ(memtier_ctl_set(made.get(), "policy.dynamic_threshold.thresholds[0].val", &beyond), 0);
  EXPECT_EQ(built(made), nullptr);
}

TEST(memtier_ctl_set_, takes_any_trigger_and_degree_and_the_builder_judges_them) {
  for (const char* const name : {"policy.dynamic_threshold.trigger", "policy.dynamic_threshold.degree"}) {
    for (const float bad : {-1.5F, std::numeric_limits<float>::quiet_NaN()}) {
      const builder made = two_tiers(MEMTIER_POLICY_DYNAMIC_THRESHOLD, 1, 1);
      EXPECT_EQ(memtier_ctl_set(made.get(), name, &bad), 0) << name;
      EXPECT_EQ(built(made), nullptr) << name << ' ' << bad;
    }
    for (const float good : {0.0F, 1.5F, 1e30F, std::numeric_limits<float>::infinity()}) {
      const builder made = two_tiers(MEMTIER_POLICY_DYNAMIC_THRESHOLD, 1, 1);
      EXPECT_EQ(memtier_ctl_set(made.get(), name, &good), 0) << name;
      EXPECT_NE(built(made), nullptr) << name << ' ' << good;
    }
  }
}

TEST(dynamic_threshold, stays_within_its_bounds_however_large_a_step_is) {
  const builder made = two_tiers(MEMTIER_POLICY_DYNAMIC_THRESHOLD, 1, 1);
  const float degree = 1e30F;
  const std::size_t value = 64, least = 32, most = std::numeric_limits<std::size_t>::max();
  ASSERT_EQ(memtier_ctl_set(made.get(), "policy.dynamic_threshold.degree", &degree), 0);
  ASSERT_EQ(memtier_ctl_set(made.get(), "policy.dynamic_threshold.thresholds[0].val", &value), 0);
  ASSERT_EQ(memtier_ctl_set(made.get(), "policy.dynamic_threshold.thresholds[0].min", &least), 0);
  ASSERT_EQ(memtier_ctl_set(made.get(), "policy.dynamic_threshold.thresholds[0].max", &most), 0);
  const memory tiers = built(made);
  ASSERT_NE(tiers, nullptr);
  // It goes from one end to the other, so what is between them lands in both tiers.
  std::vector<void*> blocks;
  for (int i = 0; i < 500; ++i) blocks.push_back(memtier_malloc(tiers.get(), 64));
  EXPECT_GT(memtier_kind_allocated_size(MEMKIND_DEFAULT), 0u);
  EXPECT_GT(memtier_kind_allocated_size(MEMKIND_REGULAR), 0u);
  for (void* const block : blocks) memtier_free(block);
}

TEST(memtier_builder_, refuses_bad_arguments) {
  EXPECT_EQ(memtier_builder_new(MEMTIER_POLICY_MAX_VALUE), nullptr);
  const builder made(memtier_builder_new(MEMTIER_POLICY_STATIC_RATIO));
  EXPECT_EQ(built(made), nullptr) << "no tiers";
  EXPECT_EQ(memtier_builder_construct_memtier_memory(nullptr), nullptr);
  EXPECT_NE(memtier_builder_add_tier(nullptr, MEMKIND_DEFAULT, 1), 0);
  EXPECT_NE(memtier_builder_add_tier(made.get(), nullptr, 1), 0);
  EXPECT_NE(memtier_builder_add_tier(made.get(), MEMKIND_DEFAULT, 0), 0);
  EXPECT_EQ(memtier_builder_add_tier(made.get(), MEMKIND_DEFAULT, 1), 0);
  EXPECT_NE(memtier_builder_add_tier(made.get(), MEMKIND_DEFAULT, 1), 0) << "twice";
  memtier_builder_delete(nullptr);
  memtier_delete_memtier_memory(nullptr);
}

TEST(memtier_heap, allocates_in_every_way_and_counts) {
  const memory tiers = built(two_tiers(MEMTIER_POLICY_STATIC_RATIO, 1, 1));
  auto* const zeros = static_cast<char*>(memtier_calloc(tiers.get(), 10, 10));
  ASSERT_NE(zeros, nullptr);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(zeros[i], 0);
  void* const grown = memtier_realloc(tiers.get(), zeros, 100000);
  EXPECT_EQ(memkind_detect_kind(grown), MEMKIND_DEFAULT) << "stays in its tier";
  EXPECT_EQ(memtier_kind_allocated_size(MEMKIND_DEFAULT), memtier_usable_size(grown));
  void* aligned = nullptr;
  ASSERT_EQ(memtier_posix_memalign(tiers.get(), &aligned, 256, 10), 0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(aligned) % 256, 0u);
  memtier_free(aligned);
  EXPECT_EQ(memtier_realloc(tiers.get(), grown, 0), nullptr);
  memtier_free(memtier_realloc(tiers.get(), nullptr, 10));
  EXPECT_EQ(memtier_kind_allocated_size(MEMKIND_DEFAULT), 0u);
  EXPECT_EQ(memtier_kind_allocated_size(MEMKIND_REGULAR), 0u);
}

TEST(memtier_heap, refuses_bad_arguments) {
  const memory tiers = built(two_tiers(MEMTIER_POLICY_STATIC_RATIO, 1, 1));
  EXPECT_EQ(memtier_malloc(tiers.get(), 0), nullptr);
  EXPECT_EQ(memtier_malloc(tiers.get(), SIZE_MAX), nullptr);
  EXPECT_EQ(memtier_calloc(tiers.get(), SIZE_MAX / 2, 3), nullptr);
  EXPECT_EQ(memtier_malloc(nullptr, 10), nullptr);
  void* block = nullptr;
  EXPECT_EQ(memtier_posix_memalign(nullptr, &block, 64, 10), EINVAL);
  EXPECT_EQ(memtier_posix_memalign(tiers.get(), &block, 3, 10), EINVAL);
  int on_the_stack = 0;
  memtier_free(&on_the_stack);
  memtier_free(nullptr);
  EXPECT_EQ(memtier_usable_size(&on_the_stack), 0u);
  EXPECT_EQ(memtier_kind_allocated_size(nullptr), 0u);
}

TEST(memtier_kind, wraps_one_kind) {
  void* block = memtier_kind_malloc(MEMKIND_REGULAR, 10);
  block = memtier_kind_realloc(MEMKIND_REGULAR, block, 1000);
  EXPECT_EQ(memtier_kind_allocated_size(MEMKIND_REGULAR), memtier_usable_size(block));
  memtier_kind_free(MEMKIND_REGULAR, block);
  block = memtier_kind_calloc(MEMKIND_REGULAR, 3, 3);
  memtier_kind_free(nullptr, block);
  ASSERT_EQ(memtier_kind_posix_memalign(MEMKIND_REGULAR, &block, 64, 5), 0);
  EXPECT_EQ(memtier_kind_realloc(MEMKIND_REGULAR, block, 0), nullptr);
  memtier_kind_free(nullptr, memtier_kind_realloc(MEMKIND_REGULAR, nullptr, 5));
  EXPECT_EQ(memtier_kind_allocated_size(MEMKIND_REGULAR), 0u);
}

}  // namespace
