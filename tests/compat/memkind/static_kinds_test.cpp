// The static kinds on whatever machine this is: what is there works, what is not there says so.
#include <gtest/gtest.h>
#include <memkind_1_0.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <ostream>
#include <string>

#include "compat/memkind/child.hpp"

namespace {

struct static_one {
  const char* name;
  memkind_t* kind;
  int partition;
};
void PrintTo(const static_one& one, std::ostream* out) {
  *out << one.name;
}

#define ONE(name)                                    \
  static_one {                                       \
    #name, &MEMKIND_##name, MEMKIND_PARTITION_##name \
  }

const static_one all[] = {
    ONE(DEFAULT),
    ONE(REGULAR),
    ONE(INTERLEAVE),
    ONE(HUGETLB),
    ONE(HBW),
    ONE(HBW_ALL),
    ONE(HBW_PREFERRED),
    ONE(HBW_INTERLEAVE),
    ONE(HBW_HUGETLB),
    ONE(HBW_ALL_HUGETLB),
    ONE(HBW_PREFERRED_HUGETLB),
    ONE(HBW_GBTLB),
    ONE(HBW_PREFERRED_GBTLB),
    ONE(GBTLB),
    ONE(DAX_KMEM),
    ONE(DAX_KMEM_ALL),
    ONE(DAX_KMEM_PREFERRED),
    ONE(DAX_KMEM_INTERLEAVE),
    ONE(HIGHEST_CAPACITY),
    ONE(HIGHEST_CAPACITY_PREFERRED),
    ONE(HIGHEST_CAPACITY_LOCAL),
    ONE(HIGHEST_CAPACITY_LOCAL_PREFERRED),
    ONE(LOWEST_LATENCY_LOCAL),
    ONE(LOWEST_LATENCY_LOCAL_PREFERRED),
    ONE(HIGHEST_BANDWIDTH_LOCAL),
    ONE(HIGHEST_BANDWIDTH_LOCAL_PREFERRED),
};

bool is_preferred(const static_one& one) {
  return std::string(one.name).find("PREFERRED") != std::string::npos;
}

class a_static_kind : public ::testing::TestWithParam<static_one> {};

TEST_P(a_static_kind, works_or_says_that_it_is_not_there) {
  memkind_t const kind = *GetParam().kind;
  const int status = memkind_check_available(kind);
  if (status != MEMKIND_SUCCESS) {
    const std::string name = GetParam().name;
    if (name.starts_with("DAX_KMEM")) {
      EXPECT_EQ(status, MEMKIND_ERROR_UNAVAILABLE);
    } else if (name.ends_with("GBTLB") || name == "HUGETLB") {
      EXPECT_EQ(status, MEMKIND_ERROR_HUGETLB);
    } else {
      EXPECT_TRUE(status == MEMKIND_ERROR_MEMTYPE_NOT_AVAILABLE || status == MEMKIND_ERROR_HUGETLB) << status;
    }
  }
  errno = 0;
  auto* const block = static_cast<char*>(memkind_malloc(kind, 1000));
  if (block != nullptr) {
    std::memset(block, 7, 1000);
    EXPECT_EQ(memkind_detect_kind(block), kind);
    memkind_free(nullptr, block);
  } else {
    EXPECT_EQ(errno, ENOMEM);
  }
  if (status == MEMKIND_SUCCESS) {
    EXPECT_NE(block, nullptr);
  }
  // Preferring what is nowhere gives other memory, but there is no other sort of huge pages.
  if (status != MEMKIND_SUCCESS && !is_preferred(GetParam())) {
    EXPECT_EQ(block, nullptr);
  }
}

TEST_P(a_static_kind, knows_its_capacity_if_it_is_strict) {
  memkind_t const kind = *GetParam().kind;
  const ssize_t capacity = memkind_get_capacity(kind);
  if (is_preferred(GetParam()) || memkind_check_available(kind) != MEMKIND_SUCCESS) {
    EXPECT_EQ(capacity, -1);
  } else {
    EXPECT_GT(capacity, 0);
  }
}

TEST_P(a_static_kind, has_a_partition_and_a_name) {
  memkind_t found = nullptr;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  EXPECT_EQ(memkind_get_kind_by_partition(GetParam().partition, &found), MEMKIND_SUCCESS);
#pragma GCC diagnostic pop
  EXPECT_EQ(found, *GetParam().kind);
  std::string name = std::string("memkind_") + GetParam().name;
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  EXPECT_EQ(memkind_get_kind_by_name(name.c_str(), &found), MEMKIND_SUCCESS) << name;
  EXPECT_EQ(found, *GetParam().kind);
}

TEST_P(a_static_kind, stays_when_it_is_destroyed) {
  memkind_t const kind = *GetParam().kind;
  void* const block = memkind_malloc(kind, 100);
  EXPECT_EQ(memkind_destroy_kind(kind), MEMKIND_SUCCESS);
  EXPECT_EQ(memkind_detect_kind(block), block == nullptr ? nullptr : kind);
  memkind_free(kind, block);
}

// Asked of the kernel, as programs do.
TEST_P(a_static_kind, that_prefers_one_node_is_preferred_to_the_kernel) {
  memkind_t const kind = *GetParam().kind;
  if (!is_preferred(GetParam()) || memkind_check_available(kind) != MEMKIND_SUCCESS) return;
  void* const block = memkind_malloc(kind, 100);
  ASSERT_NE(block, nullptr);
  int mode = -1;
  unsigned long nodes[1024 / (8 * sizeof(unsigned long))] = {};
  if (::syscall(SYS_get_mempolicy, &mode, nodes, 1024UL, block, 2UL /* MPOL_F_ADDR */) == 0) {
    int count = 0;
    for (const unsigned long word : nodes) count += std::popcount(word);
    if (count == 1) {
      EXPECT_EQ(mode, 1 /* MPOL_PREFERRED */);
    }
  }
  memkind_free(kind, block);
}

INSTANTIATE_TEST_SUITE_P(each, a_static_kind, ::testing::ValuesIn(all),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(memkind_malloc_, leaves_errno_alone_the_first_time) {
  in_a_child([] {
    for (memkind_t const kind : {MEMKIND_DEFAULT, MEMKIND_REGULAR, MEMKIND_INTERLEAVE}) {
      errno = ERANGE;
      EXPECT_NE(memkind_malloc(kind, 100), nullptr);
      EXPECT_EQ(errno, ERANGE);
    }
  });
}

TEST(memkind_check_available_, has_ordinary_memory_everywhere) {
  EXPECT_EQ(memkind_check_available(MEMKIND_DEFAULT), MEMKIND_SUCCESS);
  EXPECT_EQ(memkind_check_available(MEMKIND_REGULAR), MEMKIND_SUCCESS);
}

TEST(memkind_check_available_, refuses_what_is_no_kind) {
  int none = 0;
  EXPECT_EQ(memkind_check_available(nullptr), MEMKIND_ERROR_INVALID);
  EXPECT_EQ(memkind_check_available(reinterpret_cast<memkind_t>(&none)), MEMKIND_ERROR_INVALID);
}

TEST(memkind_get_capacity_, of_the_default_kind_is_that_of_all_nodes) {
  EXPECT_EQ(memkind_get_capacity(MEMKIND_DEFAULT), memkind_get_capacity(MEMKIND_INTERLEAVE));
}

TEST(memkind_get_kind_by_partition_, knows_no_others) {
  memkind_t found = nullptr;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  EXPECT_EQ(memkind_get_kind_by_partition(-1, &found), MEMKIND_ERROR_UNAVAILABLE);
  EXPECT_EQ(memkind_get_kind_by_partition(MEMKIND_NUM_BASE_KIND, &found), MEMKIND_ERROR_UNAVAILABLE);
#pragma GCC diagnostic pop
  EXPECT_EQ(memkind_get_kind_by_name("no such kind", &found), MEMKIND_ERROR_UNAVAILABLE);
  EXPECT_EQ(memkind_get_kind_by_name(nullptr, &found), MEMKIND_ERROR_INVALID);
}

TEST(memkind_get_size_, says_how_much_there_is) {
  std::size_t total = 0, free = 0;
  ASSERT_EQ(memkind_get_size(MEMKIND_DEFAULT, &total, &free), MEMKIND_SUCCESS);
  EXPECT_GT(total, std::size_t{1} << 20);
  EXPECT_GT(free, 0u);
  EXPECT_LE(free, total);
  EXPECT_EQ(memkind_get_size(nullptr, &total, &free), MEMKIND_ERROR_INVALID);
  EXPECT_EQ(memkind_get_size(MEMKIND_DEFAULT, nullptr, &free), MEMKIND_ERROR_INVALID);
}

TEST(memkind_get_num_kind_, counts_static_ones) {
  int kinds = 0;
  EXPECT_EQ(memkind_get_num_kind(&kinds), MEMKIND_SUCCESS);
  EXPECT_GE(kinds, MEMKIND_NUM_BASE_KIND);
  EXPECT_EQ(memkind_get_num_kind(nullptr), MEMKIND_ERROR_INVALID);
}

}  // namespace
