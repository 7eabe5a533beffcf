// Array files, in memory and in stores: what is written comes back, and files that lie are refused.
#include <gtest/gtest.h>

#include <numeric>
#include <perdure/formats/array_comparison.hpp>
#include <perdure/formats/array_text.hpp>
#include <perdure/formats/group_attributes.hpp>
#include <perdure/formats/store_exchange.hpp>

#include "formats/npy_bytes.hpp"
#include "support/errors.hpp"
#include "support/scratch_directory.hpp"

namespace {

using namespace perdure;
using namespace perdure::formats;
using perdure::test::npy_bytes;

std::vector<double> numbers(std::size_t count) {
  std::vector<double> all(count);
  std::iota(all.begin(), all.end(), 0.5);
  return all;
}

std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string text_of(array_source& from, text_style style = text_style::lines) {
  std::string text;
  write_text(from, style, [&](std::string_view some) { text += some; });
  return text;
}

class ArrayFiles : public testing::Test {
 protected:
  std::filesystem::path path(const std::string& name) const { return dir_ / name; }

  /// Arrays of all sorts of types.
  void store_all(array_store& store) const {
    const std::vector<double> some = numbers(60);
    const array_view<const double> box(some.data(), {3, 4, 5});
    store.store("run/box", box, {.dimensions = {"z", "y", "x"}});
    store.array("run/box").set_attribute("units", "K");
    store.array("run/box").set_attribute("level", std::int64_t{7});
    store.store("run/chunked", box,
                {.layout = array_layout::chunked, .chunk = {2, 2, 2}, .codec = compression::zstd});
    store.store("numbers", std::vector<std::int64_t>{-1, INT64_MAX, INT64_MIN});
    store.store("one", 2.5F);
    store.store("none", std::vector<std::int16_t>{});
    store.store("names", std::vector<std::string>{"a", "", "zw\xc3\xb6lf"});
  }

