// Directories of zarr as others write them: both versions, codecs, shards, extensions, and arrays of which
// most is not there.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <numeric>
#include <perdure/array/attribute_value.hpp>
#include <perdure/formats/array_comparison.hpp>
#include <perdure/formats/array_text.hpp>
#include <perdure/formats/group_attributes.hpp>
#include <perdure/formats/store_exchange.hpp>

#include "formats/zarr_bytes.hpp"
#include "os/crc32c.hpp"
#include "support/errors.hpp"
#include "support/scratch_directory.hpp"
#include "workload/compressed.hpp"

namespace {

using namespace perdure;
using namespace perdure::formats;
using namespace perdure::test;

class Zarr : public testing::Test {
 protected:
  std::filesystem::path path(const std::string& name) const { return dir_ / name; }
  void write(const std::string& name, std::string_view bytes) const { write_file(path(name), bytes); }
  std::string json_of(const std::string& name, const std::string& array = "") const {
    const array_file file(path(name));
    std::string out;
    write_text(file.at(array), text_style::json, [&](std::string_view some) { out += some; });
    return out;
  }
  /// Whether a directory is refused with this code and these words, or one of its chunks is.
  bool is_refused(const std::string& name, errc code, const std::string& words) const {
    return static_cast<bool>(fails_with(code, words, [&] { json_of(name); }));
  }

