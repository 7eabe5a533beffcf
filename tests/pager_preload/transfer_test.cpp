// System calls from paged memory, which the kernel itself would refuse.
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cstdio>
#include <thread>

#include "preloaded_test.hpp"

namespace perdure::pager_preload {
namespace {

class transfers : public preloaded_test {
 protected:
  void SetUp() override {
    preloaded_test::SetUp();
    if (IsSkipped()) return;
    words_ = map_paged();
    out_ = std::tmpfile();
    ASSERT_NE(out_, nullptr);
  }
  void TearDown() override {
    if (words_ != nullptr) ::munmap(words_, file_bytes);
    if (out_ != nullptr) std::fclose(out_);
    preloaded_test::TearDown();
  }

  const char* bytes() const { return reinterpret_cast<const char*>(words_); }
  std::string bytes(std::size_t offset, std::size_t count) const { return {bytes() + offset, count}; }
  std::string written(std::size_t offset, std::size_t count) const {
    std::string text(count, '\0');
    const ssize_t got = ::pread(::fileno(out_), text.data(), count, static_cast<off_t>(offset));
    text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return text;
  }

  std::uint64_t* words_ = nullptr;
  std::FILE* out_ = nullptr;
};

TEST_F(transfers, would_fail_without_help) {
  EXPECT_EQ(::syscall(SYS_write, ::fileno(out_), bytes() + 100 * page_bytes, 10), -1);
  EXPECT_EQ(errno, EFAULT);
}

TEST_F(transfers, write_whole_mappings) {
  EXPECT_EQ(::write(::fileno(out_), words_, file_bytes), static_cast<ssize_t>(file_bytes));
  EXPECT_EQ(written(0, file_bytes + 1), bytes(0, file_bytes));
  constexpr std::size_t some = 3 * (std::size_t{1} << 20) + 5;
  EXPECT_EQ(::pwrite(::fileno(out_), bytes() + 77, some, 1000), static_cast<ssize_t>(some));
  EXPECT_EQ(written(1000, some), bytes(77, some));
  EXPECT_EQ(::pwrite64(::fileno(out_), bytes() + 777, 10, 0), 10);
  EXPECT_EQ(written(0, 10), bytes(777, 10));
  EXPECT_EQ(::write(::fileno(out_), words_, 0), 0);
}

TEST_F(transfers, write_several_parts) {
  std::string own = "in between";
  std::array<iovec, 4> parts{
      {{words_ + 512 * 100, 2'000'000}, {own.data(), own.size()}, {nullptr, 0}, {words_ + 512 * 1500, 9000}}};
  const std::string expected = bytes(100 * page_bytes, 2'000'000) + own + bytes(1500 * page_bytes, 9000);
  EXPECT_EQ(::writev(::fileno(out_), parts.data(), 4), static_cast<ssize_t>(expected.size()));
  EXPECT_EQ(written(0, expected.size() + 1), expected);
  EXPECT_EQ(::pwritev(::fileno(out_), parts.data(), 4, 50), static_cast<ssize_t>(expected.size()));
  EXPECT_EQ(written(50, expected.size() + 1), expected);
}

TEST_F(transfers, go_through_stdio) {
  EXPECT_EQ(std::fwrite(words_, 8, file_bytes / 8, out_), file_bytes / 8);
  EXPECT_EQ(::fwrite_unlocked(words_ + 9, 3, 1000, out_), 1000u);
  EXPECT_EQ(std::fwrite(words_, 0, 5, out_), 0u);
  EXPECT_EQ(std::fflush(out_), 0);
  EXPECT_EQ(written(0, file_bytes), bytes(0, file_bytes));
  EXPECT_EQ(written(file_bytes, 4000), bytes(72, 3000));
}

TEST_F(transfers, end_where_the_call_ends) {
  EXPECT_EQ(::write(-1, words_, file_bytes), -1);
  EXPECT_EQ(errno, EBADF);
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
  const ssize_t fits = ::write(ends[1], words_, file_bytes);
  EXPECT_GT(fits, 0);
  EXPECT_LT(fits, static_cast<ssize_t>(file_bytes));
  EXPECT_EQ(::write(ends[1], words_, file_bytes), -1);
  EXPECT_EQ(errno, EAGAIN);
  std::string got(static_cast<std::size_t>(fits), '\0');
  EXPECT_EQ(::read(ends[0], got.data(), got.size()), fits);
  EXPECT_EQ(got, bytes(0, got.size()));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(transfers, send_through_sockets) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  const std::string expected = bytes(0, 3'000'000) + bytes(5000, 100'000) + bytes(9000, 2'000'000);
  std::string got;
  std::thread receiver([&] {
    std::array<char, 65536> part;
    for (ssize_t n; (n = ::read(ends[0], part.data(), part.size())) > 0;)
      got.append(part.data(), static_cast<std::size_t>(n));
  });
  EXPECT_EQ(::send(ends[1], words_, 3'000'000, 0), 3'000'000);
  EXPECT_EQ(::sendto(ends[1], bytes() + 5000, 100'000, 0, nullptr, 0), 100'000);
  iovec parts[2] = {{words_ + 9000 / 8, 1'500'000}, {words_ + (9000 + 1'500'000) / 8, 500'000}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  EXPECT_EQ(::sendmsg(ends[1], &message, 0), 2'000'000);
  ::close(ends[1]);
  receiver.join();
  ::close(ends[0]);
  EXPECT_EQ(got, expected);
}

TEST_F(transfers, keep_datagrams_whole) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends), 0);
  EXPECT_EQ(::send(ends[1], bytes() + 123, 60'000, 0), 60'000);
  std::string got(100'000, '\0');
  const ssize_t n = ::recv(ends[0], got.data(), got.size(), 0);
  ASSERT_EQ(n, 60'000);
  got.resize(60'000);
  EXPECT_EQ(got, bytes(123, 60'000));
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace perdure::pager_preload