  scratch_directory dir_{fast_directory()};
};

TEST_F(ArrayFiles, AFileListsItsArraysAndTheyAreLoaded) {
  const std::filesystem::path file = dir_.write("t.npy", npy_bytes("<f8", "(2, 3)", numbers(6)));
  const array_file opened(file);
  EXPECT_EQ(opened.format(), file_format::npy);
  ASSERT_EQ(opened.size(), 1U);
  array_source& t = opened.at("");
  EXPECT_EQ(t.what().type, data_type(element_kind::float64));
  EXPECT_EQ(t.what().dims, (extents{2, 3}));
  EXPECT_EQ(load<double>(t), numbers(6));
  EXPECT_EQ((load<std::array<double, 3>>(t)),
            (std::vector<std::array<double, 3>>{{0.5, 1.5, 2.5}, {3.5, 4.5, 5.5}}));
  std::vector<double> columns(6);
  const std::ptrdiff_t strides[]{1, 2};
  load(t, array_view<double, 2>(columns.data(), {2, 3}, strides));
  EXPECT_EQ(columns, (std::vector<double>{0.5, 3.5, 1.5, 4.5, 2.5, 5.5}));
  EXPECT_TRUE(fails_with(errc::wrong_type, "float64", [&] { load<float>(t); }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "[2, 3]",
                         [&] { load(t, array_view<double, 1>(std::span<double>(columns))); }));
  EXPECT_TRUE(fails_with(errc::not_found, "none of its 1 array", [&] { opened.at("u"); }));
}

TEST_F(ArrayFiles, OtherOrdersOfElementsAndBytesAreRead) {
  const std::vector<std::uint16_t> swapped{0x0100, 0x0200, 0x0300, 0x0400, 0x0500, 0x0600};
  const array_file columns(dir_.write("a.npy", npy_bytes(">u2", "(2, 3)", swapped, "True")));
  EXPECT_EQ(load<std::uint16_t>(columns.at("")), (std::vector<std::uint16_t>{1, 3, 5, 2, 4, 6}));
  const array_file texts(
      dir_.write("b.npy", npy_bytes("|S3", "(2,)", std::vector<char>{'a', 'b', 0, 'c', 'd', 'e'})));
  EXPECT_EQ(texts.at("").what().dims, (extents{2, 3}));
  write_array(path("c.npy"), texts.at(""));
  EXPECT_EQ(bytes_of(path("c.npy")).substr(10, 16), "{'descr': '|S3',");
}

TEST_F(ArrayFiles, TextsOfFixedLengthKeepTheirShape) {
  struct row {
    const char* type;
    const char* shape;
    std::string characters;
    extents dims;
  };
  for (const row& one : {row{"|S1", "(3,)", "abc", {3, 1}}, row{"|S3", "()", "abc", {3}},
                         row{"|S1", "(2, 3, )", std::string("a\0cdef", 6), {2, 3, 1}},
                         row{"|S1", "()", "a", {1}}, row{"|S0", "(2,)", "", {2, 0}}}) {
    const array_file file(dir_.write(
        "t.npy",
        npy_bytes(one.type, one.shape, std::vector<char>(one.characters.begin(), one.characters.end()))));
    EXPECT_EQ(file.at("").what().type, data_type(element_kind::character));
    EXPECT_EQ(file.at("").what().dims, one.dims) << one.type << one.shape;
    for (const char* const name : {"u.npy", "u.npz", "u.zarr"}) {
      write_array(path(name), file.at(""));
      const array_file copy(path(name));
      EXPECT_TRUE(compare_arrays(file.at(""), **copy.begin()).is_same()) << one.type << one.shape << name;
    }
    write_array(path("v.npy"), file.at(""));
    EXPECT_EQ(bytes_of(path("v.npy")), bytes_of(path("t.npy"))) << one.type << one.shape;
  }
  // A field of one character is that character; several are texts of one.
  const array_file fields(dir_.write("t.npy", [] {
    std::string bytes = npy_bytes("X", "(1,)", std::vector<char>{'a', 'b', 'c', 'd', 'e'});
    const std::string type = "[('x', '|S1'), ('y', '|S1', (2,)), ('z', '|S2')]";
    const std::size_t room = bytes.find("}") + 1;
    bytes.replace(bytes.find("'X'"), 3, type);
    bytes.erase(room + type.size() - 3, type.size() - 3);
    return bytes;
  }()));
  EXPECT_EQ(fields.at("").what().type.text(), "{5/1 x:char@0 y:char[2,1]@1 z:char[2]@3}");
  write_array(path("v.npy"), fields.at(""));
  EXPECT_EQ(array_file(path("v.npy")).at("").what().type, fields.at("").what().type);
}

TEST_F(ArrayFiles, EveryFormatGivesBackWhatItTook) {
  array_store store(create_only, path("all"));
  store_all(store);
  for (const char* const ending : {"npz", "h5", "nc", "zarr"}) {
    const std::filesystem::path file = path(std::string("file.") + ending);
    if (!is_available(format_named(file))) continue;
    for (const bool compressed : {false, true}) {
      export_arrays(store, "", file, {.compressed = compressed});
      array_store copy(create_only, path(std::string("from_") + ending + (compressed ? "z" : "")));
      const array_file opened(file);
      EXPECT_EQ(import_arrays(copy, "", opened),
                (std::vector<std::string>{"names", "none", "numbers", "one", "run/box", "run/chunked"}))
          << ending;
      for (const std::string& id : store.list()) {
        const auto a = source_of(store, id);
        const auto b = source_of(copy, id);
        const array_difference found = compare_arrays(*a, *b);
        EXPECT_TRUE(found.is_comparable) << ending << ' ' << id;
        EXPECT_EQ(found.differing, 0U) << ending << ' ' << id;
        // .npz has no attributes.
        EXPECT_TRUE(found.attributes.empty() || ending == std::string("npz")) << ending << ' ' << id;
      }
      const std::vector<std::string> dimensions{"z", "y", "x"};
      EXPECT_EQ(copy.info("run/box").dimensions,
                ending == std::string("npz") ? std::vector<std::string>() : dimensions);
      EXPECT_EQ(load_texts(opened.at("names")), (std::vector<std::string>{"a", "", "zw\xc3\xb6lf"}));
    }
  }
  export_arrays(store, "run", path("group.npz"));
  const array_file group(path("group.npz"));
  EXPECT_EQ((*group.begin())->what().name, "box");
  import_array(store, "other", group.at("box"));
  EXPECT_EQ(store.load<std::vector<double>>("other"), numbers(60));
}

TEST_F(ArrayFiles, WhatAFormatCannotHoldIsReported) {
  array_store store(create_only, path("s"));
  store.store("t", std::vector<double>{1, 2}, {.dimensions = {"x"}});
  store.store("u", 1);
  store.array("t").set_attribute("units", "K");
  import_array(store, ".attributes", *group_attributes("", {{"title", element_kind::text, {}, "a file"}}));
  import_array(store, "t/.attributes", *group_attributes("t", {{"title", element_kind::text, {}, "t"}}));
  std::vector<std::string> lost;
  const writing_options options{
      .on_loss = [&](const loss& one) { lost.push_back(one.array + ' ' + one.what); }};
  export_arrays(store, "", path("all.npz"), options);
  EXPECT_EQ(lost, (std::vector<std::string>{
                      ".attributes is left out: the format npz has no attributes",
                      "t/.attributes is left out: the format npz has no attributes",
                      "t loses 1 attribute and the names of its dimensions: the format npz has none"}));
  EXPECT_EQ(array_file(path("all.npz")).size(), 2U);
  lost.clear();
  // One array, as its attributes are not another.
  export_arrays(store, "t", path("t.npy"), options);
  EXPECT_EQ(lost.size(), 2U);
  lost.clear();
  export_arrays(store, "", path("all.zarr"), options);
  EXPECT_EQ(lost, std::vector<std::string>{
                      "t/.attributes is left out: \"t\" is an array in this file, and no group"});
  EXPECT_TRUE(fails_with(errc::io, "units", [&] {
    export_arrays(store, "t", path("never.npy"), {.on_loss = [](const loss& one) {
                    throw error(errc::io, one.array + " units " + one.what);
                  }});
  }));
  EXPECT_FALSE(std::filesystem::exists(path("never.npy")));
}

TEST_F(ArrayFiles, OneMemberIsOpenedAlone) {
  array_store store(create_only, path("s"));
  store_all(store);
  for (const char* const ending : {"npz", "h5", "nc", "zarr"}) {
    const std::filesystem::path file = path(std::string("file.") + ending);
    if (!is_available(format_named(file))) continue;
    export_arrays(store, "", file);
    const array_file opened(file, {.member = "run/box"});
    ASSERT_EQ(opened.size(), 1U) << ending;
    EXPECT_EQ(load<double>(opened.at("run/box")), numbers(60)) << ending;
    EXPECT_TRUE(fails_with(errc::not_found, "\"run/none\"", [&] {
      array_file(file, {.member = "run/none"});
    })) << ending;
  }
}

TEST_F(ArrayFiles, NamesInNumPyFilesAreUtf8OrRefused) {
  const std::vector<double> some = numbers(2);
  const auto called = [&](const std::string& name) {
    return source_of(name, array_view<const double, 1>(std::span(some)));
  };
  write_array(path("t.npz"), *called("zw\xc3\xb6lf"));
  EXPECT_EQ((*array_file(path("t.npz")).begin())->what().name, "zw\xc3\xb6lf");
  EXPECT_TRUE(
      fails_with(errc::unsupported, "not UTF-8", [&] { write_array(path("u.npz"), *called("a\xff")); }));
  EXPECT_FALSE(std::filesystem::exists(path("u.npz")));
  std::string bytes = bytes_of(path("t.npz"));
  for (std::size_t at = bytes.find("\xc3\xb6"); at != std::string::npos; at = bytes.find("\xc3\xb6"))
    bytes.replace(at, 2, "\xff\xff");
  EXPECT_TRUE(fails_with(errc::bad_input, "not UTF-8", [&] { array_file{dir_.write("v.npz", bytes)}; }));
  // Names of fields: in Latin-1 before version 3 of the format, in UTF-8 from then on.
  const data_type type = data_type::parse("{8/8 \"gr\xc3\xb6\xc3\x9f\x65 '\x01\":float64@0}");
  const auto structs = source_of("s", type, const_untyped_view::row_major(some.data(), {2}, 8));
  write_array(path("s.npy"), *structs);
  EXPECT_EQ(bytes_of(path("s.npy"))[6], '\3');
  EXPECT_EQ(array_file(path("s.npy")).at("").what().type, type);
  std::string old = npy_bytes("<f8", "(2,)", some);
  const std::string descr = "[('\xf6\\u00df', '<f8')]";
  old.replace(old.find("'<f8'"), 5, descr);
  old.erase(old.find('}') + 1, descr.size() - 5);
  EXPECT_EQ(array_file(dir_.write("o.npy", old)).at("").what().type.fields()[0].name, "\xc3\xb6\xc3\x9f");
  // Texts that NumPy does not have.
  array_store store(create_only, path("s"));
  for (const std::string& bad : {std::string("\xff"), std::string("a\0", 2)}) {
    store.store("t", std::vector<std::string>{bad});
    EXPECT_TRUE(fails_with(errc::unsupported, "NumPy has no text",
                           [&] { export_arrays(store, "t", path("t.npy")); }));
  }
}

TEST_F(ArrayFiles, MembersOfArchivesThatAreNoArraysAreNamed) {
  const std::vector<double> some = numbers(2);
  const auto a = source_of("a", array_view<const double, 1>(std::span(some)));
  const auto b = source_of("b", array_view<const double, 1>(std::span(some)));
  array_source* const both[]{a.get(), b.get()};
  write_arrays(path("t.npz"), both);
  const std::string good = bytes_of(path("t.npz"));
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string bad = good;
    for (std::size_t at = bad.find(from); at != std::string::npos; at = bad.find(from, at + 1))
      bad.replace(at, from.size(), to);
    return dir_.write("u.npz", bad);
  };
  // What begins as an array is one, whatever it is called, and nothing else is.
  EXPECT_EQ(load<double>(array_file(replaced("b.npy", "b.txt")).at("b.txt")), some);
  std::string not_one = good;
  not_one[good.rfind("\x93NUMPY")] = 'X';
  const array_file other(dir_.write("u.npz", not_one));
  EXPECT_EQ(other.size(), 1U);
  ASSERT_EQ(other.losses().size(), 1U);
  EXPECT_EQ(other.losses()[0].array + ' ' + other.losses()[0].what, "b is skipped: it is no .npy file");
  EXPECT_TRUE(fails_with(errc::bad_input, "two members are called \"a\"",
                         [&] { array_file{replaced("b.npy", "a.npy")}; }));
  std::string objects = good;
  objects.replace(objects.find("<f8"), 3, "|O8");
  const array_file odd(dir_.write("u.npz", objects));
  EXPECT_EQ(odd.size(), 1U);
  ASSERT_EQ(odd.losses().size(), 1U);
  EXPECT_NE(odd.losses()[0].what.find("Python objects"), std::string::npos);
  EXPECT_TRUE(fails_with(errc::unsupported, "Python objects", [&] { odd.at("a"); }));
}

