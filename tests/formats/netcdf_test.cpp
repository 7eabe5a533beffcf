// NetCDF files that other programs write: attributes, dimensions that may grow, types of the file's own, and
// headers that lie.
#include <gtest/gtest.h>
#include <netcdf.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <perdure/formats/group_attributes.hpp>
#include <perdure/formats/store_exchange.hpp>

#include "formats/opened_file.hpp"
#include "support/errors.hpp"
#include "support/scratch_directory.hpp"

namespace {

using namespace perdure;
using namespace perdure::formats;
using texts = std::vector<std::string>;

class NetCdf : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_available(file_format::netcdf)) GTEST_SKIP() << "this build has no NetCDF";
  }
  std::filesystem::path path(const std::string& name) const { return dir_ / name; }
  std::filesystem::path file() const { return path("file.nc"); }

  static void done(int status) { EXPECT_EQ(status, NC_NOERR) << nc_strerror(status); }
  static texts names_of(const array_file& opened) {
    texts all;
    for (const auto& one : opened) all.push_back(one->what().name);
    return all;
  }
  static std::string text(const array_source& from, std::string_view key) {
    const array_attribute* const one = find(from, key);
    return one == nullptr || one->type != element_kind::text || !one->dims.empty() ? "not there" : one->bytes;
  }
  array_file there_and_back() {
    array_store store(create_only, path("there"));
    import_arrays(store, "", array_file(file()));
    export_arrays(store, "", path("back.nc"),
                  {.on_loss = [](const loss& one) { ADD_FAILURE() << one.array << ' ' << one.what; }});
    return array_file(path("back.nc"));
  }

  /// A file of one of the old formats, with every list that a header has.
  static void write_classic(const std::filesystem::path& to, int format) {
    int id = -1;
    done(nc_create(to.c_str(), NC_CLOBBER | format, &id));
    std::array<int, 2> dims{};
    done(nc_def_dim(id, "time", NC_UNLIMITED, &dims[0]));
    done(nc_def_dim(id, "x", 3, &dims[1]));
    done(nc_put_att_text(id, NC_GLOBAL, "Conventions", 6, "CF-1.8"));
    int variable = -1;
    done(nc_def_var(id, "v", NC_FLOAT, 2, dims.data(), &variable));
    const std::array<double, 2> range{1, 2};
    done(nc_put_att_double(id, variable, "range", NC_DOUBLE, 2, range.data()));
    done(nc_enddef(id));
    const std::array<std::size_t, 2> begin{0, 0};
    const std::array<std::size_t, 2> count{2, 3};
    const std::array<float, 6> values{1, 2, 3, 4, 5, 6};
    done(nc_put_vara_float(id, variable, begin.data(), count.data(), values.data()));
    done(nc_close(id));
  }

  scratch_directory dir_{fast_directory()};
};

TEST_F(NetCdf, AttributesAndDimensionsThatMayGrowAreKept) {
  {
    int id = -1;
    int group = -1;
    int dim = -1;
    int variable = -1;
    done(nc_create(file().c_str(), NC_NETCDF4 | NC_CLOBBER, &id));
    done(nc_put_att_text(id, NC_GLOBAL, "Conventions", 6, "CF-1.8"));
    done(nc_put_att_text(id, NC_GLOBAL, "nothing", 0, ""));
    const char* const history = "made \u00e4s a test";
    done(nc_put_att_string(id, NC_GLOBAL, "history", 1, const_cast<const char**>(&history)));
    done(nc_def_dim(id, "t", NC_UNLIMITED, &dim));
    done(nc_def_grp(id, "g", &group));
    const int level = 3;
    done(nc_put_att_int(group, NC_GLOBAL, "level", NC_INT, 1, &level));
    done(nc_def_var(group, "v", NC_FLOAT, 1, &dim, &variable));
    const float fill = -9;
    done(nc_put_att_float(group, variable, "_FillValue", NC_FLOAT, 1, &fill));
    const char* names[]{"a", "zw\u00f6lf"};
    done(nc_put_att_string(group, variable, "names", 2, names));
    const std::array<float, 2> values{1, 2};
    const std::size_t begin = 0;
    const std::size_t count = 2;
    done(nc_put_vara_float(group, variable, &begin, &count, values.data()));
    done(nc_close(id));
  }
  const auto check = [&](const array_file& opened) {
    EXPECT_EQ(losses_of(opened), texts{});
    EXPECT_EQ(names_of(opened), (texts{".attributes", "g/.attributes", "g/v"}));
    EXPECT_EQ(text(opened.at(".attributes"), "Conventions"), "CF-1.8");
    EXPECT_EQ(text(opened.at(".attributes"), "history"), "made \u00e4s a test");
    EXPECT_EQ(text(opened.at(".attributes"), "nothing"), "");
    EXPECT_EQ(find(opened.at("g/.attributes"), "level")->type, element_kind::int32);
    const array_source& v = opened.at("g/v");
    EXPECT_EQ(v.what().dimensions, texts{"t"});
    EXPECT_EQ(find(v, "names")->dims, extents{2});
    EXPECT_EQ(unpack_elements({2}, find(v, "names")->bytes).bytes, "azw\u00f6lf");
    const std::uint64_t unlimited = UINT64_MAX;
    EXPECT_EQ(std::memcmp(find(v, max_dims_key)->bytes.data(), &unlimited, sizeof unlimited), 0);
    EXPECT_EQ(load<float>(opened.at("g/v")), (std::vector<float>{1, 2}));
    EXPECT_EQ(find(v, "_FillValue")->type, element_kind::float32);
  };
  check(array_file(file()));
  check(there_and_back());
  int id = -1;
  int group = -1;
  int dim = -1;
  done(nc_open(path("back.nc").c_str(), NC_NOWRITE, &id));
  done(nc_inq_grp_ncid(id, "g", &group));
  int unlimited = 0;
  done(nc_inq_unlimdims(group, &unlimited, &dim));
  EXPECT_EQ(unlimited, 1);
  float fill = 0;
  done(nc_inq_var_fill(group, 0, nullptr, &fill));
  EXPECT_EQ(fill, -9);
  done(nc_close(id));
}

