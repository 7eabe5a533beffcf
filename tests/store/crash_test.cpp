// What a crash may and may not do: processes killed at random moments, and states put together by hand.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <perdure/datastore.hpp>
#include <perdure/store_maintenance.hpp>
#include <thread>

#include "os/file.hpp"
#include "store/file/checked_block.hpp"
#include "store/file/layout.hpp"
#include "store/model_store.hpp"
#include "store/tested_backing.hpp"
#include "support/errors.hpp"
#include "support/flipped_bit.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"
#include "support/stored_pages.hpp"

namespace perdure {
namespace {

class after_a_crash : public scratch_test {
 protected:
  void flip(const std::string& file, std::uint64_t offset) { flip_bit(path() / file, offset, 4); }

  // A store at epoch 2 whose files are those of epoch 1, except for the journals: as a crash right after
  // the commit leaves it. Epoch 2 changes pages 0..49, makes 60..69 zero and releases 80..89.
  void commit_without_applying() {
    {
      const auto store = datastore::create(path("before"), small_store());
      store->memory().grow(4 * mib);
      for (std::uint64_t page = 0; page < 100; ++page) put(*store, page, page + 1);
      store->checkpoint();
    }
    std::filesystem::copy(path("before"), path(), std::filesystem::copy_options::recursive);
    {
      const auto store = datastore::open(path());
      for (std::uint64_t page = 0; page < 50; ++page) put(*store, page, page + 1000);
      for (std::uint64_t page = 60; page < 70; ++page) put(*store, page, 0);
      const detail::page_run gone{80, 10};
      store->checkpoint(std::span(&gone, 1));
      ASSERT_EQ(store->epoch(), 2u);
    }
    for (const char* file : {"super", "crc", "heap.000"}) {
      std::filesystem::copy_file(path("before") / file, path() / file,
                                 std::filesystem::copy_options::overwrite_existing);
    }
  }

