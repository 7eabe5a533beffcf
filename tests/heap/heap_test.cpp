#include "perdure/heap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "perdure/error.hpp"
#include "perdure/heap_occupancy.hpp"
#include "segment/segment.hpp"
#include "segment/volatile_segment.hpp"
#include "support/tested_segment.hpp"

namespace perdure {
namespace {

constexpr std::size_t MiB = std::size_t{1} << 20;
constexpr std::size_t GiB = std::size_t{1} << 30;

struct HeapTest : testing::Test {
  explicit HeapTest(std::size_t capacity = 8 * GiB)
      : memory(tested::make_segment(capacity)), h(heap::format(*memory)) {}
  ~HeapTest() override {
    h->flush_caches();
    EXPECT_EQ(h->check(), std::vector<std::string>{});
  }
  std::unique_ptr<detail::segment> memory;
  std::unique_ptr<heap> h;
};

struct SmallHeapTest : HeapTest {
  SmallHeapTest() : HeapTest(GiB) {}
};

TEST_F(HeapTest, BlocksOfEverySizeAreDistinctAlignedAndWritable) {
  std::vector<std::pair<unsigned char*, std::size_t>> blocks;
  for (std::size_t size :
       {0, 1, 7, 8, 9, 16, 17, 100, 128, 129, 1000, 4096, 5000, 65536, 65537, 100000, 3000000}) {
    auto* p = static_cast<unsigned char*>(h->allocate(size));
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(p) % (size <= 8 ? 8 : 16), 0U);
    ASSERT_GE(h->usable_size(p), size);
    std::memset(p, static_cast<int>(size % 251), h->usable_size(p));
    blocks.emplace_back(p, h->usable_size(p));
  }
  std::size_t i = 0;
  for (std::size_t size :
       {0, 1, 7, 8, 9, 16, 17, 100, 128, 129, 1000, 4096, 5000, 65536, 65537, 100000, 3000000}) {
    const auto [p, usable] = blocks[i++];
    for (std::size_t k = 0; k < usable; ++k) ASSERT_EQ(p[k], size % 251);
    h->deallocate(p);
  }
  h->deallocate(nullptr);
}

// Blocks of every size, in several threads, which cache what they free.
TEST(LimitedHeap, HasNoMoreBytesInBlocksThanItsLimit) {
  constexpr std::size_t limit = MiB;
  const std::unique_ptr<detail::segment> memory = tested::make_segment(GiB);
  memory->set_limit(limit);
  {
    const std::unique_ptr<heap> h = heap::format(*memory);
    EXPECT_THROW(h->allocate(2 * limit), std::bad_alloc);
    void* const most_of_it = h->allocate(limit - 64 * 1024);
    EXPECT_FALSE(h->try_expand(most_of_it, 2 * limit));
    EXPECT_THROW(h->reallocate(most_of_it, 2 * limit), std::bad_alloc);
    h->deallocate(most_of_it);
    std::atomic<std::size_t> taken{0};
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        std::mt19937 draw(t);
        std::vector<void*> blocks;
        for (int i = 0; i < 20'000; ++i) {
          if (!blocks.empty() && draw() % 3 == 0) {
            taken -= h->usable_size(blocks.back());
            h->deallocate(blocks.back());
            blocks.pop_back();
            continue;
          }
          try {
            blocks.push_back(h->allocate(std::size_t{1} << draw() % 18));
            taken += h->usable_size(blocks.back());
          } catch (const std::bad_alloc&) {
          }
        }
      });
    for (std::thread& one : threads) one.join();
    EXPECT_LE(taken, limit);
    EXPECT_GE(taken, limit / 2);
    h->flush_caches();
    EXPECT_EQ(h->stats().used_bytes, taken);
    EXPECT_EQ(h->check(), std::vector<std::string>{});
    while (true) try {
        static_cast<void>(h->allocate(8));
      } catch (const std::bad_alloc&) {
        break;
      }
    h->flush_caches();
  }
  const std::unique_ptr<heap> again = heap::attach(*memory);
  EXPECT_LE(again->stats().used_bytes, limit);
  EXPECT_THROW(again->allocate(8), std::bad_alloc);
}

