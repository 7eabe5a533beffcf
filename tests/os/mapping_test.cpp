#include "os/mapping.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <system_error>

namespace perdure::os {
namespace {

constexpr std::size_t gib = std::size_t{1} << 30;

TEST(a_reservation, is_aligned_and_large) {
  const reservation range(4 * gib, gib);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(range.base()) % gib, 0u);
  EXPECT_EQ(range.size(), 4 * gib);
}

TEST(a_reservation, takes_an_address_only_when_it_is_free) {
  void* address;
  {
    const reservation range(gib, gib);
    address = range.base();
    EXPECT_THROW(reservation(address, gib), std::system_error);
    EXPECT_THROW(reservation(static_cast<std::byte*>(address) + gib / 2, gib), std::system_error);
  }
  EXPECT_EQ(reservation(address, gib).base(), address);
}

TEST(a_reservation, of_absurd_size_is_an_error) {
  EXPECT_THROW(reservation(~std::size_t{0} - 4095, gib), std::system_error);
  EXPECT_THROW(reservation(std::size_t{1} << 60, gib), std::system_error);
}

TEST(limits_of_mappings, are_named_by_the_options_that_set_them) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_DATA, &before), 0);
  const rlimit less{std::uint64_t{1} << 42, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_DATA, &less), 0);
  const std::string words = mapping_limits_in_words();
  ASSERT_EQ(::setrlimit(RLIMIT_DATA, &before), 0);
  EXPECT_NE(words.find("`ulimit -d` (4294967296 KiB)"), std::string::npos) << words;
  if (before.rlim_cur == RLIM_INFINITY) {
    EXPECT_EQ(mapping_limits_in_words().find("ulimit -d"), std::string::npos);
  }
}

TEST(mapped_memory, can_be_opened_dropped_and_replaced) {
  const reservation range(gib, gib);
  protect(range.base(), 1 << 20, access::read_write);
  range.base()[5] = std::byte{5};
  drop_pages(range.base(), 4096);
  EXPECT_EQ(range.base()[5], std::byte{0});
  range.base()[5] = std::byte{6};
  map_anonymous(range.base(), 4096, access::read);
  EXPECT_EQ(range.base()[5], std::byte{0});
}

}  // namespace
}  // namespace perdure::os