TEST_F(ArrayFiles, ViewsInMemoryAreWrittenWithAnyStrides) {
  const std::vector<double> all = numbers(6);
  const std::ptrdiff_t strides[]{1, 3};
  const auto turned = source_of("t", array_view<const double, 2>(all.data(), {3, 2}, strides));
  for (const char* const name : {"t.npy", "t.npz", "t.h5", "t.zarr", "t.csv"}) {
    if (!is_available(format_named(name))) continue;
    write_array(path(name), *turned);
    const array_file file(path(name));
    EXPECT_EQ(load<double>(**file.begin()), (std::vector<double>{0.5, 3.5, 1.5, 4.5, 2.5, 5.5})) << name;
  }
  EXPECT_TRUE(
      fails_with(errc::invalid_argument, "says no format", [&] { write_array(path("t.what"), *turned); }));
}

TEST_F(ArrayFiles, AFileIsReplacedOnlyByAWholeOne) {
  const std::vector<double> all = numbers(6);
  const auto source = source_of("t", array_view<const double, 1>(std::span(all)));
  dir_.write("t.npy", "old");
  EXPECT_TRUE(fails_with(errc::io, "stop", [&] {
    write_array(path("t.npy"), *source, {.before_piece = [] { throw error(errc::io, "stop"); }});
  }));
  if (is_available(file_format::hdf5)) {
    EXPECT_TRUE(fails_with(errc::io, "stop", [&] {
      write_array(path("t.h5"), *source, {.before_piece = [] { throw error(errc::io, "stop"); }});
    }));
  }
  EXPECT_EQ(bytes_of(path("t.npy")), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir_.directory()), {}), 1);
  std::filesystem::create_directory(path("full"));
  std::ofstream(path("full") / "x") << "mine";
  EXPECT_TRUE(fails_with(errc::already_exists, "something else in it",
                         [&] { write_array(path("full"), *source, {.format = file_format::zarr}); }));
  EXPECT_EQ(bytes_of(path("full") / "x"), "mine");
}