TEST_F(HeapTest, KnowsItsBlocksFromEveryOtherAddress) {
  int outside = 0;
  auto* const small = static_cast<std::byte*>(h->allocate(100));
  auto* const large = static_cast<std::byte*>(h->allocate(300'000));
  auto* const huge = static_cast<std::byte*>(h->allocate(3 * GiB));
  for (const void* block : {small, large, huge}) EXPECT_TRUE(h->owns(block) && h->begins_block(block));
  for (const void* inside : {small + 1, small + 8, large + 16, large + 16384, huge + 16384, huge + GiB,
                             huge + GiB - 22 * MiB + 64 * 1024})
    EXPECT_FALSE(h->owns(inside) || h->begins_block(inside));
  const std::byte* const base = h->base();
  for (const void* other :
       std::vector<const void*>{nullptr, &outside, base, base + 64 * 1024, base + 7 * GiB, base + 8 * GiB})
    EXPECT_FALSE(h->owns(other));
  const auto second = detail::make_volatile_segment(GiB);
  const auto other_heap = heap::format(*second);
  EXPECT_FALSE(other_heap->owns(small));
  EXPECT_TRUE(h->owns(small));
  for (std::byte* block : {small, large, huge}) {
    h->deallocate(block);
    EXPECT_FALSE(h->owns(block));
  }
  h->flush_caches();
  EXPECT_FALSE(h->owns(small));
}

TEST_F(HeapTest, AlignmentIsHonouredForEveryPowerOfTwoUpToAChunk) {
  for (std::size_t alignment = 1; alignment <= 2 * MiB; alignment *= 2) {
    for (std::size_t size : {std::size_t{1}, std::size_t{24}, std::size_t{200}, std::size_t{5000},
                             std::size_t{70000}, 3 * MiB}) {
      void* p = h->allocate(size, alignment);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % alignment, 0U);
      EXPECT_GE(h->usable_size(p), size);
      std::memset(p, 1, size);
      if (alignment % 3 != 1) h->deallocate(p);
    }
  }
  EXPECT_THROW(h->allocate(8, 3), std::bad_alloc);
  EXPECT_THROW(h->allocate(8, 0), std::bad_alloc);
  EXPECT_THROW(h->allocate(8, 4 * MiB), std::bad_alloc);
}

TEST_F(HeapTest, FreedMemoryIsUsedAgain) {
  for (std::size_t size : {std::size_t{64}, std::size_t{9000}, 2 * MiB, 40 * MiB}) {
    std::size_t after_first_round = 0;
    for (int round = 0; round < 20; ++round) {
      std::vector<void*> blocks;
      for (int i = 0; i < 10; ++i) blocks.push_back(h->allocate(size));
      for (void* p : blocks) h->deallocate(p);
      if (round == 0) after_first_round = memory->size();
    }
    EXPECT_EQ(memory->size(), after_first_round);
  }
}

TEST_F(HeapTest, NeighboursThatAreFreeAreMerged) {
  std::vector<void*> blocks;
  for (int i = 0; i < 64; ++i) blocks.push_back(h->allocate(MiB));
  const std::size_t before = memory->size();
  for (std::size_t i = 0; i < blocks.size(); i += 2) h->deallocate(blocks[i]);
  for (std::size_t i = 1; i < blocks.size(); i += 2) h->deallocate(blocks[i]);
  h->flush_own_cache();  // the thread keeps the last one
  void* all = h->allocate(64 * MiB);
  EXPECT_EQ(memory->size(), before);
  h->deallocate(all);
}

TEST_F(HeapTest, AThreadKeepsTheLargeBlockThatItFreedLast) {
  void* const first = h->allocate(MiB);
  void* const second = h->allocate(MiB);
  h->deallocate(first);
  h->deallocate(second);
  EXPECT_FALSE(h->owns(first));
  EXPECT_FALSE(h->owns(second));
  EXPECT_EQ(h->allocate(MiB), second);
  EXPECT_TRUE(h->owns(second));
  h->deallocate(second);
  EXPECT_EQ(h->stats().blocks, 1U);
  h->flush_own_cache();
  EXPECT_EQ(h->stats().blocks, 0U);
  EXPECT_EQ(h->check(), std::vector<std::string>{});
  // What is longer than a chunk is given back at once.
  h->deallocate(h->allocate(3 * MiB));
  EXPECT_EQ(h->stats().blocks, 0U);
}

TEST_F(HeapTest, AThreadThatEndsGivesItsLargeBlockBack) {
  std::thread([&] { h->deallocate(h->allocate(MiB)); }).join();
  EXPECT_EQ(h->stats().blocks, 0U);
}

TEST_F(SmallHeapTest, WhatAThreadKeepsIsUsedBeforeMemoryEnds) {
  for (const std::size_t wanted : {std::size_t{64}, std::size_t{100'000}}) {
    std::vector<void*> blocks;
    EXPECT_THROW(for (;;) blocks.push_back(h->allocate(MiB)), std::bad_alloc);
    // No more of the other sizes either, until a block is freed.
    std::vector<void*> rest;
    EXPECT_THROW(for (;;) rest.push_back(h->allocate(wanted)), std::bad_alloc);
    h->deallocate(blocks.back());
    EXPECT_NE(rest.emplace_back(h->allocate(wanted)), nullptr);
    blocks.pop_back();
    for (void* const block : blocks) h->deallocate(block);
    for (void* const block : rest) h->deallocate(block);
    h->flush_caches();
    EXPECT_EQ(h->stats().blocks, 0U);
  }
}

TEST_F(HeapTest, LargeBlocksTakeEachOthersPlaces) {
  void* const block = h->allocate(1000 * 1000);
  void* const wall = h->allocate(MiB);
  h->deallocate(block);
  h->flush_own_cache();
  // A little longer or shorter, the block is the same.
  for (const std::size_t bytes : {1000 * 1000 + 5000, 1000 * 1000 - 5000}) {
    EXPECT_EQ(h->allocate(bytes), block);
    EXPECT_LE(h->usable_size(block), bytes + 64 * 1024);
    EXPECT_TRUE(h->try_expand(block, h->usable_size(block)));
    h->deallocate(block);
    h->flush_own_cache();
  }
  h->deallocate(wall);
}

TEST_F(HeapTest, LargeBlocksGrowInPlaceWhileTheirNeighbourIsFree) {
  void* p = h->allocate(MiB);
  EXPECT_TRUE(h->try_expand(p, 300 * MiB));
  EXPECT_GE(h->usable_size(p), 300 * MiB);
  void* wall = h->allocate(MiB);
  EXPECT_FALSE(h->try_expand(p, 400 * MiB));
  EXPECT_TRUE(h->try_expand(p, 2 * MiB));
  EXPECT_LT(h->usable_size(p), 3 * MiB);
  h->deallocate(wall);
  EXPECT_FALSE(h->try_expand(p, 20 * GiB));
  h->deallocate(p);
}

TEST_F(HeapTest, ReallocateKeepsTheBytes) {
  auto* p = static_cast<char*>(h->reallocate(nullptr, 10));
  std::strcpy(p, "perdure");
  for (std::size_t size : {20, 200, 3000, 70000, 5000000, 60000, 500, 9}) {
    p = static_cast<char*>(h->reallocate(p, size));
    ASSERT_STREQ(p, "perdure");
    ASSERT_GE(h->usable_size(p), size);
  }
  h->deallocate(p);
}

TEST_F(HeapTest, BlocksLargerThanAZoneAreServedAndTheirSpaceReused) {
  auto* p = static_cast<char*>(h->allocate(2 * GiB + 5));
  p[0] = 1;
  p[2 * GiB + 4] = 2;
  EXPECT_GE(h->usable_size(p), 2 * GiB + 5);
  void* other = h->allocate(1500 * MiB);
  EXPECT_EQ(h->check(), std::vector<std::string>{});
  h->deallocate(p);
  void* again = h->allocate(2 * GiB);
  EXPECT_EQ(again, p);
  h->deallocate(again);
  // Ordinary blocks find room where the huge one was.
  std::vector<void*> blocks;
  for (int i = 0; i < 6; ++i) blocks.push_back(h->allocate(600 * MiB));
  EXPECT_EQ(h->check(), std::vector<std::string>{});
  for (void* b : blocks) h->deallocate(b);
  h->deallocate(other);
}

TEST_F(SmallHeapTest, ExhaustionThrowsAndLeavesTheHeapIntact) {
  for (std::size_t size : {std::size_t{900}, std::size_t{5000}, std::size_t{200000}}) {
    std::vector<void*> blocks;
    EXPECT_THROW(for (;;) blocks.push_back(h->allocate(size)), std::bad_alloc);
    EXPECT_GT(blocks.size() * size, 850 * MiB);
    for (void* p : blocks) h->deallocate(p);
    h->flush_caches();
    ASSERT_EQ(h->check(), std::vector<std::string>{});
  }
  EXPECT_THROW(h->allocate(GiB), std::bad_alloc);
  EXPECT_THROW(h->allocate(~std::size_t{0}), std::bad_alloc);
  EXPECT_THROW(h->allocate(~std::size_t{0} / 2), std::bad_alloc);
  h->deallocate(h->allocate(100));
}

TEST_F(HeapTest, WalkVisitsEachBlockOnceInAddressOrder) {
  std::set<void*> expected;
  for (std::size_t size : {8, 100, 3000, 70000, 8000000})
    for (int i = 0; i < 50; ++i) expected.insert(h->allocate(size));
  for (auto it = expected.begin(); it != expected.end();) {
    if (reinterpret_cast<std::uintptr_t>(*it) / 8 % 3 == 0) {
      h->deallocate(*it);
      it = expected.erase(it);
    } else {
      ++it;
    }
  }
  h->flush_caches();
  std::vector<void*> seen;
  h->walk([&](void* p, std::size_t) { seen.push_back(p); });
  EXPECT_EQ(seen, std::vector<void*>(expected.begin(), expected.end()));
  EXPECT_EQ(h->stats().blocks, expected.size());
}

TEST_F(HeapTest, AHeapAttachesToWhatAnEarlierOneLeft) {
  char* p = static_cast<char*>(h->allocate(100));
  std::strcpy(p, "kept");
  void* large = h->allocate(5 * MiB);
  h->set_root(h->offset_of(p));
  h->flush_caches();
  const heap_stats before = h->stats();
  h.reset();
  EXPECT_EQ(heap::containing(p), nullptr);
  h = heap::attach(*memory);
  EXPECT_EQ(heap::containing(p), h.get());
  EXPECT_STREQ(static_cast<char*>(h->at(h->root())), "kept");
  EXPECT_EQ(h->stats().blocks, before.blocks);
  EXPECT_EQ(h->check(), std::vector<std::string>{});
  h->deallocate(p);
  h->deallocate(large);
  h->flush_caches();
  EXPECT_EQ(h->stats().blocks, 0U);
}

TEST_F(HeapTest, AttachRefusesWhatIsNotAHeapItCanRead) {
  h.reset();
  auto* words = reinterpret_cast<std::uint32_t*>(memory->base());
  const auto expect = [&](std::size_t word, errc code) {
    const std::uint32_t kept = words[word];
    words[word] += 7;
    try {
      heap::attach(*memory);
      ADD_FAILURE() << "attached with word " << word << " changed";
    } catch (const error& e) {
      EXPECT_EQ(e.code(), code);
    }
    words[word] = kept;
  };
  expect(0, errc::damaged);  // magic
  expect(2, errc::too_new);  // version
  expect(3, errc::too_old);  // number of classes
  auto empty = detail::make_volatile_segment(GiB);
  EXPECT_THROW(heap::attach(*empty), error);
  h = heap::attach(*memory);
}

TEST_F(SmallHeapTest, OccupancyCountsSlabsLargeBlocksAndFreeRuns) {
  for (int i = 0; i < 300; ++i) static_cast<void>(h->allocate(1000));
  void* const first = h->allocate(3 * MiB);
  static_cast<void>(h->allocate(200'000));
  h->deallocate(first);
  h->flush_caches();
  const heap_occupancy found = occupancy_of(*h, 16);
  const heap_stats stats = h->stats();
  std::size_t used = found.large_bytes;
  std::size_t free = found.free_run_bytes;
  std::size_t blocks = found.large_blocks;
  for (const auto& one : found.classes) {
    used += one.used_blocks * one.block_bytes;
    free += one.slab_bytes - one.used_blocks * one.block_bytes;
    blocks += one.used_blocks;
  }
  EXPECT_EQ(used, stats.used_bytes);
  EXPECT_EQ(free, stats.free_bytes);
  EXPECT_EQ(blocks, stats.blocks);
  EXPECT_EQ(found.large_blocks, 1U);
  EXPECT_GE(found.free_runs, 1U);
  EXPECT_GE(found.longest_free_run, 3 * MiB);
  const auto of_1024 = std::find_if(found.classes.begin(), found.classes.end(),
                                    [](const auto& one) { return one.block_bytes == 1024; });
  ASSERT_NE(of_1024, found.classes.end());
  EXPECT_EQ(of_1024->used_blocks, 300U);
  // The map has the same bytes, by place.
  ASSERT_LE(found.map.size(), 16U);
  heap_occupancy::stretch sum;
  for (const auto& one : found.map) {
    EXPECT_EQ(one.bytes, one.slab_bytes + one.large_bytes + one.free_bytes);
    EXPECT_LE(one.used_bytes, one.slab_bytes);
    EXPECT_LE(one.bytes, found.stretch_bytes);
    sum.used_bytes += one.used_bytes;
    sum.large_bytes += one.large_bytes;
    sum.free_bytes += one.free_bytes;
  }
  EXPECT_EQ(sum.used_bytes + sum.large_bytes, stats.used_bytes);
  EXPECT_EQ(sum.large_bytes, found.large_bytes);
  EXPECT_EQ(sum.free_bytes, found.free_run_bytes);
}

TEST(DamagedHeap, IsReportedAndNotFollowed) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 2000; ++round) {
    auto bytes = detail::make_volatile_segment(2 * GiB);
    {
      auto h = heap::format(*bytes);
      for (const std::size_t size : {16, 100, 5000, 300'000}) h->allocate(size);
      h->deallocate(h->allocate(5 * MiB));
      h->flush_caches();
      ASSERT_TRUE(h->check().empty());
    }
    // A few words of the header, the zone's header, the class map or the descriptors.
    for (std::uint64_t words = 1 + random() % 3; words != 0; --words) {
      const std::size_t areas[][2] = {{0, 1536}, {60 * 1024, 8}, {64 * 1024 + 1408, 64}, {218 * 1024, 8192}};
      const auto& [begin, length] = areas[random() % 4];
      const std::uint32_t values[] = {
          0, 1, 7, ~0u, 1408, 65536, 65536 + 1408, static_cast<std::uint32_t>(random())};
      std::memcpy(bytes->base() + begin + random() % (length / 4) * 4, &values[random() % 8], 4);
    }
    try {
      const auto h = heap::attach(*bytes);
      h->stats();
      h->walk([](void*, std::size_t) {});
      const bool sound = h->check().empty();
      h->release_free_memory();
      h->release_free_memory();
      if (!sound) continue;
      // What the check lets pass can be worked with.
      for (const std::size_t size : {16, 100, 5000, 300'000}) h->deallocate(h->allocate(size));
      h->flush_caches();
      EXPECT_TRUE(h->check().empty());
    } catch (const error& damage) {
      EXPECT_NE(damage.code(), errc::ok);
    }
  }
}

TEST_F(HeapTest, IdleChunksAreReleasedAtTheSecondCallAndOnlyOnce) {
  void* p = h->allocate(100 * MiB);
  void* wall = h->allocate(MiB);
  EXPECT_TRUE(h->release_free_memory().empty());
  h->deallocate(p);
  EXPECT_TRUE(h->release_free_memory().empty()) << "memory freed just now is kept for reuse";
  std::size_t released = 0;
  for (const detail::page_run& run : h->release_free_memory()) {
    EXPECT_EQ(run.first * page_size % (2 * MiB), 0U);
    released += run.count * page_size;
    memory->discard(run);
  }
  EXPECT_GE(released, 96 * MiB);
  EXPECT_LE(released, 100 * MiB);
  EXPECT_TRUE(h->release_free_memory().empty());
  h->deallocate(wall);
}

TEST_F(HeapTest, ManyHeapsLiveSideBySide) {
  std::vector<std::unique_ptr<detail::segment>> segments;
  std::vector<std::unique_ptr<heap>> heaps;
  for (int i = 0; i < 40; ++i) {
    segments.push_back(tested::make_segment(GiB));
    heaps.push_back(heap::format(*segments.back()));
  }
  std::vector<std::pair<heap*, void*>> blocks;
  for (int i = 0; i < 4000; ++i) {
    heap* owner = heaps[i * 7 % 40].get();
    void* p = owner->allocate(i % 3000);
    ASSERT_EQ(heap::containing(p), owner);
    blocks.emplace_back(owner, p);
  }
  for (auto [owner, p] : blocks) owner->deallocate(p);
  for (auto& one : heaps) {
    one->flush_caches();
    ASSERT_EQ(one->check(), std::vector<std::string>{});
    ASSERT_EQ(one->stats().blocks, 0U);
  }
}

TEST_F(HeapTest, AThreadThatEndsGivesItsCachedBlocksBack) {
  std::thread([&] {
    std::vector<void*> blocks;
    for (int i = 0; i < 1000; ++i) blocks.push_back(h->allocate(64));
    for (void* p : blocks) h->deallocate(p);
  }).join();
  EXPECT_EQ(h->stats().blocks, 0U);
}

// Few blocks are in the caches, so that emptying one and using it meet at the same block.
TEST_F(HeapTest, CachesMayBeEmptiedWhileTheirThreadsUseThem) {
  constexpr int threads = 4;
  std::atomic<bool> enough{false};
  std::atomic<int> shared{0};
  std::vector<std::thread> users;
  for (int t = 0; t < threads; ++t) {
    users.emplace_back([&, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      std::vector<std::uint64_t*> mine;
      while (!enough) {
        for (int i = 0; i < 1000; ++i) {
          if (mine.size() < 8 && random() % 2 == 0) {
            mine.push_back(static_cast<std::uint64_t*>(h->allocate(64)));
            *mine.back() = reinterpret_cast<std::uintptr_t>(&mine) + mine.size();
          } else if (!mine.empty()) {
            if (*mine.back() != reinterpret_cast<std::uintptr_t>(&mine) + mine.size()) ++shared;
            h->deallocate(mine.back());
            mine.pop_back();
          }
        }
      }
      for (std::uint64_t* block : mine) h->deallocate(block);
    });
  }
  for (int i = 0; i < 30'000; ++i) h->flush_caches();
  enough = true;
  for (std::thread& user : users) user.join();
  EXPECT_EQ(shared, 0) << "blocks were handed out twice";
  h->flush_caches();
  EXPECT_EQ(h->stats().blocks, 0U);
}

TEST_F(HeapTest, AHeapMayGoBeforeTheThreadsThatUsedIt) {
  std::atomic<int> stage{0};
  std::thread other([&] {
    h->deallocate(h->allocate(64));
    stage = 1;
    while (stage != 2) std::this_thread::yield();
    h->deallocate(h->allocate(64));  // the second heap
  });
  while (stage != 1) std::this_thread::yield();
  h.reset();
  memory = tested::make_segment(GiB);
  h = heap::format(*memory);
  stage = 2;
  other.join();
}

#ifdef NDEBUG
TEST_F(HeapTest, CheckReportsABlockFreedTwice) {
  void* p = h->allocate(64);
  h->deallocate(p);
  h->flush_caches();
  h->deallocate(p);
  h->flush_caches();
  EXPECT_EQ(h->check().size(), 1U);
  void* large = h->allocate(MiB);
  h->deallocate(large);
  h->deallocate(large);
  EXPECT_EQ(h->check().size(), 2U);
  h->flush_caches();
  h->deallocate(large);
  h->flush_caches();
  EXPECT_EQ(h->check().size(), 2U);
  h.reset();  // the report is the heap object's, the segment is sound
  h = heap::attach(*memory);
}
#else
TEST_F(HeapTest, FreeingABlockTwiceIsFatalInDebugBuilds) {
  void* p = h->allocate(64);
  h->deallocate(p);
  EXPECT_DEATH(h->deallocate(p), "not an allocated block");
  void* large = h->allocate(MiB);
  h->deallocate(large);
  EXPECT_DEATH(h->deallocate(large), "not an allocated block");
}
#endif

TEST_F(SmallHeapTest, TrimGivesChunksBackThatStayedFree) {
  constexpr std::size_t bytes = 64 * MiB;
  auto* const block = static_cast<unsigned char*>(h->allocate(bytes));
  std::memset(block, 1, bytes);
  h->deallocate(block);
  EXPECT_FALSE(h->trim());
  EXPECT_TRUE(h->trim());
  EXPECT_FALSE(h->trim());
  // Its pages are gone, and come back as zeros.
  EXPECT_EQ(block[bytes / 2], 0);
  EXPECT_EQ(h->allocate(bytes), block);
  std::memset(block, 2, bytes);
}

TEST_F(SmallHeapTest, TrimGivesBackWhatStayedFreeBesideWhatWasJustFreed) {
  constexpr std::size_t bytes = 32 * MiB;
  std::array<unsigned char*, 3> blocks{};
  for (auto& block : blocks) {
    block = static_cast<unsigned char*>(h->allocate(bytes));
    std::memset(block, 1, bytes);
  }
  std::sort(blocks.begin(), blocks.end());
  const auto free_block = [&](std::size_t i) {
    h->deallocate(blocks[i]);
    h->flush_own_cache();
  };
  free_block(0);
  EXPECT_FALSE(h->trim());
  free_block(1);  // one run with the first from now on
  EXPECT_TRUE(h->trim());
  EXPECT_EQ(blocks[0][bytes / 2], 0);
  EXPECT_EQ(blocks[1][bytes / 2], 1) << "memory freed just now is kept for reuse";
  free_block(2);
  EXPECT_TRUE(h->trim());
  EXPECT_EQ(blocks[1][bytes / 2], 0);
  EXPECT_EQ(blocks[2][bytes / 2], 1);
  EXPECT_TRUE(h->trim());
  EXPECT_EQ(blocks[2][bytes / 2], 0);
  EXPECT_FALSE(h->trim());
  EXPECT_TRUE(h->check().empty());
}

TEST_F(SmallHeapTest, LockHoldsOtherThreadsUp) {
  std::atomic<int> done{0};
  h->lock();
  std::thread other([&] {
    void* const large = h->allocate(MiB);
    void* const small = h->allocate(100);
    done = 1;
    h->deallocate(small);
    h->deallocate(large);
  });
  for (int i = 0; i < 1000; ++i) std::this_thread::yield();
  EXPECT_EQ(done, 0);
  h->unlock();
  other.join();
  EXPECT_EQ(done, 1);
}

}  // namespace
}  // namespace perdure
