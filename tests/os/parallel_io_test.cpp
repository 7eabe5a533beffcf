#include "os/parallel_io.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <vector>

#include "os/file.hpp"
#include "support/child_process.hpp"
#include "support/scratch_test.hpp"

namespace {

using perdure::os::parallel_io;
using perdure::os::transfer_request;

constexpr std::size_t block = 4096;
constexpr std::size_t blocks = 40;

class parallel_io_test : public perdure::scratch_test {
 protected:
  parallel_io_test() : descriptor_(::open(path("file").c_str(), O_RDWR | O_CREAT, 0600)) {
    for (std::size_t i = 0; i < blocks; ++i) {
      const std::vector<std::byte> content(block, static_cast<std::byte>(i + 1));
      EXPECT_EQ(::pwrite(descriptor_, content.data(), block, static_cast<off_t>(i * block)),
                static_cast<ssize_t>(block));
    }
  }
  ~parallel_io_test() override { ::close(descriptor_); }

  // How many blocks an object that is made for this reads as they were written.
  std::size_t read_right() const {
    std::vector<std::byte> memory(blocks * block);
    std::vector<transfer_request> requests(blocks);
    for (std::size_t i = 0; i < blocks; ++i)
      requests[i] = {.descriptor = descriptor_,
                     .memory = memory.data() + i * block,
                     .bytes = block,
                     .offset = i * block,
                     .tag = i};
    std::size_t right = 0;
    parallel_io io;
    io.run(requests, [&](const transfer_request& request) {
      const std::vector<std::byte> wanted(block, static_cast<std::byte>(request.tag + 1));
      if (request.result == static_cast<std::ptrdiff_t>(block) &&
          std::memcmp(request.memory, wanted.data(), block) == 0)
        ++right;
    });
    return right;
  }

  int descriptor_;
};

TEST_F(parallel_io_test, reads_what_was_written_again_and_again) {
  for (int i = 0; i < 100; ++i) ASSERT_EQ(read_right(), blocks);
}

TEST_F(parallel_io_test, is_for_a_forked_child_too) {
  ASSERT_EQ(read_right(), blocks);
  EXPECT_TRUE(
      perdure::in_another_process([&] { return read_right() == blocks && read_right() == blocks ? 0 : 1; }));
  EXPECT_EQ(read_right(), blocks);
}

TEST_F(parallel_io_test, tells_of_a_transfer_that_failed) {
  std::array<std::byte, block> memory{};
  std::array<transfer_request, 2> requests{
      transfer_request{.descriptor = descriptor_, .memory = memory.data(), .bytes = block, .offset = 0},
      transfer_request{.descriptor = -1, .memory = memory.data(), .bytes = block, .offset = block}};
  std::array<std::ptrdiff_t, 2> results{};
  parallel_io io;
  io.run(requests,
         [&](const transfer_request& request) { results[request.offset / block] = request.result; });
  EXPECT_EQ(results[0], static_cast<std::ptrdiff_t>(block));
  EXPECT_EQ(results[1], -EBADF);
}

}  // namespace
