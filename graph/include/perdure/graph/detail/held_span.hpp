// An array that does not change, wherever it lies.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace perdure::graph::detail {

/// Elements that are kept as long as a copy of this object exists: those of a vector, or of a store.
template <class Value>
class held_span {
 public:
  held_span() = default;
  /// Takes the elements of a vector.
  held_span(std::vector<Value> elements) {  // NOLINT(google-explicit-constructor)
    const auto own = std::make_shared<const std::vector<Value>>(std::move(elements));
    elements_ = *own;
    holder_ = own;
  }
  /// Refers to elements that are valid as long as `holder` exists.
  held_span(std::span<const Value> elements, std::shared_ptr<const void> holder)
      : elements_(elements), holder_(std::move(holder)) {}

  std::size_t size() const noexcept { return elements_.size(); }
  bool empty() const noexcept { return elements_.empty(); }
  const Value* data() const noexcept { return elements_.data(); }
  auto begin() const noexcept { return elements_.begin(); }
  auto end() const noexcept { return elements_.end(); }
  const Value& operator[](std::size_t i) const noexcept { return elements_[i]; }
  const Value& back() const noexcept { return elements_.back(); }
  std::span<const Value> span() const noexcept { return elements_; }

 private:
  std::span<const Value> elements_;
  std::shared_ptr<const void> holder_;
};

}  // namespace perdure::graph::detail
