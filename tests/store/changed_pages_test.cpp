// Which pages a checkpoint must write, after any order of changes, releases and failures.
#include "store/commit/changed_pages.hpp"

#include <gtest/gtest.h>

#include <new>

#include "page_sets.hpp"
#include "support/failing_allocation.hpp"

namespace perdure::store {
namespace {

/// Reports what it is told to, once.
class reporting_segment final : public detail::tracked_segment {
 public:
  page_set written;
  bool fails_after_reporting = false;

  void grow(std::size_t) override {}
  void discard(detail::page_run) override {}
  void collect_dirty(detail::page_run where, std::vector<detail::page_run>& dirty) override {
    page_set here;
    for (const std::uint64_t page : written)
      if (page >= where.first && page < where.first + where.count) here.insert(page);
    take_out(written, here);
    for (const std::uint64_t page : here) dirty.push_back({page, 1});
    detail::normalize(dirty);
    if (fails_after_reporting) throw std::bad_alloc();
  }
  void hold_writers(detail::page_run) override {}
  void admit_writers(detail::page_run) noexcept override {}
};

struct page_model {
  page_set dirty;
  page_set released;
};

class a_set_of_changed_pages : public testing::Test {
 protected:
  void settle_some() {
    for (std::uint64_t page = 0; page < page_count; ++page) {
      if (!random_.one_in(3)) continue;
      early_.settle(page, 7);
      settled_.insert(page);
    }
  }
  void expect_settled() const {
    for (std::uint64_t page = 0; page < page_count; ++page)
      EXPECT_EQ(early_.is_settled(page), settled_.contains(page)) << page;
  }
  void expect_is(const changed_pages& changed, const page_model& expected) const {
    EXPECT_EQ(pages_in(changed.dirty()), expected.dirty);
    EXPECT_EQ(pages_in(changed.released()), expected.released);
    EXPECT_TRUE(detail::is_normalized(changed.dirty()));
    EXPECT_TRUE(detail::is_normalized(changed.released()));
    page_set to_write = expected.dirty;
    take_out(to_write, expected.released);
    EXPECT_EQ(pages_in(changed.to_write()), to_write);
    expect_settled();
  }

  void write_to(page_model& model, const page_set& pages) {
    model.dirty.insert(pages.begin(), pages.end());
    take_out(model.released, pages);
    take_out(settled_, pages);
  }
  void release(page_model& model, const page_set& pages) {
    model.released.insert(pages.begin(), pages.end());
    take_out(settled_, pages);
  }

  random_stream random_{31};
  early_pages early_;
  page_set settled_;
};

TEST_F(a_set_of_changed_pages, is_as_sets_say) {
  for (int round = 0; round < 300; ++round) {
    changed_pages changed;
    page_model model;
    reporting_segment memory;
    for (int step = 0; step < 8; ++step) {
      settle_some();
      const page_set pages = some_pages(random_, 0, page_count, 4);
      switch (random_.below(5)) {
        case 0:
          changed.add(runs_of(pages), early_);
          write_to(model, pages);
          break;
        case 1:
          changed.release(runs_of(pages), early_);
          release(model, pages);
          break;
        case 2:
          changed.settle(runs_of(pages));
          take_out(model.dirty, pages);
          break;
        case 3: {
          const std::uint64_t first = random_.below(page_count);
          const std::uint64_t count = random_.below(page_count - first) + 1;
          memory.written = pages;
          changed.gather(memory, {first, count}, early_);
          page_set reported = pages;
          take_out(reported, memory.written);
          write_to(model, reported);
          for (const std::uint64_t left : memory.written) EXPECT_TRUE(left < first || left >= first + count);
          break;
        }
        default:
          changed.forget_dirty();
          model.dirty.clear();
      }
      expect_is(changed, model);
      if (HasFailure()) return;
    }
  }
}

TEST_F(a_set_of_changed_pages, keeps_what_was_reported_when_collecting_it_fails) {
  changed_pages changed;
  reporting_segment memory;
  memory.written = {3, 4, 9};
  memory.fails_after_reporting = true;
  EXPECT_THROW(changed.gather(memory, {0, page_count}, early_), std::bad_alloc);
  memory.fails_after_reporting = false;
  memory.written = {5};
  changed.gather(memory, {0, page_count}, early_);
  EXPECT_EQ(pages_in(changed.dirty()), (page_set{3, 4, 5, 9}));
}

// What happens to a part while it is taken out, and to the rest, is as if nothing had been taken out.
TEST_F(a_set_of_changed_pages, is_whole_again_when_a_part_is_put_back) {
  for (int round = 0; round < 2000; ++round) {
    changed_pages all;
    page_model model;
    for (int i = 0; i < 2; ++i) {
      const page_set written = some_pages(random_, 0, page_count, 3);
      all.add(runs_of(written), early_);
      write_to(model, written);
      const page_set released = some_pages(random_, 0, page_count, 3);
      all.release(runs_of(released), early_);
      release(model, released);
    }
    const std::uint64_t first = random_.below(page_count);
    const detail::page_run part{first, random_.below(page_count - first) + 1};
    changed_pages taken = all.extract(part);
    const page_set in_part = pages_in({part});
    for (const std::uint64_t page : pages_in(all.dirty())) EXPECT_FALSE(in_part.contains(page));
    for (const std::uint64_t page : pages_in(all.released())) EXPECT_FALSE(in_part.contains(page));
    settle_some();

    reporting_segment memory;
    // A tracker may have something left to report of other parts, and may fail when it has reported it.
    const page_set written = some_pages(random_, 0, page_count, 4);
    memory.written = written;
    memory.fails_after_reporting = random_.one_in(2);
    if (memory.fails_after_reporting) {
      EXPECT_THROW(taken.gather(memory, {0, page_count}, early_), std::bad_alloc);
      // Of these it is known only that they were written to.
      model.dirty.insert(written.begin(), written.end());
      take_out(model.released, written);
    } else {
      taken.gather(memory, {0, page_count}, early_);
      write_to(model, written);
    }
    const page_set at_home = some_pages(random_, part.first, part.first + part.count, 3);
    if (!memory.fails_after_reporting) {
      taken.settle(runs_of(at_home));
      take_out(model.dirty, at_home);
    }
    all.put_back(part, std::move(taken), early_);
    expect_is(all, model);
    if (HasFailure()) return;
  }
}

TEST_F(a_set_of_changed_pages, counts_all_of_a_part_where_memory_runs_out) {
  settle_some();
  changed_pages all;
  all.add({{2, 1}, {8, 2}, {20, 1}}, early_);
  all.release(runs_of({9, 21}), early_);
  const detail::page_run part{6, 5};
  changed_pages taken = all.extract(part);
  {
    const failing_allocation none(0);
    all.put_back(part, std::move(taken), early_);
  }
  EXPECT_EQ(pages_in(all.dirty()), (page_set{2, 6, 7, 8, 9, 10, 20}));
  EXPECT_TRUE(detail::is_normalized(all.dirty()));
  EXPECT_EQ(pages_in(all.released()), page_set{21});
  for (std::uint64_t page = 6; page < 11; ++page) EXPECT_FALSE(early_.is_settled(page));
}

}  // namespace
}  // namespace perdure::store
