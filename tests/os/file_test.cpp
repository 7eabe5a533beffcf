#include "os/file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <system_error>
#include <utility>
#include <vector>

#include "os/directory_names.hpp"
#include "os/file_clone.hpp"
#include "os/file_extents.hpp"
#include "support/errors.hpp"
#include "support/full_disk.hpp"
#include "support/scratch_test.hpp"

namespace perdure::os {
namespace {

class a_file : public scratch_test {
 protected:
  file directory() { return file::open_directory(path("")); }
};

int error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::system_error& failure) {
    return failure.code().value();
  }
  return 0;
}

TEST_F(a_file, reads_what_was_written_and_stops_at_its_end) {
  const file f = file::open_in(directory(), "f", O_RDWR | O_CREAT | O_EXCL);
  std::vector<char> bytes(100000);
  std::iota(bytes.begin(), bytes.end(), static_cast<char>(0));
  f.write_at(bytes.data(), bytes.size(), 10);
  EXPECT_EQ(f.size(), 100010u);
  std::vector<char> read(200000);
  EXPECT_EQ(f.read_at(read.data(), read.size(), 10), bytes.size());
  read.resize(bytes.size());
  EXPECT_EQ(read, bytes);
}

TEST_F(a_file, writes_many_parts_as_one) {
  const file f = file::open_in(directory(), "f", O_RDWR | O_CREAT);
  std::vector<char> bytes(5000);
  std::iota(bytes.begin(), bytes.end(), static_cast<char>(0));
  std::vector<iovec> parts;
  for (char& byte : bytes) parts.push_back({&byte, 1});
  f.write_at(parts, 3);
  std::vector<char> read(bytes.size());
  EXPECT_EQ(f.read_at(read.data(), read.size(), 3), bytes.size());
  EXPECT_EQ(read, bytes);
}

TEST_F(a_file, never_follows_a_symbolic_link) {
  file::open_in(directory(), "target", O_RDWR | O_CREAT);
  std::filesystem::create_symlink("target", path("link"));
  EXPECT_EQ(error_of([&] { file::open_in(directory(), "link", O_RDWR); }), ELOOP);
  EXPECT_EQ(error_of([&] { file::open_in(directory(), "missing", O_RDWR); }), ENOENT);
}

TEST_F(a_file, is_a_regular_one) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un name{AF_UNIX, {}};
  path("socket").string().copy(name.sun_path, sizeof name.sun_path - 1);
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
  for (const int flags : {O_RDONLY, O_WRONLY, O_RDWR}) {
    for (const char* other : {"fifo", "socket"}) {
      EXPECT_EQ(error_of([&] { file::open_in(directory(), other, flags); }), ENXIO) << other << flags;
    }
  }
  ::close(socket);
}

TEST_F(a_file, knows_whether_it_has_a_name) {
  const file f = file::open_in(directory(), "f", O_RDWR | O_CREAT);
  EXPECT_TRUE(f.has_name());
  std::filesystem::rename(path("f"), path("g"));
  EXPECT_TRUE(f.has_name());
  std::filesystem::remove(path("g"));
  EXPECT_FALSE(f.has_name());
}

TEST_F(a_file, can_have_holes_punched_and_space_reserved) {
  const file f = file::open_in(directory(), "f", O_RDWR | O_CREAT);
  const std::vector<char> bytes(1 << 20, 'x');
  f.write_at(bytes.data(), bytes.size(), 0);
  f.sync();
  const std::uint64_t before = f.allocated_bytes();
  f.punch(4096, 512 << 10);
  EXPECT_LT(f.allocated_bytes(), before);
  EXPECT_EQ(f.size(), bytes.size());
  char byte = 1;
  f.read_at(&byte, 1, 5000);
  EXPECT_EQ(byte, 0);
  f.read_at(&byte, 1, 4095);
  EXPECT_EQ(byte, 'x');
  f.reserve_space(1 << 20, 1 << 20);
  EXPECT_EQ(f.size(), bytes.size()) << "reserving does not lengthen";
}

TEST_F(a_file, is_walked_from_part_to_part_like_part_by_part) {
  const file sparse = file::open_in(directory(), "sparse", O_RDWR | O_CREAT | O_EXCL);
  const std::vector<std::byte> data(64 << 10, std::byte{7});
  sparse.resize(1 << 20);
  for (const std::uint64_t at : {0, 64 << 10, 256 << 10, 960 << 10})
    sparse.write_at(data.data(), data.size(), at);
  const auto parts_of = [](const std::vector<file_part>& parts) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
    for (const file_part& one : parts) all.emplace_back(one.begin, one.end);
    return all;
  };
  for (const std::uint64_t step : {4 << 10, 48 << 10, 300 << 10}) {
    data_walk walk;
    for (std::uint64_t begin = 0; begin < 1 << 20; begin += step) {
      const std::uint64_t end = std::min<std::uint64_t>(begin + step, 1 << 20);
      EXPECT_EQ(parts_of(walk.within(sparse.descriptor(), begin, end)),
                parts_of(data_within(sparse.descriptor(), begin, end)));
    }
    EXPECT_EQ(parts_of(walk.within(sparse.descriptor(), 100 << 10, 200 << 10)),
              parts_of(data_within(sparse.descriptor(), 100 << 10, 200 << 10)))
        << "backwards";
  }
}

