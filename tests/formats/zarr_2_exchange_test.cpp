// A property of zarr's version 2: an array of any type, shape, order and codec that a writer of its own puts
// into a directory is read as it was.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <perdure/array_store.hpp>
#include <perdure/formats/store_exchange.hpp>
#include <utility>

#include "formats/zarr_bytes.hpp"
#include "support/random_stream.hpp"
#include "support/scratch_directory.hpp"
#include "workload/compressed.hpp"

namespace {

using namespace perdure;
using namespace perdure::formats;
using namespace perdure::test;

/// A type as the format names it, and what becomes of it.
struct exchanged_type {
  std::string dtype;  ///< the format's name, JSON
  std::string type;   ///< our name for an element
  std::size_t size;   ///< bytes of an element in a chunk; 0 for texts of any length
  /// Offset and width of each number whose bytes lie in the other order.
  std::vector<std::pair<std::size_t, std::size_t>> swaps = {};
  std::string fill = "null";      ///< fill value, JSON
  std::string fill_element = {};  ///< bytes of the fill value here; a text itself
  std::uint64_t length = 0;       ///< characters of a text of fixed length

  bool has_texts() const { return type == "string"; }
};

template <class T>
std::string element_of(T value) {
  return bytes_of_elements<T>({value});
}

std::vector<exchanged_type> exchanged_types() {
  std::vector<exchanged_type> all{{R"("|b1")", "bool", 1, {}, "true", "\1"},
                                  {R"("|i1")", "int8", 1, {}, "-7", "\xf9"},
                                  {R"("|u1")", "uint8", 1, {}, "7", "\7"},
                                  {R"("|S5")", "char", 5, {}, R"("YWI=")", std::string("ab\0\0\0", 5), 5},
                                  {R"("<U3")", "string", 12, {}, R"("ab")", "ab"},
                                  {R"(">U3")", "string", 12, {{0, 4}, {4, 4}, {8, 4}}, R"("ab")", "ab"},
                                  {R"("|O")", "string", 0, {}, R"("")", ""},
                                  {R"("|V4")", "opaque(4/1 void)", 4, {}, R"("AQIDBA==")", "\1\2\3\4"},
                                  {R"([["a", "<i2"], ["b", ">f8"], ["c", "|S3"]])",
                                   "{13/1 a:int16@0 b:float64@2 c:char[3]@10}",
                                   13,
                                   {{2, 8}},
                                   R"("AQIDBAUGBwgJCgsMDQ==")",
                                   "\x1\x2\xa\x9\x8\x7\x6\x5\x4\x3\xb\xc\xd"}};
  for (const char order : {'<', '>'}) {
    const auto add = [&](const char* name, const char* type, std::size_t width, std::size_t count,
                         const std::string& fill, const std::string& fill_element) {
      exchanged_type one{std::string("\"") + order + name + '"', type, width * count, {}, fill, fill_element};
      for (std::size_t i = 0; i < count && order == '>'; ++i) one.swaps.emplace_back(i * width, width);
      all.push_back(one);
    };
    add("i2", "int16", 2, 1, "-2", element_of<std::int16_t>(-2));
    add("i4", "int32", 4, 1, "-2", element_of<std::int32_t>(-2));
    add("i8", "int64", 8, 1, "9007199254740993", element_of<std::int64_t>(9007199254740993));
    add("u2", "uint16", 2, 1, "65535", element_of<std::uint16_t>(65535));
    add("u4", "uint32", 4, 1, "7", element_of<std::uint32_t>(7));
    add("u8", "uint64", 8, 1, "18446744073709551615", element_of<std::uint64_t>(UINT64_MAX));
    add("f2", "float16", 2, 1, "7.0", element_of<std::uint16_t>(0x4700));
    add("f4", "float32", 4, 1, "1.5", element_of<float>(1.5));
    add("f8", "float64", 8, 1, "\"-Infinity\"", element_of<double>(-std::numeric_limits<double>::infinity()));
    add("c8", "complex64", 4, 2, "[1.5, -2.0]", bytes_of_elements<float>({1.5, -2}));
    add("c16", "complex128", 8, 2, "[1.5, -2.0]", bytes_of_elements<double>({1.5, -2}));
  }
  return all;
}

constexpr std::string_view compressors[] = {"", "zlib", "gzip", "zstd", "lz4", "bz2", "lzma", "blosc"};

std::string compressed(std::string_view by, const std::string& bytes) {
  if (by == "zlib") return zlib(bytes);
  if (by == "gzip") return gzip(bytes);
  if (by == "zstd") return zstd(bytes);
  if (by == "lz4") return lz4_stored(bytes);
  if (by == "bz2") return bzip2(bytes);
  if (by == "lzma") return xz(bytes);
  if (by == "blosc") return blosc_stored(bytes, 1);
  return bytes;
}

/// Calls `visit` with each place in a box of that shape, the last dimension innermost.
template <class Visit>
void for_each_place(const extents& shape, Visit&& visit) {
  extents at = extents::all(shape.rank(), 0);
  for (std::uint64_t left = shape.elements(); left > 0; --left) {
    visit(std::as_const(at));
    for (std::size_t i = shape.rank(); i-- > 0 && ++at[i] == shape[i];) at[i] = 0;
  }
}

std::uint64_t row_major_number(const extents& at, const extents& shape) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < at.rank(); ++i) number = number * shape[i] + at[i];
  return number;
}

