#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <vector>

#include "c_store.hpp"
#include "support/scratch_directory.hpp"

namespace perdure::c {
namespace {

struct c_pager_test : testing::Test {
  c_pager_test() : path((scratch.path().parent_path() / "mapped").string()) {
    std::vector<std::uint64_t> words(100 * 512);
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = i;
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(words.data()),
               static_cast<std::streamsize>(words.size() * sizeof(std::uint64_t)));
    options.struct_size = sizeof options;
    options.budget = 16 * 4096;
  }
  std::uint64_t* words() const { return static_cast<std::uint64_t*>(data); }

  scratch_directory scratch;
  std::string path;
  perdure_map_options options{};
  perdure_mapping* mapping = nullptr;
  void* data = nullptr;
  size_t size = 0;
};

TEST_F(c_pager_test, maps_reads_writes_and_unmaps) {
  options.mode = PERDURE_MAP_WRITE_BACK;
  ASSERT_OK(perdure_map(path.c_str(), &options, &mapping, &data, &size));
  ASSERT_EQ(size, 100u * 4096);
  for (std::size_t i = 0; i < 100 * 512; ++i) ASSERT_EQ(words()[i], i);
  words()[40 * 512] = 7;
  EXPECT_OK(perdure_flush(mapping));
  std::ifstream file(path, std::ios::binary);
  file.seekg(40 * 4096);
  EXPECT_EQ(file.get(), 7);
  const perdure_map_range ranges[] = {{0, 5000}, {90 * 4096, 10}};
  EXPECT_OK(perdure_map_prefetch(mapping, ranges, 2));
  EXPECT_OK(perdure_map_advise(mapping, ranges[0], PERDURE_ADVICE_DONT_NEED));
  perdure_map_statistics statistics{};
  statistics.struct_size = sizeof statistics;
  EXPECT_OK(perdure_map_statistics_get(mapping, &statistics));
  int tier = 0;
  EXPECT_OK(perdure_map_tier(mapping, &tier));
  if (tier == PERDURE_PAGER_UFFD_SIGBUS) {
    EXPECT_GT(statistics.evictions, 80u);
    EXPECT_LE(statistics.most_resident_bytes, options.budget);
  }
  EXPECT_OK(perdure_map_failure(mapping));
  EXPECT_OK(perdure_unmap(mapping));
  EXPECT_EQ(perdure_unmap(mapping), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_flush(mapping), PERDURE_INVALID_ARGUMENT);
}

TEST_F(c_pager_test, maps_a_part) {
  options.offset = 30 * 4096;
  options.bytes = 5000;
  ASSERT_OK(perdure_map(path.c_str(), &options, &mapping, &data, &size));
  ASSERT_EQ(size, 5000u);
  for (std::size_t i = 0; i < 5000 / 8; ++i) ASSERT_EQ(words()[i], 30 * 512 + i);
  EXPECT_OK(perdure_unmap(mapping));
  // What was compiled before there were parts maps all.
  options.struct_size = offsetof(perdure_map_options, offset);
  ASSERT_OK(perdure_map(path.c_str(), &options, &mapping, &data, &size));
  EXPECT_EQ(size, 100u * 4096);
  EXPECT_OK(perdure_unmap(mapping));
  options.struct_size = sizeof options;
  options.offset = 7;
  EXPECT_EQ(perdure_map(path.c_str(), &options, &mapping, &data, &size), PERDURE_INVALID_ARGUMENT);
}

TEST_F(c_pager_test, pins_for_system_calls) {
  options.tier = PERDURE_PAGER_UFFD_SIGBUS;
  if (perdure_map(path.c_str(), &options, &mapping, &data, &size) == PERDURE_UNSUPPORTED)
    GTEST_SKIP() << perdure_last_error_message();
  perdure_pin* pin = nullptr;
  ASSERT_OK(perdure_map_pin(mapping, words() + 50 * 512, 8192, 0, &pin));
  const int out = ::open((path + ".out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  EXPECT_EQ(::write(out, words() + 50 * 512, 8192), 8192);
  ::close(out);
  EXPECT_EQ(perdure_unmap(mapping), PERDURE_IN_USE);
  perdure_pin* other = nullptr;
  EXPECT_EQ(perdure_map_pin(mapping, words(), size, 0, &other), PERDURE_OUT_OF_CAPACITY);
  EXPECT_EQ(other, nullptr);
  EXPECT_EQ(perdure_map_pin(mapping, words(), 1, 1, &other), PERDURE_READ_ONLY);
  EXPECT_OK(perdure_map_unpin(pin));
  EXPECT_EQ(perdure_map_unpin(pin), PERDURE_INVALID_ARGUMENT);
  EXPECT_OK(perdure_unmap(mapping));
}

TEST_F(c_pager_test, tells_what_is_wrong) {
  EXPECT_EQ(perdure_map((path + "x").c_str(), &options, &mapping, &data, &size), PERDURE_NOT_FOUND);
  EXPECT_EQ(mapping, nullptr);
  EXPECT_EQ(data, nullptr);
  EXPECT_EQ(perdure_map(nullptr, &options, &mapping, &data, &size), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_map(path.c_str(), nullptr, &mapping, &data, &size), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_map(path.c_str(), &options, nullptr, &data, &size), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_map_descriptor(-1, &options, &mapping, &data, &size), PERDURE_INVALID_ARGUMENT);
  options.mode = 9;
  EXPECT_EQ(perdure_map(path.c_str(), &options, &mapping, &data, &size), PERDURE_INVALID_ARGUMENT);
  options.mode = PERDURE_MAP_PRIVATE_COPY;
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_OK(perdure_map_descriptor(descriptor, &options, &mapping, nullptr, nullptr));
  ::close(descriptor);
  EXPECT_EQ(perdure_map_advise(mapping, {0, 1}, 77), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_map_prefetch(mapping, nullptr, 1), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_map_statistics_get(mapping, nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_OK(perdure_unmap(mapping));
  EXPECT_OK(perdure_unmap(nullptr));
}

}  // namespace
}  // namespace perdure::c
