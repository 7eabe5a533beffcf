// perdure::string against std::string.
#include <gtest/gtest.h>

#include <concepts>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <list>
#include <memory>
#include <perdure/container/string.hpp>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_set>

#include "container/store_heap.hpp"

namespace {
using perdure::test::store_heap;
template <class Char>
using plain = perdure::basic_string<Char, std::char_traits<Char>, std::allocator<Char>>;
using string = plain<char>;

static_assert(sizeof(string) == 24);
static_assert(sizeof(perdure::string) == 32);
static_assert(std::contiguous_iterator<string::iterator>);
static_assert(std::is_nothrow_move_constructible_v<perdure::string>);
static_assert(std::is_nothrow_move_assignable_v<string>);
static_assert(std::is_nothrow_default_constructible_v<string>);
static_assert(std::is_nothrow_default_constructible_v<perdure::string>);
static_assert(std::uses_allocator_v<perdure::string, perdure::allocator<int>>);
static_assert(std::is_convertible_v<const string&, std::string_view>);
static_assert(std::is_convertible_v<const char*, string>);
static_assert(!std::is_convertible_v<std::string_view, string>);
static_assert(std::three_way_comparable<string, std::strong_ordering>);
static_assert(perdure::detail::has_relocator<string>);
static_assert(!perdure::is_trivially_relocatable_v<string>);

template <class Char>
class StringOf : public testing::Test {};
using characters = testing::Types<char, char32_t>;
TYPED_TEST_SUITE(StringOf, characters);

TYPED_TEST(StringOf, AgreesWithTheStandards) {
  using C = TypeParam;
  using S = plain<C>;
  using M = std::basic_string<C>;
  std::mt19937 random(31);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (int round = 0; round < 40; ++round) {
    S text;
    M model;
    for (int step = 0; step < 200; ++step) {
      const auto c = static_cast<C>('a' + below(4));
      M other;
      for (std::size_t n = below(below(4) == 0 ? 60 : 6); n != 0; --n)
        other.push_back(static_cast<C>('a' + below(4)));
      const std::size_t at = below(model.size() + 1);
      const std::size_t n = below(10);
      const std::basic_string_view<C> view = other;
      switch (below(30)) {
        case 0:
          text.push_back(c), model.push_back(c);
          break;
        case 1:
          text += c, model += c;
          break;
        case 2:
          text += other.c_str(), model += other.c_str();
          break;
        case 3:
          text += S(view), model += other;
          break;
        case 4:
          text.append(view), model.append(view);
          break;
        case 5:
          text.append(n, c), model.append(n, c);
          break;
        case 6:
          text.append(view, 0, n), model.append(view, 0, n);
          break;
        case 7:
          text.insert(at, view), model.insert(at, view);
          break;
        case 8:
          text.insert(at, n, c), model.insert(at, n, c);
          break;
        case 9: {
          const auto i = static_cast<std::ptrdiff_t>(at);
          ASSERT_EQ(text.insert(text.begin() + i, c) - text.begin(), i);
          model.insert(model.begin() + i, c);
          break;
        }
        case 10:
          text.erase(at, n), model.erase(at, n);
          break;
        case 11: {
          const auto first = static_cast<std::ptrdiff_t>(at);
          const auto last = static_cast<std::ptrdiff_t>(at + below(model.size() - at + 1));
          text.erase(text.begin() + first, text.begin() + last);
          model.erase(model.begin() + first, model.begin() + last);
          break;
        }
        case 12:
        case 13:
          text.replace(at, n, view), model.replace(at, n, view);
          break;
        case 14:
          text.replace(at, n, 3, c), model.replace(at, n, 3, c);
          break;
        case 15: {
          const std::list<C> more(other.begin(), other.end());
          text.replace(text.begin(), text.end(), more.begin(), more.end());
          model.replace(model.begin(), model.end(), more.begin(), more.end());
          break;
        }
        case 16:
          text = S(view), model = other;
          break;
        case 17:
          text = other.c_str(), model = other;
          break;
        case 18:
          text.assign(n, c), model.assign(n, c);
          break;
        case 19:
          text.resize(n * 4, c), model.resize(n * 4, c);
          break;
        case 20:
          text.resize(n), model.resize(n);
          break;
        case 21:
          text.reserve(n * 8);
          break;
        case 22:
          text.shrink_to_fit();
          break;
        case 23: {
          S a(view);
          swap(a, text);
          ASSERT_TRUE(a == model && text == other);
          text.swap(a);
          break;
        }
        case 24: {
          S a(std::move(text));
          ASSERT_TRUE(text.empty());  // NOLINT: the moved-from state is specified
          text = view;
          text = std::move(a);
          break;
        }
        case 25:  // arguments that are part of the string itself
          if (model.size() > 150) break;
          text.append(text), model.append(M(model));
          text.insert(at, text.c_str()), model.insert(at, M(model).c_str());
          text.replace(at / 2, n, std::basic_string_view<C>(text).substr(at));
          model.replace(at / 2, n, M(model).substr(at));
          break;
        case 26:
          text = text.substr(at, n * 3), model = model.substr(at, n * 3);
          break;
        case 27:
          text = text + S(view) + c + other.c_str(), model = model + other + c + other.c_str();
          break;
        case 28:
          if (model.empty()) break;
          text.pop_back(), model.pop_back();
          break;
        default:
          ASSERT_EQ(erase(text, c), std::erase(model, c));
      }
      ASSERT_TRUE(text == model) << "round " << round << " step " << step;
      ASSERT_EQ(text.size(), model.size());
      ASSERT_LE(text.size(), text.capacity());
      ASSERT_EQ(text.c_str()[text.size()], C());
      ASSERT_EQ(text.find(view), model.find(view));
      ASSERT_EQ(text.find(c, at), model.find(c, at));
      ASSERT_EQ(text.rfind(view, at), model.rfind(view, at));
      ASSERT_EQ(text.rfind(c), model.rfind(c));
      ASSERT_EQ(text.find_first_of(view), model.find_first_of(view));
      ASSERT_EQ(text.find_last_of(view), model.find_last_of(view));
      ASSERT_EQ(text.find_first_not_of(view), model.find_first_not_of(view));
      ASSERT_EQ(text.find_last_not_of(c), model.find_last_not_of(c));
      ASSERT_EQ(text.starts_with(view), model.starts_with(view));
      ASSERT_EQ(text.ends_with(c), model.ends_with(c));
      ASSERT_EQ(text.compare(view) < 0, model.compare(view) < 0);
      if (at <= model.size()) {
        ASSERT_EQ(text.compare(at, n, view) < 0, model.compare(at, n, view) < 0);
      }
      ASSERT_EQ(text < S(view), model < other);
      ASSERT_EQ(text <= view, model <= view);
    }
  }
}

TEST(String, HasEveryConstructor) {
  const std::allocator<char> alloc;
  const std::string_view view = "some text that is rather long, is it not";
  EXPECT_EQ(string(view), view);
  EXPECT_EQ(string(view, alloc), view);
  EXPECT_EQ(string(view, 5, 4), "text");
  EXPECT_EQ(string("literal", 3), "lit");
  EXPECT_EQ(string(4, 'x', alloc), "xxxx");
  EXPECT_EQ(string({'a', 'b'}), "ab");
  EXPECT_EQ(string(view.begin(), view.end()), view);
  std::istringstream stream("characters");
  EXPECT_EQ(string(std::istreambuf_iterator<char>(stream), {}), "characters");
  EXPECT_EQ(string(string(view), 5, alloc), view.substr(5));
  EXPECT_EQ(string(std::string("std")), "std");
  EXPECT_EQ(std::string(string("perdure")), "perdure");
  EXPECT_THROW(string("short", 3).at(3), std::out_of_range);
  EXPECT_THROW(string(view, 100, 1), std::out_of_range);
  EXPECT_THROW(string().insert(1, "x"), std::out_of_range);
  EXPECT_THROW(string().reserve(string().max_size() + 1), std::length_error);
  EXPECT_THROW(string(string().max_size() + 1, 'x'), std::length_error);
}

TEST(String, KeepsShortOnesInside) {
  string text;
  EXPECT_EQ(text.capacity(), 22U);
  const char zero[sizeof(text)] = {};
  EXPECT_EQ(std::memcmp(static_cast<const void*>(&text), zero, sizeof(text)), 0);
  for (int i = 0; i < 22; ++i) text.push_back('x');
  EXPECT_EQ(text.capacity(), 22U);
  const auto* const object = reinterpret_cast<const char*>(&text);
  EXPECT_TRUE(text.data() >= object && text.data() < object + sizeof(text));
  text.push_back('y');
  EXPECT_GT(text.capacity(), 22U);
  EXPECT_FALSE(text.data() >= object && text.data() < object + sizeof(text));
  text.resize(5);
  text.shrink_to_fit();
  EXPECT_EQ(text.capacity(), 22U);
  EXPECT_EQ(text, "xxxxx");
}

TEST(String, ReadsAndPrints) {
  std::ostringstream out;
  out << string("to a stream") << '|';
  EXPECT_EQ(out.str(), "to a stream|");
  string line;
  EXPECT_TRUE(getline(std::istringstream("one\ntwo"), line));
  EXPECT_EQ(line, "one");
  EXPECT_TRUE(getline(std::istringstream("one;two"), line, ';'));
  EXPECT_EQ(line, "one");
  EXPECT_EQ(string(string("abc"), 1), "bc");
  EXPECT_EQ(std::stoi(std::string(string("42"))), 42);
  std::unordered_set<string> set{"a", "b"};
  EXPECT_TRUE(set.contains("a"));
  EXPECT_EQ('a' + string("b") + "c" + std::string("d") + string("e") + std::string_view("f"), "abcdef");
}

TEST(String, NamesFilesInDirectories) {
  const std::filesystem::path directory("data");
  const perdure::string name("graph.txt");
  EXPECT_EQ(directory / name, std::filesystem::path("data/graph.txt"));
  EXPECT_EQ(directory / perdure::string("/graph.txt"), std::filesystem::path("/graph.txt"));
  EXPECT_EQ(std::filesystem::path(name), std::filesystem::path("graph.txt"));
}

TEST(String, KeepsToItsAllocator) {
  store_heap heap_1;
  store_heap heap_2;
  const perdure::allocator<char> in_1(*heap_1);
  const perdure::allocator<char> in_2(*heap_2);
  const std::size_t blocks_1 = heap_1.blocks();
  const std::size_t blocks_2 = heap_2.blocks();
  const std::string long_text(100, 'x');
  {
    perdure::string a(long_text, in_1);
    perdure::string b(a, in_2);
    EXPECT_EQ(b.get_allocator(), in_2);
    EXPECT_EQ(perdure::heap::containing(b.data()), &*heap_2);
    b = "short";
    b = a;
    EXPECT_EQ(perdure::heap::containing(b.data()), &*heap_2);
    b = "short";
    b = std::move(a);
    EXPECT_EQ(b, long_text);
    EXPECT_EQ(perdure::heap::containing(b.data()), &*heap_2);
    perdure::string c(std::move(b), in_1);
    EXPECT_EQ(c, long_text);
    EXPECT_EQ(perdure::heap::containing(c.data()), &*heap_1);
    perdure::string d("d", in_2);
    d.swap(c);
    EXPECT_EQ(d, long_text);
    EXPECT_EQ(c, "d");
    EXPECT_EQ(d.get_allocator(), in_2);
    const perdure::string e = d + c + "x";
    EXPECT_EQ(e.get_allocator().memory(), nullptr);
    EXPECT_EQ(e.size(), 102U);
    EXPECT_EQ(e.substr(99), "xdx");
    EXPECT_THROW(d.reserve(std::size_t{8} << 30), std::bad_alloc);
    EXPECT_EQ(d, long_text);
  }
  EXPECT_EQ(heap_1.blocks(), blocks_1);
  EXPECT_EQ(heap_2.blocks(), blocks_2);
}

}  // namespace