  scratch_directory dir_{fast_directory()};
};

std::string json_without_blanks(std::string json) {
  std::erase_if(json, [](char c) { return c == ' ' || c == '\n'; });
  return json;
}

const array_attribute& attribute(const array_source& from, const std::string& key) {
  for (const array_attribute& one : from.what().attributes)
    if (one.key == key) return one;
  throw error(errc::not_found, key);
}

TEST_F(Zarr, Version2HasOrdersSeparatorsAndFillValues) {
  // A chunk is whole at the edge too.
  write("c/.zarray", zarr_2_json(R"("<i4")", "[2, 3]", "[2, 2]", "null", R"("fill_value": 7, )"));
  write("c/0.0", bytes_of_elements<std::int32_t>({1, 2, 3, 4}));
  EXPECT_EQ(json_of("c"), "[[1, 2, 7],\n[3, 4, 7]]");
  write("f/.zarray",
        zarr_2_json(R"(">i2")", "[2, 3]", "[2, 3]", "null", R"("order": "F", "dimension_separator": "/", )"));
  write("f/0/0", std::string("\0\1\0\4\0\2\0\5\0\3\0\6", 12));
  EXPECT_EQ(json_of("f"), "[[1, 2, 3],\n[4, 5, 6]]");
  write("n/.zarray", zarr_2_json(R"("<f8")", "[2]", "[1]", "null", R"("fill_value": "NaN", )"));
  EXPECT_EQ(json_of("n"), "[\"nan\", \"nan\"]");
  // Some writers leave out what is null.
  write("short/.zarray", R"({"zarr_format": 2, "dtype": "|u1", "shape": [1], "chunks": [1]})");
  EXPECT_EQ(json_of("short"), "[0]");
  write("scalar/.zarray", zarr_2_json(R"("|u1")", "[]", "[]"));
  write("scalar/0", "\5");
  EXPECT_EQ(json_of("scalar"), "5");
  EXPECT_EQ(array_file(path("scalar")).format(), file_format::zarr);
}

TEST_F(Zarr, Version2HasTextsAndStructs) {
  write("s/.zarray", zarr_2_json(R"("|S2")", "[2]", "[1]", "null", R"("fill_value": "eHk=", )"));
  write("s/1", std::string("a\0", 2));
  const array_file file(path("s"));
  EXPECT_EQ(file.at("").what().dims, (extents{2, 2}));
  EXPECT_EQ(load<char>(file.at("")), (std::vector<char>{'x', 'y', 'a', '\0'}));
  write("u/.zarray", zarr_2_json(R"("<U2")", "[3]", "[2]", "null", R"("fill_value": "zw", )"));
  write("u/0", bytes_of_elements<std::uint32_t>({'a', 0, 0xf6, 'b'}));
  EXPECT_EQ(load_texts(array_file(path("u")).at("")), (std::vector<std::string>{"a",
                                                                                "\xc3\xb6"
                                                                                "b",
                                                                                "zw"}));
  write("o/.zarray", zarr_2_json(R"("|O")", "[2]", "[2]", "null", R"("filters": [{"id": "vlen-utf8"}], )"));
  write("o/0", std::string("\2\0\0\0\3\0\0\0one\0\0\0\0", 15));
  EXPECT_EQ(load_texts(array_file(path("o")).at("")), (std::vector<std::string>{"one", ""}));
  write("t/.zarray", zarr_2_json(R"([["a", "|i1"], ["b", "<i2", [2]]])", "[1]", "[1]"));
  write("t/0", std::string("\1\2\0\3\0", 5));
  EXPECT_EQ(json_of("t"), R"([{"a": 1, "b": [2, 3]}])");
}

TEST_F(Zarr, Version2HasGroupsAttributesAndConsolidatedMetadata) {
  write("g/.zgroup", R"({"zarr_format": 2})");
  write("g/.zattrs", R"({"title": "t", "nothing": null, "scale": NaN})");
  write("g/sub/.zgroup", R"({"zarr_format": 2})");
  write("g/sub/a/.zarray", zarr_2_json(R"("|u1")", "[2, 1]", "[2, 1]"));
  write("g/sub/a/.zattrs", R"({"_ARRAY_DIMENSIONS": ["y", "x"], "names": ["a", "b"]})");
  write("g/sub/a/0.0", "\1\2");
  write("g/sub/when/.zarray", zarr_2_json(R"("<M8[ns]")", "[1]", "[1]"));
  const array_file file(path("g"));
  ASSERT_EQ(file.size(), 2U);
  const array_source& a = file.at("sub/a");
  EXPECT_EQ(a.what().dimensions, (std::vector<std::string>{"y", "x"}));
  const array_attribute& names = attribute(a, "names");
  EXPECT_EQ(names.dims, extents{2});
  EXPECT_EQ(unpack_elements(names.dims, names.bytes).bytes, "ab");
  const array_source& group = file.at(".attributes");
  EXPECT_EQ(attribute(group, "title").bytes, "t");
  EXPECT_TRUE(is_null(attribute(group, "nothing").type));
  double scale = 0;
  std::memcpy(&scale, attribute(group, "scale").bytes.data(), sizeof scale);
  EXPECT_TRUE(std::isnan(scale));
  ASSERT_EQ(file.losses().size(), 1U);
  EXPECT_EQ(file.losses()[0].array, "sub/when");
  EXPECT_NE(file.losses()[0].what.find("dates"), std::string::npos);
  EXPECT_TRUE(fails_with(errc::unsupported, "dates", [&] { array_file{path("g/sub/when")}; }));
  // One file has all metadata.
  write("all/.zmetadata", R"({"zarr_consolidated_format": 1, "metadata": {".zgroup": {"zarr_format": 2},
        "../b/.zarray": {}, "a/.zattrs": {"units": "K"}, "a/.zarray": )" +
                              zarr_2_json(R"("|u1")", "[2]", "[2]") + "}}");
  write("all/a/0", "\1\2");
  EXPECT_EQ(json_of("all", "a"), "[1, 2]");
  EXPECT_EQ(attribute(array_file(path("all")).at("a"), "units").bytes, "K");
}

TEST_F(Zarr, GroupsWithoutArraysAreKept) {
  write("g/zarr.json", R"({"zarr_format": 3, "node_type": "group"})");
  write("g/empty/zarr.json", R"({"zarr_format": 3, "node_type": "group", "attributes": {}})");
  write("g/a/zarr.json", zarr_3_json(R"("uint8")", "[1]", "[1]"));
  array_store store(create_only, path("s"));
  EXPECT_EQ(import_arrays(store, "", array_file(path("g"))),
            (std::vector<std::string>{"a", "empty/.attributes"}));
  export_arrays(store, "", path("h.zarr"));
  EXPECT_NE(array_file(path("h.zarr")).find("empty/.attributes"), nullptr);
  // A program's own type is raw bytes to others, and its name is lost.
  std::vector<std::string> lost;
  const long double value = 1;
  const auto own = source_of("x", data_type::opaque("e", sizeof value, 16),
                             const_untyped_view::row_major(&value, {1}, sizeof value));
  for (const char* const name : {"x.npy", "x.zarr"})
    write_array(path(name), *own, {.on_loss = [&](const loss& one) { lost.push_back(one.what); }});
  EXPECT_EQ(lost,
            (std::vector<std::string>{"becomes raw bytes: the format npy has no type opaque(16/16 e)",
                                      "becomes raw bytes: the format zarr has no type opaque(16/16 e)"}));
}

