// A row of JSON values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <metall/container/scoped_allocator.hpp>
#include <metall/container/vector.hpp>
#include <metall/json/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <utility>

namespace metall::json {

template <typename Allocator>
class array {
  using values =
      container::vector<value<Allocator>, container::scoped_allocator_adaptor<typename std::allocator_traits<
                                              Allocator>::template rebind_alloc<value<Allocator>>>>;

 public:
  using allocator_type = Allocator;
  using value_type = value<Allocator>;
  using iterator = typename values::iterator;
  using const_iterator = typename values::const_iterator;
  using reference = value_type&;
  using const_reference = const value_type&;

  array() : values_(Allocator()) {}
  explicit array(const Allocator& allocator) : values_(allocator) {}
  array(const array&) = default;
  array(const array& other, const Allocator& allocator) : values_(other.values_, allocator) {}
  array(array&&) noexcept = default;
  array(array&& other, const Allocator& allocator) : values_(std::move(other.values_), allocator) {}
  array& operator=(const array&) = default;
  array& operator=(array&&) = default;

  /// Both must have equal allocators.
  void swap(array& other) noexcept { values_.swap(other.values_); }
  friend void swap(array& a, array& b) noexcept { a.swap(b); }

  std::size_t size() const noexcept { return values_.size(); }
  bool empty() const noexcept { return values_.empty(); }
  std::size_t capacity() const noexcept { return values_.capacity(); }
  void reserve(const std::size_t size) { values_.reserve(size); }
  /// New values are null.
  void resize(const std::size_t size) { values_.resize(size, value_type(get_allocator())); }
  void clear() { values_.clear(); }

  reference operator[](const std::size_t index) { return values_[index]; }
  const_reference operator[](const std::size_t index) const { return values_[index]; }
  /// `std::out_of_range`.
  reference at(const std::size_t index) { return values_[checked(index)]; }
  const_reference at(const std::size_t index) const { return values_[checked(index)]; }

  iterator begin() { return values_.begin(); }
  const_iterator begin() const { return values_.begin(); }
  iterator end() { return values_.end(); }
  const_iterator end() const { return values_.end(); }

  iterator erase(const_iterator position) { return values_.erase(position); }
  void push_back(const value_type& value) { values_.push_back(value); }
  void push_back(value_type&& value) { values_.push_back(std::move(value)); }

  allocator_type get_allocator() const noexcept {
    return allocator_type(values_.get_allocator().outer_allocator());
  }

  friend bool operator==(const array& a, const array& b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  /// Boost's own `at` throws an exception of Boost's.
  std::size_t checked(const std::size_t index) const {
    if (index >= size()) throw std::out_of_range("a JSON array has no element " + std::to_string(index));
    return index;
  }

  values values_;
};

}  // namespace metall::json

// What it holds must be complete before it is used.
#include <metall/json/value.hpp>
