// Entries that a journal carries on from the one before it.
#include "store/commit/carried_entries.hpp"

#include <gtest/gtest.h>

#include <map>

#include "page_sets.hpp"
#include "store/file/journal_image.hpp"

namespace perdure::store {
namespace {

using layout::entry_kind;
using layout::journal_entry;

/// A journal's words about one page.
struct said {
  entry_kind kind;
  std::uint32_t checksum;  // 0 where runs have no place for one
  std::uint64_t slot;
  bool is_carried;
  bool operator==(const said&) const = default;
};

std::map<std::uint64_t, said> told_by(const std::vector<journal_entry>& index) {
  std::map<std::uint64_t, said> all;
  std::uint64_t end = 0;
  for (const journal_entry& entry : index) {
    EXPECT_GE(entry.page, end) << "the index is out of order, or names a page twice";
    const std::uint64_t count = is_run(entry) ? entry.value : 1;
    EXPECT_GT(count, 0u);
    end = entry.page + count;
    for (std::uint64_t page = entry.page; page < end; ++page)
      all[page] = {entry.kind, is_run(entry) ? 0 : entry.value, entry.slot, entry.carried != 0};
  }
  return all;
}

std::vector<journal_entry> some_index(random_stream& random) {
  std::vector<journal_entry> index;
  for (std::uint64_t page = random.below(4); page < 40; page += random.below(4)) {
    const auto kind = static_cast<entry_kind>(1 + random.below(4));
    journal_entry entry{page, static_cast<std::uint32_t>(random.below(1000) + 2), kind, 0, {}, 0};
    if (is_run(entry)) entry.value = static_cast<std::uint32_t>(random.below(5) + 1);
    if (kind == entry_kind::overwrite) entry.slot = index.size() + 1;
    index.push_back(entry);
    page += is_run(entry) ? entry.value : 1;
  }
  return index;
}

TEST(carried_entries, are_those_of_pages_that_the_new_journal_does_not_name) {
  random_stream random(5);
  for (int round = 0; round < 3000; ++round) {
    std::vector<journal_entry> earlier = some_index(random);
    mark_applied(earlier);
    std::vector<journal_entry> index = some_index(random);
    if (random.one_in(10)) index.clear();
    std::map<std::uint64_t, said> expected = told_by(index);
    for (const auto& [page, one] : told_by(earlier)) expected.emplace(page, one);
    carry(earlier, index);
    ASSERT_EQ(told_by(index), expected);
  }
}

// Their bytes are home: a slot would name another page's bytes.
TEST(carried_entries, have_their_pages_at_home) {
  random_stream random(6);
  for (int round = 0; round < 100; ++round) {
    std::vector<journal_entry> index = some_index(random);
    std::map<std::uint64_t, said> expected = told_by(index);
    for (auto& [page, one] : expected) {
      if (one.kind == entry_kind::overwrite) one.kind = entry_kind::fresh;
      one.slot = 0;
      one.is_carried = true;
    }
    mark_applied(index);
    ASSERT_EQ(told_by(index), expected);
  }
}

}  // namespace
}  // namespace perdure::store
