// flat_map and flat_set against std::unordered_map and std::unordered_set.
#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <perdure/container/flat_map.hpp>
#include <perdure/container/flat_set.hpp>
#include <perdure/container/string.hpp>
#include <perdure/container/vector.hpp>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "container/store_heap.hpp"
#include "container/tracked.hpp"

namespace {
using namespace perdure::test;
using perdure_string = perdure::basic_string<char, std::char_traits<char>, std::allocator<char>>;
template <class K, class V, class Hash = perdure::hash<K>>
using plain_map = perdure::flat_map<K, V, Hash, perdure::equal_to, std::allocator<std::pair<const K, V>>>;
template <class K, class Hash = perdure::hash<K>>
using plain_set = perdure::flat_set<K, Hash, perdure::equal_to, std::allocator<K>>;

static_assert(sizeof(plain_map<int, int>) == 32);
static_assert(sizeof(perdure::flat_map<int, int>) == 40);
static_assert(std::forward_iterator<plain_map<int, int>::iterator>);
static_assert(std::forward_iterator<plain_map<int, int>::const_iterator>);
static_assert(std::is_convertible_v<plain_map<int, int>::iterator, plain_map<int, int>::const_iterator>);
static_assert(!std::is_convertible_v<plain_map<int, int>::const_iterator, plain_map<int, int>::iterator>);
static_assert(std::is_same_v<std::iter_reference_t<plain_set<int>::iterator>, const int&>);
static_assert(std::is_nothrow_move_constructible_v<perdure::flat_map<int, int>>);
static_assert(std::is_nothrow_move_assignable_v<plain_map<int, int>>);
static_assert(std::is_default_constructible_v<perdure::flat_map<int, int>>);
static_assert(std::uses_allocator_v<perdure::flat_set<int>, perdure::allocator<char>>);
static_assert(perdure::detail::has_relocator<plain_map<int, int>>);
static_assert(perdure::detail::has_relocator<perdure::flat_set<int>>);
// Copies and lists may leave out the arguments of the template.
static_assert(
    std::is_same_v<decltype(perdure::flat_map(std::declval<const plain_map<int, long>&>(),
                                              std::declval<std::allocator<std::pair<const int, long>>>())),
                   plain_map<int, long>>);
static_assert(std::is_same_v<
              decltype(perdure::flat_map(std::declval<std::initializer_list<std::pair<const int, long>>>())),
              perdure::flat_map<int, long>>);
static_assert(std::is_same_v<decltype(perdure::flat_set(std::declval<std::initializer_list<int>>())),
                             perdure::flat_set<int>>);

// Control bytes -------------------------------------------------------------------------------------------

template <class Mask>
std::vector<unsigned> members(Mask mask) {
  std::vector<unsigned> found;
  for (; mask; mask.drop_first()) found.push_back(mask.first());
  return found;
}

TEST(ControlGroup, AllKindsAgree) {
  std::mt19937 random(1);
  const std::uint8_t values[] = {0, 0, 1, 2, 0x80, 0x81, 0xff, 0x82, 0xfe};
  for (int i = 0; i < 20000; ++i) {
    std::uint8_t bytes[16];
    for (auto& byte : bytes) byte = values[random() % std::size(values)];
    const perdure::detail::portable_group portable(bytes);
    const perdure::detail::control_group native(bytes);
    std::vector<unsigned> empty;
    std::vector<unsigned> full;
    std::vector<unsigned> available;
    for (unsigned j = 0; j < 16; ++j) {
      if (bytes[j] == 0) empty.push_back(j);
      if (bytes[j] >= 0x80) full.push_back(j);
      if (bytes[j] < 2) available.push_back(j);
    }
    for (const std::uint8_t value : values) {
      std::vector<unsigned> equal;
      for (unsigned j = 0; j < 16; ++j) {
        if (bytes[j] == value) equal.push_back(j);
      }
      ASSERT_EQ(members(portable.match(value)), equal);
      ASSERT_EQ(members(native.match(value)), equal);
    }
    ASSERT_EQ(members(portable.empty()), empty);
    ASSERT_EQ(members(native.empty()), empty);
    ASSERT_EQ(members(portable.full()), full);
    ASSERT_EQ(members(native.full()), full);
    ASSERT_EQ(members(portable.available()), available);
    ASSERT_EQ(members(native.available()), available);
    const unsigned from = random() % 16;
    std::erase_if(full, [&](unsigned j) { return j < from; });
    ASSERT_EQ(members(portable.full().from(from)), full);
    ASSERT_EQ(members(native.full().from(from)), full);
  }
}

// Models --------------------------------------------------------------------------------------------------

/// All keys in a handful of groups and tags: long probe sequences and false matches.
struct crowding_hash {
  using is_avalanching = void;
  std::size_t operator()(int key) const noexcept {
    return static_cast<std::size_t>(key % 3) << 57 | static_cast<std::size_t>(key % 5) << 4;
  }
};
/// A hash in need of mixing, as std::hash is for integers, and not declared noexcept.
struct identity_hash {
  std::size_t operator()(int key) const { return static_cast<std::size_t>(key); }
};
struct std_hash {
  std::size_t operator()(const auto& value) const {
    return perdure::hash<std::remove_cvref_t<decltype(value)>>{}(value);
  }
};

template <class T>
T make(int i) {
  if constexpr (std::is_constructible_v<T, int>) {
    return T(i);
  } else {
    return T((i % 2 != 0 ? std::string(40, 'x') : std::string()) + std::to_string(i));
  }
}

template <class K, class V, class Hash = perdure::hash<K>>
struct kind {
  using key = K;
  using mapped = V;
  using map = plain_map<K, V, Hash>;
};

template <class Kind>
class FlatMapOf : public testing::Test {};
using kinds = testing::Types<kind<int, int, crowding_hash>, kind<int, std::string, identity_hash>,
                             kind<perdure_string, perdure_string>, kind<over_aligned, plain_map<int, int>>,
                             kind<tracked<moves::nothrow>, tracked<moves::nothrow>>,
                             kind<tracked<moves::may_throw>, tracked<moves::may_throw>>>;
TYPED_TEST_SUITE(FlatMapOf, kinds);

template <>
plain_map<int, int> make(int i) {
  return plain_map<int, int>{{i, i}, {i + 1, i}};
}

/// A map and its model, changed alike by one operation at a time.
template <class Kind>
struct model_test {
  using K = typename Kind::key;
  using V = typename Kind::mapped;
  using M = typename Kind::map;
  M values;
  std::unordered_map<K, V, std_hash> model;
  std::mt19937 random{11};
  int range = 0;  // keys are below
  K key = make<K>(0);
  V value = make<V>(0);

