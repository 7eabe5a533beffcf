// A property of all formats of several arrays: arrays of every type and shape, with attributes of every type
// and shape, come back from a file as they were, and what a format does not have is named.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <numeric>
#include <perdure/formats/array_comparison.hpp>
#include <perdure/formats/array_text.hpp>
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
  static bool is(std::string_view format) { return GetParam() == format; }
  static bool is_netcdf() { return is("nc"); }

  static std::vector<data_type> types() {
    using enum element_kind;
    const data_type point = data_type::structure({{"x", 0, float64}, {"y", 8, float64}}, 16, 8);
    const data_type record = data_type::structure({{"id", 0, uint16},
                                                   {"at", 8, point.array({2})},
                                                   {"tag", 40, int8},
                                                   {"grid", 44, data_type(float32).array({2, 3})}},
                                                  72, 8);
    const data_type flat = data_type::structure({{"a", 0, uint8}, {"b", 1, int64}, {"c", 9, boolean}}, 10, 1);
    const data_type deep = data_type::structure({{"flat", 0, flat},
                                                 {"z", 16, complex128},
                                                 {"in", 32, data_type::structure({{"p", 0, point}}, 16, 8)}},
                                                48, 8);
    std::vector<data_type> all{point,
                               record,
                               flat,
                               deep,
                               data_type::opaque("blob", 5, 1),
                               data_type::list_of(float64),
                               data_type::list_of(int16)};
    for (const element_kind kind : {boolean, character, int8, int16, int32, int64, uint8, uint16, uint32,
                                    uint64, float16, bfloat16, float32, float64, complex64, complex128, text})
      all.emplace_back(kind);
    return all;
  }
  static std::vector<extents> shapes() {
    return {{}, {0}, {1}, {7}, {2, 3}, {3, 0, 2}, {2, 1, 3, 2}, {1, 2, 2, 1, 3}};
  }
  static bool has_arrays_in_structs(const data_type& type) {
    return std::any_of(type.fields().begin(), type.fields().end(), [](const data_field& field) {
      return !field.type.dims().empty() || has_arrays_in_structs(field.type);
    });
  }
  static bool has_packed_struct(const data_type& type) {
    return type.text().find("{10/1") != std::string::npos;
  }
  static std::string text_of(array_source& from) {
    std::string all;
    write_text(from, text_style::json, [&](std::string_view some) { all += some; });
    return all;
  }
  static bool is_in_format(const data_type& type) {
    using enum element_kind;
    if (is("h5")) return true;
    if (is("nc")) return type.kind() != float16 && type.kind() != bfloat16;
    if (type.kind() == sequence) return false;
    return is("npz") ? type.kind() != bfloat16 : !has_arrays_in_structs(type);
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
  template <class T>
  static void append(std::string& bytes, const T& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  /// Returns an attribute as JSON has it, in the metadata of zarr: numbers of one size, texts, truths.
  static std::optional<attribute_value> in_json(const attribute_value& value) {
    using enum element_kind;
    if (is_null(value.type)) return attribute_value{null_type(), {}, {}};
    extents dims;
    for (std::size_t i = 0; i < value.dims.rank() && (i == 0 || dims[i - 1] != 0); ++i)
      dims.push_back(value.dims[i]);
    switch (value.type.kind()) {
      case structure:
      case opaque:
      case sequence:
      case complex64:
      case complex128:
        return std::nullopt;
      case text:
      case boolean:
        return value.dims.elements() == 0 ? attribute_value{float64, dims, {}} : value;
      default:
        break;
    }
    attribute_value found{float64, dims, {}};
    std::vector<std::string> numbers(value.dims.elements());
    for (std::size_t i = 0; i < numbers.size(); ++i)
      append_element(numbers[i], value.type,
                     reinterpret_cast<const std::byte*>(value.bytes.data()) + i * value.type.size());
    const bool is_whole = value.type.kind() >= int8 && value.type.kind() <= uint64;
    const bool is_large = is_whole && std::any_of(numbers.begin(), numbers.end(), [](const std::string& one) {
                            return one[0] != '-' && std::strtoull(one.c_str(), nullptr, 10) > INT64_MAX;
                          });
    if (is_whole && !numbers.empty()) found.type = is_large ? uint64 : int64;
    for (const std::string& one : numbers) {
      const double number = std::strtod(one.c_str(), nullptr);
      if (is_large)
        append(found.bytes, static_cast<std::uint64_t>(std::strtoull(one.c_str(), nullptr, 10)));
      else if (is_whole)
        append(found.bytes, static_cast<std::int64_t>(std::strtoll(one.c_str(), nullptr, 10)));
      else
        append(found.bytes, std::isnan(number) ? std::numeric_limits<double>::quiet_NaN() : number);
    }
    return found;
  }
  /// Returns an attribute as it comes back from such a file; nothing if the format cannot hold it.
  static std::optional<attribute_value> in_file(attribute_value value) {
    if (is("npz")) return std::nullopt;
    if (value.type.kind() == element_kind::character) value = texts_for(value);
    if (is("zarr")) return in_json(value);
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
    if (!is("h5") && !is("nc") && info.type.kind() == element_kind::opaque)
      info.type = data_type::opaque("void", info.type.size(), 1);
    if (is("npz")) info.dimensions.clear();
    // The last dimension of characters is the length of texts, which has no name in HDF5 and is 1 for want of
    // another.
    if (is_netcdf() || info.type.kind() != element_kind::character) return info;
    if (info.dims.empty() || (is("h5") && info.dims[info.dims.rank() - 1] == 0))
      info.dims.push_back(1);
    else
      info.dimensions.resize(info.dimensions.empty() ? 0 : info.dims.rank() - 1);
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
        return one.array == id && (one.what.find(quoted) != std::string::npos || is("npz"));
      });
      if (!value || (is_netcdf() && has_packed_struct(value->type))) {
        expected.insert(key);
        EXPECT_TRUE(is_named) << id << ' ' << key << " is lost without a word";
        continue;
      }
      expected.insert(key);
      const auto found = b.untyped()->attribute(id, key);
      const std::string shown = id + ' ' + key + ' ' + value->type.text() + ' ' + value->dims.text();
      ASSERT_TRUE(found.has_value()) << shown;
      EXPECT_EQ(found->type.text(), value->type.text()) << shown;
      EXPECT_EQ(found->dims, value->dims) << shown;
      EXPECT_EQ(found->bytes, value->bytes) << shown;
    }
    for (const std::string& key : b.array(id).attributes())
      EXPECT_TRUE(expected.contains(key) || key == json_key) << id << ' ' << key;
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
      const bool is_packed = is_netcdf() && has_packed_struct(a.type);
      EXPECT_EQ(a.type.text() == b.type.text(), !is_packed) << shown << ' ' << b.type.text();
      EXPECT_EQ(a.dims, b.dims) << shown;
      EXPECT_EQ(a.dimensions, b.dimensions) << shown;
      // NetCDF has no dimension of length 0 but one that may grow.
      const bool becomes_unlimited = is_netcdf() && a.dims.elements() == 0;
      const bool loses_name = a.dimensions != store.info(id).dimensions && a.dims == store.info(id).dims;
      const bool loses_type = a.type != store.info(id).type || is_packed;
      EXPECT_EQ(losses.contains(id), becomes_unlimited || loses_name || loses_type) << shown;
      if (!a.type.is_variable() && a.dims.elements() != 0 && a.dims == store.info(id).dims) {
        EXPECT_EQ(text_of(*source_of(store, id)), text_of(*source_of(back, id))) << shown;
      }
      if (a.dims != store.info(id).dims || loses_type) continue;
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
  EXPECT_EQ(losses.empty(), is("h5"));
  array_store back(create_only, dir_ / "back");
  const array_file opened(file());
  EXPECT_TRUE(opened.losses().empty()) << opened.losses()[0].array << ' ' << opened.losses()[0].what;
  const std::vector<std::string> ids = import_arrays(back, "", opened);
  EXPECT_EQ(ids, is("npz") ? (std::vector<std::string>{"g/y", "x"}) : store.list());
  for (const std::string& id : ids) expect_same_attributes(store, back, id, losses);
  for (const std::string& id : store.list())
    EXPECT_TRUE(back.contains(id) ||
                std::any_of(losses.begin(), losses.end(), [&](const loss& one) { return one.array == id; }))
        << id;
}