  static ::testing::AssertionResult is_epoch(datastore& store, std::uint64_t epoch) {
    if (store.epoch() != epoch) return ::testing::AssertionFailure() << "epoch " << store.epoch();
    for (std::uint64_t page = 0; page < 100; ++page) {
      const bool second = epoch == 2;
      if (second && page >= 80 && page < 90) continue;
      const std::uint64_t number = second && page < 50                 ? page + 1000
                                   : second && page >= 60 && page < 70 ? 0
                                                                       : page + 1;
      if (!holds(store.memory().base() + page * page_size, number)) {
        return ::testing::AssertionFailure() << "page " << page << " is wrong";
      }
    }
    return ::testing::AssertionSuccess();
  }
};

TEST_F(after_a_crash, what_was_committed_is_brought_home) {
  commit_without_applying();
  EXPECT_EQ(store_maintenance::inspect(path()).epoch, 2u);
  EXPECT_EQ(store_maintenance::inspect(path()).applied_epoch, 1u);
  {
    const auto store = tested::open(path());
    EXPECT_TRUE(is_epoch(*store, 2));
    EXPECT_EQ(store->info().applied_epoch, 2u);
    put(*store, 99, 5);
    store->checkpoint();
    EXPECT_EQ(store->epoch(), 3u);
  }
  const auto store = tested::open(path());
  EXPECT_TRUE(holds(store->memory().base() + 99 * page_size, 5));
  EXPECT_TRUE(holds(store->memory().base() + 49 * page_size, 1049));
}

TEST_F(after_a_crash, readers_see_what_was_committed_and_change_nothing) {
  commit_without_applying();
  const auto before = std::filesystem::last_write_time(path() / "heap.000");
  {
    const auto first = datastore::open_read_only(path());
    const auto second = datastore::open_read_only(path());
    EXPECT_TRUE(is_epoch(*first, 2));
    EXPECT_TRUE(is_epoch(*second, 2));
  }
  EXPECT_EQ(std::filesystem::last_write_time(path() / "heap.000"), before);
  EXPECT_EQ(store_maintenance::inspect(path()).applied_epoch, 1u);
  EXPECT_TRUE(is_epoch(*tested::open(path()), 2));
}

TEST_F(after_a_crash, a_torn_journal_is_as_if_never_written) {
  commit_without_applying();
  const std::string name = "jrnl.0";  // epoch 2
  const std::uint64_t size = std::filesystem::file_size(path() / name);
  for (const std::uint64_t offset : {std::uint64_t{40}, std::uint64_t{4100}, size - 4096, size - 1}) {
    flip(name, offset);
    EXPECT_TRUE(is_epoch(*datastore::open_read_only(path()), 1)) << "byte " << offset;
    flip(name, offset);
  }
  flip(name, size - 9);
  EXPECT_TRUE(is_epoch(*tested::open(path()), 1));
}

TEST_F(after_a_crash, a_half_applied_journal_is_applied_again) {
  commit_without_applying();
  // Some pages have reached home, one only in part.
  std::fstream home(path() / "heap.000", std::ios::in | std::ios::out | std::ios::binary);
  std::vector<std::byte> page(page_size);
  for (std::uint64_t i = 0; i < 20; ++i) {
    fill_page(page.data(), i + 1000);
    home.seekp(static_cast<std::streamoff>(store::layout::home_data_offset + i * page_size));
    home.write(reinterpret_cast<const char*>(page.data()), i == 19 ? 1000 : 4096);
  }
  home.close();
  EXPECT_TRUE(is_epoch(*tested::open(path()), 2));
}

TEST_F(after_a_crash, a_torn_table_page_is_made_from_the_pages) {
  commit_without_applying();
  flip("crc", 4096 + 500);
  {
    const auto store = tested::open(path());
    EXPECT_TRUE(is_epoch(*store, 2));
    put(*store, 0, 7);
    put(*store, 95, 8);
    EXPECT_NO_THROW(store->checkpoint());
  }
  const auto store = tested::open(path());
  EXPECT_TRUE(holds(store->memory().base(), 7));
  EXPECT_TRUE(holds(store->memory().base() + 95 * page_size, 8));
  EXPECT_TRUE(holds(store->memory().base() + 65 * page_size, 0));
}

TEST_F(after_a_crash, pages_written_home_for_a_checkpoint_that_never_was_are_zero_again) {
  {
    const auto store = tested::create(path(), small_store());
    store->memory().grow(2 * mib);
    put(*store, 0, 1);
    store->checkpoint();
  }
  {
    std::ofstream home(path() / "heap.000", std::ios::app | std::ios::binary);
    const std::string garbage(3 * mib, 'x');
    home << garbage;
  }
  {
    const auto store = tested::open(path());
    store->memory().grow(8 * mib);
    put(*store, 2000, 9);
    store->checkpoint();
  }
  const auto store = tested::open(path());
  for (std::uint64_t page = 1; page < 2000; ++page)
    ASSERT_TRUE(holds(store->memory().base() + page * page_size, 0));
  EXPECT_TRUE(holds(store->memory().base() + 2000 * page_size, 9));
}

TEST_F(after_a_crash, a_stump_of_a_home_file_is_replaced) {
  store_options options = small_store();
  options.home_file_size = 2 * mib;
  {
    const auto store = tested::create(path(), options);
    store->memory().grow(2 * mib);
    put(*store, 0, 1);
    store->checkpoint();
  }
  std::ofstream(path() / "heap.001") << "half";
  {
    const auto store = tested::open(path());
    store->memory().grow(4 * mib);
    put(*store, 600, 6);
    store->checkpoint();
  }
  EXPECT_TRUE(holds(tested::open(path())->memory().base() + 600 * page_size, 6));
}

// Kills a process that checkpoints without pause; what it had acknowledged must be there.
TEST_F(after_a_crash, a_killed_writer_has_lost_nothing_it_acknowledged) {
  constexpr std::uint64_t seed = 4711;
  constexpr std::uint64_t most_pages = 4000;
  tested::create(path(), small_store());
  std::mt19937 random(99);
  std::uint64_t acknowledged = 0;
  for (int round = 0; round < 12; ++round) {
    int channel[2];
    ASSERT_EQ(::pipe(channel), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(channel[0]);
      try {
        const auto store = tested::open(path());
        model_store model(seed, most_pages);
        while (model.epoch() < store->epoch()) model.advance(nullptr);
        for (;;) {
          const std::vector<detail::page_run> released = model.advance(store.get());
          store->checkpoint(released);
          const std::uint64_t epoch = store->epoch();
          if (::write(channel[1], &epoch, sizeof epoch) != sizeof epoch) ::_exit(3);
        }
      } catch (const std::exception& failure) {
        std::fprintf(stderr, "child: %s\n", failure.what());
        ::_exit(2);
      }
    }
    ::close(channel[1]);
    // Wait for a first sign of life, then strike at a random moment.
    std::uint64_t epoch = 0;
    if (::read(channel[0], &epoch, sizeof epoch) == sizeof epoch) acknowledged = epoch;
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 150000));
    ::kill(child, SIGKILL);
    while (::read(channel[0], &epoch, sizeof epoch) == sizeof epoch) acknowledged = epoch;
    ::close(channel[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the child ended by itself";

    if (round % 2 == 0) {
      const auto reader = datastore::open_read_only(path());
      ASSERT_GE(reader->epoch(), acknowledged);
      model_store model(seed, most_pages);
      while (model.epoch() < reader->epoch()) model.advance(nullptr);
      ASSERT_TRUE(model.matches(*reader));
    }
    const auto store = tested::open(path());
    ASSERT_GE(store->epoch(), acknowledged);
    model_store model(seed, most_pages);
    while (model.epoch() < store->epoch()) model.advance(nullptr);
    ASSERT_TRUE(model.matches(*store)) << "round " << round;
  }
  EXPECT_GE(acknowledged, 12u);
}

}  // namespace
}  // namespace perdure
