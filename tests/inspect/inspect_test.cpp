// Tests of perdure::inspect with stores whose types it does not know.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <perdure/graph/csr.hpp>
#include <perdure/inspect/contents.hpp>
#include <perdure/inspect/differences.hpp>
#include <perdure/inspect/object_reader.hpp>
#include <perdure/inspect/raw_pointers.hpp>
#include <perdure/perdure.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "inspect/shown.hpp"
#include "support/errors.hpp"
#include "support/scratch_test.hpp"

namespace perdure {
namespace {

using test::shown;

/// A class with private members, which says what they are.
class account {
 public:
  account(std::string_view owner, std::int64_t cents) : owner_(owner), cents_(cents) {}
  static auto stored_form() {
    return stored_members(
        stored_member("owner", &account::owner_), stored_member("is_open", &account::is_open_),
        stored_member("cents", &account::cents_), stored_member("limits", &account::limits_));
  }

 private:
  string owner_;
  bool is_open_ = true;
  std::int64_t cents_;
  vector<short> limits_ = {1, 2};
};

/// A class that adds nothing to a container, and one that does.
struct names : vector<string> {
  using vector::vector;
};
struct named_names : vector<string> {
  int year = 0;
};

/// A class that is listed as its only member.
class wrapped {
 public:
  explicit wrapped(int number) : numbers_(3, number) {}
  static auto stored_form() { return stored_as(&wrapped::numbers_); }

 private:
  vector<int> numbers_;
};

/// A container of the program's own.
class ring {
 public:
  using value_type = std::pair<int, account>;
  ring(value_type* first, std::size_t count) : count_(count), first_(first), capacity_(count) {}
  static auto stored_form() { return stored_array(&ring::first_, &ring::count_, &ring::capacity_); }

 private:
  std::size_t count_;
  offset_ptr<value_type> first_;
  std::size_t capacity_;
};

class closed {
 public:
  explicit closed(int number) : number_(number) {}
  ~closed() { number_ = 0; }

