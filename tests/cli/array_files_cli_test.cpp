// HDF5 files of other programs on the command line: what is lost is named, one member is imported alone, and
// damaged files are read within limits.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <perdure/array_store.hpp>

#include "formats/hdf5_objects.hpp"
#include "support/program.hpp"
#include "support/random_stream.hpp"
#include "support/scratch_directory.hpp"

namespace {

using perdure::test::hdf5_objects;
using arguments = std::vector<std::string>;

class ArrayFileCommands : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (dir_ / name).string(); }
  static perdure::test::outcome array(arguments a) {
    a.insert(a.begin(), "array");
    return perdure::test::perdure_run(std::move(a));
  }
  nlohmann::json attributes_of(const std::string& place) const {
    const perdure::test::outcome o = array({"stat", path(place), "--json"});
    EXPECT_EQ(o.status, 0) << o.err;
    return nlohmann::json::parse(o.out)["attributes"];
  }
  std::string bytes_of(const std::string& name) const {
    std::ifstream stream(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  /// A file with an array, attributes, and what a store cannot keep.
  std::string odd_file() const {
    const hdf5_objects made(path("odd.h5"));
    const double values[]{1, 2};
    made.dataset("good", H5T_NATIVE_DOUBLE, {2}, values);
    hobj_ref_t reference = 0;
    H5Rcreate(&reference, made.file(), "good", H5R_OBJECT, -1);
    made.dataset("refs", H5T_STD_REF_OBJ, {}, &reference);
    made.attribute("/", "ref", H5T_STD_REF_OBJ, {}, &reference);
    const char* const title = "a file";
    made.attribute("/", "title", perdure::test::text_type(H5T_VARIABLE, H5T_CSET_ASCII), {}, &title);
    const char* const names[]{"a", "b"};
    made.attribute("good", "names", perdure::test::text_type(H5T_VARIABLE, H5T_CSET_UTF8), {2}, names);
    made.null_attribute("good", "none", H5T_NATIVE_FLOAT);
    return path("odd.h5");
  }

  perdure::scratch_directory dir_{perdure::fast_directory()};
};

TEST_F(ArrayFileCommands, WhatIsLostIsNamedAndStrictMakesItAnError) {
  const std::string file = odd_file();
  const perdure::test::outcome o = array({"import", path("s"), file, "--json"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(
      o.err,
      "perdure: " + file +
          ": refs is skipped: its elements are references, which arrays here do not have\nperdure: " + file +
          ": the file loses the attribute \"ref\": its elements are references, which arrays here do not "
          "have\n");
  EXPECT_EQ(nlohmann::json::parse(o.out)["losses"].size(), 2U);
  EXPECT_EQ(attributes_of("s:.attributes"), nlohmann::json({{"title", "a file"}}));
  EXPECT_EQ(attributes_of("s:good"), nlohmann::json({{"names", {"a", "b"}}, {"none", nullptr}}));
  const perdure::test::outcome strict = array({"import", path("never"), file, "--strict"});
  EXPECT_EQ(strict.status, 1);
  EXPECT_NE(strict.err.find("refs is skipped"), std::string::npos) << strict.err;
  EXPECT_EQ(std::count(strict.err.begin(), strict.err.end(), '\n'), 1) << strict.err;
  EXPECT_FALSE(std::filesystem::exists(path("never")));
}

TEST_F(ArrayFileCommands, AMemberIsAllThatIsLookedAt) {
  const std::string file = odd_file();
  const perdure::test::outcome good =
      array({"import", path("s") + ":mine", file, "--member", "good", "--strict"});
  EXPECT_EQ(good.status, 0) << good.err;
  EXPECT_EQ(good.err, "");
  EXPECT_EQ(attributes_of("s:mine")["names"], nlohmann::json({"a", "b"}));
  const perdure::test::outcome odd = array({"import", path("t"), file, "--member", "refs"});
  EXPECT_EQ(odd.status, 1);
  EXPECT_NE(odd.err.find("references"), std::string::npos) << odd.err;
  EXPECT_FALSE(std::filesystem::exists(path("t")));
}

TEST_F(ArrayFileCommands, AttributesOfTheFileGoBackIntoIt) {
  ASSERT_EQ(array({"import", path("s"), odd_file()}).status, 0);
  for (const char* const place : {"s", "s:good"}) {
    const perdure::test::outcome o = array({"export", path(place), path("back.h5"), "--strict"});
    ASSERT_EQ(o.status, 0) << o.err;
    EXPECT_EQ(o.out.substr(0, 10), "1 array to");
    const hid_t file = H5Fopen(path("back.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    EXPECT_EQ(H5Aexists(file, "title") > 0, place == std::string("s"));
    const hid_t good = H5Dopen2(file, "good", H5P_DEFAULT);
    EXPECT_GT(H5Aexists(good, "names"), 0);
    EXPECT_GT(H5Aexists(good, "none"), 0);
    H5Dclose(good);
    H5Fclose(file);
  }
  // The only array of a file keeps the file's attributes with it.
  ASSERT_EQ(array({"import", path("one") + ":t", path("back.h5"), "--member", "good"}).status, 0);
  {
    const hdf5_objects made(path("single.h5"));
    const double value = 1;
    made.dataset("x", H5T_NATIVE_DOUBLE, {}, &value);
    const std::int64_t level = 3;
    made.attribute("/", "level", H5T_NATIVE_INT64, {}, &level);
  }
  ASSERT_EQ(array({"import", path("one") + ":x", path("single.h5")}).status, 0);
  EXPECT_EQ(attributes_of("one:x/.attributes"), nlohmann::json({{"level", 3}}));
  ASSERT_EQ(array({"export", path("one") + ":x", path("x.h5"), "--strict"}).status, 0);
  const hid_t file = H5Fopen(path("x.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  EXPECT_GT(H5Aexists(file, "level"), 0);
  H5Fclose(file);
}

TEST_F(ArrayFileCommands, ADamagedLengthTakesNoMemory) {
  odd_file();
  std::string bytes = bytes_of("odd.h5");
  // The length of the title, in front of the place of its characters.
  const std::string length("\6\0\0\0", 4);
  std::size_t at = bytes.find("title");
  ASSERT_NE(at, std::string::npos);
  at = bytes.find(length, at);
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, 4, std::string("\0\xff\xff\x7f", 4));
  std::ofstream(path("bad.h5"), std::ios::binary) << bytes;
  // AddressSanitizer ends a program that is refused memory, unless it is told not to.
  const char* const given = std::getenv("ASAN_OPTIONS");
  const std::string before = given == nullptr ? "" : std::string(given) + ':';
  ::setenv("ASAN_OPTIONS", (before + "allocator_may_return_null=1").c_str(), 1);
  const perdure::test::outcome o = array({"import", path("s"), path("bad.h5")});
  if (given == nullptr) {
    ::unsetenv("ASAN_OPTIONS");
  } else {
    ::setenv("ASAN_OPTIONS", before.substr(0, before.size() - 1).c_str(), 1);
  }
  // Of this process's children, the largest.
  rusage used{};
  ASSERT_EQ(::getrusage(RUSAGE_CHILDREN, &used), 0);
  EXPECT_LT(used.ru_maxrss, 1 << 20) << "KiB";
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.err.find("loses the attribute \"title\""), std::string::npos) << o.err;
}

TEST_F(ArrayFileCommands, DamagedFilesAreReadOrRefused) {
  {
    perdure::array_store store(perdure::create_only, path("all"));
    store.store("g/texts", std::vector<std::string>{"a", "some words"});
    store.store("g/lists", std::vector<std::vector<double>>{{1, 2}, {}});
    store.store("numbers", std::vector<double>(100, 1.5),
                {.layout = perdure::array_layout::chunked, .chunk = {10}, .dimensions = {"x"}});
    store["numbers"].set_attribute("names", std::vector<std::string>{"first", "second"});
    store.close();
  }
  perdure::random_stream random(11);
  for (const std::string name : {"all.h5", "all.nc"}) {
    if (array({"export", path("all"), path(name)}).status != 0) continue;  // without that module
    const std::string sound = bytes_of(name);
    for (int i = 0; i < 40; ++i) {
      std::string bytes = sound;
      for (std::uint64_t n = 1 + random.below(4); n > 0; --n) {
        const std::size_t at = random.below(bytes.size() - 8);
        switch (random.below(4)) {
          case 0:
            bytes[at] = static_cast<char>(random.next());
            break;
          case 1:
            bytes.replace(at, 4, "\xff\xff\xff\x7f");
            break;
          case 2:
            bytes.replace(at, 8, std::string(8, '\xff'));
            break;
          default:
            bytes.erase(at, 1 + random.below(8));
        }
      }
      std::ofstream(path("bad_" + name), std::ios::binary) << bytes;
      const perdure::test::outcome o = array({"import", path("s"), path("bad_" + name), "--replace"});
      EXPECT_TRUE(o.status == 0 || o.status == 1) << name << ' ' << i << ' ' << o.status << o.err;
      EXPECT_EQ(o.status != 0, o.out.empty()) << name << ' ' << i << o.err;
      std::filesystem::remove_all(path("s"));
    }
  }
}

TEST_F(ArrayFileCommands, ALibraryThatNeverEndsOrWantsAllMemoryIsStopped) {
  if (std::strlen(PERDURE_STUCK_MODULES) == 0) GTEST_SKIP() << "sanitizers keep memory of their own";
  ::setenv("PERDURE_FORMAT_MODULES", PERDURE_STUCK_MODULES, 1);
  for (const char* const name : {"endless.h5", "hoard.h5"})
    std::ofstream(path(name), std::ios::binary) << "\x89HDF\r\n\x1a\n" << std::string(100, '\0');
  const perdure::test::outcome endless = array({"import", path("s"), path("endless.h5")});
  const perdure::test::outcome hoard = array({"import", path("s"), path("hoard.h5")});
  const perdure::test::outcome unlimited = array({"import", path("s"), path("hoard.h5"), "--no-limits"});
  ::unsetenv("PERDURE_FORMAT_MODULES");
  EXPECT_EQ(endless.status, 1);
  EXPECT_NE(endless.err.find("its library took too long"), std::string::npos) << endless.err;
  EXPECT_EQ(hoard.status, 1);
  EXPECT_NE(hoard.err.find("its library needs more than 1.0 GiB of memory"), std::string::npos) << hoard.err;
  EXPECT_NE(unlimited.err.find("4 GiB of memory are given"), std::string::npos) << unlimited.err;
  EXPECT_FALSE(std::filesystem::exists(path("s")));
}

}  // namespace