  K some() { return make<K>(static_cast<int>(random() % static_cast<unsigned>(range))); }

  void try_emplace() {
    const auto [it, inserted] = values.try_emplace(key, value);
    ASSERT_EQ(inserted, model.try_emplace(key, value).second);
    ASSERT_TRUE(it->first == key && it->second == model.at(key));
  }
  void insert() { ASSERT_EQ(values.insert({key, value}).second, model.insert({key, value}).second); }
  void emplace() { ASSERT_EQ(values.emplace(key, value).second, model.emplace(key, value).second); }
  void emplace_piecewise() {
    ASSERT_EQ(
        values.emplace(std::piecewise_construct, std::forward_as_tuple(key), std::forward_as_tuple(value))
            .second,
        model.emplace(key, value).second);
  }
  void insert_or_assign() {
    ASSERT_EQ(values.insert_or_assign(key, value).second, model.insert_or_assign(key, value).second);
  }
  void subscript() { values[key] = value, model[key] = value; }
  void erase_key() { ASSERT_EQ(values.erase(key), model.erase(key)); }
  void erase_found() {
    const auto it = values.find(key);
    ASSERT_EQ(it != values.end(), model.contains(key));
    if (it == values.end()) return;
    const auto after = std::next(it);
    ASSERT_TRUE(values.erase(it) == after);
    model.erase(key);
  }
  void erase_from_the_front() {
    for (auto count = random() % 40; count != 0 && !values.empty(); --count) {
      const auto first = values.begin();
      ASSERT_EQ(model.erase(first->first), 1U);
      const auto after = std::next(first);
      ASSERT_TRUE(values.erase(first) == after);
      ASSERT_TRUE(values.begin() == after);
    }
  }
  void copy_and_assign() {
    M copy(values);
    ASSERT_TRUE(copy == values);
    copy.try_emplace(some(), value);
    values = copy;
    model.clear();
    for (const auto& [k, v] : copy) model.emplace(k, v);
    ASSERT_EQ(model.size(), copy.size());
  }
  void move_and_swap() {
    M other(std::move(values));
    ASSERT_TRUE(values.empty() && values.begin() == values.end());  // NOLINT: specified
    values.try_emplace(key, value);
    if (random() % 2 == 0) {
      values.swap(other);
    } else {
      values = std::move(other);
    }
  }
  void rehash() { values.rehash(random() % (2 * static_cast<unsigned>(range))); }
  void reserve() { values.reserve(random() % (2 * static_cast<unsigned>(range))); }
  void clear() {
    if (random() % 8 == 0) values.clear(), model.clear();
  }
  void erase_some() {
    const unsigned keep = random() % 8;
    if (keep > 1) return;
    const auto odd = [&](const auto& element) {
      return (perdure::hash<K>{}(element.first) >> 20) % 2 == keep;
    };
    ASSERT_EQ(erase_if(values, odd), std::erase_if(model, odd));
  }