TEST_P(TypesExchange, TypesThatAFormatDoesNotHaveAreRefusedByName) {
  unsigned number = 0;
  for (const data_type& type : types()) {
    if (is_in_format(type)) continue;
    array_store store(create_only, dir_ / std::to_string(number++));
    add_array(store, "x", type, {2}, {});
    const bool is_named_by_field = is("zarr") && type.kind() == element_kind::structure;
    const std::string named = is_named_by_field ? "structs with arrays in them" : type.text();
    EXPECT_TRUE(fails_with(errc::unsupported, named, [&] { export_arrays(store, "", file()); }));
  }
}

TEST_P(TypesExchange, FillValuesOfEveryTypeComeBackOrAreNamed) {
  array_store store(create_only, dir_ / "there");
  const std::string key(fill_value_key);
  for (const data_type& type : types()) {
    if (!is_in_format(type) || type.is_variable() || has_packed_struct(type)) continue;
    const std::string id = "n" + std::to_string(store.list().size());
    add_array(store, id, type, {3}, {});
    const std::string value = bytes_for(type, 1);
    store.untyped()->set_attribute(id, key, type, {}, std::as_bytes(std::span(value)));
  }
  std::set<std::string> losses;
  export_arrays(store, "", file(), {.on_loss = [&](const loss& one) { losses.insert(one.array); }});
  array_store back(create_only, dir_ / "back");
  import_arrays(back, "", array_file(file()));
  std::size_t kept = 0;
  for (const std::string& id : store.list()) {
    const attribute_value value = *store.untyped()->attribute(id, key);
    // NetCDF has it among the attributes.
    const auto found = back.untyped()->attribute(id, is_netcdf() ? "_FillValue" : key);
    const bool is_usual = is("zarr") && value.bytes.find_first_not_of('\0') == std::string::npos;
    EXPECT_TRUE(found.has_value() || losses.contains(id) || is_usual) << id << ' ' << value.type.text();
    if (!found) continue;
    ++kept;
    EXPECT_EQ(found->bytes, value.bytes) << id << ' ' << value.type.text();
  }
  EXPECT_EQ(kept > 10, !is("npz")) << kept;
}