TEST_F(Zarr, ChunksOfAllCodecsAreRead) {
  const std::string bytes = bytes_of_elements<std::uint16_t>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  struct row {
    const char* id;
    const char* name;  // in version 3
    std::string chunk;
  };
  for (const row& one :
       {row{"zlib", "", zlib(bytes)}, row{"gzip", "gzip", gzip(bytes)}, row{"zstd", "zstd", zstd(bytes)},
        row{"lz4", "", lz4_stored(bytes)}, row{"bz2", "", bzip2(bytes)}, row{"lzma", "", xz(bytes)},
        row{"blosc", "blosc", blosc_stored(bytes, 2)}}) {
    const std::string id(one.id);
    write(id + "/.zarray", zarr_2_json(R"("<u2")", "[10]", "[10]", R"({"id": ")" + id + R"(", "level": 5})"));
    write(id + "/0", one.chunk);
    try {
      EXPECT_EQ(load<std::uint16_t>(array_file(path(id)).at("")),
                (std::vector<std::uint16_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}))
          << id;
    } catch (const error& failure) {
      // Libraries that a build may lack.
      EXPECT_TRUE(id == "blosc" || id == "lz4") << id << failure.what();
      EXPECT_NE(std::string(failure.what()).find("built without"), std::string::npos) << failure.what();
      continue;
    }
    // A chunk that is larger than the array has elements outside, which are not kept.
    write(id + "/.zarray", zarr_2_json(R"("<u2")", "[3]", "[10]", R"({"id": ")" + id + R"("})"));
    EXPECT_EQ(json_of(id), "[1, 2, 3]") << id;
    write(id + "/.zarray", zarr_2_json(R"("<u2")", "[10]", "[10]", R"({"id": ")" + id + R"("})"));
    write(id + "/0", one.chunk.substr(0, one.chunk.size() - 3));
    EXPECT_TRUE(is_refused(id, errc::bad_input, id + "/0: ")) << id;
    write(id + "/.zarray", zarr_2_json(R"("<u2")", "[9]", "[9]", R"({"id": ")" + id + R"("})"));
    write(id + "/0", one.chunk);
    EXPECT_TRUE(is_refused(id, errc::bad_input, "bytes")) << id;
    if (*one.name == '\0') continue;
    write(id + "3/zarr.json",
          zarr_3_json(R"("uint16")", "[10]", "[10]",
                      R"([{"name": "bytes", "configuration": {"endian": "little"}}, {"name": ")" +
                          std::string(one.name) + R"(", "configuration": {"clevel": 5}}])"));
    write(id + "3/c/0", one.chunk);
    EXPECT_EQ(json_of(id + "3"), "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]") << id;
  }
}

// What libblosc 1.21 makes of the numbers 0 to 63, by lz4 with the bytes of elements apart.
TEST_F(Zarr, BloscsOwnCompressionIsRead) {
  std::string bytes(
      "\x02\x01\x31\x04\x00\x01\x00\x00\x00\x01\x00\x00\x64\x00\x00\x00\x14\x00\x00\x00\x4c\x00\x00\x00", 24);
  bytes += "\xff\x32";
  for (char c = 0; c < 64; ++c) bytes += c;
  bytes += std::string("\x00\x01\x00\xa7\x50\x00\x00\x00\x00\x00", 10);
  write("b/.zarray", zarr_2_json(R"("<i4")", "[64]", "[64]", R"({"id": "blosc"})"));
  write("b/0", bytes);
  if (code_of([&] { json_of("b"); }) == errc::unsupported) GTEST_SKIP() << "built without libblosc";
  std::vector<std::int32_t> numbers(64);
  std::iota(numbers.begin(), numbers.end(), 0);
  EXPECT_EQ(load<std::int32_t>(array_file(path("b")).at("")), numbers);
  write("part/.zarray", zarr_2_json(R"("<i4")", "[5]", "[64]", R"({"id": "blosc"})"));
  write("part/0", bytes);
  EXPECT_EQ(json_of("part"), "[0, 1, 2, 3, 4]");
  for (std::size_t i = 0; i < 24; ++i) {
    std::string bad = bytes;
    bad[i] = static_cast<char>(bad[i] ^ 0x40);
    for (const char* const name : {"b", "part"}) {
      write(std::string(name) + "/0", bad);
      const errc code = code_of([&] { json_of(name); });
      EXPECT_TRUE(code == errc::bad_input || code == errc{}) << name << i;
    }
  }
}

