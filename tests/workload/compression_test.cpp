// Compressed bytes in one piece, and rows of delimited text.
#include <gtest/gtest.h>

#include <perdure/workload/compression.hpp>
#include <perdure/workload/delimited_row.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/errors.hpp"
#include "workload/compressed.hpp"

namespace {
using namespace perdure;
using workload::codec;

std::string some_text() {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i % 97) + ' ';
  return text;
}

std::string deflated(const std::string& bytes) {
  std::string out;
  workload::deflate_encoder encoder;
  const auto add = [&](std::string_view some) { out += some; };
  encoder.encode(bytes.substr(0, 1000), add);
  encoder.encode(bytes.substr(1000), add);
  encoder.finish(add);
  return out;
}

TEST(Compression, GivesBackWhatWasCompressed) {
  const std::string text = some_text();
  EXPECT_EQ(workload::decompress(codec::gzip, test::gzip(text), text.size()), text);
  EXPECT_EQ(workload::decompress(codec::zstd, workload::compress_zstd(text), text.size()), text);
  EXPECT_EQ(workload::decompress(codec::xz, test::xz(text), text.size()), text);
  EXPECT_EQ(workload::decompress(codec::bzip2, test::bzip2(text), text.size()), text);
  EXPECT_EQ(workload::decompress(codec::deflate, deflated(text), text.size()), text);
  EXPECT_EQ(workload::decompress(codec::zlib, test::zlib(text), text.size()), text);
  EXPECT_EQ(workload::crc32(workload::crc32(0, "12345"), "6789"), 0xcbf43926U);
}

// Returns a text as each codec packs it.
std::vector<std::pair<codec, std::string>> packed_by_all(const std::string& text) {
  return {{codec::gzip, test::gzip(text)},  {codec::zstd, test::zstd(text)},
          {codec::xz, test::xz(text)},      {codec::bzip2, test::bzip2(text)},
          {codec::deflate, deflated(text)}, {codec::zlib, test::zlib(text)}};
}

TEST(Compression, DamagedTruncatedAndLongerBytesAreRefused) {
  const std::string text = some_text();
  for (const auto& [of, packed] : packed_by_all(text)) {
    const auto refused = [of = of, &text](const std::string& bytes, std::size_t most) {
      return code_of([&] { workload::decompress(of, bytes, most); }) == errc::bad_input;
    };
    const int which = static_cast<int>(of);
    EXPECT_TRUE(refused(packed, text.size() - 1)) << which;
    EXPECT_TRUE(refused(packed.substr(0, packed.size() - 1), text.size())) << which;
    EXPECT_TRUE(refused(packed.substr(0, packed.size() / 2), text.size())) << which;
    EXPECT_TRUE(refused(packed + "x", text.size())) << which;
    EXPECT_TRUE(refused("", text.size())) << which;
  }
}

TEST(Compression, TheBeginningAloneCanBeKept) {
  const std::string text = some_text();
  for (const auto& [of, packed] : packed_by_all(text)) {
    for (const std::size_t kept : {std::size_t{0}, std::size_t{7}, text.size(), text.size() + 1}) {
      const workload::beginning found = workload::decompress_beginning(of, packed, text.size(), kept);
      EXPECT_EQ(found.bytes, text.substr(0, kept));
      EXPECT_EQ(found.size, text.size());
    }
    // What is not kept is checked too.
    const std::string cut = packed.substr(0, packed.size() - 1);
    EXPECT_EQ(code_of([&, of = of] { workload::decompress_beginning(of, cut, text.size(), 7); }),
              errc::bad_input);
    EXPECT_EQ(code_of([&, of = of, &packed = packed] {
                workload::decompress_beginning(of, packed, text.size() - 1, 7);
              }),
              errc::bad_input);
  }
}

