// The calls of a kind, on ordinary memory.
#include "perdure/kind.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory_resource>
#include <perdure/kind_allocator.hpp>
#include <perdure/kind_resource.hpp>
#include <perdure/manager.hpp>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "kind/small_kind.hpp"
#include "support/child_process.hpp"
#include "support/errors.hpp"
#include "support/scratch_directory.hpp"
#include "support/small_store.hpp"

namespace perdure {
namespace {

std::size_t resident_bytes(const void* from, std::size_t bytes);

TEST(Kind, GivesBlocksThatHoldWhatIsWritten) {
  const auto k = make_small_kind();
  std::vector<std::pair<unsigned char*, std::size_t>> blocks;
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    const std::size_t bytes = i % 50 == 0 ? 1 + random() % (3 << 20) : 1 + random() % 4000;
    auto* const block = static_cast<unsigned char*>(k->malloc(bytes));
    ASSERT_NE(block, nullptr);
    ASSERT_GE(k->usable_size(block), bytes);
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(block) % (bytes <= 8 ? 8 : 16), 0u);
    std::memset(block, i & 0xff, bytes);
    blocks.emplace_back(block, bytes);
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(blocks[i].first[0], i & 0xff);
    EXPECT_EQ(blocks[i].first[blocks[i].second - 1], i & 0xff);
    EXPECT_TRUE(k->free(blocks[i].first));
  }
}

TEST(Kind, GivesZeroBytesAnAddressOfTheirOwn) {
  const auto k = make_small_kind();
  void* const a = k->malloc(0);
  void* const b = k->malloc(0);
  ASSERT_NE(a, nullptr);
  ASSERT_NE(b, nullptr);
  EXPECT_NE(a, b);
  EXPECT_TRUE(k->free(a));
  EXPECT_TRUE(k->free(b));
}

TEST(Kind, RefusesSizesThatNothingCanHave) {
  const auto k = make_small_kind();
  for (const std::size_t bytes : {std::numeric_limits<std::size_t>::max(),
                                  std::numeric_limits<std::size_t>::max() / 2 + 1, std::size_t{3} << 30}) {
    errno = 0;
    EXPECT_EQ(k->malloc(bytes), nullptr);
    EXPECT_EQ(errno, ENOMEM);
  }
  EXPECT_NE(k->malloc(100), nullptr);
}

TEST(Kind, CallocTouchesNoLargeBlockThatIsNew) {
  constexpr std::size_t bytes = 64 << 20;
  const auto k = make_small_kind();
  auto* block = static_cast<unsigned char*>(k->calloc(1, bytes));
  ASSERT_NE(block, nullptr);
  EXPECT_LE(resident_bytes(block, bytes), 1u << 20);
  std::memset(block, 0x5a, bytes);
  EXPECT_TRUE(k->free(block));
  block = static_cast<unsigned char*>(k->calloc(bytes - 1, 1));
  ASSERT_NE(block, nullptr);
  for (std::size_t i = 0; i < bytes - 1; i += 64) ASSERT_EQ(block[i], 0) << i;
  EXPECT_EQ(block[bytes - 2], 0);
}

TEST(Kind, CallocClearsAndCatchesOverflow) {
  const auto k = make_small_kind();
  auto* const dirty = static_cast<unsigned char*>(k->malloc(1000));
  std::memset(dirty, 0xff, 1000);
  k->free(dirty);
  auto* const clean = static_cast<unsigned char*>(k->calloc(10, 100));
  ASSERT_NE(clean, nullptr);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(clean[i], 0);
  errno = 0;
  EXPECT_EQ(k->calloc(std::numeric_limits<std::size_t>::max() / 2, 3), nullptr);
  EXPECT_EQ(errno, ENOMEM);
}