TEST_F(ArrayFiles, PartsAsNumPyHasThem) {
  array_store store(create_only, path("s"));
  const std::vector<double> all = numbers(24);
  store.store("t", array_view<const double, 3>(all.data(), {3, 4, 2}));
  const auto part = [&](const char* text) { return source_of(store, "t", array_selection(text)); };
  EXPECT_EQ(text_of(*part("2,1:3,...")), "18.5 19.5\n20.5 21.5\n");
  EXPECT_EQ(text_of(*part("::2, -1, 0")), "6.5 22.5\n");
  EXPECT_EQ(text_of(*part("0,0,1")), "1.5\n");
  EXPECT_EQ(text_of(*part("0:2,3:,:1")), "6.5\n\n14.5\n");
  EXPECT_EQ(text_of(*part("5:"), text_style::json), "[]");
  EXPECT_EQ(text_of(*part("1,:2"), text_style::json), "[[8.5, 9.5],\n[10.5, 11.5]]");
  EXPECT_TRUE(fails_with(errc::invalid_argument, "which has 3", [&] { part("3"); }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "4 dimensions", [&] { part("0,0,0,0"); }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "1 or more", [&] { part("::-1"); }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "no part of an array", [&] { part("a"); }));
}

TEST_F(ArrayFiles, DifferencesAreCountedWithATolerance) {
  std::vector<double> first = numbers(4);
  std::vector<double> second = first;
  second[2] += 0.25;
  const auto a = source_of("a", array_view<const double, 1>(std::span<const double>(first)));
  const auto b = source_of("b", array_view<const double, 1>(std::span<const double>(second)));
  EXPECT_EQ(compare_arrays(*a, *b).differing, 1U);
  EXPECT_EQ(compare_arrays(*a, *b).largest, 0.25);
  EXPECT_TRUE(compare_arrays(*a, *b, 0.3).is_same());
  first[0] = second[0] = std::numeric_limits<double>::quiet_NaN();
  second[2] = first[2];
  EXPECT_TRUE(compare_arrays(*a, *b).is_same());
  const std::vector<float> other(4);
  EXPECT_FALSE(
      compare_arrays(*a, *source_of("c", array_view<const float, 1>(std::span(other)))).is_comparable);
}

