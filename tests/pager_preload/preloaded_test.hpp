// A file that is long enough to be paged, and its mapping, in a process with the library preloaded.
#pragma once

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/userfaultfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "support/child_process.hpp"

namespace perdure::pager_preload {

inline constexpr std::size_t page_bytes = 4096;
inline constexpr std::size_t pages = 2048;  // eight times the budget that the tests run with
inline constexpr std::size_t words_of_page = page_bytes / sizeof(std::uint64_t);
inline constexpr std::size_t file_bytes = pages * page_bytes;

inline std::uint64_t pattern(std::uint64_t word) noexcept {
  return (word + 1) * 0x9e3779b97f4a7c15U;
}

inline std::size_t paged_mappings() {
  const auto count = reinterpret_cast<std::size_t (*)()>(::dlsym(RTLD_DEFAULT, "perdure_pager_mappings"));
  return count == nullptr ? ~std::size_t{0} : count();
}

class preloaded_test : public testing::Test {
 protected:
  void SetUp() override {
    // Read when the first file is mapped.
    ::setenv("PERDURE_PAGER_BUDGET", "1", 1);
    ::setenv("PERDURE_PAGER_THRESHOLD", "2", 1);
    const long descriptor = ::syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
    if (descriptor < 0) GTEST_SKIP() << "there is no userfaultfd here";
    ::close(static_cast<int>(descriptor));
    ASSERT_EQ(paged_mappings(), 0u) << "the library is not preloaded";
    std::vector<std::uint64_t> words(pages * words_of_page);
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = pattern(i);
    file_ = open_file(O_RDWR | O_CREAT | O_EXCL);
    ASSERT_GE(file_, 0) << std::strerror(errno);
    ASSERT_EQ(::write(file_, words.data(), file_bytes), static_cast<ssize_t>(file_bytes));
    ::close(file_);
    file_ = open_file(O_RDONLY);
    writable_ = open_file(O_RDWR);
    ::unlink(name_.c_str());
  }
  void TearDown() override {
    ::close(file_);
    ::close(writable_);
  }

  int open_file(int flags) const { return ::open(name_.c_str(), flags | O_CLOEXEC, 0600); }

  /// Fails the test if it is not paged.
  std::uint64_t* map_paged(std::size_t first_page = 0, std::size_t bytes = file_bytes,
                           int flags = MAP_PRIVATE) {
    const std::size_t before = paged_mappings();
    void* const mapped =
        ::mmap(nullptr, bytes, PROT_READ, flags, file_, static_cast<off_t>(first_page * page_bytes));
    EXPECT_NE(mapped, MAP_FAILED) << std::strerror(errno);
    EXPECT_EQ(paged_mappings(), before + 1);
    return static_cast<std::uint64_t*>(mapped);
  }

  /// How many of the words from `first_page` are not what they should be.
  static std::size_t wrong_words(const std::uint64_t* words, std::size_t first_page = 0,
                                 std::size_t count = pages) {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < count * words_of_page; ++i)
      if (words[i] != pattern(first_page * words_of_page + i)) ++wrong;
    return wrong;
  }

  /// Whether the kernel can read there.
  static bool is_mapped(const void* address) {
    int ends[2];
    if (::pipe(ends) != 0) return false;
    // Not `write`, which would copy.
    const bool is_there = ::syscall(SYS_write, ends[1], address, 1) == 1;
    ::close(ends[0]);
    ::close(ends[1]);
    return is_there;
  }

  int file_ = -1;
  int writable_ = -1;

 private:
  std::string name_ = "pager_preload_test." + std::to_string(::getpid());
};

}  // namespace perdure::pager_preload