TEST_F(a_file, reports_errors_with_its_path) {
  const file f = file::open_in(directory(), "f", O_RDWR | O_CREAT);
  const std::vector<char> bytes(20000, 'x');
  std::string message;
  try {
    const file_size_limit limit(10000);
    f.write_at(bytes.data(), bytes.size(), 0);  // short at first, then EFBIG
  } catch (const std::system_error& failure) {
    message = failure.what();
    EXPECT_EQ(failure.code().value(), EFBIG);
  }
  EXPECT_NE(message.find(path("f").string()), std::string::npos) << message;
  EXPECT_EQ(f.size(), 10000u);
}

// The kernel would answer each of these calls with SIGXFSZ, which ends this program.
TEST_F(a_file, beyond_the_limit_of_sizes_is_an_error_and_no_signal) {
  const file from = file::open_in(directory(), "from", O_RDWR | O_CREAT);
  const std::vector<char> bytes(20000, 'x');
  from.write_at(bytes.data(), bytes.size(), 0);
  const file f = file::open_in(directory(), "f", O_RDWR | O_CREAT);
  f.resize(15000);
  const file_size_limit limit(10000);
  EXPECT_EQ(error_of([&] { f.write_at(bytes.data(), 1, 10000); }), EFBIG);
  iovec parts[]{{const_cast<char*>(bytes.data()), 5}, {const_cast<char*>(bytes.data()), 6}};
  EXPECT_EQ(error_of([&] { f.write_at(parts, 9990); }), EFBIG);
  EXPECT_EQ(write_once(f.descriptor(), bytes.data(), 1, 12000), -1);
  EXPECT_EQ(errno, EFBIG);
  EXPECT_EQ(error_of([&] { f.resize(15001); }), EFBIG);
  EXPECT_NO_THROW(f.resize(14000)) << "shorter than it was";
  EXPECT_NO_THROW(f.resize(10000));
  EXPECT_EQ(error_of([&] { f.resize(10001); }), EFBIG);
  EXPECT_EQ(error_of([&] { copy_range(from, f, 0, bytes.size()); }), EFBIG);
  EXPECT_EQ(error_of([&] { share_blocks(from, f); }), EFBIG);
  EXPECT_EQ(f.size(), 10000u);
}

TEST_F(a_file, is_locked_by_one_writer_or_many_readers) {
  const file first = file::open_in(directory(), "f", O_RDWR | O_CREAT);
  const file second = file::open_in(directory(), "f", O_RDWR);
  EXPECT_TRUE(first.try_lock(lock_mode::shared));
  EXPECT_TRUE(second.try_lock(lock_mode::shared));
  EXPECT_FALSE(second.try_lock(lock_mode::exclusive));
  EXPECT_EQ(second.foreign_lock(), lock_mode::shared);
  EXPECT_EQ(file::open_in(directory(), "f", O_RDONLY).foreign_lock(), lock_mode::shared);
}

TEST_F(a_file, lists_directories_and_removes_trees) {
  std::filesystem::create_directories(path("tree/inside"));
  std::ofstream(path("tree/inside/file")) << 1;
  std::filesystem::create_symlink(path("kept"), path("tree/link"));
  std::ofstream(path("kept")) << 1;
  std::vector<std::string> names = names_in(path("tree"));
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"inside", "link"}));
  EXPECT_EQ(error_of([&] { names_in(path("missing")); }), ENOENT);
  remove_tree_in(directory(), "tree");
  EXPECT_EQ(names_in(path("")), std::vector<std::string>{"kept"});
}

TEST_F(a_file, gives_a_directory_only_a_name_that_is_free) {
  std::filesystem::create_directory(path("a"));
  std::filesystem::create_directories(path("b") / "inside");
  std::ofstream(path("file")) << "text";
  std::filesystem::create_directory_symlink(path("b"), path("link"));
  EXPECT_EQ(error_of([&] { rename_directory(path("a"), path("b")); }), ENOTEMPTY);
  EXPECT_EQ(error_of([&] { rename_directory(path("a"), path("file")); }), ENOTDIR);
  EXPECT_EQ(error_of([&] { rename_directory(path("a"), path("link")); }), ENOTDIR);
  std::filesystem::create_directory(path("c"));
  rename_directory(path("a"), path("c"));
  EXPECT_TRUE(std::filesystem::exists(path("c")));
  EXPECT_FALSE(exists_in(directory(), "a"));
  remove_in(directory(), "missing");
}

}  // namespace
}  // namespace perdure::os
