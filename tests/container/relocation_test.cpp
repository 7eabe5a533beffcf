// Containers survive what a store does to them: their bytes reappear at another address, all at once.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <perdure/container/flat_map.hpp>
#include <perdure/container/flat_set.hpp>
#include <perdure/container/list.hpp>
#include <perdure/container/map.hpp>
#include <perdure/container/string.hpp>
#include <perdure/container/vector.hpp>
#include <random>
#include <string>
#include <vector>

#include "container/arena.hpp"

namespace {
using perdure::test::arena;
using perdure::test::arena_allocator;

template <class T>
using vector = perdure::vector<T, arena_allocator<T>>;
using string = perdure::basic_string<char, std::char_traits<char>, arena_allocator<char>>;
template <class K, class V>
using flat_map =
    perdure::flat_map<K, V, perdure::hash<K>, perdure::equal_to, arena_allocator<std::pair<const K, V>>>;
template <class K>
using flat_set = perdure::flat_set<K, perdure::hash<K>, perdure::equal_to, arena_allocator<K>>;

/// The contents as ordinary values, to compare with.
std::string value_of(const string& text) {
  return std::string(std::string_view(text));
}
int value_of(int n) {
  return n;
}
template <class T>
auto value_of(const vector<T>& values) {
  std::vector<decltype(value_of(values[0]))> result;
  for (const T& value : values) result.push_back(value_of(value));
  return result;
}
template <class K, class V>
auto value_of(const flat_map<K, V>& values) {
  std::map<decltype(value_of(values.begin()->first)), decltype(value_of(values.begin()->second))> result;
  for (const auto& [key, value] : values) result.emplace(value_of(key), value_of(value));
  return result;
}

struct root {
  explicit root(arena& memory)
      : numbers(arena_allocator<int>(memory)),
        texts(arena_allocator<string>(memory)),
        nested(arena_allocator<vector<vector<string>>>(memory)),
        table(arena_allocator<std::pair<const string, vector<string>>>(memory)),
        tables(arena_allocator<std::pair<const int, flat_map<int, string>>>(memory)),
        set(arena_allocator<string>(memory)),
        empty_vector(arena_allocator<int>(memory)),
        empty_table(arena_allocator<std::pair<const int, int>>(memory)) {}

  vector<int> numbers;
  vector<string> texts;
  vector<vector<vector<string>>> nested;
  flat_map<string, vector<string>> table;
  flat_map<int, flat_map<int, string>> tables;
  flat_set<string> set;
  vector<int> empty_vector;
  flat_map<int, int> empty_table;