TEST(Kind, ReallocKeepsBytesGrowsFromNullAndFreesAtZero) {
  const auto k = make_small_kind();
  auto* block = static_cast<char*>(k->realloc(nullptr, 10));
  std::strcpy(block, "kept");
  for (std::size_t bytes = 20; bytes < (8u << 20); bytes *= 3) {
    block = static_cast<char*>(k->realloc(block, bytes));
    ASSERT_NE(block, nullptr);
    ASSERT_STREQ(block, "kept");
  }
  errno = 0;
  EXPECT_EQ(k->realloc(block, std::numeric_limits<std::size_t>::max()), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_STREQ(block, "kept");
  EXPECT_EQ(k->realloc(block, 0), nullptr);
}

TEST(Kind, ReallocRefusesBlocksOfOthers) {
  const auto a = make_small_kind();
  const auto b = make_small_kind();
  void* const block = a->malloc(100);
  errno = 0;
  EXPECT_EQ(b->realloc(block, 200), nullptr);
  EXPECT_EQ(errno, EINVAL);
  int local = 0;
  EXPECT_EQ(b->realloc(&local, 200), nullptr);
  EXPECT_TRUE(a->free(block));
}

TEST(Kind, AlignsAsAskedAndRefusesOtherAlignments) {
  const auto k = make_small_kind();
  for (std::size_t alignment = 8; alignment <= (2u << 20); alignment *= 2) {
    void* block = nullptr;
    ASSERT_EQ(k->posix_memalign(&block, alignment, 100), 0) << alignment;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0u);
    EXPECT_TRUE(k->free(block));
  }
  void* untouched = &errno;
  errno = 7;
  EXPECT_EQ(k->posix_memalign(&untouched, 0, 100), EINVAL);
  EXPECT_EQ(k->posix_memalign(&untouched, 4, 100), EINVAL);
  EXPECT_EQ(k->posix_memalign(&untouched, 48, 100), EINVAL);
  EXPECT_EQ(k->posix_memalign(&untouched, 4u << 20, 100), ENOMEM);
  EXPECT_EQ(k->posix_memalign(&untouched, 64, std::numeric_limits<std::size_t>::max()), ENOMEM);
  EXPECT_EQ(untouched, &errno);
  EXPECT_EQ(errno, 7);
}

TEST(Kind, IsFoundByTheAddressOfItsBlocks) {
  const auto a = make_small_kind();
  const auto b = make_small_kind();
  void* const of_a = a->malloc(10);
  void* const of_b = b->malloc(10 << 20);
  EXPECT_EQ(kind::detect(of_a), a.get());
  EXPECT_EQ(kind::detect(of_b), b.get());
  EXPECT_TRUE(kind::free_anywhere(of_a));
  EXPECT_TRUE(kind::free_anywhere(of_b));
  EXPECT_TRUE(kind::free_anywhere(nullptr));
}

TEST(Kind, SaysNotOursOfForeignAddresses) {
  const auto k = make_small_kind();
  int local = 0;
  const std::unique_ptr<int> of_c = std::make_unique<int>(1);
  void* const addresses[] = {nullptr,
                             &local,
                             of_c.get(),
                             reinterpret_cast<void*>(1),
                             reinterpret_cast<void*>(~std::uintptr_t{0}),
                             reinterpret_cast<void*>(std::uintptr_t{1} << 63)};
  for (void* const address : addresses) {
    EXPECT_EQ(kind::detect(address), nullptr) << address;
    EXPECT_EQ(k->usable_size(address), 0u);
    if (address == nullptr) continue;
    EXPECT_FALSE(kind::free_anywhere(address)) << address;
    EXPECT_FALSE(k->free(address)) << address;
  }
}

TEST(Kind, RefusesBlocksOfOtherKinds) {
  const auto a = make_small_kind();
  const auto b = make_small_kind();
  void* const block = a->malloc(10);
  EXPECT_FALSE(b->free(block));
  EXPECT_EQ(b->usable_size(block), 0u);
  EXPECT_TRUE(a->free(block));
}

TEST(Kind, RefusesWhatIsNoBlockWhereFreesAreChecked) {
  const auto k = make_small_kind(true);
  auto* const block = static_cast<std::byte*>(k->malloc(100));
  auto* const large = static_cast<std::byte*>(k->malloc(1 << 20));
  EXPECT_FALSE(k->free(block + 16));
  EXPECT_FALSE(k->free(large + 4096));
  EXPECT_TRUE(k->free(block));
  EXPECT_FALSE(k->free(block));
  EXPECT_TRUE(k->free(large));
  EXPECT_FALSE(k->free(large));
  EXPECT_EQ(k->realloc(block, 5), nullptr);
  EXPECT_EQ(k->usable_size(block), 0u);
}

TEST(Kind, ServesManyThreads) {
  const auto k = make_small_kind();
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&k, t] {
      std::mt19937 random(t);
      std::vector<unsigned char*> blocks(100, nullptr);
      for (int i = 0; i < 20000; ++i) {
        unsigned char*& block = blocks[random() % blocks.size()];
        if (block != nullptr) {
          ASSERT_EQ(*block, static_cast<unsigned char>(t));
          ASSERT_TRUE(k->free(block));
        }
        block = static_cast<unsigned char*>(k->malloc(1 + random() % 2000));
        *block = static_cast<unsigned char>(t);
      }
      for (unsigned char* block : blocks) k->free(block);
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_TRUE(k->memory()->check().empty());
  EXPECT_EQ(k->stats().used_bytes, 0u);
}