/// An array, and a directory of it.
class exchanged_array {
 public:
  exchanged_array(random_stream& random, const exchanged_type& type) : random_(random), type_(type) {
    for (std::uint64_t rank = random.below(5); rank > 0; --rank) {
      dims.push_back(random.one_in(12) ? 0 : 1 + random.below(6));
      chunk_.push_back(1 + random.below(7));
    }
    for (std::uint64_t i = 0; i < dims.elements(); ++i) elements.push_back(random_element());
    is_column_major_ = random.one_in(2);
    separator_ = random.one_in(2) ? '/' : '.';
    has_fill_ = random.one_in(2);
    compressor_ = compressors[random.below(std::size(compressors))];
  }

  /// Writes the directory. Elements of chunks that it leaves out become the fill value.
  void write(const std::filesystem::path& directory) {
    write_file(directory / ".zarray", metadata());
    extents grid = dims;
    for (std::size_t i = 0; i < dims.rank(); ++i) grid[i] = (dims[i] + chunk_[i] - 1) / chunk_[i];
    for_each_place(grid, [&](const extents& place) {
      if (random_.one_in(4)) return leave_out(place);
      std::string name;
      for (const std::uint64_t n : place)
        name += (name.empty() ? "" : std::string(1, separator_)) + std::to_string(n);
      write_file(directory / (name.empty() ? "0" : name), compressed(compressor_, chunk_at(place)));
    });
  }

  std::string description() const {
    return type_.dtype + ' ' + dims.text() + " in " + chunk_.text() + (is_column_major_ ? " F " : " C ") +
           std::string(compressor_);
  }

  extents dims;
  std::vector<std::string> elements;  ///< bytes of each element here, row-major; texts themselves

 private:
  std::string metadata() const {
    std::string more = std::string(R"("order": ")") + (is_column_major_ ? 'F' : 'C') + "\", ";
    if (separator_ == '/' || random_.one_in(2))
      more += std::string(R"("dimension_separator": ")") + separator_ + "\", ";
    if (has_fill_) more += R"("fill_value": )" + type_.fill + ", ";
    if (type_.size == 0) more += R"("filters": [{"id": "vlen-utf8"}], )";
    const std::string by =
        compressor_.empty() ? "null" : R"({"id": ")" + std::string(compressor_) + R"(", "level": 1})";
    return zarr_2_json(type_.dtype, dims.text(), chunk_.text(), by, more);
  }

  std::string random_element() {
    if (type_.has_texts()) {
      std::string text;
      for (std::uint64_t n = random_.below(4); n > 0; --n) text += random_.one_in(3) ? "\u00f6" : "x";
      return text;
    }
    std::string bytes(type_.size, '\0');
    for (char& one : bytes) one = static_cast<char>(type_.type == "bool" ? random_.below(2) : random_.next());
    return bytes;
  }

