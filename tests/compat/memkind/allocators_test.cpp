// The C++ allocators.
#include <fixed_allocator.h>
#include <gtest/gtest.h>
#include <hbw_allocator.h>
#include <memkind_allocator.h>
#include <pmem_allocator.h>

#include <list>
#include <map>
#include <scoped_allocator>
#include <string>
#include <vector>

#include "support/scratch_test.hpp"

namespace {

template <class Allocator>
using rebound = typename std::allocator_traits<Allocator>::template rebind_alloc<std::pair<const int, int>>;

template <class Allocator>
void serves_containers(const Allocator& allocator) {
  std::vector<int, Allocator> numbers(allocator);
  for (int i = 0; i < 10000; ++i) numbers.push_back(i);
  std::list<int, Allocator> list(numbers.begin(), numbers.end(), allocator);
  std::map<int, int, std::less<>, rebound<Allocator>> map{rebound<Allocator>(allocator)};
  for (const int n : list) map[n] = n;
  EXPECT_EQ(map.size(), 10000u);
  const auto copy = numbers;
  EXPECT_EQ(copy[9999], 9999);
  EXPECT_TRUE(rebound<Allocator>(allocator) == allocator);
  Allocator changeable = allocator;
  EXPECT_THROW((void)changeable.allocate(~std::size_t{0} / 2), std::bad_alloc);
  auto* const nothing = changeable.allocate(0);
  EXPECT_NE(nothing, nullptr);
  changeable.deallocate(nothing, 0);
}

TEST(a_static_kind_allocator, serves_containers) {
  using allocator = libmemkind::static_kind::allocator<int>;
  serves_containers(allocator(libmemkind::kinds::DEFAULT));
  serves_containers(allocator(libmemkind::kinds::REGULAR));
  EXPECT_TRUE(allocator(libmemkind::kinds::DEFAULT) != allocator(libmemkind::kinds::REGULAR));
}

TEST(a_static_kind_allocator, knows_every_kind_and_no_others) {
  for (int kind = 0; kind <= 22; ++kind)
    EXPECT_NO_THROW(libmemkind::static_kind::allocator<int>(static_cast<libmemkind::kinds>(kind)));
  EXPECT_THROW(libmemkind::static_kind::allocator<int>(static_cast<libmemkind::kinds>(23)),
               std::runtime_error);
}

class a_pmem_allocator : public perdure::scratch_test {};

TEST_F(a_pmem_allocator, serves_containers) {
  using allocator = libmemkind::pmem::allocator<int>;
  const allocator one(path("").string(), 64 << 20);
  serves_containers(one);
  serves_containers(allocator(path("").c_str(), 64 << 20, libmemkind::allocation_policy::CONSERVATIVE));
  EXPECT_TRUE(one != allocator(path("").string(), 64 << 20));
}

TEST_F(a_pmem_allocator, throws_for_bad_arguments) {
  using allocator = libmemkind::pmem::allocator<int>;
  EXPECT_THROW(allocator(path("missing").string(), 64 << 20), std::invalid_argument);
  EXPECT_THROW(allocator(path("").string(), 1), std::invalid_argument);
  EXPECT_THROW(allocator(path("").string(), 0, libmemkind::allocation_policy::MAX), std::invalid_argument);
}

TEST_F(a_pmem_allocator, serves_containers_of_containers) {
  using characters = libmemkind::pmem::allocator<char>;
  using text = std::basic_string<char, std::char_traits<char>, characters>;
  using texts = std::scoped_allocator_adaptor<libmemkind::pmem::allocator<text>>;
  std::vector<text, texts> lines{texts(libmemkind::pmem::allocator<text>(path("").string(), 64 << 20))};
  for (int i = 0; i < 1000; ++i)
    lines.emplace_back("a line that is too long to be kept inside the string itself");
  EXPECT_EQ(lines[999].size(), lines[0].size());
}

TEST(a_fixed_allocator, serves_containers) {
  std::vector<char> area(8 << 20);
  serves_containers(libmemkind::fixed::allocator<int>(area.data(), area.size()));
  EXPECT_THROW(libmemkind::fixed::allocator<int>(nullptr, 100), std::invalid_argument);
}

TEST(a_high_bandwidth_allocator, serves_containers) {
  serves_containers(hbw::allocator<int>());
  int number = 0;
  EXPECT_EQ(hbw::allocator<int>().address(number), &number);
}

}  // namespace
