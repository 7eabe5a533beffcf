// Arrays of which nearly nothing is stored: compared, and written to formats that have holes or refused for
// those that have none.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <perdure/formats/array_comparison.hpp>
#include <perdure/formats/array_text.hpp>
#include <perdure/formats/store_exchange.hpp>

#include "support/errors.hpp"
#include "support/random_stream.hpp"
#include "support/scratch_directory.hpp"

namespace {

using namespace perdure;
using namespace perdure::formats;

constexpr std::uint64_t side = std::uint64_t{1} << 20;

class SparseArrays : public testing::Test {
 protected:
  std::filesystem::path path(const std::string& name) const { return dir_ / name; }

  /// An array of 2^40 bytes, all zero.
  void make(const std::string& id, const array_options& options, const extents& dims = {side, side}) {
    store_.untyped()->create(id, element_kind::uint8, dims, options);
  }
  void make_chunked(const std::string& id, const extents& chunk) {
    make(id, {.layout = array_layout::chunked, .chunk = chunk});
  }
  void write(const std::string& id, const extents& at, const extents& count, unsigned value) {
    const std::string bytes(count.elements(), static_cast<char>(value));
    store_.untyped()->write(id, element_kind::uint8, {at, count, {}},
                            const_untyped_view::row_major(bytes.data(), count, 1));
  }
  std::unique_ptr<array_source> source(const std::string& id, const char* part = "...") const {
    return source_of(store_, id, array_selection(part));
  }
  array_difference compare(const std::string& a, const std::string& b) const {
    return compare_arrays(*source(a), *source(b));
  }
  /// Bytes that a file takes on its device.
  static std::uint64_t taken_by(const std::filesystem::path& file) {
    struct stat status {};
    EXPECT_EQ(::stat(file.c_str(), &status), 0);
    return static_cast<std::uint64_t>(status.st_blocks) * 512;
  }

  scratch_directory dir_{fast_directory()};
  array_store store_{create_only, dir_ / "store"};
};

TEST_F(SparseArrays, AreComparedWhereOneOfThemIsStored) {
  make_chunked("a", {64, 1000});
  make_chunked("b", {100, 64});
  make("c", {});
  EXPECT_TRUE(compare("a", "b").is_same());
  for (const char* const id : {"a", "b", "c"}) {
    write(id, {5, 7}, {3, 3}, 1);
    write(id, {side - 1, side - 2}, {1, 2}, 2);
  }
  for (const auto& [left, right] : {std::pair("a", "b"), {"b", "a"}, {"a", "c"}, {"c", "b"}, {"c", "c"}}) {
    const array_difference found = compare(left, right);
    EXPECT_TRUE(found.is_same()) << left << right;
    EXPECT_EQ(found.elements, side * side) << left << right;
  }
  // In a place that the other one has not stored; in one that has parts over parts; and one that differs.
  write("a", {side / 2, 99}, {2, 1000}, 9);
  write("c", {70000, 0}, {50, 50}, 3);
  write("c", {70040, 40}, {50, 50}, 3);
  write("b", {side - 1, side - 1}, {1, 1}, 7);
  EXPECT_EQ(compare("a", "b").differing, 2000U + 1);
  EXPECT_EQ(compare("b", "a").differing, 2000U + 1);
  EXPECT_EQ(compare("b", "a").largest, 9);
  EXPECT_EQ(compare("a", "c").differing, 2000U + 2500 + 2500 - 100);
  EXPECT_EQ(compare("c", "a").differing, 2000U + 2500 + 2500 - 100);
  EXPECT_EQ(compare_arrays(*source("b"), *source("c"), 5).differing, 0U);
}

TEST_F(SparseArrays, AreComparedAsIfTheyWereDense) {
  random_stream random(29);
  const extents dims{3, 2000, 3000};
  for (int round = 0; round < 4; ++round) {
    std::vector<std::uint8_t> elements[2];
    std::uint64_t differing = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      const std::string id = "x" + std::to_string(i);
      array_options options{.replaces_any = true};
      if (!random.one_in(3)) {
        options.layout = array_layout::chunked;
        options.chunk = {1 + random.below(3), 1 + random.below(300), 1 + random.below(300)};
      }
      store_.untyped()->erase(id);
      make(id, options, dims);
      elements[i].resize(dims.elements());
      for (int n = 0; n < 5; ++n) {
        extents at;
        extents count;
        for (const std::uint64_t extent : dims) {
          at.push_back(random.below(extent));
          count.push_back(1 + random.below(std::min<std::uint64_t>(extent - at[at.rank() - 1], 100)));
        }
        const auto value = static_cast<std::uint8_t>(1 + random.below(3));
        write(id, at, count, value);
        for (std::uint64_t k = 0; k < count.elements(); ++k) {
          const std::uint64_t row = k / count[2] % count[1];
          const std::uint64_t layer = k / count[2] / count[1];
          elements[i][((at[0] + layer) * dims[1] + at[1] + row) * dims[2] + at[2] + k % count[2]] = value;
        }
      }
    }
    for (std::size_t k = 0; k < elements[0].size(); ++k)
      differing += elements[0][k] != elements[1][k] ? 1U : 0U;
    EXPECT_EQ(compare("x0", "x1").differing, differing) << round;
  }
}

