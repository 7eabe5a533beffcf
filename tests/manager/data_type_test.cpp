// Types without a language: what C++ types are in their words, their text, and objects found by them.
#include "perdure/data_type.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <perdure/container/vector.hpp>
#include <perdure/manager.hpp>
#include <random>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/scratch_directory.hpp"
#include "support/small_store.hpp"

namespace perdure {

namespace {

struct particle {
  std::uint64_t id;
  float at[3];
  bool fixed;
};
struct placed {
  int first;
  alignas(16) int second;
  int third;
};
enum class phase : std::uint8_t { solid, liquid };
struct cell {
  particle inside[2];
  phase state;
  std::array<std::complex<double>, 2> waves;
  char label[8];
};
struct point {
  double x;
  double y;
};
class hidden {
 public:
  int value() const { return value_; }

 private:
  int value_ = 0;
};

std::string type_text(const char* text) {
  return data_type::parse(text).text();
}

TEST(DataType, NamesWhatNumbersAre) {
  EXPECT_EQ(data_type_of<double>().text(), "float64");
  EXPECT_EQ(data_type_of<long>().text(), "int64");
  EXPECT_EQ(data_type_of<long long>().text(), "int64");
  EXPECT_EQ(data_type_of<char>().text(), "char");
  EXPECT_EQ(data_type_of<std::byte>().text(), "uint8");
  EXPECT_EQ(data_type_of<phase>().text(), "uint8");
  EXPECT_EQ(data_type_of<float16>().text(), "float16");
  EXPECT_EQ(data_type_of<bfloat16>().text(), "bfloat16");
  EXPECT_EQ(data_type_of<std::complex<float>>().text(), "complex64");
  EXPECT_EQ((data_type_of<std::array<int[2], 3>>().text()), "int32[3,2]");
  EXPECT_EQ(data_type_of<double[3][4]>().text(), "float64[3,4]");
}

TEST(DataType, TellsFieldsWithTheirOffsets) {
  EXPECT_EQ(data_type_of<particle>().text(), "{24/8 id:uint64@0 at:float32[3]@8 fixed:bool@20}");
  EXPECT_EQ(data_type_of<placed>().text(), "{32/16 first:int32@0 second:int32@16 third:int32@20}");
  EXPECT_EQ(data_type_of<cell>().text(),
            "{96/8 inside:{24/8 id:uint64@0 at:float32[3]@8 fixed:bool@20}[2]@0 state:uint8@48 "
            "waves:complex128[2]@56 label:char[8]@88}");
  EXPECT_FALSE(plain_data<hidden>);
  EXPECT_EQ(data_type_of<hidden>().kind(), element_kind::opaque);
  EXPECT_FALSE(plain_data<int*>);
  EXPECT_FALSE(plain_data<long double>);
}

TEST(DataType, ReadsWhatItWrites) {
  for (const char* text :
       {"bool", "char[16]", "string", "list<float64>", "list<{8/4 a:int32@0 b:float32@4}>",
        "opaque(24/8 N3fooE)", "opaque(16/16 \"a \\\"name\\\"\")[2]",
        "{24/8 id:uint64@0 at:float32[3]@8 fixed:bool@20}[2,3]", "{8/8 \"the time\":int64@0}", "{0/1}"})
    EXPECT_EQ(type_text(text), text);
  EXPECT_EQ(data_type::parse("{24/8 id:uint64@0 at:float32[3]@8 fixed:bool@20}"), data_type_of<particle>());
}

TEST(DataType, RefusesTextThatIsNone) {
  for (const char* text : {"",
                           "int",
                           "int32[",
                           "int32[0]",
                           "int32[4",
                           "int32]",
                           "float64 ",
                           "list<string>",
                           "list<float64",
                           "string[3]",
                           "{",
                           "{8/8",
                           "{8/3 a:int32@0}",
                           "{4/4 a:int32@4}",
                           "{8/4 a:int32@0 b:int32@2}",
                           "{8/4 a:int32@0 a:int32@4}",
                           "{8/4 :int32@0}",
                           "{8/4 a:string@0}",
                           "{8/4 a:int32@99999999999999999999}",
                           "int8[18446744073709551615,3]",
                           "opaque(8/8 )",
                           "opaque(8)",
                           "{8/8 \"a:int64@0}"})
    EXPECT_EQ(code_of([&] { data_type::parse(text); }), errc::bad_input) << text;
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "list<";
  EXPECT_EQ(code_of([&] { data_type::parse(deep); }), errc::bad_input);
  EXPECT_EQ(code_of([] { data_type::parse(std::string(70000, 'x')); }), errc::bad_input);
  EXPECT_EQ(message_of([] { data_type::parse("{8/4 a:int32@0 b:int99@4}"); }),
            "the type \"{8/4 a:int32@0 b:int99@4}\" has no such word, at character 23");
}

TEST(DataType, SurvivesRandomText) {
  std::minstd_rand random(7);
  const std::string seed = "{24/8 id:uint64@0 at:float32[3]@8 \"a b\":opaque(1/1 x)@20}[2] list<string>";
  for (int round = 0; round < 20000; ++round) {
    std::string text = seed;
    for (int i = 0; i < 3; ++i) text[random() % text.size()] = seed[random() % seed.size()];
    text.resize(random() % (text.size() + 1));
    try {
      const data_type type = data_type::parse(text);
      EXPECT_EQ(type_text(type.text().c_str()), type.text()) << text;
    } catch (const error& failure) {
      EXPECT_EQ(failure.code(), errc::bad_input) << text;
    }
  }
}

TEST(DataType, RoundsHalves) {
  EXPECT_EQ(float16(1.0f).bits, 0x3c00);
  EXPECT_EQ(float16(-2.0f).bits, 0xc000);
  EXPECT_EQ(float16(65504.0f).bits, 0x7bff);
  EXPECT_EQ(float16(65519.996f).bits, 0x7bff);
  EXPECT_EQ(float16(65520.0f).bits, 0x7c00);
  EXPECT_EQ(float16(0x1p-24f).bits, 1);
  EXPECT_EQ(float16(0x1p-25f).bits, 0);  // half way, to even
  EXPECT_EQ(float16(0x1.8p-25f).bits, 1);
  EXPECT_TRUE(std::isnan(float(float16(std::numeric_limits<float>::quiet_NaN()))));
  EXPECT_EQ(bfloat16(1.0f).bits, 0x3f80);
  EXPECT_TRUE(std::isnan(float(bfloat16(std::bit_cast<float>(0x7f800001u)))));
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    float16 half;
    half.bits = static_cast<std::uint16_t>(bits);
    const float value = half;
    if (!std::isnan(value)) {
      ASSERT_EQ(float16(value).bits, bits);
    }
#ifdef __FLT16_MANT_DIG__
    _Float16 native;
    std::memcpy(&native, &half.bits, sizeof native);
    if (!std::isnan(value)) {
      ASSERT_EQ(static_cast<float>(native), value) << bits;
    }
#endif
  }
}

TEST(DataObject, IsFoundByCppAndTheOtherWayRound) {
  const scratch_directory scratch;
  {
    manager store(create_only, scratch.path(), small_store());
    auto* const from_cpp = store.construct<particle>("cpp")[3]();
    from_cpp[2].id = 7;
    const data_object made = store.create_data("neutral", data_type_of<particle>(), 4);
    static_cast<particle*>(made.data)[1].id = 9;
    const data_object numbers = store.create_data("numbers", element_kind::float64, 1000);
    static_cast<double*>(numbers.data)[999] = 1.5;
  }
  manager store(open_only, scratch.path());
  const data_object cpp = store.find_data("cpp");
  ASSERT_TRUE(cpp);
  EXPECT_EQ(cpp.type, data_type_of<particle>());
  EXPECT_EQ(cpp.length, 3u);
  EXPECT_EQ(static_cast<particle*>(cpp.data)[2].id, 7u);

  const auto [particles, count] = store.find<particle>("neutral");
  ASSERT_EQ(count, 4u);
  EXPECT_EQ(particles[1].id, 9u);
  EXPECT_EQ(store.find<double>("numbers").first[999], 1.5);
  EXPECT_EQ(code_of([&] { store.find<float>("numbers"); }), errc::wrong_type);
  EXPECT_EQ(code_of([&] { store.find<placed>("neutral"); }), errc::wrong_type);
  EXPECT_FALSE(store.find_data("nothing"));

  EXPECT_EQ(store.find_or_create_data("cpp", data_type_of<particle>(), 3).data, cpp.data);
  EXPECT_EQ(code_of([&] { store.find_or_create_data("cpp", data_type_of<particle>(), 4); }),
            errc::wrong_type);
  EXPECT_EQ(code_of([&] { store.find_or_create_data("cpp", element_kind::int8, 1); }), errc::wrong_type);
  EXPECT_EQ(code_of([&] { store.create_data("cpp", data_type_of<particle>(), 1); }), errc::already_exists);
  EXPECT_TRUE(store.destroy_data("cpp"));
  EXPECT_TRUE(store.destroy<particle>("neutral"));
  EXPECT_FALSE(store.destroy_data("cpp"));
  EXPECT_TRUE(store.check().empty());
}

TEST(DataObject, IsNoneIfItIsMoreThanPlainData) {
  const scratch_directory scratch;
  manager store(create_only, scratch.path(), small_store());
  store.construct<vector<int>>("vector")();
  store.construct<hidden>("hidden")();
  store.construct<long double>("long")(1);
  for (const char* name : {"vector", "hidden", "long"}) {
    EXPECT_EQ(code_of([&] { store.find_data(name); }), errc::wrong_type) << name;
    EXPECT_EQ(code_of([&] { store.destroy_data(name); }), errc::wrong_type) << name;
  }
  EXPECT_EQ(
      message_of([&] { store.find_data("vector"); }),
      "the object \"vector\" is a perdure::vector<int>, and no array of numbers or of structs of numbers");
}

TEST(DataObject, RefusesAbsurdArguments) {
  const scratch_directory scratch;
  manager store(create_only, scratch.path(), small_store());
  EXPECT_EQ(code_of([&] { store.create_data("x", element_kind::text, 1); }), errc::invalid_argument);
  EXPECT_EQ(code_of([&] { store.create_data("x", element_kind::int64, std::uint64_t{1} << 62); }),
            errc::invalid_argument);
  EXPECT_EQ(code_of([&] { store.create_data("x", element_kind::int64, 1, 3); }), errc::invalid_argument);
  EXPECT_EQ(code_of([&] { store.create_data("x", element_kind::int64, 1, std::size_t{4} << 20); }),
            errc::invalid_argument);
  EXPECT_EQ(code_of([&] { store.create_data(unique_instance, element_kind::int64, 1); }),
            errc::invalid_argument);
}

TEST(DataObject, IsTheOneOfAStoreFromBeforeTypesWereTold) {
  // Such a store knows of the struct what is inside it, and says nothing in words that every language has.
  const type_stamp& now = type_stamp_of<point>();
  const std::size_t last = now.layout.rfind("= ");
  ASSERT_NE(last, std::string::npos);
  EXPECT_TRUE(detail::is_stamp_of(now.hash, now.layout.substr(0, last), now));
}

TEST(DataObject, ArraysOfBytesAreFoundAsNumbers) {
  const scratch_directory scratch;
  manager store(create_only, scratch.path(), small_store());
  std::byte* const bytes = store.construct<std::byte>("bytes")[100]();
  const data_object found = store.find_or_create_data("bytes", element_kind::uint8, 50);
  EXPECT_EQ(found.data, bytes);
  EXPECT_EQ(found.length, 100u);
  EXPECT_EQ(code_of([&] { store.find_or_create_data("bytes", element_kind::uint8, 101); }), errc::wrong_type);
  EXPECT_TRUE(store.destroy_data("bytes"));
  EXPECT_FALSE(store.destroy_data("bytes"));
}

}  // namespace

}  // namespace perdure
