// The directory itself, on a volatile segment: against a plain model, and against damage.
#include "manager/name_directory.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>

#include "manager/attribute_list.hpp"
#include "manager/name_hash.hpp"
#include "support/tested_segment.hpp"

namespace perdure::detail {
namespace {

struct directory_on_a_heap {
  std::unique_ptr<segment> bytes = tested::make_segment(std::size_t{1} << 30);
  std::unique_ptr<heap> memory = heap::format(*bytes);
  std::unique_ptr<name_directory> directory;

  directory_on_a_heap() {
    name_directory::format(*memory);
    reopen();
  }
  void reopen() { directory = std::make_unique<name_directory>(checked_memory(*memory, *bytes, "test")); }

  void* add(instance_kind kind, const std::string& key, std::uint64_t length = 1) {
    const type_stamp& type = type_stamp_of<long>();
    directory->reserve(1);
    void* const object = directory->allocate_object(
        kind, name_directory::key_hash(kind, key), kind == instance_kind::named ? key : std::string{},
        directory->intern(type), type.size, type.alignment, length);
    directory->insert(object);
    return object;
  }
  void* find(const std::string& key) const {
    return directory->find(instance_kind::named, name_directory::key_hash(instance_kind::named, key), key);
  }
  void remove(void* object) {
    directory->erase(object);
    directory->free_object(object);
  }
  directory_root& root() { return *static_cast<directory_root*>(memory->at(memory->root())); }
};

errc code_of_attach(directory_on_a_heap& d) {
  try {
    d.reopen();
  } catch (const error& failure) {
    return failure.code();
  }
  return errc::ok;
}

TEST(NameHash, IsPartOfTheFormat) {
  // These values are in stores: they must never change.
  EXPECT_EQ(name_hash("", 0), name_hash("", 0));
  EXPECT_NE(name_hash("", 0), name_hash("", 1));
  EXPECT_NE(name_hash(std::string_view("\0", 1), 0), name_hash("", 0));
  EXPECT_NE(name_hash(std::string_view("a\0", 2), 0), name_hash("a", 0));
  EXPECT_EQ(name_hash("perdure", 7), 0x29fd38b49e74ee8c);
  EXPECT_EQ(name_hash("a name longer than one word", 1), 0xe7cf29ffb191154);
}

TEST(NameHash, SpreadsNumberedNames) {
  std::set<std::uint64_t> low, tags;
  constexpr int names = 20000;
  for (int i = 0; i < names; ++i) {
    const std::uint64_t h = name_hash("object " + std::to_string(i), 3);
    low.insert(h & 0xffff);
    tags.insert(h >> slot_tag_shift);
  }
  // Thrown at random, 20000 names hit 17241 of 65536 values and 19262 of 262144.
  EXPECT_GT(low.size(), 17000U);
  EXPECT_LT(low.size(), 17500U);
  EXPECT_GT(tags.size(), 19000U);
}

TEST(NameDirectory, AgreesWithAModel) {
  directory_on_a_heap d;
  std::map<std::string, void*> named;
  std::set<void*> anonymous;
  std::mt19937_64 random(1);
  for (int step = 0; step < 60000; ++step) {
    const std::string name = std::to_string(random() % 3000);
    switch (random() % 8) {
      case 0:
      case 1:
      case 2:
        if (!named.contains(name)) named[name] = d.add(instance_kind::named, name, random() % 4);
        break;
      case 3:
      case 4:
        if (const auto it = named.find(name); it != named.end()) {
          d.remove(it->second);
          named.erase(it);
        }
        break;
      case 5:
        anonymous.insert(d.add(instance_kind::anonymous, ""));
        break;
      case 6:
        if (!anonymous.empty()) {
          d.remove(*anonymous.begin());
          anonymous.erase(anonymous.begin());
        }
        break;
      default: {
        const auto it = named.find(name);
        ASSERT_EQ(d.find(name), it == named.end() ? nullptr : it->second);
        if (it != named.end()) {
          ASSERT_TRUE(d.directory->contains(it->second));
          ASSERT_EQ(d.directory->describe(it->second).name(), name);
        }
      }
    }
    if (step % 10000 == 0) {
      d.reopen();
      ASSERT_TRUE(d.directory->check().empty()) << d.directory->check().front();
    }
  }
  EXPECT_EQ(d.directory->count(instance_kind::named), named.size());
  EXPECT_EQ(d.directory->count(instance_kind::anonymous), anonymous.size());
  std::set<std::string> seen;
  for (const object_info& info : d.directory->objects(instance_kind::named)) {
    EXPECT_EQ(named.at(std::string(info.name())), info.value());
    EXPECT_TRUE(seen.insert(std::string(info.name())).second);
  }
  EXPECT_EQ(seen.size(), named.size());
  std::set<void*> seen_anonymous;
  for (const object_info& info : d.directory->objects(instance_kind::anonymous))
    seen_anonymous.insert(info.value());
  EXPECT_EQ(seen_anonymous, anonymous);
  for (const auto& [name, object] : named) d.remove(object);
  for (void* object : anonymous) d.remove(object);
  d.memory->flush_caches();
  EXPECT_TRUE(d.memory->check().empty());
  // What is left: the root, the table, and the one type.
  EXPECT_EQ(d.memory->stats().blocks, 3U);
}

TEST(NameDirectory, ObjectsAreAlignedAsAsked) {
  directory_on_a_heap d;
  const type_stamp& type = type_stamp_of<char>();
  for (std::size_t alignment = 1; alignment <= (std::size_t{2} << 20); alignment *= 2) {
    d.directory->reserve(1);
    const std::string name = "aligned to " + std::to_string(alignment);
    void* const object = d.directory->allocate_object(instance_kind::named,
                                                      name_directory::key_hash(instance_kind::named, name),
                                                      name, d.directory->intern(type), 1, alignment, 100);
    d.directory->insert(object);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(object) % alignment, 0U);
    std::memset(object, 0xff, 100);
    EXPECT_EQ(d.find(name), object);
  }
  EXPECT_TRUE(d.directory->check().empty());
}

TEST(NameDirectory, OtherAddressesAreNoObjects) {
  directory_on_a_heap d;
  auto* const object = static_cast<char*>(d.add(instance_kind::named, "x", 100));
  EXPECT_TRUE(d.directory->contains(object));
  for (int distance : {1, 8, 16, 64, -16, -48}) EXPECT_FALSE(d.directory->contains(object + distance));
  int outside = 0;
  EXPECT_FALSE(d.directory->contains(&outside));
  EXPECT_FALSE(d.directory->contains(nullptr));
  EXPECT_FALSE(d.directory->contains(d.memory->base()));
  EXPECT_FALSE(d.directory->contains(d.memory->base() + d.bytes->size()));
  // A copy of a whole object, record and all, is no object either.
  auto* const copy = static_cast<char*>(d.memory->allocate(200));
  std::memcpy(copy, object - 64, 200);
  EXPECT_FALSE(d.directory->contains(copy + 64));
  d.directory->erase(object);
  EXPECT_FALSE(d.directory->contains(object));
}

TEST(NameDirectory, RecordsAreLean) {
  directory_on_a_heap d;
  constexpr std::size_t objects = 100000;
  d.memory->flush_caches();
  const std::size_t before = d.memory->stats().used_bytes;
  std::size_t names = 0;
  for (std::size_t i = 0; i < objects; ++i) {
    const std::string name = "object " + std::to_string(1000000 + i);
    names += name.size();
    d.add(instance_kind::named, name);
  }
  d.memory->flush_caches();
  const double each = static_cast<double>(d.memory->stats().used_bytes - before - names) / objects;
  EXPECT_LE(each - sizeof(long), 72);  // record, slot, and rounding to the heap's size classes
}

TEST(NameDirectory, DamageIsReportedNotFollowed) {
  struct damage {
    const char* what;
    void (*inflict)(directory_on_a_heap&);
    errc expected;
  };
  const damage damages[] = {
      {"no magic", [](directory_on_a_heap& d) { d.root().magic = 1; }, errc::incompatible},
      {"a later version", [](directory_on_a_heap& d) { ++d.root().version; }, errc::too_new},
      {"no bits", [](directory_on_a_heap& d) { d.root().table_bits = 0; }, errc::damaged},
      {"a huge table", [](directory_on_a_heap& d) { d.root().table_bits = 60; }, errc::damaged},
      {"a table beyond the end", [](directory_on_a_heap& d) { d.root().table_bits = 30; }, errc::damaged},
      {"a wild table", [](directory_on_a_heap& d) { d.root().table = ~std::uint64_t{7}; }, errc::damaged},
      {"an unaligned table", [](directory_on_a_heap& d) { ++d.root().table; }, errc::damaged},
      {"a count too high", [](directory_on_a_heap& d) { d.root().counts[1] = 1000; }, errc::damaged},
      {"counts that overflow", [](directory_on_a_heap& d) { d.root().counts[0] = ~std::uint64_t{0}; },
       errc::damaged},
      {"types without a list", [](directory_on_a_heap& d) { d.root().types = 0; }, errc::damaged},
      {"absurdly many types", [](directory_on_a_heap& d) { d.root().type_count = ~std::uint64_t{0}; },
       errc::damaged},
      {"a wild root", [](directory_on_a_heap& d) { d.memory->set_root(d.bytes->size() - 64); },
       errc::damaged},
      {"an unaligned root", [](directory_on_a_heap& d) { d.memory->set_root(d.memory->root() + 4); },
       errc::damaged},
  };
  for (const damage& one : damages) {
    directory_on_a_heap d;
    d.add(instance_kind::named, "x");
    one.inflict(d);
    EXPECT_EQ(code_of_attach(d), one.expected) << one.what;
  }
}

TEST(NameDirectory, DamagedRecordsAreReportedNotFollowed) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 3000; ++round) {
    directory_on_a_heap d;
    auto* const object = static_cast<std::byte*>(d.add(instance_kind::named, "x", 3));
    d.add(instance_kind::named, "y");
    auto& record = d.directory->record_of(object);
    set_attribute(d.directory->memory(), record.attributes, "key", "value");
    // One random byte of the record, the table, the type or the attribute.
    std::byte* victim = nullptr;
    switch (round % 4) {
      case 0:
        victim = object - sizeof(object_record) + random() % sizeof(object_record);
        break;
      case 1:
        victim =
            static_cast<std::byte*>(d.memory->at(d.root().table)) + random() % (64 * sizeof(directory_slot));
        break;
      case 2:
        victim = static_cast<std::byte*>(d.memory->at(record.type)) + random() % sizeof(type_record);
        break;
      default:
        victim =
            static_cast<std::byte*>(d.memory->at(record.attributes)) + random() % sizeof(attribute_record);
    }
    *victim ^= static_cast<std::byte>(1 + random() % 255);
    try {
      d.reopen();
      (void)d.directory->check();
      if (void* const found = d.find("x"); found != nullptr) {
        (void)d.directory->describe(found);
        d.remove(found);
      }
      for (const object_info& info : d.directory->objects(instance_kind::named)) (void)info.attributes();
    } catch (const error& failure) {
      ASSERT_EQ(failure.code(), errc::damaged) << failure.what();
    }
  }
}