TEST_F(SparseArrays, SelectedPartsAreThoseThatAreStored) {
  make_chunked("a", {64, 1000});
  write("a", {5, 7}, {1, 1}, 1);
  write("a", {200, 5000}, {1, 1}, 2);
  const auto only = [](const array_source& from, std::optional<std::vector<slab>> parts) {
    EXPECT_TRUE(parts.has_value());
    EXPECT_EQ(parts.value_or(std::vector<slab>{}).size(), 1U) << from.what().dims.text();
    return parts.value_or(std::vector<slab>{}).at(0);
  };
  const auto row = source("a", "5, 4::3");
  const slab in_row = only(*row, row->stored_parts());
  EXPECT_EQ(in_row.offset, extents{0});
  EXPECT_EQ(in_row.count, extents{332});  // 4 to 997
  const auto column = source("a", "10:300:7, 5999");
  const slab in_column = only(*column, column->stored_parts());
  EXPECT_EQ(in_column.offset, extents{26});  // 192 to 255 are stored
  EXPECT_EQ(in_column.count, extents{10});   // 192, 199, ... 255
  EXPECT_TRUE(source("a", "64:128, :")->stored_parts().value().empty());
  EXPECT_FALSE(source("a", "0:64, 0:1000")->stored_parts().has_value());
}

TEST_F(SparseArrays, NpyFilesHaveHoles) {
  make_chunked("a", {64, 1000});
  write("a", {5, 7}, {3, 3}, 1);
  write("a", {side - 1, side - 2}, {1, 2}, 2);
  write_array(path("a.npy"), *source("a"));
  EXPECT_EQ(std::filesystem::file_size(path("a.npy")), side * side + 128);
  EXPECT_LT(taken_by(path("a.npy")), std::uint64_t{1} << 20);
  const array_file file(path("a.npy"));
  EXPECT_TRUE(file.losses().empty());
  EXPECT_EQ(file.at("").what().dims, (extents{side, side}));
  for (const slab& part :
       {slab{{4, 6}, {5, 5}, {}}, slab{{side - 2, side - 4}, {2, 4}, {}}, slab{{63, 999}, {2, 2}, {}}}) {
    std::string there(part.count.elements(), '\7');
    std::string expected = there;
    file.at("").read(part, reinterpret_cast<std::byte*>(there.data()));
    source("a")->read(part, reinterpret_cast<std::byte*>(expected.data()));
    EXPECT_EQ(there, expected);
  }
  // An array that nobody has written, and one that is compared with its file.
  make_chunked("none", {64, 1000});
  write_array(path("none.npy"), *source("none"));
  EXPECT_EQ(std::filesystem::file_size(path("none.npy")), side * side + 128);
  make("small", {.layout = array_layout::chunked, .chunk = {1, 100, 33}}, {3, 2000, 3000});
  write("small", {0, 1990, 10}, {3, 10, 2900}, 5);
  write("small", {2, 1, 2999}, {1, 1, 1}, 6);
  write_array(path("small.npy"), *source("small"));
  EXPECT_LT(taken_by(path("small.npy")), 4000U * 2000);
  EXPECT_TRUE(compare_arrays(*source("small"), array_file(path("small.npy")).at("")).is_same());
}

TEST_F(SparseArrays, HolesOfNpyFilesAreNotImported) {
  constexpr std::uint64_t length = std::uint64_t{1} << 14;
  make("a", {.layout = array_layout::chunked, .chunk = {4, 1000}}, {length, length});
  write("a", {5, 7}, {2, 3}, 1);
  write("a", {7000, length - 3}, {2, 3}, 4);
  write("a", {length - 1, length - 2}, {1, 2}, 2);
  write_array(path("a.npy"), *source("a"));
  const array_file file(path("a.npy"));
  const auto parts = file.at("").stored_parts();
  ASSERT_TRUE(parts.has_value());
  std::uint64_t stored = 0;
  for (const slab& one : parts.value_or(std::vector<slab>{})) stored += one.count.elements();
  EXPECT_LT(stored, std::uint64_t{1} << 18);
  import_array(store_, "b", file.at(""));
  EXPECT_LT(store_.info("b").stored_bytes, std::uint64_t{8} << 20);
  EXPECT_TRUE(compare("a", "b").is_same());
  // Texts of fixed length, in three dimensions.
  const extents dims{100, 50, 1000, 7};
  store_.untyped()->create("t", element_kind::character, dims,
                           {.layout = array_layout::chunked, .chunk = {1, 1, 100, 7}});
  const std::string text = "abcdefgABCDEFG";
  store_.untyped()->write("t", element_kind::character, {{17, 49, 998, 0}, {1, 1, 2, 7}, {}},
                          const_untyped_view::row_major(text.data(), {1, 1, 2, 7}, 1));
  store_.untyped()->write("t", element_kind::character, {{18, 0, 0, 0}, {1, 1, 2, 7}, {}},
                          const_untyped_view::row_major(text.data(), {1, 1, 2, 7}, 1));
  write_array(path("t.npy"), *source("t"));
  import_array(store_, "u", array_file(path("t.npy")).at(""));
  EXPECT_LT(store_.untyped()->parts("u").size(), 20U);
  EXPECT_TRUE(compare("t", "u").is_same());
}

