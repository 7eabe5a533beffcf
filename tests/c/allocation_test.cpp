// Memory without names.
#include "perdure/c/allocation.h"

#include <limits>
#include <thread>
#include <vector>

#include "c/c_store.hpp"

namespace perdure::c {
namespace {

using allocation_test = c_store_test;

TEST_F(allocation_test, GivesBlocksAndTakesThemBack) {
  std::vector<void*> blocks;
  for (const std::size_t size : {0, 1, 8, 100, 5000, 70000, 3 << 20}) {
    void* block = nullptr;
    ASSERT_OK(perdure_allocate(store, size, &block));
    std::size_t usable = 0;
    ASSERT_OK(perdure_usable_size(store, block, &usable));
    EXPECT_GE(usable, size);
    std::memset(block, 1, usable);
    blocks.push_back(block);
  }
  EXPECT_OK(perdure_store_check(store, nullptr));
  for (void* block : blocks) EXPECT_OK(perdure_deallocate(store, block));
  EXPECT_OK(perdure_deallocate(store, nullptr));
  EXPECT_OK(perdure_store_check(store, nullptr));
}

TEST_F(allocation_test, AlignsAsAsked) {
  for (std::size_t alignment = 1; alignment <= std::size_t{2} << 20; alignment *= 2) {
    void* block = nullptr;
    ASSERT_OK(perdure_allocate_aligned(store, 100, alignment, &block));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0U);
    EXPECT_OK(perdure_deallocate(store, block));
  }
  for (const std::size_t alignment : {0, 3, 4 << 20}) {
    void* block = garbage<void>();
    EXPECT_EQ(perdure_allocate_aligned(store, 100, alignment, &block), PERDURE_INVALID_ARGUMENT);
    EXPECT_EQ(block, nullptr);
  }
}

TEST_F(allocation_test, TellsWhenThereIsNoRoom) {
  void* block = garbage<void>();
  EXPECT_EQ(perdure_allocate(store, std::numeric_limits<std::size_t>::max(), &block), PERDURE_OUT_OF_MEMORY);
  EXPECT_EQ(block, nullptr);
  EXPECT_EQ(perdure_allocate_aligned(store, std::size_t{5} << 30, 64, &block), PERDURE_OUT_OF_MEMORY);
  EXPECT_OK(perdure_allocate(store, 100, &block));
}

TEST_F(allocation_test, RefusesWhatIsNoBlock) {
  void* block = nullptr;
  ASSERT_OK(perdure_allocate(store, 100, &block));
  void* bytes = nullptr;
  ASSERT_OK(perdure_data_create(store, "bytes", "uint8", 100, 0, &bytes));
  void* base = nullptr;
  ASSERT_OK(perdure_base(store, &base, nullptr));
  int outside = 0;
  std::size_t size = 7;
  void* moved = nullptr;
  for (void* wrong : {static_cast<void*>(static_cast<char*>(block) + 16), bytes, base,
                      static_cast<void*>(static_cast<char*>(base) + (std::size_t{3} << 30)),
                      static_cast<void*>(&outside)}) {
    EXPECT_EQ(perdure_deallocate(store, wrong), PERDURE_INVALID_ARGUMENT);
    EXPECT_EQ(perdure_usable_size(store, wrong, &size), PERDURE_INVALID_ARGUMENT);
    EXPECT_EQ(perdure_reallocate(store, wrong, 10, &moved), PERDURE_INVALID_ARGUMENT);
  }
  EXPECT_EQ(size, 0U);
  EXPECT_EQ(perdure_usable_size(store, nullptr, &size), PERDURE_INVALID_ARGUMENT);
  EXPECT_OK(perdure_deallocate(store, block));
  EXPECT_EQ(perdure_deallocate(store, block), PERDURE_INVALID_ARGUMENT);
  EXPECT_OK(perdure_store_check(store, nullptr));
}

TEST_F(allocation_test, RefusesABlockOfAnotherStore) {
  const perdure_store_options options = small_options();
  perdure_store* other = nullptr;
  ASSERT_OK(perdure_store_create(beside("other").c_str(), &options, &other));
  void* block = nullptr;
  ASSERT_OK(perdure_allocate(other, 100, &block));
  EXPECT_EQ(perdure_deallocate(store, block), PERDURE_INVALID_ARGUMENT);
  EXPECT_OK(perdure_deallocate(other, block));
  EXPECT_EQ(perdure_deallocate(other, block), PERDURE_INVALID_ARGUMENT);
  EXPECT_OK(perdure_store_discard(other));
}

TEST_F(allocation_test, ResizesAndKeepsTheBytes) {
  void* block = nullptr;
  ASSERT_OK(perdure_reallocate(store, nullptr, 10, &block));
  std::memcpy(block, "123456789", 10);
  for (const std::size_t size : {100, 100000, 5000000, 40, 10}) {
    ASSERT_OK(perdure_reallocate(store, block, size, &block));
    EXPECT_STREQ(static_cast<char*>(block), "123456789");
    std::size_t usable = 0;
    EXPECT_OK(perdure_usable_size(store, block, &usable));
    EXPECT_GE(usable, size);
  }
  void* const before = block;
  EXPECT_EQ(perdure_reallocate(store, block, std::size_t{5} << 30, &block), PERDURE_OUT_OF_MEMORY);
  EXPECT_EQ(block, before);
  EXPECT_STREQ(static_cast<char*>(block), "123456789");
  EXPECT_OK(perdure_deallocate(store, block));
  EXPECT_OK(perdure_store_check(store, nullptr));
}

TEST_F(allocation_test, ManyThreadsAllocate) {
  std::vector<std::jthread> threads;
  std::vector<int> failures(4);
  for (int& failed : failures)
    threads.emplace_back([this, &failed] {
      std::vector<void*> blocks;
      for (std::size_t i = 0; i < 2000; ++i) {
        void* block = nullptr;
        if (perdure_allocate(store, i % 300, &block) != PERDURE_OK) ++failed;
        blocks.push_back(block);
        if (i % 3 == 0) {
          if (perdure_deallocate(store, blocks[i / 2]) != PERDURE_OK) ++failed;
          blocks[i / 2] = nullptr;
        }
      }
      for (void* block : blocks)
        if (perdure_deallocate(store, block) != PERDURE_OK) ++failed;
    });
  threads.clear();
  EXPECT_EQ(failures, std::vector<int>(4));
  EXPECT_OK(perdure_store_check(store, nullptr));
}

TEST_F(allocation_test, CountsBlocks) {
  perdure_heap_stats before{};
  before.struct_size = sizeof before;
  ASSERT_OK(perdure_heap_stats_get(store, &before));
  EXPECT_NE(before.segment_bytes, 0U);
  void* block = nullptr;
  ASSERT_OK(perdure_allocate(store, 1000000, &block));
  perdure_heap_stats after = before;
  ASSERT_OK(perdure_heap_stats_get(store, &after));
  EXPECT_EQ(after.blocks, before.blocks + 1);
  EXPECT_GE(after.used_bytes, before.used_bytes + 1000000);
  EXPECT_EQ(perdure_heap_stats_get(store, nullptr), PERDURE_INVALID_ARGUMENT);
  after.struct_size = 3;
  EXPECT_EQ(perdure_heap_stats_get(store, &after), PERDURE_INVALID_ARGUMENT);
}

TEST_F(allocation_test, ChangesNothingInAReadOnlyStore) {
  void* block = nullptr;
  ASSERT_OK(perdure_allocate(store, 100, &block));
  std::uint64_t offset = 0;
  ASSERT_OK(perdure_offset_of(store, block, &offset));
  reopen_read_only();
  ASSERT_OK(perdure_address_of(store, offset, &block));
  std::size_t size = 0;
  EXPECT_OK(perdure_usable_size(store, block, &size));
  EXPECT_GE(size, 100U);
  void* other = nullptr;
  EXPECT_EQ(perdure_allocate(store, 8, &other), PERDURE_READ_ONLY);
  EXPECT_EQ(perdure_allocate_aligned(store, 8, 8, &other), PERDURE_READ_ONLY);
  EXPECT_EQ(perdure_deallocate(store, block), PERDURE_READ_ONLY);
  EXPECT_EQ(perdure_reallocate(store, block, 200, &other), PERDURE_READ_ONLY);
}

TEST_F(allocation_test, RefusesNullArguments) {
  EXPECT_EQ(perdure_allocate(store, 8, nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_allocate_aligned(store, 8, 8, nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_reallocate(store, nullptr, 8, nullptr), PERDURE_INVALID_ARGUMENT);
  void* block = nullptr;
  ASSERT_OK(perdure_allocate(store, 8, &block));
  EXPECT_EQ(perdure_usable_size(store, block, nullptr), PERDURE_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace perdure::c
