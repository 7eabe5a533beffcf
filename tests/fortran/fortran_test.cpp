// Arrays between Fortran and C++: the same elements, dimensions in either language's own order.
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <filesystem>
#include <perdure/array_store.hpp>
#include <string>
#include <vector>

#include "support/scratch_directory.hpp"
#include "support/small_store.hpp"

extern "C" {
int stores_everything(const char* path);
int loads_what_cpp_stored(const char* path);
int works_in_parts(const char* path);
int tells_errors(const char* path);
int keeps_what_is_open(const char* path);
int has_attributes(const char* path);
int chooses_how_arrays_are_kept(const char* path);
int counts_from_one(const char* path);
int stores_lists(const char* path);
}

namespace perdure {
namespace {

TEST(arrays, StoresWhatCppLoads) {
  const scratch_directory scratch;
  ASSERT_EQ(stores_everything(scratch.path().c_str()), 0);
  const array_store arrays(open_read_only, scratch.path());
  const auto cube = arrays.view<double, 3>("cube");
  EXPECT_EQ(cube.dims(), (extents{4, 3, 2}));
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 2; ++i) EXPECT_EQ(cube(k, j, i), 100 * (i + 1) + 10 * (j + 1) + (k + 1));
  EXPECT_EQ(arrays.dims("deep"), (extents{1, 2, 1, 2, 1, 2, 1}));
  EXPECT_EQ(arrays.load<std::vector<std::int32_t>>("deep"),
            (std::vector<std::int32_t>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(arrays.load<std::vector<double>>("row"), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(arrays.load<std::int8_t>("i8"), 8);
  EXPECT_EQ(arrays.load<std::vector<std::int16_t>>("i16"), (std::vector<std::int16_t>{16, -16}));
  EXPECT_EQ(arrays.load<std::int64_t>("i64"), 64);
  EXPECT_EQ(arrays.load<float>("r32"), 0.5F);
  EXPECT_EQ(arrays.load<std::complex<float>>("c32"), std::complex<float>(1, 2));
  EXPECT_EQ(arrays.load<std::vector<std::complex<double>>>("c64")[1], std::complex<double>(3, 4));
  EXPECT_EQ(arrays.load<std::string>("title"), "a run ");
  EXPECT_EQ(arrays.load<std::vector<std::string>>("names"), (std::vector<std::string>{"neon", "helium", ""}));
  EXPECT_EQ(arrays.info("packed").layout, array_layout::chunked);
}

TEST(arrays, LoadsWhatCppStored) {
  const scratch_directory scratch;
  {
    array_store arrays(create_only, scratch.path(), small_store());
    const std::vector<float> plane{0, 1, 2, 10, 11, 12};
    arrays.store("plane", array_view<const float, 2>(plane.data(), {2, 3}));
    arrays.store("n", std::int64_t{7});
    arrays.store("z", std::complex<double>(1, 2));
    arrays.store("title", "from C++");
    arrays.store("names", std::vector<std::string>{"neon", "helium", ""});
  }
  EXPECT_EQ(loads_what_cpp_stored(scratch.path().c_str()), 0);
}

TEST(arrays, WorksInParts) {
  const scratch_directory scratch;
  EXPECT_EQ(works_in_parts(scratch.path().c_str()), 0);
}

TEST(arrays, TellsErrors) {
  const scratch_directory scratch;
  EXPECT_EQ(tells_errors(scratch.path().c_str()), 0);
}

TEST(arrays, KeepsWhatIsOpen) {
  const scratch_directory scratch;
  EXPECT_EQ(keeps_what_is_open(scratch.path().c_str()), 0);
  EXPECT_FALSE(std::filesystem::exists(scratch.path().string() + ".other"));
}

TEST(arrays, HasAttributesThatCppReads) {
  const scratch_directory scratch;
  ASSERT_EQ(has_attributes(scratch.path().c_str()), 0);
  const array_store arrays(open_read_only, scratch.path());
  EXPECT_EQ(arrays["t"].attribute<std::string>("units"), "K ");
  EXPECT_EQ(arrays["t"].attribute<std::vector<double>>("range"), (std::vector<double>{0.5, 1.5}));
  EXPECT_EQ(arrays.untyped()->attribute("t", "matrix")->dims, (extents{3, 2}));
}

TEST(arrays, ChoosesHowArraysAreKept) {
  const scratch_directory scratch;
  ASSERT_EQ(chooses_how_arrays_are_kept(scratch.path().c_str()), 0);
  const array_store arrays(open_read_only, scratch.path());
  EXPECT_EQ(arrays.info("run/field").chunk, (extents{2, 3}));
  EXPECT_EQ(arrays.info("run/field").dimensions, (std::vector<std::string>{"time", "x"}));
}

TEST(arrays, StoresListsThatCppLoads) {
  using lists = std::vector<std::vector<double>>;
  const scratch_directory scratch;
  {
    array_store arrays(create_only, scratch.path(), small_store());
    arrays.store("from C++", std::vector<std::vector<std::int16_t>>{{1, 2}, {}, {3, 4, 5}});
  }
  ASSERT_EQ(stores_lists(scratch.path().c_str()), 0);
  const array_store arrays(open_read_only, scratch.path());
  EXPECT_EQ(arrays.load<lists>("lists"), (lists{{0.5}, {}, {1.5, 2.5}}));
  EXPECT_EQ(arrays.load<lists>("empty"), (lists{{}, {}}));
}

TEST(arrays, CountsFromOneInMessages) {
  const scratch_directory scratch;
  EXPECT_EQ(counts_from_one(scratch.path().c_str()), 0);
}

}  // namespace
}  // namespace perdure
