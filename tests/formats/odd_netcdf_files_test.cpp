// Odd NetCDF files after reports in the issue trackers of netcdf-c, netcdf4-python and others.
// docs/dev/odd-array-files.md has the same table with the reports.
#include <gtest/gtest.h>

#include <cstdint>
#include <perdure/formats/group_attributes.hpp>
#include <string>
#include <vector>

#include "formats/odd_file.hpp"
#include "support/scratch_directory.hpp"

namespace {

using namespace perdure;
using test::big;
using test::fate;

/// Types of classic files by their numbers.
enum class nc : std::uint32_t { byte = 1, chars, int16, int32, float32, float64 };

struct attribute {
  std::string name;
  nc type = nc::chars;
  std::string bytes;
  std::uint32_t count = 0;
};

struct variable {
  std::string name;
  std::vector<std::uint32_t> dims;
  nc type = nc::byte;
  std::uint32_t begin = 0;  ///< from the first element of the file
  std::vector<attribute> attributes = {};
  std::uint32_t bytes = 0;  ///< the header's own number, which the library does not use
};

struct dimension {
  std::string name;
  std::uint32_t length = 0;
};

/// A classic file as it lies on disk.
struct classic {
  std::vector<dimension> dims;
  std::vector<variable> variables;
  std::string elements;
  std::uint32_t records = 0;
  std::vector<attribute> attributes = {};
  char filler = '\0';
  char version = 1;