std::vector<std::string> fields(const std::string& row, char delimiter, workload::row_cutter::blanks around) {
  const workload::row_cutter cutter(delimiter, around);
  std::vector<std::string> all;
  std::string buffer;
  const char* const end = row.data() + row.size();
  for (const char* p = row.data();; ++p) {
    workload::row_field field;
    workload::row_flaw flaw;
    p = cutter.next(p, end, field, flaw);
    if (flaw != workload::row_flaw::none) return {"flaw " + std::to_string(p - row.data())};
    all.emplace_back(field.text(buffer));
    if (p == end || *p == '\n') return all;
  }
}

TEST(Compression, AWindowLargerThanAllBytesIsRefused) {
  // A frame of one block: three times 'a'. The byte behind the first five is the window's size, 2^(10 + n/8).
  const auto frame = [](unsigned window_log) {
    std::string bytes("\x28\xb5\x2f\xfd\0\0\x1b\0\0a", 10);
    bytes[5] = static_cast<char>((window_log - 10) << 3);
    return bytes;
  };
  EXPECT_EQ(workload::decompress(codec::zstd, frame(27), 3), "aaa");
  EXPECT_TRUE(
      fails_with(errc::bad_input, "larger window", [&] { workload::decompress(codec::zstd, frame(31), 3); }));
  EXPECT_EQ(workload::decompress(codec::zstd, frame(30), std::size_t{1} << 30), "aaa");
  // xz has the window's size behind the number of the filter, and at the end of that header its checksum.
  std::string bytes = test::xz("aaa", 9);
  EXPECT_EQ(workload::decompress(codec::xz, bytes, 3), "aaa");
  constexpr std::size_t header = 12;
  const std::size_t checksum = header + static_cast<std::size_t>(bytes[header]) * 4;
  const std::size_t window = bytes.find("\x21\x01", header) + 2;
  ASSERT_LT(window, checksum);
  bytes[window] = 38;  // 2 GiB
  const std::uint32_t sum = workload::crc32(0, std::string_view(bytes).substr(header, checksum - header));
  bytes.replace(checksum, sizeof sum, reinterpret_cast<const char*>(&sum), sizeof sum);
  EXPECT_TRUE(fails_with(errc::bad_input, "more memory", [&] { workload::decompress(codec::xz, bytes, 3); }));
}

TEST(DelimitedRow, IsCutAtItsDelimiters) {
  using strings = std::vector<std::string>;
  constexpr auto kept = workload::row_cutter::blanks::kept;
  constexpr auto dropped = workload::row_cutter::blanks::dropped;
  EXPECT_EQ(fields("a, b ,\"c,\"\"d\" ,\r\nnext", ',', kept), (strings{"a", " b ", "c,\"d", ""}));
  EXPECT_EQ(fields("a, b , \"c\" ,", ',', dropped), (strings{"a", "b", "c", ""}));
  EXPECT_EQ(fields("  a \t b", ' ', dropped), (strings{"a", "b"}));
  EXPECT_EQ(fields("\"a b\"\tc", ' ', dropped), (strings{"a b", "c"}));
  EXPECT_EQ(fields("\"a\nb\";c", ';', kept), (strings{"a\nb", "c"}));
  EXPECT_EQ(fields("a,\"b", ',', kept), strings{"flaw 2"});
  EXPECT_EQ(fields("\"a\"b", ',', kept), strings{"flaw 3"});
}

TEST(DelimitedRow, ItsDelimiterIsFoundOutsideOfQuotes) {
  EXPECT_EQ(workload::delimiter_of("a,b;c;d", ' '), ';');
  EXPECT_EQ(workload::delimiter_of("a,b,c\td", ' '), '\t');
  EXPECT_EQ(workload::delimiter_of("\"a\tb;;\",c", ' '), ',');
  EXPECT_EQ(workload::delimiter_of("a b", ' '), ' ');
  EXPECT_EQ(workload::row_end("\"a\nb\"\nc"), 5U);
}

}  // namespace
