// A property of HDF5 and NetCDF: arrays of every type and shape, with attributes of every type and shape,
// come back from a file as they were, and what a format does not have is named.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <perdure/formats/array_comparison.hpp>
#include <perdure/formats/group_attributes.hpp>
#include <perdure/formats/store_exchange.hpp>
#include <set>
#include <span>

#include "support/errors.hpp"
#include "support/random_stream.hpp"
#include "support/scratch_directory.hpp"

namespace {

using namespace perdure;
using namespace perdure::formats;

class TypesExchange : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!is_available(format_named(file()))) GTEST_SKIP() << "this build has no " << GetParam();
  }
  std::filesystem::path file() const { return dir_ / (std::string("file.") + GetParam()); }
  static bool is_netcdf() { return GetParam() == std::string("nc"); }

  static std::vector<data_type> types() {
    using enum element_kind;
    const data_type point = data_type::structure({{"x", 0, float64}, {"y", 8, float64}}, 16, 8);
    const data_type record = data_type::structure({{"id", 0, uint16},
                                                   {"at", 8, point.array({2})},
                                                   {"tag", 40, int8},
                                                   {"grid", 44, data_type(float32).array({2, 3})}},
                                                  72, 8);
    std::vector<data_type> all{point, record, data_type::opaque("blob", 5, 1), data_type::list_of(float64),
                               data_type::list_of(int16)};
    for (const element_kind kind : {boolean, character, int8, int16, int32, int64, uint8, uint16, uint32,
                                    uint64, float16, bfloat16, float32, float64, complex64, complex128, text})
      all.emplace_back(kind);
    return all;
  }
  static std::vector<extents> shapes() { return {{}, {0}, {1}, {7}, {2, 3}, {3, 0, 2}, {2, 1, 3, 2}}; }
  static bool is_in_format(const data_type& type) {
    return !is_netcdf() || (type.kind() != element_kind::float16 && type.kind() != element_kind::bfloat16);
  }

  /// Any bytes, or 0 and 1 where nothing else is a value.
  std::string bytes_for(const data_type& type, std::uint64_t count) {
    std::string bytes(count * type.size(), '\0');
    for (char& one : bytes)
      one = static_cast<char>(type.kind() == element_kind::boolean ? random_.below(2) : random_.next());
    // The fillers of a struct are nobody's.
    if (type.kind() == element_kind::structure)
      for (std::uint64_t i = 0; i < count; ++i) clear_fillers(type, bytes.data() + i * type.size());
    // Zeros at the end of a text fill it up.
    if (type.kind() == element_kind::character)
      for (char& one : bytes) one = static_cast<char>('a' + static_cast<unsigned char>(one) % 26);
    return bytes;
  }
  static void clear_fillers(const data_type& type, char* element) {
    std::uint64_t end = 0;
    for (const data_field& field : type.fields()) {
      std::fill(element + end, element + field.offset, '\0');
      end = field.offset + field.type.size();
    }
    std::fill(element + end, element + type.size(), '\0');
  }
  variable_elements elements_for(const data_type& type, std::uint64_t count) {
    variable_elements all;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::size_t length = random_.below(5);
      if (type.kind() == element_kind::text)
        all.bytes += std::string(length, static_cast<char>('a' + i % 26)) + (length == 4 ? "\u00e9" : "");
      else
        all.bytes += bytes_for(type.element(), length);
      all.ends.push_back(all.bytes.size());
    }
    return all;
  }

  void add_array(array_store& to, const std::string& id, const data_type& type, const extents& dims,
                 const array_options& options) {
    const std::uint64_t count = dims.elements();
    if (type.is_variable()) {
      to.untyped()->store_variable(id, type, dims, elements_for(type, count), options);
      return;
    }
    const std::string bytes = bytes_for(type, count);
    to.untyped()->store_whole(id, type, const_untyped_view::row_major(bytes.data(), dims, type.size()),
                              options);
  }
  void add_attribute(array_store& to, const std::string& id, const std::string& key, const data_type& type,
                     const extents& dims) {
    std::string bytes;
    if (type.is_variable()) {
      const variable_elements all = elements_for(type, dims.elements());
      bytes = dims.empty() ? all.bytes : pack_elements(all);
    } else {
      bytes = bytes_for(type, dims.elements());
    }
    to.untyped()->set_attribute(id, key, type, dims, std::as_bytes(std::span(bytes)));
  }
  void add_attributes(array_store& to, const std::string& id) {
    unsigned number = 0;
    for (const data_type& type : types())
      for (const extents& dims : shapes()) add_attribute(to, id, "a" + std::to_string(number++), type, dims);
    to.untyped()->set_attribute(id, "null", null_type(), {}, {});
    to.untyped()->set_attribute(id, "no float", null_type(element_kind::float32), {}, {});
  }

  /// Characters are text as an attribute: their last dimension is its length.
  static attribute_value texts_for(const attribute_value& value) {
    const std::size_t rank = value.dims.rank();
    if (rank < 2) return {element_kind::text, {}, value.bytes};
    const std::uint64_t length = value.dims[rank - 1];
    const extents outer(value.dims.span().first(rank - 1));
    variable_elements all{{}, value.bytes};
    for (std::uint64_t i = 0; i < outer.elements(); ++i) all.ends.push_back((i + 1) * length);
    return {element_kind::text, outer, pack_elements(all)};
  }
  /// Returns an attribute as it comes back from such a file; nothing if the format cannot hold it.
  static std::optional<attribute_value> in_file(attribute_value value) {
    if (value.type.kind() == element_kind::character) value = texts_for(value);
    if (!is_netcdf()) return value;
    if (is_null(value.type) || !is_in_format(value.type)) return std::nullopt;
    if (value.dims.empty()) return value;
    const std::uint64_t elements = value.dims.elements();
    value.dims = {elements};
    if (elements != 1) return value;
    if (value.type.is_variable()) value.bytes = unpack_elements({1}, value.bytes).bytes;
    value.dims = {};
    return value;
  }
  /// Returns facts about an array as they come back from such a file.
  static array_info in_file(array_info info) {
    // The last dimension of characters is the length of texts, which has no name in HDF5 and is 1 for want of
    // another.
    if (is_netcdf() || info.type.kind() != element_kind::character) return info;
    if (info.dims.empty() || info.dims[info.dims.rank() - 1] == 0)
      info.dims.push_back(1);
    else
      info.dimensions.pop_back();
    if (info.dimensions.empty()) return info;
    info.dimensions.resize(info.dims.rank());
    return info;
  }

  void expect_same_attributes(const array_store& a, const array_store& b, const std::string& id,
                              const std::vector<loss>& losses) {
    std::set<std::string> expected;
    for (const std::string& key : a.array(id).attributes()) {
      const auto value = in_file(*a.untyped()->attribute(id, key));
      const std::string quoted = std::string(1, '"').append(key).append(1, '"');
      const bool is_named = std::any_of(losses.begin(), losses.end(), [&](const loss& one) {
        return one.array == id && one.what.find(quoted) != std::string::npos;
      });
      if (!value) {
        EXPECT_TRUE(is_named) << id << ' ' << key << " is lost without a word";
        continue;
      }
      expected.insert(key);
      const auto found = b.untyped()->attribute(id, key);
      const std::string shown = id + ' ' + key + ' ' + value->type.text() + ' ' + value->dims.text();
      ASSERT_TRUE(found.has_value()) << shown;
      EXPECT_EQ(found->type, value->type) << shown;
      EXPECT_EQ(found->dims, value->dims) << shown;
      EXPECT_EQ(found->bytes, value->bytes) << shown;
    }
    for (const std::string& key : b.array(id).attributes())
      EXPECT_TRUE(expected.contains(key)) << id << ' ' << key;
  }

  scratch_directory dir_{fast_directory()};
  random_stream random_{20261126};
};

