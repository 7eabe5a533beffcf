// Kinds of one's own, by a table of operations.
#include "perdure/c/kind_ops.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <set>
#include <vector>

#include "c/c_store.hpp"
#include "support/child_process.hpp"
#include "support/scratch_directory.hpp"

namespace perdure::c {
namespace {

perdure_kind_ops table() {
  perdure_kind_ops ops{};
  ops.version = PERDURE_KIND_OPS_VERSION;
  ops.struct_size = sizeof ops;
  return ops;
}

perdure_kind_options own_options() {
  perdure_kind_options options{};
  options.struct_size = sizeof options;
  options.name = "own";
  options.capacity = std::uint64_t{2} << 30;
  return options;
}

/// What the operations below were called with.
struct record {
  int inits = 0;
  int destroys = 0;
  int descriptor = -1;
  std::vector<std::size_t> committed;
  std::vector<std::size_t> decommitted;
  std::size_t advised = 0;
  std::size_t limit = ~std::size_t{0};
  std::set<void*> blocks;
};

record& of(void* context) {
  return *static_cast<record*>(context);
}

perdure_kind* create(const perdure_kind_ops& ops, record& r, perdure_kind* inherits = nullptr) {
  const perdure_kind_options options = own_options();
  perdure_kind* kind = nullptr;
  EXPECT_OK(perdure_kind_create(&ops, &r, inherits, &options, &kind));
  return kind;
}

void use(perdure_kind* kind) {
  std::vector<char*> blocks;
  for (std::size_t bytes : {10u, 1000u, 100000u, 3000000u}) {
    blocks.push_back(static_cast<char*>(perdure_kind_malloc(kind, bytes)));
    ASSERT_NE(blocks.back(), nullptr);
    std::memset(blocks.back(), 7, bytes);
  }
  for (char* const block : blocks) EXPECT_OK(perdure_kind_free(nullptr, block));
}

TEST(KindOps, AnEmptyTableIsOrdinaryMemory) {
  record r;
  perdure_kind* const kind = create(table(), r);
  use(kind);
  EXPECT_OK(perdure_kind_destroy(kind));
}

TEST(KindOps, InitMakesTheContextAndDestroyEndsIt) {
  record r;
  perdure_kind_ops ops = table();
  ops.init = [](void* argument, void** context) {
    ++of(argument).inits;
    *context = argument;
    return 0;
  };
  ops.destroy = [](void* context) { ++of(context).destroys; };
  perdure_kind* const kind = create(ops, r);
  EXPECT_EQ(r.inits, 1);
  use(kind);
  EXPECT_EQ(r.destroys, 0);
  EXPECT_OK(perdure_kind_destroy(kind));
  EXPECT_EQ(r.destroys, 1);

  ops.init = [](void*, void**) { return EPERM; };
  perdure_kind* none = garbage<perdure_kind>();
  EXPECT_EQ(perdure_kind_create(&ops, &r, nullptr, nullptr, &none), PERDURE_IO);
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(r.destroys, 1);
}

TEST(KindOps, CommitsWholeGranulesAndGivesThemBack) {
  record r;
  perdure_kind_ops ops = table();
  ops.granularity = [](void*) { return std::size_t{4} << 20; };
  ops.round_length = [](void*, std::size_t missing, std::size_t) { return missing; };
  ops.commit = [](void* context, void* address, std::size_t size, std::uint64_t offset) {
    if (size > of(context).limit) return ENOMEM;
    EXPECT_EQ(offset % (4u << 20), 0u);
    of(context).committed.push_back(size);
    return ::mprotect(address, size, PROT_READ | PROT_WRITE) == 0 ? 0 : errno;
  };
  ops.decommit = [](void* context, void* address, std::size_t size, std::uint64_t) {
    of(context).decommitted.push_back(size);
    return ::mmap(address, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) ==
                   MAP_FAILED
               ? 0
               : 1;
  };
  perdure_kind* const kind = create(ops, r);
  auto* const block = static_cast<char*>(perdure_kind_malloc(kind, 32 << 20));
  ASSERT_NE(block, nullptr);
  std::memset(block, 1, 32 << 20);
  for (const std::size_t size : r.committed) EXPECT_EQ(size % (4u << 20), 0u);
  EXPECT_OK(perdure_kind_free(kind, block));
  int gave = 0;
  EXPECT_OK(perdure_kind_trim(kind, &gave));
  EXPECT_EQ(gave, 1);
  EXPECT_FALSE(r.decommitted.empty());
  // A failing commit is a failing allocation, and what was committed serves on.
  r.limit = 0;
  errno = 0;
  EXPECT_EQ(perdure_kind_malloc(kind, 32 << 20), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  r.limit = ~std::size_t{0};
  auto* const again = static_cast<char*>(perdure_kind_malloc(kind, 32 << 20));
  ASSERT_NE(again, nullptr);
  std::memset(again, 2, 32 << 20);
  EXPECT_OK(perdure_kind_destroy(kind));
}

TEST(KindOps, PutsBlocksIntoItsFileAtItsOffsets) {
  record r;
  r.descriptor = ::memfd_create("kind", MFD_CLOEXEC);
  ASSERT_GE(r.descriptor, 0);
  ASSERT_EQ(::ftruncate(r.descriptor, off_t{2} << 30), 0);
  perdure_kind_ops ops = table();
  ops.flags = PERDURE_KIND_OPS_SHARED;
  ops.file = [](void* context, std::uint64_t offset, std::size_t, int* descriptor, std::uint64_t* at) {
    *descriptor = of(context).descriptor;
    *at = offset;
    return 0;
  };
  ops.advise = [](void* context, void*, std::size_t size) { of(context).advised += size; };
  perdure_kind* const kind = create(ops, r);
  auto* const text = static_cast<char*>(perdure_kind_malloc(kind, 100));
  std::strcpy(text, "seen by others");
  EXPECT_GT(r.advised, 0u);
  void* base = nullptr;
  ASSERT_OK(perdure_kind_range(kind, &base, nullptr));
  char found[100] = {};
  ASSERT_EQ(::pread(r.descriptor, found, sizeof found, text - static_cast<char*>(base)), 100);
  EXPECT_STREQ(found, "seen by others");
  // A child of a fork may read, and gets no memory.
  EXPECT_TRUE(in_another_process([&] {
    return std::strcmp(text, "seen by others") == 0 && perdure_kind_malloc(kind, 10) == nullptr &&
                   perdure_kind_free(kind, text) == PERDURE_INVALID_ARGUMENT
               ? 0
               : 1;
  }));
  EXPECT_OK(perdure_kind_destroy(kind));
  ::close(r.descriptor);
}

TEST(KindOps, RefusesWhatNoFileCanGive) {
  record r;
  perdure_kind_ops ops = table();
  ops.file = [](void*, std::uint64_t, std::size_t, int*, std::uint64_t*) { return EIO; };
  perdure_kind* const kind = create(ops, r);
  EXPECT_EQ(perdure_kind_malloc(kind, 100), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_OK(perdure_kind_destroy(kind));
}

TEST(KindOps, PlacesItselfWhereItIsTold) {
  record r;
  perdure_kind_ops ops = table();
  static void* const wanted = [] {
    void* const free =
        ::mmap(nullptr, std::size_t{4} << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ::munmap(free, std::size_t{4} << 30);
    constexpr std::uintptr_t gib = std::uintptr_t{1} << 30;
    return reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(free) + gib - 1) / gib * gib);
  }();
  ops.address_hint = [](void*, std::size_t) { return wanted; };
  perdure_kind* const kind = create(ops, r);
  void* base = nullptr;
  ASSERT_OK(perdure_kind_range(kind, &base, nullptr));
  EXPECT_EQ(base, wanted);
  // The next one has to go elsewhere.
  perdure_kind* const second = create(ops, r);
  ASSERT_OK(perdure_kind_range(second, &base, nullptr));
  EXPECT_NE(base, wanted);
  EXPECT_OK(perdure_kind_destroy(second));
  EXPECT_OK(perdure_kind_destroy(kind));
}

TEST(KindOps, AsksForNodes) {
  record r;
  perdure_kind_ops ops = table();
  ops.numa = [](void*, std::uint64_t, std::size_t, int* mode, std::uint64_t nodes[16]) {
    *mode = PERDURE_NUMA_BIND;
    nodes[0] = 1;
    return 0;
  };
  ops.flags = PERDURE_KIND_OPS_POPULATE;
  perdure_kind* const kind = create(ops, r);
  use(kind);
  EXPECT_OK(perdure_kind_destroy(kind));
  ops.numa = [](void*, std::uint64_t, std::size_t, int* mode, std::uint64_t nodes[16]) {
    *mode = PERDURE_NUMA_BIND;
    nodes[15] = std::uint64_t{1} << 63;
    return 0;
  };
  perdure_kind* const none = create(ops, r);
  EXPECT_EQ(perdure_kind_malloc(none, 10), nullptr);
  EXPECT_OK(perdure_kind_destroy(none));
}

TEST(KindOps, InheritsWhatItDoesNotSay) {
  const scratch_directory scratch;
  const perdure_kind_options options = own_options();
  perdure_kind* file = nullptr;
  ASSERT_OK(perdure_kind_create_file(scratch.directory().c_str(), 64 << 20, &options, &file));
  record r;
  perdure_kind_ops ops = table();
  ops.advise = [](void* context, void*, std::size_t size) { of(context).advised += size; };
  perdure_kind* const kind = create(ops, r, file);
  ASSERT_OK(perdure_kind_destroy(file));
  use(kind);
  EXPECT_GT(r.advised, 0u);
  // The limit of the file is the parent's.
  EXPECT_EQ(perdure_kind_malloc(kind, 100 << 20), nullptr);
  std::uint64_t total = 0;
  EXPECT_OK(perdure_kind_get_size(kind, &total, nullptr));
  EXPECT_EQ(total, 64u << 20);
  EXPECT_OK(perdure_kind_destroy(kind));
}

// A bound node's pages are taken when they are committed: not many more than asked for.
TEST(KindOps, TakesLittleAheadOfABoundNode) {
  perdure_kind* node = nullptr;
  if (perdure_kind_of_node(0, &node) != PERDURE_OK) GTEST_SKIP() << perdure_last_error_message();
  record r;
  perdure_kind* const kind = create(table(), r, node);
  use(kind);
  perdure_kind_statistics now{};
  now.struct_size = sizeof now;
  EXPECT_OK(perdure_kind_stats_get(kind, &now));
  EXPECT_GT(now.committed_bytes, 0u);
  EXPECT_LE(now.committed_bytes, 16u << 20);
  EXPECT_OK(perdure_kind_destroy(kind));
}

perdure_kind_ops allocating() {
  perdure_kind_ops ops = table();
  ops.malloc = [](void* context, std::size_t size, std::size_t alignment) -> void* {
    if (size > of(context).limit) return nullptr;
    void* block = nullptr;
    if (::posix_memalign(&block, alignment, size + 64) != 0) return nullptr;
    static_cast<std::size_t*>(block)[0] = 0;
    of(context).blocks.insert(block);
    return block;
  };
  ops.free = [](void* context, void* block) {
    of(context).blocks.erase(block);
    ::free(block);
  };
  ops.usable_size = [](void*, const void*) { return std::size_t{64}; };
  ops.owns = [](void* context, const void* address) {
    return of(context).blocks.count(const_cast<void*>(address)) != 0 ? 1 : 0;
  };
  return ops;
}

TEST(KindOps, MayReplaceAllocationItself) {
  record r;
  perdure_kind* const kind = create(allocating(), r);
  auto* const block = static_cast<char*>(perdure_kind_malloc(kind, 40));
  ASSERT_EQ(r.blocks.count(block), 1u);
  std::strcpy(block, "kept");
  auto* const moved = static_cast<char*>(perdure_kind_realloc(kind, block, 50));
  EXPECT_STREQ(moved, "kept");
  EXPECT_EQ(r.blocks.size(), 1u);
  perdure_kind* found = nullptr;
  EXPECT_OK(perdure_kind_detect(moved, &found));
  EXPECT_EQ(found, kind);
  EXPECT_OK(perdure_kind_free(nullptr, moved));
  EXPECT_TRUE(r.blocks.empty());
  EXPECT_EQ(perdure_kind_free(kind, moved), PERDURE_INVALID_ARGUMENT);
  auto* const zeros = static_cast<char*>(perdure_kind_calloc(kind, 8, 8));
  EXPECT_EQ(zeros[63], 0);
  EXPECT_OK(perdure_kind_free(kind, zeros));
  r.limit = 0;
  EXPECT_EQ(perdure_kind_malloc(kind, 40), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  void* base = nullptr;
  EXPECT_EQ(perdure_kind_range(kind, &base, nullptr), PERDURE_UNSUPPORTED);
  EXPECT_OK(perdure_kind_destroy(kind));
}

TEST(KindOps, AllocationMayBeInherited) {
  record r;
  perdure_kind* const parent = create(allocating(), r);
  perdure_kind_ops ops = table();
  static int frees;
  frees = 0;
  ops.free = [](void* context, void* block) {
    ++frees;
    of(context).blocks.erase(block);
    ::free(block);
  };
  perdure_kind* const kind = create(ops, r, parent);
  void* const block = perdure_kind_malloc(kind, 40);
  ASSERT_NE(block, nullptr);
  EXPECT_OK(perdure_kind_free(kind, block));
  EXPECT_EQ(frees, 1);
  EXPECT_OK(perdure_kind_destroy(kind));
  EXPECT_OK(perdure_kind_destroy(parent));
}

TEST(KindOps, RefusesTablesThatContradictThemselves) {
  record r;
  perdure_kind* kind = nullptr;
  const auto refusal = [&](const perdure_kind_ops& ops) {
    return perdure_kind_create(&ops, &r, nullptr, nullptr, &kind);
  };
  EXPECT_EQ(perdure_kind_create(nullptr, &r, nullptr, nullptr, &kind), PERDURE_INVALID_ARGUMENT);
  perdure_kind_ops ops = table();
  ops.version = 0;
  EXPECT_EQ(refusal(ops), PERDURE_UNSUPPORTED);
  ops.version = PERDURE_KIND_OPS_VERSION + 1;
  EXPECT_EQ(refusal(ops), PERDURE_UNSUPPORTED);
  ops = table();
  ops.struct_size = 4;
  EXPECT_EQ(refusal(ops), PERDURE_INVALID_ARGUMENT);
  ops = table();
  ops.flags = 1u << 31;
  EXPECT_EQ(refusal(ops), PERDURE_INVALID_ARGUMENT);
  ops = allocating();
  ops.owns = nullptr;
  EXPECT_EQ(refusal(ops), PERDURE_INVALID_ARGUMENT);
  ops = allocating();
  ops.advise = [](void*, void*, std::size_t) {};
  EXPECT_EQ(refusal(ops), PERDURE_INVALID_ARGUMENT);
  ops = table();
  ops.granularity = [](void*) { return std::size_t{3}; };
  EXPECT_EQ(refusal(ops), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_kind_create(&ops, &r, garbage<perdure_kind>(), nullptr, &kind), PERDURE_INVALID_ARGUMENT);
}

TEST(KindOps, TakesTablesOfOtherVersions) {
  // An older one is shorter, a newer one longer; what is not known must be unused.
  struct longer {
    perdure_kind_ops known;
    void (*later)();
  } newer{table(), nullptr};
  newer.known.struct_size = sizeof newer;
  record r;
  perdure_kind* kind = nullptr;
  const perdure_kind_options options = own_options();
  ASSERT_OK(perdure_kind_create(&newer.known, &r, nullptr, &options, &kind));
  use(kind);
  EXPECT_OK(perdure_kind_destroy(kind));
  newer.later = [] {};
  EXPECT_EQ(perdure_kind_create(&newer.known, &r, nullptr, &options, &kind), PERDURE_UNSUPPORTED);
  perdure_kind_ops older = table();
  older.struct_size = offsetof(perdure_kind_ops, malloc);
  ASSERT_OK(perdure_kind_create(&older, &r, nullptr, &options, &kind));
  use(kind);
  EXPECT_OK(perdure_kind_destroy(kind));
}

struct CStoreKindOps : c_store_test {};

TEST_F(CStoreKindOps, InheritNothingFromAStore) {
  perdure_kind* kept = nullptr;
  ASSERT_OK(perdure_kind_create_store(store, nullptr, &kept));
  record r;
  perdure_kind* kind = nullptr;
  const perdure_kind_ops ops = table();
  EXPECT_EQ(perdure_kind_create(&ops, &r, kept, nullptr, &kind), PERDURE_UNSUPPORTED);
  EXPECT_OK(perdure_kind_destroy(kept));
}

}  // namespace
}  // namespace perdure::c