  using operation = void (model_test::*)();
  static constexpr operation operations[] = {
      &model_test::try_emplace,      &model_test::try_emplace,   &model_test::try_emplace,
      &model_test::insert,           &model_test::emplace,       &model_test::emplace_piecewise,
      &model_test::insert_or_assign, &model_test::subscript,     &model_test::subscript,
      &model_test::erase_key,        &model_test::erase_key,     &model_test::erase_key,
      &model_test::erase_key,        &model_test::erase_found,   &model_test::erase_from_the_front,
      &model_test::copy_and_assign,  &model_test::move_and_swap, &model_test::rehash,
      &model_test::reserve,          &model_test::clear,         &model_test::erase_some};

  void compare_all() {
    std::size_t n = 0;
    for (const auto& [k, v] : std::as_const(values)) {
      ASSERT_TRUE(model.at(k) == v);
      ++n;
    }
    ASSERT_EQ(n, model.size());
    for (const auto& [k, v] : model) ASSERT_TRUE(values.at(k) == v);
  }
  void run(int keys, int rounds) {
    range = keys;
    for (int round = 0; round < rounds; ++round) {
      values = M();
      model.clear();
      for (int step = 0; step < 4 * range + 100; ++step) {
        key = some();
        value = make<V>(static_cast<int>(random() % 100));
        const std::size_t chosen = random() % std::size(operations);
        (this->*operations[chosen])();
        ASSERT_EQ(values.size(), model.size()) << "operation " << chosen;
        ASSERT_EQ(values.contains(key), model.contains(key)) << "operation " << chosen;
        if (step % 16 == 0) compare_all();
      }
    }
  }
};

TYPED_TEST(FlatMapOf, AgreesWithTheStandards) {
  {
    model_test<TypeParam> test;
    for (const int keys : {3, 20, 60}) test.run(keys, 6);
    test.run(1500, 2);
  }
  EXPECT_EQ(census::of_tracked().alive(), 0U);
}

TEST(FlatSet, AgreesWithTheStandards) {
  std::mt19937 random(12);
  for (int round = 0; round < 10; ++round) {
    plain_set<perdure_string> values;
    std::unordered_set<std::string> model;
    for (int step = 0; step < 2000; ++step) {
      const std::string key = make<std::string>(static_cast<int>(random() % 200));
      switch (random() % 6) {
        case 0:
          ASSERT_EQ(values.insert(perdure_string(key)).second, model.insert(key).second);
          break;
        case 1:
          ASSERT_EQ(values.insert(key).second, model.insert(key).second);
          break;  // another type
        case 2:
          ASSERT_EQ(values.emplace(key).second, model.emplace(key).second);
          break;
        case 3:
          ASSERT_EQ(values.erase(key), model.erase(key));
          break;
        case 4:
          ASSERT_EQ(values.count(std::string_view(key)), model.count(key));
          break;
        default:
          ASSERT_EQ(values.contains(key.c_str()), model.contains(key));
      }
    }
    ASSERT_EQ(values.size(), model.size());
    for (const auto& key : values) ASSERT_TRUE(model.contains(std::string(key)));
    const plain_set<perdure_string> copy(values.begin(), values.end());
    EXPECT_EQ(copy, values);
    EXPECT_EQ(erase_if(values, [](const perdure_string& s) { return s.size() > 5; }),
              std::erase_if(model, [](const std::string& s) { return s.size() > 5; }));
  }
}

// Interface -----------------------------------------------------------------------------------------------

TEST(FlatMap, HasEveryConstructor) {
  using M = plain_map<std::string, int>;
  const M::allocator_type alloc;
  const std::vector<std::pair<std::string, int>> pairs{{"a", 1}, {"b", 2}, {"a", 3}};
  const M expected{{"a", 1}, {"b", 2}};
  EXPECT_EQ(M(pairs.begin(), pairs.end()), expected);
  EXPECT_EQ(M(pairs.begin(), pairs.end(), alloc), expected);
  EXPECT_EQ(M(pairs.begin(), pairs.end(), 100, {}, {}, alloc), expected);
  EXPECT_EQ(M(expected, alloc), expected);
  EXPECT_EQ(M(M(expected), alloc), expected);
  EXPECT_EQ(M({{"b", 2}, {"a", 1}}, alloc), expected);
  EXPECT_GE(M(100).bucket_count(), 100U);
  EXPECT_TRUE(M(100, alloc).empty());
  EXPECT_TRUE(M(alloc) != expected);
  M values;
  values = {{"a", 1}, {"b", 2}};
  EXPECT_EQ(values, expected);
}

TEST(FlatMap, LooksUpOtherKeyTypes) {
  plain_map<std::string, int> values;
  values["literal"] = 1;
  values[std::string_view("view")] = 2;
  values.try_emplace("another", 3);
  values.insert_or_assign(std::string_view("view"), 4);
  EXPECT_EQ(values.at("view"), 4);
  EXPECT_EQ(std::as_const(values).at(std::string_view("literal")), 1);
  EXPECT_EQ(values.count("another"), 1U);
  EXPECT_TRUE(values.contains("view"));
  EXPECT_EQ(values.erase("view"), 1U);
  EXPECT_EQ(std::as_const(values).find("view"), values.cend());
  EXPECT_THROW(values.at("view"), std::out_of_range);
  EXPECT_THROW(std::as_const(values).at(std::string("view")), std::out_of_range);
  const auto [first, last] = values.equal_range("another");
  EXPECT_EQ(std::distance(first, last), 1);
}

TEST(FlatMap, GivesElementsOutAndTakesThemBack) {
  plain_map<perdure_string, std::unique_ptr<int>> from;
  from.emplace("a key that is too long to be kept inside", std::make_unique<int>(1));
  from.emplace("b", std::make_unique<int>(2));
  auto node = from.extract(std::string_view("a key that is too long to be kept inside"));
  ASSERT_TRUE(node);
  EXPECT_EQ(from.size(), 1U);
  EXPECT_EQ(*node.mapped(), 1);
  node.key() = "c";
  EXPECT_TRUE(from.extract("nothing").empty());
  EXPECT_FALSE(from.insert(decltype(node)()).inserted);

  plain_map<perdure_string, std::unique_ptr<int>> to;
  const auto put = to.insert(std::move(node));
  EXPECT_TRUE(put.inserted);
  EXPECT_TRUE(put.node.empty());
  EXPECT_EQ(put.position->first, "c");
  EXPECT_EQ(*to.at("c"), 1);

  // An element whose key is taken stays in the node.
  from.emplace("c", std::make_unique<int>(3));
  auto refused = to.insert(from.extract("c"));
  EXPECT_FALSE(refused.inserted);
  EXPECT_EQ(*refused.position->second, 1);
  EXPECT_EQ(*refused.node.mapped(), 3);
  auto kept = std::move(refused.node);
  EXPECT_EQ(to.insert(to.begin(), std::move(kept))->first, "c");
  EXPECT_EQ(*kept.mapped(), 3);  // NOLINT(bugprone-use-after-move): it was not taken

  plain_set<std::string> words{"x"};
  auto word = words.extract(words.begin());
  EXPECT_TRUE(words.empty());
  word.value() += "y";
  EXPECT_TRUE(words.insert(std::move(word)).inserted);
  EXPECT_TRUE(words.contains("xy"));
}

TEST(FlatMap, MergesWhatItLacks) {
  plain_set<std::string> some{"a", "b"};
  plain_set<std::string> others{"b", "a word that is too long to be kept inside"};
  some.merge(others);
  EXPECT_EQ(some.size(), 3U);
  EXPECT_TRUE(some.contains("a word that is too long to be kept inside"));
  EXPECT_EQ(others, plain_set<std::string>{"b"});
  some.merge(plain_set<std::string>{"d"});
  EXPECT_TRUE(some.contains("d"));

  plain_map<int, int> counts{{1, 1}};
  counts.merge(plain_map<int, int>{{1, 9}, {2, 2}});
  EXPECT_EQ(counts, (plain_map<int, int>{{1, 1}, {2, 2}}));
}

TEST(FlatMap, TakesHintsAndOtherKeysWhereTheStandardDoes) {
  plain_map<perdure_string, int> map{{"a", 1}};
  const auto [first, last] = map.equal_range(std::string_view("a"));
  EXPECT_EQ(std::distance(first, last), 1);
  const auto none = std::as_const(map).equal_range(std::string_view("b"));
  EXPECT_TRUE(none.first == none.second);
  EXPECT_EQ(map.insert_or_assign(map.begin(), "a", 2)->second, 2);
  EXPECT_EQ(map.insert_or_assign(map.begin(), perdure_string("b"), 3)->second, 3);
  EXPECT_EQ(map.try_emplace(map.begin(), std::string_view("c"), 4)->second, 4);
  EXPECT_EQ(map.size(), 3U);
}

TEST(FlatMap, KeepsWhatTryEmplaceDoesNotTake) {
  plain_map<int, std::unique_ptr<int>> values;
  auto p = std::make_unique<int>(1);
  EXPECT_TRUE(values.try_emplace(1, std::move(p)).second);
  auto q = std::make_unique<int>(2);
  EXPECT_FALSE(values.try_emplace(1, std::move(q)).second);
  EXPECT_NE(q, nullptr);  // NOLINT: not moved from
  for (int i = 2; i < 500; ++i) values.emplace(i, std::make_unique<int>(i));
  EXPECT_EQ(*values.at(444), 444);
  plain_map<int, std::unique_ptr<int>> other;
  other.emplace(1, nullptr);
  other.merge(values);
  EXPECT_EQ(values.size(), 1U);
  EXPECT_EQ(other.size(), 499U);
  EXPECT_EQ(other.at(1), nullptr);
}

TEST(FlatMap, TakesArgumentsFromItself) {
  plain_map<int, std::string> values;
  values.try_emplace(0, "a text that is longer than a short string may be");
  for (int i = 1; i < 1000; ++i) values.try_emplace(i, values.at(i - 1));
  for (const auto& [key, text] : values) ASSERT_EQ(text, values.at(0)) << key;
  values.insert(*values.begin());
  plain_map<int, int> numbers;
  numbers[0] = 0;
  for (int i = 1; i < 1000; ++i) numbers[i] = numbers.begin()->second + 1;
}

TEST(FlatMap, IsSmallWhenItHoldsLittle) {
  store_heap heap;
  const auto used = [&] {
    heap->flush_caches();
    return heap->stats().used_bytes;
  };
  const std::size_t before = used();
  perdure::flat_map<std::uint64_t, std::uint64_t> values{
      perdure::allocator<std::pair<const std::uint64_t, std::uint64_t>>(*heap)};
  EXPECT_EQ(used(), before);
  EXPECT_EQ(values.find(1), values.end());
  values[1] = 1;
  EXPECT_LE(used() - before, 64U);
  for (std::uint64_t i = 0; i < 28; ++i) values[i] = i;
  EXPECT_LE(used() - before, 28 * 16 * 3 / 2);
  EXPECT_GE(values.load_factor(), 0.8F);
}

TEST(FlatMap, DoesNotGrowFromChurn) {
  plain_map<int, int> values;
  for (int i = 0; i < 1000; ++i) values[i] = i;
  const std::size_t slots = values.bucket_count();
  for (int i = 1000; i < 300000; ++i) {
    values[i] = i;
    ASSERT_EQ(values.erase(i - 1000), 1U);
  }
  EXPECT_LE(values.bucket_count(), 2 * slots);
  EXPECT_EQ(values.size(), 1000U);
  EXPECT_EQ(std::distance(values.begin(), values.end()), 1000);
  values.clear();
  values.rehash(0);
  EXPECT_EQ(values.bucket_count(), 0U);
}

// In time that grows with the number of elements. With its square this takes minutes.
TEST(FlatMap, IsEmptiedFromTheFront) {
  plain_map<int, int> values;
  for (int i = 0; i < 2'000'000; ++i) values[i] = i;
  while (!values.empty()) values.erase(values.begin());
  EXPECT_EQ(values.begin(), values.end());
}

// Elements of a byte leave the table just the room to remember where its first element is.
TEST(FlatSet, KnowsItsFirstElementWhateverComesAndGoes) {
  std::mt19937 random(13);
  plain_set<unsigned char> values;
  std::set<unsigned char> model;
  for (int step = 0; step < 20000; ++step) {
    const auto key = static_cast<unsigned char>(random());
    const auto what = random() % (step % 1000 < 500 ? 4 : 8);
    if (what < 4) {
      values.insert(key), model.insert(key);
    } else if (what == 4) {
      values.erase(key), model.erase(key);
    } else if (!values.empty()) {
      model.erase(*values.begin());
      values.erase(values.begin());
    }
    if (step % 5000 == 4999) values.clear(), model.clear();
    ASSERT_EQ(std::set<unsigned char>(values.begin(), values.end()), model);
    ASSERT_EQ(values.size(), model.size());
  }
}

TEST(FlatMap, ReserveKeepsElementsInPlace) {
  plain_map<int, int> values;
  values.reserve(10000);
  values[0] = 0;
  const int* const first = &values.at(0);
  for (int i = 0; i < 10000; ++i) values[i] = i;
  EXPECT_EQ(&values.at(0), first);
  EXPECT_THROW(values.reserve(static_cast<std::size_t>(-1)), std::length_error);
}

TEST(FlatMap, RehashRefusesMoreSlotsThanThereCanBe) {
  plain_map<int, int> values;
  for (int i = 0; i < 100; ++i) values[i] = i;
  constexpr std::size_t one = 1;
  for (const std::size_t slots : {~one + 1, ~one, (one << 63) + 1, one << 63, (one << 62) + 1, one << 62,
                                  (one << 56) + 1, values.max_size() + 1})
    EXPECT_THROW(values.rehash(slots), std::length_error) << slots;
  for (int i = 0; i < 100; ++i) ASSERT_EQ(values.at(i), i);
}

TEST(FlatMap, ZeroedMemoryIsAnEmptyMap) {
  using M = plain_map<int, int>;
  alignas(M) unsigned char zeroed[sizeof(M)] = {};
  M& values = *reinterpret_cast<M*>(zeroed);
  EXPECT_FALSE(values.contains(0));
  EXPECT_EQ(values.begin(), values.end());
  values[7] = 8;
  EXPECT_EQ(values.at(7), 8);
  values.~M();
}

// Exceptions ----------------------------------------------------------------------------------------------

template <class T, class Operation>
void fail_everywhere(std::size_t elements, Operation operation) {
  census& counts = census::of_tracked();
  using M = plain_map<T, T>;
  for (std::uint64_t point = 1;; ++point) {
    M values;
    for (std::size_t i = 0; i < elements; ++i) {
      const int n = static_cast<int>(i);
      values.try_emplace(T(n), n + 1000);
    }
    const bool failed = fails_at(point, [&] { operation(values); });
    ASSERT_EQ(counts.alive(), 2 * values.size()) << "at point " << point;
    if (!failed) {
      ASSERT_GT(point, 1U) << "nothing could fail";
      break;
    }
    ASSERT_EQ(values.size(), elements) << "at point " << point;
    for (std::size_t i = 0; i < elements; ++i) {
      const int n = static_cast<int>(i);
      ASSERT_EQ(values.at(T(n)).value(), n + 1000) << "at point " << point;
    }
    values.try_emplace(T(5000), 1);  // still usable
  }
  EXPECT_EQ(counts.alive(), 0U);
}

template <class T>
class ThrowingElements : public testing::Test {};
using throwing = testing::Types<tracked<moves::nothrow>, tracked<moves::may_throw>>;
TYPED_TEST_SUITE(ThrowingElements, throwing);

TYPED_TEST(ThrowingElements, LeaveTheMapAsItWas) {
  using T = TypeParam;
  using M = plain_map<T, T>;
  for (const std::size_t elements : {0U, 5U, 7U, 15U, 20U, 28U}) {  // with room and without
    SCOPED_TRACE(elements);
    fail_everywhere<T>(elements, [](M& m) { m.try_emplace(T(700), 7); });
    fail_everywhere<T>(elements, [](M& m) { m.emplace(701, 7); });
    fail_everywhere<T>(elements, [](M& m) { m[T(702)]; });
    fail_everywhere<T>(elements, [](M& m) { m.insert(std::pair<const T, T>(703, 7)); });
    fail_everywhere<T>(elements, [](M& m) {
      const M copy(m);
      const M more{{T(1), T(1)}};
      m = copy;
    });
  }
  if (!std::is_nothrow_move_constructible_v<T>) {
    fail_everywhere<T>(20, [](M& m) { m.rehash(1000); });
  }
}

/// Keys that all have one hash while a table has no seed: the first eight bytes take the multiplication to 0.
std::string chosen_key(std::uint64_t number) {
  constexpr std::uint64_t annihilator = 0x9e3779b97f4a7c15U;
  std::string key(16, '\0');
  std::memcpy(key.data(), &annihilator, 8);
  std::memcpy(key.data() + 8, &number, 8);
  return key;
}

struct counting_equal {
  using is_transparent = void;
  static inline std::uint64_t calls = 0;
  bool operator()(const auto& a, const auto& b) const {
    ++calls;
    return a == b;
  }
};

template <class K>
using counting_map = perdure::flat_map<K, std::uint64_t, perdure::hash<K>, counting_equal,
                                       std::allocator<std::pair<const K, std::uint64_t>>>;

TEST(FlatMap, KeysChosenForTheirHashAreSpreadAllTheSame) {
  ASSERT_EQ(perdure::hash<std::string>{}(chosen_key(1)), perdure::hash<std::string>{}(chosen_key(2)));
  constexpr std::uint64_t keys = 20000;
  counting_equal::calls = 0;
  counting_map<std::string> values;
  values.emplace("kept from before", 7);
  for (std::uint64_t i = 0; i < keys; ++i) values.emplace(chosen_key(i), i);
  EXPECT_LT(counting_equal::calls, 100 * keys);  // of each with every other it would be keys / 2
  counting_equal::calls = 0;
  const auto copy = values;
  auto moved = std::move(values);
  values = copy;
  values.rehash(100000);
  EXPECT_TRUE(copy == moved && copy == values);
  for (std::uint64_t i = 0; i < keys; i += 2) EXPECT_EQ(moved.erase(chosen_key(i)), 1U);
  for (std::uint64_t i = 0; i < keys; ++i)
    EXPECT_EQ(moved.contains(std::string_view(chosen_key(i))), i % 2 == 1);
  EXPECT_EQ(values.at("kept from before"), 7U);
  EXPECT_LT(counting_equal::calls, 100 * keys);
  moved.clear();
  EXPECT_TRUE(moved.emplace(chosen_key(3), 3).second);
  EXPECT_EQ(moved.size(), 1U);
}

/// Of the hash that it is derived from it is no longer, so of its seeds neither.
struct first_letter : perdure::hash<std::string> {
  std::size_t operator()(std::string_view text) const noexcept {
    return text.empty() ? 0 : (text[0] | 0x20U);
  }
};
struct same_letters {
  bool operator()(std::string_view a, std::string_view b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return (x | 0x20) == (y | 0x20); });
  }
};

