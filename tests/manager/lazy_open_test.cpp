// Objects in a store whose pages are checked when they are first touched: what the library reads by itself is
// reported by exceptions.
#include <gtest/gtest.h>

#include <fstream>
#include <perdure/perdure.hpp>

#include "segment/segment.hpp"
#include "store/file/layout.hpp"
#include "support/errors.hpp"
#include "support/scratch_directory.hpp"
#include "support/small_store.hpp"

namespace perdure {
namespace {

class lazily_opened_objects : public ::testing::Test {
 protected:
  static constexpr std::size_t count = 1'000'000;

  void SetUp() override {
    manager store(create_only, scratch_.path(), small_store());
    auto& numbers = *store.construct<vector<std::uint64_t>>("numbers")(store.get_allocator<std::uint64_t>());
    for (std::size_t i = 0; i < count; ++i) numbers.push_back(i * i);
    store.construct<int>("answer")(42);
    store.set_attribute("answer", "to", "everything");
    data_ = offset_in(store, numbers.data());
    object_ = offset_in(store, store.find<int>("answer").first);
    store.close();
  }

  static std::uint64_t offset_in(const manager& store, const void* address) {
    return static_cast<std::uint64_t>(static_cast<const std::byte*>(address) - store.store().memory().base());
  }
  // Another byte of the page, so that what is read there is as it was.
  void damage_page_of(std::uint64_t offset) const {
    const auto at =
        static_cast<std::streamoff>(store::layout::home_data_offset + offset / page_size * page_size + 4095);
    std::fstream file(scratch_.path() / "heap.000", std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(at);
    const int before = file.get();
    file.seekp(at);
    file.put(static_cast<char>(before ^ 1));
  }
  static std::string page_of(std::uint64_t offset) {
    return "page " + std::to_string(offset / page_size) + ",";
  }

  manager open() const { return manager(open_only, scratch_.path(), {.verify = verify_mode::lazy}); }
  manager open_for_reading() const {
    return manager(open_read_only, scratch_.path(), {.verify = verify_mode::lazy});
  }

  scratch_directory scratch_;
  std::uint64_t data_ = 0;
  std::uint64_t object_ = 0;
};

TEST_F(lazily_opened_objects, are_all_there) {
  for (int round = 0; round < 3; ++round) {
    manager store = open();
    auto& numbers = *store.find<vector<std::uint64_t>>("numbers").first;
    ASSERT_EQ(numbers.size(), count + static_cast<std::size_t>(round));
    for (std::size_t i = 0; i < count; i += 1000) ASSERT_EQ(numbers[i], i * i);
    numbers.push_back(7);
    store.construct<int>(("more" + std::to_string(round)).c_str())(round);
    EXPECT_TRUE(store.check().empty());
    store.checkpoint();
    store.close();
  }
  EXPECT_TRUE(manager::verify(scratch_.path()).whole());
  const manager store = open_for_reading();
  EXPECT_EQ(*store.find<int>("answer").first, 42);
  EXPECT_EQ(store.attribute("answer", "to"), "everything");
}

TEST_F(lazily_opened_objects, may_be_destroyed_without_having_been_touched) {
  for (int round = 0; round < 4; ++round) {
    manager store = open();
    if (round == 0) {
      EXPECT_TRUE(store.destroy<vector<std::uint64_t>>("numbers"));
    }
    store.construct<int>(anonymous_instance)(round);
    store.checkpoint();  // what stays free is given back at a later one
    store.construct<int>(anonymous_instance)(round);
    store.checkpoint();
    auto& refilled = *store.construct<vector<std::uint64_t>>(anonymous_instance)(
        200'000u, std::uint64_t{1}, store.get_allocator<std::uint64_t>());
    EXPECT_EQ(refilled[199'999], 1u);
    store.destroy_ptr(&refilled);
    store.close();
  }
  EXPECT_TRUE(manager::verify(scratch_.path()).whole());
}

TEST_F(lazily_opened_objects, are_refused_when_the_heap_is_damaged) {
  damage_page_of(0);
  EXPECT_TRUE(fails_with(errc::damaged, "heap.000 at byte 2097152, page 0,", [&] { open(); }));
  EXPECT_TRUE(fails_with(errc::damaged, "page 0,", [&] { open_for_reading(); }));
  EXPECT_NO_THROW(manager(open_read_only, scratch_.path()));
}

TEST_F(lazily_opened_objects, are_refused_when_their_records_are_damaged) {
  damage_page_of(object_);
  const auto use = [&] {
    const manager store = open_for_reading();
    static_cast<void>(store.find<int>("answer"));
  };
  EXPECT_TRUE(fails_with(errc::damaged, page_of(object_), use));
}

TEST_F(lazily_opened_objects, can_be_checked_before_they_are_used) {
  damage_page_of(data_ + count * 4);
  const manager store = open_for_reading();
  const auto& numbers = *store.find<vector<std::uint64_t>>("numbers").first;
  EXPECT_TRUE(fails_with(errc::damaged, page_of(data_ + count * 4), [&] {
    store.require_sound(numbers.data(), numbers.size() * sizeof(std::uint64_t));
  }));
  EXPECT_NO_THROW(store.require_sound(numbers.data(), 1));
  EXPECT_EQ(numbers[9], 81u);
}

}  // namespace
}  // namespace perdure
