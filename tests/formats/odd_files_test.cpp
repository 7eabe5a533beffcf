// Odd NumPy files and tables of text after reports in the issue trackers of NumPy, pandas and others. Each is
// read right, or what is lost is named, or it is refused with a reason. docs/dev/odd-array-files.md has the
// same table with the reports.
#include <gtest/gtest.h>

#include <perdure/workload/compression.hpp>
#include <string>
#include <vector>

#include "formats/odd_file.hpp"
#include "support/scratch_directory.hpp"

namespace {

using namespace perdure;
using namespace std::string_literals;
using test::fate;
using test::little;

struct odd_file {
  const char* what;
  std::string bytes;
  fate expected;
};

class OddArrayFiles : public testing::Test {
 protected:
  void judge(const std::string& name, const std::vector<odd_file>& files) const {
    for (const odd_file& one : files) {
      SCOPED_TRACE(one.what);
      test::judge(dir_.write(name, one.bytes), one.expected);
    }
  }
  scratch_directory dir_{fast_directory()};
};

/// A .npy file whose header is given as it stands.
std::string npy(const std::string& header, const std::string& elements, char version = 1) {
  const auto length = static_cast<std::uint32_t>(header.size());
  return "\x93NUMPY"s + version + '\0' + little(length).substr(0, version == 1 ? 2 : 4) + header + elements;
}

std::string two_integers(std::int32_t a = 1, std::int32_t b = 2) {
  return npy("{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }\n", little(a) + little(b));
}

TEST_F(OddArrayFiles, OfNumPy) {
  const std::string one_byte = ", 'fortran_order': False, 'shape': (1,), }\n";
  judge("a.npy",
        {
            {"integers of Python 2 in the shape",
             npy("{'descr': '|u1', 'fortran_order': False, 'shape': (1L, 2L), }", "\1\2"),
             {.arrays = "uint8[1, 2] [[1, 2]]"}},
            {"NumPy's integers in the shape",
             npy("{'descr': '|u1', 'fortran_order': False, 'shape': (np.int64(1),), }", "\1"),
             {.refusal = "no number, text, tuple or list, at character 52"}},
            {"no blanks, quotation marks, another order of keys, a list as the shape, no line feed",
             npy(R"({"shape":[2],"fortran_order":False,"descr":"|u1"})", "\1\2"),
             {.arrays = "uint8[2] [1, 2]"}},
            {"a number as the shape",
             npy("{'descr': '|u1', 'fortran_order': False, 'shape': (2)}", "\1\2"),
             {.refusal = "lacks descr, fortran_order or shape"}},
            {"a header that ends in a carriage return",
             npy("{'descr': '|u1'" + one_byte + "\r\n", "\1"),
             {.arrays = "uint8[1] [1]"}},
            {"another key in the header",
             npy("{'descr': '|u1', 'fortran_order': False, 'shape': (1,), 'note': 'x'}", "\1"),
             {.arrays = "uint8[1] [1]", .losses = " loses \"note\" of its header, which is not known"}},
            {"version 4",
             npy("{'descr': '|u1'" + one_byte, "\1", 4),
             {.refusal = "version 4, which is not known"}},
            {"several arrays in one file",
             two_integers() + two_integers(3, 4),
             {.arrays = "int32[2] [1, 2]",
              .losses = " loses 76 bytes behind its elements, where another array begins"}},
            {"a byte too much",
             two_integers() + 'x',
             {.arrays = "int32[2] [1, 2]", .losses = " loses 1 byte behind its elements"}},
            {"a byte too few", two_integers().substr(0, 75), {.refusal = "it is cut short"}},
            {"nothing", "", {.refusal = "too short for a .npy file"}},
            {"a pointer of Git LFS",
             "version https://git-lfs.github.com/spec/v1\n",
             {.refusal = "it is no .npy file"}},
            {"fields with titles",
             npy("{'descr': [(('a title', 'x'), '|u1'), ('y', '|i1')]" + one_byte, "\1\xff"),
             {.arrays = R"({2/1 x:uint8@0 y:int8@1}[1] [{"x": 1, "y": -1}])",
              .losses = " loses the title of the field \"x\""}},
            {"unnamed fields of padding, twice",
             npy("{'descr': [('a', '|i1'), ('', '|V3'), ('b', '<i4'), ('', '|V4')]" + one_byte,
                 "\1\0\0\0\2\0\0\0\0\0\0\0"s),
             {.arrays = R"({12/4 a:int8@0 b:int32@4}[1] [{"a": 1, "b": 2}])"}},
            {"a dictionary of names, formats and offsets",
             npy("{'descr': {'names': ['a'], 'formats': ['<u2'], 'offsets': [0], 'itemsize': 2}" + one_byte,
                 "\1\0"s),
             {.refusal = "neither a name nor a list of fields"}},
            {"two fields of one name",
             npy("{'descr': [('a', '|i1'), ('a', '|i1')]" + one_byte, "\1\2"),
             {.refusal = "two fields are called a"}},
            {"a name of a field beyond ASCII, version 3",
             npy("{'descr': [('\xc3\xa9\xe2\x98\x83', '|u1')]" + one_byte, "\1", 3),
             {.arrays = "{1/1 \"\xc3\xa9\xe2\x98\x83\":uint8@0}[1] [{\"\xc3\xa9\xe2\x98\x83\": 1}]"}},
            {"bfloat16 of ml_dtypes",
             npy("{'descr': '<V2'" + one_byte, "\x80\x3f"),
             {.arrays = "opaque(2/1 void)[1] [\"803f\"]"}},
            {"bfloat16 by name",
             npy("{'descr': 'bfloat16'" + one_byte, "\x80\x3f"),
             {.refusal = "of type 'bfloat16', which is none"}},
            {"dates with NaT",
             npy("{'descr': '<M8[ns]'" + one_byte, little(std::int64_t{INT64_MIN})),
             {.refusal = "dates or times"}},
            {"numbers of 128 bits",
             npy("{'descr': '<f16'" + one_byte, std::string(16, '\0')),
             {.refusal = "of type '<f16', which is no type of ours"}},
            {"more dimensions than NumPy had",
             npy("{'descr': '|u1', 'fortran_order': False, 'shape': "
                 "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
                 "1,1,1,1,1,1,1)}",
                 "\1"),
             {.refusal = "up to 32"}},
            {"no elements, of dimensions that overflow",
             npy("{'descr': '|u1', 'fortran_order': False, 'shape': (0, 4294967296, 4294967296)}", ""),
             {.arrays = "uint8[0, 4294967296, 4294967296] []"}},
            {"a surrogate in a text",
             npy("{'descr': '<U1'" + one_byte, little(std::uint32_t{0xd800})),
             {.refusal = "no Unicode"}},
        });
}

/// A zip archive of stored members, each as its name and its bytes.
std::string zip(const std::vector<std::pair<std::string, std::string>>& members, unsigned method = 0,
                unsigned flags = 0) {
  std::string all;
  std::string directory;
  for (const auto& [name, bytes] : members) {
    const auto size = static_cast<std::uint32_t>(bytes.size());
    const std::string facts = little(std::uint16_t(flags)) + little(std::uint16_t(method)) +
                              little(std::uint32_t{0}) + little(workload::crc32(0, bytes)) + little(size) +
                              little(size) + little(std::uint16_t(name.size())) + little(std::uint16_t{0});
    directory += "PK\1\2\x14\0\x14\0"s + facts + std::string(10, '\0') +
                 little(static_cast<std::uint32_t>(all.size())) + name;
    all += "PK\3\4\x14\0"s + facts + name + bytes;
  }
  const auto count = static_cast<std::uint16_t>(members.size());
  const auto begin = static_cast<std::uint32_t>(all.size());
  return all + directory + "PK\5\6\0\0\0\0"s + little(count) + little(count) +
         little(static_cast<std::uint32_t>(directory.size())) + little(begin) + little(std::uint16_t{0});
}

TEST_F(OddArrayFiles, OfArchives) {
  std::string damaged = zip({{"a.npy", two_integers()}});
  damaged[damaged.find(two_integers()) + two_integers().size() - 8] ^= 1;
  judge(
      "a.npz",
      {
          {"a bit of a stored member has changed", damaged, {.refusal = "a.npy contradicts its checksum"}},
          {"what the Finder adds",
           zip({{"a.npy", two_integers()}, {"__MACOSX/._a.npy", "\0\5\x16\7"s}}),
           {.arrays = "a: int32[2] [1, 2]", .losses = "__MACOSX/._a is skipped: it is no .npy file"}},
          {"directories",
           zip({{"g/", ""}, {"g/a.npy", two_integers()}}),
           {.arrays = "g/a: int32[2] [1, 2]", .losses = "g/ is skipped: it is no .npy file"}},
          {"arrays whose names have no suffix",
           zip({{"a", two_integers()}, {"readme", "hello"}}),
           {.arrays = "a: int32[2] [1, 2]", .losses = "readme is skipped: it is no .npy file"}},
          {"one name with the suffix and without",
           zip({{"a", two_integers()}, {"a.npy", two_integers()}}),
           {.refusal = "two members are called \"a\""}},
          {"one name twice",
           zip({{"a.npy", two_integers()}, {"a.npy", two_integers(3)}}),
           {.refusal = "two members are called \"a\""}},
          {"names that no array can have",
           zip({{"/a.npy", two_integers()}, {"b//c.npy", two_integers()}, {"d.npy", two_integers()}}),
           {.arrays = "d: int32[2] [1, 2]",
            .losses =
                "/a is skipped: names have 1 to 4096 bytes here, with single slashes between parts; b//c "
                "is skipped: names have 1 to 4096 bytes here, with single slashes between parts"}},
          {"a member that is cut short",
           zip({{"a.npy", two_integers().substr(0, 70)}}),
           {.refusal = "the member a.npy: it is cut short"}},
          {"Python objects beside an array",
           zip({{"a.npy", two_integers()},
                {"b.npy", npy("{'descr': '|O', 'fortran_order': False, 'shape': (), }", "\x80\x03K\x01.")}}),
           {.arrays = "a: int32[2] [1, 2]",
            .losses =
                "b is skipped: its elements are Python objects (of type '|O'): convert them to numbers in "
                "NumPy first"}},
          {"bzip2 inside",
           zip({{"a.npy", two_integers()}}, 12),
           {.refusal = "a method that is not known (12)"}},
          {"encrypted", zip({{"a.npy", two_integers()}}, 0, 1), {.refusal = "its members are encrypted"}},
          {"a program before the archive",
           "#!/bin/sh\n" + zip({{"a.npy", two_integers()}}),
           {.refusal = "its directory is damaged"}},
          {"no directory at the end",
           zip({{"a.npy", two_integers()}}).substr(0, 60),
           {.refusal = "its directory is missing"}},
          {"no members", zip({}), {}},
      });
}

TEST_F(OddArrayFiles, OfText) {
  const std::string rounded = "would be rounded to float64, which its column needs";
  const std::string beyond = "is a number that float64 does not have";
  judge(
      "a.csv",
      {
          {"integers of 64 bits beside empty fields",
           "a,b\n,1\n1234567890123456789,\n",
           {.refusal = "line 3: the integer \"1234567890123456789\" " + rounded}},
          {"integers beyond 2^53 beside fractions",
           "9007199254740993\n0.5\n",
           {.refusal = "line 1: the integer \"9007199254740993\" " + rounded}},
          {"integers up to 2^53, and powers of two",
           "a\n9007199254740992\n1152921504606846976\n0.5\n",
           {.arrays = "float64[3] [9007199254740992, 1152921504606846976, 0.5]",
            .losses = " loses the name of its column, \"a\""}},
          {"unsigned integers of 64 bits",
           "a,b\n17758512297797920768,1\n",
           {.arrays = R"({16/8 a:uint64@0 b:int64@8}[1] [{"a": 17758512297797920768, "b": 1}])"}},
          {"unsigned ones beside negative ones",
           "-1\n18446744073709551615\n",
           {.refusal = "line 2: the integer \"18446744073709551615\" " + rounded}},
          {"integers of more than 64 bits",
           "123456789012345678901234567890\n",
           {.refusal = "line 1: the integer \"123456789012345678901234567890\" " + rounded}},
          {"identifiers that look like large numbers",
           "101E010031\n888E010010\n",
           {.refusal = "line 2: \"888E010010\" " + beyond}},
          {"addresses without separators",
           "mac\n001E46977290\n00080E579718\n",
           {.refusal = "line 2: \"001E46977290\" " + beyond}},
          {"addresses in quotation marks",
           "\"001E46977290\"\n\"00080E579718\"\n",
           {.arrays = R"(string[2] ["001E46977290", "00080E579718"])"}},
          {"numbers that are too small", "1e-400\n1\n", {.refusal = "line 1: \"1e-400\" " + beyond}},
          {"the smallest numbers",
           "5e-324\n-2.2250738585072011e-308\n",
           {.arrays = "float64[2] [5e-324, -2.225073858507201e-308]"}},
          {"zeros before numbers",
           "zip,n\n01234,1\n00501,2\n",
           {.arrays = R"({16/8 zip:int64@0 n:int64@8}[2] [{"zip": 1234, "n": 1}, {"zip": 501, "n": 2}])",
            .losses =
                " loses the zeros before numbers, as in \"01234\" in line 2: --type string keeps them"}},
          {"colours as rows",
           "color\n#ff0000\n#00ff00\n",
           {.arrays = R"(string[1] ["color"])", .losses = " loses 2 comments (#), the first in line 2"}},
          {"a number sign inside of a row",
           "n,color\n1,#ff0000\n",
           {.arrays = R"({16/8 n:int64@0 color:char[7]@8}[1] [{"n": 1, "color": "#ff0000"}])"}},
          {"names in a comment, as NumPy writes them",
           "# a,b\n1,2\n",
           {.arrays = "int64[1, 2] [[1, 2]]", .losses = " loses 1 comment (#), in line 1"}},
          {"a negative amount in parentheses", "(1)\n(2)\n", {.arrays = "string[2] [\"(1)\", \"(2)\"]"}},
          {"complex numbers in parentheses",
           "(1+2j)\n(3-4j)\n",
           {.arrays = R"(complex128[2] ["1+2j", "3-4j"])"}},
          {"UTF-16 with a mark",
           "\xff\xfe"
           "a\0,\0b\0\n\0001\0,\0002\0\n\0"s,
           {.refusal = "it is UTF-16"}},
          {"UTF-16 without a mark", "a\0,\0b\0\n\0001\0,\0002\0\n\0"s, {.refusal = "it is UTF-16"}},
          {"a zero byte in a number", "a,b\n1,2\0003\n"s, {.refusal = "line 2: a text has a zero byte"}},
          {"zero bytes in the place of nothing",
           "1,2\n\0,3\n"s,
           {.refusal = "line 2: a text has a zero byte"}},
          {"a separator at the ends of rows, and not of names",
           "A,B,C\n1,4,7,\n2,5,8,\n",
           {.refusal = "line 2 has 4 fields, and the first one 3"}},
          {"a separator at the ends of all lines",
           "A,B,\n1,2,\n",
           {.arrays = R"({24/8 A:int64@0 B:int64@8 f2:float64@16}[1] [{"A": 1, "B": 2, "f2": "nan"}])"}},
          {"fewer fields in a row", "a,b,c\n1,2\n", {.refusal = "line 2 has 2 fields, and the first one 3"}},
          {"a line of a total",
           "a,b\n1,2\nTotal: 3\n",
           {.refusal = "line 3 has 1 field, and the first one 2"}},
          {"facts before the table",
           "File: x.dat\na,b\n1,2\n",
           {.refusal = "line 2 has 2 fields, and the first one 1"}},
          {"a comma in a date between semicolons",
           "April 15, 2023;25.00\nApril 14, 2023;24.00\n",
           {.refusal = "may be separated by ';' or by ','"}},
          {"times between semicolons",
           "Duration;Phase\n6:30;First developer\n",
           {.arrays = R"(string[2, 2] [["Duration", "Phase"], ["6:30", "First developer"]])"}},
          {"an entity of HTML",
           "name,id\nO&#039;Connor,1\n",
           {.arrays = R"({24/8 name:char[13]@0 id:int64@16}[1] [{"name": "O&#039;Connor", "id": 1}])"}},
          {"hexadecimal numbers",
           "id,h\n1,0x10\n",
           {.arrays = R"({16/8 id:int64@0 h:char[4]@8}[1] [{"id": 1, "h": "0x10"}])"}},
          {"signs before what is no number",
           "+1\n+inf\n-nan\n-Infinity\n",
           {.arrays = R"(float64[4] [1, "inf", "nan", "-inf"])"}},
          {"infinities of Visual C++",
           "a,b\n1,1.#INF\n",
           {.arrays = R"({16/8 a:int64@0 b:char[6]@8}[1] [{"a": 1, "b": "1.#INF"}])"}},
          {"nulls of PostgreSQL",
           "1\t\\N\n2\tx\n",
           {.arrays = R"({16/8 f0:int64@0 f1:char[2]@8}[2] [{"f0": 1, "f1": "\\N"}, {"f0": 2, "f1": "x"}])"}},
          {"an exponent of Fortran without its letter",
           "1.0+100\n2\n",
           {.refusal = "line 1: \"1.0+100\" may be the name of a column or a value"}},
          {"a minus sign of Unicode",
           "1,2\n3,\xe2\x88\x92\x34\n",
           {.arrays = "{16/8 f0:int64@0 f1:char[4]@8}[2] [{\"f0\": 1, \"f1\": \"2\"}, {\"f0\": 3, \"f1\": "
                      "\"\xe2\x88\x92\x34\"}]"}},
          {"a backslash before a quotation mark",
           "a,b\n\"x\\\"y\",1\n",
           {.refusal = "line 2: something stands behind"}},
          {"apostrophes as quotation marks",
           "'a','b'\n1,2\n",
           {.arrays = R"({16/8 "'a'":int64@0 "'b'":int64@8}[1] [{"'a'": 1, "'b'": 2}])"}},
          {"a mark of the end of old files", "1,2\n\x1a", {.refusal = "line 2 has 1 field"}},
          {"line ends of two kinds",
           "a,b\r\n1,2\n3,4\r\n",
           {.arrays = R"({16/8 a:int64@0 b:int64@8}[2] [{"a": 1, "b": 2}, {"a": 3, "b": 4}])"}},
          {"names alone", "a,b\n", {.arrays = R"(string[1, 2] [["a", "b"]])"}},
          {"empty lines alone", "\n\n", {.refusal = "it has no values"}},
      });
}

TEST_F(OddArrayFiles, OfTextWhoseTypeIsSaid) {
  const auto file = dir_.write("a.csv", "a\n01234567890123456789\n1\n");
  test::judge(
      file,
      {.arrays = "float64[2] [1234567890123456768, 1]", .losses = " loses the name of its column, \"a\""},
      {.type = data_type(element_kind::float64)});
  test::judge(dir_.write("a.csv", "1e400\n"), {.refusal = "\"1e400\" is no float64"},
              {.type = data_type(element_kind::float64)});
  test::judge(dir_.write("a.csv", "1e39\n"), {.refusal = "\"1e39\" is no float32"},
              {.type = data_type(element_kind::float32)});
  test::judge(dir_.write("a.csv", "70000\n"), {.refusal = "\"70000\" is no float16"},
              {.type = data_type(element_kind::float16)});
  test::judge(dir_.write("a.csv", "1e-40\n"), {.arrays = "float32[1] [1e-40]"},
              {.type = data_type(element_kind::float32)});
}

TEST_F(OddArrayFiles, OfOtherFormatsUnderOurNames) {
  judge("a.nc",
        {
            {"HDF4", "\x0e\x03\x13\x01 and more", {.refusal = "it is a file of HDF4, which is not read"}},
            {"GRIB", "GRIB and more of it", {.refusal = "it is a file of GRIB, which is not read"}},
        });
  judge("a.mat", {
                     {"MATLAB before 7.3", "MATLAB 5.0 MAT-file, Platform: GLNXA64", {.refusal = "-v7.3"}},
                     {"nothing", "", {.refusal = "its format is not known"}},
                 });
}

}  // namespace
