// Objects of one open store: one test for each function that Metall documents.
#include <array>
#include <atomic>
#include <boost/container/vector.hpp>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <memory>
#include <metall/container/vector.hpp>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "compat/metall/metall_test.hpp"

namespace {

using vector_type = std::vector<int, metall::manager::allocator_type<int>>;

struct manager_test : metall_test {
  metall::manager manager{metall::create_only, path()};
};

struct point {
  int x = 0;
  float y = 0;
  bool operator==(const point&) const = default;
};

TEST_F(manager_test, NestedTypesAreMetalls) {
  using manager_type = metall::manager;
  static_assert(std::is_same_v<manager_type, metall::basic_manager<>>);
  static_assert(std::is_same_v<manager_type::void_pointer, metall::offset_ptr<void>>);
  static_assert(std::is_same_v<manager_type::char_type, char> &&
                std::is_same_v<manager_type::size_type, std::size_t>);
  static_assert(std::is_same_v<manager_type::difference_type, std::ptrdiff_t> &&
                std::is_same_v<manager_type::chunk_number_type, std::uint32_t>);
  static_assert(std::is_same_v<manager_type::allocator_type<int>,
                               metall::stl_allocator<int, manager_type::manager_kernel_type>>);
  static_assert(
      std::is_same_v<manager_type::scoped_allocator_type<int>,
                     metall::container::scoped_allocator_adaptor<manager_type::allocator_type<int>>>);
  static_assert(!std::is_default_constructible_v<manager_type> &&
                !std::is_copy_constructible_v<manager_type>);
  static_assert(std::is_nothrow_move_constructible_v<manager_type> &&
                std::is_nothrow_move_assignable_v<manager_type>);
  static_assert(manager_type::chunk_size() == 1U << 21);
  static_assert(metall::basic_manager<metall::kernel::storage, metall::kernel::segment_storage, std::uint16_t,
                                      (1U << 20)>::chunk_size() == 1U << 20);
  manager_type::construct_proxy<int> proxy = manager.construct<int>("x");
  EXPECT_EQ(*proxy(5), 5);
}

TEST_F(manager_test, AConstructedObjectIsFound) {
  int* const number = manager.construct<int>("number")(42);
  ASSERT_NE(number, nullptr);
  EXPECT_EQ(manager.find<int>("number"), (std::pair<int*, std::size_t>(number, 1)));
  EXPECT_EQ(manager.find<const int>("number").first, number);
  EXPECT_EQ(manager.find<int>("other"), (std::pair<int*, std::size_t>(nullptr, 0)));
  const std::string name = "point";
  EXPECT_EQ(*manager.construct<point>(name.c_str())(3, 4.0F), (point{3, 4}));
  EXPECT_EQ(*manager.construct<point>(metall::unique_instance)(), point{});
  EXPECT_EQ(manager.find<point>(metall::unique_instance).second, 1U);
  EXPECT_NE(manager.construct<point>(metall::anonymous_instance)(1, 2.0F), nullptr);
  EXPECT_EQ(manager.find<point>(metall::anonymous_instance).first, nullptr);
}

TEST_F(manager_test, ConstructGivesNullWhereTheNameIsTakenOrMemoryShort) {
  int* const number = manager.construct<int>("number")(42);
  EXPECT_EQ(manager.construct<int>("number")(1), nullptr);
  EXPECT_EQ(manager.construct<double>("number")(1), nullptr);
  EXPECT_EQ(*number, 42);
  EXPECT_EQ(manager.construct<int>("")(1), nullptr);
  const volatile std::size_t most = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(manager.construct<int>("huge")[most / 4](1), nullptr);
  EXPECT_EQ(manager.construct<int>("huge")[most / 2][most / 2](1), nullptr);
  EXPECT_EQ(manager.construct<char>("huge")[manager.get_size()](), nullptr);
  EXPECT_NE(manager.construct<int>("huge")(1), nullptr);
}

TEST_F(manager_test, ArraysHaveOneOrMoreDimensions) {
  int* const row = manager.construct<int>("row")[3](7);
  EXPECT_EQ(manager.find<int>("row").second, 3U);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(row[i], 7);
  int* const table = manager.construct<int>("table")[3][4](9);
  EXPECT_EQ(manager.get_instance_length(table), 12U);
  EXPECT_EQ(table[11], 9);
  EXPECT_EQ(manager.construct<int>(metall::unique_instance)[2]()[1], 0);
  const auto* const vectors =
      manager.construct<vector_type>("vectors")[2](2U, 10, manager.get_allocator<int>());
  EXPECT_EQ(vectors[1], vector_type(2, 10, manager.get_allocator<int>()));
}

TEST_F(manager_test, MoveOnlyArgumentsAreForwarded) {
  struct takes_ownership {
    int value;
    explicit takes_ownership(std::unique_ptr<int> from) : value(*from) {}
  };
  EXPECT_EQ(manager.construct<takes_ownership>("it")(std::make_unique<int>(3))->value, 3);
}

TEST_F(manager_test, FindOrConstructConstructsOnce) {
  int* const number = manager.find_or_construct<int>("number")(1);
  EXPECT_EQ(*number, 1);
  EXPECT_EQ(manager.find_or_construct<int>("number")(2), number);
  EXPECT_EQ(*number, 1);
  EXPECT_EQ(manager.find_or_construct<int>("row")[4](3)[3], 3);
  EXPECT_EQ(manager.find_or_construct<int>("row")[9](5)[3], 3);
  EXPECT_EQ(manager.find_or_construct<double>("number")(2), nullptr);
  point* const unique = manager.find_or_construct<point>(metall::unique_instance)();
  EXPECT_EQ(manager.find_or_construct<point>(metall::unique_instance)(), unique);
}

TEST_F(manager_test, ElementsAreConstructedFromIterators) {
  const std::vector<int> xs = {1, 2, 3};
  const std::array<float, 3> ys = {0.5F, 1.5F, 2.5F};
  point* const points = manager.construct_it<point>("points")[3](xs.begin(), ys.data());
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(points[i], (point{xs[i], ys[i]}));
  EXPECT_EQ(*manager.construct_it<int>("one")(xs.begin() + 1), 2);
  EXPECT_EQ(manager.construct_it<int>("one")(xs.begin()), nullptr);
  EXPECT_EQ(manager.find_or_construct_it<point>("points")[3](ys.data(), ys.data()), points);
  EXPECT_EQ(points[1], (point{2, 1.5F}));
  EXPECT_EQ(manager.find_or_construct_it<int>("two")[2](xs.begin())[1], 2);
}

TEST_F(manager_test, FindOfAnotherTypeFindsNothing) {
  manager.construct<point>("it")(1, 2.0F);
  EXPECT_EQ(manager.find<double>("it"), (std::pair<double*, std::size_t>(nullptr, 0)));
  EXPECT_FALSE(manager.destroy<double>("it"));
  EXPECT_NE(manager.find<point>("it").first, nullptr);
}

TEST_F(manager_test, NamesOfAnyBytesSurvive) {
  using namespace std::string_literals;
  const std::vector<std::string> names = {"a\0b"s, "\xff\xfe"s, " \n\"\\,{}"s, "ä/ö"s};
  for (std::size_t i = 0; i < names.size(); ++i) manager.construct<std::size_t>(names[i])(i);
  manager = metall::manager(metall::create_only, path("other"));
  metall::manager again(metall::open_only, path());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto [found, length] = again.find<std::size_t>(names[i]);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(*found, i);
    EXPECT_EQ(again.get_instance_name(found), std::string(names[i].c_str()));
  }
}