TEST(Kind, IsLookedAtAndTrimmedWhileThreadsAllocate) {
  const auto k = make_small_kind();
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 2; ++t)
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      while (!stop) {
        void* const small = k->malloc(1 + random() % 3000);
        void* const large = k->malloc(100000 + random() % (4 << 20));
        ASSERT_TRUE(k->free(small));
        ASSERT_TRUE(k->free(large));
      }
    });
  for (int i = 0; i < 300; ++i) {
    const kind_stats stats = k->stats();
    EXPECT_LE(stats.used_bytes, stats.capacity_bytes);
    k->trim();
  }
  stop = true;
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(k->stats().blocks, 0u);
}

TEST(Kind, GetsBackWhatEndedThreadsHadCached) {
  const auto k = make_small_kind();
  for (int i = 0; i < 20; ++i) {
    std::thread([&k] {
      void* const block = k->malloc(64);
      EXPECT_TRUE(k->free(block));
    }).join();
    EXPECT_EQ(k->stats().blocks, 0u);
  }
}

TEST(Kind, GoesWithItsLiveBlocks) {
  void* block = nullptr;
  {
    const auto k = make_small_kind();
    block = k->malloc(100);
    EXPECT_EQ(kind::detect(block), k.get());
  }
  EXPECT_EQ(kind::detect(block), nullptr);
  EXPECT_FALSE(kind::free_anywhere(block));
}

TEST(Kind, ThereMayBeHundreds) {
  std::vector<std::unique_ptr<kind>> kinds;
  std::vector<void*> blocks;
  for (int i = 0; i < 300; ++i) {
    kinds.push_back(make_small_kind());
    blocks.push_back(kinds.back()->malloc(100));
    ASSERT_NE(blocks.back(), nullptr);
  }
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(kind::detect(blocks[i]), kinds[i].get());
    EXPECT_TRUE(kind::free_anywhere(blocks[i]));
  }
}

TEST(Kind, AnEmptyOneTakesLittleMemory) {
  const std::uint64_t before = kind::all().size();
  const auto k = make_small_kind();
  EXPECT_EQ(kind::all().size(), before + 1);
  EXPECT_EQ(k->stats().committed_bytes, 0u);
  EXPECT_EQ(k->stats().used_bytes, 0u);
  EXPECT_LT(resident_bytes(k->memory()->base(), 22 << 20), 128u << 10);
}

TEST(Kind, CountsWhatItHandsOut) {
  const auto k = make_small_kind();
  void* const block = k->malloc(3 << 20);
  const kind_stats stats = k->stats();
  EXPECT_GE(stats.used_bytes, 3u << 20);
  EXPECT_EQ(stats.blocks, 1u);
  EXPECT_GE(stats.committed_bytes, stats.used_bytes);
  EXPECT_EQ(stats.capacity_bytes, std::size_t{2} << 30);
  k->free(block);
  EXPECT_EQ(k->stats().blocks, 0u);
}

TEST(Kind, GivesFreeMemoryBack) {
  const auto k = make_small_kind();
  auto* const block = static_cast<std::byte*>(k->malloc(64 << 20));
  std::memset(block, 1, 64 << 20);
  EXPECT_GE(resident_bytes(block, 64 << 20), 60u << 20);
  k->free(block);
  EXPECT_TRUE(k->trim());
  EXPECT_LE(resident_bytes(block, 64 << 20), 4u << 20);
  auto* const again = static_cast<std::byte*>(k->malloc(64 << 20));
  ASSERT_NE(again, nullptr);
  std::memset(again, 2, 64 << 20);
}

TEST(Kind, MovesBlocksToDenserSlabs) {
  const auto k = make_small_kind();
  std::vector<std::uint64_t*> blocks;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    blocks.push_back(static_cast<std::uint64_t*>(k->malloc(256)));
    *blocks.back() = i;
  }
  // The first slabs stay nearly full, the later ones nearly empty.
  std::vector<std::uint64_t*> kept;
  for (std::uint64_t i = 0; i < blocks.size(); ++i) {
    if (i % 64 == 0 || (i < 2000 && i % 8 != 0))
      kept.push_back(blocks[i]);
    else
      k->free(blocks[i]);
  }
  k->memory()->flush_own_cache();
  int moved = 0;
  for (std::uint64_t*& block : kept) {
    const std::uint64_t value = *block;
    if (void* const denser = k->defragment(block)) {
      ++moved;
      block = static_cast<std::uint64_t*>(denser);
      EXPECT_EQ(*block, value);
    }
  }
  EXPECT_GT(moved, 0);
  EXPECT_TRUE(k->memory()->check().empty());
  EXPECT_EQ(k->stats().blocks, kept.size());
  int foreign = 0;
  EXPECT_EQ(k->defragment(&foreign), nullptr);
  EXPECT_EQ(k->defragment(nullptr), nullptr);
}