TEST_F(Zarr, FiltersAndCodecsThatAreNotKnownAreNamed) {
  write("d/.zarray",
        zarr_2_json(R"("<i4")", "[1]", "[1]", "null", R"("filters": [{"id": "delta", "dtype": "<i4"}], )"));
  EXPECT_TRUE(is_refused("d", errc::unsupported, "\"delta\""));
  write("x/.zarray", zarr_2_json(R"("<f8")", "[1]", "[1]", "null",
                                 R"("filters": [{"id": "fixedscaleoffset", "scale": 10}], )"));
  EXPECT_TRUE(is_refused("x", errc::unsupported, "\"fixedscaleoffset\""));
  write("q/.zarray", zarr_2_json(R"("<f8")", "[1]", "[1]", R"({"id": "zfpy"})"));
  EXPECT_TRUE(is_refused("q", errc::unsupported, "\"zfpy\""));
  write("v/zarr.json",
        zarr_3_json(R"("int8")", "[1]", "[1]", R"([{"name": "bytes"}, {"name": "numcodecs.pcodec"}])"));
  EXPECT_TRUE(is_refused("v", errc::unsupported, "\"numcodecs.pcodec\""));
}

/// A shard of 2 by 2 chunks, each of one byte; the last one is missing.
std::string shard(bool is_index_first) {
  const std::uint64_t begin = is_index_first ? 68 : 0;
  const std::uint64_t none = ~std::uint64_t{0};
  std::string index = bytes_of_elements<std::uint64_t>({begin, 1, begin + 1, 1, begin + 2, 1, none, none});
  index += bytes_of_elements<std::uint32_t>({os::crc32c(0, index.data(), index.size())});
  return is_index_first ? index + "abc" : "abc" + index;
}

std::string shard_codecs(const std::string& location, const std::string& inner = R"([{"name": "bytes"}])") {
  return R"([{"name": "sharding_indexed", "configuration": {"chunk_shape": [1, 1], "codecs": )" + inner +
         R"(, "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}])" +
         R"(, "index_location": ")" + location + "\"}}]";
}

TEST_F(Zarr, ShardsAreReadByTheirIndex) {
  for (const bool is_first : {false, true}) {
    const std::string location = is_first ? "start" : "end";
    write("s/zarr.json", zarr_3_json(R"("uint8")", "[2, 3]", "[2, 2]", shard_codecs(location), "", "9"));
    write("s/c/0/0", shard(is_first));
    EXPECT_EQ(json_of("s"), "[[97, 98, 9],\n[99, 9, 9]]") << location;
  }
  // A missing chunk that counts the index too.
  std::string odd = shard(true);
  const std::uint64_t place = 67;
  odd.replace(48, 8, reinterpret_cast<const char*>(&place), 8);
  const std::uint32_t sum = os::crc32c(0, odd.data(), 64);
  odd.replace(64, 4, reinterpret_cast<const char*>(&sum), 4);
  write("s/c/0/0", odd);
  EXPECT_EQ(json_of("s"), "[[97, 98, 9],\n[99, 9, 9]]");
  std::string bad = shard(true);
  bad[8] = static_cast<char>(bad[8] ^ 1);
  write("s/c/0/0", bad);
  EXPECT_TRUE(is_refused("s", errc::bad_input, "checksum"));
  write("s/c/0/0", "short");
  EXPECT_TRUE(is_refused("s", errc::bad_input, "too short"));
  write("s/zarr.json", zarr_3_json(R"("uint8")", "[2, 3]", "[2, 3]", shard_codecs("end")));
  write("s/c/0/0", shard(false));
  EXPECT_EQ(code_of([&] { json_of("s"); }), errc::bad_input);
  write("n/zarr.json",
        zarr_3_json(R"("uint8")", "[2, 2]", "[2, 2]", shard_codecs("end", shard_codecs("end"))));
  EXPECT_TRUE(is_refused("n", errc::unsupported, "in shards"));
  write("z/zarr.json", zarr_3_json(R"("uint8")", "[3, 3]", "[3, 3]",
                                   shard_codecs("end", R"([{"name": "bytes"}, {"name": "lzo"}])")));
  EXPECT_TRUE(is_refused("z", errc::unsupported, "\"lzo\""));
}