TEST(FlatMap, AHashDerivedFromOneWithSeedsHasNone) {
  perdure::flat_set<std::string, first_letter, same_letters, std::allocator<std::string>> names;
  for (int i = 0; i < 2000; ++i) names.insert("Key" + std::to_string(i));
  for (int i = 0; i < 2000; ++i) EXPECT_TRUE(names.contains("KEY" + std::to_string(i)));
}

/// Its own key of a hash, which a table that is assigned to takes over.
struct salted_hash {
  std::uint64_t salt = 0;
  std::size_t operator()(int key) const noexcept {
    return perdure::hash_mix(static_cast<std::uint64_t>(key) ^ salt);
  }
};

TEST(FlatMap, TakesTheHashOverBeforeTheElements) {
  store_heap heap_1;
  const perdure::allocator<int> in_1(*heap_1);
  perdure::flat_set<int, salted_hash> stored(0, salted_hash{1}, perdure::equal_to(), in_1);
  stored.insert(5);
  perdure::flat_set<int, salted_hash> fresh(0, salted_hash{2});
  for (int i = 0; i < 100; ++i) fresh.insert(i);
  stored = std::move(fresh);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(stored.contains(i));
  EXPECT_EQ(stored.size(), 100U);
}

TEST(FlatMap, ChosenKeysInsideOthersAreSpreadToo) {
  counting_equal::calls = 0;
  constexpr std::uint64_t keys = 5000;
  using key = std::pair<std::string, std::tuple<int, std::string>>;
  counting_map<key> values;
  for (std::uint64_t i = 0; i < keys; ++i) values.emplace(key("", {1, chosen_key(i)}), i);
  for (std::uint64_t i = 0; i < keys; ++i) EXPECT_EQ(values.at(key("", {1, chosen_key(i)})), i);
  EXPECT_LT(counting_equal::calls, 200 * keys);
}

