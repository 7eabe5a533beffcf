// hbwmalloc.h, by hbwmalloc(3). In the virtual machine of tests/vm there is such memory, elsewhere mostly
// not.
#include <gtest/gtest.h>
#include <hbwmalloc.h>
#include <memkind.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "compat/memkind/child.hpp"

namespace {

bool is_there() {
  return hbw_check_available() == 0;
}

TEST(hbw_policy, is_preferred_unless_it_was_set) {
  in_a_child([] { EXPECT_EQ(hbw_get_policy(), HBW_POLICY_PREFERRED); });
}

TEST(hbw_policy, can_be_set_once) {
  for (const hbw_policy_t policy :
       {HBW_POLICY_BIND, HBW_POLICY_PREFERRED, HBW_POLICY_INTERLEAVE, HBW_POLICY_BIND_ALL}) {
    in_a_child([policy] {
      EXPECT_EQ(hbw_set_policy(policy), 0);
      EXPECT_EQ(hbw_get_policy(), policy);
      EXPECT_EQ(hbw_set_policy(policy), EPERM);
      EXPECT_EQ(hbw_set_policy(HBW_POLICY_BIND), EPERM);
      EXPECT_EQ(hbw_get_policy(), policy);
    });
  }
}

TEST(hbw_policy, cannot_be_set_after_an_allocation) {
  in_a_child([] {
    hbw_free(hbw_malloc(10));
    EXPECT_EQ(hbw_set_policy(HBW_POLICY_BIND), EPERM);
  });
}

TEST(hbw_policy, must_be_one) {
  in_a_child([] {
    EXPECT_EQ(hbw_set_policy(static_cast<hbw_policy_t>(0)), EINVAL);
    EXPECT_EQ(hbw_set_policy(static_cast<hbw_policy_t>(5)), EINVAL);
    EXPECT_EQ(hbw_set_policy(HBW_POLICY_BIND), 0);
  });
}

TEST(hbw_check_available_, agrees_with_the_kind) {
  EXPECT_EQ(hbw_check_available(), memkind_check_available(MEMKIND_HBW) == MEMKIND_SUCCESS ? 0 : ENODEV);
}

TEST(hbw_malloc_, takes_other_memory_by_default) {
  auto* block = static_cast<char*>(hbw_malloc(1000));
  ASSERT_NE(block, nullptr);
  EXPECT_GE(hbw_malloc_usable_size(block), 1000u);
  std::memset(block, 3, 1000);
  block = static_cast<char*>(hbw_realloc(block, 100000));
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(block[999], 3);
  EXPECT_EQ(hbw_realloc(block, 0), nullptr);
  EXPECT_EQ(hbw_malloc(0), nullptr);
  hbw_free(hbw_realloc(nullptr, 10));
  hbw_free(nullptr);
  EXPECT_EQ(hbw_malloc_usable_size(nullptr), 0u);
}

TEST(hbw_malloc_, fails_where_it_is_bound_to_what_is_not_there) {
  for (const hbw_policy_t policy : {HBW_POLICY_BIND, HBW_POLICY_BIND_ALL, HBW_POLICY_INTERLEAVE}) {
    in_a_child([policy] {
      hbw_set_policy(policy);
      errno = 0;
      void* const block = hbw_malloc(100);
      const int code = errno;
      EXPECT_EQ(block != nullptr, is_there());
      if (block == nullptr) {
        EXPECT_EQ(code, ENOMEM);
      }
      hbw_free(block);
    });
  }
}

TEST(hbw_calloc_, gives_zeros_and_catches_overflow) {
  auto* const block = static_cast<char*>(hbw_calloc(10, 100));
  ASSERT_NE(block, nullptr);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(block[i], 0);
  hbw_free(block);
  EXPECT_EQ(hbw_calloc(SIZE_MAX / 2, 3), nullptr);
  EXPECT_EQ(hbw_calloc(0, 3), nullptr);
}

TEST(hbw_posix_memalign_, aligns_or_says_EINVAL) {
  void* block = nullptr;
  ASSERT_EQ(hbw_posix_memalign(&block, 4096, 10), 0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 4096, 0u);
  hbw_free(block);
  EXPECT_EQ(hbw_posix_memalign(&block, 3, 10), EINVAL);
  EXPECT_EQ(hbw_posix_memalign(&block, 64, SIZE_MAX / 2), ENOMEM);
  EXPECT_EQ(hbw_posix_memalign(&block, 64, 0), 0);
  EXPECT_EQ(block, nullptr);
}

TEST(hbw_posix_memalign_psize_, knows_page_sizes) {
  void* block = nullptr;
  EXPECT_EQ(hbw_posix_memalign_psize(&block, 64, 10, HBW_PAGESIZE_4KB), 0);
  hbw_free(block);
  const int huge = hbw_posix_memalign_psize(&block, 64, 10, HBW_PAGESIZE_2MB);
  EXPECT_EQ(huge, memkind_check_available(MEMKIND_HBW_PREFERRED_HUGETLB) == MEMKIND_SUCCESS ||
                          memkind_check_available(MEMKIND_HUGETLB) == MEMKIND_SUCCESS
                      ? 0
                      : ENOMEM);
  if (huge == 0) hbw_free(block);
  EXPECT_EQ(hbw_posix_memalign_psize(&block, 64, 10, HBW_PAGESIZE_1GB_STRICT), EINVAL);
  EXPECT_EQ(hbw_posix_memalign_psize(&block, 64, 10, HBW_PAGESIZE_MAX_VALUE), EINVAL);
  EXPECT_EQ(hbw_posix_memalign_psize(&block, 64, 10, static_cast<hbw_pagesize_t>(0)), EINVAL);
}

TEST(hbw_posix_memalign_psize_, does_not_interleave_huge_pages) {
  in_a_child([] {
    hbw_set_policy(HBW_POLICY_INTERLEAVE);
    void* block = nullptr;
    for (const hbw_pagesize_t size : {HBW_PAGESIZE_2MB, HBW_PAGESIZE_1GB, HBW_PAGESIZE_1GB_STRICT})
      EXPECT_EQ(hbw_posix_memalign_psize(&block, 64, std::size_t{1} << 30, size), EINVAL);
  });
}

TEST(hbw_verify_memory_region_, tells_where_memory_lies) {
  auto* const ordinary = static_cast<char*>(
      ::mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  std::memset(ordinary, 1, 1 << 20);
  EXPECT_EQ(hbw_verify_memory_region(ordinary, 1 << 20, 0), -1);
  ::munmap(ordinary, 1 << 20);
  auto* const block = static_cast<char*>(hbw_malloc(1 << 20));
  ASSERT_NE(block, nullptr);
  std::memset(block, 5, 1 << 20);
  EXPECT_EQ(hbw_verify_memory_region(block, 1 << 20, HBW_TOUCH_PAGES), is_there() ? 0 : -1);
  EXPECT_EQ(block[4096], 5);
  hbw_free(block);
}

TEST(hbw_verify_memory_region_, refuses_bad_arguments) {
  char byte = 0;
  EXPECT_EQ(hbw_verify_memory_region(nullptr, 10, 0), EINVAL);
  EXPECT_EQ(hbw_verify_memory_region(&byte, 0, 0), EINVAL);
  EXPECT_EQ(hbw_verify_memory_region(&byte, 1, 2), EINVAL);
}

TEST(hbw_verify_memory_region_, says_EFAULT_for_what_is_not_mapped) {
  void* const gone = ::mmap(nullptr, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ::munmap(gone, 1 << 20);
  EXPECT_EQ(hbw_verify_memory_region(gone, 1 << 20, HBW_TOUCH_PAGES), EFAULT);
  EXPECT_EQ(hbw_verify_memory_region(gone, 1 << 20, 0), EFAULT);
  char byte = 0;
  EXPECT_EQ(hbw_verify_memory_region(&byte, SIZE_MAX, 0), EFAULT);
}

TEST(hbw_free_, leaves_alone_what_is_not_ours) {
  int on_the_stack = 0;
  hbw_free(&on_the_stack);
  EXPECT_EQ(hbw_malloc_usable_size(&on_the_stack), 0u);
}

}  // namespace
