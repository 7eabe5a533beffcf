#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <perdure/error.hpp>
#include <perdure/workload/byte_stream.hpp>
#include <string>
#include <thread>

#include "support/scratch_directory.hpp"
#include "workload/compressed.hpp"

namespace {
using perdure::errc;
using perdure::scratch_directory;
namespace workload = perdure::workload;

std::string all_of(workload::byte_stream& stream, std::size_t at_once = 100'000) {
  std::string all;
  std::string part(at_once, '\0');
  while (const std::size_t got = stream.read(part.data(), part.size())) all.append(part, 0, got);
  // The end stays the end.
  EXPECT_EQ(stream.read(part.data(), part.size()), 0U);
  return all;
}

struct format {
  const char* name;
  std::string (*compress)(std::string_view);
};

void PrintTo(const format& one, std::ostream* out) {
  *out << one.name;
}

class ByteStream : public testing::TestWithParam<format> {
 protected:
  std::string read(const std::string& bytes, std::size_t at_once = 100'000) {
    return all_of(*workload::open_byte_stream(dir_.write("file", bytes)), at_once);
  }
  std::string refusal(const std::string& bytes) {
    try {
      read(bytes);
    } catch (const perdure::error& e) {
      EXPECT_EQ(e.code(), errc::bad_input);
      return e.what();
    }
    return "none";
  }
  static std::string compress(std::string_view bytes) { return GetParam().compress(bytes); }
  static std::string sample() {
    std::string text;
    for (int i = 0; i < 60'000; ++i) text += std::to_string(i) + ' ' + std::to_string(i * 31 % 1000) + '\n';
    return text;
  }

  scratch_directory dir_;
};

INSTANTIATE_TEST_SUITE_P(
    Formats, ByteStream,
    testing::Values(format{"gzip", [](std::string_view b) { return perdure::test::gzip(b); }},
                    format{"zstd", [](std::string_view b) { return perdure::test::zstd(b); }},
                    format{"xz", [](std::string_view b) { return perdure::test::xz(b); }},
                    format{"bzip2", [](std::string_view b) { return perdure::test::bzip2(b); }}),
    [](const auto& one) { return one.param.name; });

TEST_P(ByteStream, IsRecognisedByContent) {
  const std::string text = sample();
  const std::string bytes = compress(text);
  EXPECT_EQ(read(bytes), text);
  EXPECT_EQ(read(bytes, 7), text);
  EXPECT_EQ(read(compress("")), "");
  EXPECT_EQ(read("plain"), "plain");
  EXPECT_EQ(read(""), "");
  const auto stream = workload::open_byte_stream(dir_.write("noext", bytes));
  EXPECT_EQ(stream->length(), bytes.size());
  EXPECT_EQ(stream->name(), (dir_ / "noext").string());
  all_of(*stream);
  EXPECT_EQ(stream->progress().done, bytes.size());
}

TEST_P(ByteStream, SeveralFilesMayFollowOneAnother) {
  const std::string text = sample();
  EXPECT_EQ(read(compress(text) + compress("") + compress("more\n")), text + "more\n");
}

TEST_P(ByteStream, WhatEndsTooEarlyIsRefused) {
  const std::string whole = compress(sample());
  for (const std::size_t length : {std::size_t{6}, std::size_t{15}, whole.size() / 2, whole.size() - 1})
    EXPECT_NE(
        refusal(whole.substr(0, length))
            .find("file: the " + std::string(GetParam().name) + " data ends too early (truncated file?)"),
        std::string::npos)
        << length;
  EXPECT_NE(refusal(whole + whole.substr(0, whole.size() / 2)).find("ends too early"), std::string::npos);
}

TEST_P(ByteStream, DamageIsRefused) {
  const std::string whole = compress(sample());
  const std::string damaged = "the " + std::string(GetParam().name) + " data is damaged";
  for (std::size_t at = 6; at < whole.size(); at += whole.size() / 37) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x20);
    // Some bytes, like a time stamp, mean nothing to the content.
    try {
      EXPECT_EQ(read(flipped), sample()) << at;
    } catch (const perdure::error& e) {
      EXPECT_EQ(e.code(), errc::bad_input);
    }
  }
  std::string flipped = whole;
  flipped[whole.size() / 2] = static_cast<char>(flipped[whole.size() / 2] ^ 0xff);
  EXPECT_NE(refusal(flipped).find(damaged), std::string::npos) << refusal(flipped);
  EXPECT_NE(refusal(whole + std::string(50, 't')).find(damaged), std::string::npos);
}

TEST_P(ByteStream, APipeIsReadAsItComes) {
  const std::string text = sample();
  const std::string bytes = compress(text);
  std::array<int, 2> ends;
  ASSERT_EQ(::pipe(ends.data()), 0);
  std::jthread writer([&] {
    for (std::size_t at = 0; at < bytes.size();) {
      // The first bytes one by one: what it is can only be seen when there are enough.
      const std::size_t size = at < 10 ? 1 : std::min<std::size_t>(5000, bytes.size() - at);
      const ssize_t written = ::write(ends[1], bytes.data() + at, size);
      if (written <= 0) break;
      at += static_cast<std::size_t>(written);
    }
    ::close(ends[1]);
  });
  const auto stream = workload::open_byte_stream("/proc/self/fd/" + std::to_string(ends[0]));
  EXPECT_EQ(stream->length(), 0U);
  EXPECT_EQ(all_of(*stream), text);
  ::close(ends[0]);
}

TEST(ByteStreamOfPipe, TheFirstBytesNeedNotBeEnoughForAFormat) {
  std::array<int, 2> ends;
  ASSERT_EQ(::pipe(ends.data()), 0);
  ASSERT_EQ(::write(ends[1], "1 2\n", 4), 4);
  // Returns though the writer has not closed.
  const auto stream = workload::open_byte_stream("/proc/self/fd/" + std::to_string(ends[0]));
  std::array<char, 100> part;
  EXPECT_EQ(stream->read(part.data(), part.size()), 4U);
  ::close(ends[1]);
  EXPECT_EQ(stream->read(part.data(), part.size()), 0U);
  ::close(ends[0]);
}

TEST(ByteStreamNames, LoseTheEndingOfTheFormat) {
  EXPECT_EQ(workload::uncompressed_name("a/b.bin.gz"), "a/b.bin");
  EXPECT_EQ(workload::uncompressed_name("b.txt.zst"), "b.txt");
  EXPECT_EQ(workload::uncompressed_name("b.xz"), "b");
  EXPECT_EQ(workload::uncompressed_name("b.txt"), "b.txt");
}

}  // namespace