TEST_F(manager_test, DestroyRemovesObjectsByName) {
  EXPECT_FALSE(manager.destroy<int>("named"));
  EXPECT_FALSE(manager.destroy<int>(metall::unique_instance));
  manager.construct<int>("named")();
  manager.construct<int>(metall::unique_instance)();
  manager.construct<int>("row")[2](10);
  EXPECT_TRUE(manager.destroy<int>("named"));
  EXPECT_FALSE(manager.destroy<int>("named"));
  EXPECT_TRUE(manager.destroy<int>(metall::unique_instance));
  EXPECT_TRUE(manager.destroy<int>("row"));
  EXPECT_TRUE(manager.all_memory_deallocated());
}

TEST_F(manager_test, DestroyPtrRemovesObjectsByAddress) {
  int* const named = manager.construct<int>("named")();
  int* const unique = manager.construct<int>(metall::unique_instance)();
  int* const anonymous = manager.construct<int>(metall::anonymous_instance)[2]();
  for (int* const object : {named, unique, anonymous}) {
    EXPECT_TRUE(manager.destroy_ptr(object));
    EXPECT_FALSE(manager.destroy_ptr(object));
  }
  int local = 0;
  EXPECT_FALSE(manager.destroy_ptr(&local));
  EXPECT_FALSE(manager.destroy_ptr<int>(nullptr));
  int* const block = static_cast<int*>(manager.allocate(100));
  EXPECT_FALSE(manager.destroy_ptr(block));
  // Its destructor is not known by the wrong type.
  point* const object = manager.construct<point>("point")();
  EXPECT_FALSE(manager.destroy_ptr(&object->x));
}

