// JSON values in a store, and in ordinary memory.
#include <metall/container/experimental/json/json.hpp>
#include <metall/json/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include "compat/metall/metall_test.hpp"

namespace {

namespace mj = metall::json;
namespace bj = boost::json;
using stored_value = mj::value<metall::manager::allocator_type<std::byte>>;

const std::string document = R"({
  "pi": 3.125, "happy": true, "name": "Zoë", "nothing": null, "big": 18446744073709551615, "cold": -4,
  "a key too long for the object itself": {"everything": 42}, "list": [1, 0, 2, [], {}], "text": "a\"b\u0000c"
})";

template <class Value>
void check_document(const Value& v) {
  const auto& object = v.as_object();
  EXPECT_EQ(object.size(), 9U);
  EXPECT_EQ(object.at("pi").as_double(), 3.125);
  EXPECT_TRUE(object["happy"].as_bool());
  EXPECT_EQ(object.at("name").as_string(), "Zoë");
  EXPECT_TRUE(object.at("nothing").is_null());
  EXPECT_EQ(object.at("big").as_uint64(), 18446744073709551615U);
  EXPECT_EQ(object.at("cold").as_int64(), -4);
  EXPECT_EQ(object.at("a key too long for the object itself").as_object().at("everything"), 42);
  EXPECT_EQ(object.at("list").as_array()[2], 2);
  EXPECT_EQ(object.at("text").as_string().size(), 5U);
}

struct json_test : metall_test {};

TEST_F(json_test, AValueTakesWhatIsAssigned) {
  mj::value value;
  EXPECT_TRUE(value.is_null());
  const mj::value with_allocator(std::allocator<std::byte>{});
  EXPECT_TRUE(with_allocator.is_null());
  value = true;
  EXPECT_TRUE(value.is_bool() && value.as_bool());
  value = static_cast<signed char>(-1);
  EXPECT_EQ(value.as_int64(), -1);
  value = static_cast<short>(-2);
  value = -3;
  value = -4L;
  value = -5LL;
  EXPECT_TRUE(value.is_int64());
  EXPECT_EQ(value.as_int64(), -5);
  value = static_cast<unsigned char>(1);
  value = static_cast<unsigned short>(2);
  value = 3U;
  value = 4UL;
  value = 5ULL;
  EXPECT_TRUE(value.is_uint64());
  EXPECT_EQ(value.as_uint64(), 5U);
  value = 1.5;
  EXPECT_TRUE(value.is_double());
  value = std::string_view("first");
  EXPECT_EQ(value.as_string(), "first");
  value = "second";
  EXPECT_EQ(value.as_string(), "second");
  mj::value<>::string_type text("third");
  value = text;
  value = std::move(text);
  EXPECT_EQ(value.as_string(), "third");
  mj::array list;
  list.resize(2);
  list[1] = 2;
  value = list;
  value = std::move(list);
  EXPECT_EQ(value.as_array()[1], 2);
  mj::value<>::object_type object;
  object["key"] = 1.5;
  value = object;
  value = std::move(object);
  EXPECT_EQ(value.as_object()["key"].as_double(), 1.5);
  value = nullptr;
  EXPECT_TRUE(value.is_null());
  EXPECT_THROW(static_cast<void>(value.as_bool()), std::bad_variant_access);
}

TEST_F(json_test, EmplaceReplacesTheValue) {
  mj::value value;
  value.emplace_bool() = true;
  EXPECT_EQ(value, true);
  value.emplace_int64() = -1;
  EXPECT_EQ(value, -1);
  value.emplace_uint64() = 2;
  EXPECT_EQ(value, 2);
  value.emplace_double() = -1.5;
  EXPECT_EQ(value, -1.5);
  value.emplace_string() = "text";
  EXPECT_EQ(value, "text");
  value.emplace_array().push_back(value);
  EXPECT_TRUE(value.is_array());
  value.emplace_object()["x"] = 1;
  EXPECT_TRUE(value.is_object());
  value.emplace_null();
  EXPECT_TRUE(value.is_null());
}

