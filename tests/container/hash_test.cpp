// Hashes are part of the stored format: their values are fixed, and every bit of them is usable.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <perdure/container/string.hpp>
#include <perdure/hash.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace {

enum class colour : std::uint8_t { red = 1, green = 2 };
enum unscoped : int { minus_two = -2 };
struct point {
  int x;
  int y;
  friend std::uint64_t hash_value(const point& p) noexcept {
    return static_cast<std::uint64_t>(p.x * 31 + p.y);
  }
};

// If one of these fails, stores written by earlier versions can no longer be read: do not adapt the numbers.
TEST(Hash, ValuesAreFrozen) {
  EXPECT_EQ(perdure::hash<std::uint64_t>{}(0), 0U);
  EXPECT_EQ(perdure::hash<std::uint64_t>{}(1), 0xbe8cab644efdda51U);
  EXPECT_EQ(perdure::hash<int>{}(-1), 0xffffffffffffffffU);
  EXPECT_EQ(perdure::hash<colour>{}(colour::green), 0x79e6412c99fba43aU);
  EXPECT_EQ(perdure::hash<double>{}(1.5), 0x222e3782c7108706U);
  EXPECT_EQ(perdure::hash<float>{}(1.5F), 0x549a31811122ee64U);
  EXPECT_EQ((perdure::hash<std::pair<int, int>>{}({1, 2})), 0xafd99e5ef4f3e14cU);
  EXPECT_EQ((perdure::hash<std::tuple<int, char, std::string>>{}({1, 'x', "y"})), 0xd00900b5a2ac2158U);
  std::string text;
  for (int i = 0; i < 150; ++i) text.push_back(static_cast<char>('a' + i % 26));
  const perdure::hash<std::string> hash;
  EXPECT_EQ(hash(""), 0x61b4bfc908af9448U);
  EXPECT_EQ(hash(text.substr(0, 3)), 0xad4208ccf7684e8fU);
  EXPECT_EQ(hash(text.substr(0, 7)), 0xec83387be27d2c47U);
  EXPECT_EQ(hash(text.substr(0, 16)), 0x630be7da1dc917d2U);
  EXPECT_EQ(hash(text.substr(0, 17)), 0x7b9b5760c4d5f187U);
  EXPECT_EQ(hash(text.substr(0, 48)), 0x37216af7da4ded38U);
  EXPECT_EQ(hash(text.substr(0, 49)), 0x9354e28ea6ec3364U);
  EXPECT_EQ(hash(text), 0xda34277211acf4d9U);
}

TEST(Hash, EqualValuesHashAlike) {
  EXPECT_EQ(perdure::hash<double>{}(0.0), perdure::hash<double>{}(-0.0));
  EXPECT_EQ(perdure::hash<std::string>{}("abc"), perdure::hash<std::string_view>{}("abc"));
  using string = perdure::basic_string<char, std::char_traits<char>, std::allocator<char>>;
  EXPECT_EQ(perdure::hash<string>{}(string("abc")), perdure::hash<std::string>{}("abc"));
  EXPECT_EQ(std::hash<string>{}(string("abc")), perdure::hash<string>{}("abc"));
  EXPECT_EQ(perdure::hash<point>{}({1, 2}), perdure::hash<point>{}({1, 2}));
}

// As above: keys of programs' own are in stores by these.
TEST(Hash, IntegersCountInACombinationAsTheyAre) {
  EXPECT_EQ(perdure::hash_combine(1, 2), 0x2b3c6bf48af62ec3U);
  EXPECT_EQ(perdure::hash_combine(-1, std::uint8_t{200}), 0x2ebaaa39b8bb4693U);
  const std::uint64_t of_integers = 0x9778a72fceb4f23e;
  EXPECT_EQ(perdure::hash_combine(3, minus_two), of_integers);
  EXPECT_EQ(perdure::hash_combine('\3', -2L), of_integers);
  EXPECT_EQ(perdure::hash_combine(true, 'a'), perdure::hash_combine(1, 97));
  struct {
    unsigned small : 3;
  } const bits{5};
  EXPECT_EQ(perdure::hash_combine(bits.small, 1), perdure::hash_combine(5, 1));
  static_assert(perdure::hash_combine(5, 1) != perdure::hash_combine(1, 5));
}

TEST(Hash, WhatIsNoIntegerCountsInACombinationByItsHash) {
  const std::string text = "text";
  const std::uint64_t of_text = perdure::hash<std::string>{}(text);
  EXPECT_EQ(perdure::hash_combine(text, 2), perdure::hash_combine(of_text, 2));
  EXPECT_EQ(perdure::hash_combine(2, std::string_view(text)), perdure::hash_combine(2, of_text));
  EXPECT_EQ(perdure::hash_combine(perdure::string("text"), 1.5),
            perdure::hash_combine(of_text, perdure::hash<double>{}(1.5)));
  EXPECT_NE(perdure::hash_combine(0.1, 0.2), perdure::hash_combine(0.9, 0.8));
  EXPECT_NE(perdure::hash_combine(0.1, 0.2), perdure::hash_combine(0.2, 0.1));
  EXPECT_EQ(perdure::hash_combine(0.0, 1), perdure::hash_combine(-0.0, 1));
  EXPECT_EQ(perdure::hash_combine(1, point{1, 2}), perdure::hash_combine(1, perdure::hash<point>{}({1, 2})));
  EXPECT_EQ(perdure::hash_combine(colour::red, std::pair(1, 2.5)),
            perdure::hash_combine(perdure::hash<colour>{}(colour::red),
                                  perdure::hash<std::pair<int, double>>{}({1, 2.5})));
  static_assert(noexcept(perdure::hash_combine(1, 2))&& noexcept(perdure::hash_combine(text, 0.5)));
}