TEST_F(manager_test, DestructorsRun) {
  struct counted {
    std::atomic<int>& count;
    explicit counted(std::atomic<int>& c) : count(c) {}
    ~counted() { --count; }
  };
  std::atomic<int> count = 3;
  counted* const one = manager.construct<counted>("one")(count);
  manager.construct<counted>("two")[2](count);
  EXPECT_TRUE(manager.destroy_ptr(one));
  EXPECT_EQ(count, 2);
  EXPECT_TRUE(manager.destroy<counted>("two"));
  EXPECT_EQ(count, 0);
}

TEST_F(manager_test, WhatConstructorsThrowIsThrown) {
  struct picky {
    bool* wrongly_destroyed;
    bool refuses;
    picky(bool refuse, bool* destroyed) : wrongly_destroyed(destroyed), refuses(refuse) {
      if (refuse) throw std::runtime_error("refused");
    }
    ~picky() {
      if (refuses) *wrongly_destroyed = true;
    }
  };
  const std::array<bool, 2> refuse = {false, true};
  bool destroyed = false;
  const std::array<bool*, 2> flags = {&destroyed, &destroyed};
  EXPECT_THROW(manager.construct_it<picky>("it")[2](refuse.data(), flags.data()), std::runtime_error);
  EXPECT_FALSE(destroyed);
  EXPECT_EQ(manager.find<picky>("it"), (std::pair<picky*, std::size_t>(nullptr, 0)));
  EXPECT_TRUE(manager.all_memory_deallocated());
}

TEST_F(manager_test, FindOrConstructPublishesOnlyWhatIsConstructed) {
  struct slow {
    std::atomic<int> done = 0;
    slow(std::atomic<bool>& started, std::atomic<bool>& may_end) {
      started = true;
      while (!may_end) std::this_thread::yield();
      done = 1;
    }
  };
  std::atomic<bool> started = false;
  std::atomic<bool> may_end = false;
  std::thread builder([&] { manager.find_or_construct<slow>("slow")(started, may_end); });
  while (!started) std::this_thread::yield();
  EXPECT_EQ(manager.find<slow>("slow").first, nullptr);
  std::thread asker([&] { EXPECT_EQ(manager.find_or_construct<slow>("slow")(started, may_end)->done, 1); });
  may_end = true;
  builder.join();
  asker.join();
  EXPECT_EQ(manager.find<slow>("slow").first->done, 1);
}

TEST_F(manager_test, ManyThreadsConstruct) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        EXPECT_NE(manager.construct<int>(std::to_string(t * 100 + i))(i), nullptr);
        EXPECT_NE(manager.find_or_construct<int>("shared")(i), nullptr);
        manager.deallocate(manager.allocate(64));
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(manager.get_num_named_objects(), 201U);
}

