// Odd directories of zarr after reports in the issue trackers of zarr-python, zarr-specs, netcdf-c and
// others. docs/dev/odd-array-files.md has the same table with the reports.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "formats/odd_file.hpp"
#include "formats/zarr_bytes.hpp"
#include "support/scratch_directory.hpp"

namespace {

using namespace perdure;
using test::fate;
using test::zarr_2_json;
using test::zarr_3_json;

struct odd_directory {
  const char* what;
  std::map<std::string, std::string> files;  ///< by their paths
  fate expected;
};

class OddZarrFiles : public testing::Test {
 protected:
  void judge(const std::vector<odd_directory>& directories) const {
    for (const odd_directory& one : directories) {
      SCOPED_TRACE(one.what);
      const std::filesystem::path root = dir_ / "a.zarr";
      std::filesystem::remove_all(root);
      for (const auto& [name, bytes] : one.files) test::write_file(root / name, bytes);
      test::judge(root, one.expected);
    }
  }
  scratch_directory dir_{fast_directory()};
};

const std::string group_2 = R"({"zarr_format": 2})";
const std::string group_3 = R"({"zarr_format": 3, "node_type": "group"})";

/// An array of one byte, whose chunk is "0".
std::string byte_2(const std::string& more = "") {
  return zarr_2_json(R"("|u1")", "[1]", "[1]", "null", more);
}

TEST_F(OddZarrFiles, OfVersion2) {
  const std::string two = zarr_2_json(R"("|u1")", "[2, 2]", "[1, 2]");
  const std::string slashes =
      zarr_2_json(R"("|u1")", "[2, 2]", "[1, 2]", "null", R"("dimension_separator": "/", )");
  judge({
      {"chunks in directories, which the metadata do not say",
       {{".zarray", two}, {"0/0", "\1\2"}},
       {.refusal = "its chunks are named with '/' between numbers, and its metadata say '.': set "
                   "dimension_separator"}},
      {"chunks in files, and the metadata say directories",
       {{".zarray", slashes}, {"0.0", "\1\2"}},
       {.refusal = "its chunks are named with '.' between numbers, and its metadata say '/'"}},
      {"no chunks at all", {{".zarray", slashes}}, {.arrays = "uint8[2, 2] [[0, 0], [0, 0]]"}},
      {"no fill_value, filters, compressor and order, as NCZarr",
       {{".zarray", R"({"zarr_format": 2, "shape": [1], "dtype": "|u1", "chunks": [1]})"}, {"0", "\7"}},
       {.arrays = "uint8[1] [7]"}},
      {"an empty list of filters",
       {{".zarray", byte_2(R"("filters": [], )")}, {"0", "\7"}},
       {.arrays = "uint8[1] [7]"}},
      {"texts in base64 as the fill value",
       {{".zarray", zarr_2_json(R"("|S2")", "[1]", "[1]", "null", R"("fill_value": "WA==", )")}},
       {.arrays = R"(char[1, 2] [["X", "\u0000"]])"}},
      {"texts in bytes as the fill value, as an early zarr 3",
       {{".zarray", zarr_2_json(R"("|S2")", "[1]", "[1]", "null", R"("fill_value": [88], )")}},
       {.arrays = R"(char[1, 2] [["X", "\u0000"]])"}},
      {"0 as the fill value of structs, as zarr before 2.2",
       {{".zarray", zarr_2_json(R"([["a", "<i2"]])", "[1]", "[1]", "null", R"("fill_value": 0, )")}},
       {.arrays = R"({2/2 a:int16@0}[1] [{"a": 0}])"}},
      {"0 as the fill value of texts of any length",
       {{".zarray", zarr_2_json(R"("|O")", "[2]", "[1]", "null",
                                R"("filters": [{"id": "vlen-utf8"}], "fill_value": 0, )")},
        {"0", std::string("\1\0\0\0\1\0\0\0a", 9)}},
       {.arrays = R"(string[2] ["a", ""])"}},
      {"NaN as a word, and without quotation marks",
       {{".zgroup", group_2},
        {"a/.zarray", zarr_2_json(R"("<f8")", "[1]", "[1]", "null", R"("fill_value": "NaN", )")},
        {"b/.zarray", zarr_2_json(R"("<f8")", "[1]", "[1]", "null", R"("fill_value": NaN, )")}},
       {.arrays = R"(a: float64[1] ["nan"]; b: float64[1] ["nan"])"}},
      {"fill values that their types do not have",
       {{".zgroup", group_2},
        {"a/.zarray", byte_2(R"("fill_value": -1, )")},
        {"b/.zarray", zarr_2_json(R"("<f4")", "[1]", "[1]", "null", R"("fill_value": 1e300, )")},
        {"c/.zarray", byte_2()},
        {"d/.zarray", zarr_2_json(R"("<f2")", "[1]", "[1]", "null", R"("fill_value": 70000, )")}},
       {.arrays = "c: uint8[1] [0]",
        .losses = "a is skipped: its fill_value is none of its type; b is skipped: its fill_value is none of "
                  "its type; d is skipped: its fill_value is none of its type"}},
      {"a whole number as 5.0", {{".zarray", byte_2(R"("fill_value": 5.0, )")}}, {.arrays = "uint8[1] [5]"}},
      {"a scalar", {{".zarray", zarr_2_json(R"("|u1")", "[]", "[]")}, {"0", "\7"}}, {.arrays = "uint8[] 7"}},
      {"a chunk at the edge that is cut off there",
       {{".zarray", zarr_2_json(R"("|u1")", "[3]", "[2]")}, {"0", "\1\2"}, {"1", "\3"}},
       {.refusal = "it has 1 bytes of elements, and a chunk has 2"}},
      {"an empty chunk", {{".zarray", byte_2()}, {"0", ""}}, {.refusal = "it has 0 bytes"}},
      {"pickled objects",
       {{".zarray", zarr_2_json(R"("|O")", "[1]", "[1]", "null", R"("filters": [{"id": "pickle"}], )")}},
       {.refusal = "the filter \"pickle\""}},
      {"byte order marks",
       {{".zarray", "\xef\xbb\xbf" + byte_2()}, {".zattrs", "\xef\xbb\xbf{}"}},
       {.arrays = "uint8[1] [0]"}},
      {"a half of a surrogate in an attribute",
       {{".zarray", byte_2()}, {".zattrs", R"({"a": "\ud800"})"}},
       {.refusal = "it is no JSON: parse error at line 1, column 14"}},
      {"attributes that were never written",
       {{".zarray", byte_2()}, {".zattrs", ""}},
       {.refusal = "it is no JSON"}},
      {"names of more dimensions than there are",
       {{".zarray", byte_2()}, {".zattrs", R"({"_ARRAY_DIMENSIONS": ["t", "u"]})"}},
       {.arrays = "uint8[1] [0]"}},
  });
}

TEST_F(OddZarrFiles, OfGroups) {
  const std::string byte_3 = zarr_3_json(R"("uint8")", "[1]", "[1]");
  judge({
      {"files of file managers, and other directories",
       {{".zgroup", group_2},
        {".DS_Store", "x"},
        {"x/.zarray", byte_2()},
        {"x/0", "\5"},
        {"x/.DS_Store", "1"},
        {"notes/readme.txt", "hello"}},
       {.arrays = "x: uint8[1] [5]"}},
      {"groups without metadata, version 2",
       {{"a/b/.zarray", byte_2()}, {"a/b/0", "\5"}},
       {.arrays = "a/b: uint8[1] [5]"}},
      {"groups without metadata, version 3",
       {{"zarr.json", group_3}, {"a/b/zarr.json", byte_3}, {"a/b/c/0", "\5"}},
       {.arrays = "a/b: uint8[1] [5]"}},
      {"metadata of both versions",
       {{"zarr.json", group_3}, {".zgroup", group_2}, {"x/.zarray", byte_2()}, {"x/0", "\5"}},
       {.arrays = "x: uint8[1] [5]"}},
      {"an array that .zmetadata has and nothing else",
       {{".zgroup", group_2},
        {".zmetadata", R"({"metadata": {"gone/.zarray": )" + byte_2() + "}}"},
        {"x/.zarray", byte_2()}},
       {.arrays = "x: uint8[1] [0]",
        .losses = "gone is skipped: .zmetadata of the hierarchy has it, and its directory is gone"}},
      {"metadata in .zmetadata alone",
       {{".zmetadata", R"({"metadata": {".zgroup": {"zarr_format": 2}, "x/.zarray": )" + byte_2() + "}}"},
        {"x/0", "\5"}},
       {.arrays = "x: uint8[1] [5]"}},
      {"metadata of one array that are damaged",
       {{".zgroup", group_2}, {"bad/.zarray", "{"}, {"x/.zarray", byte_2()}},
       {.arrays = "x: uint8[1] [0]",
        .losses = "bad is skipped: it is no JSON: parse error at line 1, column 2: syntax error while "
                  "parsing object key - "
                  "unexpected end of input; expected string literal"}},
      {"names beyond ASCII, with blanks, and that differ in case",
       {{".zgroup", group_2},
        {"Gr\xc3\xb6\xc3\x9f\x65/.zarray", byte_2()},
        {"a b/.zarray", byte_2()},
        {"X/.zarray", byte_2()},
        {"x/.zarray", byte_2()}},
       {.arrays =
            "Gr\xc3\xb6\xc3\x9f\x65: uint8[1] [0]; X: uint8[1] [0]; a b: uint8[1] [0]; x: uint8[1] [0]"}},
      {"a directory that has nothing of zarr",
       {{"readme.txt", "hello"}},
       {.refusal = "it has no zarr.json, .zarray or .zgroup"}},
  });
}

TEST_F(OddZarrFiles, OfGroupsInGroups) {
  std::string name = "g";
  for (int i = 1; i < 65; ++i) name += "/g";
  judge({{"more groups in each other than are read",
          {{"zarr.json", group_3},
           {name + "/zarr.json", group_3},
           {"x/zarr.json", zarr_3_json(R"("uint8")", "[1]", "[1]")}},
          {.arrays = "x: uint8[1] [0]", .losses = name + " is skipped: groups are read 64 deep"}}});
}

TEST_F(OddZarrFiles, OfVersion3) {
  const std::string plain = R"([{"name": "bytes"}])";
  const std::string no_index_checksum =
      R"([{"name": "sharding_indexed", "configuration": {"chunk_shape": [1], "codecs": [{"name": "bytes"}],
          "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}}])";
  const std::string no_index_order =
      R"([{"name": "sharding_indexed", "configuration": {"chunk_shape": [1], "codecs": ["bytes"], "index_codecs": ["bytes"]}}])";
  const auto keyed = [](const std::string& how) {
    std::string json = zarr_3_json(R"("uint8")", "[2, 2]", "[1, 2]");
    const std::string usual = R"({"name": "default"})";
    return json.replace(json.find(usual), usual.size(), how);
  };
  judge({
      {"no order of bytes, of elements of one byte",
       {{"zarr.json", zarr_3_json(R"("uint8")", "[1]", "[1]", plain)}, {"c/0", "\5"}},
       {.arrays = "uint8[1] [5]"}},
      {"no order of bytes, of larger elements",
       {{"zarr.json", zarr_3_json(R"("int32")", "[1]", "[1]", plain)}},
       {.refusal = "does not say the order of bytes (endian)"}},
      {"the codec bytes under its first name",
       {{"zarr.json", zarr_3_json(R"("int16")", "[1]", "[1]",
                                  R"([{"name": "endian", "configuration": {"endian": "big"}}])")},
        {"c/0", std::string("\0\5", 2)}},
       {.arrays = "int16[1] [5]"}},
      {"names of codecs alone",
       {{"zarr.json", zarr_3_json(R"("uint8")", "[1]", "[1]", R"(["bytes"])")}, {"c/0", "\5"}},
       {.arrays = "uint8[1] [5]"}},
      {"a codec that need not be understood",
       {{"zarr.json", zarr_3_json(R"("uint8")", "[1]", "[1]",
                                  R"([{"name": "bytes"}, {"name": "x", "must_understand": false}])")}},
       {.refusal = "the codec \"x\""}},
      {"chunks in files, and the metadata say directories",
       {{"zarr.json", keyed(R"("default")")}, {"c.0.0", "\1\2"}},
       {.refusal = "set the separator of chunk_key_encoding to \".\""}},
      {"keys of version 2 with slashes",
       {{"zarr.json", keyed(R"({"name": "v2", "configuration": {"separator": "/"}})")}, {"0/0", "\1\2"}},
       {.arrays = "uint8[2, 2] [[1, 2], [0, 0]]"}},
      {"a grid of chunks of several sizes",
       {{"zarr.json",
         R"({"zarr_format": 3, "node_type": "array", "shape": [3], "data_type": "uint8", "fill_value": 0,
            "chunk_grid": {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": [[1, 2]]}},
            "chunk_key_encoding": "default", "codecs": ["bytes"]})"}},
       {.refusal = "its chunks lie in no regular grid"}},
      {"a shard whose index has no checksum",
       {{"zarr.json", zarr_3_json(R"("uint8")", "[2]", "[2]", no_index_checksum)},
        {"c/0", "\1\2" + test::bytes_of_elements<std::uint64_t>({0, 1, 1, 1})}},
       {.arrays = "uint8[2] [1, 2]"}},
      {"a shard whose index has no order of bytes",
       {{"zarr.json", zarr_3_json(R"("uint8")", "[2]", "[2]", no_index_order)}},
       {.refusal = "it lacks the order of bytes (endian) of its index_codecs"}},
      {"a name for one of two dimensions",
       {{"zarr.json", zarr_3_json(R"("uint8")", "[1, 1]", "[1, 1]", plain, R"(, "dimension_names": ["x"])")}},
       {.arrays = "uint8[1, 1] [[0]]",
        .losses = " loses the names of its dimensions: they are not as many as the dimensions"}},
      {"a fill value as the bits of a NaN",
       {{"zarr.json", zarr_3_json(R"("float32")", "[1]", "[1]",
                                  R"([{"name": "bytes", "configuration": {"endian": "little"}}])", "",
                                  R"("0x7fc00001")")}},
       {.arrays = R"(float32[1] ["nan"])"}},
      {"a fill value beyond 2^53",
       {{"zarr.json", zarr_3_json(R"("int64")", "[1]", "[1]",
                                  R"([{"name": "bytes", "configuration": {"endian": "little"}}])", "",
                                  "9007199254740993")}},
       {.arrays = "int64[1] [9007199254740993]"}},
      {"no fill value",
       {{"zarr.json", R"({"zarr_format": 3, "node_type": "array", "shape": [1], "data_type": "uint8",
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [1]}}, "chunk_key_encoding": "default",
            "codecs": ["bytes"]})"}},
       {.refusal = "it lacks fill_value"}},
      {"dates",
       {{"zarr.json",
         zarr_3_json(R"({"name": "numpy.datetime64", "configuration": {"unit": "ns", "scale_factor": 1}})",
                     "[1]", "[1]")}},
       {.refusal = "convert dates and times to numbers"}},
      {"integers of 4 bits",
       {{"zarr.json", zarr_3_json(R"("int4")", "[1]", "[1]", plain)}},
       {.refusal = "\"int4\", which is no type of ours"}},
  });
}

}  // namespace
