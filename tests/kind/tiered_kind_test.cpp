// Memory tiering.
#include "perdure/tiered_kind.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <random>
#include <thread>
#include <vector>

#include "c/c_store.hpp"
#include "kind/small_kind.hpp"
#include "perdure/detail/tier_division.hpp"
#include "support/errors.hpp"
#include "support/scratch_directory.hpp"

namespace perdure {
namespace {

struct TieredKind : testing::Test {
  std::unique_ptr<kind> first = kind::create(memory_request{}, small_kind("first"));
  std::unique_ptr<kind> second = kind::create(memory_request{}, small_kind("second"));

  std::unique_ptr<kind> tiered(std::uint64_t a, std::uint64_t b, tiering how,
                               const tiering_options& options = {}) {
    const memory_tier_share tiers[] = {{first.get(), a}, {second.get(), b}};
    return create_tiered(tiers, how, options, small_kind("tiered"));
  }
};

TEST_F(TieredKind, DividesByAStaticRatio) {
  const auto k = tiered(1, 3, tiering::static_ratio);
  std::mt19937 random(1);
  std::vector<void*> blocks;
  for (int i = 0; i < 5000; ++i) {
    blocks.push_back(k->malloc(1 + random() % 3000));
    ASSERT_NE(blocks.back(), nullptr);
    if (i % 3 == 0) {
      std::swap(blocks[random() % blocks.size()], blocks.back());
      EXPECT_TRUE(k->free(blocks.back()));
      blocks.pop_back();
    }
  }
  const auto bytes = bytes_of_tiers(*k);
  EXPECT_NEAR(static_cast<double>(bytes[0]) / static_cast<double>(bytes[0] + bytes[1]), 0.25, 0.02);
  for (void* const block : blocks) {
    kind* const found = kind::detect(block);
    EXPECT_TRUE(found == first.get() || found == second.get());
    EXPECT_TRUE(k->free(block));
  }
  EXPECT_EQ(bytes_of_tiers(*k), (std::vector<std::uint64_t>{0, 0}));
  EXPECT_TRUE(thresholds_of_tiers(*k).empty());
}

TEST_F(TieredKind, DividesBySizeAtFirst) {
  tiering_options options;
  options.thresholds = {{1000, 1000, 1000}};
  const auto k = tiered(1, 1, tiering::size_threshold, options);
  void* const small = k->malloc(999);
  void* const large = k->malloc(1000);
  EXPECT_EQ(kind::detect(small), first.get());
  EXPECT_EQ(kind::detect(large), second.get());
  // In place of its own tier, whatever its new size.
  void* const grown = k->realloc(small, 5000);
  EXPECT_EQ(kind::detect(grown), first.get());
  EXPECT_TRUE(k->free(grown));
  EXPECT_TRUE(k->free(large));
}

TEST_F(TieredKind, MovesThresholdsUntilTheSharesComeAbout) {
  for (const auto& [a, b] : {std::pair{1, 1}, std::pair{1, 4}, std::pair{4, 1}}) {
    const auto k = tiered(static_cast<unsigned>(a), static_cast<unsigned>(b), tiering::size_threshold);
    std::mt19937 random(2);
    std::vector<void*> blocks;
    for (int i = 0; i < 20000; ++i) blocks.push_back(k->malloc(1 + random() % 8000));
    const auto bytes = bytes_of_tiers(*k);
    EXPECT_NEAR(static_cast<double>(bytes[0]) / static_cast<double>(bytes[0] + bytes[1]),
                static_cast<double>(a) / (a + b), 0.1);
    const auto thresholds = thresholds_of_tiers(*k);
    ASSERT_EQ(thresholds.size(), 1u);
    EXPECT_GE(thresholds[0], 64u);
    for (void* const block : blocks) EXPECT_TRUE(k->free(block));
  }
}

TEST_F(TieredKind, FallsBackWhenATierIsFull) {
  const scratch_directory scratch;
  const auto tight = kind::create_file(scratch.directory(), 4 << 20, small_kind("tight"));
  const memory_tier_share tiers[] = {{tight.get(), 1000}, {second.get(), 1}};
  for (const bool falls_back : {true, false}) {
    tiering_options options;
    options.fall_back = falls_back;
    const auto k = create_tiered(tiers, tiering::static_ratio, options, small_kind("tiered"));
    void* const block = k->malloc(8 << 20);
    EXPECT_EQ(block != nullptr, falls_back);
    EXPECT_TRUE(k->free(block));
  }
}

TEST_F(TieredKind, ServesThreads) {
  const auto k = tiered(1, 1, tiering::size_threshold);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&k, t] {
      std::mt19937 random(t);
      std::vector<void*> blocks(50, nullptr);
      for (int i = 0; i < 5000; ++i) {
        void*& block = blocks[random() % blocks.size()];
        ASSERT_TRUE(k->free(block));
        block = k->malloc(1 + random() % 4000);
      }
      for (void* const block : blocks) k->free(block);
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(bytes_of_tiers(*k), (std::vector<std::uint64_t>{0, 0}));
}

TEST_F(TieredKind, KnowsForeignAddresses) {
  const auto k = tiered(1, 1, tiering::static_ratio);
  int foreign = 0;
  EXPECT_FALSE(k->free(&foreign));
  EXPECT_EQ(kind::detect(&foreign), nullptr);
  EXPECT_EQ(k->realloc(&foreign, 10), nullptr);
  EXPECT_EQ(errno, EINVAL);
  void* aligned = nullptr;
  EXPECT_EQ(k->posix_memalign(&aligned, 4096, 10), 0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(aligned) % 4096, 0u);
  EXPECT_TRUE(k->free(aligned));
  EXPECT_GT(k->size().total, 0u);
}

TEST_F(TieredKind, RefusesWhatMakesNoSense) {
  const auto refused = [](std::span<const memory_tier_share> tiers, tiering how,
                          const tiering_options& o = {}) {
    return code_of([&] { static_cast<void>(create_tiered(tiers, how, o)); });
  };
  const memory_tier_share both[] = {{first.get(), 1}, {second.get(), 1}};
  const memory_tier_share none[] = {{nullptr, 1}};
  const memory_tier_share twice[] = {{first.get(), 1}, {first.get(), 1}};
  const memory_tier_share nothing[] = {{first.get(), 0}, {second.get(), 0}};
  const memory_tier_share vast[] = {{first.get(), ~std::uint64_t{0}}, {second.get(), 1}};
  EXPECT_EQ(refused({}, tiering::static_ratio), errc::invalid_argument);
  EXPECT_EQ(refused(none, tiering::static_ratio), errc::invalid_argument);
  EXPECT_EQ(refused(twice, tiering::static_ratio), errc::invalid_argument);
  EXPECT_EQ(refused(nothing, tiering::static_ratio), errc::invalid_argument);
  EXPECT_EQ(refused(vast, tiering::static_ratio), errc::invalid_argument);
  EXPECT_EQ(refused(std::span(both).first(1), tiering::size_threshold), errc::invalid_argument);
  tiering_options options;
  options.thresholds = {{10, 0, 0}, {20, 0, 0}};
  EXPECT_EQ(refused(both, tiering::size_threshold, options), errc::invalid_argument);
  options.thresholds = {{10, 20, 30}};
  EXPECT_EQ(refused(both, tiering::size_threshold, options), errc::invalid_argument);
  options = {};
  options.degree = 2;
  EXPECT_EQ(refused(both, tiering::size_threshold, options), errc::invalid_argument);
  const auto k = tiered(1, 1, tiering::static_ratio);
  const memory_tier_share nested[] = {{k.get(), 1}};
  EXPECT_EQ(refused(nested, tiering::static_ratio), errc::invalid_argument);
  EXPECT_EQ(code_of([&] { bytes_of_tiers(*first); }), errc::wrong_type);
}

TEST(TierDivision, MovesABoundaryOnlyWhereTheRatioIsOutOfItsBounds) {
  std::array<std::atomic<std::int64_t>, 2> bytes{};
  const detail::divided_tier tiers[] = {{1, bytes.data()}, {1, &bytes[1]}};
  const detail::tier_boundary between{
      .initial = 100, .least = 80, .most = 125, .least_ratio = 1, .most_ratio = 2};
  detail::tier_division division(tiers, std::span(&between, 1), {.check_interval = 1, .degree = 0.1});
  const auto after = [&](std::int64_t below, std::int64_t above) {
    bytes[0] = below;
    bytes[1] = above;
    division.note_allocation();
    return division.boundaries().front();
  };
  EXPECT_EQ(after(0, 0), 100u);
  EXPECT_EQ(after(10, 10), 100u);
  EXPECT_EQ(after(10, 20), 100u);
  EXPECT_EQ(after(10, 21), 110u);
  EXPECT_EQ(division.tier_for(109), 0u);
  EXPECT_EQ(division.tier_for(110), 1u);
  EXPECT_EQ(after(0, 1), 121u);
  EXPECT_EQ(after(0, 1), 125u) << "the most";
  EXPECT_EQ(after(10, 9), 113u);
  for (int i = 0; i < 10; ++i) after(1, 0);
  EXPECT_EQ(division.boundaries().front(), 80u) << "the least";
}

TEST(CTieredKind, IsMadeAndRefused) {
  using namespace perdure::c;
  perdure_kind_options small{};
  small.struct_size = sizeof small;
  small.capacity = std::uint64_t{2} << 30;
  perdure_kind_request request{};
  request.struct_size = sizeof request;
  perdure_memory_tier tiers[2] = {{nullptr, 1}, {nullptr, 1}};
  ASSERT_OK(perdure_kind_create_memory(&request, &small, &tiers[0].kind));
  ASSERT_OK(perdure_kind_create_memory(&request, &small, &tiers[1].kind));
  perdure_tiering_options options{};
  options.struct_size = sizeof options;
  options.tiering = PERDURE_TIERING_SIZE_THRESHOLD;
  const perdure_size_threshold threshold{500, 0, 0};
  options.thresholds = &threshold;
  options.threshold_count = 1;
  perdure_kind* kind = nullptr;
  ASSERT_OK(perdure_kind_create_tiered(tiers, 2, &options, nullptr, &kind));
  void* const block = perdure_kind_malloc(kind, 1000);
  perdure_kind* found = nullptr;
  EXPECT_OK(perdure_kind_detect(block, &found));
  EXPECT_EQ(found, tiers[1].kind);
  std::uint64_t bytes[2] = {};
  EXPECT_OK(perdure_kind_tier_bytes(kind, bytes, 2));
  EXPECT_EQ(bytes[0], 0u);
  EXPECT_GE(bytes[1], 1000u);
  EXPECT_EQ(perdure_kind_tier_bytes(kind, bytes, 1), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_kind_tier_bytes(tiers[0].kind, bytes, 2), PERDURE_WRONG_TYPE);
  std::size_t limit = 0;
  EXPECT_OK(perdure_kind_tier_thresholds(kind, &limit, 1));
  EXPECT_EQ(limit, 500u);
  EXPECT_OK(perdure_kind_free(kind, block));
  EXPECT_OK(perdure_kind_destroy(kind));
  EXPECT_EQ(perdure_kind_create_tiered(nullptr, 2, nullptr, nullptr, &kind), PERDURE_INVALID_ARGUMENT);
  options.tiering = 7;
  EXPECT_EQ(perdure_kind_create_tiered(tiers, 2, &options, nullptr, &kind), PERDURE_INVALID_ARGUMENT);
  EXPECT_OK(perdure_kind_destroy(tiers[0].kind));
  EXPECT_OK(perdure_kind_destroy(tiers[1].kind));
}

}  // namespace
}  // namespace perdure