TEST_F(manager_test, MutexesMayBeStored) {
  struct guarded {
    std::mutex lock;
    int value = 0;
  };
  guarded* const object = manager.construct<guarded>("guarded")();
  const std::lock_guard held(object->lock);
  EXPECT_EQ(object->value, 0);
}

TEST_F(manager_test, DeallocateRemovesObjectsToo) {
  struct large {
    char bytes[200000];
  };
  for (int round = 0; round < 3; ++round) {
    manager.deallocate(manager.construct<int>(metall::anonymous_instance)());
    manager.deallocate(manager.construct<int>("named")[100](1));
    manager.deallocate(manager.construct<large>(metall::unique_instance)());
    EXPECT_EQ(manager.find<int>("named").first, nullptr);
    EXPECT_EQ(manager.find<large>(metall::unique_instance).first, nullptr);
    EXPECT_EQ(manager.anonymous_begin(), manager.anonymous_end());
    EXPECT_TRUE(manager.all_memory_deallocated());
  }
  int* const kept = manager.construct<int>("kept")(7);
  manager.deallocate(manager.construct<int>("named")());
  EXPECT_EQ(manager.find<int>("kept").first, kept);
  EXPECT_EQ(manager.get_num_named_objects(), 1U);
}

TEST_F(manager_test, AllocatedMemoryIsGivenBack) {
  void* const block = manager.allocate(100);
  ASSERT_NE(block, nullptr);
  EXPECT_FALSE(manager.all_memory_deallocated());
  manager.deallocate(block);
  manager.deallocate(nullptr);
  EXPECT_TRUE(manager.all_memory_deallocated());
  EXPECT_EQ(manager.allocate(manager.get_size()), nullptr);
  EXPECT_TRUE(manager.check_sanity());
  void* const large = manager.allocate(metall::manager::chunk_size() * 3);
  EXPECT_FALSE(manager.all_memory_deallocated());
  manager.deallocate(large);
  EXPECT_TRUE(manager.all_memory_deallocated());
}

TEST_F(manager_test, AllocateAlignedIsAlignedAtEveryPowerOfTwo) {
  for (std::size_t alignment = 1; alignment <= metall::manager::chunk_size(); alignment *= 2) {
    for (const std::size_t bytes : {alignment, alignment * 2, std::size_t{24}}) {
      void* const block = manager.allocate_aligned(bytes, alignment);
      ASSERT_NE(block, nullptr) << bytes << " at " << alignment;
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0U);
      manager.deallocate(block);
    }
  }
  for (const std::size_t alignment :
       {std::size_t{0}, std::size_t{3}, std::size_t{48}, metall::manager::chunk_size() * 2})
    EXPECT_EQ(manager.allocate_aligned(96, alignment), nullptr) << alignment;
  EXPECT_TRUE(manager.all_memory_deallocated());
}

#ifndef NDEBUG
TEST_F(manager_test, ADoubleFreeIsDetectedInDebugBuilds) {
  void* const block = manager.allocate(100);
  manager.deallocate(block);
  EXPECT_DEATH(manager.deallocate(block), "");
}
#endif

TEST_F(manager_test, AllocatorsOfAManagerServeContainers) {
  vector_type* const numbers = manager.construct<vector_type>("numbers")(manager.get_allocator<int>());
  for (int i = 0; i < 1000; ++i) numbers->push_back(i);
  EXPECT_EQ(manager.get_allocator(), manager.get_allocator<int>());
  EXPECT_EQ(numbers->get_allocator(), manager.get_allocator<>());
  EXPECT_TRUE(manager.destroy<vector_type>("numbers"));
  EXPECT_TRUE(manager.all_memory_deallocated());
}

