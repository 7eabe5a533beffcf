// memkind_create_pmem and its settings.
#include <gtest/gtest.h>
#include <memkind.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "compat/memkind/constants.hpp"
#include "support/scratch_test.hpp"

namespace {

class a_pmem_kind : public perdure::scratch_test {
 protected:
  std::string directory() const { return path("").string(); }
};

TEST_F(a_pmem_kind, hands_out_memory_of_a_file_without_a_name) {
  memkind_t kind = nullptr;
  ASSERT_EQ(memkind_create_pmem(directory().c_str(), 64 * mib, &kind), MEMKIND_SUCCESS);
  EXPECT_TRUE(std::filesystem::is_empty(directory()));
  auto* const block = static_cast<char*>(memkind_malloc(kind, 5 * mib));
  ASSERT_NE(block, nullptr);
  std::memset(block, 1, 5 * mib);
  EXPECT_EQ(memkind_detect_kind(block), kind);
  EXPECT_EQ(memkind_check_available(kind), MEMKIND_SUCCESS);
  memkind_free(nullptr, block);
  EXPECT_EQ(memkind_destroy_kind(kind), MEMKIND_SUCCESS);
}

TEST_F(a_pmem_kind, ends_at_its_size_with_ENOMEM) {
  memkind_t kind = nullptr;
  ASSERT_EQ(memkind_create_pmem(directory().c_str(), 32 * mib, &kind), MEMKIND_SUCCESS);
  EXPECT_EQ(memkind_get_capacity(kind), static_cast<ssize_t>(32 * mib));
  std::vector<void*> blocks;
  errno = 0;
  while (void* const block = memkind_malloc(kind, mib)) blocks.push_back(block);
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_GE(blocks.size(), 16u);
  EXPECT_LE(blocks.size(), 32u);
  for (void* const block : blocks) memkind_free(kind, block);
  EXPECT_NE(memkind_malloc(kind, mib), nullptr);
  EXPECT_EQ(memkind_destroy_kind(kind), MEMKIND_SUCCESS);
}

TEST_F(a_pmem_kind, may_be_as_large_as_the_file_system) {
  memkind_t kind = nullptr;
  ASSERT_EQ(memkind_create_pmem(directory().c_str(), 0, &kind), MEMKIND_SUCCESS);
  EXPECT_GT(memkind_get_capacity(kind), 0);
  EXPECT_NE(memkind_malloc(kind, 1000), nullptr);
  EXPECT_EQ(memkind_destroy_kind(kind), MEMKIND_SUCCESS);
}

// One block in ten is left, so nearly all can move together; how many do not depends on where each lies.
TEST_F(a_pmem_kind, moves_blocks_together) {
  memkind_t kind = nullptr;
  ASSERT_EQ(memkind_create_pmem(directory().c_str(), 64 * mib, &kind), MEMKIND_SUCCESS);
  std::vector<unsigned char*> blocks;
  for (int i = 0; i < 20000; ++i) {
    blocks.push_back(static_cast<unsigned char*>(memkind_malloc(kind, 512)));
    ASSERT_NE(blocks.back(), nullptr);
    std::memset(blocks.back(), i, 512);
  }
  for (std::size_t i = 0; i < blocks.size(); ++i)
    if (i % 10 != 0) memkind_free(kind, blocks[i]);
  int moved = 0;
  for (std::size_t i = 0; i < blocks.size(); i += 10) {
    if (void* const elsewhere = memkind_defrag_reallocate(kind, blocks[i])) {
      blocks[i] = static_cast<unsigned char*>(elsewhere);
      ++moved;
    }
    EXPECT_EQ(memkind_detect_kind(blocks[i]), kind);
    EXPECT_EQ(blocks[i][511], static_cast<unsigned char>(i));
  }
  EXPECT_GT(moved, 1600);
  EXPECT_EQ(memkind_destroy_kind(kind), MEMKIND_SUCCESS);
}

TEST_F(a_pmem_kind, refuses_sizes_below_the_least) {
  memkind_t kind = nullptr;
  EXPECT_EQ(memkind_create_pmem(directory().c_str(), MEMKIND_PMEM_MIN_SIZE - 1, &kind),
            MEMKIND_ERROR_INVALID);
  ASSERT_EQ(memkind_create_pmem(directory().c_str(), MEMKIND_PMEM_MIN_SIZE, &kind), MEMKIND_SUCCESS);
  EXPECT_EQ(memkind_destroy_kind(kind), MEMKIND_SUCCESS);
}

TEST_F(a_pmem_kind, refuses_what_is_no_directory) {
  memkind_t kind = nullptr;
  EXPECT_EQ(memkind_create_pmem(nullptr, 0, &kind), MEMKIND_ERROR_INVALID);
  EXPECT_EQ(memkind_create_pmem(path("missing").c_str(), 0, &kind), MEMKIND_ERROR_INVALID);
  EXPECT_EQ(memkind_create_pmem("/dev/null", 0, &kind), MEMKIND_ERROR_INVALID);
  EXPECT_EQ(memkind_create_pmem(directory().c_str(), 0, nullptr), MEMKIND_ERROR_INVALID);
}

class a_pmem_setting : public a_pmem_kind {
 protected:
  ~a_pmem_setting() override { memkind_config_delete(settings_); }
  struct memkind_config* settings_ = memkind_config_new();
};

TEST_F(a_pmem_setting, says_where_and_how_much) {
  ASSERT_NE(settings_, nullptr);
  memkind_config_set_path(settings_, directory().c_str());
  memkind_config_set_size(settings_, 32 * mib);
  memkind_t kind = nullptr;
  ASSERT_EQ(memkind_create_pmem_with_config(settings_, &kind), MEMKIND_SUCCESS);
  EXPECT_EQ(memkind_get_capacity(kind), static_cast<ssize_t>(32 * mib));
  EXPECT_EQ(memkind_destroy_kind(kind), MEMKIND_SUCCESS);
}

TEST_F(a_pmem_setting, may_ask_to_give_memory_back_soon) {
  memkind_config_set_path(settings_, directory().c_str());
  memkind_config_set_size(settings_, 64 * mib);
  memkind_config_set_memory_usage_policy(settings_, MEMKIND_MEM_USAGE_POLICY_CONSERVATIVE);
  memkind_t kind = nullptr;
  ASSERT_EQ(memkind_create_pmem_with_config(settings_, &kind), MEMKIND_SUCCESS);
  auto* const block = static_cast<char*>(memkind_malloc(kind, 40 * mib));
  ASSERT_NE(block, nullptr);
  std::memset(block, 1, 40 * mib);
  std::size_t before = 0, after = 0;
  memkind_get_stat(kind, MEMKIND_STAT_TYPE_RESIDENT, &before);
  memkind_free(kind, block);
  memkind_get_stat(kind, MEMKIND_STAT_TYPE_RESIDENT, &after);
  EXPECT_GE(before, 40 * mib);
  EXPECT_LT(after, 20 * mib);
  EXPECT_EQ(memkind_destroy_kind(kind), MEMKIND_SUCCESS);
}

TEST_F(a_pmem_setting, is_checked_when_it_is_used) {
  memkind_t kind = nullptr;
  EXPECT_EQ(memkind_create_pmem_with_config(settings_, &kind), MEMKIND_ERROR_INVALID) << "no path";
  EXPECT_EQ(memkind_create_pmem_with_config(nullptr, &kind), MEMKIND_ERROR_INVALID);
  memkind_config_set_path(settings_, directory().c_str());
  memkind_config_set_size(settings_, 1);
  EXPECT_EQ(memkind_create_pmem_with_config(settings_, &kind), MEMKIND_ERROR_INVALID) << "too small";
  memkind_config_set_size(settings_, 0);
  memkind_config_set_memory_usage_policy(settings_, MEMKIND_MEM_USAGE_POLICY_MAX_VALUE);
  EXPECT_EQ(memkind_create_pmem_with_config(settings_, &kind), MEMKIND_ERROR_INVALID) << "no such policy";
  memkind_config_delete(nullptr);
}

TEST_F(a_pmem_kind, is_on_persistent_memory_only_where_there_is_some) {
  EXPECT_EQ(memkind_check_dax_path(nullptr), MEMKIND_ERROR_INVALID);
  EXPECT_EQ(memkind_check_dax_path(path("missing").c_str()), MEMKIND_ERROR_RUNTIME);
  EXPECT_EQ(memkind_check_dax_path("/dev/shm"), MEMKIND_ERROR_MMAP);
  // Present in the virtual machine of tests/vm.
  if (std::filesystem::exists("/mnt/pmem/lost+found")) {
    EXPECT_EQ(memkind_check_dax_path("/mnt/pmem"), MEMKIND_SUCCESS);
  }
}

}  // namespace