TEST_F(json_test, ParseReadsADocumentOrGivesNull) {
  check_document(mj::parse(document));
  testing::internal::CaptureStderr();
  EXPECT_TRUE(mj::parse("{\"a\":").is_null());
  EXPECT_NE(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(mj::parse(std::string_view("12345", 2)), 12);
}

TEST_F(json_test, LivesInAStore) {
  {
    metall::manager manager(metall::create_only, path());
    auto* const value = manager.construct<stored_value>(metall::unique_instance)(
        mj::parse(document, manager.get_allocator()));
    check_document(*value);
  }
  {
    metall::manager manager(metall::open_only, path());
    stored_value& value = *manager.find<stored_value>(metall::unique_instance).first;
    check_document(value);
    const stored_value copy(value);
    EXPECT_EQ(copy, value);
    value.as_object()["name"].as_string() = "Alice";
    value.as_object()["added"] = 25.5;
    value.as_object().erase("pi");
    EXPECT_NE(copy, value);
    value = value.as_object()["list"];  // a part of itself
    EXPECT_EQ(value.as_array().size(), 5U);
    value = std::move(value.as_array()[3]);
    EXPECT_EQ(value.as_array().size(), 0U);
  }
  metall::manager manager(metall::open_only, path());
  EXPECT_TRUE(manager.destroy<stored_value>(metall::unique_instance));
  EXPECT_TRUE(manager.all_memory_deallocated());
}

TEST_F(json_test, AssignmentFromAnotherStoreCopies) {
  {
    metall::manager from(metall::create_only, path("from"));
    metall::manager to(metall::create_only, path("to"));
    auto source = mj::parse(document, from.get_allocator());
    *to.construct<stored_value>("assigned")(to.get_allocator()) = source;
    to.construct<stored_value>("constructed")(source, to.get_allocator());
    *to.construct<stored_value>("moved")(to.get_allocator()) = std::move(source);
    EXPECT_TRUE(source.is_null());
    EXPECT_TRUE(from.all_memory_deallocated());
  }
  EXPECT_TRUE(metall::manager::remove(path("from")));
  const metall::manager to(metall::open_read_only, path("to"));
  for (const char* const name : {"assigned", "constructed", "moved"})
    check_document(*to.find<stored_value>(name).first);
}

TEST_F(json_test, EqualDocumentsCompareEqual) {
  const mj::value one = mj::parse(document);
  mj::value two = mj::parse(document);
  EXPECT_EQ(one, two);
  EXPECT_EQ(one, bj::parse(document));
  EXPECT_EQ(bj::parse(document), one);
  two.as_object()["name"] = "Bob";
  EXPECT_NE(one, two);
  EXPECT_NE(two, bj::parse(document));
  EXPECT_EQ(mj::parse(R"({"a":1,"b":2})"), mj::parse(R"({"b":2,"a":1})"));
  EXPECT_NE(mj::parse(R"({"a":1})"), mj::parse(R"({"b":1})"));
  EXPECT_NE(mj::parse("[1,2]"), mj::parse("[1,2,3]"));

  mj::value value;
  value = 10U;
  EXPECT_TRUE(value == 10 && value == 10U && value != -10 && value != 10.0 && value != true && value != "10");
  value = -10;
  EXPECT_TRUE(value == -10 && value != 10U && value != 18446744073709551606U);
  value = 10.0;
  EXPECT_TRUE(value == 10.0 && value != 10);
  value = true;
  EXPECT_TRUE(value == true && value != 1);
  value = 7;
  mj::value same;
  same = 7U;
  EXPECT_EQ(value, same);
  EXPECT_EQ(one.as_object().at("list").as_array(), bj::parse("[1,0,2,[],{}]").as_array());
  EXPECT_EQ(one.as_object(), bj::parse(document).as_object());
  EXPECT_EQ(*one.as_object().find("cold"), *bj::parse(document).as_object().find("cold"));
  EXPECT_TRUE(mj::operator==(one.as_object().at("name").as_string(), bj::string("Zoë")));
}

TEST_F(json_test, AnArrayGrowsAndShrinks) {
  mj::array<> list;
  EXPECT_EQ(list.size(), 0U);
  list.resize(2);
  EXPECT_TRUE(list[1].is_null());
  mj::value value;
  value = 3;
  list.push_back(value);
  list.push_back(std::move(value));
  EXPECT_GE(list.capacity(), list.size());
  list.erase(list.begin());
  EXPECT_EQ(list.size(), 3U);
  const mj::array<> copy(list);
  EXPECT_EQ(copy, list);
  mj::array<> other;
  swap(other, list);
  EXPECT_TRUE(list == mj::array<>() && other == copy);
  int nulls = 0;
  for (const auto& element : copy) nulls += element.is_null() ? 1 : 0;
  EXPECT_EQ(nulls, 1);
  other.clear();
  EXPECT_EQ(other.begin(), other.end());
  EXPECT_THROW(other.at(0), std::out_of_range);
}

TEST_F(json_test, AnObjectFindsItsKeys) {
  mj::object<> object;
  object["a"] = 1;
  object["a key too long for the pair itself"] = 2;
  EXPECT_TRUE(object.contains("a"));
  EXPECT_EQ(object.count("b"), 0U);
  EXPECT_EQ(object.find("b"), object.end());
  EXPECT_EQ(object.find("a")->key(), "a");
  EXPECT_STREQ(object.begin()->key_c_str(), "a");
  EXPECT_EQ(object.begin()->value(), 1);
  EXPECT_THROW(object.at("b"), std::out_of_range);
  EXPECT_THROW(std::as_const(object)["b"], std::out_of_range);
  const mj::object<> copy(object);
  const auto behind_a = object.erase("a");
  EXPECT_EQ(behind_a, object.begin());
  object.erase("not there");
  const auto behind_all = object.erase(object.begin());
  EXPECT_EQ(behind_all, object.end());
  EXPECT_EQ(object.size(), 0U);
  swap(object, object);
  EXPECT_EQ(copy.size(), 2U);
  mj::key_value_pair<char, std::char_traits<char>, std::allocator<std::byte>> pair("key", copy.at("a"));
  auto moved = std::move(pair);
  EXPECT_EQ(moved.key(), "key");
  EXPECT_EQ(moved.value(), 1);
}

TEST_F(json_test, SerializeWritesWhatWasParsed) {
  const mj::value value = mj::parse(R"({"a":[1,-2,"x\ny",null,true],"b":{}})");
  const std::string text = R"({"a":[1,-2,"x\ny",null,true],"b":{}})";
  EXPECT_EQ(mj::serialize(value), text);
  EXPECT_EQ(mj::serialize(value.as_object()), text);
  EXPECT_EQ(mj::serialize(value.as_object().at("a").as_array()), R"([1,-2,"x\ny",null,true])");
  EXPECT_EQ(mj::serialize(value.as_object().at("a").as_array()[2].as_string()), "x\ny");
  std::ostringstream out;
  out << value << value.as_object().at("a").as_array() << value.as_object().at("b").as_object();
  EXPECT_EQ(out.str(), text + R"([1,-2,"x\ny",null,true]{})");
  EXPECT_EQ(mj::parse(mj::serialize(mj::parse(document))), mj::parse(document));
}

TEST_F(json_test, PrettyPrintIndents) {
  std::ostringstream out;
  mj::pretty_print(out, mj::parse(R"({"a":[1,2.5,[]],"b":{"c":"x"},"d":{}})"));
  EXPECT_EQ(out.str(),
            "{\n  \"a\" : [\n    1,\n    2.5,\n    []\n  ],\n  \"b\" : {\n    \"c\" : \"x\"\n  },\n  \"d\" : "
            "{}\n}\n");
  std::ostringstream wide;
  mj::pretty_print<std::allocator<std::byte>, 4>(wide, mj::parse("[0.1]"));
  EXPECT_EQ(wide.str(), "[\n    0.1\n]\n");
  std::ostringstream again;
  mj::pretty_print(again, mj::parse(document));
  EXPECT_EQ(mj::parse(again.str()), mj::parse(document));
}

TEST_F(json_test, ValuesConvertToAndFromBoosts) {
  const bj::value boosted = bj::parse(document);
  check_document(mj::value_from(boosted));
  check_document(mj::value_from(bj::value(boosted)));
  EXPECT_EQ(mj::value_to<bj::value>(mj::value_from(boosted)), boosted);
  EXPECT_EQ(mj::value_from(42), 42);
  EXPECT_EQ(mj::value_to<int>(mj::parse("42")), 42);
  EXPECT_EQ(mj::value_to<std::string>(mj::parse("\"text\"")), "text");
}

TEST_F(json_test, TheOldNamespaceNamesTheSameTypes) {
  static_assert(std::is_same_v<metall::container::experimental::json::value<>, mj::value<>>);
}

}  // namespace
