// Containers that were given no allocator take the memory in which they lie: types made of them need nothing
// to live in a store.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "perdure/container/deque.hpp"
#include "perdure/container/forward_list.hpp"
#include "perdure/container/list.hpp"
#include "perdure/container/map.hpp"
#include "perdure/container/queue.hpp"
#include "perdure/container/set.hpp"
#include "perdure/container/stable_vector.hpp"
#include "perdure/container/unordered_map.hpp"
#include "perdure/container/unordered_set.hpp"
#include "perdure/perdure.hpp"
#include "support/scratch_directory.hpp"
#include "support/small_store.hpp"

namespace perdure {
namespace {

const char* const long_text = "a text that does not fit into the string itself";

struct person {
  string name;
  int age = 30;
  vector<string> tags;
  map<int, string> letters;
  list<string> friends;
};

person ada() {
  return {long_text, 36, {"short", long_text}, {{1, long_text}}, {long_text}};
}

/// No aggregate, and knows nothing of allocators.
class ship {
 public:
  explicit ship(string name) : name_(std::move(name)) { crew_.push_back(name_); }
  const string& name() const { return name_; }
  const string& captain() const { return crew_.front(); }

 private:
  string name_;
  deque<string> crew_;
};

struct own_memory_test : testing::Test {
  scratch_directory scratch;
  std::optional<manager> store{std::in_place, create_only, scratch.path(), small_store()};

  bool inside(const void* address) const { return store->belongs_to_segment(address); }
  bool inside(const string& text) const { return inside(static_cast<const void*>(text.data())); }