TEST_F(NetCdf, TypesOfTheFilesOwnAreRead) {
  struct place {
    std::int16_t id;
    double at[2];
  };
  {
    int id = -1;
    done(nc_create(file().c_str(), NC_NETCDF4 | NC_CLOBBER, &id));
    nc_type color = 0;
    done(nc_def_enum(id, NC_SHORT, "color", &color));
    for (const auto& [name, value] : {std::pair<const char*, short>{"RED", -1}, {"GREEN", 7}})
      done(nc_insert_enum(id, color, name, &value));
    nc_type struct_type = 0;
    const int two = 2;
    done(nc_def_compound(id, sizeof(place), "place", &struct_type));
    done(nc_insert_compound(id, struct_type, "id", 0, NC_SHORT));
    done(nc_insert_array_compound(id, struct_type, "at", 8, NC_DOUBLE, 1, &two));
    nc_type list = 0;
    done(nc_def_vlen(id, "list", NC_INT, &list));
    nc_type with_text = 0;
    done(nc_def_compound(id, 16, "with_text", &with_text));
    done(nc_insert_compound(id, with_text, "name", 0, NC_STRING));
    int dim = -1;
    int unused = -1;
    done(nc_def_dim(id, "x", 2, &dim));
    done(nc_def_dim(id, "unused", 5, &unused));
    std::array<int, 4> variables{};
    done(nc_def_var(id, "colors", color, 1, &dim, &variables[0]));
    done(nc_def_var(id, "places", struct_type, 1, &dim, &variables[1]));
    done(nc_def_var(id, "lists", list, 1, &dim, &variables[2]));
    done(nc_def_var(id, "named", with_text, 1, &dim, &variables[3]));
    const short green = 7;
    done(nc_put_att(id, variables[0], "best", color, 1, &green));
    const short colors[]{-1, 7};
    done(nc_put_var(id, variables[0], colors));
    const place places[]{{1, {2, 3}}, {4, {5, 6}}};
    done(nc_put_var(id, variables[1], places));
    int numbers[]{1, 2, 3};
    const nc_vlen_t lists[]{{3, numbers}, {0, nullptr}};
    done(nc_put_var(id, variables[2], lists));
    done(nc_close(id));
  }
  const array_file opened(file());
  EXPECT_EQ(losses_of(opened),
            (texts{"named is skipped: its elements are structs with texts or lists of any length, which "
                   "arrays here do "
                   "not have",
                   ".attributes loses the dimension unused of length 5: no array has it"}));
  EXPECT_TRUE(
      fails_with(errc::unsupported, "structs with texts", [&] { array_file(file(), {.member = "named"}); }));
  const auto check = [&](const array_file& from) {
    EXPECT_EQ(names_of(from), (texts{"colors", "lists", "places"}));
    array_source& colors = from.at("colors");
    EXPECT_EQ(load<std::int16_t>(colors), (std::vector<std::int16_t>{-1, 7}));
    EXPECT_EQ(unpack_elements({2}, find(colors, enumeration_key)->bytes).bytes, "RED=-1GREEN=7");
    EXPECT_EQ(unpack_elements({2}, find(colors, ".enumeration best")->bytes).bytes, "RED=-1GREEN=7");
    EXPECT_EQ(from.at("places").what().type.text(), "{24/8 id:int16@0 at:float64[2]@8}");
    EXPECT_EQ(load<place>(from.at("places"))[1].at[1], 6);
    const variable_elements lists = from.at("lists").read_variable();
    EXPECT_EQ(lists.ends, (std::vector<std::uint64_t>{12, 12}));
  };
  check(opened);
  check(there_and_back());
}