TEST_F(ArrayFiles, AnArrayIsReplacedByOneOfItsTypeOrIfTheOptionsSaySo) {
  array_store store(create_only, path("s"));
  store.store("t", std::vector<double>{1});
  store.array("t").set_attribute("units", "K");
  const std::vector<std::int64_t> integers{1, 2};
  const auto source = source_of("t", array_view<const std::int64_t, 1>(std::span(integers)));
  EXPECT_TRUE(fails_with(errc::wrong_type, "float64", [&] { import_array(store, "t", *source); }));
  EXPECT_EQ(store.load<std::vector<double>>("t"), std::vector<double>{1});
  import_array(store, "t", *source, {.replaces_any = true});
  EXPECT_EQ(store.load<std::vector<std::int64_t>>("t"), integers);
  EXPECT_FALSE(store.array("t").has_attribute("units"));
}

TEST_F(ArrayFiles, FactsAboutElementsGoWithThem) {
  array_store store(create_only, path("s"));
  const std::vector<double> all = numbers(4);
  store.store("t", all);
  const std::vector<std::uint64_t> limits{UINT64_MAX};
  store["t"].set_attribute(max_dims_key, limits);
  store["t"].set_attribute(fill_value_key, 1.5);
  store["t"].set_attribute("units", "K");
  const auto keys_of = [](const array_source& from) {
    std::vector<std::string> keys;
    for (const array_attribute& one : from.what().attributes) keys.push_back(one.key);
    return keys;
  };
  EXPECT_EQ(keys_of(*source_of(store, "t")), (std::vector<std::string>{".fill_value", ".max_dims", "units"}));
  EXPECT_EQ(keys_of(*source_of(store, "t", array_selection("1:3"))),
            (std::vector<std::string>{".fill_value", "units"}));
  import_array(store, "t", *source_of("t", array_view<const double, 1>(std::span(all))));
  EXPECT_EQ(store["t"].attributes(), std::vector<std::string>{"units"});
}

