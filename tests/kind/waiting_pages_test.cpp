#include "kind/waiting_pages.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdint>
#include <vector>

#include "os/mapping.hpp"

namespace {

using perdure::detail::waiting_pages;

constexpr std::size_t page = 4096;
constexpr std::size_t pages = 64;

class AWaitingPage : public testing::Test {
 protected:
  AWaitingPage() : memory_(pages * page, page) {
    perdure::os::map_anonymous(memory_.base(), memory_.size(), perdure::os::access::read_write);
    perdure::os::prefer_small_pages(memory_.base(), memory_.size());
  }

  void* at(std::size_t number) { return memory_.base() + number * page; }
  std::vector<std::size_t> taken() {
    std::vector<unsigned char> resident(pages);
    EXPECT_EQ(::mincore(memory_.base(), memory_.size(), resident.data()), 0);
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < pages; ++i)
      if ((resident[i] & 1) != 0) all.push_back(i);
    return all;
  }

  perdure::os::reservation memory_;
  waiting_pages waiting_;
};

TEST_F(AWaitingPage, IsTakenOnceAndForgotten) {
  waiting_.add(at(3), 2 * page);
  EXPECT_EQ(waiting_.bytes(), 2 * page);
  EXPECT_TRUE(taken().empty());
  waiting_.take();
  EXPECT_EQ(waiting_.bytes(), 0U);
  EXPECT_EQ(taken(), (std::vector<std::size_t>{3, 4}));
  waiting_.take();
}

TEST_F(AWaitingPage, JoinsItsNeighbours) {
  waiting_.add(at(0), page);
  waiting_.add(at(2), page);
  waiting_.add(at(1), page);
  EXPECT_EQ(waiting_.bytes(), 3 * page);
  waiting_.remove(at(0), 3 * page);
  EXPECT_EQ(waiting_.bytes(), 0U);
  waiting_.take();
  EXPECT_TRUE(taken().empty());
}

TEST_F(AWaitingPage, IsNotTakenOnceItIsGivenBack) {
  waiting_.add(at(10), 10 * page);
  waiting_.add(at(30), 2 * page);
  waiting_.remove(at(12), 3 * page);   // from the middle
  waiting_.remove(at(18), 13 * page);  // the end of one and the beginning of the next
  waiting_.remove(at(40), page);       // never waited
  EXPECT_EQ(waiting_.bytes(), 6 * page);
  waiting_.take();
  EXPECT_EQ(taken(), (std::vector<std::size_t>{10, 11, 15, 16, 17, 31}));
}

}  // namespace