TEST_F(manager_test, TheManagerTellsItsAddressAndSize) {
  int* const object = manager.construct<int>("it")();
  const char* const address = static_cast<const char*>(manager.get_address());
  EXPECT_EQ(address + manager.named_begin()->offset(), reinterpret_cast<char*>(object));
  EXPECT_GE(manager.get_size(), METALL_DEFAULT_CAPACITY);
  EXPECT_FALSE(manager.read_only());
  EXPECT_TRUE(manager.check_sanity());
}

TEST_F(manager_test, ProfilePrintsAllocatedBlocks) {
  std::ostringstream out;
  manager.profile(&out);
  EXPECT_NE(out.str().find("allocated blocks"), std::string::npos);
}

TEST_F(manager_test, AMovedManagerKeepsItsStore) {
  manager.construct<int>("in one")(1);
  const auto allocator = manager.get_allocator<int>();
  metall::manager two(metall::create_only, path("two"));
  two.construct<int>("in two")(2);
  metall::manager held = std::move(two);
  two = std::move(manager);
  manager = std::move(held);
  EXPECT_EQ(*two.find<int>("in one").first, 1);
  EXPECT_EQ(*manager.find<int>("in two").first, 2);
  EXPECT_EQ(two.get_allocator<int>(), allocator);
  EXPECT_FALSE(held.check_sanity());
}

TEST_F(manager_test, ABadManagerAnswersEverythingWithNothing) {
  metall::manager bad(metall::open_only, path("nowhere"));
  EXPECT_FALSE(bad.check_sanity());
  EXPECT_TRUE(bad.read_only());
  EXPECT_EQ(bad.construct<int>("x")(1), nullptr);
  EXPECT_EQ(bad.construct<int>("x")[2][2](1), nullptr);
  EXPECT_EQ(bad.find_or_construct<int>(metall::unique_instance)(1), nullptr);
  const int one = 1;
  EXPECT_EQ(bad.construct_it<int>("x")[1](&one), nullptr);
  EXPECT_EQ(bad.find_or_construct_it<int>("x")(&one), nullptr);
  EXPECT_EQ(bad.find<int>("x"), (std::pair<int*, std::size_t>(nullptr, 0)));
  EXPECT_FALSE(bad.destroy<int>("x") || bad.destroy<int>(metall::unique_instance) || bad.destroy_ptr(&one));
  EXPECT_EQ(bad.get_instance_name(&one), nullptr);
  EXPECT_EQ(bad.get_instance_kind(&one), metall::manager::instance_kind());
  EXPECT_EQ(bad.get_instance_length(&one), 0U);
  EXPECT_FALSE(bad.is_instance_type<int>(&one));
  std::string text = "kept";
  EXPECT_FALSE(bad.get_instance_description(&one, &text) || bad.set_instance_description(&one, text));
  EXPECT_FALSE(bad.get_description(&text) || bad.set_description(text));
  EXPECT_EQ(text, "kept");
  EXPECT_EQ(bad.get_num_named_objects() + bad.get_num_unique_objects() + bad.get_num_anonymous_objects(), 0U);
  EXPECT_TRUE(bad.named_begin() == bad.named_end() && bad.unique_begin() == bad.unique_end() &&
              bad.anonymous_begin() == bad.anonymous_end());
  EXPECT_EQ(bad.allocate(1), nullptr);
  EXPECT_EQ(bad.allocate_aligned(8, 8), nullptr);
  bad.deallocate(nullptr);
  EXPECT_FALSE(bad.all_memory_deallocated());
  bad.flush();
  EXPECT_FALSE(bad.snapshot(path("snapshot")));
  EXPECT_EQ(bad.get_uuid(), "");
  EXPECT_EQ(bad.get_version(), 0U);
  EXPECT_EQ(bad.get_address(), nullptr);
  EXPECT_EQ(bad.get_size(), 0U);
  EXPECT_THROW(bad.get_allocator<int>().allocate(1), std::bad_alloc);
  std::ostringstream out;
  bad.profile(&out);
  EXPECT_EQ(out.str(), "");
}

}  // namespace
