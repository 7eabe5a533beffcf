// Elements that were taken out of a flat container: what `extract` returns.
#pragma once

#include <optional>
#include <perdure/container/detail/flat_table.hpp>
#include <utility>

namespace perdure::detail {

/// An element of a set that is in no set, or nothing. As the standard's node handles, but the element moves:
/// nothing that referred to it refers to it here. It has the memory of the place where it lies.
template <class Policy>
class flat_node;

template <class Key>
class flat_node<set_policy<Key>> {
 public:
  using value_type = Key;

  flat_node() noexcept = default;
  explicit flat_node(Key&& taken) : element_(std::move(taken)) {}

  [[nodiscard]] bool empty() const noexcept { return !element_.has_value(); }
  explicit operator bool() const noexcept { return element_.has_value(); }
  Key& value() noexcept { return *element_; }
  const Key& value() const noexcept { return *element_; }

  /// For containers: the key, and how the element is built from here.
  const Key& key_to_find() const noexcept { return *element_; }
  template <class Build>
  auto build_with(Build&& build) {
    return build(std::move(*element_));
  }
  void reset() noexcept { element_.reset(); }

 private:
  std::optional<Key> element_;
};

template <class Key, class Mapped>
class flat_node<map_policy<Key, Mapped>> {
 public:
  using key_type = Key;
  using mapped_type = Mapped;

  flat_node() noexcept = default;
  explicit flat_node(std::pair<const Key, Mapped>&& taken)
      // The element is destroyed next, so its key may be moved from.
      : element_(std::in_place, std::move(const_cast<Key&>(taken.first)), std::move(taken.second)) {}

  [[nodiscard]] bool empty() const noexcept { return !element_.has_value(); }
  explicit operator bool() const noexcept { return element_.has_value(); }
  Key& key() noexcept { return element_->first; }
  const Key& key() const noexcept { return element_->first; }
  Mapped& mapped() noexcept { return element_->second; }
  const Mapped& mapped() const noexcept { return element_->second; }

  /// For containers: the key, and how the element is built from here.
  const Key& key_to_find() const noexcept { return element_->first; }
  template <class Build>
  auto build_with(Build&& build) {
    return build(std::move(element_->first), std::move(element_->second));
  }
  void reset() noexcept { element_.reset(); }

 private:
  std::optional<std::pair<Key, Mapped>> element_;
};

/// Returned by the insertion of a node, as with the standard's containers.
template <class Iterator, class Node>
struct flat_insert_return {
  Iterator position{};
  bool inserted = false;
  Node node{};
};

}  // namespace perdure::detail