  std::string in_chunk(const std::string& element) const {
    std::string bytes = element;
    if (type_.has_texts()) {
      bytes.clear();
      for (std::size_t i = 0; i < element.size(); ++i) {
        const bool is_wide = element[i] == '\xc3';
        bytes += element_of<std::uint32_t>(is_wide ? 0xf6 : static_cast<unsigned char>(element[i]));
        i += is_wide ? 1 : 0;
      }
      bytes.resize(type_.size, '\0');
    }
    for (const auto& [offset, width] : type_.swaps)
      std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(offset),
                   bytes.begin() + static_cast<std::ptrdiff_t>(offset + width));
    return bytes;
  }

  /// Returns the element at a place of a chunk; outside of the array there may be any.
  std::optional<std::uint64_t> number_of(const extents& place, const extents& inside) const {
    extents at = place;
    for (std::size_t i = 0; i < dims.rank(); ++i) {
      at[i] = place[i] * chunk_[i] + inside[i];
      if (at[i] >= dims[i]) return std::nullopt;
    }
    return row_major_number(at, dims);
  }

  std::string chunk_at(const extents& place) {
    std::vector<std::string> all(chunk_.elements());
    for_each_place(chunk_, [&](const extents& inside) {
      extents nested = inside;
      extents shape = chunk_;
      if (is_column_major_)
        for (std::size_t i = 0; i < dims.rank(); ++i) {
          nested[i] = inside[dims.rank() - 1 - i];
          shape[i] = chunk_[dims.rank() - 1 - i];
        }
      const std::optional<std::uint64_t> number = number_of(place, inside);
      all[row_major_number(nested, shape)] = number ? elements[*number] : random_element();
    });
    std::string bytes;
    if (type_.size == 0) bytes = element_of<std::uint32_t>(static_cast<std::uint32_t>(all.size()));
    for (const std::string& one : all)
      bytes += type_.size == 0 ? element_of<std::uint32_t>(static_cast<std::uint32_t>(one.size())) + one
                               : in_chunk(one);
    return bytes;
  }

  void leave_out(const extents& place) {
    const std::string nothing(type_.has_texts() ? 0 : type_.size, '\0');
    for_each_place(chunk_, [&](const extents& inside) {
      if (const std::optional<std::uint64_t> number = number_of(place, inside))
        elements[*number] = has_fill_ ? type_.fill_element : nothing;
    });
  }

  random_stream& random_;
  const exchanged_type& type_;
  extents chunk_;
  bool is_column_major_ = false;
  char separator_ = '.';
  bool has_fill_ = false;
  std::string_view compressor_;
};

void expect_same(array_source& found, const exchanged_array& expected, const exchanged_type& type) {
  EXPECT_EQ(found.what().type.text(), type.type);
  extents dims = expected.dims;
  if (type.length != 0) dims.push_back(type.length);
  ASSERT_EQ(found.what().dims, dims);
  if (type.has_texts()) {
    EXPECT_EQ(load_texts(found), expected.elements);
    return;
  }
  std::string all;
  for (const std::string& one : expected.elements) all += one;
  std::string bytes(all.size(), '\7');
  found.read(slab::whole(dims), reinterpret_cast<std::byte*>(bytes.data()));
  EXPECT_EQ(bytes, all);
}

TEST(Zarr2Exchange, ArraysOfEveryTypeShapeOrderAndCodecAreRead) {
  const scratch_directory dir{fast_directory()};
  random_stream random(2);
  const std::vector<exchanged_type> types = exchanged_types();
  std::size_t read = 0;
  array_store store(create_only, dir / "store");
  for (std::size_t round = 0; round < 20 * types.size(); ++round) {
    const exchanged_type& type = types[round % types.size()];
    exchanged_array array(random, type);
    SCOPED_TRACE(std::to_string(round) + ' ' + array.description());
    const std::filesystem::path directory = dir / (std::to_string(round) + ".zarr");
    array.write(directory);
    try {
      const array_file file(directory);
      EXPECT_TRUE(file.losses().empty());
      ASSERT_EQ(file.size(), 1U);
      expect_same(file.at(""), array, type);
      // Through a store, in other pieces than the file's.
      import_array(store, "x", file.at(""), {.replaces_any = true});
      expect_same(*source_of(store, "x"), array, type);
      ++read;
    } catch (const error& failure) {
      // Libraries that a build may lack.
      EXPECT_NE(std::string(failure.what()).find("built without"), std::string::npos) << failure.what();
    }
    std::filesystem::remove_all(directory);
  }
  EXPECT_GT(read, 10 * types.size());
}

}  // namespace