TEST_F(ArrayFiles, FilesThatLieAreRefused) {
  const std::string good = npy_bytes("<f8", "(2, 3)", numbers(6));
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string bad = good;
    bad.replace(bad.find(from), from.size(), to);
    return bad;
  };
  for (const std::string& one :
       {std::string(), std::string("\x93NUMPY", 6), good.substr(0, 40), good.substr(0, good.size() - 1),
        replaced("(2, 3)", "(9, 9)"), replaced("(2, 3)", "(-2,3)"), replaced("(2, 3)", "2 ,3  "),
        replaced("(2, 3)", "[[[[[["), replaced("<f8", "|O8"), replaced("<f8", "<f9"),
        replaced("'descr'", "'other'"), std::string("\x93NUMPY\2\0\xff\xff\xff\xff", 12) + good,
        "PK\3\4" + std::string(100, '\0')}) {
    const std::filesystem::path file = dir_.write("bad.npy", one);
    const errc code = code_of([&] { array_file{file}; });
    EXPECT_TRUE(code == errc::bad_input || code == errc::unsupported) << to_string(code) << one.size();
  }
  // The sound bytes of a compressed member, cut off in the middle.
  const std::vector<double> many(10000, 1.5);
  const auto source = source_of("t", array_view<const double, 1>(std::span(many)));
  write_array(path("t.npz"), *source, {.compressed = true});
  std::string packed = bytes_of(path("t.npz"));
  packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] ^ 0x55);
  EXPECT_EQ(code_of([&] { array_file{dir_.write("bad.npz", packed)}; }), errc::bad_input);
  EXPECT_TRUE(fails_with(errc::not_found, "cannot read", [&] { array_file{path("nothing.npy")}; }));
  EXPECT_TRUE(
      fails_with(errc::bad_input, "its format is not known", [&] { array_file{dir_.write("x.what", "?")}; }));
  EXPECT_TRUE(fails_with(errc::bad_input, "no zarr array", [&] { array_file{dir_.directory()}; }));
}

TEST_F(ArrayFiles, AZarrChunkThatWasCutShortIsRefused) {
  const std::vector<double> many = numbers(100);
  const auto source = source_of("t", array_view<const double, 1>(std::span(many)));
  write_array(path("t.zarr"), *source, {.compressed = true});
  const std::filesystem::path chunk = path("t.zarr") / "c" / "0";
  const std::string bytes = bytes_of(chunk);
  for (const std::string& bad : {bytes.substr(0, bytes.size() / 2), bytes + "x", std::string()}) {
    std::ofstream(chunk, std::ios::binary) << bad;
    const array_file file(path("t.zarr"));
    EXPECT_TRUE(fails_with(errc::bad_input, "c/0", [&] { load<double>(file.at("")); }));
  }
}

}  // namespace
