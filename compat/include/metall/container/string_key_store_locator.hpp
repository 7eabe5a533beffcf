// Where an element of a `string_key_store` is.
#pragma once

#include <utility>

namespace metall::container {

/// A forward position, valid until its element is erased or the store is rehashed.
template <typename Iterator>
class string_key_store_locator {
  template <typename Value, typename Allocator>
  friend class string_key_store;

 public:
  string_key_store_locator(Iterator iterator) : iterator_(std::move(iterator)) {}

  string_key_store_locator& operator++() {
    ++iterator_;
    return *this;
  }
  string_key_store_locator operator++(int) {
    string_key_store_locator old(*this);
    ++iterator_;
    return old;
  }
  friend bool operator==(const string_key_store_locator& a, const string_key_store_locator& b) {
    return a.iterator_ == b.iterator_;
  }

 private:
  Iterator iterator_;
};

}  // namespace metall::container
