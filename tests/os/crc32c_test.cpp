#include "os/crc32c.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace perdure::os {
namespace {

TEST(crc32c, has_the_published_values) {
  // RFC 3720, appendix B.4, and the check value of the Castagnoli polynomial.
  EXPECT_EQ(crc32c(0, "123456789", 9), 0xe3069283u);
  std::vector<unsigned char> bytes(32, 0);
  EXPECT_EQ(crc32c(0, bytes.data(), 32), 0x8a9136aau);
  std::fill(bytes.begin(), bytes.end(), static_cast<unsigned char>(0xff));
  EXPECT_EQ(crc32c(0, bytes.data(), 32), 0x62a8ab43u);
  for (std::size_t i = 0; i < 32; ++i) bytes[i] = static_cast<unsigned char>(i);
  EXPECT_EQ(crc32c(0, bytes.data(), 32), 0x46dd794eu);
  EXPECT_EQ(crc32c_portable(0, bytes.data(), 32), 0x46dd794eu);
  EXPECT_EQ(crc32c(17, bytes.data(), 0), 17u);
}

TEST(crc32c, agrees_in_all_implementations_lengths_and_alignments) {
  std::mt19937 random(1);
  std::vector<unsigned char> bytes(20000);
  for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random());
  std::vector<unsigned char> copy(bytes.size());
  for (int round = 0; round < 400; ++round) {
    const std::size_t from = random() % 64;
    const std::size_t length = round < 200 ? random() % 100 : random() % (bytes.size() - 64);
    const std::uint32_t seed = static_cast<std::uint32_t>(random());
    const std::uint32_t expected = crc32c_portable(seed, bytes.data() + from, length);
    EXPECT_EQ(crc32c(seed, bytes.data() + from, length), expected) << length;
    EXPECT_EQ(crc32c_unfolded(seed, bytes.data() + from, length), expected) << length;
    std::fill(copy.begin(), copy.end(), static_cast<unsigned char>(0));
    EXPECT_EQ(crc32c_copy(seed, copy.data() + 3, bytes.data() + from, length), expected) << length;
    EXPECT_EQ(std::memcmp(copy.data() + 3, bytes.data() + from, length), 0);
    EXPECT_EQ(copy[3 + length], 0);
  }
}

TEST(crc32c, of_parts_is_that_of_the_whole) {
  const std::string text(9000, 'q');
  EXPECT_EQ(crc32c(crc32c(0, text.data(), 4100), text.data() + 4100, text.size() - 4100),
            crc32c(0, text.data(), text.size()));
}

TEST(crc32c, of_a_page_is_appended) {
  std::mt19937 random(2);
  std::vector<unsigned char> bytes(100 + 2 * page_bytes);
  for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random());
  std::uint32_t crc = crc32c(0, bytes.data(), 100);
  for (int i = 0; i < 2; ++i)
    crc = crc32c_append_page(crc, crc32c(0, bytes.data() + 100 + i * page_bytes, page_bytes));
  EXPECT_EQ(crc, crc32c(0, bytes.data(), bytes.size()));
  EXPECT_EQ(crc32c_append_page(0, 17u), 17u);
}

}  // namespace
}  // namespace perdure::os