TEST_P(TypesExchange, FactsThatAFormatDoesNotHaveAreNamed) {
  array_store store(create_only, dir_ / "there");
  store.store("x", std::vector<double>{});
  store.array("x").set_attribute(std::string(null_key), nullptr);
  std::vector<loss> losses;
  export_arrays(store, "", file(), {.on_loss = [&](const loss& one) { losses.push_back(one); }});
  array_store back(create_only, dir_ / "back");
  import_arrays(back, "", array_file(file()));
  const std::vector<std::string> ids = back.list();
  const bool is_kept = back.untyped()->attribute(ids.at(0), std::string(null_key)).has_value();
  const bool is_named = std::any_of(losses.begin(), losses.end(), [](const loss& one) {
    return one.what.find(null_key) != std::string::npos || one.what.find("1 attribute") != std::string::npos;
  });
  EXPECT_NE(is_kept, is_named);
  EXPECT_EQ(is_kept, is("h5") || is("zarr"));
}

TEST_P(TypesExchange, ViewsAreWrittenInTheOrderOfTheirElements) {
  std::vector<std::int32_t> elements(24);
  std::iota(elements.begin(), elements.end(), 0);
  const std::vector<std::vector<std::ptrdiff_t>> all_strides{{8, 2, 1}, {1, 3, 12}, {-1, 3, -12}, {0, 6, 1}};
  for (const std::vector<std::ptrdiff_t>& strides : all_strides) {
    std::ptrdiff_t first = 0;
    for (std::size_t i = 0; i < 3; ++i) first -= std::min<std::ptrdiff_t>(strides[i], 0) * (i == 0 ? 2 : 1);
    const array_view<const std::int32_t, 3> view(elements.data() + first, {3, 4, 2}, strides);
    std::vector<std::int32_t> expected;
    for (std::uint64_t i = 0; i < 3; ++i)
      for (std::uint64_t j = 0; j < 4; ++j)
        for (std::uint64_t k = 0; k < 2; ++k) expected.push_back(view(i, j, k));
    write_array(file(), *source_of("t", view));
    EXPECT_EQ(load<std::int32_t>(**array_file(file()).begin()), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, TypesExchange, testing::Values("h5", "nc", "zarr", "npz"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
