// Expectations that verification has of each page, against a model of single pages, and its list of findings.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "store/file/journal_image.hpp"
#include "store/offline/verify/expectations.hpp"
#include "support/random_stream.hpp"

namespace perdure::store {
namespace {

using layout::entries_per_table_page;
using layout::entry_kind;
using layout::journal_entry;
using what_is_expected = expectation::kind;

constexpr std::uint64_t table_pages = 3;
constexpr std::uint64_t applied_epoch = 5;

/// Runs of pages before `end`, few of them long, in order and apart from each other.
std::vector<detail::page_run> some_runs(random_stream& random, std::uint64_t end) {
  std::vector<detail::page_run> runs;
  for (std::uint64_t page = random.below(200); page < end;) {
    const std::uint64_t count = 1 + random.below(random.one_in(8) ? 1500 : 4);
    runs.push_back({page, std::min(count, end - page)});
    page += count + random.below(200);
  }
  return runs;
}

class model_of_pages {
 public:
  explicit model_of_pages(std::uint64_t seed) : random_(seed) {
    last_.applied_epoch = applied_epoch;
    last_.epoch = applied_epoch + random_.below(2);
    last_.applied_pages = random_.below((table_pages - 1) * entries_per_table_page);
    const std::uint64_t all = last_.applied_pages + random_.below(entries_per_table_page);
    last_.committed_bytes = all * page_size;
    for (std::uint64_t index = 0; index < table_pages; ++index) {
      is_known_.push_back(!random_.one_in(4));
      for (std::uint32_t& entry : tables_.emplace_back().entries) entry = some_entry();
    }
    for (std::uint64_t page = 0; page < all; ++page) expected_.push_back(by_table(page));
    if (random_.one_in(2)) overlay(all);
    if (random_.one_in(2)) save(all);
  }

  void compare() {
    findings found(10'000);
    const expectations actual(last_, saved_, found);
    ASSERT_EQ(actual.pages(), expected_.size());
    ASSERT_EQ(actual.applied_pages(), last_.applied_pages);
    std::uint64_t page = 0;
    for (std::uint64_t index = 0; index < table_pages; ++index) {
      std::vector<expectation> of_page(7);
      actual.of_table_page(index, tables_[index], is_known_[index], of_page);
      ASSERT_EQ(of_page.size(), std::min(entries_per_table_page, expected_.size() - page)) << index;
      for (const expectation& one : of_page) {
        const expectation& wanted = expected_[page];
        ASSERT_EQ(one.what, wanted.what) << page;
        ASSERT_EQ(one.epoch, wanted.epoch) << page;
        ASSERT_EQ(one.what == what_is_expected::checksum ? one.checksum : wanted.checksum, wanted.checksum)
            << page;
        ++page;
      }
    }
    const verify_report report = found.take_report();
    std::set<std::uint64_t> contradicted;
    for (const verify_finding& one : report.findings) {
      EXPECT_EQ(one.part, store_section::undo_log);
      EXPECT_TRUE(one.damage);
      contradicted.insert(one.page.value());
    }
    EXPECT_EQ(contradicted, contradicted_);
    EXPECT_EQ(report.damages, contradicted_.size());
    for (int i = 0; i < 200; ++i) {
      const std::uint64_t first = random_.below(expected_.size() + 5);
      const std::uint64_t count = 1 + random_.below(random_.one_in(2) ? 3 : entries_per_table_page);
      const auto from = rewritten_.lower_bound(first);
      EXPECT_EQ(actual.are_rewritten(first, count), from != rewritten_.end() && *from < first + count);
    }
  }

 private:
  std::uint32_t some_entry() { return static_cast<std::uint32_t>(random_.below(6)); }

  expectation by_table(std::uint64_t page) const {
    if (page >= last_.applied_pages) return {what_is_expected::zero, 0, last_.epoch};
    const std::uint32_t entry = tables_[page / entries_per_table_page].entries[page % entries_per_table_page];
    if (!is_known_[page / entries_per_table_page] || entry == layout::any_content)
      return {what_is_expected::anything, 0, applied_epoch};
    if (entry == layout::no_checksum) return {what_is_expected::zero, 0, applied_epoch};
    return {what_is_expected::checksum, entry, applied_epoch};
  }
  void overlay(std::uint64_t all) {
    for (const detail::page_run& run : some_runs(random_, all)) {
      const auto what = static_cast<what_is_expected>(random_.below(3));
      const expectation by_journal{what, some_entry(), applied_epoch + 1};
      last_.overlay.push_back({run.first, run.count, by_journal});
      for (std::uint64_t page = run.first; page < run.first + run.count; ++page) {
        expected_[page] = by_journal;
        rewritten_.insert(page);
      }
    }
  }
  void save(std::uint64_t all) {
    for (const detail::page_run& run : some_runs(random_, all)) {
      const bool was_empty = run.count > 1 || random_.one_in(4);
      const journal_entry entry{run.first, was_empty ? static_cast<std::uint32_t>(run.count) : some_entry(),
                                was_empty ? entry_kind::zero : entry_kind::overwrite};
      // An earlier writer may have saved the same.
      for (int copies = random_.one_in(4) ? 2 : 1; copies != 0; --copies) saved_.push_back(entry);
      for (std::uint64_t page = run.first; page < run.first + run.count; ++page) {
        expectation& one = expected_[page];
        if (one.what == what_is_expected::checksum && (was_empty || entry.value != one.checksum))
          contradicted_.insert(page);
        one.what = what_is_expected::anything;
      }
    }
  }

  random_stream random_;
  last_checkpoint last_;
  std::vector<layout::table_page> tables_;
  std::vector<bool> is_known_;
  std::vector<journal_entry> saved_;
  std::vector<expectation> expected_;
  std::set<std::uint64_t> rewritten_;
  std::set<std::uint64_t> contradicted_;
};

TEST(expectations, are_those_of_the_table_the_journal_and_the_undo_log) {
  for (std::uint64_t seed = 0; seed < 150 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    model_of_pages(seed).compare();
  }
}

TEST(findings, count_every_damage_list_some_and_keep_all_notes) {
  findings found(3);
  found.set_epoch(7);
  for (const std::uint64_t offset : {300U, 100U, 400U, 200U})
    found.damage(store_section::home_page, "heap.000", offset, "damaged");
  found.note(store_section::journal, "crc", 500, "unfinished");
  found.add_bytes_read(10);
  found.add_bytes_read(5);
  const verify_report report = found.take_report();
  EXPECT_EQ(report.damages, 4u);
  EXPECT_EQ(report.bytes_read, 15u);
  std::vector<std::uint64_t> offsets;
  for (const verify_finding& one : report.findings) {
    offsets.push_back(one.offset);
    EXPECT_EQ(one.epoch, 7u);
    EXPECT_EQ(one.damage, one.file == "heap.000");
  }
  EXPECT_EQ(offsets, (std::vector<std::uint64_t>{500, 100, 300, 400}));
}

}  // namespace
}  // namespace perdure::store