  std::string padded(std::string text) const { return text.append((4 - text.size() % 4) % 4, filler); }
  std::string name(const std::string& text) const {
    return big(static_cast<std::uint32_t>(text.size())) + padded(text);
  }
  static std::string list(std::uint32_t tag, std::size_t count) {
    return big(count == 0 ? 0 : tag) + big(static_cast<std::uint32_t>(count));
  }
  std::string list_of(const std::vector<attribute>& all) const {
    std::string text = list(12, all.size());
    for (const attribute& one : all)
      text += name(one.name) + big(static_cast<std::uint32_t>(one.type)) + big(one.count) + padded(one.bytes);
    return text;
  }
  std::string header(std::uint32_t begin) const {
    std::string text = std::string("CDF") + version + big(records) + list(10, dims.size());
    for (const dimension& one : dims) text += name(one.name) + big(one.length);
    text += list_of(attributes) + list(11, variables.size());
    for (const variable& one : variables) {
      text += name(one.name) + big(static_cast<std::uint32_t>(one.dims.size()));
      for (const std::uint32_t id : one.dims) text += big(id);
      text += list_of(one.attributes) + big(static_cast<std::uint32_t>(one.type)) + big(one.bytes) +
              big(begin + one.begin);
    }
    return text;
  }
  std::string bytes() const { return header(static_cast<std::uint32_t>(header(0).size())) + elements; }
};

struct odd_classic {
  const char* what;
  classic file;
  fate expected;
};

class OddNetCdfFiles : public testing::Test {
 protected:
  void SetUp() override {
    if (!formats::is_available(formats::file_format::netcdf)) GTEST_SKIP() << "this build has no NetCDF";
  }
  void judge(const std::vector<odd_classic>& files) const {
    for (const odd_classic& one : files) {
      SCOPED_TRACE(one.what);
      test::judge(dir_.write("a.nc", one.file.bytes()), one.expected);
    }
  }
  scratch_directory dir_{fast_directory()};
};

std::string ints(const std::vector<std::int32_t>& values) {
  std::string bytes;
  for (const std::int32_t one : values) bytes += big(one);
  return bytes;
}

TEST_F(OddNetCdfFiles, OfRecords) {
  const std::string cut =
      "is skipped: its elements lie behind the end of the file, which is cut short: it has ";
  judge({
      {"bytes of a single variable with records have no padding",
       {.dims = {{"t", 0}}, .variables = {{"b", {0}, nc::byte}}, .elements = "\1\2\3\4\5", .records = 5},
       {.arrays = "b: int8[5] [1, 2, 3, 4, 5]"}},
      {"short integers of a single variable with records",
       {.dims = {{"t", 0}},
        .variables = {{"s", {0}, nc::int16}},
        .elements = std::string("\0\1\0\2\0\3", 6),
        .records = 3},
       {.arrays = "s: int16[3] [1, 2, 3]"}},
      {"records of two variables are padded",
       {.dims = {{"t", 0}},
        .variables = {{"b", {0}, nc::byte}, {"s", {0}, nc::int16, 4}},
        .elements = std::string("\1\0\0\0\0\1\0\0\2\0\0\0\0\2\0\0", 16),
        .records = 2},
       {.arrays = "b: int8[2] [1, 2]; s: int16[2] [1, 2]"}},
      {"no records",
       {.dims = {{"t", 0}, {"x", 2}}, .variables = {{"v", {0, 1}, nc::float32}}, .elements = {}},
       {.arrays = "v: float32[0, 2] []"}},
      {"records that the file does not have",
       {.dims = {{"t", 0}},
        .variables = {{"f", {}, nc::int32}, {"r", {0}, nc::int32, 4}},
        .elements = ints({7, 1, 2}),
        .records = 3},
       {.arrays = "f: int32[] 7",
        .losses = "r " + cut + "124 bytes; .attributes loses the dimension t of length 3: no array has it"}},
      {"a file that was written as a stream",
       {.dims = {{"t", 0}},
        .variables = {{"f", {}, nc::int32}, {"r", {0}, nc::int32, 4}},
        .elements = ints({7, 1, 2}),
        .records = UINT32_MAX},
       {.arrays = "f: int32[] 7",
        .losses = "r is skipped: its header does not say how many records there are, as that of a stream; "
                  ".attributes loses the dimension t of length 4294967295: no array has it"}},
      {"records in another dimension than the first",
       {.dims = {{"x", 2}, {"t", 0}},
        .variables = {{"v", {0, 1}, nc::int32}},
        .elements = ints({1, 2}),
        .records = 1},
       {.refusal = "NetCDF cannot open it"}},
  });
}

TEST_F(OddNetCdfFiles, OfHeaders) {
  judge({
      {"digits for zeros as padding, as SciPy wrote it",
       {.dims = {{"xyz", 2}},
        .variables = {{"v", {0}, nc::int32}},
        .elements = ints({1, 2}),
        .attributes = {{"abc", nc::chars, "hello", 5}},
        .filler = '0'},
       {.arrays = ".attributes: uint8[0] []; v: int32[2] [1, 2]"}},
      {"a wrong size of a variable, which is redundant",
       {.dims = {{"x", 2}}, .variables = {{"v", {0}, nc::int32, 0, {}, 999}}, .elements = ints({1, 2})},
       {.arrays = "v: int32[2] [1, 2]"}},
      {"a file that is cut short",
       {.dims = {{"x", 4}}, .variables = {{"v", {0}, nc::int32}}, .elements = ints({1, 2})},
       {.losses =
            "v is skipped: its elements lie behind the end of the file, which is cut short: it has 88 bytes; "
            ".attributes loses the dimension x of length 4: no array has it"}},
      {"no padding behind the last element",
       {.dims = {{"x", 5}}, .variables = {{"v", {0}, nc::byte}}, .elements = "\1\2\3\4\5"},
       {.arrays = "v: int8[5] [1, 2, 3, 4, 5]"}},
      {"two variables of one name",
       {.dims = {}, .variables = {{"v", {}, nc::int32}, {"v", {}, nc::int32, 4}}, .elements = ints({1, 2})},
       {.arrays = "v: int32[] 1", .losses = "v is skipped: another array has the same name"}},
      {"a variable called as a dimension that is not its own",
       {.dims = {{"lat", 2}},
        .variables = {{"lat", {}, nc::int32}, {"v", {0}, nc::int32, 4}},
        .elements = ints({3, 1, 2})},
       {.arrays = "lat: int32[] 3; v: int32[2] [1, 2]"}},
      {"a name in Latin-1",
       {.dims = {}, .variables = {{"gr\xf6\xdf\x65", {}, nc::int32}}, .elements = ints({1})},
       {.arrays = "gr\xf6\xdf\x65: int32[] 1"}},
      {"texts of characters",
       {.dims = {{"x", 2}, {"n", 3}},
        .variables = {{"c", {0, 1}, nc::chars, 0, {{"_Encoding", nc::chars, "utf-8", 5}}}},
        .elements = std::string("ab\0cde", 6)},
       {.arrays = R"(c: char[2, 3] [["a", "b", "\u0000"], ["c", "d", "e"]])"}},
      {"dimensions and no variables",
       {.dims = {{"x", 4}}, .variables = {}, .elements = {}},
       {.losses = ".attributes loses the dimension x of length 4: no array has it"}},
      {"a version that is none",
       {.dims = {}, .variables = {}, .elements = {}, .version = 3},
       {.refusal = "NetCDF cannot open it"}},
  });
}

TEST_F(OddNetCdfFiles, OfAttributes) {
  const classic made{
      .dims = {{"x", 2}},
      .variables = {{"v",
                     {0},
                     nc::int16,
                     0,
                     {{"_FillValue", nc::float64, std::string("\xc0\x22\0\0\0\0\0\0", 8), 1},
                      {"units", nc::chars, "", 0},
                      {"range", nc::int32, "", 0},
                      {"_Unsigned", nc::chars, "true", 4}}},
                    {"w", {0}, nc::int16, 4, {{"_FillValue", nc::chars, "MM", 2}}}},
      .elements = std::string("\0\1\xff\xff\0\3\0\4", 8),
      .attributes = {{"end", nc::chars, std::string("abc\0", 4), 4}, {"Latin-1", nc::chars, "caf\xe9", 4}}};
  const std::filesystem::path file = dir_.write("a.nc", made.bytes());
  test::judge(file, {.arrays = ".attributes: uint8[0] []; v: int16[2] [1, -1]; w: int16[2] [3, 4]"});
  const formats::array_file opened(file);
  const auto& v = opened.at("v");
  EXPECT_EQ(find(v, "_FillValue")->type, element_kind::float64);
  EXPECT_EQ(find(v, "units")->bytes, "");
  EXPECT_EQ(find(v, "range")->dims, extents{0});
  EXPECT_EQ(find(v, "_Unsigned")->bytes, "true");
  EXPECT_EQ(find(opened.at("w"), "_FillValue")->bytes, "MM");
  EXPECT_EQ(find(opened.at(".attributes"), "end")->bytes, std::string("abc\0", 4));
  EXPECT_EQ(find(opened.at(".attributes"), "Latin-1")->bytes, "caf\xe9");
}

}  // namespace
