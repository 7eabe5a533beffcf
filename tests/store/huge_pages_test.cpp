// A store's new memory is in small pages, and comes to be in huge ones where it is full.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <memory>
#include <perdure/datastore.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "os/mapping.hpp"
#include "segment/segment.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"

namespace perdure {
namespace {

std::size_t resident_pages(std::byte* first, std::size_t bytes) {
  std::vector<unsigned char> pages(bytes / page_size);
  EXPECT_EQ(::mincore(first, bytes, pages.data()), 0);
  return static_cast<std::size_t>(
      std::count_if(pages.begin(), pages.end(), [](unsigned char page) { return (page & 1) != 0; }));
}

/// Bytes in huge pages of the mappings that touch the range, as the kernel says.
std::size_t bytes_in_huge_pages(const std::byte* first, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(first);
  std::ifstream maps("/proc/self/smaps");
  std::size_t sum = 0;
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::uintptr_t from = 0;
    std::uintptr_t to = 0;
    char dash = 0;
    if (words >> std::hex >> from >> dash >> to && dash == '-') {
      inside = from < begin + bytes && begin < to;
    } else if (inside && line.starts_with("AnonHugePages:")) {
      sum += std::stoul(line.substr(line.find(':') + 1)) * 1024;
    }
  }
  return sum;
}

class new_memory_of_a_store : public scratch_test {};

TEST_F(new_memory_of_a_store, takes_little_where_a_little_of_much_is_touched) {
  const auto store = datastore::create(path(), small_store());
  detail::segment& memory = store->memory();
  memory.grow(256 * mib);
  for (std::size_t at = 16 * mib; at < 256 * mib; at += 2 * mib) memory.base()[at] = std::byte{1};
  EXPECT_LE(resident_pages(memory.base() + 16 * mib, 240 * mib), 240U);
}

TEST_F(new_memory_of_a_store, comes_to_be_in_huge_pages_where_it_is_full) {
  if (!os::huge_pages_on_request() || !os::can_collapse_pages()) GTEST_SKIP() << "the kernel makes none";
  auto store = datastore::create(path(), small_store());
  detail::segment& memory = store->memory();
  memory.grow(64 * mib);
  constexpr std::size_t sparse = 32 * mib;  // from here on a page of each huge page's place stays untouched
  for (std::size_t at = 0; at < 64 * mib; at += page_size) {
    if (at >= sparse && at % (2 * mib) == 0) continue;
    memory.base()[at] = static_cast<std::byte>(at / page_size);
  }
  memory.grow(66 * mib);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  const auto in_huge_pages = [&] { return bytes_in_huge_pages(memory.base(), 64 * mib); };
  while (in_huge_pages() < 16 * mib && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_GE(in_huge_pages(), 16 * mib);
  EXPECT_LE(in_huge_pages(), 32 * mib);
  store->checkpoint();
  memory.base()[8 * mib] = std::byte{77};
  store->checkpoint();
  store->close();
  store = datastore::open_read_only(path());
  const std::byte* const kept = store->memory().base();
  EXPECT_EQ(kept[8 * mib], std::byte{77});
  for (std::size_t at = 8 * mib + page_size; at < 64 * mib; at += page_size) {
    const bool untouched = at >= sparse && at % (2 * mib) == 0;
    ASSERT_EQ(kept[at], untouched ? std::byte{} : static_cast<std::byte>(at / page_size)) << at;
  }
}

}  // namespace
}  // namespace perdure
