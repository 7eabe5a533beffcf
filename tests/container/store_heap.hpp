// A heap for the containers' tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <perdure/heap.hpp>

#include "support/tested_segment.hpp"

namespace perdure::test {

class store_heap {
 public:
  heap& operator*() noexcept { return *heap_; }
  heap* operator->() noexcept { return heap_.get(); }
  /// Blocks in use; the containers under test are the only users.
  std::size_t blocks() {
    heap_->flush_caches();
    return heap_->stats().blocks;
  }
  ~store_heap() {
    heap_->flush_caches();
    for (const std::string& problem : heap_->check()) ADD_FAILURE() << problem;
  }

 private:
  std::unique_ptr<detail::segment> segment_ = tested::make_segment(std::size_t{1} << 30);
  std::unique_ptr<heap> heap_ = heap::format(*segment_);
};

}  // namespace perdure::test