  void change(std::mt19937& random) {
    const auto number = [&] { return static_cast<int>(random() % 40); };
    const std::string text = std::string(random() % 30, 'a') + std::to_string(number());
    numbers.insert(numbers.begin() + static_cast<std::ptrdiff_t>(random() % (numbers.size() + 1)), number());
    texts.insert(texts.begin() + static_cast<std::ptrdiff_t>(random() % (texts.size() + 1)),
                 string(text, texts.get_allocator()));
    if (texts.size() > 20) texts.erase(texts.begin() + number() % 10, texts.begin() + 12);
    if (random() % 4 == 0) nested.emplace(nested.begin(), 2U);
    if (!nested.empty()) nested[random() % nested.size()].emplace_back().emplace_back(text);
    if (nested.size() > 5) nested.erase(nested.begin() + 1);
    table[text].emplace_back(text);
    if (number() < 10) table.erase(table.begin());
    tables[number()][number()] = text;
    tables.erase(number());
    set.emplace(text);
    empty_vector.push_back(1);
    empty_vector.pop_back();
    empty_vector.shrink_to_fit();
    empty_table.rehash(0);
  }
};

TEST(Relocation, KeepsEverythingAcrossMoves) {
  std::mt19937 random(21);
  auto memory = std::make_unique<arena>(std::size_t{32} << 20);
  void* const place = arena::allocate(memory->base(), sizeof(root), alignof(root));
  const std::size_t offset = memory->offset_of(place);
  ::new (place) root(*memory);
  for (int run = 0; run < 30; ++run) {
    auto* const before = reinterpret_cast<root*>(memory->at(offset));
    for (int i = 0; i < 40; ++i) before->change(random);
    const auto numbers = value_of(before->numbers);
    const auto texts = value_of(before->texts);
    const auto nested = value_of(before->nested);
    const auto table = value_of(before->table);
    const auto tables = value_of(before->tables);
    const std::size_t set_size = before->set.size();

    auto elsewhere = std::make_unique<arena>(*memory);
    ASSERT_NE(elsewhere->base(), memory->base());
    memory->spoil();
    auto* const after = reinterpret_cast<root*>(elsewhere->at(offset));
    ASSERT_EQ(value_of(after->numbers), numbers);
    ASSERT_EQ(value_of(after->texts), texts);
    ASSERT_EQ(value_of(after->nested), nested);
    ASSERT_EQ(value_of(after->table), table);
    ASSERT_EQ(value_of(after->tables), tables);
    ASSERT_EQ(after->set.size(), set_size);
    for (const auto& text : after->set) ASSERT_TRUE(elsewhere->contains(&text));
    for (const auto& [key, list] : table) ASSERT_TRUE(after->table.contains(key));
    ASSERT_TRUE(after->empty_vector.empty());
    ASSERT_FALSE(after->empty_table.contains(0));
    ASSERT_TRUE(elsewhere->contains(after->numbers.data()));
    ASSERT_TRUE(elsewhere->contains(after->texts.get_allocator().base()));
    memory = std::move(elsewhere);
  }
  reinterpret_cast<root*>(memory->at(offset))->~root();
  EXPECT_EQ(memory->live(), 1U);  // the root's own block
}

TEST(Relocation, WorksForBoostContainersToo) {
  using element = std::pair<const int, string>;
  using tree = perdure::map<int, string, std::less<>, arena_allocator<element>>;
  using chain = perdure::list<int, arena_allocator<int>>;
  struct both {
    tree map;
    chain list;
  };
  arena memory(std::size_t{1} << 20);
  void* const place = arena::allocate(memory.base(), sizeof(both), alignof(both));
  const std::size_t offset = memory.offset_of(place);
  auto* const before = ::new (place)
      both{tree(std::less<>(), arena_allocator<element>(memory)), chain(arena_allocator<int>(memory))};
  for (int i = 0; i < 300; ++i) {
    before->map.emplace(i * 7 % 300, string(std::to_string(i), arena_allocator<char>(memory)));
    before->list.push_front(i);
  }
  arena elsewhere(memory);
  memory.spoil();
  auto* const after = reinterpret_cast<both*>(elsewhere.at(offset));
  for (int i = 0; i < 300; ++i) {
    ASSERT_EQ(after->map.find(i * 7 % 300)->second, std::to_string(i));
    ASSERT_EQ(after->list.front(), 299 - i);
    after->list.pop_front();
  }
  after->~both();
}

TEST(Relocation, IsCheapForContainers) {
  using perdure::detail::has_relocator;
  static_assert(has_relocator<perdure::vector<int>>);
  static_assert(has_relocator<perdure::string>);
  static_assert(has_relocator<perdure::flat_map<int, perdure::string>>);
  static_assert(has_relocator<std::pair<const perdure::string, perdure::vector<perdure::string>>>);
  static_assert(has_relocator<perdure::allocator<int>>);
  static_assert(perdure::is_trivially_relocatable_v<std::pair<const int, double>>);
  static_assert(perdure::is_trivially_relocatable_v<std::unique_ptr<int>>);
  static_assert(!perdure::is_trivially_relocatable_v<std::pair<int, perdure::string>>);
  static_assert(!perdure::is_trivially_relocatable_v<perdure::allocator<int>>);
  static_assert(!perdure::is_trivially_relocatable_v<std::string>);
  // A class derived from a container has members the container's relocator does not know.
  struct derived : perdure::vector<int> {};
  static_assert(!has_relocator<derived>);
}

/// Elements that point to themselves show whether a container moves bytes it must not move.
class self_aware {
 public:
  explicit self_aware(int value) noexcept : self_(this), value_(value) {}
  self_aware(const self_aware& other) noexcept : self_aware(other.value()) {}
  self_aware& operator=(const self_aware& other) noexcept {
    value_ = other.value();
    return *this;
  }
  ~self_aware() { self_ = nullptr; }
  int value() const {
    EXPECT_EQ(self_, this);
    return value_;
  }

 private:
  const self_aware* self_;
  int value_;
};

TEST(Relocation, RespectsElementsThatKnowTheirAddress) {
  perdure::vector<self_aware, std::allocator<self_aware>> values;
  perdure::flat_map<int, self_aware, perdure::hash<int>, perdure::equal_to,
                    std::allocator<std::pair<const int, self_aware>>>
      table;
  for (int i = 0; i < 200; ++i) {
    values.emplace(values.begin() + i / 2, i);
    table.try_emplace(i, i);
  }
  values.erase(values.begin() + 10, values.begin() + 20);
  int sum = 0;
  for (const auto& value : values) sum += value.value();
  for (const auto& [key, value] : table) ASSERT_EQ(key, value.value());
  EXPECT_GT(sum, 0);
}

}  // namespace
