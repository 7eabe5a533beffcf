// Kinds in files.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <perdure/kind.hpp>
#include <vector>

#include "kind/small_kind.hpp"
#include "support/child_process.hpp"
#include "support/errors.hpp"
#include "support/scratch_directory.hpp"

namespace perdure {
namespace {

struct FileKind : testing::Test {
  std::unique_ptr<kind> create(std::uint64_t max_bytes) {
    return kind::create_file(scratch.directory(), max_bytes, small_kind("file"));
  }
  scratch_directory scratch;
};

TEST_F(FileKind, KeepsWhatIsWrittenInAFileWithoutAName) {
  const auto k = create(0);
  std::vector<unsigned char*> blocks;
  for (int i = 0; i < 300; ++i) {
    blocks.push_back(static_cast<unsigned char*>(k->malloc(100000)));
    ASSERT_NE(blocks.back(), nullptr);
    std::memset(blocks.back(), i & 0xff, 100000);
  }
  for (int i = 0; i < 300; ++i) EXPECT_EQ(blocks[static_cast<std::size_t>(i)][99999], i & 0xff);
  EXPECT_TRUE(std::filesystem::is_empty(scratch.directory()));
  for (unsigned char* const block : blocks) EXPECT_TRUE(k->free(block));
}

TEST_F(FileKind, CallocClearsWhatWasUsedBefore) {
  constexpr std::size_t bytes = 4 << 20;
  const auto k = create(0);
  void* const used = k->malloc(bytes);
  ASSERT_NE(used, nullptr);
  std::memset(used, 0x5a, bytes);
  EXPECT_TRUE(k->free(used));
  const auto* const zeros = static_cast<unsigned char*>(k->calloc(bytes, 1));
  ASSERT_EQ(zeros, used);
  for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(zeros[i], 0) << i;
}

TEST_F(FileKind, EndsAtItsMostBytes) {
  const auto k = create(16 << 20);
  EXPECT_EQ(k->size().total, 16u << 20);
  errno = 0;
  EXPECT_EQ(k->malloc(17 << 20), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  std::vector<void*> blocks;
  while (void* const block = k->malloc(1 << 20)) blocks.push_back(block);
  EXPECT_GE(blocks.size(), 14u);
  EXPECT_LE(blocks.size(), 16u);
  for (void* const block : blocks) {
    std::memset(block, 1, 1 << 20);
    EXPECT_TRUE(k->free(block));
  }
  EXPECT_NE(k->malloc(10 << 20), nullptr);
}

TEST_F(FileKind, GivesDiskSpaceBack) {
  const auto k = create(64 << 20);
  void* const block = k->malloc(48 << 20);
  ASSERT_NE(block, nullptr);
  std::memset(block, 1, 48 << 20);
  EXPECT_GE(k->stats().committed_bytes, 48u << 20);
  k->free(block);
  EXPECT_TRUE(k->trim());
  EXPECT_LE(k->stats().committed_bytes, 4u << 20);
  auto* const again = static_cast<unsigned char*>(k->malloc(48 << 20));
  ASSERT_NE(again, nullptr);
  std::memset(again, 2, 48 << 20);
}

TEST_F(FileKind, ServesBlocksLongerThanAGibibyte) {
  kind_options options = small_kind("file");
  options.capacity = std::size_t{4} << 30;
  const auto k = kind::create_file(scratch.directory(), std::uint64_t{3} << 30, options);
  constexpr std::size_t bytes = (std::size_t{1} << 30) + (100 << 20);
  auto* const block = static_cast<unsigned char*>(k->malloc(bytes));
  if (block == nullptr) GTEST_SKIP() << "the disk has less than 1.2 GB free";
  // A few pages only, the last and those where the next region would have its bookkeeping among them.
  for (std::size_t at = 0; at < bytes; at += 32 << 20) block[at] = 1;
  block[bytes - 1] = 2;
  EXPECT_TRUE(k->free(block));
  EXPECT_TRUE(k->memory()->check().empty());
  void* const small = k->malloc(100);
  EXPECT_NE(small, nullptr);
}

TEST_F(FileKind, SaysWhatIsWrongWithItsDirectory) {
  EXPECT_EQ(code_of([] { static_cast<void>(kind::create_file("/no/such/directory", 0)); }), errc::not_found);
  EXPECT_EQ(code_of([] { static_cast<void>(kind::create_file("/proc", 0)); }) != errc::ok, true);
}

TEST_F(FileKind, LeavesTheChildOfAForkToReadOnly) {
  const auto k = create(0);
  auto* const number = static_cast<int*>(k->malloc(sizeof(int)));
  *number = 42;
  EXPECT_TRUE(in_another_process([&] {
    if (*number != 42 || k->malloc(10) != nullptr || errno != ENOMEM) return 1;
    if (k->free(number) || k->realloc(number, 10) != nullptr || k->trim()) return 2;
    return 0;
  }));
  EXPECT_TRUE(k->free(number));
}

/// A name space in which file systems can be mounted, seen by this process only.
bool enter_mount_name_space() {
  const std::string uid = std::to_string(::getuid());
  const std::string gid = std::to_string(::getgid());
  if (::unshare(CLONE_NEWNS) != 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/uid_map") << "0 " + uid + " 1";
    std::ofstream("/proc/self/gid_map") << "0 " + gid + " 1";
  }
  return ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

TEST_F(FileKind, FullDiskIsAnAllocationThatFails) {
  const auto* const said = static_cast<const char*>(
      ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const bool passed = in_another_process([&] {
    if (!enter_mount_name_space() ||
        ::mount("perdure-test", scratch.directory().c_str(), "tmpfs", 0, "size=32m") != 0) {
      const_cast<char*>(said)[0] = 1;
      return 0;
    }
    const auto k = create(0);
    std::vector<unsigned char*> blocks;
    while (void* const block = k->malloc(1 << 20)) blocks.push_back(static_cast<unsigned char*>(block));
    if (errno != ENOMEM || blocks.size() < 24 || blocks.size() > 32) return 3;
    // What was handed out is there: no signal.
    for (unsigned char* const block : blocks) std::memset(block, 1, 1 << 20);
    for (unsigned char* const block : blocks)
      if (!k->free(block)) return 4;
    return k->malloc(20 << 20) != nullptr ? 0 : 5;
  });
  if (said[0] != 0) GTEST_SKIP() << "no file system can be mounted here";
  EXPECT_TRUE(passed);
}

}  // namespace
}  // namespace perdure
