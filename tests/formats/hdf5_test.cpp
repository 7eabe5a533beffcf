// HDF5 files that other programs write: texts, attributes, what arrays cannot hold, and files that lie.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <perdure/formats/array_comparison.hpp>
#include <perdure/formats/group_attributes.hpp>
#include <perdure/formats/store_exchange.hpp>

#include "formats/hdf5_objects.hpp"
#include "formats/opened_file.hpp"
#include "support/errors.hpp"
#include "support/scratch_directory.hpp"

namespace {

using namespace perdure;
using namespace perdure::formats;
using perdure::test::hdf5_objects;
using perdure::test::text_type;
using texts = std::vector<std::string>;

class Hdf5 : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_available(file_format::hdf5)) GTEST_SKIP() << "this build has no HDF5";
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  std::filesystem::path path(const std::string& name) const { return dir_ / name; }
  std::filesystem::path file() const { return path("file.h5"); }

  /// A list of texts; `{"not there"}` if the attribute is none.
  static texts list(const array_source& from, std::string_view key) {
    const array_attribute* const one = find(from, key);
    if (one == nullptr || one->type != element_kind::text || one->dims.empty()) return {"not there"};
    texts all;
    std::uint64_t begin = 0;
    const variable_elements elements = unpack_elements(one->dims, one->bytes);
    for (const std::uint64_t end : elements.ends) {
      all.push_back(elements.bytes.substr(begin, end - begin));
      begin = end;
    }
    return all;
  }
  template <class T>
  static T number(const array_source& from, std::string_view key) {
    T value{};
    const array_attribute* const one = find(from, key);
    if (one == nullptr || one->bytes.size() != sizeof value || one->type != data_type_of<T>()) {
      ADD_FAILURE() << key << " is no such number";
      return value;
    }
    std::memcpy(&value, one->bytes.data(), sizeof value);
    return value;
  }
  /// Imports the file, exports the store, and opens what was written.
  array_file there_and_back() {
    array_store store(create_only, path("there"));
    import_arrays(store, "", array_file(file()));
    export_arrays(store, "", path("back.h5"),
                  {.on_loss = [](const loss& one) { ADD_FAILURE() << one.array << ' ' << one.what; }});
    return array_file(path("back.h5"));
  }
  std::uint64_t bytes_on_disk(const std::string& name) const {
    std::uint64_t bytes = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path(name))) {
      struct stat facts {};
      if (::stat(entry.path().c_str(), &facts) == 0)
        bytes += static_cast<std::uint64_t>(facts.st_blocks) * 512;
    }
    return bytes;
  }

  scratch_directory dir_{fast_directory()};
};