TEST(Kind, TellsHowMuchMemoryThereIs) {
  const memory_size size = make_small_kind()->size();
  EXPECT_GT(size.total, 64u << 20);
  EXPECT_GT(size.free, 0u);
  EXPECT_LE(size.free, size.total);
}

TEST(Kind, ServesContainers) {
  const auto k = make_small_kind();
  std::vector<std::string, kind_allocator<std::string>> texts{kind_allocator<std::string>(*k)};
  for (int i = 0; i < 1000; ++i) texts.push_back(std::to_string(i));
  EXPECT_EQ(texts[999], "999");
  EXPECT_EQ(kind::detect(texts.data()), k.get());
  EXPECT_TRUE(texts.get_allocator() == kind_allocator<int>(*k));
  EXPECT_FALSE(texts.get_allocator() == kind_allocator<int>(static_kind::standard));
  struct alignas(256) wide {
    char bytes[256];
  };
  std::vector<wide, kind_allocator<wide>> aligned(3, kind_allocator<wide>(*k));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(aligned.data()) % 256, 0u);
  EXPECT_THROW(kind_allocator<int>(*k).allocate(std::numeric_limits<std::size_t>::max()),
               std::bad_array_new_length);
  EXPECT_THROW(static_cast<void>(kind_allocator<char>(*k).allocate(std::size_t{1} << 40)), std::bad_alloc);
}

TEST(Kind, ServesPolymorphicContainers) {
  const auto k = make_small_kind();
  kind_resource resource(*k);
  std::pmr::vector<std::pmr::string> texts(&resource);
  texts.emplace_back("a text that is too long to lie inside of the string itself");
  EXPECT_EQ(kind::detect(texts[0].data()), k.get());
  EXPECT_TRUE(resource.is_equal(kind_resource(*k)));
  EXPECT_FALSE(resource.is_equal(*std::pmr::new_delete_resource()));
}

TEST(Kind, IsMadeOverAStore) {
  const scratch_directory scratch;
  manager store(create_only, scratch.path(), small_store());
  heap& memory = *store.get_allocator<int>().memory();
  {
    const auto k = kind::create_over(memory, small_kind("kept"));
    auto* const number = static_cast<long*>(k->malloc(sizeof(long)));
    *number = 42;
    EXPECT_EQ(kind::detect(number), k.get());
    EXPECT_EQ(code_of([&] { static_cast<void>(kind::create_over(memory)); }), errc::already_exists);
    store.construct<std::uint64_t>("where")(memory.offset_of(number));
  }
  store.close();
  manager again(open_only, scratch.path());
  const auto* const where = again.find<std::uint64_t>("where").first;
  ASSERT_NE(where, nullptr);
  EXPECT_EQ(*static_cast<long*>(again.get_allocator<int>().memory()->at(*where)), 42);
}

TEST(Kind, GoesOnInTheChildOfAFork) {
  const auto k = make_small_kind();
  auto* const block = static_cast<int*>(k->malloc(sizeof(int)));
  *block = 1;
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop) k->free(k->malloc(3000));
  });
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(in_another_process([&] {
      *block = 2;
      for (int j = 0; j < 1000; ++j)
        if (k->malloc(3000) == nullptr) return 1;
      return k->free(block) ? 0 : 1;
    }));
  }
  stop = true;
  busy.join();
  EXPECT_EQ(*block, 1);
}

TEST(Kind, RefusesNothingToBeMadeOf) {
  EXPECT_EQ(code_of([] { static_cast<void>(kind::create(std::shared_ptr<memory_policy>())); }),
            errc::invalid_argument);
  EXPECT_EQ(code_of([] { static_cast<void>(kind::create(std::shared_ptr<kind_allocation>())); }),
            errc::invalid_argument);
  kind_options vast = small_kind();
  vast.capacity = std::size_t{1} << 50;
  EXPECT_EQ(code_of([&] { static_cast<void>(kind::create(memory_request{}, vast)); }),
            errc::invalid_argument);
}

}  // namespace
}  // namespace perdure

#include <sys/mman.h>

namespace perdure {
namespace {

std::size_t resident_bytes(const void* from, std::size_t bytes) {
  std::vector<unsigned char> pages(bytes / 4096 + 1);
  auto* const start = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(from) & ~std::uintptr_t{4095});
  EXPECT_EQ(::mincore(start, bytes, pages.data()), 0);
  std::size_t resident = 0;
  for (const unsigned char page : pages) resident += (page & 1) * std::size_t{4096};
  return resident;
}

}  // namespace
}  // namespace perdure
