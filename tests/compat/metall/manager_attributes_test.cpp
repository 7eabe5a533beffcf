// What a manager tells of its objects, and the accessors that tell it of a store that is closed.
#include <map>
#include <string>
#include <typeinfo>

#include "compat/metall/metall_test.hpp"

namespace {

using kind = metall::manager::instance_kind;

struct attributes_test : metall_test {
  attributes_test() {
    metall::manager manager(metall::create_only, path());
    int* const named = manager.construct<int>("named")(1);
    manager.construct<float>(metall::unique_instance)[2]();
    double* const anonymous = manager.construct<double>(metall::anonymous_instance)[3]();
    manager.construct<metall::offset_ptr<double>>("to anonymous")(anonymous);
    EXPECT_TRUE(manager.set_instance_description(named, "a number"));
    EXPECT_TRUE(manager.set_instance_description(anonymous, "some numbers"));
  }
};

TEST_F(attributes_test, NamedObjectsTellTheirAttributes) {
  metall::manager manager(metall::open_read_only, path());
  const int* const object = manager.find<int>("named").first;
  EXPECT_STREQ(manager.get_instance_name(object), "named");
  EXPECT_EQ(manager.get_instance_kind(object), kind::named_kind);
  EXPECT_EQ(manager.get_instance_length(object), 1U);
  EXPECT_TRUE(manager.is_instance_type<int>(object));
  EXPECT_FALSE(manager.is_instance_type<unsigned>(object));
  std::string text;
  EXPECT_TRUE(manager.get_instance_description(object, &text));
  EXPECT_EQ(text, "a number");
  EXPECT_FALSE(manager.set_instance_description(object, "the store is open for reading"));
}

TEST_F(attributes_test, UniqueObjectsTellTheirAttributes) {
  metall::manager manager(metall::open_only, path());
  const float* const object = manager.find<float>(metall::unique_instance).first;
  EXPECT_STREQ(manager.get_instance_name(object), typeid(float).name());
  EXPECT_EQ(manager.get_instance_name(object), manager.get_instance_name(object));
  EXPECT_EQ(manager.get_instance_kind(object), kind::unique_kind);
  EXPECT_EQ(manager.get_instance_length(object), 2U);
  std::string text = "to be overwritten";
  EXPECT_TRUE(manager.get_instance_description(object, &text));
  EXPECT_EQ(text, "");
}

TEST_F(attributes_test, AnonymousObjectsTellTheirAttributes) {
  metall::manager manager(metall::open_only, path());
  double* const object = manager.find<metall::offset_ptr<double>>("to anonymous").first->get();
  EXPECT_EQ(manager.get_instance_name(object), nullptr);
  EXPECT_EQ(manager.get_instance_kind(object), kind::anonymous_kind);
  EXPECT_EQ(manager.get_instance_length(object), 3U);
  EXPECT_TRUE(manager.is_instance_type<double>(object));
  EXPECT_TRUE(manager.destroy_ptr(object));
}

TEST_F(attributes_test, ForeignAddressesHaveNoAttributes) {
  metall::manager manager(metall::open_only, path());
  const int local = 0;
  const char* const block = static_cast<const char*>(manager.allocate(64));
  EXPECT_EQ(manager.get_instance_name(&local), nullptr);
  EXPECT_EQ(manager.get_instance_name(block), nullptr);
  EXPECT_EQ(manager.get_instance_length(block), 0U);
  EXPECT_FALSE(manager.is_instance_type<char>(block));
  EXPECT_FALSE(manager.is_instance_type<char>(nullptr));
  std::string text;
  EXPECT_FALSE(manager.get_instance_description(&local, &text));
  EXPECT_FALSE(manager.set_instance_description(block, "no object"));
  EXPECT_FALSE(manager.get_instance_description<int>(nullptr, &text));
}

TEST_F(attributes_test, IterationMeetsAllObjectsOfAKind) {
  metall::manager manager(metall::open_only, path());
  EXPECT_EQ(manager.get_num_named_objects(), 2U);
  EXPECT_EQ(manager.get_num_unique_objects(), 1U);
  EXPECT_EQ(manager.get_num_anonymous_objects(), 1U);
  std::map<std::string, std::size_t> seen;
  for (auto it = manager.named_begin(); it != manager.named_end(); ++it) seen[it->name()] = it->length();
  EXPECT_EQ(seen, (std::map<std::string, std::size_t>{{"named", 1}, {"to anonymous", 1}}));

  metall::manager::const_unique_iterator unique = manager.unique_begin();
  EXPECT_EQ(unique->name(), typeid(float).name());
  EXPECT_EQ(unique->type_id(), typeid(float).hash_code());
  EXPECT_TRUE(unique->is_type<float>());
  EXPECT_FALSE(unique->is_type<int>());
  EXPECT_EQ(unique->length(), 2U);
  EXPECT_EQ(unique++->description(), "");
  EXPECT_EQ(unique, manager.unique_end());

  EXPECT_EQ(manager.anonymous_begin()->name(), "");
  EXPECT_EQ(manager.anonymous_begin()->description(), "some numbers");
  EXPECT_TRUE(manager.destroy<int>("named"));
  EXPECT_EQ(manager.named_begin()->name(), "to anonymous");
  manager.construct<int>("one more")();
  EXPECT_EQ(std::distance(manager.named_begin(), manager.named_end()), 2);
}

TEST_F(attributes_test, TheAccessorOfNamedObjectsReadsAndDescribes) {
  auto objects = metall::manager::access_named_object_attribute(path());
  ASSERT_TRUE(objects.good());
  EXPECT_EQ(objects.num_objects(), 2U);
  EXPECT_EQ(objects.count("named"), 1U);
  EXPECT_EQ(objects.count("nobody"), 0U);
  EXPECT_EQ(objects.find("nobody"), objects.end());
  metall::manager::const_named_iterator found = objects.find("named");
  ASSERT_NE(found, objects.end());
  EXPECT_EQ(found->description(), "a number");
  EXPECT_TRUE(objects.set_description("named", "another text"));
  EXPECT_TRUE(objects.set_description(objects.find("to anonymous"), "a pointer"));
  EXPECT_FALSE(objects.set_description("nobody", "text"));
  EXPECT_FALSE(objects.set_description(objects.end(), "text"));
  EXPECT_EQ(objects.find("named")->description(), "another text");

  metall::manager manager(metall::open_only, path());
  std::string text;
  EXPECT_TRUE(manager.get_instance_description(manager.find<int>("named").first, &text));
  EXPECT_EQ(text, "another text");
}

TEST_F(attributes_test, TheAccessorOfUniqueObjectsReadsAndDescribes) {
  auto objects = metall::manager::access_unique_object_attribute(path());
  EXPECT_EQ(objects.num_objects(), 1U);
  EXPECT_EQ(objects.count(typeid(float).name()), 1U);
  EXPECT_EQ(objects.count<float>(metall::unique_instance), 1U);
  EXPECT_EQ(objects.count<int>(metall::unique_instance), 0U);
  EXPECT_EQ(objects.find<float>(metall::unique_instance), objects.find(typeid(float).name()));
  EXPECT_TRUE(objects.set_description<float>(metall::unique_instance, "first"));
  EXPECT_TRUE(objects.set_description(typeid(float).name(), "second"));
  EXPECT_TRUE(objects.set_description(objects.begin(), "third"));
  EXPECT_EQ(metall::manager::access_unique_object_attribute(path()).begin()->description(), "third");
}

TEST_F(attributes_test, TheAccessorOfAnonymousObjectsReadsAndDescribes) {
  auto objects = metall::manager::access_anonymous_object_attribute(path());
  EXPECT_EQ(objects.num_objects(), 1U);
  EXPECT_TRUE(objects.set_description(objects.begin(), "changed"));
  const auto copy = objects;
  EXPECT_EQ(copy.begin()->description(), "changed");
  for (const auto& object : objects) EXPECT_EQ(object.length(), 3U);
}

TEST_F(attributes_test, AccessorsOfNoStoreAreNotGood) {
  EXPECT_FALSE(metall::manager::access_named_object_attribute(path("nowhere")).good());
  EXPECT_EQ(metall::manager::access_unique_object_attribute(path("nowhere")).num_objects(), 0U);
  auto objects = metall::manager::access_anonymous_object_attribute(path("nowhere"));
  EXPECT_EQ(objects.begin(), objects.end());
  EXPECT_FALSE(objects.set_description(objects.begin(), "text"));
}

TEST_F(attributes_test, AccessorsReadAStoreThatIsOpen) {
  metall::manager manager(metall::open_only, path());
  manager.construct<int>("new")();
  auto objects = metall::manager::access_named_object_attribute(path());
  EXPECT_EQ(objects.num_objects(), 3U);
  EXPECT_TRUE(objects.set_description("new", "text"));
  std::string text;
  EXPECT_TRUE(manager.get_instance_description(manager.find<int>("new").first, &text));
  EXPECT_EQ(text, "text");
}

}  // namespace
