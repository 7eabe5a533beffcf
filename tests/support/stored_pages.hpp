// Putting pages of known content into a store, and finding them there.
#pragma once

#include <gtest/gtest.h>

#include <perdure/datastore.hpp>

#include "segment/segment.hpp"
#include "support/page_pattern.hpp"

namespace perdure {

inline void put(datastore& store, std::uint64_t page, std::uint64_t number) {
  fill_page(store.memory().base() + page * page_size, number);
}

inline ::testing::AssertionResult has(datastore& store, std::uint64_t page, std::uint64_t number) {
  if (holds(store.memory().base() + page * page_size, number)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "page " << page << " is not pattern " << number;
}

}  // namespace perdure