TEST_F(Zarr, ExtensionsThatMustBeUnderstoodAreRefused) {
  const auto with = [&](const std::string& more) {
    write("e/zarr.json", zarr_3_json(R"("uint8")", "[1]", "[1]", R"([{"name": "bytes"}])", more));
  };
  with(R"(, "ext": {"must_understand": false, "n": 1}, "storage_transformers": [])");
  EXPECT_EQ(json_of("e"), "[0]");
  const array_file file(path("e"));
  ASSERT_EQ(file.losses().size(), 1U);
  EXPECT_EQ(file.losses()[0].what, "loses the extension \"ext\", which is not known");
  for (const char* const more : {R"(, "ext": {"must_understand": true})", R"(, "ext": {"n": 1})",
                                 R"(, "ext": 1)", R"(, "storage_transformers": [{"name": "ext"}])"}) {
    with(more);
    EXPECT_TRUE(is_refused("e", errc::unsupported, "\"ext\"")) << more;
  }
  // The usual metadata of a group in one file may be ignored.
  write("g/zarr.json", R"({"zarr_format": 3, "node_type": "group", "attributes": {},
        "consolidated_metadata": {"kind": "inline", "must_understand": false, "metadata": {}}})");
  write("g/a/zarr.json", zarr_3_json(R"("uint8")", "[1]", "[1]"));
  EXPECT_TRUE(array_file(path("g")).losses().empty());
}

TEST_F(Zarr, ArraysThatAreMostlyNotThereAreStoredAtOnceAndSparse) {
  write("a/zarr.json", zarr_3_json(R"("float64")", "[12, 4294967296]", "[5, 4]",
                                   R"([{"name": "bytes", "configuration": {"endian": "little"}}])"));
  std::vector<double> chunk(20);
  std::iota(chunk.begin(), chunk.end(), 1.0);
  write("a/c/1/1", bytes_of_elements(chunk));
  write("a/c/2/1073741823", bytes_of_elements(chunk));
  write("a/c/3/0", "no chunk of the array");
  write("a/c/01/0", "nor this");
  array_store store(create_only, path("s"));
  import_array(store, "a", array_file(path("a")).at(""));
  EXPECT_EQ(store.untyped()->parts("a").size(), 2U);
  EXPECT_EQ(store.array("a").read<double>({{4, 3}, {2, 2}}), (std::vector<double>{0, 0, 0, 1}));
  EXPECT_EQ(store.array("a").read<double>({{11, 4294967294}, {1, 2}}), (std::vector<double>{7, 8}));
  EXPECT_TRUE(store.check("a").empty());
  // And back, whole.
  write_array(path("b"), *source_of(store, "a"), {.format = file_format::zarr});
  std::size_t chunks = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path("b/c")))
    chunks += entry.is_regular_file() ? 1U : 0U;
  EXPECT_EQ(chunks, 2U);
  import_array(store, "b", array_file(path("b")).at(""));
  EXPECT_EQ(store.array("b").read<double>({{5, 4}, {1, 4}}), (std::vector<double>{1, 2, 3, 4}));
  // The layout that is asked for counts, as far as it has chunks.
  import_array(store, "c", array_file(path("a")).at(""),
               {.store = {.layout = array_layout::chunked, .chunk = {3, 8}}});
  EXPECT_EQ(store.array("c").read<double>({{5, 4}, {1, 4}}), (std::vector<double>{1, 2, 3, 4}));
  // Elements that are not zero take space.
  write("f/zarr.json",
        zarr_3_json(R"("float64")", "[12, 4294967296]", "[5, 4]",
                    R"([{"name": "bytes", "configuration": {"endian": "little"}}])", "", "1.5"));
  EXPECT_TRUE(fails_with(errc::unsupported, "fill value",
                         [&] { import_array(store, "f", array_file(path("f")).at("")); }));
  write("t/zarr.json",
        zarr_3_json(R"("string")", "[4294967296]", "[4]", R"([{"name": "vlen-utf8"}])", "", R"("")"));
  EXPECT_TRUE(fails_with(errc::unsupported, "declares",
                         [&] { import_array(store, "t", array_file(path("t")).at("")); }));
}