TEST_F(SparseArrays, FormatsWithoutHolesAreRefusedForWantOfSpace) {
  constexpr std::uint64_t large = std::uint64_t{1} << 30;
  make("a", {.layout = array_layout::chunked, .chunk = {64, 1000}}, {large, large});
  for (const char* const name : {"a.csv", "a.tsv", "a.npz"}) {
    EXPECT_TRUE(fails_with(errc::no_space, "it would have at least", [&] {
      write_array(path(name), *source("a"));
    })) << name;
    EXPECT_TRUE(fails_with(errc::no_space, "choose .npy", [&] {
      write_array(path(name), *source("a"), {.compressed = true});
    })) << name;
    EXPECT_FALSE(std::filesystem::exists(path(name)));
  }
  // There may be room for these, but not the patience.
  make("b", {.layout = array_layout::chunked, .chunk = {64, 1000}}, {side / 4, side / 2});
  for (const char* const name : {"b.npz", "b.csv"}) {
    const auto write_it = [&] { write_array(path(name), *source("b"), {.compressed = true}); };
    const errc code = code_of(write_it);
    EXPECT_TRUE(code == errc::unsupported || code == errc::no_space) << name;
    EXPECT_NE(message_of(write_it).find("choose .npy"), std::string::npos) << name;
  }
  write_array(path("part.csv"), *source("a", "0:2, 0:2"));
  EXPECT_EQ(std::filesystem::file_size(path("part.csv")), 8U);
}

TEST_F(SparseArrays, NetCdfFilesHaveHoles) {
  if (!is_available(file_format::netcdf)) GTEST_SKIP() << "this build has no NetCDF";
  make_chunked("a", {64, 1000});
  make_chunked("none", {64, 1000});
  write("a", {5, 7}, {3, 3}, 1);
  write("a", {side - 1, side - 2}, {1, 2}, 2);
  const std::uint64_t limits[]{UINT64_MAX, side};
  store_.untyped()->set_attribute("a", ".max_dims", element_kind::uint64, {2},
                                  std::as_bytes(std::span(limits)));
  std::vector<std::string> lost;
  export_arrays(store_, "", path("a.nc"), {.compressed = true, .on_loss = [&](const loss& one) {
                                             lost.push_back(one.array + ' ' + one.what);
                                           }});
  EXPECT_EQ(lost, std::vector<std::string>{
                      "a loses that dimension 0 may grow: most of its elements are not stored, and "
                      "become a hole in the file"});
  // HDF5 writes 64 KiB at least.
  EXPECT_LT(taken_by(path("a.nc")), std::uint64_t{16} << 20);
  const array_file file(path("a.nc"));
  EXPECT_TRUE(file.losses().empty());
  for (const char* const id : {"a", "none"})
    for (const slab& part : {slab{{4, 6}, {5, 5}, {}}, slab{{side - 2, side - 4}, {2, 4}, {}}}) {
      std::string there(part.count.elements(), '\7');
      std::string expected = there;
      file.at(id).read(part, reinterpret_cast<std::byte*>(there.data()));
      source(id)->read(part, reinterpret_cast<std::byte*>(expected.data()));
      EXPECT_EQ(there, expected) << id;
    }
}

TEST_F(SparseArrays, FillValuesAreNotTakenForZeros) {
  if (!is_available(file_format::hdf5)) GTEST_SKIP() << "this build has no HDF5";
  make_chunked("a", {64, 1000});
  write("a", {5, 7}, {3, 3}, 1);
  const std::byte fill{9};
  store_.untyped()->set_attribute("a", ".fill_value", element_kind::uint8, {}, {&fill, 1});
  for (const char* const name : {"a.h5", "a.zarr"}) {
    std::vector<std::string> lost;
    write_array(path(name), *source("a"), {.on_loss = [&](const loss& one) { lost.push_back(one.what); }});
    EXPECT_EQ(lost, std::vector<std::string>{"loses its fill value: elements that are not stored are zero"});
    EXPECT_TRUE(compare_arrays(*source("a"), **array_file(path(name)).begin()).attributes.size() == 1);
    EXPECT_EQ(compare_arrays(*source("a"), **array_file(path(name)).begin()).differing, 0U);
  }
}

}  // namespace
