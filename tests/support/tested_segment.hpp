// The segment under tests of what lies in segments: ordinary memory, or with PERDURE_BACKING=paged that of a
// store, whose pages come and go as the test touches them.
#pragma once

#include <cstdlib>
#include <memory>
#include <perdure/datastore.hpp>
#include <string_view>

#include "segment/segment.hpp"
#include "segment/volatile_segment.hpp"
#include "support/scratch_directory.hpp"

namespace perdure::tested {

/// Of a store of its own, which goes with it.
class segment_of_store final : public detail::segment {
 public:
  explicit segment_of_store(std::size_t capacity) {
    store_options options;
    options.capacity = capacity;
    store_ = datastore::create(directory_.path(), options);
    base_ = store_->memory().base();
    capacity_ = store_->memory().capacity();
    size_ = store_->memory().size();
  }
  void grow(std::size_t bytes) override {
    store_->memory().grow(bytes);
    // Another thread may be told of a larger one first.
    const std::size_t now = store_->memory().size();
    std::size_t known = size_.load();
    while (known < now && !size_.compare_exchange_weak(known, now)) {
    }
  }
  void discard(detail::page_run pages) override { store_->memory().discard(pages); }

 private:
  scratch_directory directory_{fast_directory()};
  std::unique_ptr<datastore> store_;
};

inline std::unique_ptr<detail::segment> make_segment(std::size_t capacity) {
  const char* const backing = std::getenv("PERDURE_BACKING");
  if (backing != nullptr && std::string_view(backing) == "paged")
    return std::make_unique<segment_of_store>(capacity);
  return detail::make_volatile_segment(capacity);
}

}  // namespace perdure::tested