TEST(NameDirectory, AttributesThatAreTooLongOrGoInACircleAreDamage) {
  directory_on_a_heap d;
  void* const object = d.add(instance_kind::named, "x");
  auto& record = d.directory->record_of(object);
  set_attribute(d.directory->memory(), record.attributes, "key", std::string(max_attribute_value, 'v'));
  auto& one = *static_cast<attribute_record*>(d.memory->at(record.attributes));
  EXPECT_EQ(d.directory->describe(object).attributes().size(), 1U);
  // A thousand copies of the value would be a gibibyte.
  one.next = record.attributes;
  EXPECT_THROW(d.directory->describe(object), error);
  one.next = 0;
  one.value_length = max_attribute_value + 1;
  EXPECT_THROW(d.directory->describe(object), error);
}

TEST(NameDirectory, HeapWithoutADirectoryIsEmpty) {
  auto bytes = tested::make_segment(std::size_t{1} << 30);
  auto memory = heap::format(*bytes);
  const name_directory directory(checked_memory(*memory, *bytes, "test"));
  EXPECT_EQ(directory.count(instance_kind::named), 0U);
  EXPECT_EQ(directory.find(instance_kind::named, 5, "x"), nullptr);
  EXPECT_TRUE(directory.objects(instance_kind::named).empty());
  EXPECT_FALSE(directory.contains(memory->base() + 4096));
  EXPECT_TRUE(directory.check().empty());
}

TEST(TypeStamp, IsReadable) {
  EXPECT_EQ(demangle(type_stamp_of<std::pair<int, double>>().name), "std::pair<int, double>");
  EXPECT_EQ(demangle("no mangled name!"), "no mangled name!");
  EXPECT_NE(type_stamp_of<int>().hash, type_stamp_of<unsigned>().hash);
  EXPECT_EQ(type_stamp_of<int>().hash, make_type_stamp("i", 4, 4, 0, true).hash);
  EXPECT_NE(type_stamp_of<int>().hash, make_type_stamp("i", 8, 4, 0, true).hash);
  EXPECT_NE(type_stamp_of<int>().hash, make_type_stamp("i", 4, 8, 0, true).hash);
  EXPECT_NE(type_stamp_of<int>().hash, make_type_stamp("i", 4, 4, 1, true).hash);
  EXPECT_NE(type_stamp_of<int>().hash, make_type_stamp("i", 4, 4, 0, false).hash);
}

}  // namespace
}  // namespace perdure::detail
