// Plans of checkpoints, for all that may be known of each page.
#include "store/commit/checkpoint_plan.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <optional>

#include "page_sets.hpp"
#include "store/file/journal_image.hpp"
#include "support/scratch_directory.hpp"

namespace perdure::store {
namespace {

using layout::entry_kind;

struct planned {
  entry_kind kind;
  std::uint32_t checksum = 0;
  std::uint64_t slot = 0;
  bool operator==(const planned&) const = default;
};

/// Everything that a plan is made from, drawn at random.
class known_pages {
 public:
  known_pages(std::uint64_t seed, checksum_table& table)
      : random_(seed), table_(table), memory_((page_count + 1) * page_size) {
    draw();
  }

  std::byte* base() {
    return memory_.data() + page_size - reinterpret_cast<std::uintptr_t>(memory_.data()) % page_size;
  }
  committed_state before() { return {committed_, table_, is_stale_}; }

  checkpoint_plan plan() {
    return plan_checkpoint(base(), runs_of(dirty_), runs_of(released_), early_,
                           journaled_ ? &*journaled_ : nullptr, before());
  }

  /// By the table in docs/explanation/durability.md: of each page at most one entry.
  std::map<std::uint64_t, planned> expected() {
    std::map<std::uint64_t, planned> all;
    for (std::uint64_t page = 0; page < page_count; ++page) {
      if (const std::optional<planned> one = expected_of(page)) all.emplace(page, *one);
    }
    return all;
  }
  /// Whether what home has of the page at the last checkpoint is a hole that this checkpoint relies on.
  bool is_hole(std::uint64_t page) const {
    return page >= committed_ || (!is_stale_ && entries_.at(page) == 0);
  }

 private:
  void draw() {
    committed_ = random_.below(page_count + 1);
    is_stale_ = random_.one_in(4);
    for (std::uint64_t page = 0; page < page_count; ++page) {
      constexpr std::uint32_t kinds[] = {layout::no_checksum, layout::any_content, layout::first_checksum,
                                         5555};
      entries_[page] = page < committed_ ? kinds[random_.below(4)] : layout::no_checksum;
      table_.set(page, entries_[page]);
    }
    if (random_.one_in(2)) journaled_.emplace(page_count, 1);
    for (std::uint64_t page = 0; page < page_count; ++page) draw(page);
  }
  void draw(std::uint64_t page) {
    switch (random_.below(6)) {
      case 0:
      case 1:
        dirty_.insert(page);
        break;
      case 2:
        released_.insert(page);
        break;
      case 3:
        early_.settle(page, static_cast<std::uint32_t>(page + 100));
        settled_.insert(page);
        break;
      default:
        break;
    }
    if (random_.one_in(3)) {
      early_.touch({page, 1});
      touched_.insert(page);
    }
    if (settled_.contains(page)) touched_.insert(page);
    if (random_.one_in(2)) {
      std::memset(base() + page * page_size, 0, page_size);
    } else {
      base()[page * page_size + random_.below(page_size)] = std::byte{1};
      filled_.insert(page);
    }
    // What left memory was not released since, or not kept.
    if (!journaled_ || released_.contains(page) || settled_.contains(page)) return;
    if (random_.one_in(4)) {
      const auto slot = journaled_->slot_for(page);
      slots_[page] = slot;
      journaled_->put(page, slot, static_cast<std::uint32_t>(page + 200));
    } else if (random_.one_in(4)) {
      journaled_->put_zero(page);
      zeros_.insert(page);
    }
  }

  std::optional<planned> expected_of(std::uint64_t page) const {
    const bool touched = touched_.contains(page);
    const bool is_in_journal = slots_.contains(page) || zeros_.contains(page);
    if (dirty_.contains(page)) {
      if (!filled_.contains(page)) {
        // Home reads as zero already, and nothing says otherwise.
        if (is_hole(page) && !touched && !is_in_journal) return std::nullopt;
        return planned{entry_kind::zero};
      }
      const bool is_needed = page < committed_ && (is_stale_ || entries_.at(page) != layout::any_content);
      return planned{touched || !is_needed ? entry_kind::fresh : entry_kind::overwrite};
    }
    if (released_.contains(page)) {
      const bool holds_something =
          page < committed_ && (is_stale_ || entries_.at(page) >= layout::first_checksum);
      if (touched || holds_something) return planned{entry_kind::released};
      return std::nullopt;
    }
    if (settled_.contains(page)) return planned{entry_kind::fresh, static_cast<std::uint32_t>(page + 100)};
    if (zeros_.contains(page)) return planned{entry_kind::zero};
    if (const auto found = slots_.find(page); found != slots_.end())
      return planned{entry_kind::overwrite, static_cast<std::uint32_t>(page + 200), found->second};
    return std::nullopt;
  }

  random_stream random_;
  checksum_table& table_;
  std::vector<std::byte> memory_;
  std::uint64_t committed_ = 0;
  bool is_stale_ = false;
  std::map<std::uint64_t, std::uint32_t> entries_;
  early_pages early_;
  std::optional<journaled_pages> journaled_;
  page_set dirty_, released_, settled_, touched_, filled_, zeros_;
  std::map<std::uint64_t, std::uint64_t> slots_;
};

TEST(checkpoint_plan, does_with_each_page_what_is_known_of_it) {
  const scratch_directory scratch(fast_directory());
  layout::super_slot super{};
  super.capacity = std::uint64_t{1} << 30;
  const os::file directory = os::file::open_directory(scratch.directory());
  checksum_table::create(directory, super);
  checksum_table table(directory, super, true);
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    known_pages known(seed, table);
    const std::map<std::uint64_t, planned> expected = known.expected();
    const checkpoint_plan plan = known.plan();

    std::map<std::uint64_t, planned> found;
    std::uint64_t end = 0;
    for (const layout::journal_entry& entry : plan.index) {
      ASSERT_GE(entry.page, end) << "the index is out of order, or names a page twice";
      ASSERT_EQ(entry.carried, 0);
      const std::uint64_t count = is_run(entry) ? entry.value : 1;
      ASSERT_GT(count, 0u);
      end = entry.page + count;
      for (std::uint64_t page = entry.page; page < end; ++page)
        found[page] = {entry.kind, is_run(entry) ? 0 : entry.value, entry.slot};
    }
    ASSERT_EQ(found.size(), expected.size());
    std::size_t fresh = 0;
    std::size_t overwrites = 0;
    page_set holes;
    page_set touched;
    for (const auto& [page, one] : expected) {
      ASSERT_TRUE(found.contains(page)) << page;
      ASSERT_EQ(found[page], one) << page;
      touched.insert(page);
      fresh += one.kind == entry_kind::fresh;
      overwrites += one.kind == entry_kind::overwrite;
      if (one.kind == entry_kind::overwrite && known.is_hole(page)) holes.insert(page);
    }
    EXPECT_EQ(plan.fresh, fresh);
    EXPECT_EQ(plan.overwrites, overwrites);
    EXPECT_EQ(pages_in(plan.holes), holes);
    EXPECT_TRUE(detail::is_normalized(plan.holes));
    EXPECT_EQ(pages_in(plan.touched), touched);
    EXPECT_TRUE(detail::is_normalized(plan.touched));
  }
}

}  // namespace
}  // namespace perdure::store
