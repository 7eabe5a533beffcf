// Named, unique and anonymous objects of one open store.
#include "perdure/manager.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <map>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "perdure/container/vector.hpp"
#include "support/errors.hpp"
#include "support/scratch_directory.hpp"

namespace perdure {
namespace {

struct manager_test : testing::Test {
  scratch_directory scratch;
  manager store{create_only, scratch.path()};
};

struct point {
  int x = 0;
  int y = 0;
  bool operator==(const point&) const = default;
};

TEST_F(manager_test, ConstructsAndFindsByName) {
  int* const number = store.construct<int>("number")(42);
  EXPECT_EQ(*number, 42);
  EXPECT_EQ(store.find<int>("number"), (std::pair<int*, std::size_t>(number, 1)));
  EXPECT_EQ(store.find<const int>("number").first, number);
  EXPECT_EQ(store.find<int>("other"), (std::pair<int*, std::size_t>(nullptr, 0)));
  point* const p = store.construct<point>(std::string("point"))(3, 4);
  EXPECT_EQ(*p, (point{3, 4}));
  EXPECT_EQ(store.get_num_named_objects(), 2U);
  EXPECT_TRUE(store.check().empty());
}

TEST_F(manager_test, DestroysByName) {
  store.construct<int>("number")(42);
  EXPECT_TRUE(store.destroy<int>("number"));
  EXPECT_FALSE(store.destroy<int>("number"));
  EXPECT_EQ(store.find<int>("number").first, nullptr);
  EXPECT_EQ(store.get_num_named_objects(), 0U);
  store.construct<double>("number")(1.5);
  EXPECT_EQ(*store.find<double>("number").first, 1.5);
}

/// What the `std::bad_alloc` says that `call` throws.
template <class Call>
std::string told_by_bad_alloc(Call call) {
  try {
    call();
  } catch (const std::bad_alloc& failure) {
    return failure.what();
  }
  return "nothing was thrown";
}

TEST(full_store, OfLessThanAGiBHoldsNoMoreThanItsCapacity) {
  constexpr std::size_t mib = std::size_t{1} << 20;
  constexpr std::size_t kib = std::size_t{1} << 10;
  const scratch_directory scratch;
  store_options options;
  options.capacity = mib;
  const auto fill = [](manager& store) {
    std::size_t blocks = 0;
    while (store.allocate(kib, std::nothrow) != nullptr) ++blocks;
    return blocks * kib;
  };
  {
    manager store(create_only, scratch.path(), options);
    EXPECT_EQ(store.get_size(), mib);
    EXPECT_GT(store.get_free_memory(), mib - 64 * kib);
    const std::size_t taken = fill(store);
    EXPECT_LE(taken, mib);
    EXPECT_GT(taken, mib - 64 * kib);
    EXPECT_LT(store.get_free_memory(), kib);
    const std::string full = told_by_bad_alloc([&] { static_cast<void>(store.allocate(2 * mib)); });
    EXPECT_NE(full.find("no room for a block of 2 MiB: less than that is left of its capacity of 1 MiB. "),
              std::string::npos)
        << full;
    EXPECT_NE(full.find("raise_capacity"), std::string::npos) << full;
  }
  EXPECT_EQ(store_maintenance::inspect(scratch.path()).capacity, mib);
  EXPECT_EQ(manager(open_only, scratch.path()).allocate(kib, std::nothrow), nullptr);
  EXPECT_EQ(store_maintenance::raise_capacity(scratch.path(), 3 * mib), 3 * mib);
  {
    manager store(open_only, scratch.path());
    EXPECT_EQ(store.get_size(), 3 * mib);
    EXPECT_GT(store.get_free_memory(), 2 * mib - kib);
    void* const block = store.allocate(mib);
    EXPECT_EQ(store.allocate(2 * mib, std::nothrow), nullptr);
    store.deallocate(block);
    EXPECT_TRUE(store.belongs_to_segment(block));
    EXPECT_TRUE(store.check_sanity());
  }
  // A block of nearly all of it has addresses, wherever blocks begin.
  options.capacity = std::size_t{1025} << 20;
  store_maintenance::remove(scratch.path());
  manager store(create_only, scratch.path(), options);
  EXPECT_NE(store.allocate(std::size_t{1024} << 20, std::nothrow), nullptr);
  EXPECT_EQ(store.allocate(2 * mib, std::nothrow), nullptr);
  store.discard();
}

// What one thread frees while the other fails must not look like a failure of the system.
TEST(full_store, OfSeveralThreadsNamesItsCapacity) {
  const scratch_directory scratch;
  store_options options;
  options.capacity = std::size_t{1} << 20;
  manager store(create_only, scratch.path(), options);
  std::array<std::string, 2> unexpected;
  const auto fill_and_empty = [&](std::string& told) {
    std::vector<void*> blocks;
    for (int failures = 0; failures < 2000; ++failures) {
      const std::string failure = told_by_bad_alloc([&] {
        for (;;) blocks.push_back(store.allocate(256));
      });
      if (failure.find("its capacity of 1 MiB") == std::string::npos) told = failure;
      const std::size_t kept = blocks.size() - std::min<std::size_t>(blocks.size(), 64);
      for (std::size_t i = kept; i < blocks.size(); ++i) store.deallocate(blocks[i]);
      blocks.resize(kept);
    }
    for (void* const block : blocks) store.deallocate(block);
  };
  std::thread other([&] { fill_and_empty(unexpected[0]); });
  fill_and_empty(unexpected[1]);
  other.join();
  EXPECT_EQ(unexpected[0], "");
  EXPECT_EQ(unexpected[1], "");
  store.discard();
}

TEST(full_store, SaysWhatWasAskedOfWhichStoreAndWhatToDo) {
  const scratch_directory scratch;
  store_options options;
  options.capacity = std::size_t{1} << 30;
  manager store(create_only, scratch.path(), options);
  const auto expect_said = [&](const std::string& said, const char* what) {
    EXPECT_TRUE(said.starts_with(scratch.path().string() + ": ")) << said;
    EXPECT_NE(said.find(what), std::string::npos) << said;
  };
  const std::string full = told_by_bad_alloc([&] {
    for (;;) static_cast<void>(store.allocate(std::size_t{100} << 20));
  });
  expect_said(full, "no room for a block of 100 MiB: of its capacity of 1 GiB, ");
  expect_said(full, "raise_capacity");
  expect_said(told_by_bad_alloc([&] { store.construct<vector<int>>("v")(std::size_t{1} << 30); }),
              "no room for a block of 4 GiB");
  const volatile std::size_t most = ~std::size_t{0};  // hidden from the optimiser, which warns
  expect_said(told_by_bad_alloc([&] { store.construct<int>("huge")[most / 3](); }),
              "no room for 6148914691236517205 elements of 4 bytes: no memory has so many bytes");
  expect_said(told_by_bad_alloc([&] { store.get_allocator<long>().allocate(most / 2); }),
              "no room for 9223372036854775807 elements of 8 bytes");
  for (const std::size_t alignment : {0UL, 3UL, 4UL << 20})
    EXPECT_EQ(code_of([&] { static_cast<void>(store.allocate_aligned(8, alignment)); }),
              errc::invalid_argument);
  while (store.allocate(std::size_t{1} << 20, std::nothrow) != nullptr) {
  }
  expect_said(told_by_bad_alloc([&] {
                for (;;) static_cast<void>(store.allocate(48));
              }),
              "no room for a block of 48 bytes");
  EXPECT_TRUE(store.check().empty());
}

TEST_F(manager_test, ANameIsGivenOnce) {
  int* const first = store.construct<int>("number")(1);
  EXPECT_EQ(code_of([&] { store.construct<int>("number")(2); }), errc::already_exists);
  EXPECT_EQ(code_of([&] { store.construct<double>("number")(2); }), errc::already_exists);
  EXPECT_EQ(store.construct<int>("number", std::nothrow)(2), nullptr);
  EXPECT_EQ(*first, 1);
  EXPECT_EQ(store.find_or_construct<int>("number")(3), first);
  EXPECT_EQ(*first, 1);
  EXPECT_EQ(*store.find_or_construct<int>("another")(3), 3);
  EXPECT_EQ(*store.construct<int>("yet another", std::nothrow)(5), 5);
}

TEST_F(manager_test, AnotherTypeIsAnErrorThatNamesBoth) {
  store.construct<point>("it")(1, 2);
  EXPECT_EQ(code_of([&] { store.find<double>("it"); }), errc::wrong_type);
  EXPECT_EQ(code_of([&] { store.destroy<double>("it"); }), errc::wrong_type);
  EXPECT_EQ(code_of([&] { store.find_or_construct<double>("it")(); }), errc::wrong_type);
  EXPECT_EQ(store.find_or_construct<double>("it", std::nothrow)(), nullptr);
  const std::string message = message_of([&] { store.find<double>("it"); });
  EXPECT_NE(message.find("point"), std::string::npos) << message;
  EXPECT_NE(message.find("double"), std::string::npos) << message;
  EXPECT_NE(message.find("\"it\""), std::string::npos) << message;
  EXPECT_NE(message.find(scratch.path().string()), std::string::npos) << message;
  EXPECT_EQ(store.find<point>("it").first->y, 2);
}

TEST_F(manager_test, NamesAreAnyBytes) {
  using namespace std::string_literals;
  const std::vector<std::string> names = {
      "a\0b"s, "a\0c"s, "a"s, "\0"s, "\0\0"s, "\xff\xfe"s, " "s, "ä/ö"s, std::string(max_name_length, 'x')};
  for (std::size_t i = 0; i < names.size(); ++i) store.construct<std::size_t>(names[i])(i);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto [found, length] = store.find<std::size_t>(names[i]);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(*found, i);
    EXPECT_EQ(store.get_instance_name(found), names[i]);
  }
}

TEST_F(manager_test, EmptyAndAbsurdNamesAreRefused) {
  EXPECT_EQ(code_of([&] { store.construct<int>("")(); }), errc::invalid_argument);
  EXPECT_EQ(code_of([&] { store.construct<int>(static_cast<const char*>(nullptr))(); }),
            errc::invalid_argument);
  EXPECT_EQ(code_of([&] { store.find_or_construct<int>("")(); }), errc::invalid_argument);
  const std::string absurd(max_name_length + 1, 'x');
  EXPECT_EQ(code_of([&] { store.construct<int>(absurd)(); }), errc::invalid_argument);
  EXPECT_EQ(store.construct<int>(absurd, std::nothrow)(), nullptr);
  EXPECT_EQ(store.find<int>(absurd).first, nullptr);
  EXPECT_EQ(store.find<int>("").first, nullptr);
}

TEST_F(manager_test, ArraysAreConstructedAndFound) {
  int* const same = store.construct<int>("same")[5](7);
  EXPECT_EQ(store.find<int>("same"), (std::pair<int*, std::size_t>(same, 5)));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(same[i], 7);
  int* const zeros = store.construct<int>("zeros")[1000]();
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(zeros[i], 0);
  EXPECT_EQ(store.get_instance_length(zeros), 1000U);
  int* const none = store.construct<int>("none")[0]();
  EXPECT_EQ(store.find<int>("none"), (std::pair<int*, std::size_t>(none, 0)));
  EXPECT_NE(none, nullptr);
  EXPECT_EQ(store.find_or_construct<int>("same")[9](1), same);
  EXPECT_EQ(same[4], 7);
  EXPECT_TRUE(store.destroy<int>("same"));
  EXPECT_TRUE(store.destroy<int>("none"));
}

TEST_F(manager_test, ArraysAreConstructedFromIterators) {
  const std::vector<int> xs = {1, 2, 3};
  const std::array<int, 3> ys = {10, 20, 30};
  point* const points = store.construct_it<point>("points")[3](xs.begin(), ys.data());
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(points[i], (point{xs[i], ys[i]}));
  EXPECT_EQ(*store.construct_it<int>("one")(xs.begin() + 1), 2);
  EXPECT_EQ(store.find_or_construct_it<point>("points")[3](ys.data(), ys.data()), points);
  EXPECT_EQ(points[1], (point{2, 20}));
  EXPECT_EQ(store.construct_it<point>("points", std::nothrow)[3](ys.data(), ys.data()), nullptr);
  EXPECT_EQ(store.find_or_construct_it<point>("more", std::nothrow)[2](ys.data(), xs.data())[1],
            (point{20, 2}));
}

TEST_F(manager_test, AbsurdLengthsAreBadAlloc) {
  // Not a constant, or the compiler warns of the loop that never comes to run.
  const volatile std::size_t most = std::numeric_limits<std::size_t>::max();
  EXPECT_THROW(store.construct<int>("huge")[most](), std::bad_alloc);
  EXPECT_THROW(store.construct<int>("huge")[most / 4](), std::bad_alloc);
  EXPECT_THROW(store.construct<char>("huge")[store.get_size()](), std::bad_alloc);
  EXPECT_EQ(store.construct<int>("huge", std::nothrow)[most](), nullptr);
  // The name is free again, and the store sound.
  store.construct<int>("huge")(1);
  EXPECT_TRUE(store.check().empty());
}

struct counted {
  static inline int alive = 0;
  static inline int throw_at = -1;
  static inline std::vector<int> destroyed;
  int number;
  explicit counted(int n = 0) : number(n) {
    if (alive == throw_at) throw std::runtime_error("as asked");
    number = alive++;
  }
  counted(const counted&) = delete;
  ~counted() {
    --alive;
    destroyed.push_back(number);
  }
};

TEST_F(manager_test, AnExceptionInAConstructorLeavesNothing) {
  store.construct<int>("warm up the type table and the heap")();
  store.construct<counted>("once")();
  store.destroy<counted>("once");
  store.memory().flush_caches();
  const std::size_t blocks = store.memory().stats().blocks;
  counted::destroyed.clear();
  counted::throw_at = 3;
  EXPECT_THROW(store.construct<counted>("them")[10](), std::runtime_error);
  EXPECT_EQ(counted::alive, 0);
  EXPECT_EQ(counted::destroyed, (std::vector<int>{2, 1, 0}));
  EXPECT_EQ(store.find<counted>("them").first, nullptr);
  EXPECT_THROW(store.construct<counted>("them", std::nothrow)[10](), std::runtime_error);
  EXPECT_THROW(store.find_or_construct<counted>(unique_instance)[10](), std::runtime_error);
  EXPECT_THROW(store.construct<counted>(anonymous_instance)[10](), std::runtime_error);
  EXPECT_EQ(store.get_num_anonymous_objects() + store.get_num_unique_objects(), 0U);
  store.memory().flush_caches();
  EXPECT_EQ(store.memory().stats().blocks, blocks);
  counted::throw_at = -1;
  EXPECT_NE(store.construct<counted>("them")[4](), nullptr);
  EXPECT_EQ(counted::alive, 4);
  EXPECT_TRUE(store.destroy<counted>("them"));
  EXPECT_EQ(counted::alive, 0);
}

TEST_F(manager_test, UniqueInstancesAreFoundByTheirType) {
  int* const one = store.construct<int>(unique_instance)(5);
  EXPECT_EQ(store.find<int>(unique_instance), (std::pair<int*, std::size_t>(one, 1)));
  EXPECT_EQ(store.find<long>(unique_instance).first, nullptr);
  EXPECT_EQ(code_of([&] { store.construct<int>(unique_instance)(6); }), errc::already_exists);
  EXPECT_EQ(store.find_or_construct<int>(unique_instance)(6), one);
  // A name that is the type's name is another matter.
  const std::string type_name = typeid(int).name();
  EXPECT_EQ(store.find<int>(type_name).first, nullptr);
  int* const named = store.construct<int>(type_name)(7);
  EXPECT_NE(named, one);
  EXPECT_EQ(store.get_num_unique_objects(), 1U);
  EXPECT_EQ(store.get_instance_kind(one), instance_kind::unique);
  EXPECT_EQ(store.get_instance_name(one), type_name);
  EXPECT_EQ(store.unique_begin()->value(), one);
  EXPECT_TRUE(store.destroy<int>(unique_instance));
  EXPECT_FALSE(store.destroy<int>(unique_instance));
  EXPECT_EQ(store.find<int>(type_name).first, named);
}

TEST_F(manager_test, AnonymousInstancesHaveNoName) {
  int* const a = store.construct<int>(anonymous_instance)(1);
  int* const b = store.construct<int>(anonymous_instance)[3](2);
  int* const c = store.find_or_construct<int>(anonymous_instance)(3);
  EXPECT_TRUE(a != b && b != c && a != c);
  EXPECT_EQ(store.get_num_anonymous_objects(), 3U);
  EXPECT_EQ(store.get_instance_kind(b), instance_kind::anonymous);
  EXPECT_EQ(store.get_instance_length(b), 3U);
  EXPECT_EQ(store.get_instance_name(b), "");
  std::set<void*> seen;
  for (const object_info& info : store.anonymous_objects()) seen.insert(info.value());
  EXPECT_EQ(seen, (std::set<void*>{a, b, c}));
  EXPECT_EQ(code_of([&] { store.find<int>(anonymous_instance); }), errc::invalid_argument);
  EXPECT_EQ(code_of([&] { store.destroy<int>(anonymous_instance); }), errc::invalid_argument);
  EXPECT_TRUE(store.destroy_ptr(a));
  EXPECT_TRUE(store.destroy_ptr(b));
  EXPECT_EQ(store.get_num_anonymous_objects(), 1U);
  EXPECT_EQ(code_of([&] { store.destroy_ptr(a); }), errc::invalid_argument);
}

TEST_F(manager_test, ObjectsAreDestroyedByAddress) {
  int* const named = store.construct<int>("named")(1);
  int* const unique = store.construct<int>(unique_instance)(1);
  EXPECT_EQ(code_of([&] { store.destroy_ptr(reinterpret_cast<double*>(named)); }), errc::wrong_type);
  EXPECT_EQ(code_of([&] { store.destroy_ptr(named + 1); }), errc::invalid_argument);
  int local = 0;
  EXPECT_EQ(code_of([&] { store.destroy_ptr(&local); }), errc::invalid_argument);
  int* const raw = static_cast<int*>(store.allocate(64));
  EXPECT_EQ(code_of([&] { store.destroy_ptr(raw); }), errc::invalid_argument);
  EXPECT_FALSE(store.destroy_ptr(static_cast<int*>(nullptr)));
  EXPECT_TRUE(store.destroy_ptr(static_cast<const int*>(named)));
  EXPECT_TRUE(store.destroy_ptr(unique));
  EXPECT_EQ(store.find<int>("named").first, nullptr);
  EXPECT_EQ(store.find<int>(unique_instance).first, nullptr);
}

TEST_F(manager_test, SaysWhatAnAddressHolds) {
  point* const points = store.construct<point>("points")[4]();
  EXPECT_EQ(store.get_instance_name(points), "points");
  EXPECT_EQ(store.get_instance_kind(points), instance_kind::named);
  EXPECT_EQ(store.get_instance_length(points), 4U);
  EXPECT_NE(store.get_instance_type_name(points).find("point"), std::string::npos);
  const object_info info = store.get_instance_info(points);
  EXPECT_EQ(info.size(), 4 * sizeof(point));
  EXPECT_EQ(info.element_size(), sizeof(point));
  EXPECT_EQ(info.alignment(), alignof(point));
  EXPECT_EQ(info.offset(), store.get_handle_from_address(points));
  EXPECT_EQ(store.get_address_from_handle(info.offset()), points);
  EXPECT_TRUE(info.is_type<point>());
  EXPECT_FALSE(info.is_type<int>());
  EXPECT_EQ(code_of([&] { store.get_instance_name(points + 1); }), errc::invalid_argument);
  EXPECT_EQ(code_of([&] { store.get_instance_length(nullptr); }), errc::invalid_argument);
}

TEST_F(manager_test, IteratesOverNames) {
  EXPECT_EQ(store.named_begin(), store.named_end());
  std::map<std::string, int*> expected;
  for (int i = 0; i < 500; ++i) {
    const std::string name = std::to_string(i);
    expected[name] = store.construct<int>(name)[static_cast<std::size_t>(i % 5)](i);
  }
  store.construct<int>(unique_instance)();
  store.construct<int>(anonymous_instance)();
  std::map<std::string, int*> seen;
  for (auto it = store.named_begin(); it != store.named_end(); ++it) {
    EXPECT_EQ(it->length(), static_cast<std::size_t>(std::stoi(std::string(it->name())) % 5));
    EXPECT_EQ(it->type_name(), "int");
    EXPECT_TRUE(it->attributes().empty());
    seen[std::string(it->name())] = static_cast<int*>(it->value());
  }
  EXPECT_EQ(seen, expected);
}

TEST_F(manager_test, ObjectsHaveAttributes) {
  int* const object = store.construct<int>("object")();
  EXPECT_EQ(store.attribute("object", "unit"), std::nullopt);
  store.set_attribute("object", "unit", "m/s");
  store.set_attribute(object, "description", "wind speed");
  store.set_attribute(std::string("object"), "empty", "");
  EXPECT_EQ(store.attribute(object, "unit"), "m/s");
  EXPECT_EQ(store.attribute("object", "description"), "wind speed");
  EXPECT_EQ(store.attribute("object", "empty"), "");
  store.set_attribute("object", "unit", std::string_view("k\0t", 3));
  EXPECT_EQ(store.attribute("object", "unit"), std::string("k\0t", 3));
  EXPECT_EQ(store.attributes("object").size(), 3U);
  EXPECT_EQ(store.named_begin()->attributes(), store.attributes(object));
  EXPECT_TRUE(store.remove_attribute("object", "unit"));
  EXPECT_FALSE(store.remove_attribute(object, "unit"));
  EXPECT_EQ(store.attributes("object").size(), 2U);

  int* const anonymous = store.construct<int>(anonymous_instance)();
  store.set_attribute(anonymous, "a", "b");
  EXPECT_EQ(store.attribute(anonymous, "a"), "b");

  EXPECT_EQ(code_of([&] { store.set_attribute("nobody", "a", "b"); }), errc::not_found);
  EXPECT_EQ(code_of([&] { store.set_attribute(object + 1, "a", "b"); }), errc::invalid_argument);
  EXPECT_EQ(code_of([&] { store.set_attribute(object, "", "b"); }), errc::invalid_argument);
  EXPECT_EQ(code_of([&] { store.set_attribute(object, std::string(5000, 'k'), "b"); }),
            errc::invalid_argument);
  EXPECT_EQ(code_of([&] { store.set_attribute(object, "k", std::string((1U << 20) + 1, 'v')); }),
            errc::invalid_argument);
  store.set_attribute(object, "k", std::string(1U << 20, 'v'));
  EXPECT_EQ(store.attribute(object, "k")->size(), 1U << 20);
  for (int i = 0; i < 1021; ++i) store.set_attribute(object, std::to_string(i), "");
  EXPECT_EQ(code_of([&] { store.set_attribute(object, "one too many", ""); }), errc::invalid_argument);
  store.set_attribute(object, "5", "changed");
  EXPECT_EQ(store.attribute(object, "5"), "changed");
}

TEST_F(manager_test, TheStoreItselfHasAttributes) {
  EXPECT_EQ(store.store_attribute("origin"), std::nullopt);
  EXPECT_TRUE(store.store_attributes().empty());
  store.set_store_attribute("origin", "sensor 7");
  store.set_store_attribute("empty", "");
  store.construct<int>("origin")();
  EXPECT_EQ(store.attribute("origin", "origin"), std::nullopt);
  store.set_store_attribute("origin", "sensor 8");
  EXPECT_EQ(store.store_attributes().size(), 2U);
  EXPECT_TRUE(store.remove_store_attribute("empty"));
  EXPECT_FALSE(store.remove_store_attribute("empty"));
  EXPECT_EQ(code_of([&] { store.set_store_attribute("", "x"); }), errc::invalid_argument);
  EXPECT_EQ(store.get_num_named_objects(), 1U);
  store.close();

  const manager reader(open_read_only, scratch.path());
  EXPECT_EQ(reader.store_attribute("origin"), "sensor 8");
  EXPECT_EQ(reader.store_attributes().size(), 1U);
  EXPECT_TRUE(reader.check().empty());
}

TEST_F(manager_test, AllMemoryIsDeallocatedWhenNoObjectIsLeft) {
  EXPECT_TRUE(store.all_memory_deallocated());
  store.set_store_attribute("description", "does not count");
  for (int i = 0; i < 100; ++i) store.construct<int>(std::to_string(i))();
  store.set_attribute("1", "a", "b");
  store.construct<point>(anonymous_instance)();
  EXPECT_FALSE(store.all_memory_deallocated());
  store.destroy_ptr(static_cast<point*>(store.anonymous_begin()->value()));
  for (int i = 0; i < 100; ++i) store.destroy<int>(std::to_string(i));
  EXPECT_TRUE(store.all_memory_deallocated());
  void* const block = store.allocate(10);
  EXPECT_FALSE(store.all_memory_deallocated());
  store.deallocate(block);
  EXPECT_TRUE(store.all_memory_deallocated());
}

TEST_F(manager_test, DestroyingGivesBackAllMemory) {
  store.construct<int>("warm up")();
  store.set_attribute("warm up", "a", "b");
  store.destroy<int>("warm up");
  store.memory().flush_caches();
  const std::size_t blocks = store.memory().stats().blocks;
  for (int i = 0; i < 40; ++i) {
    int* const object = store.construct<int>(std::to_string(i))[static_cast<std::size_t>(i)]();
    for (int a = 0; a < i; ++a) store.set_attribute(object, std::to_string(a), "value");
  }
  for (int i = 0; i < 40; ++i) store.destroy<int>(std::to_string(i));
  store.memory().flush_caches();
  EXPECT_EQ(store.memory().stats().blocks, blocks);
}

struct alignas(128) aligned_widely {
  char bytes[128] = {};
};

TEST_F(manager_test, ObjectsAreAligned) {
  for (int i = 0; i < 20; ++i) {
    auto* const object =
        store.construct<aligned_widely>(std::string(static_cast<std::size_t>(i) + 1, 'n'))[3]();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(object) % 128, 0U);
  }
}

