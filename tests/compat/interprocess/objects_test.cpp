// Named, unique and anonymous objects.
#include <atomic>
#include <list>
#include <map>
#include <stdexcept>
#include <thread>
#include <vector>

#include "compat/interprocess/interprocess_fixture.hpp"

namespace perdure {
namespace {

using objects_test = open_file_test;

struct point {
  int x;
  double y;
};

TEST_F(objects_test, AConstructedObjectIsFound) {
  point* const p = file.construct<point>("p")(1, 2.5);
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(p->y, 2.5);
  const std::pair<point*, std::size_t> found = file.find<point>("p");
  EXPECT_EQ(found.first, p);
  EXPECT_EQ(found.second, 1U);
  EXPECT_EQ(file.find<point>("q").first, nullptr);
  EXPECT_EQ(file.find<point>("q").second, 0U);
  EXPECT_EQ(file.find_no_lock<point>("p").first, p);
  EXPECT_EQ(file.get_segment_manager()->find<point>("p").first, p);
  EXPECT_EQ(file.get_segment_manager()->find_no_lock<point>("p").first, p);
  EXPECT_EQ(file.find<const point>(std::string("p")).first, p);
}

TEST_F(objects_test, ATakenNameIsAnError) {
  file.construct<int>("x")(1);
  EXPECT_EQ(thrown_by([&] { file.construct<int>("x")(2); }), bip::already_exists_error);
  EXPECT_EQ(file.construct<int>("x", std::nothrow)(2), nullptr);
  EXPECT_EQ(*file.find<int>("x").first, 1);
}

TEST_F(objects_test, AnotherTypeIsAnError) {
  file.construct<int>("x")(1);
  try {
    (void)file.find<double>("x");
    FAIL();
  } catch (const store_exception& failure) {
    EXPECT_EQ(failure.reason(), errc::wrong_type);
    EXPECT_NE(std::string(failure.what()).find("double"), std::string::npos);
  }
}

TEST_F(objects_test, ArraysHaveOneOrMoreDimensions) {
  int* const array = file.construct<int>("array")[10](7);
  EXPECT_EQ(file.find<int>("array").second, 10U);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(array[i], 7);
  int* const matrix = file.construct<int>("matrix")[3][4](1);
  EXPECT_EQ(file.find<int>("matrix").first, matrix);
  EXPECT_EQ(file.find<int>("matrix").second, 12U);
  EXPECT_THROW(file.construct<int>("absurd")[~std::size_t{0}][2](1), bip::bad_alloc);
  EXPECT_EQ(file.construct<int>("absurd", std::nothrow)[~std::size_t{0} / 4](1), nullptr);
}

TEST_F(objects_test, FindOrConstructConstructsOnce) {
  int* const x = file.find_or_construct<int>("x")(1);
  EXPECT_EQ(file.find_or_construct<int>("x")(2), x);
  EXPECT_EQ(file.find_or_construct<int>("x", std::nothrow)(2), x);
  EXPECT_EQ(*x, 1);
  EXPECT_EQ(*file.find_or_construct<int>("y", std::nothrow)[3](2), 2);
}

TEST_F(objects_test, ElementsAreConstructedFromIterators) {
  const std::vector<int> xs{1, 2, 3};
  const std::list<double> ys{0.5, 1.5, 2.5};
  const point* const points = file.construct_it<point>("points")[3](xs.begin(), ys.begin());
  EXPECT_EQ(points[2].x, 3);
  EXPECT_EQ(points[2].y, 2.5);
  EXPECT_EQ(file.construct_it<point>("points", std::nothrow)[3](xs.begin(), ys.begin()), nullptr);
  EXPECT_EQ(file.find_or_construct_it<point>("points")[3](xs.begin(), ys.begin()), points);
  EXPECT_EQ(file.find_or_construct_it<point>("points", std::nothrow)[3](xs.begin(), ys.begin()), points);
}

TEST_F(objects_test, AThrowingConstructorLeavesNothing) {
  struct refuses {
    explicit refuses(int& built) {
      if (++built == 3) throw std::runtime_error("third");
    }
  };
  int built = 0;
  EXPECT_THROW(file.construct<refuses>("r")[5](built), std::runtime_error);
  EXPECT_EQ(file.find<refuses>("r").first, nullptr);
  EXPECT_TRUE(file.all_memory_deallocated());
}

TEST_F(objects_test, AUniqueInstanceIsFoundByItsType) {
  int* const x = file.construct<int>(bip::unique_instance)(1);
  EXPECT_EQ(file.find<int>(bip::unique_instance).first, x);
  EXPECT_EQ(file.find_or_construct<int>(bip::unique_instance)(2), x);
  EXPECT_EQ(file.get_num_unique_objects(), 1U);
  EXPECT_EQ(bip::managed_mapped_file::get_instance_type(x), bip::unique_type);
  EXPECT_STREQ(bip::managed_mapped_file::get_instance_name(x), typeid(int).name());
  EXPECT_TRUE(file.destroy<int>(bip::unique_instance));
  EXPECT_FALSE(file.destroy<int>(bip::unique_instance));
}

TEST_F(objects_test, AnAnonymousInstanceHasNoName) {
  int* const x = file.construct<int>(bip::anonymous_instance)[2](1);
  EXPECT_NE(file.construct<int>(bip::anonymous_instance)(1), x);
  EXPECT_NE(file.construct<int>(static_cast<const char*>(nullptr))(1), nullptr);
  EXPECT_EQ(bip::managed_mapped_file::get_instance_type(x), bip::anonymous_type);
  EXPECT_EQ(bip::managed_mapped_file::get_instance_name(x), nullptr);
  EXPECT_EQ(bip::managed_mapped_file::get_instance_length(x), 2U);
  EXPECT_EQ(file.get_num_named_objects(), 0U);
  file.destroy_ptr(x);
}

TEST_F(objects_test, DestroyCallsDestructors) {
  static int alive = 0;
  struct counted {
    counted() { ++alive; }
    counted(const counted&) = delete;
    ~counted() { --alive; }
  };
  file.construct<counted>("a")[3]();
  counted* const b = file.construct<counted>("b")();
  EXPECT_EQ(alive, 4);
  EXPECT_TRUE(file.destroy<counted>("a"));
  EXPECT_FALSE(file.destroy<counted>("a"));
  file.destroy_ptr(b);
  EXPECT_EQ(alive, 0);
  int outside = 0;
  EXPECT_EQ(thrown_by([&] { file.destroy_ptr(&outside); }), bip::invalid_argument);
  EXPECT_TRUE(file.all_memory_deallocated());
}

TEST_F(objects_test, AnInstanceTellsItsKindNameAndLength) {
  const std::string name(40, 'n');
  int* const x = file.construct<int>(name.c_str())[5](1);
  EXPECT_STREQ(bip::managed_mapped_file::get_instance_name(x), name.c_str());
  EXPECT_EQ(bip::managed_mapped_file::get_instance_type(x), bip::named_type);
  EXPECT_EQ(bip::managed_mapped_file::get_instance_length(x), 5U);
  EXPECT_EQ(segment_manager::get_instance_length(x), 5U);
  int outside = 0;
  EXPECT_EQ(thrown_by([&] { (void)bip::managed_mapped_file::get_instance_name(&outside); }),
            bip::invalid_argument);
}

TEST_F(objects_test, IterationMeetsEveryObject) {
  file.reserve_named_objects(100);
  file.reserve_unique_objects(100);
  std::map<std::string, const void*> expected;
  for (int i = 0; i < 100; ++i) {
    const std::string name = "object " + std::to_string(i);
    expected[name] = file.construct<int>(name.c_str())(i);
  }
  file.construct<double>(bip::unique_instance)(1);
  file.shrink_to_fit_indexes();
  EXPECT_EQ(file.get_num_named_objects(), 100U);
  std::map<std::string, const void*> met;
  for (auto it = file.named_begin(); it != file.named_end(); ++it) {
    EXPECT_EQ(std::char_traits<char>::length(it->name()), it->name_length());
    met[(*it).name()] = it->value();
  }
  EXPECT_EQ(met, expected);
  bip::managed_mapped_file::const_unique_iterator unique = file.unique_begin();
  EXPECT_STREQ(unique++->name(), typeid(double).name());
  EXPECT_EQ(unique, file.unique_end());
}

TEST_F(objects_test, AtomicFuncExcludesOtherThreads) {
  std::atomic<int> step{0};
  auto build_two = [&] {
    file.construct<int>("first")(1);
    step = 1;
    while (step != 2) std::this_thread::yield();
    file.construct<int>("second")(2);
  };
  std::thread builder([&] { file.atomic_func(build_two); });
  while (step != 1) std::this_thread::yield();
  auto never = [&] { step = -1; };
  EXPECT_FALSE(file.try_atomic_func(never));
  EXPECT_NE(file.find_no_lock<int>("first").first, nullptr);
  // Waits for both: there is no moment at which it could see one.
  std::thread seeker([&] { EXPECT_NE(file.find<int>("second").first, nullptr); });
  step = 2;
  builder.join();
  seeker.join();
  auto count = [&] { step = static_cast<int>(file.get_num_named_objects()); };
  EXPECT_TRUE(file.try_atomic_func(count));
  EXPECT_EQ(step, 2);
  EXPECT_THROW(file.atomic_func([] { throw std::runtime_error("told"); }), std::runtime_error);
}

TEST_F(objects_test, AConstructorMayUseTheStore) {
  struct pair_of_numbers {
    explicit pair_of_numbers(bip::managed_mapped_file& in)
        : one(in.construct<int>(bip::anonymous_instance)(1)), two(in.find_or_construct<int>("two")(2)) {}
    bip::offset_ptr<int> one;
    bip::offset_ptr<int> two;
  };
  const auto* const pair = file.construct<pair_of_numbers>("pair")(file);
  EXPECT_EQ(*pair->one + *pair->two, 3);
}

TEST_F(objects_test, ThreadsConstructAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        *file.find_or_construct<std::atomic<int>>("shared")(0) += 1;
        file.construct<int>((std::to_string(t) + "/" + std::to_string(i)).c_str())(i);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(*file.find<std::atomic<int>>("shared").first, 800);
  EXPECT_EQ(file.get_num_named_objects(), 801U);
}

}  // namespace
}  // namespace perdure
