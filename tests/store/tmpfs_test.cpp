// Stores on tmpfs, where the kernel gives a hole of a mapped file a page when it is touched, also for
// reading.
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <perdure/datastore.hpp>
#include <perdure/store_maintenance.hpp>
#include <vector>

#include "os/mapping.hpp"
#include "segment/segment.hpp"
#include "support/child_process.hpp"
#include "support/errors.hpp"
#include "support/page_pattern.hpp"
#include "support/random_stream.hpp"
#include "support/small_file_system.hpp"
#include "support/small_store.hpp"
#include "support/stored_pages.hpp"

namespace perdure {
namespace {

constexpr std::uint64_t pages = 4096;
constexpr std::uint64_t period =
    16;  // the first page of each so many is written, so there are holes in between

std::uint64_t number_of(std::uint64_t page) {
  return page % period == 0 ? page + 1 : 0;
}

class a_store_on_tmpfs : public a_small_file_system {
 protected:
  using a_small_file_system::a_small_file_system;

  // With its first checkpoint home.
  std::unique_ptr<datastore> make_store(backing kind = backing::private_memory) const {
    auto made = datastore::create(store(), small_store(kind));
    made->memory().grow(pages * page_size);
    for (std::uint64_t page = 0; page < pages; page += period) put(*made, page, number_of(page));
    made->checkpoint();
    made->wait_applied();
    return made;
  }
  // Of what is at home.
  std::int64_t blocks() const {
    struct stat status {};
    EXPECT_EQ(::stat((store() / "heap.000").c_str(), &status), 0);
    return status.st_blocks;
  }
  static ::testing::AssertionResult is_as_made(datastore& opened) {
    for (std::uint64_t page = 0; page < pages; ++page)
      if (auto result = has(opened, page, number_of(page)); !result) return result;
    return ::testing::AssertionSuccess();
  }
};

#define NEEDS_MOUNT \
  if (!mounted_) GTEST_SKIP() << "needs the right to mount"

TEST_F(a_store_on_tmpfs, is_read_without_taking_space) {
  NEEDS_MOUNT;
  make_store()->close();
  const std::int64_t before = blocks();
  fill_up();
  for (const verify_mode verify : {verify_mode::journal, verify_mode::lazy, verify_mode::open}) {
    store_options options = small_store();
    options.verify = verify;
    EXPECT_TRUE(is_as_made(*datastore::open_read_only(store(), options)));
    const auto copy = datastore::open_copy_on_write(store(), options);
    EXPECT_TRUE(is_as_made(*copy));
    for (std::uint64_t page = 0; page < pages; ++page) put(*copy, page, page + 2);
    EXPECT_TRUE(has(*copy, 77, 79));
    std::vector<std::byte> copied(pages * page_size);
    copy->copy_out(copied, copy->memory().base());
    EXPECT_TRUE(holds(copied.data() + 77 * page_size, 79));
    EXPECT_EQ(blocks(), before);
  }
  EXPECT_TRUE(store_maintenance::verify(store()).whole());
  EXPECT_EQ(blocks(), before);
}

TEST_F(a_store_on_tmpfs, is_opened_and_read_by_a_writer_without_taking_space) {
  NEEDS_MOUNT;
  make_store()->close();
  for (const verify_mode verify : {verify_mode::journal, verify_mode::lazy}) {
    const std::int64_t before = blocks();
    fill_up();
    store_options options = small_store();
    options.verify = verify;
    const auto opened = datastore::open(store(), options);
    EXPECT_TRUE(is_as_made(*opened));
    std::vector<std::byte> copied(pages * page_size);
    opened->copy_out(copied, opened->memory().base());
    for (std::uint64_t page = 0; page < pages; ++page)
      ASSERT_TRUE(holds(copied.data() + page * page_size, number_of(page)));
    opened->checkpoint();
    opened->wait_applied();
    EXPECT_TRUE(is_as_made(*opened));
    EXPECT_EQ(blocks(), before);
    make_room();
  }
}

TEST_F(a_store_on_tmpfs, fails_the_checkpoint_when_it_is_full_and_keeps_the_memory) {
  NEEDS_MOUNT;
  make_store()->close();
  fill_up();
  {
    const auto opened = datastore::open(store());
    opened->memory().grow(2 * pages * page_size);
    for (std::uint64_t page = 1; page < 2 * pages; page += 2) put(*opened, page, page + 5);
    EXPECT_TRUE(fails_with(errc::no_space, "free some disk space", [&] { opened->checkpoint(); }));
    EXPECT_TRUE(fails_with(errc::no_space, "", [&] { opened->trim(); }));
    for (std::uint64_t page = 0; page < 2 * pages; ++page)
      ASSERT_TRUE(has(*opened, page, page % 2 != 0 ? page + 5 : page < pages ? number_of(page) : 0));
  }
  EXPECT_TRUE(store_maintenance::verify(store()).whole());
  const auto again = datastore::open(store());
  EXPECT_EQ(again->epoch(), 1u);
  EXPECT_TRUE(is_as_made(*again));
  for (std::uint64_t page = 1; page < pages / 4; page += 2) put(*again, page, page + 5);
  make_room();
  again->checkpoint();
  again->close();
  EXPECT_TRUE(store_maintenance::verify(store()).whole());
  const auto third = datastore::open_read_only(store());
  for (std::uint64_t page = 0; page < pages; ++page)
    ASSERT_TRUE(has(*third, page, page % 2 != 0 && page < pages / 4 ? page + 5 : number_of(page)));
}

// Home loses pages that become empty, and pages that are released.
TEST_F(a_store_on_tmpfs, may_use_pages_again_that_a_checkpoint_has_emptied) {
  NEEDS_MOUNT;
  {
    const auto first = datastore::create(store(), small_store());
    first->memory().grow(8 * mib);
    for (std::uint64_t page = 0; page < 1500; ++page) put(*first, page, page + 1);
    first->checkpoint();
  }
  const auto opened = datastore::open(store());
  for (std::uint64_t page = 0; page < 500; ++page) put(*opened, page, 0);
  const detail::page_run released[]{{500, 500}};
  opened->checkpoint(released);
  opened->wait_applied();
  opened->trim();
  const std::int64_t before = blocks();
  fill_up();
  for (std::uint64_t page = 0; page < 500; ++page) ASSERT_TRUE(has(*opened, page, 0));
  for (std::uint64_t page = 1000; page < 1500; ++page) ASSERT_TRUE(has(*opened, page, page + 1));
  for (std::uint64_t page = 0; page < 1000; page += 3) put(*opened, page, page + 9);
  EXPECT_EQ(blocks(), before);
  EXPECT_TRUE(fails_with(errc::no_space, "", [&] { opened->checkpoint(); }));
  make_room();
  opened->checkpoint();
  opened->close();
  EXPECT_TRUE(store_maintenance::verify(store()).whole());
  const auto again = datastore::open_read_only(store());
  for (std::uint64_t page = 0; page < 1500; ++page) {
    if (page < 1000 && page % 3 == 0) {
      ASSERT_TRUE(has(*again, page, page + 9));
    } else if (page < 500 || page >= 1000) {
      ASSERT_TRUE(has(*again, page, page < 500 ? 0 : page + 1));
    }
  }
}

TEST_F(a_store_on_tmpfs, may_use_pages_again_that_were_written_early_and_are_given_back) {
  NEEDS_MOUNT;
  const auto opened = datastore::create(store(), small_store());
  opened->memory().grow(4 * mib);
  for (std::uint64_t page = 0; page < 1000; ++page) put(*opened, page, page + 1);
  opened->checkpoint();
  opened->wait_applied();
  opened->memory().grow(8 * mib);
  for (std::uint64_t page = 1100; page < 1900; ++page) put(*opened, page, page + 1);
  opened->trim();  // writes them home, from where they are mapped now
  for (std::uint64_t page = 0; page < 1000; ++page) put(*opened, page, page + 2);
  fill_up();
  for (std::uint64_t page = 1000; page < 1900; ++page)
    ASSERT_TRUE(has(*opened, page, page < 1100 ? 0 : page + 1));
  // Its journal does not fit, also not where these pages were.
  const detail::page_run released[]{{1200, 300}};
  EXPECT_TRUE(fails_with(errc::no_space, "", [&] { opened->checkpoint(released); }));
  fill_up();
  for (std::uint64_t page = 1200; page < 1500; ++page) put(*opened, page, page + 7);
  for (std::uint64_t page = 1000; page < 1900; ++page) {
    const bool is_used_again = page >= 1200 && page < 1500;
    ASSERT_TRUE(has(*opened, page, page < 1100 ? 0 : is_used_again ? page + 7 : page + 1));
  }
  make_room();
  opened->checkpoint();
  opened->close();
  EXPECT_TRUE(store_maintenance::verify(store()).whole());
  const auto again = datastore::open_read_only(store());
  for (std::uint64_t page = 0; page < 1000; ++page) ASSERT_TRUE(has(*again, page, page + 2));
  for (std::uint64_t page = 1200; page < 1500; ++page) ASSERT_TRUE(has(*again, page, page + 7));
}

TEST_F(a_store_on_tmpfs, has_what_was_copied_past_memory) {
  NEEDS_MOUNT;
  const auto opened = datastore::create(store(), small_store());
  opened->memory().grow(8 * mib);
  opened->checkpoint();
  opened->wait_applied();
  opened->memory().grow(16 * mib);
  std::vector<std::byte> bytes(1024 * page_size);
  for (std::uint64_t page = 0; page < 1024; ++page)
    fill_page(bytes.data() + page * page_size, number_of(page));
  std::byte* const to = opened->memory().base() + 2048 * page_size;
  opened->copy_in(to, bytes);
  fill_up();
  for (std::uint64_t page = 0; page < 4096; ++page) {
    const bool is_copied = page >= 2048 && page < 3072;
    ASSERT_TRUE(has(*opened, page, is_copied ? number_of(page - 2048) : 0));
  }
  make_room();
  opened->checkpoint();
  const detail::page_run released[]{{2048, 1024}};
  opened->checkpoint(released);
  opened->wait_applied();
  fill_up();
  for (std::uint64_t page = 2048; page < 3072; ++page) put(*opened, page, page);
  make_room();
  opened->checkpoint();
  opened->close();
  EXPECT_TRUE(store_maintenance::verify(store()).whole());
  const auto again = datastore::open_read_only(store());
  for (std::uint64_t page = 2048; page < 3072; ++page) ASSERT_TRUE(has(*again, page, page));
}

TEST_F(a_store_on_tmpfs, lets_a_reader_see_its_checkpoint_while_a_writer_fills_the_holes) {
  NEEDS_MOUNT;
  const auto writer = make_store();
  store_options options = small_store();
  options.beside_writer = reader_beside_writer::hold_writer;
  {
    const auto reader = datastore::open_read_only(store(), options);
    for (std::uint64_t page = 0; page < 600; ++page) put(*writer, page, page + 3);
    writer->checkpoint();
    EXPECT_TRUE(is_as_made(*reader));
    const auto next = datastore::open_read_only(store(), options);
    for (std::uint64_t page = 0; page < pages; ++page)
      ASSERT_TRUE(has(*next, page, page < 600 ? page + 3 : number_of(page)));
    EXPECT_TRUE(is_as_made(*reader));
  }
  writer->wait_applied();
  const auto later = datastore::open_read_only(store(), options);
  for (std::uint64_t page = 0; page < pages; ++page)
    ASSERT_TRUE(has(*later, page, page < 600 ? page + 3 : number_of(page)));
}

TEST_F(a_store_on_tmpfs, is_staged_out_when_the_place_is_full) {
  NEEDS_MOUNT;
  {
    const auto original = datastore::create(path("original"), small_store());
    original->memory().grow(pages * page_size);
    put(*original, 5, 6);
    original->checkpoint();
  }
  store_maintenance::stage_in(path("original"), store());
  {
    const auto fast = datastore::open(store());
    put(*fast, 5, 0);
    for (std::uint64_t page = 0; page < pages; page += period) put(*fast, page, number_of(page));
    fast->checkpoint();
  }
  fill_up();
  const std::int64_t before = blocks();
  EXPECT_EQ(store_maintenance::stage_out(store(), path("original")).pages_written, pages / period + 1);
  EXPECT_EQ(blocks(), before);
  EXPECT_TRUE(is_as_made(*datastore::open_read_only(path("original"))));
}

TEST_F(a_store_on_tmpfs, makes_many_checkpoints_of_pages_that_come_and_go) {
  NEEDS_MOUNT;
  std::vector<std::uint64_t> numbers(pages, 0);
  for (std::uint64_t page = 0; page < pages; ++page) numbers[page] = number_of(page);
  make_store()->close();
  random_stream random(7);
  for (int opening = 0; opening < 4; ++opening) {
    store_options options = small_store();
    options.verify = opening % 2 == 0 ? verify_mode::journal : verify_mode::lazy;
    const auto opened = datastore::open(store(), options);
    for (int epoch = 0; epoch < 6; ++epoch) {
      for (int change = 0; change < 100; ++change) {
        const std::uint64_t page = random.below(pages - 4);
        const std::uint64_t number = random.below(3) == 0 ? 0 : random.below(1000) + 1;
        // At most every sixth page takes space.
        if (number != 0 && page % 6 != 0) continue;
        put(*opened, page, number);
        numbers[page] = number;
      }
      if (epoch % 2 == 1) opened->trim();
      const std::uint64_t first = random.below(pages - 64);
      const detail::page_run released[]{{first, 64}};
      opened->checkpoint(released);
      for (std::uint64_t page = first; page < first + 64; ++page) {
        put(*opened, page, page % 6 == 0 ? epoch + 1 : 0);
        numbers[page] = page % 6 == 0 ? epoch + 1 : 0;
      }
      if (epoch % 3 == 2) opened->wait_applied();
      for (std::uint64_t page = 0; page < pages; ++page)
        ASSERT_TRUE(has(*opened, page, numbers[page])) << epoch;
    }
    opened->checkpoint();
    opened->close();
    ASSERT_TRUE(store_maintenance::verify(store()).whole());
    const auto reader = datastore::open_read_only(store());
    for (std::uint64_t page = 0; page < pages; ++page) ASSERT_TRUE(has(*reader, page, numbers[page]));
  }
}

class a_store_of_many_holes : public a_store_on_tmpfs {
 protected:
  a_store_of_many_holes() : a_store_on_tmpfs(512) {}