TEST_F(Zarr, ShardsOfSparseArraysAreSparse) {
  const std::string codecs = shard_codecs("end");
  write("a/zarr.json", zarr_3_json(R"("uint8")", "[2, 4294967296]", "[2, 2]", codecs));
  write("a/c/0/1000000000", shard(false));
  array_store store(create_only, path("s"));
  import_array(store, "a", array_file(path("a")).at(""));
  EXPECT_EQ(store.untyped()->parts("a").size(), 3U);
  EXPECT_EQ(store.array("a").read<std::uint8_t>({{0, 2000000000}, {2, 2}}),
            (std::vector<std::uint8_t>{'a', 'b', 'c', 0}));
}

TEST_F(Zarr, FillValuesAreKept) {
  write("a/zarr.json",
        zarr_3_json(R"("float32")", "[3]", "[2]",
                    R"([{"name": "bytes", "configuration": {"endian": "little"}}])", "", R"("NaN")"));
  write("a/c/1", bytes_of_elements<float>({1, 2}));
  const array_file file(path("a"));
  EXPECT_EQ(attribute(file.at(""), std::string(fill_value_key)).type, data_type(element_kind::float32));
  write_array(path("b"), file.at(""), {.format = file_format::zarr});
  const array_file copy(path("b"));
  EXPECT_TRUE(compare_arrays(file.at(""), copy.at("")).is_same());
  EXPECT_TRUE(compare_arrays(file.at(""), copy.at("")).attributes.empty());
  std::ifstream stream(path("b/zarr.json"));
  const std::string json{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_NE(json.find("\"fill_value\": \"NaN\""), std::string::npos) << json;
  EXPECT_EQ(json.find(".fill_value"), std::string::npos) << json;
}

TEST_F(Zarr, AttributesOfAllKindsGoThereAndBack) {
  const std::string attributes =
      R"({"text": "t", "null": null, "texts": ["a", "", "b"], "truths": [true, false], "table": [[1, 2], [3, 4]],
          "large": 18446744073709551615, ".max_dims": [1, 2], "none": [], "nan": NaN, "reals": [1, 2.5, -Infinity]})";
  write("g/zarr.json", R"({"zarr_format": 3, "node_type": "group", "attributes": )" + attributes + "}");
  write("g/a/zarr.json", zarr_3_json(R"("uint8")", "[1]", "[1]", R"([{"name": "bytes"}])",
                                     R"(, "dimension_names": [null], "attributes": )" + attributes));
  array_store store(create_only, path("s"));
  const array_file file(path("g"));
  EXPECT_TRUE(file.losses().empty());
  import_arrays(store, "", file);
  export_arrays(store, "", path("h.zarr"));
  const array_file copy(path("h.zarr"));
  for (const char* const name : {".attributes", "a"}) {
    EXPECT_EQ(copy.at(name).what().attributes.size(), 10U);
    EXPECT_TRUE(compare_arrays(file.at(name), copy.at(name)).attributes.empty()) << name;
  }
  const array_attribute& table = attribute(copy.at("a"), "table");
  EXPECT_EQ(table.dims, (extents{2, 2}));
  EXPECT_EQ(table.bytes, bytes_of_elements<std::int64_t>({1, 2, 3, 4}));
  EXPECT_EQ(attribute(copy.at("a"), "large").type, data_type(element_kind::uint64));
  EXPECT_EQ(attribute(copy.at("a"), std::string(max_dims_key)).type, data_type(element_kind::uint64));
  // What no attribute is like is kept as the text of its JSON, and becomes JSON again.
  const std::string odd_attributes =
      R"({"mixed": [1, "a"], "object": {"a": [NaN, null]}, "ragged": [[1], [1, 2]], "text": "{}"})";
  write("o/zarr.json", zarr_3_json(R"("uint8")", "[1]", "[1]", R"([{"name": "bytes"}])",
                                   R"(, "attributes": )" + odd_attributes));
  const array_file odd(path("o"));
  EXPECT_TRUE(odd.losses().empty());
  EXPECT_EQ(json_without_blanks(attribute(odd.at(""), "object").bytes), R"({"a":[NaN,null]})");
  const array_attribute& keys = attribute(odd.at(""), std::string(json_key));
  EXPECT_EQ(unpack_elements(keys.dims, keys.bytes).bytes, "mixedobjectragged");
  import_array(store, "odd", odd.at(""));
  export_arrays(store, "odd", path("p.zarr"));
  std::ifstream stream(path("p.zarr/zarr.json"));
  const std::string json{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_NE(json_without_blanks(json).find("\"attributes\":" + json_without_blanks(odd_attributes)),
            std::string::npos)
      << json;
}

