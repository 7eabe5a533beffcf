// One program of which some sources have Perdure in the place of Boost, and some have Boost.
#include <boost/interprocess/allocators/adaptive_pool.hpp>
#include <boost/interprocess/allocators/node_allocator.hpp>
#include <boost/interprocess/containers/list.hpp>
#include <boost/interprocess/managed_mapped_file.hpp>
#include <boost/interprocess/managed_shared_memory.hpp>
#include <filesystem>
#include <string>
#include <type_traits>

#include "compat/in_place_of_boost/boosts_own_file.hpp"
#include "compat/interprocess/interprocess_fixture.hpp"

namespace perdure {
namespace {

template <class Segment>
using list_in = bip::list<int, bip::node_allocator<int, typename Segment::segment_manager>>;

unsigned long numbers_in_store(const char* path) {
  bip::managed_mapped_file file(bip::open_or_create, path, 65536);
  auto& numbers =
      *file.find_or_construct<list_in<bip::managed_mapped_file>>("numbers")(file.get_segment_manager());
  numbers.push_back(1);
  return numbers.size();
}

using beside_boost_test = empty_path_test;

TEST_F(beside_boost_test, EachSourceHasItsOwnFiles) {
  const std::string boosts = path + ".boost";
  for (unsigned long count = 1; count <= 3; ++count) {
    EXPECT_EQ(numbers_in_store(path.c_str()), count);
    EXPECT_EQ(numbers_in_boosts_file(boosts.c_str(), count == 3), count);
    EXPECT_TRUE(std::filesystem::is_directory(path));
    EXPECT_EQ(std::filesystem::is_regular_file(boosts), count < 3);
  }
  EXPECT_TRUE(bip::file_mapping::remove(path.c_str()));
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(bip::file_mapping::remove(path.c_str()));
}

TEST_F(beside_boost_test, OtherManagedMemoryIsBoosts) {
  const std::string name = "perdure-test-" + std::to_string(::getpid());
  bip::shared_memory_object::remove(name.c_str());
  {
    bip::managed_shared_memory memory(bip::create_only, name.c_str(), 65536);
    using list = list_in<bip::managed_shared_memory>;
    memory.construct<list>("numbers")(memory.get_segment_manager())->push_back(1);
    EXPECT_EQ(memory.find<list>("numbers").first->size(), 1u);
  }
  EXPECT_TRUE(bip::shared_memory_object::remove(name.c_str()));
}

TEST_F(beside_boost_test, NamesAreBoosts) {
  using segment = bip::managed_mapped_file;
  static_assert(
      std::is_same_v<segment, bip::basic_managed_mapped_file<char, bip::rbtree_best_fit<bip::mutex_family>,
                                                             bip::iset_index>>);
  static_assert(std::is_same_v<segment::allocator<int>::type, bip::allocator<int, segment::segment_manager>>);
  static_assert(std::is_same_v<segment::deleter<int>::type, bip::deleter<int, segment::segment_manager>>);
  static_assert(std::is_same_v<bip::node_allocator<int, segment::segment_manager, 7>::rebind<char>::other,
                               bip::node_allocator<char, segment::segment_manager, 7>>);
  static_assert(
      std::is_same_v<bip::adaptive_pool<int, segment::segment_manager>::pointer, bip::offset_ptr<int>>);
  segment file(bip::create_only, path.c_str(), 65536);
  const int* const object = file.construct<int>(bip::unique_instance)(1);
  EXPECT_EQ(segment::get_instance_type(object), bip::unique_type);
  EXPECT_EQ(segment::get_instance_type(file.construct<int>(bip::anonymous_instance)(1)), bip::anonymous_type);
  EXPECT_EQ(file.find<int>(bip::unique_instance).first, object);
}

}  // namespace
}  // namespace perdure
