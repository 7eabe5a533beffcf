// Listings of the containers of the standard library and of Boost, and of optionals and tuples.
#include <gtest/gtest.h>

#include <boost/container/flat_map.hpp>
#include <boost/container/string.hpp>
#include <boost/container/vector.hpp>
#include <cstring>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <perdure/container/deque.hpp>
#include <perdure/container/forward_list.hpp>
#include <perdure/container/list.hpp>
#include <perdure/container/map.hpp>
#include <perdure/container/set.hpp>
#include <perdure/container/unordered_map.hpp>
#include <perdure/container/unordered_set.hpp>
#include <perdure/inspect/contents.hpp>
#include <perdure/perdure.hpp>
#include <perdure_interprocess/allocators/allocator.hpp>
#include <perdure_interprocess/containers/map.hpp>
#include <perdure_interprocess/containers/string.hpp>
#include <perdure_interprocess/containers/vector.hpp>
#include <perdure_interprocess/managed_mapped_file.hpp>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "inspect/shown.hpp"
#include "support/scratch_test.hpp"

namespace {

using perdure::inspect::object_extent;

class listed_containers : public perdure::scratch_test {
 protected:
  std::string at(const std::string& name) const { return path(name).string(); }

  std::map<std::string, object_extent> objects() const {
    const perdure::manager store(perdure::open_read_only, at("s"));
    std::map<std::string, object_extent> by_name;
    for (const auto& [object, extent] : perdure::inspect::objects_in(store))
      by_name[std::string(object.name())] = extent;
    return by_name;
  }
  std::string values(const std::string& name, std::uint64_t limit = 20) const {
    const perdure::manager store(perdure::open_read_only, at("s"));
    const perdure::object_info object = perdure::inspect::object_called(store, name);
    return perdure::test::shown(perdure::inspect::object_reader(store, object).values(limit));
  }
};

template <class T>
using pinned = perdure::pinned_allocator<T>;
using pinned_string = std::basic_string<char, std::char_traits<char>, pinned<char>>;
using pinned_pair = std::pair<const int, int>;

constexpr const char* long_text = "a text that is too long to be in the string itself";

TEST_F(listed_containers, counts_the_elements_of_perdures) {
  {
    perdure::manager store(perdure::create_only, at("s"));
    store.construct<perdure::map<int, int>>("empty map")();
    store.construct<perdure::list<int>>("empty list")();
    store.construct<perdure::deque<int>>("empty deque")();
    store.construct<perdure::unordered_map<int, int>>("empty hash")();
    auto& map = *store.construct<perdure::map<int, int>>("map")();
    auto& multimap = *store.construct<perdure::multimap<int, int>>("multimap")();
    auto& set = *store.construct<perdure::set<perdure::string>>("set")();
    auto& multiset = *store.construct<perdure::multiset<int>>("multiset")();
    auto& list = *store.construct<perdure::list<int>>("list")();
    auto& forward_list = *store.construct<perdure::forward_list<int>>("forward_list")();
    auto& deque = *store.construct<perdure::deque<std::pair<int, long>>>("deque")();
    auto& one_block = *store.construct<perdure::deque<char>>("one block")();
    auto& hash_map = *store.construct<perdure::unordered_map<int, int>>("hash map")();
    auto& hash_set = *store.construct<perdure::unordered_multiset<int>>("hash set")();
    for (int i = 0; i < 1000; ++i) {
      map.emplace(i, i);
      multimap.emplace(1, i);
      set.emplace(std::to_string(i).c_str());
      multiset.emplace(1);
      list.push_back(i);
      forward_list.push_front(i);
      i % 3 == 0 ? deque.emplace_front(i, i) : deque.emplace_back(i, i);
      hash_map.emplace(i, i);
      hash_set.emplace(1);
    }
    for (int i = 0; i < 300; ++i) deque.pop_front();
    for (const char c : {'a', 'b', 'c'}) one_block.push_back(c);
    one_block.pop_front();
    // A comparison with something in it: nothing is known of where the number is.
    struct order {
      int sign = 1;
      bool operator()(int a, int b) const { return sign * a < sign * b; }
    };
    store.construct<perdure::map<int, int, order>>("ordered")();
  }
  std::map<std::string, object_extent> found = objects();
  for (const char* const name :
       {"map", "multimap", "set", "multiset", "list", "forward_list", "hash map", "hash set"}) {
    EXPECT_EQ(found[name].elements, 1000U) << name;
    EXPECT_FALSE(found[name].is_all) << name;
  }
  for (const char* const name : {"empty map", "empty list", "empty deque", "empty hash"})
    EXPECT_EQ(found[name].elements, 0U) << name;
  EXPECT_EQ(found["deque"].elements, 700U);
  EXPECT_EQ(found["one block"].elements, 2U);
  EXPECT_FALSE(found["ordered"].elements.has_value());
  EXPECT_EQ(values("map"), "<perdure::map<int, int> 48 of 1000>");
}

TEST_F(listed_containers, reads_vectors_and_strings_of_pinned_stores) {
  {
    perdure::pinned_manager store(perdure::create_only, at("s"));
    auto& vector = *store.construct<std::vector<int, pinned<int>>>("vector")(store.get_allocator<int>());
    store.construct<std::vector<int, pinned<int>>>("empty")(store.get_allocator<int>());
    auto& strings = *store.construct<std::vector<pinned_string, pinned<pinned_string>>>("strings")(
        store.get_allocator<int>());
    store.construct<pinned_string>("string")(long_text, store.get_allocator<char>());
    auto& map = *store.construct<std::map<int, int, std::less<int>, pinned<pinned_pair>>>("map")(
        store.get_allocator<int>());
    auto& list = *store.construct<std::list<int, pinned<int>>>("list")(store.get_allocator<int>());
    auto& deque = *store.construct<std::deque<int, pinned<int>>>("deque")(store.get_allocator<int>());
    auto& hash = *store.construct<
        std::unordered_map<int, int, std::hash<int>, std::equal_to<int>, pinned<pinned_pair>>>("hash")(
        store.get_allocator<int>());
    auto& boost =
        *store.construct<boost::container::vector<int, pinned<int>>>("boost")(store.get_allocator<int>());
    auto& tree = *store.construct<perdure::map<int, int, std::less<>, pinned<pinned_pair>>>("tree")(
        store.get_allocator<int>());
    for (int i = 0; i < 1000; ++i) {
      vector.push_back(i);
      map.emplace(i, i);
      list.push_back(i);
      i % 2 == 0 ? deque.push_front(i) : deque.push_back(i);
      hash.emplace(i, i);
      boost.push_back(i);
      tree.emplace(i, i);
    }
    strings.emplace_back("short", store.get_allocator<char>());
    strings.emplace_back(long_text, store.get_allocator<char>());
  }
  std::map<std::string, object_extent> found = objects();
  for (const char* const name : {"vector", "map", "list", "deque", "hash", "boost", "tree"})
    EXPECT_EQ(found[name].elements, 1000U) << name;
  EXPECT_EQ(found["empty"].elements, 0U);
  for (const char* const name : {"vector", "empty", "strings", "string", "boost"})
    EXPECT_TRUE(found[name].is_all) << name;
  EXPECT_GE(found["vector"].bytes, 32 + 4000);
  EXPECT_GE(found["strings"].bytes, 32 + 2 * 40 + std::strlen(long_text));
  EXPECT_EQ(values("strings"), "\"short\" \"" + std::string(long_text) + '"');
  EXPECT_EQ(values("string"), '"' + std::string(long_text) + '"');
  EXPECT_EQ(values("boost", 3), "0 1 2");
}

TEST_F(listed_containers, reads_containers_of_boosts_interface) {
  namespace bip = perdure_interprocess;
  using segment = bip::managed_mapped_file::segment_manager;
  {
    bip::managed_mapped_file file(bip::create_only, at("s").c_str(), 1 << 20);
    segment* const memory = file.get_segment_manager();
    using string = bip::basic_string<char, std::char_traits<char>, bip::allocator<char, segment>>;
    file.construct<bip::vector<int, bip::allocator<int, segment>>>("vector")(3, 7, memory);
    auto& map = *file.construct<
        bip::map<int, int, std::less<int>, bip::allocator<std::pair<const int, int>, segment>>>("map")(
        memory);
    map.emplace(1, 2);
    file.construct<string>("short")("short", memory);
    file.construct<string>("long")(long_text, memory);
    auto& flat = *file.construct<
        boost::container::flat_map<int, int, std::less<int>, bip::allocator<std::pair<int, int>, segment>>>(
        "flat")(memory);
    flat.emplace(5, 6);
  }
  std::map<std::string, object_extent> found = objects();
  EXPECT_EQ(found["map"].elements, 1U);
  EXPECT_EQ(values("vector"), "7 7 7");
  EXPECT_EQ(values("short"), R"("short")");
  EXPECT_EQ(values("long"), '"' + std::string(long_text) + '"');
  EXPECT_EQ(values("flat"), "{first=5 second=6}");
}

TEST_F(listed_containers, reads_optionals_tuples_and_atomics) {
  using row = std::tuple<char, int, perdure::vector<int>>;
  {
    perdure::manager store(perdure::create_only, at("s"));
    store.construct<std::optional<int>>("some")(5);
    store.construct<std::optional<int>>("none")();
    store.construct<std::optional<perdure::string>>("text")(perdure::string(long_text));
    store.construct<row>("row")('a', -7, perdure::vector<int>(100, 3, store.get_allocator<int>()));
    store.construct<std::atomic<short>>("atomic")(short{-3});
    struct nothing {};
    store.construct<std::tuple<char, nothing, int>>("unsure")('a', nothing(), 1);
  }
  EXPECT_EQ(values("some"), "5");
  EXPECT_EQ(values("none"), "nothing");
  EXPECT_EQ(values("text"), '"' + std::string(long_text) + '"');
  EXPECT_EQ(values("atomic"), "-3");
  EXPECT_EQ(values("row", 1), R"(["a" -7 [3 +99]])");
  object_extent row_extent = objects()["row"];
  EXPECT_TRUE(row_extent.is_all);
  EXPECT_GE(row_extent.bytes, sizeof(row) + 400);
  EXPECT_EQ(values("unsure").front(), '<');
}

TEST_F(listed_containers, follows_nothing_out_of_the_store) {
  const auto damage = [](void* object, std::size_t word, std::uint64_t with) {
    std::memcpy(static_cast<std::byte*>(object) + word * 8, &with, sizeof with);
  };
  for (const std::uint64_t with : {std::uint64_t{3}, std::uint64_t{0x0123456789abcdefU}, ~std::uint64_t{0}}) {
    std::filesystem::remove_all(path("s"));
    std::vector<std::string> readable;
    {
      perdure::pinned_manager store(perdure::create_only, at("s"));
      // One of each for each of its words, which is damaged.
      const auto add = [&]<class T>(const std::string& kind, std::type_identity<T>, auto&& fill) {
        for (std::size_t word = 1; word < sizeof(T) / 8; ++word) {
          const std::string name = kind + std::to_string(word);
          T& object = *store.construct<T>(name.c_str())(store.get_allocator<char>());
          fill(object);
          damage(&object, word, with);
          if (kind.starts_with("r ")) readable.push_back(name);
        }
      };
      const auto push = [](auto& c) {
        for (int i = 0; i < 500; ++i) c.push_back(i);
      };
      const auto emplace = [](auto& c) {
        for (int i = 0; i < 500; ++i) c.emplace(i, i);
      };
      add("r vector", std::type_identity<std::vector<int, pinned<int>>>(), push);
      add("r boost vector", std::type_identity<boost::container::vector<int, pinned<int>>>(), push);
      add("r string", std::type_identity<pinned_string>(), [](auto& c) { c = long_text; });
      add("r boost string",
          std::type_identity<boost::container::basic_string<char, std::char_traits<char>, pinned<char>>>(),
          [](auto& c) { c = long_text; });
      add("deque", std::type_identity<std::deque<int, pinned<int>>>(), push);
      add("boost deque", std::type_identity<perdure::deque<int, pinned<int>>>(), push);
      add("list", std::type_identity<std::list<int, pinned<int>>>(), push);
      add("map", std::type_identity<std::map<int, int, std::less<int>, pinned<pinned_pair>>>(), emplace);
      store.checkpoint();
      store.discard();
    }
    std::map<std::string, object_extent> found = objects();
    EXPECT_EQ(found.size(), 3u + 3 + 4 + 3 + 10 + 11 + 3 + 6);
    if (with != 3) {
      EXPECT_TRUE(found["r vector2"].is_damaged);
      EXPECT_TRUE(found["deque3"].is_damaged);
      EXPECT_TRUE(found["list3"].is_damaged);
      EXPECT_TRUE(found["map6"].is_damaged);
    }
    for (const std::string& name : readable) values(name, 3);
  }
}

}  // namespace