TEST_P(TypesExchange, ArraysOfEveryTypeAndShapeComeBack) {
  for (const bool is_chunked : {false, true}) {
    array_store store(create_only, dir_ / ("there" + std::to_string(is_chunked)));
    unsigned number = 0;
    for (const data_type& type : types()) {
      for (const extents& dims : shapes()) {
        if (!is_in_format(type)) continue;
        array_options options;
        if (is_chunked && !type.is_variable() && !dims.empty()) {
          options.layout = array_layout::chunked;
          options.chunk = extents::all(dims.rank(), 2);
        }
        for (std::size_t i = 0; i < dims.rank(); ++i)
          options.dimensions.push_back("d" + std::to_string(i) + '_' + std::to_string(dims[i]));
        add_array(store, "g" + std::to_string(number % 3) + "/n" + std::to_string(number), type, dims,
                  options);
        ++number;
      }
    }
    std::map<std::string, std::string> losses;
    export_arrays(store, "", file(), {.compressed = is_chunked, .on_loss = [&](const loss& one) {
                                        losses[one.array] = one.what;
                                      }});
    array_store back(create_only, dir_ / ("back" + std::to_string(is_chunked)));
    const array_file opened(file());
    EXPECT_TRUE(opened.losses().empty()) << opened.losses()[0].array << ' ' << opened.losses()[0].what;
    EXPECT_EQ(import_arrays(back, "", opened), store.list());
    for (const std::string& id : store.list()) {
      const array_info a = in_file(store.info(id));
      const array_info b = back.info(id);
      const std::string shown = id + ' ' + a.type.text() + ' ' + a.dims.text();
      EXPECT_EQ(a.type, b.type) << shown;
      EXPECT_EQ(a.dims, b.dims) << shown;
      EXPECT_EQ(a.dimensions, b.dimensions) << shown;
      // NetCDF has no dimension of length 0 but one that may grow.
      const bool becomes_unlimited = is_netcdf() && a.dims.elements() == 0;
      const bool loses_name = a.dimensions != store.info(id).dimensions && a.dims == store.info(id).dims;
      EXPECT_EQ(losses.contains(id), becomes_unlimited || loses_name) << shown;
      if (a.dims != store.info(id).dims) continue;
      const array_difference found = compare_arrays(*source_of(store, id), *source_of(back, id));
      EXPECT_EQ(found.differing, 0U) << shown;
      EXPECT_TRUE(found.attributes.empty() || becomes_unlimited) << shown;
    }
  }
}