struct edge {
  long from;
  long to;
  bool operator==(const edge&) const = default;
  friend std::uint64_t hash_value(const edge& e, perdure::hash_seed seed = {}) {
    return perdure::hash_combine(seed, e.from, e.to);
  }
};
/// As it was before its hash took a seed.
struct unseeded_edge {
  long from;
  long to;
  bool operator==(const unseeded_edge&) const = default;
  friend std::uint64_t hash_value(const unseeded_edge& e) { return perdure::hash_combine(e.from, e.to); }
};
static_assert(sizeof(edge) == sizeof(unseeded_edge));

/// Of all that have the first number the hash is 0 while a table has no seed.
template <class Edge>
Edge chosen_edge(std::uint64_t number) {
  return {static_cast<long>(0xa4093822299f31d1U), static_cast<long>(number)};
}

TEST(FlatMap, ChosenKeysWithAHashValueThatTakesASeedAreSpreadToo) {
  EXPECT_EQ(hash_value(chosen_edge<edge>(1)), hash_value(chosen_edge<edge>(2)));
  constexpr std::uint64_t keys = 5000;
  const auto expect_spread = [&]<class Key>(auto key_of, std::type_identity<Key>) {
    counting_equal::calls = 0;
    counting_map<Key> values;
    for (std::uint64_t i = 0; i < keys; ++i) values.emplace(key_of(i), i);
    for (std::uint64_t i = 0; i < keys; ++i) EXPECT_EQ(values.at(key_of(i)), i);
    EXPECT_LT(counting_equal::calls, 200 * keys);
  };
  expect_spread(chosen_edge<edge>, std::type_identity<edge>());
  using in_pair = std::pair<int, edge>;
  expect_spread([](std::uint64_t i) { return in_pair(1, chosen_edge<edge>(i)); },
                std::type_identity<in_pair>());
  using in_tuple = std::tuple<edge, std::string>;
  expect_spread([](std::uint64_t i) { return in_tuple(chosen_edge<edge>(i), ""); },
                std::type_identity<in_tuple>());
}