 private:
  int number_;
};

struct pair_of_longs {
  std::int64_t first;
  std::int64_t second;
  vector<int> rest;
};

struct aligned {
  char a;
  alignas(2) char b;
  int c;
};
struct with_bits {
  unsigned low : 3;
  unsigned high : 29;
  vector<int> rest;
};

class inspected_store : public scratch_test {
 protected:
  std::string values(const manager& store, std::string_view name, std::uint64_t limit = 20) const {
    return shown(inspect::object_reader(store, inspect::object_called(store, name)).values(limit));
  }
  inspect::object_extent extent(const manager& store, std::string_view name) const {
    return inspect::object_reader(store, inspect::object_called(store, name)).extent();
  }
};

/// The form that the store has of an object's type, to be changed in memory.
struct recorded_form {
  recorded_form(const manager& store, const char* name)
      : text(inspect::object_called(store, name).form()), bytes(const_cast<char*>(text.data())) {}
  /// Replaces one text by another as long, everywhere.
  void replace(std::string_view what, std::string_view with) const {
    ASSERT_EQ(what.size(), with.size());
    ASSERT_NE(text.find(what), std::string_view::npos) << text;
    for (std::size_t at = text.find(what); at != std::string_view::npos;
         at = text.find(what, at + what.size()))
      std::memcpy(bytes + at, with.data(), with.size());
  }
  std::string_view text;
  char* bytes;
};

TEST_F(inspected_store, lists_classes_by_what_they_say_of_themselves) {
  {
    manager store(create_only, path());
    store.construct<account>("account")("Ada", 1234);
    auto& accounts = *store.construct<flat_map<int, vector<account>>>("accounts")();
    accounts[7].emplace_back("Grace, whose name does not fit in the string itself", -5);
    store.construct<names>("names")(std::size_t{2}, string("x"));
    store.construct<named_names>("named names")();
    store.construct<wrapped>("wrapped")(4);
    auto* const pairs = static_cast<ring::value_type*>(store.allocate(sizeof(ring::value_type)));
    new (pairs) ring::value_type(3, account("Edsger", 1));
    store.construct<ring>("ring")(pairs, 1U);
    store.construct<closed>("closed")(1);
    store.construct<aligned>("aligned")(aligned{'a', 'b', 3});
    store.construct<with_bits>("bits")();
  }
  const manager store(open_read_only, path());
  EXPECT_EQ(values(store, "account"), R"({owner="Ada" is_open=true cents=1234 limits=[1 2]})");
  EXPECT_EQ(values(store, "accounts"),
            R"({first=7 second=[{owner="Grace, whose name does not fit in the string itself" is_open=true )"
            R"(cents=-5 limits=[1 2]}]})");
  EXPECT_EQ(values(store, "names"), R"("x" "x")");
  EXPECT_EQ(values(store, "wrapped", 2), "4 4");
  EXPECT_EQ(extent(store, "wrapped").elements, 3U);
  EXPECT_EQ(values(store, "ring"), R"({first=3 second={owner="Edsger" is_open=true cents=1 limits=[1 2]}})");
  EXPECT_EQ(values(store, "aligned"), R"({a="a" b="b" c=3})");
  for (const char* const name : {"account", "accounts", "names", "wrapped", "ring", "aligned"})
    EXPECT_TRUE(extent(store, name).is_all) << name;
  EXPECT_GE(extent(store, "accounts").bytes, sizeof(account) + 60);
  for (const char* const name : {"closed", "named names", "bits"}) {
    EXPECT_EQ(values(store, name).front(), '<') << name;
    EXPECT_FALSE(extent(store, name).is_all) << name;
  }
}

TEST_F(inspected_store, is_read_by_the_form_that_it_has_recorded) {
  {
    manager store(create_only, path());
    store.construct<pair_of_longs>("pair")(pair_of_longs{1, 2, {}});
    store.construct<account>("account")("Ada", 5);
  }
  const manager store(open_copy_on_write, path());
  EXPECT_EQ(values(store, "pair"), "{first=1 second=2 rest=[]}");
  // As of a program whose members are in another order.
  const recorded_form pair(store, "pair");
  pair.replace("+ 1 0 8 8 1 - l .first", "+ 1 X 8 8 1 - l .first");
  pair.replace("+ 1 8 8 8 1 - l .second", "+ 1 0 8 8 1 - l .second");
  pair.replace("+ 1 X 8 8 1 - l .first", "+ 1 8 8 8 1 - l .first");
  EXPECT_EQ(values(store, "pair"), "{first=2 second=1 rest=[]}");
  // As of a later library that knows another kind of container.
  recorded_form(store, "account").replace(" string:", " thread:");
  EXPECT_EQ(values(store, "account").substr(0, 16), "{owner=<perdure:");
  EXPECT_FALSE(extent(store, "account").is_all);
}

TEST_F(inspected_store, of_an_older_library_is_read_as_far_as_names_of_types_tell) {
  {
    manager store(create_only, path());
    store.construct<vector<string>>("texts")(std::size_t{1},
                                             string("a text that is not in the string itself"));
    auto& table = *store.construct<flat_map<int, pair_of_longs>>("table")();
    table.try_emplace(1, pair_of_longs{1, 2, {5}});
    store.construct<account>("account")("Ada", 1);
  }
  const manager store(open_copy_on_write, path());
  for (const char* const name : {"texts", "table", "account"}) {
    // Nothing that a library without forms writes begins with a plus.
    const recorded_form form(store, name);
    std::replace(form.bytes, form.bytes + form.text.size(), '+', '-');
    EXPECT_EQ(inspect::object_called(store, name).form(), "");
  }
  EXPECT_EQ(values(store, "texts"), R"("a text that is not in the string itself")");
  EXPECT_EQ(values(store, "table"), "{first=1 second={first=1 second=2 rest=[5]}}");
  EXPECT_TRUE(extent(store, "table").is_all);
  EXPECT_EQ(values(store, "account"), "{owner=\"Ada\" is_open=true cents=1 limits=[1 2]}") << "by its layout";
  EXPECT_EQ((*store.find<vector<string>>("texts").first)[0], "a text that is not in the string itself");
  EXPECT_NE(store.find<account>("account").first, nullptr);
}

TEST_F(inspected_store, is_read_without_end_or_fault_whatever_form_it_has) {
  {
    manager store(create_only, path());
    auto& table = *store.construct<flat_map<int, account>>("table")();
    table.try_emplace(1, account("Ada", 1));
    store.construct<pair_of_longs>("pair")(pair_of_longs{1, 2, {3}});
  }
  const std::vector<std::pair<std::string_view, std::string_view>> changes{
      {"flat_table:0,16,24", "flat_table:0,99,24"},
      {"flat_table:0,16,24", "flat_table:0,16,  "},
      {"flat_table:0,16,24", "flat_table:16,0,24"},
      {"flat_table:", "array     :"},
      {"array:", "share:"},
      {"members ", "same    "},
      {" members ", " element "},
      {"+ 1 0 ", "+ 1 9 "},
      {"+ 2 ", "+ 9 "},
      {"+ 2 ", "+ 1 "},
      {" 8 ", " 0 "},
      {" 8 ", " 9 "}};
  for (const auto& [what, with] : changes) {
    const manager store(open_copy_on_write, path());
    for (const char* const name : {"table", "pair"}) {
      const recorded_form form(store, name);
      if (form.text.find(what) == std::string_view::npos) continue;
      form.replace(what, with);
      extent(store, name);
      values(store, name);
    }
  }
}

TEST_F(inspected_store, lists_a_graph_without_knowing_graphs) {
  {
    manager store(create_only, path());
    auto& csr = *store.construct<graph::stored_csr>("csr")();
    auto arrays = csr.empty_arrays();
    const auto fill = [](auto& array, std::size_t size, unsigned first) {
      array.remake(size);
      for (std::size_t i = 0; i < size; ++i)
        array.data()[i] = static_cast<std::remove_reference_t<decltype(array.data()[i])>>(first + i);
    };
    fill(arrays.offsets, 3, 1);
    fill(arrays.targets, 2, 10);
    fill(arrays.in_offsets, 3, 20);
    fill(arrays.in_targets, 2, 30);
    fill(arrays.ids, 2, 40);
    fill(arrays.by_id, 2, 50);
    fill(arrays.weights, 2, 60);
    arrays.self_loops = 7;
    arrays.kind = graph::direction::directed;
    csr.replace(std::move(arrays));
  }
  const manager store(open_read_only, path());
  EXPECT_EQ(
      values(store, "csr"),
      "{offsets=[1 2 3] targets=[10 11] in_offsets=[20 21 22] in_targets=[30 31] ids=[40 41] by_id=[50 51] "
      "weights=[60 61] self_loops=7 direction=" +
          std::to_string(static_cast<int>(graph::direction::directed)) + "}");
  EXPECT_TRUE(extent(store, "csr").is_all);
}

TEST_F(inspected_store, lists_its_objects_and_finds_them_by_name_or_type) {
  {
    manager store(create_only, path());
    store.construct<int>("numbers")[3](1);
    store.set_attribute("numbers", "unit", "m");
    store.construct<vector<int>>(unique_instance)(3, 9);
    for (int i = 0; i < 4; ++i) store.construct<int>(anonymous_instance)[2](i);
  }
  const manager store(open_read_only, path());
  const std::vector<inspect::listed_object> listed = inspect::objects_in(store);
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_EQ(listed[0].info.name(), "");
  EXPECT_EQ(listed[0].extent.elements, 3U);
  EXPECT_EQ(listed[1].info.name(), "numbers");
  EXPECT_EQ(listed[1].extent.bytes, 12U);
  const auto anonymous = inspect::anonymous_objects_in(store);
  ASSERT_EQ(anonymous.size(), 1U);
  EXPECT_EQ(anonymous[0].type, "int");
  EXPECT_EQ(anonymous[0].objects, 4U);
  EXPECT_EQ(anonymous[0].bytes, 32U);
  EXPECT_EQ(values(store, "perdure::vector<int>", 1), "9");
  EXPECT_EQ(values(store, typeid(vector<int>).name()), "9 9 9");
  EXPECT_TRUE(fails_with(errc::not_found, "no object named \"nothing\"",
                         [&] { inspect::object_called(store, "nothing"); }));
}

TEST_F(inspected_store, is_compared_with_a_copy_of_it) {
  {
    manager store(create_only, path());
    store.construct<account>("changed inside")("Ada, whose name does not fit in the string itself", 1);
    store.construct<account>("same")("Grace", 1);
    store.construct<closed>("closed")(1);
    store.construct<int>("gone")(1);
    store.construct<int>(anonymous_instance)(5);
  }
  manager::copy(path(), path("before"));
  {
    manager store(open_only, path());
    auto* const object = store.find<account>("changed inside").first;
    string& owner = reinterpret_cast<string&>(*object);
    owner[0] = 'E';
    store.destroy<int>("gone");
    store.construct<int>("new")(1);
  }
  const manager before(open_read_only, path("before"));
  const manager after(open_read_only, path());
  std::uint64_t compared = 0;
  const inspect::store_differences found =
      inspect::differences_between(before, after, [&compared](std::uint64_t bytes) { compared = bytes; });
  std::map<std::string, inspect::difference> objects;
  for (const auto& [what, object] : found.objects) objects[std::string(object.name())] = what;
  EXPECT_EQ(objects,
            (std::map<std::string, inspect::difference>{{"changed inside", inspect::difference::changed},
                                                        {"closed", inspect::difference::unsure},
                                                        {"gone", inspect::difference::removed},
                                                        {"new", inspect::difference::added}}));
  EXPECT_EQ(found.same_objects, 2U);
  EXPECT_GE(found.different_pages, 1U);
  EXPECT_EQ(compared, found.pages * 4096);
  EXPECT_EQ(inspect::differences_between(before, before).objects.size(), 0U);
  { manager other(create_only, path("other")); }
  const manager other(open_read_only, path("other"));
  EXPECT_TRUE(fails_with(errc::incompatible, "no copies of one store",
                         [&] { inspect::differences_between(before, other); }));
}

TEST_F(inspected_store, has_its_raw_pointers_found) {
  {
    manager store(create_only, path());
    const auto address = reinterpret_cast<std::uintptr_t>(store.construct<int>("target")(1));
    store.construct<std::uintptr_t>("pointer")(address);
  }
  const manager store(open_read_only, path());
  const inspect::pointer_report report = inspect::find_raw_pointers(store);
  ASSERT_EQ(report.found.size(), 1U);
  EXPECT_EQ(report.found[0].name, "pointer");
  EXPECT_EQ(report.found[0].kind, instance_kind::named);
  EXPECT_EQ(report.places, 1U);
  EXPECT_GE(report.bytes_read, 12U);
}

}  // namespace
}  // namespace perdure