TEST_P(TypesExchange, AttributesOfEveryTypeAndShapeComeBack) {
  array_store store(create_only, dir_ / "there");
  store.store("x", 1.5);
  store.store("g/y", std::vector<int>{1, 2}, {.dimensions = {"d"}});
  import_array(store, ".attributes", *group_attributes("", {}));
  import_array(store, "g/.attributes", *group_attributes("g", {}));
  for (const std::string& id : store.list()) add_attributes(store, id);
  std::vector<loss> losses;
  export_arrays(store, "", file(), {.on_loss = [&](const loss& one) { losses.push_back(one); }});
  EXPECT_EQ(losses.empty(), !is_netcdf());
  array_store back(create_only, dir_ / "back");
  const array_file opened(file());
  EXPECT_TRUE(opened.losses().empty()) << opened.losses()[0].array << ' ' << opened.losses()[0].what;
  EXPECT_EQ(import_arrays(back, "", opened), store.list());
  for (const std::string& id : store.list()) expect_same_attributes(store, back, id, losses);
}

TEST_P(TypesExchange, TypesThatAFormatDoesNotHaveAreRefusedByName) {
  for (const data_type& type : types()) {
    if (is_in_format(type)) continue;
    array_store store(create_only, dir_ / type.text());
    add_array(store, "x", type, {2}, {});
    EXPECT_TRUE(fails_with(errc::unsupported, type.text(), [&] { export_arrays(store, "", file()); }));
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, TypesExchange, testing::Values("h5", "nc"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