TEST_F(Zarr, AttributesAndTextsThatZarrDoesNotHaveAreNamed) {
  array_store store(create_only, path("s"));
  store.store("a", 1);
  store.store("b", std::vector<std::string>{"\xff"});
  untyped_arrays& arrays = *store.untyped();
  const std::int32_t numbers[]{1, 2};
  arrays.set_attribute("a", "list", data_type::list_of(element_kind::int32), {},
                       std::as_bytes(std::span(numbers)));
  store.array("a").set_attribute("bad", std::string("\xff"));
  store.array("a").set_attribute("good", 1);
  std::vector<std::string> lost;
  export_arrays(store, "a", path("a.zarr"), {.on_loss = [&](const loss& one) { lost.push_back(one.what); }});
  EXPECT_EQ(lost,
            (std::vector<std::string>{"loses the attribute \"bad\", which is not UTF-8",
                                      "loses the attribute \"list\": zarr has none of type list<int32>"}));
  EXPECT_EQ(array_file(path("a.zarr")).at("").what().attributes.size(), 1U);
  EXPECT_TRUE(fails_with(errc::unsupported, "not UTF-8", [&] { export_arrays(store, "b", path("b.zarr")); }));
}

TEST_F(Zarr, TextsThatAskForFarMoreMemoryThanTheirChunkHasAreRefused) {
  write("a/zarr.json", zarr_3_json(R"("string")", "[1]", "[1]",
                                   R"([{"name": "vlen-utf8"}, {"name": "zstd"}])", "", R"("")"));
  const std::string bytes = bytes_of_elements<std::uint32_t>({1, 1}) + 'a';
  write("a/c/0", zstd(bytes));
  EXPECT_EQ(load_texts(array_file(path("a")).at("")), std::vector<std::string>{"a"});
  // A frame with a window of 1 GiB, and the bytes as they are.
  write("a/c/0", std::string("\x28\xb5\x2f\xfd\0\xa0\x49\0\0", 9) + bytes);
  EXPECT_TRUE(
      fails_with(errc::bad_input, "larger window", [&] { load_texts(array_file(path("a")).at("")); }));
}

/// A frame of zstd of so many blocks of 128 KiB, all of zeros: 4 bytes each.
std::string zstd_zeros(std::size_t blocks) {
  std::string bytes("\x28\xb5\x2f\xfd\0\x50", 6);
  for (std::size_t i = 1; i <= blocks; ++i) bytes.append(i == blocks ? "\3\0\x10\0" : "\2\0\x10\0", 4);
  return bytes;
}

/// Bytes of memory that this process has had at most.
std::uint64_t most_memory_had() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) << 10;
}

