// Bytes that are copied into and out of stores past their memory.
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <perdure/datastore.hpp>
#include <perdure/error.hpp>
#include <perdure/store_maintenance.hpp>
#include <random>
#include <thread>
#include <vector>

#include "os/crc32c.hpp"
#include "os/file_observer.hpp"
#include "segment/segment.hpp"
#include "support/errors.hpp"
#include "support/scratch_test.hpp"

namespace perdure {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

std::vector<std::byte> random_bytes(std::size_t size, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i + 8 <= size; i += 8) {
    const std::uint64_t word = random();
    std::memcpy(bytes.data() + i, &word, sizeof word);
  }
  return bytes;
}

class copies : public scratch_test {
 protected:
  static store_options options() {
    store_options wanted;
    wanted.capacity = detail::segment_alignment;
    wanted.home_file_size = 16 * mib;
    return wanted;
  }
  std::unique_ptr<datastore> create(std::size_t bytes) {
    auto store = datastore::create(path("store"), options());
    store->memory().grow(bytes);
    return store;
  }
  std::unique_ptr<datastore> open() { return datastore::open(path("store"), options()); }
  static std::byte* at(datastore& store, std::size_t offset) { return store.memory().base() + offset; }
  static std::vector<std::byte> copied_out(datastore& store, std::size_t offset, std::size_t bytes) {
    std::vector<std::byte> result(bytes);
    store.copy_out(result, at(store, offset));
    return result;
  }
  static bool holds(datastore& store, std::size_t offset, const std::vector<std::byte>& bytes) {
    // std::byte has no fast comparison of vectors, and under sanitizers the slow one is most of this
    // program's time.
    const auto are_these = [&](const std::byte* found) {
      return std::memcmp(found, bytes.data(), bytes.size()) == 0;
    };
    return are_these(at(store, offset)) && are_these(copied_out(store, offset, bytes.size()).data());
  }
};

TEST_F(copies, are_there_at_once_and_after_the_checkpoint) {
  const auto bytes = random_bytes(20 * mib + 123, 1);
  auto store = create(40 * mib);
  EXPECT_EQ(store->copy_in(at(*store, 5001), bytes), os::crc32c(0, bytes.data(), bytes.size()));
  EXPECT_TRUE(holds(*store, 5001, bytes));
  EXPECT_EQ(*at(*store, 5000), std::byte{0});
  EXPECT_EQ(*at(*store, 5001 + bytes.size()), std::byte{0});
  store->checkpoint();
  EXPECT_TRUE(holds(*store, 5001, bytes));
  store.reset();
  store = open();
  EXPECT_TRUE(holds(*store, 5001, bytes));
  store.reset();
  EXPECT_TRUE(store_maintenance::verify(path("store")).whole());
  store = datastore::open_read_only(path("store"));
  EXPECT_TRUE(holds(*store, 5001, bytes));
}

TEST_F(copies, continue_the_checksum_of_what_came_before) {
  const auto bytes = random_bytes(6 * mib, 1);
  auto store = create(8 * mib);
  std::uint32_t checksum = 0;
  // Nothing; less than goes past memory, and more; with pages whose halves are of different pieces.
  std::size_t done = 0;
  for (const std::size_t piece : {std::size_t{0}, std::size_t{100}, mib + 5000, mib - 1, 4 * mib - 5099}) {
    checksum = store->copy_in(at(*store, 3000 + done), std::span(bytes).subspan(done, piece), checksum);
    done += piece;
    EXPECT_EQ(checksum, os::crc32c(0, bytes.data(), done));
  }
  EXPECT_EQ(done, bytes.size());
  EXPECT_TRUE(holds(*store, 3000, bytes));
}

TEST_F(copies, are_gone_with_what_was_not_checkpointed) {
  const auto first = random_bytes(2 * mib, 1);
  const auto second = random_bytes(4 * mib, 2);
  auto store = create(8 * mib);
  store->copy_in(at(*store, 0), first);
  store->checkpoint();
  store->memory().grow(16 * mib);
  EXPECT_EQ(store->copy_in(at(*store, mib), second),
            os::crc32c(0, second.data(), second.size()));  // over what the last checkpoint needs, and beyond
  store->copy_in(at(*store, 10 * mib), second);
  store.reset();
  store = open();
  EXPECT_EQ(store->memory().size(), 8 * mib);
  EXPECT_TRUE(holds(*store, 0, first));
  EXPECT_TRUE(holds(*store, 4 * mib, std::vector<std::byte>(4 * mib)));
}

TEST_F(copies, may_be_stored_to_afterwards) {
  const auto bytes = random_bytes(4 * mib, 1);
  auto expected = bytes;
  auto store = create(8 * mib);
  store->copy_in(at(*store, 0), bytes);
  for (std::size_t i = 0; i < bytes.size(); i += 3 * page_size) expected[i] = *at(*store, i) = std::byte{7};
  EXPECT_TRUE(holds(*store, 0, expected));
  store->checkpoint();
  for (std::size_t i = 100; i < bytes.size(); i += 5 * page_size) expected[i] = *at(*store, i) = std::byte{8};
  EXPECT_TRUE(holds(*store, 0, expected));
  store->checkpoint();
  store.reset();
  EXPECT_TRUE(store_maintenance::verify(path("store")).whole());
  store = open();
  EXPECT_TRUE(holds(*store, 0, expected));
}

