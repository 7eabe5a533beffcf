// The C functions of kinds.
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>

#include "c/c_store.hpp"
#include "support/scratch_directory.hpp"

namespace perdure::c {
namespace {

perdure_kind_options small(const char* name = "small") {
  perdure_kind_options options{};
  options.struct_size = sizeof options;
  options.name = name;
  options.capacity = std::uint64_t{2} << 30;
  return options;
}

perdure_kind_request ordinary() {
  perdure_kind_request request{};
  request.struct_size = sizeof request;
  return request;
}

struct CKind : testing::Test {
  void SetUp() override {
    const perdure_kind_request request = ordinary();
    const perdure_kind_options options = small();
    ASSERT_OK(perdure_kind_create_memory(&request, &options, &kind));
  }
  void TearDown() override { EXPECT_OK(perdure_kind_destroy(kind)); }
  perdure_kind* kind = nullptr;
};

TEST_F(CKind, AllocatesAndFrees) {
  auto* const block = static_cast<char*>(perdure_kind_malloc(kind, 100));
  ASSERT_NE(block, nullptr);
  std::strcpy(block, "kept");
  EXPECT_GE(perdure_kind_malloc_usable_size(kind, block), 100u);
  EXPECT_GE(perdure_kind_malloc_usable_size(nullptr, block), 100u);
  auto* const longer = static_cast<char*>(perdure_kind_realloc(nullptr, block, 100000));
  ASSERT_NE(longer, nullptr);
  EXPECT_STREQ(longer, "kept");
  EXPECT_OK(perdure_kind_free(nullptr, longer));
  auto* const zeros = static_cast<char*>(perdure_kind_calloc(kind, 3, 5));
  ASSERT_NE(zeros, nullptr);
  EXPECT_EQ(zeros[14], 0);
  EXPECT_OK(perdure_kind_free(kind, zeros));
  void* aligned = nullptr;
  EXPECT_EQ(perdure_kind_posix_memalign(kind, &aligned, 4096, 10), 0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(aligned) % 4096, 0u);
  EXPECT_OK(perdure_kind_free(kind, aligned));
  EXPECT_EQ(perdure_kind_realloc(kind, nullptr, 10) == nullptr, false);
  EXPECT_OK(perdure_kind_free(kind, nullptr));
  EXPECT_OK(perdure_kind_free(nullptr, nullptr));
}

TEST_F(CKind, SaysWhyThereIsNoBlock) {
  errno = 0;
  EXPECT_EQ(perdure_kind_malloc(kind, std::numeric_limits<std::size_t>::max()), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_EQ(perdure_last_error_code(), PERDURE_OUT_OF_MEMORY);
  EXPECT_EQ(perdure_kind_calloc(kind, std::numeric_limits<std::size_t>::max(), 2), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  int local = 0;
  EXPECT_EQ(perdure_kind_realloc(kind, &local, 10), nullptr);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(perdure_kind_realloc(nullptr, &local, 10), nullptr);
  EXPECT_EQ(errno, EINVAL);
  void* untouched = nullptr;
  EXPECT_EQ(perdure_kind_posix_memalign(kind, &untouched, 3, 10), EINVAL);
  EXPECT_EQ(perdure_kind_posix_memalign(kind, nullptr, 16, 10), EINVAL);
  EXPECT_EQ(perdure_kind_posix_memalign(kind, &untouched, 16, std::numeric_limits<std::size_t>::max()),
            ENOMEM);
}

TEST_F(CKind, RecognisesWhatIsNoKind) {
  perdure_kind* destroyed = nullptr;
  const perdure_kind_request request = ordinary();
  const perdure_kind_options options = small();
  ASSERT_OK(perdure_kind_create_memory(&request, &options, &destroyed));
  void* const block = perdure_kind_malloc(destroyed, 10);
  ASSERT_OK(perdure_kind_destroy(destroyed));
  auto* const inside = reinterpret_cast<perdure_kind*>(reinterpret_cast<char*>(kind) + 8);
  for (perdure_kind* const none : {destroyed, garbage<perdure_kind>(), inside}) {
    errno = 0;
    EXPECT_EQ(perdure_kind_malloc(none, 10), nullptr);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(perdure_kind_calloc(none, 1, 10), nullptr);
    EXPECT_EQ(perdure_kind_realloc(none, nullptr, 10), nullptr);
    void* result = nullptr;
    EXPECT_EQ(perdure_kind_posix_memalign(none, &result, 16, 10), EINVAL);
    EXPECT_EQ(perdure_kind_free(none, block), PERDURE_INVALID_ARGUMENT);
    EXPECT_EQ(perdure_kind_malloc_usable_size(none, block), 0u);
    EXPECT_EQ(perdure_kind_get_size(none, nullptr, nullptr), PERDURE_INVALID_ARGUMENT);
    EXPECT_EQ(perdure_kind_trim(none, nullptr), PERDURE_INVALID_ARGUMENT);
    EXPECT_EQ(perdure_kind_destroy(none), PERDURE_INVALID_ARGUMENT);
    const char* name = nullptr;
    EXPECT_EQ(perdure_kind_name(none, &name), PERDURE_INVALID_ARGUMENT);
    EXPECT_EQ(perdure_kind_defragment(none, block), nullptr);
  }
  EXPECT_EQ(perdure_kind_malloc(nullptr, 10), nullptr);
  EXPECT_OK(perdure_kind_destroy(nullptr));
}

TEST_F(CKind, DetectsItsBlocksAndNothingElse) {
  void* const block = perdure_kind_malloc(kind, 10);
  perdure_kind* found = nullptr;
  EXPECT_OK(perdure_kind_detect(block, &found));
  EXPECT_EQ(found, kind);
  int local = 0;
  EXPECT_EQ(perdure_kind_detect(&local, &found), PERDURE_NOT_FOUND);
  EXPECT_EQ(found, nullptr);
  EXPECT_EQ(perdure_kind_detect(nullptr, &found), PERDURE_NOT_FOUND);
  EXPECT_EQ(perdure_kind_detect(block, nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_kind_free(kind, &local), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_kind_free(nullptr, &local), PERDURE_INVALID_ARGUMENT);
  EXPECT_OK(perdure_kind_free(nullptr, block));
}

TEST_F(CKind, ReportsAndLooksAfterItself) {
  const char* name = nullptr;
  EXPECT_OK(perdure_kind_name(kind, &name));
  EXPECT_STREQ(name, "small");
  void* base = nullptr;
  std::size_t capacity = 0;
  EXPECT_OK(perdure_kind_range(kind, &base, &capacity));
  EXPECT_EQ(capacity, std::size_t{2} << 30);
  std::uint64_t total = 0, free_bytes = 0;
  EXPECT_OK(perdure_kind_get_size(kind, &total, &free_bytes));
  EXPECT_GE(total, free_bytes);
  EXPECT_GT(free_bytes, 0u);
  auto* const block = static_cast<char*>(perdure_kind_malloc(kind, 32 << 20));
  EXPECT_GT(block, base);
  std::memset(block, 1, 32 << 20);
  perdure_kind_statistics stats{};
  EXPECT_EQ(perdure_kind_stats_get(kind, &stats), PERDURE_INVALID_ARGUMENT);
  stats.struct_size = sizeof stats;
  EXPECT_OK(perdure_kind_stats_get(kind, &stats));
  EXPECT_EQ(stats.blocks, 1u);
  EXPECT_GE(stats.used_bytes, 32u << 20);
  EXPECT_OK(perdure_kind_free(kind, block));
  int gave = 0;
  EXPECT_OK(perdure_kind_trim(kind, &gave));
  EXPECT_EQ(gave, 1);
}

TEST(CStaticKind, LivesForEver) {
  perdure_kind* kind = nullptr;
  ASSERT_OK(perdure_kind_get(PERDURE_KIND_DEFAULT, &kind));
  perdure_kind* again = nullptr;
  ASSERT_OK(perdure_kind_get(PERDURE_KIND_DEFAULT, &again));
  EXPECT_EQ(kind, again);
  EXPECT_EQ(perdure_kind_destroy(kind), PERDURE_INVALID_ARGUMENT);
  EXPECT_OK(perdure_kind_check_available(PERDURE_KIND_DEFAULT));
  void* const block = perdure_kind_malloc(kind, 10);
  EXPECT_OK(perdure_kind_free(kind, block));
}

TEST(CStaticKind, RefusesWhatIsNone) {
  perdure_kind* kind = garbage<perdure_kind>();
  EXPECT_EQ(perdure_kind_get(-1, &kind), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(kind, nullptr);
  EXPECT_EQ(perdure_kind_get(PERDURE_KIND_STATIC_COUNT, &kind), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_kind_get(0, nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_kind_check_available(1000), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_kind_of_node(1023, &kind), PERDURE_INVALID_ARGUMENT);
  EXPECT_STREQ(perdure_kind_static_name(PERDURE_KIND_DEFAULT), "default");
  EXPECT_STREQ(perdure_kind_static_name(-1), "unknown");
  perdure_kind_request request = ordinary();
  request.tier = 99;
  EXPECT_EQ(perdure_kind_check_request(&request), PERDURE_INVALID_ARGUMENT);
  request = ordinary();
  request.node_words = 17;
  EXPECT_EQ(perdure_kind_check_request(&request), PERDURE_INVALID_ARGUMENT);
  request = ordinary();
  request.tier = PERDURE_TIER_NODES;
  EXPECT_EQ(perdure_kind_create_memory(&request, nullptr, &kind), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_kind_create_memory(nullptr, nullptr, &kind), PERDURE_INVALID_ARGUMENT);
}

TEST(CStaticKind, EachIsThereOrSaysWhyNot) {
  for (int which = 0; which < PERDURE_KIND_STATIC_COUNT; ++which) {
    perdure_kind* kind = nullptr;
    const perdure_status available = perdure_kind_check_available(which);
    if (available == PERDURE_OK) continue;
    EXPECT_EQ(available, PERDURE_UNSUPPORTED) << perdure_kind_static_name(which);
    EXPECT_STRNE(perdure_last_error_message(), "");
    EXPECT_EQ(perdure_kind_get(which, &kind), PERDURE_UNSUPPORTED);
    EXPECT_EQ(kind, nullptr);
  }
}

TEST(CFileKind, IsMadeAndRefused) {
  const scratch_directory scratch;
  perdure_kind* kind = nullptr;
  const perdure_kind_options options = small("file");
  ASSERT_OK(perdure_kind_create_file(scratch.directory().c_str(), 256 << 20, &options, &kind));
  auto* const block = static_cast<char*>(perdure_kind_malloc(kind, 1 << 20));
  ASSERT_NE(block, nullptr);
  std::memset(block, 1, 1 << 20);
  EXPECT_OK(perdure_kind_free(nullptr, block));
  EXPECT_OK(perdure_kind_destroy(kind));
  EXPECT_EQ(perdure_kind_create_file("/no/such/directory", 0, &options, &kind), PERDURE_NOT_FOUND);
  EXPECT_EQ(perdure_kind_create_file(nullptr, 0, &options, &kind), PERDURE_INVALID_ARGUMENT);
}

struct CStoreKind : c_store_test {};

TEST_F(CStoreKind, AllocatesInTheStore) {
  perdure_kind* kind = nullptr;
  ASSERT_OK(perdure_kind_create_store(store, nullptr, &kind));
  auto* const number = static_cast<int*>(perdure_kind_malloc(kind, sizeof(int)));
  ASSERT_NE(number, nullptr);
  *number = 42;
  std::uint64_t offset = 0;
  ASSERT_OK(perdure_offset_of(store, number, &offset));
  perdure_kind* second = nullptr;
  EXPECT_EQ(perdure_kind_create_store(store, nullptr, &second), PERDURE_ALREADY_EXISTS);
  EXPECT_OK(perdure_kind_destroy(kind));
  reopen_read_only();
  void* again = nullptr;
  ASSERT_OK(perdure_address_of(store, offset, &again));
  EXPECT_EQ(*static_cast<int*>(again), 42);
  EXPECT_EQ(perdure_kind_create_store(store, nullptr, &kind), PERDURE_READ_ONLY);
}

}  // namespace
}  // namespace perdure::c