TEST_F(Zarr, AChunkTakesMemoryForItsElementsInTheArray) {
  constexpr std::uint64_t few_bytes = std::uint64_t{64} << 20;
  const std::uint64_t before = most_memory_had();
  // 256 MiB, of which the array has 8 bytes.
  write("large/.zarray", zarr_2_json(R"("<u4")", "[2]", "[67108864]", R"({"id": "zstd"})"));
  write("large/0", zstd_zeros(2048));
  EXPECT_EQ(json_of("large"), "[0, 0]");
  // The same as columns.
  write("columns/.zarray",
        zarr_2_json(R"("<u4")", "[8192, 1]", "[8192, 8192]", R"({"id": "zstd"})", R"("order": "F", )"));
  write("columns/0.0", zstd_zeros(2048));
  EXPECT_EQ(load<std::uint32_t>(array_file(path("columns")).at("")), std::vector<std::uint32_t>(8192));
  // A chunk of 8 bytes that becomes 125 MiB.
  write("bomb/.zarray", zarr_2_json(R"("<u4")", "[2]", "[2]", R"({"id": "zstd"})"));
  write("bomb/0", zstd_zeros(1000));
  EXPECT_TRUE(is_refused("bomb", errc::bad_input, "they become more than 8 bytes"));
  // A file of holes.
  std::filesystem::resize_file(path("bomb/0"), std::uint64_t{1} << 40);
  EXPECT_TRUE(is_refused("bomb", errc::bad_input,
                         "a chunk in it has 1099511627776 bytes, and its elements take 4105 at most"));
  // Metadata alone that are large.
  write("few/.zarray", zarr_2_json(R"("<u4")", "[1073741824]", "[1073741824]", R"({"id": "zstd"})"));
  write("few/0", zstd_zeros(1));
  array_file few(path("few"));
  std::uint32_t element = 0;
  const auto read = [&] { few.at("").read({{0}, {1}, {}}, reinterpret_cast<std::byte*>(&element)); };
  EXPECT_TRUE(fails_with(
      errc::bad_input,
      "few/0: its 10 bytes are too few for the 4294967296 bytes of elements that the metadata give a chunk",
      read));
  EXPECT_LT(most_memory_had() - before, few_bytes);
}

TEST_F(Zarr, TextsTakeMemoryOnceTheirChunksAreDecoded) {
  write("a/.zarray", zarr_2_json(R"("|O")", "[200000000]", "[200000000]", "null",
                                 R"("filters": [{"id": "vlen-utf8"}], )"));
  const std::uint32_t said = 200'000'000;
  write("a/0", bytes_of_elements<std::uint32_t>({said, 0}));
  EXPECT_TRUE(is_refused("a", errc::bad_input, "another number of texts"));
  write("e/.zarray", zarr_2_json(R"("<U0")", "[200000000]", "[576460752303423488]"));
  write("e/0", "");
  EXPECT_TRUE(is_refused("e", errc::unsupported, "it declares 200000000 texts"));
  write("few/.zarray", zarr_2_json(R"("<U1")", "[1, 2]", "[2, 2]"));
  write("few/0.0", bytes_of_elements<std::uint32_t>({'a', 'b', 'c', 'd'}));
  EXPECT_EQ(load_texts(array_file(path("few")).at("")), (std::vector<std::string>{"a", "b"}));
}

TEST_F(Zarr, MetadataThatLieAreRefused) {
  const std::string good = zarr_2_json(R"("<i4")", "[2]", "[2]");
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string bad = good;
    bad.replace(bad.find(from), from.size(), to);
    return bad;
  };
  for (const std::string& bad :
       {std::string("{"), std::string("[]"), replaced("\"shape\": [2]", "\"shape\": [-2]"),
        replaced("\"shape\": [2]", "\"shape\": [2, 2]"), replaced("\"chunks\": [2]", "\"chunks\": [0]"),
        replaced("\"chunks\": [2]", "\"chunks\": [9223372036854775807]"),
        replaced("\"order\": \"C\"", "\"order\": \"D\""), replaced("<i4", "<i5"), replaced("\"<i4\"", "{}"),
        replaced("\"<i4\"", std::string(80, '[') + std::string(80, ']')),
        replaced("\"compressor\": null", "\"compressor\": 1"),
        replaced("\"fill_value\": null", "\"fill_value\": []"),
        replaced("\"fill_value\": null", "\"fill_value\": 1.5"),
        replaced("\"filters\": null", "\"filters\": [1]")}) {
    write("bad/.zarray", bad);
    const errc code = code_of([&] { array_file{path("bad")}; });
    EXPECT_TRUE(code == errc::bad_input || code == errc::unsupported) << bad;
  }
}

}  // namespace
