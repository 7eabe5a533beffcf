// One pass over the elements of all containers in a container.
#pragma once

#include <iterator>
#include <memory>
#include <utility>

namespace metall::utility {

/// A forward iterator that goes through inner containers one after another and skips those that are empty.
template <typename OuterIterator, typename InnerIterator>
class container_of_containers_iterator_adaptor {
  using inner_traits = std::iterator_traits<InnerIterator>;

 public:
  using difference_type = typename inner_traits::difference_type;
  using value_type = typename inner_traits::value_type;
  using pointer = typename inner_traits::pointer;
  using reference = typename inner_traits::reference;
  using iterator_category = std::forward_iterator_tag;

  container_of_containers_iterator_adaptor() = default;
  /// At the first element of the first container that has one.
  container_of_containers_iterator_adaptor(OuterIterator first, OuterIterator last)
      : outer_(std::move(first)), outer_end_(std::move(last)) {
    if (outer_ == outer_end_) return;
    enter();
    skip_empty();
  }
  /// At `inner`, in the container of `outer`.
  container_of_containers_iterator_adaptor(OuterIterator outer, InnerIterator inner, OuterIterator last)
      : outer_(std::move(outer)), outer_end_(std::move(last)) {
    if (outer_ == outer_end_) return;
    enter();
    inner_ = std::move(inner);
    skip_empty();
  }

  container_of_containers_iterator_adaptor& operator++() {
    if (outer_ == outer_end_) return *this;
    ++inner_;
    skip_empty();
    return *this;
  }
  container_of_containers_iterator_adaptor operator++(int) {
    container_of_containers_iterator_adaptor old(*this);
    ++*this;
    return old;
  }
  reference operator*() const { return *inner_; }
  auto operator->() const { return std::addressof(*inner_); }

  bool equal(const container_of_containers_iterator_adaptor& other) const {
    const bool at_end = outer_ == outer_end_;
    const bool other_at_end = other.outer_ == other.outer_end_;
    if (at_end || other_at_end) return at_end == other_at_end;
    return outer_ == other.outer_ && inner_ == other.inner_;
  }
  friend bool operator==(const container_of_containers_iterator_adaptor& a,
                         const container_of_containers_iterator_adaptor& b) {
    return a.equal(b);
  }

 private:
  void enter() {
    inner_ = std::begin(*outer_);
    inner_end_ = std::end(*outer_);
  }
  void skip_empty() {
    while (inner_ == inner_end_) {
      if (++outer_ == outer_end_) return;
      enter();
    }
  }

  OuterIterator outer_{};
  OuterIterator outer_end_{};
  InnerIterator inner_{};
  InnerIterator inner_end_{};
};

}  // namespace metall::utility