TEST(FlatMap, WhatWasSeededBeforeAHashValueTookSeedsIsHashedAsThen) {
  const perdure::hash<edge> now;
  const perdure::hash<unseeded_edge> before;
  for (int i = 0; i < 100; ++i) {
    const std::uint16_t seed = perdure::detail::new_seed_for<perdure::hash<unseeded_edge>>();
    EXPECT_TRUE(seed != 0 && seed % 2 == 0);
    EXPECT_EQ(now.seeded({i, 2}, seed), before.seeded({i, 2}, seed));
    const std::uint16_t own = perdure::detail::new_seed_for<perdure::hash<std::pair<int, edge>>>();
    EXPECT_EQ(own % 2, 1);
    EXPECT_NE(now.seeded({i, 2}, own), before.seeded({i, 2}, own));
  }
}

struct throwing_hash {
  std::size_t operator()(int key) const {
    census::of_tracked().step();
    return static_cast<std::size_t>(key);
  }
};

TEST(FlatMap, SurvivesAThrowingHash) {
  census& counts = census::of_tracked();
  for (std::uint64_t point = 1; point < 60; ++point) {
    plain_map<int, std::string, throwing_hash> values;
    for (int i = 0; i < 28; ++i) values[i] = std::to_string(i);
    counts.throw_at(point);
    try {
      values[28] = "28";
    } catch (const construction_failed&) {
    }
    counts.never_throw();
    EXPECT_GE(values.size(), 28U);
    for (int i = 0; i < 28; ++i) ASSERT_EQ(values.at(i), std::to_string(i));
  }
}