TEST_F(Hdf5, TextsOfBothCharacterSetsAreRead) {
  const texts words{"a", "zw\u00f6lf", ""};
  {
    const hdf5_objects made(file());
    for (const H5T_cset_t set : {H5T_CSET_ASCII, H5T_CSET_UTF8}) {
      const std::string end = set == H5T_CSET_UTF8 ? "_utf8" : "_ascii";
      const std::vector<const char*> pointers{words[0].c_str(), words[1].c_str(), words[2].c_str()};
      const hid_t variable = text_type(H5T_VARIABLE, set);
      made.dataset("variable" + end, variable, {3}, pointers.data());
      made.attribute("/", "variable" + end, variable, {3}, pointers.data());
      made.attribute("/", "one" + end, variable, {}, &pointers[1]);
      for (const H5T_str_t padding : {H5T_STR_NULLTERM, H5T_STR_NULLPAD, H5T_STR_SPACEPAD}) {
        std::string bytes;
        for (const std::string& one : words) {
          bytes += one;
          bytes.append(7 - one.size(), padding == H5T_STR_SPACEPAD ? ' ' : '\0');
        }
        const hid_t fixed = text_type(7, set, padding);
        const std::string name = "fixed" + std::to_string(padding) + end;
        made.dataset(name, fixed, {3}, bytes.data());
        made.attribute("/", name, fixed, {3}, bytes.data());
      }
    }
    const hid_t one = text_type(1, H5T_CSET_ASCII);
    made.dataset("single", one, {3}, "xyz");
  }
  const auto check = [&](const array_file& opened) {
    EXPECT_EQ(losses_of(opened), texts{});
    const array_source& root = opened.at(".attributes");
    for (const std::string end : {"_ascii", "_utf8"}) {
      EXPECT_EQ(load_texts(opened.at("variable" + end)), words) << end;
      EXPECT_EQ(list(root, "variable" + end), words) << end;
      ASSERT_NE(find(root, "one" + end), nullptr);
      EXPECT_EQ(find(root, "one" + end)->bytes, words[1]);
      for (const char* const padding : {"0", "1", "2"}) {
        const std::string name = std::string("fixed") + padding + end;
        array_source& fixed = opened.at(name);
        EXPECT_EQ(fixed.what().dims, (extents{3, 7})) << name;
        std::string bytes(21, 'x');
        fixed.read(slab::whole(fixed.what().dims), reinterpret_cast<std::byte*>(bytes.data()));
        EXPECT_EQ(bytes, std::string("a\0\0\0\0\0\0zw\u00f6lf\0\0\0\0\0\0\0\0", 21)) << name;
        EXPECT_EQ(list(root, name), words) << name;
        EXPECT_EQ(find(fixed, charset_key) != nullptr, end == "_utf8") << name;
      }
    }
    EXPECT_EQ(opened.at("single").what().dims, (extents{3, 1}));
  };
  check(array_file(file()));
  check(there_and_back());
}

TEST_F(Hdf5, AttributesOfTheFileItsGroupsAndDatasetsAreKept) {
  const hid_t text = text_type(H5T_VARIABLE, H5T_CSET_UTF8);
  const hid_t color = H5Tenum_create(H5T_NATIVE_INT16);
  for (const auto& [name, value] : {std::pair<const char*, std::int16_t>{"RED", -1}, {"GREEN", 300}})
    H5Tenum_insert(color, name, &value);
  const std::int16_t green = 300;
  const double half = 0.5;
  const std::int32_t table[2][3]{{1, 2, 3}, {4, 5, 6}};
  const hid_t doubles = H5Tvlen_create(H5T_NATIVE_DOUBLE);
  double some[]{1, 2, 3};
  const hvl_t lists[]{{3, some}, {0, nullptr}, {1, some}};
  const std::string zeros("a\0b", 3);
  {
    const hdf5_objects made(file());
    const char* const title = "a file";
    made.attribute("/", "title", text, {}, &title);
    made.group("g");
    made.group("g/empty");
    const std::int64_t one = 1;
    made.attribute("g", "ga", H5T_NATIVE_INT64, {}, &one);
    made.dataset("g/d", H5T_NATIVE_DOUBLE, {}, &half);
    const char* const names[]{"a", "b"};
    made.attribute("g/d", "names", text, {2}, names);
    made.attribute("g/d", "alone", text, {1}, names);
    made.attribute("g/d", "no names", text, {0}, nullptr);
    made.attribute("g/d", "zeros", text_type(3, H5T_CSET_UTF8), {}, zeros.data());
    made.attribute("g/d", "color", color, {}, &green);
    made.attribute("g/d", "table", H5T_NATIVE_INT32, {2, 3}, table);
    made.attribute("g/d", "lists", doubles, {3}, lists);
    made.null_attribute("g/d", "none", H5T_NATIVE_FLOAT);
  }
  const auto check = [&](const array_file& opened) {
    EXPECT_EQ(losses_of(opened), texts{});
    texts names;
    for (const auto& one : opened) names.push_back(one->what().name);
    EXPECT_EQ(names, (texts{".attributes", "g/.attributes", "g/d", "g/empty/.attributes"}));
    EXPECT_EQ(find(opened.at(".attributes"), "title")->bytes, "a file");
    EXPECT_EQ(number<std::int64_t>(opened.at("g/.attributes"), "ga"), 1);
    const array_source& d = opened.at("g/d");
    EXPECT_EQ(list(d, "names"), (texts{"a", "b"}));
    EXPECT_EQ(list(d, "alone"), texts{"a"});
    EXPECT_EQ(list(d, "no names"), texts{});
    EXPECT_EQ(find(d, "zeros")->bytes, zeros);
    EXPECT_EQ(number<std::int16_t>(d, "color"), 300);
    EXPECT_EQ(list(d, ".enumeration color"), (texts{"RED=-1", "GREEN=300"}));
    EXPECT_EQ(find(d, "table")->dims, (extents{2, 3}));
    EXPECT_EQ(find(d, "table")->bytes, std::string(reinterpret_cast<const char*>(table), sizeof table));
    EXPECT_EQ(find(d, "lists")->type, data_type::list_of(element_kind::float64));
    EXPECT_EQ(unpack_elements({3}, find(d, "lists")->bytes).ends, (std::vector<std::uint64_t>{24, 24, 32}));
    ASSERT_TRUE(is_null(find(d, "none")->type));
    EXPECT_EQ(type_without_value(find(d, "none")->type), element_kind::float32);
  };
  check(array_file(file()));
  check(there_and_back());
}