TEST_F(manager_test, RawMemoryIsAllocatedAndNamedByHandles) {
  void* const block = store.allocate(1000);
  std::memset(block, 1, 1000);
  EXPECT_TRUE(store.belongs_to_segment(block));
  int local = 0;
  EXPECT_FALSE(store.belongs_to_segment(&local));
  void* const aligned = store.allocate_aligned(100, 4096);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(aligned) % 4096, 0U);
  EXPECT_EQ(store.get_address_from_handle(store.get_handle_from_address(block)), block);
  EXPECT_EQ(store.get_address_from_handle(0), store.get_address());
  EXPECT_EQ(store.allocate(store.get_size() * 2, std::nothrow), nullptr);
  EXPECT_THROW(store.allocate(store.get_size() * 2), std::bad_alloc);
  EXPECT_LE(store.get_free_memory(), store.get_size());
  EXPECT_GT(store.get_free_memory(), store.get_size() / 2);
  store.deallocate(block);
  store.deallocate(aligned);
  store.deallocate(nullptr);
  EXPECT_TRUE(store.check_sanity());
}

TEST_F(manager_test, NothingIsLeftAfterEachKindOfObject) {
  EXPECT_TRUE(store.all_memory_deallocated());
  store.construct<int>("x")(1);
  EXPECT_FALSE(store.all_memory_deallocated());
  store.set_attribute("x", "unit", "m");
  store.destroy<int>("x");
  EXPECT_TRUE(store.all_memory_deallocated());
  void* const block = store.allocate(100);
  EXPECT_FALSE(store.all_memory_deallocated());
  store.deallocate(block);
  EXPECT_TRUE(store.all_memory_deallocated());
  auto* const object = store.construct<int>(anonymous_instance)(1);
  EXPECT_FALSE(store.all_memory_deallocated());
  store.destroy_ptr(object);
  EXPECT_TRUE(store.all_memory_deallocated());
}

TEST_F(manager_test, ZeroFreeMemoryLeavesNothingOfWhatWasFreed) {
  constexpr std::size_t sizes[] = {8, 100, 5000, 100000, 3 << 20};
  std::vector<std::pair<unsigned char*, std::size_t>> freed;
  std::vector<std::pair<unsigned char*, std::size_t>> kept;
  for (const std::size_t size : sizes) {
    for (int i = 0; i < 20; ++i) {
      auto* const block = static_cast<unsigned char*>(store.allocate(size));
      std::memset(block, 0xab, size);
      (i % 2 == 0 ? freed : kept).emplace_back(block, size);
    }
  }
  for (const auto& [block, size] : freed) store.deallocate(block);
  store.zero_free_memory();
  const auto count = [](const auto& blocks, unsigned char value) {
    std::size_t found = 0;
    for (const auto& [block, size] : blocks)
      found += static_cast<std::size_t>(std::count(block, block + size, value));
    return found;
  };
  EXPECT_EQ(count(freed, 0xab), 0U);
  std::size_t all = 0;
  for (const auto& [block, size] : kept) all += size;
  EXPECT_EQ(count(kept, 0xab), all);
  EXPECT_TRUE(store.check().empty());
}

}  // namespace
}  // namespace perdure