TEST_F(NetCdf, WhatNetCdfCannotHoldIsNamed) {
  array_store store(create_only, path("s"));
  store.store("x", std::vector<double>{1, 2}, {.dimensions = {"x"}});
  store["x"].set_attribute("null", nullptr);
  store["x"].set_attribute("half", float16(1.5F));
  store["x"].set_attribute("_FillValue", 1);
  store["x"].set_attribute("bad/name", 1);
  store["x"].set_attribute("zeros", texts{std::string("a\0b", 3)});
  store["x"].set_attribute("kept", std::string("a\0b", 3));
  texts lost;
  export_arrays(store, "", file(), {.on_loss = [&](const loss& one) { lost.push_back(one.what); }});
  ASSERT_EQ(lost.size(), 5U);
  for (const char* const key : {"null", "half", "_FillValue", "bad/name", "zeros"})
    EXPECT_TRUE(std::any_of(lost.begin(), lost.end(), [&](const std::string& one) {
      return one.starts_with("loses the attribute \"" + std::string(key) + "\": ");
    })) << key;
  const array_file opened(file());
  EXPECT_EQ(text(opened.at("x"), "kept"), std::string("a\0b", 3));
  EXPECT_EQ(opened.at("x").what().attributes.size(), 1U);
}

TEST_F(NetCdf, HeadersOfOldFormatsMayNotDeclareMoreThanTheFileHas) {
  for (const int format : {0, NC_64BIT_OFFSET, NC_64BIT_DATA}) {
    write_classic(file(), format);
    const array_file opened(file());
    EXPECT_EQ(losses_of(opened), texts{});
    EXPECT_EQ(load<float>(opened.at("v")), (std::vector<float>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(text(opened.at(".attributes"), "Conventions"), "CF-1.8");
    EXPECT_NE(find(opened.at("v"), max_dims_key), nullptr);
    std::string bytes;
    {
      std::ifstream stream(file(), std::ios::binary);
      bytes.assign(std::istreambuf_iterator<char>(stream), {});
    }
    // Each number of the header becomes very large: what the library would allocate is refused before.
    int refused = 0;
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t at = 8; at + 4 < bytes.size() - 24; at += 4) {
      std::string bad = bytes;
      bad.replace(at, 4, "\x7f\xff\xff\xf0", 4);
      const std::filesystem::path damaged = dir_.write("bad.nc", bad);
      const errc code = code_of([&] { array_file{damaged}; });
      EXPECT_TRUE(code == errc::ok || code == errc::bad_input || code == errc::unsupported)
          << at << to_string(code);
      refused += code == errc::bad_input ? 1 : 0;
    }
    EXPECT_GT(refused, 20);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
    EXPECT_TRUE(fails_with(errc::bad_input, "header is damaged",
                           [&] { array_file{dir_.write("cut.nc", bytes.substr(0, 60))}; }));
  }
}

TEST_F(NetCdf, AVariableThatItsFileCannotHoldIsNamed) {
  {
    int id = -1;
    std::array<int, 2> dims{};
    int variable = -1;
    done(nc_create(file().c_str(), NC_NETCDF4 | NC_CLOBBER, &id));
    done(nc_def_dim(id, "y", 1000000000, &dims[0]));
    done(nc_def_dim(id, "x", 40, &dims[1]));
    done(nc_def_var(id, "v", NC_DOUBLE, 2, dims.data(), &variable));
    const std::array<std::size_t, 2> chunk{1000, 40};
    done(nc_def_var_chunking(id, variable, NC_CHUNKED, chunk.data()));
    done(nc_def_var(id, "w", NC_DOUBLE, 0, nullptr, &variable));
    done(nc_close(id));
  }
  const array_file opened(file());
  const texts lost = losses_of(opened);
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_TRUE(lost[0].starts_with("v is skipped: it declares 320000000000 bytes")) << lost[0];
  EXPECT_EQ(names_of(opened), texts{"w"});
}

}  // namespace
