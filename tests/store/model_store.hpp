// A model of a store: which pattern each page holds at which epoch, and a random history that can be
// replayed, so that a store found after a crash can be checked byte for byte.
#pragma once

#include <gtest/gtest.h>

#include <perdure/datastore.hpp>
#include <random>
#include <vector>

#include "segment/page_runs.hpp"
#include "segment/segment.hpp"
#include "support/page_pattern.hpp"

namespace perdure {

class model_store {
 public:
  static constexpr std::uint64_t any = ~std::uint64_t{0};  // released: content of no consequence

  model_store(std::uint64_t seed, std::uint64_t most_pages) : random_(seed), most_pages_(most_pages) {}

  std::uint64_t epoch() const { return epoch_; }

  /// Makes the next epoch's changes in the model and, if there is one, in the store. Every epoch changes
  /// something, so that each is one checkpoint. Returns the pages it released.
  std::vector<detail::page_run> advance(datastore* store) {
    ++epoch_;
    if (pages_.empty() || (random_() % 4 == 0 && pages_.size() < most_pages_)) {
      pages_.resize(std::min<std::uint64_t>(most_pages_, pages_.size() + 512 * (1 + random_() % 4)));
      if (store != nullptr) store->memory().grow(pages_.size() * page_size);
    }
    std::vector<detail::page_run> released;
    if (random_() % 3 == 0) {
      const std::uint64_t first = 1 + random_() % (pages_.size() - 1);
      const std::uint64_t count = std::min<std::uint64_t>(1 + random_() % 40, pages_.size() - first);
      released.push_back({first, count});
      for (std::uint64_t page = first; page < first + count; ++page) pages_[page] = any;
      const bool discard = random_() % 2 == 0;  // drawn with and without a store alike
      if (store != nullptr && discard) store->memory().discard(released.front());
    }
    const std::uint64_t changes = 1 + random_() % 60;
    for (std::uint64_t i = 0; i < changes; ++i) {
      const std::uint64_t page = 1 + random_() % (pages_.size() - 1);
      if (!released.empty() && page >= released[0].first && page < released[0].first + released[0].count)
        continue;
      put(store, page, random_() % 8 == 0 ? 0 : epoch_ * 100000 + page);
    }
    if (random_() % 5 == 0) {
      const std::uint64_t first = 1 + random_() % (pages_.size() - 1);
      for (std::uint64_t page = first; page < std::min<std::uint64_t>(first + 300, pages_.size()); ++page) {
        if (!released.empty() && page >= released[0].first && page < released[0].first + released[0].count)
          continue;
        put(store, page, epoch_ * 100000 + page);
      }
    }
    put(store, 0, epoch_ * 100000);
    return released;
  }

  ::testing::AssertionResult matches(datastore& store) const {
    if (store.epoch() != epoch_) {
      return ::testing::AssertionFailure() << "epoch " << store.epoch() << " instead of " << epoch_;
    }
    if (store.memory().size() < pages_.size() * page_size) {
      return ::testing::AssertionFailure() << "the segment has " << store.memory().size() << " bytes only";
    }
    for (std::uint64_t page = 0; page < pages_.size(); ++page) {
      if (pages_[page] == any || holds(store.memory().base() + page * page_size, pages_[page])) continue;
      return ::testing::AssertionFailure() << "page " << page << " of epoch " << epoch_ << " is wrong";
    }
    for (std::uint64_t page = pages_.size(); page < store.memory().size() / page_size; ++page) {
      if (holds(store.memory().base() + page * page_size, 0)) continue;
      return ::testing::AssertionFailure() << "page " << page << " beyond the used ones is not zero";
    }
    return ::testing::AssertionSuccess();
  }

 private:
  void put(datastore* store, std::uint64_t page, std::uint64_t number) {
    pages_[page] = number;
    if (store != nullptr) fill_page(store->memory().base() + page * page_size, number);
  }

  std::mt19937_64 random_;
  std::uint64_t most_pages_;
  std::uint64_t epoch_ = 0;
  std::vector<std::uint64_t> pages_;
};

}  // namespace perdure
