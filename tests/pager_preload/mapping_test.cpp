// Which mappings are paged, and what a program may do to them.
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "preloaded_test.hpp"

namespace perdure::pager_preload {
namespace {

class mappings : public preloaded_test {};

TEST_F(mappings, that_are_paged_have_the_bytes_of_the_file) {
  for (const int flags : {MAP_PRIVATE, MAP_SHARED, MAP_SHARED | MAP_POPULATE | MAP_NORESERVE}) {
    std::uint64_t* const words = map_paged(0, file_bytes, flags);
    EXPECT_EQ(wrong_words(words), 0u);
    for (std::size_t i = 0; i < 10000; ++i) {
      const std::size_t word = i * 7919 * 67 % (pages * words_of_page);
      ASSERT_EQ(words[word], pattern(word));
    }
    EXPECT_EQ(::munmap(words, file_bytes), 0);
    EXPECT_EQ(paged_mappings(), 0u);
    EXPECT_FALSE(is_mapped(words));
  }
}

TEST_F(mappings, may_be_parts_of_the_file) {
  constexpr std::size_t bytes = 700 * page_bytes + 100;
  std::uint64_t* const words = map_paged(300, bytes);
  EXPECT_EQ(wrong_words(words, 300, 701), 0u);  // the last page whole, as the kernel would
  EXPECT_EQ(::munmap(words, bytes), 0);
  EXPECT_EQ(paged_mappings(), 0u);
}

TEST_F(mappings, end_with_zeros_after_an_odd_end_of_the_file) {
  ASSERT_EQ(::ftruncate(writable_, file_bytes - 1000), 0);
  std::uint64_t* const words = map_paged(0, file_bytes - 1000);
  EXPECT_EQ(wrong_words(words, 0, pages - 1), 0u);
  for (std::size_t i = pages * words_of_page - 125; i < pages * words_of_page; ++i) ASSERT_EQ(words[i], 0u);
  EXPECT_EQ(::munmap(words, file_bytes - 1000), 0);
}

TEST_F(mappings, of_other_kinds_are_left_to_the_kernel) {
  const auto is_left = [&](void* at, std::size_t bytes, int protection, int flags, int file, off_t offset) {
    void* const mapped = ::mmap(at, bytes, protection, flags, file, offset);
    const bool is_paged = paged_mappings() != 0;
    if (mapped != MAP_FAILED) ::munmap(mapped, bytes);
    return mapped != MAP_FAILED && !is_paged;
  };
  EXPECT_TRUE(is_left(nullptr, file_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, file_, 0));
  EXPECT_TRUE(is_left(nullptr, file_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  EXPECT_TRUE(is_left(nullptr, file_bytes, PROT_READ, MAP_SHARED, writable_, 0));
  EXPECT_TRUE(
      is_left(nullptr, file_bytes + page_bytes, PROT_READ, MAP_SHARED, file_, 0));   // longer than it is
  EXPECT_TRUE(is_left(nullptr, page_bytes * 256, PROT_READ, MAP_SHARED, file_, 0));  // fits the budget
  EXPECT_TRUE(is_left(nullptr, page_bytes * 511, PROT_READ, MAP_SHARED, file_, 0));  // below the threshold
  void* const hint = ::mmap(nullptr, file_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_TRUE(is_left(hint, file_bytes, PROT_READ, MAP_PRIVATE | MAP_FIXED, file_, 0));
  errno = 0;
  EXPECT_EQ(::mmap(nullptr, file_bytes, PROT_READ, MAP_PRIVATE, file_, 1), MAP_FAILED);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(::mmap(nullptr, 0, PROT_READ, MAP_PRIVATE, file_, 0), MAP_FAILED);
}

TEST_F(mappings, may_be_unmapped_in_parts) {
  std::uint64_t* const words = map_paged();
  const auto page = [&](std::size_t number) { return words + number * words_of_page; };
  EXPECT_EQ(::munmap(page(500), 100 * page_bytes), 0);
  EXPECT_EQ(::munmap(page(0), 300 * page_bytes), 0);
  EXPECT_EQ(::munmap(page(250), 100 * page_bytes), 0);
  EXPECT_EQ(paged_mappings(), 1u);
  EXPECT_EQ(wrong_words(page(350), 350, 150), 0u);
  EXPECT_EQ(wrong_words(page(600), 600, pages - 600), 0u);
  EXPECT_EQ(::munmap(page(350), 250 * page_bytes), 0);
  EXPECT_EQ(paged_mappings(), 1u);
  EXPECT_EQ(::munmap(page(600), (pages - 600) * page_bytes), 0);
  EXPECT_EQ(paged_mappings(), 0u);
  EXPECT_FALSE(is_mapped(page(700)));
}

TEST_F(mappings, may_be_unmapped_together_with_what_lies_around) {
  std::uint64_t* const words = map_paged();
  auto* const base = reinterpret_cast<std::byte*>(words);
  // Whatever the kernel has there stays out of it: one side or the other is free.
  std::byte* neighbour = nullptr;
  for (std::byte* const at : {base - page_bytes, base + file_bytes}) {
    if (::mmap(at, page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != at)
      continue;
    neighbour = at;
    break;
  }
  if (neighbour == nullptr) GTEST_SKIP() << "the places around it are taken";
  EXPECT_TRUE(is_mapped(neighbour));
  EXPECT_EQ(::munmap(std::min(neighbour, base), page_bytes + file_bytes), 0);
  EXPECT_EQ(paged_mappings(), 0u);
  EXPECT_FALSE(is_mapped(neighbour));
  EXPECT_FALSE(is_mapped(words));
}

TEST_F(mappings, take_advice) {
  std::uint64_t* const words = map_paged();
  for (const int advice : {MADV_NORMAL, MADV_RANDOM, MADV_SEQUENTIAL, MADV_WILLNEED, MADV_DONTNEED,
                           MADV_HUGEPAGE, MADV_COLD, MADV_PAGEOUT}) {
    EXPECT_EQ(::madvise(words, file_bytes, advice), 0) << advice;
    EXPECT_EQ(words[4711], pattern(4711));
  }
  for (const int advice : {POSIX_MADV_NORMAL, POSIX_MADV_RANDOM, POSIX_MADV_SEQUENTIAL, POSIX_MADV_WILLNEED,
                           POSIX_MADV_DONTNEED})
    EXPECT_EQ(::posix_madvise(words + words_of_page, 10 * page_bytes, advice), 0) << advice;
  errno = 0;
  EXPECT_EQ(::madvise(words + 1, page_bytes, MADV_NORMAL), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(wrong_words(words), 0u);
  EXPECT_EQ(paged_mappings(), 1u);
  EXPECT_EQ(::madvise(words, file_bytes, 4711), -1);
  EXPECT_EQ(wrong_words(words), 0u);
  EXPECT_EQ(::munmap(words, file_bytes), 0);
}

TEST_F(mappings, become_the_kernels_when_only_that_can_go_on) {
  const auto stays_whole = [&](auto&& change) {
    std::uint64_t* const words = map_paged();
    EXPECT_EQ(words[words_of_page * 100], pattern(words_of_page * 100));
    EXPECT_EQ(::munmap(words + words_of_page * 5, page_bytes), 0);
    change(words);
    EXPECT_EQ(paged_mappings(), 0u);
    EXPECT_EQ(wrong_words(words + 6 * words_of_page, 6, pages - 6), 0u);
    EXPECT_FALSE(is_mapped(words + words_of_page * 5));
    ::munmap(words, file_bytes);
  };
  stays_whole([](std::uint64_t* words) {
    EXPECT_EQ(::mprotect(words, page_bytes, PROT_READ | PROT_WRITE), 0);
    words[0] = 1;
  });
  stays_whole([](std::uint64_t* words) { EXPECT_EQ(::mlock(words, page_bytes), 0); });
  stays_whole([](std::uint64_t* words) {
    EXPECT_NE(::mmap(words, page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
              MAP_FAILED);
    EXPECT_EQ(words[0], 0u);
  });
  stays_whole([](std::uint64_t* words) { EXPECT_EQ(::mremap(words, 2 * page_bytes, page_bytes, 0), words); });
  stays_whole([](std::uint64_t* words) { EXPECT_EQ(::madvise(words, page_bytes, MADV_DONTFORK), 0); });
}

TEST_F(mappings, keep_what_changes_nothing) {
  std::uint64_t* const words = map_paged();
  EXPECT_EQ(::mprotect(words, file_bytes, PROT_READ), 0);
  EXPECT_EQ(::msync(words, file_bytes, MS_SYNC), 0);
  std::vector<unsigned char> there(pages);
  EXPECT_EQ(::mincore(words, file_bytes, there.data()), 0);
  EXPECT_EQ(paged_mappings(), 1u);
  EXPECT_EQ(::munmap(words, file_bytes), 0);
}

TEST_F(mappings, are_the_kernels_in_a_forked_child) {
  std::uint64_t* const words = map_paged();
  EXPECT_EQ(::munmap(words, page_bytes), 0);
  EXPECT_EQ(words[words_of_page], pattern(words_of_page));
  EXPECT_EQ(result_of_child([&] {
              if (paged_mappings() != 0 || is_mapped(words)) return 1;
              if (wrong_words(words + words_of_page, 1, pages - 1) != 0) return 2;
              if (::munmap(words, file_bytes) != 0 || is_mapped(words + words_of_page)) return 3;
              const std::uint64_t* const own = map_paged();
              return wrong_words(own) == 0 && paged_mappings() == 1 ? 0 : 4;
            }),
            0);
  EXPECT_EQ(paged_mappings(), 1u);
  EXPECT_EQ(wrong_words(words + words_of_page, 1, pages - 1), 0u);
  EXPECT_EQ(::munmap(words, file_bytes), 0);
}

TEST_F(mappings, serve_threads_that_map_touch_advise_fork_and_unmap) {
  std::atomic<std::size_t> wrong{0};
  const auto work = [&](std::size_t seed) {
    for (std::size_t round = 0; round < 20; ++round) {
      void* const mapped = ::mmap(nullptr, file_bytes, PROT_READ, MAP_PRIVATE, file_, 0);
      const auto* const words = static_cast<const std::uint64_t*>(mapped);
      for (std::size_t i = 0; i < 500; ++i) {
        const std::size_t word = (seed + i * 104729 * 7) % (pages * words_of_page);
        if (words[word] != pattern(word)) ++wrong;
      }
      if (round % 3 == 0) ::madvise(mapped, file_bytes, MADV_DONTNEED);
      if (round % 5 == 0 && result_of_child([&] { return words[17] == pattern(17) ? 0 : 1; }) != 0) ++wrong;
      ::munmap(mapped, file_bytes / 2);
      ::munmap(static_cast<std::byte*>(mapped) + file_bytes / 2, file_bytes / 2);
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 4; ++i) threads.emplace_back(work, i * 12345);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(paged_mappings(), 0u);
}

}  // namespace
}  // namespace perdure::pager_preload
