// What one process stores, the next one finds.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "perdure/perdure.hpp"
#include "support/child_process.hpp"
#include "support/errors.hpp"
#include "support/scratch_directory.hpp"

namespace perdure {
namespace {

struct record {
  int id;
  double weight;
  offset_ptr<record> next;
};

TEST(reattach, AnotherProcessFindsEverything) {
  const scratch_directory scratch;
  using index = flat_map<string, vector<int>>;
  ASSERT_TRUE(in_another_process([&] {
    manager store(create_only, scratch.path());
    auto* const words = store.construct<index>("index")();
    for (int i = 0; i < 1000; ++i) {
      const std::string word =
          std::to_string(i % 100) + " is a word that is too long for the string's own room";
      words->try_emplace(string(word, store.get_allocator<char>())).first->second.push_back(i);
    }
    record* const records = store.construct<record>("records")[100]();
    for (int i = 0; i < 100; ++i) records[i] = {i, i / 2.0, &records[(i + 1) % 100]};
    store.construct<int>(unique_instance)(5);
    record* const nameless = store.construct<record>(anonymous_instance)(record{-1, 0, nullptr});
    *store.construct<offset_ptr<record>>("to the nameless one")() = nameless;
    store.set_attribute("records", "unit", "kg");
    store.set_attribute(nameless, "note", "anonymous");
    store.close();
    return 0;
  }));
  manager store(open_only, scratch.path());
  EXPECT_TRUE(store.check().empty());
  EXPECT_EQ(store.get_num_named_objects(), 3U);
  EXPECT_EQ(store.get_num_unique_objects(), 1U);
  EXPECT_EQ(store.get_num_anonymous_objects(), 1U);
  const auto* const words = store.find<index>("index").first;
  ASSERT_NE(words, nullptr);
  EXPECT_EQ(words->size(), 100U);
  const auto found = words->find(std::string_view("42 is a word that is too long for the string's own room"));
  ASSERT_NE(found, words->end());
  EXPECT_EQ(std::vector<int>(found->second.begin(), found->second.end()),
            (std::vector<int>{42, 142, 242, 342, 442, 542, 642, 742, 842, 942}));
  const auto [records, length] = store.find<record>("records");
  ASSERT_EQ(length, 100U);
  int sum = 0;
  const record* at = records;
  for (int i = 0; i < 100; ++i, at = at->next.get()) sum += at->id;
  EXPECT_EQ(sum, 4950);
  EXPECT_EQ(at, records);
  EXPECT_EQ(*store.find<int>(unique_instance).first, 5);
  record* const nameless = store.find<offset_ptr<record>>("to the nameless one").first->get();
  EXPECT_EQ(nameless->id, -1);
  EXPECT_EQ(store.get_instance_kind(nameless), instance_kind::anonymous);
  EXPECT_EQ(store.attribute(nameless, "note"), "anonymous");
  EXPECT_EQ(store.attribute("records", "unit"), "kg");
  EXPECT_EQ(code_of([&] { store.find<float>("records"); }), errc::wrong_type);
}

TEST(reattach, WhatWasNotCheckpointedIsLostAndNothingElse) {
  const scratch_directory scratch;
  ASSERT_TRUE(in_another_process([&]() -> int {
    manager store(create_only, scratch.path());
    store.construct<int>("kept")(1);
    store.construct<int>("kept too")(2);
    store.checkpoint();
    store.destroy<int>("kept");
    *store.find<int>("kept too").first = 3;
    for (int i = 0; i < 1000; ++i) store.construct<int>(std::to_string(i))(i);
    ::_exit(0);  // without closing
  }));
  manager store(open_only, scratch.path());
  EXPECT_EQ(store.get_num_named_objects(), 2U);
  EXPECT_EQ(*store.find<int>("kept").first, 1);
  EXPECT_EQ(*store.find<int>("kept too").first, 2);
  EXPECT_TRUE(store.check().empty());
}

TEST(reattach, AgreesWithAModelOverManyRuns) {
  const scratch_directory scratch;
  std::map<std::string, std::vector<int>> model;
  std::mt19937 random(11);
  for (int run = 0; run < 12; ++run) {
    manager store(open_or_create, scratch.path());
    ASSERT_TRUE(store.check().empty());
    ASSERT_EQ(store.get_num_named_objects(), model.size());
    for (const auto& [name, values] : model) {
      const auto* const stored = store.find<vector<int>>(name).first;
      ASSERT_NE(stored, nullptr);
      ASSERT_TRUE(std::equal(stored->begin(), stored->end(), values.begin(), values.end()));
    }
    for (const object_info& info : store.named_objects())
      ASSERT_TRUE(model.contains(std::string(info.name())));
    for (int step = 0; step < 500; ++step) {
      const std::string name = std::to_string(random() % 200);
      if (random() % 4 == 0) {
        ASSERT_EQ(store.destroy<vector<int>>(name), model.erase(name) != 0);
      } else {
        const int value = static_cast<int>(random());
        store.find_or_construct<vector<int>>(name)()->push_back(value);
        model[name].push_back(value);
      }
      if (random() % 200 == 0) store.checkpoint();
    }
    store.close();
  }
}

TEST(reattach, EmptiedStoresKeepWorking) {
  const scratch_directory scratch;
  { manager store(create_only, scratch.path()); }
  for (int run = 0; run < 5; ++run) {
    manager store(open_only, scratch.path());
    char* const big = store.construct<char>("big")[20 << 20](static_cast<char>(run));
    store.checkpoint();
    EXPECT_EQ(big[(20 << 20) - 1], static_cast<char>(run));
    EXPECT_TRUE(store.destroy<char>("big"));
    store.checkpoint();
    EXPECT_TRUE(store.check().empty());
  }
}

}  // namespace
}  // namespace perdure