TEST_F(copies, go_over_what_was_there) {
  auto store = create(16 * mib);
  std::vector<std::byte> expected(16 * mib);
  std::minstd_rand random(1);
  for (int round = 0; round < 60; ++round) {
    const std::size_t from = random() % (12 * mib);
    const auto bytes = random_bytes(random() % (4 * mib), static_cast<unsigned>(round));
    if (random() % 4 == 0) {
      std::memcpy(at(*store, from), bytes.data(), bytes.size());
    } else {
      store->copy_in(at(*store, from), bytes);
    }
    std::memcpy(expected.data() + from, bytes.data(), bytes.size());
    // What is released holds anything until it is copied to again.
    std::vector<detail::page_run> released;
    if (random() % 4 == 0) released.push_back({random() % 3000, 200});
    for (const detail::page_run& run : released) store->memory().discard(run);
    switch (random() % 5) {
      case 0:
        store->trim();
        break;
      case 1:
        store->checkpoint(released);
        break;
      case 2:
        store->checkpoint_async(released).wait();
        break;
      case 3:
        store->checkpoint(released);
        store.reset();
        store = open();
        break;
      default:
        break;
    }
    for (const detail::page_run& run : released) {
      const auto again = random_bytes(run.count * page_size, static_cast<unsigned>(1000 + round));
      store->copy_in(at(*store, run.first * page_size), again);
      std::memcpy(expected.data() + run.first * page_size, again.data(), again.size());
    }
    ASSERT_TRUE(holds(*store, 0, expected)) << "round " << round;
  }
  store->checkpoint();
  store.reset();
  EXPECT_TRUE(store_maintenance::verify(path("store")).whole());
}

TEST_F(copies, of_released_pages_are_written_once) {
  const auto bytes = random_bytes(8 * mib, 1);
  auto store = create(32 * mib);
  store->copy_in(at(*store, 0), bytes);
  store->checkpoint();
  const detail::page_run all{0, 8 * mib / page_size};
  store->copy_in(at(*store, 16 * mib), bytes);
  store->checkpoint(std::span(&all, 1));
  store->wait_applied();
  store->copy_in(at(*store, 0), bytes);
  store->checkpoint();
  EXPECT_TRUE(holds(*store, 0, bytes));
  store.reset();
  EXPECT_TRUE(store_maintenance::verify(path("store")).whole());
}

TEST_F(copies, of_several_threads_are_all_there) {
  constexpr unsigned threads = 4;
  const auto bytes = random_bytes(2 * mib, 3);
  auto store = create(64 * mib);
  {
    std::vector<std::jthread> all;
    for (unsigned t = 0; t < threads; ++t)
      all.emplace_back([&, t] {
        for (unsigned i = 0; i < 8; ++i) {
          const std::size_t offset = (t * 8 + i) * 2 * mib;
          store->copy_in(at(*store, offset), bytes);
          EXPECT_EQ(copied_out(*store, offset, bytes.size()), bytes);
        }
      });
    for (int i = 0; i < 5; ++i) store->checkpoint_async().wait();
  }
  store->checkpoint();
  store.reset();
  store = open();
  for (unsigned i = 0; i < threads * 8; ++i) EXPECT_TRUE(holds(*store, i * 2 * mib, bytes));
}

// What a call that fails half way has left beyond the last checkpoint's end must not come to be read as
// memory that was never used.
TEST_F(copies, that_fail_leave_nothing_that_is_committed) {
  class full_disk final : public os::file_observer {
   public:
    verdict before(const os::file_call& call) override {
      if (call.operation != os::file_operation::write || call.bytes < 16 * page_size) return {};
      return ++writes_ > 2 ? verdict{ENOSPC} : verdict{};
    }
    void after(const os::file_call&, std::int64_t, int) override {}

   private:
    std::atomic<int> writes_{0};
  } disk;
  auto store = create(16 * mib);
  if (store->tracker() == "pagemap") GTEST_SKIP() << "all is stored to memory with this tracker";
  store->checkpoint();
  store->memory().grow(32 * mib);
  const auto bytes = random_bytes(2 * mib, 1);
  os::observe_files(&disk);
  EXPECT_TRUE(fails_with(errc::no_space, "", [&] { store->copy_in(at(*store, 20 * mib), bytes); }));
  os::observe_files(nullptr);
  store->checkpoint();
  store.reset();
  EXPECT_TRUE(store_maintenance::verify(path("store")).whole());
  store = open();
  EXPECT_TRUE(holds(*store, 20 * mib, std::vector<std::byte>(2 * mib)));
  // And the space can be used.
  store->copy_in(at(*store, 20 * mib), bytes);
  store->checkpoint();
  EXPECT_TRUE(holds(*store, 20 * mib, bytes));
}

TEST_F(copies, of_bytes_elsewhere_are_refused) {
  auto store = create(2 * mib);
  std::vector<std::byte> bytes(page_size);
  EXPECT_TRUE(
      fails_with(errc::invalid_argument, "", [&] { store->copy_in(at(*store, 2 * mib - 1), bytes); }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "", [&] { store->copy_in(bytes.data(), bytes); }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "", [&] { store->copy_out(bytes, at(*store, 2 * mib)); }));
  store->checkpoint();
  store.reset();
  store = datastore::open_read_only(path("store"));
  EXPECT_TRUE(fails_with(errc::read_only, "", [&] { store->copy_in(at(*store, 0), bytes); }));
}

}  // namespace
}  // namespace perdure