TEST_F(Hdf5, FillValuesLimitsEnumerationsAndScalesAreKept) {
  const hid_t color = H5Tenum_create(H5T_NATIVE_UINT64);
  const std::uint64_t large = UINT64_MAX;
  const std::uint64_t zero = 0;
  H5Tenum_insert(color, "LARGE=1", &large);
  H5Tenum_insert(color, "ZERO", &zero);
  const hid_t chunked = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t chunk[]{2, 2};
  const float fill = -1.5F;
  H5Pset_chunk(chunked, 2, chunk);
  H5Pset_fill_value(chunked, H5T_NATIVE_FLOAT, &fill);
  {
    const hdf5_objects made(file());
    const float values[]{1, 2, 3, 4, 5, 6};
    made.dataset("grown", H5T_NATIVE_FLOAT, {2, 3}, values, chunked, {H5S_UNLIMITED, 10});
    const std::uint64_t colors[]{UINT64_MAX, 0};
    made.dataset("colors", color, {2}, colors);
    const hid_t null = H5Screate(H5S_NULL);
    H5Dclose(H5Dcreate2(made.file(), "null", H5T_NATIVE_INT, null, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    // A dimension scale, as the high-level library attaches it.
    const double places[]{1, 2, 3};
    made.dataset("x", H5T_NATIVE_DOUBLE, {3}, places);
    hobj_ref_t reference = 0;
    H5Rcreate(&reference, made.file(), "x", H5R_OBJECT, -1);
    const hvl_t scales[]{{0, nullptr}, {1, &reference}};
    made.attribute("grown", "DIMENSION_LIST", H5Tvlen_create(H5T_STD_REF_OBJ), {2}, scales);
  }
  const auto check = [&](const array_file& opened) {
    EXPECT_EQ(losses_of(opened), texts{});
    const array_source& grown = opened.at("grown");
    EXPECT_EQ(number<float>(grown, fill_value_key), -1.5F);
    const std::uint64_t limits[]{UINT64_MAX, 10};
    EXPECT_EQ(find(grown, max_dims_key)->bytes,
              std::string(reinterpret_cast<const char*>(limits), sizeof limits));
    EXPECT_EQ(grown.what().chunk, (extents{2, 2}));
    EXPECT_EQ(grown.what().dimensions, (texts{"", "x"}));
    EXPECT_EQ(opened.at("colors").what().type, element_kind::uint64);
    EXPECT_EQ(list(opened.at("colors"), enumeration_key), (texts{"LARGE=1=18446744073709551615", "ZERO=0"}));
    EXPECT_EQ(load<std::uint64_t>(opened.at("colors")), (std::vector<std::uint64_t>{UINT64_MAX, 0}));
    EXPECT_TRUE(is_null(find(opened.at("null"), null_key)->type));
  };
  check(array_file(file()));
  // Chunks of 2 by 2 are those of a chunked array.
  array_store store(create_only, path("store"));
  import_arrays(store, "", array_file(file()), {.store = {.layout = array_layout::chunked, .chunk = {}}});
  EXPECT_EQ(store.load<std::vector<float>>("grown"), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  const array_file back = there_and_back();
  EXPECT_EQ(losses_of(back), texts{});
  EXPECT_EQ(number<float>(back.at("grown"), fill_value_key), -1.5F);
  EXPECT_EQ(back.at("grown").what().dimensions, (texts{"", "x"}));
  EXPECT_EQ(list(back.at("colors"), enumeration_key), (texts{"LARGE=1=18446744073709551615", "ZERO=0"}));
  const hid_t written = H5Fopen(path("back.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t grown = H5Dopen2(written, "grown", H5P_DEFAULT);
  const hid_t space = H5Dget_space(grown);
  hsize_t dims[2]{};
  hsize_t most[2]{};
  H5Sget_simple_extent_dims(space, dims, most);
  EXPECT_EQ(most[0], H5S_UNLIMITED);
  EXPECT_EQ(most[1], 10U);
  const hid_t null = H5Dopen2(written, "null", H5P_DEFAULT);
  const hid_t null_space = H5Dget_space(null);
  EXPECT_EQ(H5Sget_simple_extent_type(null_space), H5S_NULL);
  const hid_t colors = H5Dopen2(written, "colors", H5P_DEFAULT);
  const hid_t type = H5Dget_type(colors);
  EXPECT_EQ(H5Tget_class(type), H5T_ENUM);
  H5Tclose(type);
  H5Sclose(null_space);
  H5Sclose(space);
  for (const hid_t one : {grown, null, colors}) H5Dclose(one);
  H5Fclose(written);
}

TEST_F(Hdf5, NumbersOfUnusualSizesKeepTheirValues) {
  const hid_t three = H5Tcopy(H5T_STD_I32BE);
  H5Tset_precision(three, 24);
  H5Tset_size(three, 3);
  const hid_t small_float = H5Tcopy(H5T_IEEE_F32LE);
  H5Tset_fields(small_float, 15, 10, 5, 0, 10);
  H5Tset_size(small_float, 2);
  H5Tset_ebias(small_float, 15);
  const hid_t real = H5Tcreate(H5T_COMPOUND, 16);
  H5Tinsert(real, "real", 0, H5T_NATIVE_DOUBLE);
  H5Tinsert(real, "imag", 8, H5T_NATIVE_DOUBLE);
  const hid_t stamp = H5Tcreate(H5T_OPAQUE, 8);
  H5Tset_tag(stamp, "NUMPY:datetime64[ns]");
  {
    const hdf5_objects made(file());
    const unsigned char integers[]{0xff, 0xff, 0xfe, 0, 1, 0};
    made.dataset("three", three, {2}, integers);
    const std::uint16_t halves[]{0x3c00, 0xc000};
    made.dataset("half", small_float, {2}, halves);
    const double numbers[]{1, 2};
    made.dataset("complex", real, {}, numbers);
    made.dataset("time", stamp, {}, "12345678");
  }
  const array_file opened(file());
  EXPECT_EQ(losses_of(opened), texts{});
  EXPECT_EQ(load<std::int32_t>(opened.at("three")), (std::vector<std::int32_t>{-2, 256}));
  EXPECT_EQ(opened.at("half").what().type, element_kind::float16);
  EXPECT_EQ(load<std::complex<double>>(opened.at("complex"))[0], std::complex<double>(1, 2));
  EXPECT_EQ(opened.at("time").what().type, data_type::opaque("NUMPY:datetime64[ns]", 8, 1));
  EXPECT_EQ(there_and_back().at("time").what().type, data_type::opaque("NUMPY:datetime64[ns]", 8, 1));
}

/// Gives the bytes back as they are.
size_t copying_filter(unsigned, size_t, const unsigned*, size_t bytes, size_t*, void**) {
  return bytes;
}

TEST_F(Hdf5, WhatArraysCannotHoldIsNamedAndTheRestIsRead) {
  // A filter of the test's own, under the number of blosc, which nobody has when the file is read.
  constexpr H5Z_filter_t blosc = 32001;
  const H5Z_class2_t filter{H5Z_CLASS_T_VERS, blosc, 1, 1, "blosc", nullptr, nullptr, copying_filter};
  ASSERT_GE(H5Zregister(&filter), 0);
  const hid_t filtered = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t chunk = 2;
  H5Pset_chunk(filtered, 1, &chunk);
  H5Pset_filter(filtered, blosc, H5Z_FLAG_MANDATORY, 0, nullptr);
  const hid_t external = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_external(external, "/not/there", 0, 16);
  const hid_t named_person = H5Tcreate(H5T_COMPOUND, 16);
  H5Tinsert(named_person, "name", 0, text_type(H5T_VARIABLE, H5T_CSET_UTF8));
  {
    const hdf5_objects made(file());
    const double values[]{1, 2};
    made.dataset("good", H5T_NATIVE_DOUBLE, {2}, values);
    hobj_ref_t reference = 0;
    H5Rcreate(&reference, made.file(), "good", H5R_OBJECT, -1);
    made.dataset("refs", H5T_STD_REF_OBJ, {}, &reference);
    made.attribute("good", "ref", H5T_STD_REF_OBJ, {}, &reference);
    const std::uint16_t bits = 0xabcd;
    made.dataset("bits", H5T_NATIVE_B16, {}, &bits);
    made.dataset("times", H5T_UNIX_D32LE, {}, "1234");
    made.dataset("long", H5T_NATIVE_LDOUBLE, {1}, nullptr);
    made.dataset("filtered", H5T_NATIVE_DOUBLE, {2}, values, filtered);
    made.dataset("elsewhere", H5T_NATIVE_DOUBLE, {2}, nullptr, external);
    made.dataset("people", named_person, {1}, nullptr);
    made.dataset(".attributes", H5T_NATIVE_DOUBLE, {2}, values);
    H5Lcreate_soft("good", made.file(), "soft", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("other.h5", "x", made.file(), "link", H5P_DEFAULT, H5P_DEFAULT);
    H5Tcommit2(made.file(), "type", H5Tcopy(H5T_NATIVE_INT), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  }
  ASSERT_GE(H5Zunregister(blosc), 0);
  const array_file opened(file());
  texts names;
  for (const auto& one : opened) names.push_back(one->what().name);
  EXPECT_EQ(names, (texts{"bits", "good", "times"}));
  const auto have = [&](const std::string& begin, const std::string& words) {
    const texts all = losses_of(opened);
    return std::any_of(all.begin(), all.end(), [&](const std::string& one) {
      return one.starts_with(begin) && one.find(words) != std::string::npos;
    });
  };
  EXPECT_TRUE(have("refs is skipped", "references"));
  EXPECT_TRUE(have("good loses the attribute \"ref\"", "references"));
  EXPECT_TRUE(have("bits keeps its bit fields as uint16", ""));
  EXPECT_TRUE(have("times keeps its times as raw bytes", ""));
  EXPECT_TRUE(have("long is skipped", "more exact than float64"));
  EXPECT_TRUE(have("filtered is skipped", "the HDF5 filter 32001 (Blosc), which is not installed"));
  EXPECT_TRUE(have("elsewhere is skipped", "/not/there, which is not there"));
  EXPECT_TRUE(have("people is skipped", "structs with texts"));
  EXPECT_TRUE(have(".attributes is skipped", "have this name"));
  EXPECT_TRUE(have("soft is skipped", "link to another name"));
  EXPECT_TRUE(have("link is skipped", "link to another file"));
  EXPECT_TRUE(have("type is skipped", "it is a type"));
  EXPECT_EQ(opened.losses().size(), 12U);
  EXPECT_EQ(load<std::uint16_t>(opened.at("bits"))[0], 0xabcd);
  EXPECT_TRUE(fails_with(errc::unsupported, "32001", [&] { opened.at("filtered"); }));
  // One that is asked for by name is all that is looked at.
  EXPECT_EQ(load<double>(array_file(file(), {.member = "good"}).at("good")), (std::vector<double>{1, 2}));
  EXPECT_EQ(array_file(file(), {.member = "good"}).losses().size(), 1U);
  EXPECT_TRUE(fails_with(errc::unsupported, "references", [&] { array_file(file(), {.member = "refs"}); }));
  EXPECT_TRUE(fails_with(errc::not_found, "\"nothing\"", [&] { array_file(file(), {.member = "nothing"}); }));
  array_store store(create_only, path("s"));
  EXPECT_EQ(import_arrays(store, "", opened).size(), 3U);
}

TEST_F(Hdf5, SparseDatasetsStaySparse) {
  const hid_t chunked = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t chunk[]{1000, 40};
  H5Pset_chunk(chunked, 2, chunk);
  const hid_t filled = H5Pcopy(chunked);
  const double fill = std::numeric_limits<double>::quiet_NaN();
  H5Pset_fill_value(filled, H5T_NATIVE_DOUBLE, &fill);
  {
    const hdf5_objects made(file());
    made.dataset("empty", H5T_NATIVE_DOUBLE, {1000000000, 40}, nullptr, chunked);
    made.dataset("plain", H5T_NATIVE_DOUBLE, {1000000000, 40}, nullptr);
    made.dataset("filled", H5T_NATIVE_DOUBLE, {1000000000, 40}, nullptr, filled);
    made.dataset("some", H5T_NATIVE_DOUBLE, {1000000000, 40}, nullptr, chunked);
    const hid_t some = H5Dopen2(made.file(), "some", H5P_DEFAULT);
    const hid_t space = H5Dget_space(some);
    const hsize_t at[]{777777777, 7};
    H5Sselect_elements(space, H5S_SELECT_SET, 1, at);
    const hid_t one = H5Screate(H5S_SCALAR);
    const double value = 2.5;
    H5Dwrite(some, H5T_NATIVE_DOUBLE, one, space, H5P_DEFAULT, &value);
    H5Sclose(one);
    H5Sclose(space);
    H5Dclose(some);
  }
  const auto check = [&](const std::string& name, const std::filesystem::path& from) {
    array_store store(create_only, path(name));
    const array_file opened(from);
    EXPECT_EQ(import_arrays(store, "", opened), (texts{"empty", "plain", "some"}));
    EXPECT_EQ(store.info("empty").dims, (extents{1000000000, 40}));
    EXPECT_EQ(store.info("empty").stored_bytes, 0U);
    EXPECT_EQ(store.info("some").blocks, 1U);
    EXPECT_EQ(store["some"].read<double>({{777777777, 6}, {1, 3}}), (std::vector<double>{0, 2.5, 0}));
    EXPECT_EQ(store["some"].read<double>({{999999999, 39}, {1, 1}}), std::vector<double>{0});
    store.close();
    EXPECT_LT(bytes_on_disk(name), std::uint64_t{16} << 20);
  };
  const texts lost = losses_of(array_file(file()));
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_TRUE(lost[0].starts_with("filled is skipped: it declares 320000000000 bytes")) << lost[0];
  check("s", file());
  {
    const array_store store(open_read_only, path("s"));
    export_arrays(store, "", path("back.h5"));
  }
  EXPECT_LT(std::filesystem::file_size(path("back.h5")), std::uint64_t{16} << 20);
  check("again", path("back.h5"));
}

TEST_F(Hdf5, LengthsThatAreLargerThanTheFileAreRefusedAtOnce) {
  {
    const hdf5_objects made(file());
    const char* const words[]{"first", "second"};
    made.dataset("t", text_type(H5T_VARIABLE, H5T_CSET_UTF8), {2}, words);
    const hid_t chunked = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t chunk = 1000;
    H5Pset_chunk(chunked, 1, &chunk);
    made.dataset("many", text_type(H5T_VARIABLE, H5T_CSET_UTF8), {std::uint64_t{1} << 40}, nullptr, chunked);
  }
  EXPECT_EQ(load_texts(array_file(file(), {.member = "t"}).at("t")), (texts{"first", "second"}));
  const texts lost = losses_of(array_file(file()));
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_TRUE(lost[0].starts_with("many is skipped: it declares more than its file")) << lost[0];
  // The length of the second text.
  std::string bytes;
  {
    std::ifstream stream(file(), std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(stream), {});
  }
  const hid_t opened = H5Fopen(file().c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t dataset = H5Dopen2(opened, "t", H5P_DEFAULT);
  const haddr_t begin = H5Dget_offset(dataset);
  H5Dclose(dataset);
  H5Fclose(opened);
  ASSERT_EQ(bytes[begin + 16], 6);
  bytes[begin + 19] = '\x7f';
  const std::filesystem::path bad = dir_.write("bad.h5", bytes);
  EXPECT_TRUE(fails_with(errc::bad_input, "number 1 declares 2130706438 bytes, more than the file has",
                         [&] { load_texts(array_file(bad, {.member = "t"}).at("t")); }));
}

TEST_F(Hdf5, AttributesOfAnySizeAreWritten) {
  array_store store(create_only, path("s"));
  store.store("x", std::vector<double>(4, 1));
  store["x"].set_attribute("numbers", std::vector<double>(20000, 2.5));
  store["x"].set_attribute("text", std::string(100000, 'q'));
  store["x"].set_attribute("texts", texts(50000, "some words"));
  store["x"].set_attribute("none", nullptr);
  export_arrays(store, "", file());
  array_store copy(create_only, path("copy"));
  import_arrays(copy, "", array_file(file()));
  EXPECT_TRUE(compare_arrays(*source_of(store, "x"), *source_of(copy, "x")).is_same());
  EXPECT_EQ(copy["x"].attribute<texts>("texts").size(), 50000U);
}

TEST_F(Hdf5, TypesOfAProgramsOwnBecomeRawBytes) {
  array_store store(create_only, path("s"));
  const long double number = 1;
  store.store("x", number);
  texts lost;
  export_arrays(store, "", file(), {.on_loss = [&](const loss& one) { lost.push_back(one.what); }});
  EXPECT_EQ(lost, texts{"becomes raw bytes: HDF5 has no type opaque(16/16 e)"});
  EXPECT_EQ(array_file(file()).at("x").what().type, data_type::opaque("void", 16, 1));
}

TEST_F(Hdf5, TextsWithZeroBytesAreRefusedOrNamed) {
  array_store store(create_only, path("s"));
  store.store("x", 1);
  store["x"].set_attribute("end", std::string("a\0", 2));
  texts lost;
  export_arrays(store, "", file(), {.on_loss = [&](const loss& one) { lost.push_back(one.what); }});
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_TRUE(lost[0].starts_with("loses the attribute \"end\"")) << lost[0];
  store.store("t", texts{"a", std::string("b\0c", 3)});
  EXPECT_TRUE(
      fails_with(errc::unsupported, "text 1 has a zero byte", [&] { export_arrays(store, "", file()); }));
}

}  // namespace
