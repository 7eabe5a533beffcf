// Every type in every shape goes to each format and back: as it was, or refused by name.
#include <gtest/gtest.h>

#include <cstring>
#include <perdure/array_store.hpp>
#include <perdure/formats/array_comparison.hpp>
#include <perdure/formats/array_file.hpp>
#include <perdure/formats/store_exchange.hpp>

#include "support/random_stream.hpp"
#include "support/scratch_directory.hpp"

namespace {

using namespace perdure;
using namespace perdure::formats;

const std::vector<extents>& shapes() {
  static const std::vector<extents> all{
      {},     {1},       {5},       {0},       {1, 1}, {3, 4},  {4, 1},          {1, 4},
      {0, 3}, {2, 3, 4}, {1, 1, 1}, {2, 0, 2}, {700},  {33, 9}, {2, 2, 2, 2, 2}, {1, 1, 1, 1, 1, 1, 1}};
  return all;
}

std::vector<data_type> types() {
  std::vector<data_type> all;
  for (const element_kind kind :
       {element_kind::boolean, element_kind::int8, element_kind::int16, element_kind::int32,
        element_kind::int64, element_kind::uint8, element_kind::uint16, element_kind::uint32,
        element_kind::uint64, element_kind::float16, element_kind::bfloat16, element_kind::float32,
        element_kind::float64, element_kind::complex64, element_kind::complex128, element_kind::character})
    all.emplace_back(kind);
  for (const char* const one :
       {"{16/8 id:int64@0 x:float32@8}", "{3/1 a:int8@0 b:uint16@1}",
        "{24/8 n:char[3]@0 c:char@3 at:float64[2]@8}", "{8/2 inner:{4/2 a:int16@0 b:bool@2}@0 f:float16@4}",
        "opaque(5/1 void)", "string", "list<int32>"})
    all.push_back(data_type::parse(one));
  return all;
}

/// Whether all bits of an element are a value: truths are 0 and 1, characters no zeros, and comparison of
/// numbers that are none is another test's.
void make_sound(const data_type& type, std::byte* element) {
  const data_type base = type.base();
  for (std::size_t at = 0; at < type.size(); at += base.size()) {
    std::byte* const one = element + at;
    switch (base.kind()) {
      case element_kind::boolean:
        *one &= std::byte{1};
        break;
      case element_kind::character:
        *one = static_cast<std::byte>('a' + static_cast<int>(*one) % 26);
        break;
      case element_kind::structure: {
        // Bytes between fields have no value.
        const std::vector<std::byte> before(one, one + base.size());
        std::memset(one, 0, base.size());
        for (const data_field& field : base.fields()) {
          std::memcpy(one + field.offset, before.data() + field.offset, field.type.size());
          make_sound(field.type, one + field.offset);
        }
        break;
      }
      case element_kind::float16:
      case element_kind::bfloat16:
        one[1] &= std::byte{0x3b};
        break;
      case element_kind::float32:
      case element_kind::complex64:
        for (std::size_t i = 3; i < base.size(); i += 4) one[i] &= std::byte{0xbe};
        break;
      case element_kind::float64:
      case element_kind::complex128:
        for (std::size_t i = 7; i < base.size(); i += 8) one[i] &= std::byte{0xbe};
        break;
      default:
        break;
    }
  }
}

std::string file_bytes(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class EveryType : public testing::Test {
 protected:
  /// An array of this type and shape in the store, of random elements.
  std::unique_ptr<array_source> make(const data_type& type, const extents& dims) {
    untyped_arrays& arrays = *store_.untyped();
    const std::uint64_t count = dims.elements();
    if (type.is_variable()) {
      variable_elements all;
      const std::size_t size = type.kind() == element_kind::text ? 1 : type.element().size();
      for (std::uint64_t i = 0; i < count; ++i) {
        for (std::uint64_t n = random_.below(5); n > 0; --n)
          all.bytes += type.kind() == element_kind::text && random_.one_in(4) ? std::string("\xc3\xb6")
                                                                              : std::string(size, 'a');
        all.ends.push_back(all.bytes.size());
      }
      arrays.store_variable("x", type, dims, all, {.replaces_any = true});
    } else {
      std::vector<std::byte> bytes(count * type.size());
      for (std::byte& one : bytes) one = static_cast<std::byte>(random_.next());
      for (std::uint64_t i = 0; i < count; ++i) make_sound(type, bytes.data() + i * type.size());
      arrays.store_whole("x", type, const_untyped_view::row_major(bytes.data(), dims, type.size()),
                         {.replaces_any = true});
    }
    return source_of(store_, "x", {}, "x");
  }

  std::filesystem::path path(const std::string& name) const { return dir_ / name; }

  scratch_directory dir_{fast_directory()};
  array_store store_{create_only, dir_ / "store"};
  random_stream random_{20};
};

/// Whether the format has such arrays, so that refusing one is a mistake.
bool has(const std::string& format, const data_type& type) {
  if (type.kind() == element_kind::sequence) return false;
  if (format != "zarr") return type.kind() != element_kind::bfloat16;
  return type.text().find('[') == std::string::npos || type.text().find("char[") != std::string::npos;
}

/// The shape that comes back: a single character becomes a text of one.
extents shape_after(const data_type& type, const extents& dims) {
  return type.kind() == element_kind::character && dims.empty() ? extents{1} : dims;
}

TEST_F(EveryType, ComesBackFromNumPyAndZarr) {
  std::size_t kept = 0;
  for (const data_type& type : types())
    for (const extents& dims : shapes())
      for (const char* const name : {"t.npy", "t.npz", "tz.npz", "t.zarr", "tz.zarr"}) {
        const auto from = make(type, dims);
        const std::string format = std::filesystem::path(name).extension().string().substr(1);
        const std::string which = type.text() + ' ' + dims.text() + ' ' + name;
        try {
          write_array(path(name), *from, {.compressed = name[1] == 'z'});
        } catch (const error& failure) {
          EXPECT_EQ(failure.code(), errc::unsupported) << which << ": " << failure.what();
          const bool has_arrays_in_it =
              format == "zarr" && type.text().find("float64[2]") != std::string::npos;
          EXPECT_TRUE(!has(format, type) || has_arrays_in_it) << which << ": " << failure.what();
          continue;
        }
        const array_file file(path(name));
        ASSERT_EQ(file.size(), 1U) << which;
        array_source& back = **file.begin();
        EXPECT_TRUE(file.losses().empty()) << which;
        EXPECT_EQ(back.what().type.text(), type.text()) << which;
        EXPECT_EQ(back.what().dims, shape_after(type, dims)) << which << ": " << back.what().dims.text();
        if (back.what().dims == dims) {
          EXPECT_TRUE(compare_arrays(*from, back).is_same()) << which;
        }
        ++kept;
      }
  EXPECT_GT(kept, 1500U);
}

TEST_F(EveryType, ComesBackFromTablesOfText) {
  std::size_t kept = 0;
  for (const data_type& type : types())
    for (const extents& dims : shapes()) {
      const auto from = make(type, dims);
      const std::string which = type.text() + ' ' + dims.text();
      const bool is_text = type.kind() == element_kind::character && !dims.empty();
      const std::size_t rank = dims.rank() - (is_text ? 1 : 0);
      try {
        write_array(path("t.csv"), *from);
      } catch (const error& failure) {
        EXPECT_EQ(failure.code(), errc::unsupported) << which << ": " << failure.what();
        const bool is_table = rank < 2 || (rank == 2 && type.kind() != element_kind::structure);
        EXPECT_TRUE(!is_table || type.kind() == element_kind::sequence) << which << ": " << failure.what();
        continue;
      }
      if (type.kind() == element_kind::opaque || (is_text && dims[rank] == 0)) continue;  // as texts only
      // A column has one dimension, and rows without columns are none.
      extents after = dims;
      if (rank == 0) after = extents{1};
      if (rank == 2 && dims[1] == 1) after = extents{dims[0]};
      if (rank == 2 && dims[0] * dims[1] == 0) after = extents{0};
      if (is_text && (rank == 0 || !(after == dims))) after.push_back(dims[rank]);
      reading_options options;
      options.type = is_text ? type.array({dims[rank]}) : type;
      const array_file file(path("t.csv"), options);
      array_source& back = file.at("");
      EXPECT_EQ(back.what().type.text(), type.text()) << which;
      EXPECT_EQ(back.what().dims, after) << which << ": " << back.what().dims.text();
      if (back.what().dims == dims) {
        EXPECT_TRUE(compare_arrays(*from, back).is_same()) << which;
      }
      // By itself the table is found to have the same values, perhaps in a larger type.
      if (dims.elements() == 0) continue;
      const array_file found(path("t.csv"));
      EXPECT_TRUE(found.losses().empty()) << which;
      write_array(path("u.csv"), found.at(""));
      EXPECT_EQ(file_bytes(path("u.csv")), file_bytes(path("t.csv"))) << which;
      ++kept;
    }
  EXPECT_GT(kept, 100U);
}

}  // namespace
