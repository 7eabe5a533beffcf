// Kinds by an operations table, as memkind had them until 2016.
#include <gtest/gtest.h>
#include <memkind_1_0.h>
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <set>

namespace {

int created, destroyed, initialised, mapped, advised;
std::size_t mapped_bytes;

memkind_ops counting_table() {
  memkind_ops ops{};
  ops.create = [](memkind*, const memkind_ops*, const char*) { return ++created, 0; };
  ops.destroy = [](memkind*) { return ++destroyed, 0; };
  ops.init_once = [] { ++initialised; };
  ops.mmap = [](memkind*, void* address, std::size_t bytes) {
    ++mapped;
    mapped_bytes += bytes;
    return ::mmap(address, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  };
  ops.madvise = [](memkind*, void* address, std::size_t bytes) {
    ++advised;
    return ::madvise(address, bytes, MADV_NOHUGEPAGE);
  };
  return ops;
}

TEST(memkind_create_, lets_a_table_decide_where_memory_comes_from) {
  static const memkind_ops ops = counting_table();
  created = destroyed = initialised = mapped = advised = 0;
  mapped_bytes = 0;
  memkind_t kind = nullptr, found = nullptr;
  ASSERT_EQ(memkind_create(&ops, "counting", &kind), MEMKIND_SUCCESS);
  EXPECT_EQ(memkind_get_kind_by_name("counting", &found), MEMKIND_SUCCESS);
  EXPECT_EQ(found, kind);
  auto* const block = static_cast<char*>(memkind_malloc(kind, 30 << 20));
  ASSERT_NE(block, nullptr);
  std::memset(block, 1, 30 << 20);
  EXPECT_EQ(memkind_detect_kind(block), kind);
  EXPECT_EQ(created, 1);
  EXPECT_EQ(initialised, 1);
  EXPECT_GE(mapped, 1);
  EXPECT_EQ(advised, mapped);
  EXPECT_GE(mapped_bytes, std::size_t{30} << 20);
  EXPECT_EQ(memkind_destroy_kind(kind), MEMKIND_SUCCESS);
  EXPECT_EQ(destroyed, 1);
  EXPECT_EQ(memkind_get_kind_by_name("counting", &found), MEMKIND_ERROR_UNAVAILABLE);
}

TEST(memkind_create_, lets_a_table_decide_flags_nodes_and_sizes) {
  static memkind_ops ops{};
  ops.get_mmap_flags = [](memkind*, int* flags) { return *flags = MAP_PRIVATE | MAP_ANONYMOUS, 0; };
  ops.get_mbind_nodemask = [](memkind*, unsigned long* mask, unsigned long) { return mask[0] = 1, 0; };
  ops.get_size = [](memkind*, std::size_t* total, std::size_t* free) { return *total = 7, *free = 5, 0; };
  ops.check_available = [](memkind*) { return int{MEMKIND_ERROR_OPERATION_FAILED}; };
  memkind_t kind = nullptr;
  ASSERT_EQ(memkind_create(&ops, "on node 0", &kind), MEMKIND_SUCCESS);
  void* const block = memkind_malloc(kind, 1000);
  ASSERT_NE(block, nullptr);
  std::size_t total = 0, free = 0;
  EXPECT_EQ(memkind_get_size(kind, &total, &free), 0);
  EXPECT_EQ(total, 7u);
  EXPECT_EQ(free, 5u);
  EXPECT_EQ(memkind_get_capacity(kind), 7);
  EXPECT_EQ(memkind_check_available(kind), MEMKIND_ERROR_OPERATION_FAILED);
  EXPECT_EQ(memkind_destroy_kind(kind), MEMKIND_SUCCESS);
}

std::set<void*> own_blocks;

TEST(memkind_create_, lets_a_table_replace_allocation) {
  static memkind_ops ops{};
  ops.malloc = [](memkind*, std::size_t bytes) {
    void* const block = std::malloc(bytes);
    own_blocks.insert(block);
    return block;
  };
  ops.free = [](memkind*, void* block) {
    own_blocks.erase(block);
    std::free(block);
  };
  ops.check_addr = [](memkind*, void* block) { return own_blocks.contains(block) ? 0 : -1; };
  memkind_t kind = nullptr;
  ASSERT_EQ(memkind_create(&ops, "by the C library", &kind), MEMKIND_SUCCESS);
  void* const block = memkind_malloc(kind, 10);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(own_blocks.size(), 1u);
  EXPECT_EQ(memkind_detect_kind(block), kind);
  memkind_free(nullptr, block);
  EXPECT_TRUE(own_blocks.empty());
  EXPECT_EQ(memkind_destroy_kind(kind), MEMKIND_SUCCESS);
}

TEST(memkind_create_, fails_if_memory_cannot_be_had) {
  static memkind_ops ops{};
  ops.mmap = [](memkind*, void*, std::size_t) { return MAP_FAILED; };
  memkind_t kind = nullptr;
  const int status = memkind_create(&ops, "none", &kind);
  if (status != MEMKIND_SUCCESS) {
    EXPECT_EQ(status, MEMKIND_ERROR_MALLOC);
    return;
  }
  EXPECT_EQ(memkind_malloc(kind, 1000), nullptr);
  EXPECT_EQ(memkind_destroy_kind(kind), MEMKIND_SUCCESS);
}

TEST(memkind_create_, refuses_bad_tables_and_names) {
  static memkind_ops ops{};
  memkind_t kind = nullptr;
  EXPECT_EQ(memkind_create(nullptr, "name", &kind), MEMKIND_ERROR_BADOPS);
  EXPECT_EQ(memkind_create(&ops, nullptr, &kind), MEMKIND_ERROR_INVALID);
  EXPECT_EQ(memkind_create(&ops, "", &kind), MEMKIND_ERROR_INVALID);
  EXPECT_EQ(memkind_create(&ops, std::string(MEMKIND_NAME_LENGTH, 'x').c_str(), &kind),
            MEMKIND_ERROR_INVALID);
  EXPECT_EQ(memkind_create(&ops, "name", nullptr), MEMKIND_ERROR_INVALID);
  EXPECT_EQ(memkind_create(&ops, "memkind_default", &kind), MEMKIND_ERROR_REPNAME);
  static memkind_ops half{};
  half.malloc = [](memkind*, std::size_t) -> void* { return nullptr; };
  EXPECT_EQ(memkind_create(&half, "half", &kind), MEMKIND_ERROR_BADOPS);
  static memkind_ops unwilling{};
  unwilling.create = [](memkind*, const memkind_ops*, const char*) { return int{MEMKIND_ERROR_RUNTIME}; };
  EXPECT_EQ(memkind_create(&unwilling, "unwilling", &kind), MEMKIND_ERROR_RUNTIME);
}

}  // namespace