// Allocators ----------------------------------------------------------------------------------------------

TEST(FlatMap, KeepsToItsAllocator) {
  store_heap heap_1;
  store_heap heap_2;
  using M = perdure::flat_map<perdure::string, perdure::vector<perdure::string>>;
  const M::allocator_type in_1(*heap_1);
  const M::allocator_type in_2(*heap_2);
  const std::size_t blocks_1 = heap_1.blocks();
  const std::size_t blocks_2 = heap_2.blocks();
  const auto all_in = [](const M& map, perdure::heap& heap) {
    return std::all_of(map.begin(), map.end(), [&](const auto& element) {
      return element.first.get_allocator().memory() == &heap &&
             element.second.get_allocator().memory() == &heap &&
             std::all_of(element.second.begin(), element.second.end(),
                         [&](const auto& text) { return text.get_allocator().memory() == &heap; });
    });
  };
  {
    M a(in_1);
    for (int i = 0; i < 100; ++i) {
      a[std::to_string(i % 30)].emplace_back(std::string(static_cast<std::size_t>(i), 'x'));
    }
    EXPECT_TRUE(all_in(a, *heap_1));
    M b(a, in_2);
    EXPECT_EQ(a, b);
    EXPECT_TRUE(all_in(b, *heap_2));
    M c(std::move(a), in_2);
    EXPECT_EQ(c, b);
    EXPECT_TRUE(all_in(c, *heap_2));
    M d(in_1);
    d["x"].emplace_back("y");
    d = c;
    EXPECT_EQ(d, b);
    EXPECT_TRUE(all_in(d, *heap_1));
    d.clear();
    d = std::move(c);
    EXPECT_EQ(d, b);
    EXPECT_TRUE(all_in(d, *heap_1));
    M e(in_2);
    e["only"];
    e.swap(d);
    EXPECT_EQ(e, b);
    EXPECT_EQ(d.size(), 1U);
    EXPECT_TRUE(all_in(e, *heap_2) && all_in(d, *heap_1));
  }
  EXPECT_EQ(heap_1.blocks(), blocks_1);
  EXPECT_EQ(heap_2.blocks(), blocks_2);
}

}  // namespace
