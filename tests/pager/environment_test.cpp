// File systems, and too little memory.

#include <cstdio>
#include <thread>

#include "patterned_file.hpp"
#include "support/child_process.hpp"
#include "support/loop_mount.hpp"
#include "support/memory_group.hpp"

namespace perdure::pager {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

// Reads all, changes every third page, and finds the changes in the file. "" or what is wrong.
std::string work_through(const std::filesystem::path& file, std::size_t pages, std::size_t budget) {
  {
    region mapped = map(file, with_budget(budget, mode::write_back));
    for (std::size_t i = 0; i < 3 * pages; ++i) {
      const std::size_t page = pattern(i) % pages;
      std::uint64_t* const word = words_of(mapped) + page * words_of_page + 3;
      if (*word != pattern(page * words_of_page + 3) && *word != page) return "a page has another content";
      if (page % 3 == 0) *word = page;
    }
    for (std::size_t page = 0; page < pages; page += 3) words_of(mapped)[page * words_of_page + 3] = page;
    mapped.flush();
  }
  const region again = map(file, with_budget(budget));
  for (std::size_t page = 0; page < pages; ++page) {
    const std::uint64_t expected = page % 3 == 0 ? page : pattern(page * words_of_page + 3);
    if (words_of(again)[page * words_of_page + 3] != expected)
      return "page " + std::to_string(page) + " is wrong";
  }
  return "";
}

class on_file_systems : public pager_test, public testing::WithParamInterface<const char*> {};

INSTANTIATE_TEST_SUITE_P(kinds, on_file_systems, testing::Values("ext4", "xfs", "btrfs"),
                         [](const auto& of) { return std::string(of.param); });

TEST_P(on_file_systems, touches_are_answered_with_the_bytes_of_the_file) {
  const std::string kind = GetParam();
  const loop_mount mount(kind, path("image"), path("mount"));
  if (!mount) GTEST_SKIP() << mount.why_not();
  constexpr std::size_t pages = 500;
  const auto words = patterned(pages * words_of_page);
  write_file(mount.path() / "data", words.data(), pages * page_size);
  EXPECT_EQ(work_through(mount.path() / "data", pages, 40), "");
}

TEST_F(pager_test, works_on_tmpfs) {
  const std::filesystem::path file = fast_directory() / ("perdure-test-" + std::to_string(::getpid()));
  constexpr std::size_t pages = 500;
  const auto words = patterned(pages * words_of_page);
  write_file(file, words.data(), pages * page_size);
  const std::string wrong = work_through(file, pages, 40);
  std::filesystem::remove(file);
  EXPECT_EQ(wrong, "");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_F(pager_test, survives_with_little_more_memory_than_its_budget) {
  const memory_group group(32 * mib);
  if (!group.exists()) GTEST_SKIP() << "no control group with a memory limit can be made here";
  constexpr std::size_t pages = 64 * mib / page_size;
  const auto file = make_file(pages);
  EXPECT_EQ(result_of_child([&] {
              std::string wrong = "the group cannot be entered";
              if (group.enter()) wrong = work_through(file, pages, 8 * mib / page_size);
              if (!wrong.empty()) std::fprintf(stderr, "%s\n", wrong.c_str());
              return wrong.empty() ? 0 : 1;
            }),
            0);
}
#endif

}  // namespace
}  // namespace perdure::pager