  // More than there may be mappings for.
  static constexpr std::uint64_t all = 40'000;
  static constexpr std::uint64_t words_checked = 8;

  static std::uint64_t word_of(std::uint64_t page) { return page % 2 == 0 ? page + 1 : 0; }
  void make() const {
    const auto made = datastore::create(store(), small_store());
    made->memory().grow(all * page_size);
    for (std::uint64_t page = 0; page < all; page += 2) first_word(*made, page) = word_of(page);
    made->checkpoint();
  }
  static std::uint64_t& first_word(datastore& of, std::uint64_t page) {
    return *reinterpret_cast<std::uint64_t*>(of.memory().base() + page * page_size);
  }
  static ::testing::AssertionResult is_whole(datastore& opened, std::uint64_t changed = all) {
    for (std::uint64_t page = 0; page < all; ++page) {
      const std::uint64_t expected = page % 1000 == changed ? 5 : word_of(page);
      if (first_word(opened, page) != expected) return ::testing::AssertionFailure() << "page " << page;
    }
    return ::testing::AssertionSuccess();
  }
  // Opens, reads and changes.
  void use() const {
    const std::int64_t before = blocks();
    EXPECT_TRUE(is_whole(*datastore::open_read_only(store())));
    EXPECT_EQ(blocks(), before);
    const auto opened = datastore::open(store());
    EXPECT_TRUE(is_whole(*opened));
    EXPECT_EQ(blocks(), before);
    const std::uint64_t epoch = opened->epoch();
    opened->checkpoint();
    // Nothing was changed; but this tracker cannot tell what was copied into memory.
    if (opened->tracker() != "pagemap") {
      EXPECT_EQ(opened->epoch(), epoch);
    }
    for (const std::uint64_t changed : {1, 2}) {
      for (std::uint64_t page = changed; page < all; page += 1000) first_word(*opened, page) = 5;
      opened->trim();
      EXPECT_TRUE(is_whole(*opened, changed));
      opened->checkpoint();
      opened->wait_applied();
      EXPECT_TRUE(is_whole(*opened, changed));
      for (std::uint64_t page = changed; page < all; page += 1000) first_word(*opened, page) = word_of(page);
    }
    opened->checkpoint();
    opened->close();
    EXPECT_TRUE(store_maintenance::verify(store()).whole());
    EXPECT_TRUE(is_whole(*datastore::open_read_only(store())));
  }
};

TEST_F(a_store_of_many_holes, is_opened) {
  NEEDS_MOUNT;
  make();
  use();
}

TEST_F(a_store_of_many_holes, is_opened_by_a_process_that_has_few_mappings_left) {
  NEEDS_MOUNT;
  make();
  EXPECT_TRUE(in_another_process([&]() -> int {
    std::uint64_t most = 0;
    std::ifstream("/proc/sys/vm/max_map_count") >> most;
    std::ifstream maps("/proc/self/maps");
    const auto lines = std::count(std::istreambuf_iterator<char>(maps), {}, '\n');
    const std::size_t wanted = most - static_cast<std::size_t>(lines) - 2000;
    // Neighbours that differ are mappings of their own.
    const os::reservation place(wanted * page_size, page_size);
    for (std::size_t page = 0; page < wanted; page += 2)
      os::protect(place.base() + page * page_size, page_size, os::access::read);
    use();
    return HasFailure() ? 1 : 0;
  }));
}

}  // namespace
}  // namespace perdure