  void expect_inside(const person& p) const {
    EXPECT_EQ(p.name, long_text);
    EXPECT_TRUE(inside(p.name));
    ASSERT_EQ(p.tags.size(), 2U);
    EXPECT_TRUE(inside(p.tags.data()));
    EXPECT_TRUE(inside(p.tags.back()));
    EXPECT_TRUE(inside(p.letters.at(1)));
    EXPECT_TRUE(inside(p.friends.front()));
  }
  void reopen() {
    store.reset();
    store.emplace(open_only, scratch.path(), small_store());
  }
};

TEST_F(own_memory_test, AnAggregateOfContainersIsAValueOfAMap) {
  auto* people = store->construct<flat_map<string, person>>("people")();
  (*people)["nobody"].name = long_text;
  EXPECT_EQ(people->at("nobody").age, 30);
  const person copied = ada();
  EXPECT_FALSE(inside(copied.name));
  people->insert({"copied", copied});
  people->insert({"moved", ada()});
  people->emplace("emplaced", ada());
  people->emplace(std::pair<std::string, person>("built elsewhere", ada()));
  people->try_emplace("in place", long_text, 36);
  people->insert_or_assign("assigned", ada());
  people->insert_or_assign("assigned", ada());
  for (const char* const name : {"copied", "moved", "emplaced", "built elsewhere", "assigned"}) {
    SCOPED_TRACE(name);
    expect_inside(people->at(name));
  }
  for (int i = 0; i < 100; ++i) people->emplace(std::to_string(i), ada());
  reopen();
  people = store->find<flat_map<string, person>>("people").first;
  ASSERT_EQ(people->size(), 107U);
  expect_inside(people->at("99"));
  EXPECT_TRUE(inside(people->at("nobody").name));
  EXPECT_EQ(people->at("in place").name, long_text);
  people->clear();
  EXPECT_TRUE(store->check().empty());
}

TEST_F(own_memory_test, AStructIsAnElementOfEveryContainer) {
  auto* const row = store->construct<vector<person>>("row")();
  for (int i = 0; i < 20; ++i) row->push_back(ada());
  row->emplace(row->begin() + 3, ada());
  row->insert(row->begin() + 3, ada());
  row->insert(row->begin() + 3, 3, ada());
  row->erase(row->begin());
  for (const person& p : *row) expect_inside(p);
  auto* const tree = store->construct<map<string, person>>("tree")();
  tree->insert({long_text, ada()});
  (*tree)["second"] = ada();
  tree->try_emplace("third", ada());
  for (const auto& [name, p] : *tree) expect_inside(p);
  EXPECT_TRUE(inside(tree->find(long_text)->first));
  using several =
      std::tuple<person, std::optional<person>, std::pair<int, person>, std::variant<int, person>>;
  auto* const all = store->construct<several>("several")(ada(), ada(), std::pair(1, ada()), ada());
  expect_inside(std::get<0>(*all));
  expect_inside(*std::get<1>(*all));
  expect_inside(std::get<2>(*all).second);
  expect_inside(std::get<person>(std::get<3>(*all)));
  auto* const three = store->construct<person>("three")[3](ada());
  for (int i = 0; i < 3; ++i) expect_inside(three[i]);
}

TEST_F(own_memory_test, ClassesThatKnowNothingOfAllocatorsLieInTheStore) {
  auto* const fleet = store->construct<vector<ship>>("fleet")();
  for (int i = 0; i < 10; ++i) fleet->emplace_back(long_text);
  fleet->push_back(ship(long_text));
  fleet->emplace(fleet->begin(), long_text);
  for (const ship& s : *fleet) {
    EXPECT_EQ(s.name(), long_text);
    EXPECT_TRUE(inside(s.name()) && inside(s.captain()));
  }
}

template <class Container, class... Values>
void move_in(manager& store, Values... values) {
  Container outside;
  (outside.insert(outside.end(), values), ...);
  const Container expected(outside);
  auto* const moved = store.construct<std::optional<Container>>(anonymous_instance)(std::move(outside));
  EXPECT_TRUE(**moved == expected);
  for (const auto& element : **moved) EXPECT_TRUE(store.belongs_to_segment(std::addressof(element)));
  Container back = std::move(**moved);
  EXPECT_TRUE(back == expected);
  store.destroy_ptr(moved);
}

TEST_F(own_memory_test, EveryContainerIsCopiedWhenItIsMovedIn) {
  const string a(long_text);
  const string b("b");
  move_in<vector<string>>(*store, a, b);
  move_in<deque<string>>(*store, a, b);
  move_in<list<string>>(*store, a, b);
  move_in<stable_vector<string>>(*store, a, b);
  move_in<set<string>>(*store, a, b);
  move_in<multiset<string>>(*store, a, b);
  move_in<unordered_set<string>>(*store, a, b);
  move_in<unordered_multiset<string>>(*store, a, b);
  const std::pair<const string, string> pair(a, b);
  move_in<map<string, string>>(*store, pair);
  move_in<multimap<string, string>>(*store, pair);
  move_in<unordered_map<string, string>>(*store, pair);
  move_in<unordered_multimap<string, string>>(*store, pair);
  forward_list<string> chain{a, b};
  auto* const stored = store->construct<std::optional<forward_list<string>>>("chain")(std::move(chain));
  EXPECT_TRUE(inside((*stored)->front()));
  auto* const line = store->construct<queue<string>>("line")();
  line->push(long_text);
  EXPECT_TRUE(inside(line->front()));
  EXPECT_TRUE(store->check().empty());
}

TEST_F(own_memory_test, InsideAStoreAndOutOfItNothingIsCopied) {
  auto* const texts = store->construct<vector<string>>("texts")();
  texts->push_back(long_text);
  const char* const characters = texts->front().data();
  string taken = std::move(texts->front());
  EXPECT_EQ(taken.data(), characters);
  texts->front() = std::move(taken);
  EXPECT_EQ(texts->front().data(), characters);
  for (int i = 0; i < 100; ++i) texts->emplace_back("another");
  EXPECT_EQ(texts->front().data(), characters);
  auto* const people = store->construct<vector<person>>("people")();
  people->push_back(ada());
  const char* const name = people->front().name.data();
  for (int i = 0; i < 100; ++i) people->push_back(ada());
  EXPECT_EQ(people->front().name.data(), name);
}

TEST_F(own_memory_test, CopiesLieInOrdinaryMemory) {
  auto* const texts = store->construct<vector<string>>("texts")();
  texts->push_back(long_text);
  const vector<string> copy = *texts;
  EXPECT_FALSE(inside(copy.data()) || inside(copy.front()));
  EXPECT_FALSE(inside(texts->front().substr(1)));
  EXPECT_FALSE(inside(texts->front() + "!"));
  reopen();
  store.reset();
  store.emplace(open_read_only, scratch.path(), small_store());
  vector<string> ours = *store->find<vector<string>>("texts").first;
  ours.push_back("more");
  EXPECT_EQ(ours.front(), long_text);
}

TEST_F(own_memory_test, BetweenTwoStoresContentIsCopied) {
  const scratch_directory elsewhere;
  auto* const here = store->construct<person>("person")(ada());
  {
    manager other(create_only, elsewhere.path(), small_store());
    auto* const there = other.construct<person>("person")(std::move(*here));
    EXPECT_TRUE(other.belongs_to_segment(there->name.data()));
    EXPECT_TRUE(other.belongs_to_segment(&there->friends.front()));
    *here = *there;
  }
  expect_inside(*here);
  manager other(open_only, elsewhere.path(), small_store());
  EXPECT_EQ(other.find<person>("person").first->letters.at(1), long_text);
}

void fill(manager& store) {
  for (std::size_t bytes = std::size_t{1} << 30; bytes >= 4096; bytes /= 2) {
    try {
      for (;;) store.allocate(bytes);
    } catch (const std::bad_alloc&) {  // no room for as much
    }
  }
}

TEST_F(own_memory_test, AMoveIntoAFullStoreThrowsAndLosesNothing) {
  auto* const people = store->construct<vector<person>>("people")();
  people->push_back(ada());
  people->reserve(2);
  fill(*store);
  person large = ada();
  large.name.assign(1 << 16, 'x');
  EXPECT_THROW(people->push_back(std::move(large)), std::bad_alloc);
  ASSERT_EQ(people->size(), 1U);
  expect_inside(people->front());
  EXPECT_TRUE(store->check().empty());
}

/// Where the program constructs by itself, no allocator's `construct` can throw what a move constructor
/// cannot.
TEST_F(own_memory_test, WhatNobodyWasToldOfIsNotCommitted) {
  auto* const people = store->construct<vector<person>>("people")();
  void* const place = store->allocate(sizeof(person));
  store->checkpoint();
  people->push_back(ada());
  fill(*store);
  person large = ada();
  large.name.assign(1 << 16, 'x');
  auto* const made = ::new (place) person(std::move(large));
  EXPECT_TRUE(made->name.empty());
  try {
    store->checkpoint();
    ADD_FAILURE() << "a checkpoint was made of a person without a name";
  } catch (const error& refused) {
    EXPECT_EQ(refused.code(), errc::out_of_capacity);
  }
  store->discard();
  reopen();
  EXPECT_TRUE(store->find<vector<person>>("people").first->empty());
  store->checkpoint();
}

TEST_F(own_memory_test, WhatIsBuiltBeforeItsPlaceIsFreeIsBuiltInTheStore) {
  const std::vector<std::pair<int, std::string>> source{{1, long_text}};
  auto* const tables = store->construct<vector<flat_map<int, string>>>("tables")();
  tables->reserve(4);
  tables->emplace_back();
  tables->emplace(tables->begin(), source.begin(), source.end(), 100);
  EXPECT_TRUE(inside(&*tables->front().begin()) && inside(tables->front().at(1)));
  auto* const texts = store->construct<vector<string>>("texts")();
  texts->reserve(4);
  texts->emplace_back("x");
  texts->insert(texts->begin(), 2, long_text);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(inside((*texts)[static_cast<std::size_t>(i)]));
  auto* const nested = store->construct<flat_map<string, flat_map<int, string>>>("nested")();
  nested->emplace(std::piecewise_construct, std::forward_as_tuple("k"),
                  std::forward_as_tuple(source.begin(), source.end(), 100));
  EXPECT_TRUE(inside(nested->at("k").at(1)));
}

template <class Map>
void swap_with_ordinary_memory(manager& store, Map outside) {
  const Map expected(outside);
  auto* const inside = store.construct<Map>(anonymous_instance)();
  inside->swap(outside);
  EXPECT_TRUE(*inside == expected && outside.empty());
  for (const auto& element : *inside) EXPECT_TRUE(store.belongs_to_segment(std::addressof(element)));
  using std::swap;
  swap(*inside, outside);
  EXPECT_TRUE(outside == expected && inside->empty());
  for (const auto& element : outside) EXPECT_FALSE(store.belongs_to_segment(std::addressof(element)));
}

TEST_F(own_memory_test, SwapWorksBetweenAStoreAndOrdinaryMemory) {
  swap_with_ordinary_memory(*store, map<int, string>{{1, long_text}, {2, "b"}});
  swap_with_ordinary_memory(*store, unordered_map<int, string>{{1, long_text}, {2, "b"}});
  swap_with_ordinary_memory(*store, list<string>{long_text, "b"});
  swap_with_ordinary_memory(*store, deque<string>{long_text, "b"});
  swap_with_ordinary_memory(*store, stable_vector<string>{long_text, "b"});
  swap_with_ordinary_memory(*store, forward_list<string>{long_text, "b"});
  swap_with_ordinary_memory(*store, vector<string>{long_text, "b"});
  swap_with_ordinary_memory(*store, flat_map<int, string>{{1, long_text}, {2, "b"}});
}

struct owner_of_unique {
  vector<std::unique_ptr<int>> pointers;
};
struct reversed {
  explicit reversed(bool wanted) : is_reversed(wanted) {}
  bool operator()(int a, int b) const { return is_reversed ? b < a : a < b; }
  bool is_reversed;
};

TEST_F(own_memory_test, ElementsThatCannotBeCopiedAndOrdersThatHaveNoDefaultAreMoved) {
  vector<owner_of_unique> owners;
  owners.emplace_back().pointers.push_back(std::make_unique<int>(3));
  const vector<owner_of_unique> moved = std::move(owners);
  EXPECT_EQ(*moved.front().pointers.front(), 3);
  vector<std::atomic<int>> counters(3);
  const vector<std::atomic<int>> same = std::move(counters);
  EXPECT_EQ(same.size(), 3U);
  map<int, int, reversed> numbers(reversed(true), allocator<std::pair<const int, int>>(store->memory()));
  numbers.emplace(1, 1);
  numbers.emplace(2, 2);
  const map<int, int, reversed> kept = std::move(numbers);
  EXPECT_EQ(kept.begin()->first, 2);
}

TEST_F(own_memory_test, AFailureIsOfTheObjectThatItIsIn) {
  using row = std::tuple<person, int>;
  auto* const rows = store->construct<vector<row>>("rows")();
  rows->reserve(4);
  auto* const slot = store->construct<std::optional<person>>("slot")();
  store->checkpoint();
  fill(*store);
  person large = ada();
  large.name.assign(1 << 16, 'x');
  EXPECT_THROW(rows->emplace_back(std::move(large), 1), std::bad_alloc);
  EXPECT_EQ(large.name.size(), std::size_t{1} << 16);
  EXPECT_TRUE(rows->empty());
  // Somewhere else than in the object that is constructed: that is whole, and the store is told.
  struct filler {
    filler(std::optional<person>& where, person what) { where.emplace(std::move(what)); }
    string text;
  };
  vector<filler> outside;
  outside.emplace_back(*slot, large);
  EXPECT_EQ(outside.size(), 1U);
  EXPECT_THROW(store->checkpoint(), error);
  store->discard();
}

TEST_F(own_memory_test, AStringTakenOutOutlivesItsStore) {
  auto* const text = store->construct<string>("text")("short");
  string taken = std::move(*text);
  store.reset();
  taken = long_text;
  store.emplace(open_only, scratch.path(), small_store());
  taken = std::string(1000, 'y').c_str();
  EXPECT_EQ(taken.size(), 1000U);
}

TEST_F(own_memory_test, BracesAndLiteralsLieInTheStore) {
  auto* const numbers = store->construct<vector<int>>("numbers")({1, 2, 3});
  EXPECT_EQ(*numbers, (vector<int>{1, 2, 3}));
  EXPECT_TRUE(inside(numbers->data()));
  auto* const counts = store->construct<flat_map<string, int>>("counts")({{"a", 1}, {long_text, 2}});
  counts->insert({"b", 3});
  EXPECT_EQ(counts->at("a") + counts->at(long_text) + counts->at("b"), 6);
  EXPECT_TRUE(inside(counts->find(long_text)->first));
  auto* const texts = store->construct<vector<string>>("texts")();
  texts->push_back("abc");
  texts->push_back(long_text);
  EXPECT_TRUE(inside(texts->back()));
  auto* const p =
      store->construct<person>("braces")({long_text, 36, {"", long_text}, {{1, long_text}}, {long_text}});
  expect_inside(*p);
  auto* const found = store->find_or_construct<person>("braces")({"other", 1, {}, {}, {}});
  EXPECT_EQ(found, p);
}

TEST_F(own_memory_test, StringsAreReadAndGivenLikeOthers) {
  auto* const text = store->construct<string>("text")();
  std::istringstream in("word and the rest\nnext;last");
  in >> *text;
  EXPECT_EQ(*text, "word");
  getline(in, *text);
  EXPECT_EQ(*text, " and the rest");
  EXPECT_TRUE(getline(in, *text, ';'));
  EXPECT_EQ(*text, "next");
  in >> *text;
  EXPECT_EQ(*text, "last");
  EXPECT_FALSE(in >> *text);
  EXPECT_EQ(*text, "last");
  *text = long_text;
  std::string ordinary = *text;
  EXPECT_EQ(ordinary, long_text);
  ordinary = *text;
  ordinary += *text;
  EXPECT_EQ((person{ordinary, 1, {ordinary}, {}, {}}.tags.front()), ordinary);
  const string from_ordinary = ordinary;
  EXPECT_TRUE(from_ordinary == ordinary && ordinary == from_ordinary && *text < ordinary);
  EXPECT_EQ(ordinary, std::string(long_text) + long_text);
}

}  // namespace
}  // namespace perdure
