// More changed pages than the process may have memory for.

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <perdure/datastore.hpp>
#include <perdure/error.hpp>
#include <perdure/store_maintenance.hpp>
#include <random>

#include "segment/segment.hpp"
#include "support/child_process.hpp"
#include "support/memory_group.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"
#include "support/stored_pages.hpp"

namespace perdure {
namespace {

std::uint64_t bytes_written() {
  std::ifstream file("/proc/self/io");
  for (std::string name, value; file >> name >> value;)
    if (name == "wchar:") return std::stoull(value);
  return 0;
}

struct work {
  std::size_t memory;  // the limit
  std::size_t dirty;   // what one epoch changes
};

work how_much() {
  if (std::getenv("PERDURE_LONG_TESTS") != nullptr) return {600 * mib, 1300 * mib};
  return {160 * mib, 350 * mib};
}

// Cheaper than a whole page of pattern: what is limited here is memory, not the processor.
void change(datastore& store, std::uint64_t page, std::uint64_t round) {
  auto* const words = reinterpret_cast<std::uint64_t*>(store.memory().base() + page * page_size);
  words[0] = words[511] = round * 1'000'000'000 + page + 1;
}

::testing::AssertionResult changed(datastore& store, std::uint64_t pages, std::uint64_t round) {
  for (std::uint64_t page = 0; page < pages; ++page) {
    const auto* const words = reinterpret_cast<std::uint64_t*>(store.memory().base() + page * page_size);
    const std::uint64_t expected = round * 1'000'000'000 + page + 1;
    if (words[0] != expected || words[511] != expected)
      return ::testing::AssertionFailure() << "page " << page << " is not of round " << round;
  }
  return ::testing::AssertionSuccess();
}

// Bytes written for each byte changed; what a child process under the limit finds. Negative: a failure.
double in_child(const memory_group& group, const std::function<double()>& task) {
  int channel[2];
  if (::pipe(channel) != 0) return -1;
  const pid_t child = ::fork();
  if (child == 0) {
    double result = -1;
    try {
      if (group.enter()) result = task();
    } catch (const std::exception& failure) {
      std::fprintf(stderr, "under the limit: %s\n", failure.what());
    }
    const bool told = ::write(channel[1], &result, sizeof result) == sizeof result;
    std::_Exit(told ? 0 : 1);
  }
  ::close(channel[1]);
  double result = -1;
  if (::read(channel[0], &result, sizeof result) != sizeof result) result = -2;  // killed
  ::close(channel[0]);
  const int ended = result_of(child);
  if (ended > 128) std::fprintf(stderr, "under the limit: killed by signal %d\n", ended - 128);
  return result;
}

class little_memory : public scratch_test {};

TEST_F(little_memory, is_enough_for_new_and_for_overwritten_pages) {
  const auto [memory, dirty] = how_much();
  const memory_group group(memory);
  if (!group.exists()) GTEST_SKIP() << "this process may not make a control group with a memory limit";
  const std::uint64_t pages = dirty / page_size;
  store_options options;
  options.capacity = std::size_t{4} << 30;

  const double fresh = in_child(group, [&] {
    auto store = datastore::create(path(), options);
    const std::uint64_t before = bytes_written();
    for (std::uint64_t page = 0; page < pages; ++page) {
      if (page % 512 == 0) store->memory().grow((page + 512) * page_size);
      change(*store, page, 1);
    }
    store->checkpoint();
    store->wait_applied();
    return static_cast<double>(bytes_written() - before) / static_cast<double>(dirty);
  });
  ASSERT_GT(fresh, 0) << "the program was killed or failed";
  EXPECT_LE(fresh, 1.1);

  const double overwritten = in_child(group, [&] {
    auto store = datastore::open(path());
    const std::uint64_t before = bytes_written();
    for (std::uint64_t page = 0; page < pages; ++page) change(*store, page, 2);
    store->checkpoint();
    store->wait_applied();
    return static_cast<double>(bytes_written() - before) / static_cast<double>(dirty);
  });
  ASSERT_GT(overwritten, 0) << "the program was killed or failed";
  EXPECT_LE(overwritten, 2.1);
  RecordProperty("bytes per fresh byte", std::to_string(fresh));
  RecordProperty("bytes per overwritten byte", std::to_string(overwritten));
  std::printf("%zu MiB changed under %zu MiB: %.3f bytes written per fresh byte, %.3f per overwritten\n",
              dirty / mib, memory / mib, fresh, overwritten);

  EXPECT_TRUE(store_maintenance::verify(path()).whole());
  EXPECT_TRUE(changed(*datastore::open_read_only(path()), pages, 2));
}

}  // namespace
}  // namespace perdure