TEST(Hash, TheMembersOfAKeyAreCombinedInTheirOrderAndASeedChangesAll) {
  const perdure::hash_seed none;
  const perdure::hash_seed seed(77);
  EXPECT_EQ(perdure::hash_combine(none, 5), 5U);
  EXPECT_EQ(perdure::hash_combine(none, 1, 2), perdure::hash_combine(1, 2));
  const std::string text = "text";
  EXPECT_EQ(perdure::hash_combine(none, text, 1.5, -1, point{1, 2}),
            perdure::hash_combine(perdure::hash_combine(perdure::hash_combine(text, 1.5), -1), point{1, 2}));
  EXPECT_NE(perdure::hash_combine(seed, 1, 2), perdure::hash_combine(1, 2));
  EXPECT_NE(perdure::hash_combine(seed, 1, 2), perdure::hash_combine(perdure::hash_seed(79), 1, 2));
  const std::uint64_t annihilator = 0xa4093822299f31d1U;
  EXPECT_NE(perdure::hash_combine(seed, annihilator, 1), perdure::hash_combine(seed, annihilator, 2));
  static_assert(noexcept(perdure::hash_combine(seed, 1, text)));
}

TEST(Hash, EveryByteOfAStringCounts) {
  for (std::size_t length = 1; length < 200; ++length) {
    std::string text(length, 'x');
    const std::size_t hash = perdure::hash<std::string>{}(text);
    EXPECT_NE(hash, perdure::hash<std::string>{}(text + 'x'));
    for (std::size_t i = 0; i < length; ++i) {
      text[i] = 'y';
      ASSERT_NE(perdure::hash<std::string>{}(text), hash) << length << " " << i;
      text[i] = 'x';
    }
  }
}

/// Chi-square of how keys fall into 1024 cells, in standard deviations from what chance gives.
template <class CellOf>
double deviation(const std::vector<std::uint64_t>& keys, CellOf cell_of) {
  std::vector<double> cells(1024);
  for (const std::uint64_t key : keys) cells[cell_of(perdure::hash<std::uint64_t>{}(key)) & 1023] += 1;
  const double expected = static_cast<double>(keys.size()) / 1024;
  double chi_square = 0;
  for (const double n : cells) chi_square += (n - expected) * (n - expected) / expected;
  return (chi_square - 1023) / std::sqrt(2 * 1023.0);
}

// More even than chance is welcome; crowding is not.
TEST(Hash, SpreadsStructuredIntegers) {
  std::vector<std::vector<std::uint64_t>> sets;
  const std::uint64_t n = 1 << 16;
  for (const unsigned shift : {0U, 3U, 4U, 7U, 12U, 20U, 32U, 40U, 47U}) {
    auto& keys = sets.emplace_back();
    for (std::uint64_t i = 0; i < n; ++i) keys.push_back(i << shift);
  }
  auto& both_halves = sets.emplace_back();
  for (std::uint64_t i = 0; i < 256; ++i) {
    for (std::uint64_t j = 0; j < 256; ++j) both_halves.push_back(i << 32 | j);
  }
  auto& addresses = sets.emplace_back();
  for (std::uint64_t i = 0; i < n; ++i) addresses.push_back(0x7f0000000000U + i * 48);
  auto& doubles = sets.emplace_back();
  for (std::uint64_t i = 0; i < n; ++i)
    doubles.push_back(std::bit_cast<std::uint64_t>(static_cast<double>(i)));
  for (std::size_t s = 0; s < sets.size(); ++s) {
    EXPECT_LT(deviation(sets[s], [](std::uint64_t h) { return h >> 4; }), 6) << "low bits, set " << s;
    EXPECT_LT(deviation(sets[s], [](std::uint64_t h) { return h >> 54; }), 6) << "top bits, set " << s;
    EXPECT_LT(deviation(sets[s], [](std::uint64_t h) { return h >> 32; }), 6) << "middle bits, set " << s;
    // A group and a tag together, as a table uses them.
    EXPECT_LT(deviation(sets[s], [](std::uint64_t h) { return (h >> 57) | (h >> 4 & 7) << 7; }), 6) << s;
  }
}

TEST(Hash, FlippingABitFlipsHalfOfTheResult) {
  std::mt19937_64 random(3);
  for (unsigned bit = 0; bit < 64; ++bit) {
    double flipped = 0;
    for (int i = 0; i < 1000; ++i) {
      const std::uint64_t key = random();
      flipped += std::popcount(perdure::hash_mix(key) ^ perdure::hash_mix(key ^ std::uint64_t{1} << bit));
    }
    EXPECT_NEAR(flipped / 1000, 32, 6) << bit;
  }
}

}  // namespace
