// A graph view whose type does not depend on how the graph is stored: a kernel compiled for it serves every
// graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <perdure/graph/graph_view.hpp>
#include <utility>

namespace perdure::test {

/// Row of an `erased_view`. Each entry is read by a call of the member `At`.
template <class Graph, auto At>
class erased_row {
 public:
  using value_type = decltype((std::declval<const Graph&>().*At)(graph::vertex_handle{}, std::size_t{}));

  class iterator {
   public:
    using value_type = erased_row::value_type;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::forward_iterator_tag;

    iterator() = default;
    iterator(const Graph& of, graph::vertex_handle v, std::size_t at) noexcept : of_(&of), v_(v), at_(at) {}
    value_type operator*() const { return (of_->*At)(v_, at_); }
    iterator& operator++() noexcept {
      ++at_;
      return *this;
    }
    iterator operator++(int) noexcept { return {*of_, v_, at_++}; }
    bool operator==(const iterator& other) const noexcept { return at_ == other.at_; }

   private:
    const Graph* of_ = nullptr;
    graph::vertex_handle v_ = 0;
    std::size_t at_ = 0;
  };

  erased_row(const Graph& of, graph::vertex_handle v, std::size_t size) noexcept
      : of_(of), v_(v), size_(size) {}
  iterator begin() const noexcept { return {of_, v_, 0}; }
  iterator end() const noexcept { return {of_, v_, size_}; }
  std::size_t size() const noexcept { return size_; }

 private:
  const Graph& of_;
  graph::vertex_handle v_;
  std::size_t size_;
};

/// Graph view with a virtual call for each entry of a row. May be used from any thread, as the view behind
/// it.
class erased_view {
 public:
  virtual ~erased_view() = default;
  erased_view(const erased_view&) = delete;
  erased_view& operator=(const erased_view&) = delete;

  virtual std::size_t size() const = 0;
  virtual std::uint64_t arcs() const = 0;
  virtual bool symmetric() const = 0;
  virtual bool has_incoming() const = 0;
  virtual bool has_weights() const = 0;
  virtual std::uint64_t degree(graph::vertex_handle v) const = 0;
  virtual graph::vertex_handle neighbour(graph::vertex_handle v, std::size_t at) const = 0;
  virtual std::size_t in_degree(graph::vertex_handle v) const = 0;
  virtual graph::vertex_handle source(graph::vertex_handle v, std::size_t at) const = 0;
  virtual double weight(graph::vertex_handle v, std::size_t at) const = 0;

  auto neighbours(graph::vertex_handle v) const {
    return erased_row<erased_view, &erased_view::neighbour>(*this, v, degree(v));
  }
  auto incoming(graph::vertex_handle v) const {
    return erased_row<erased_view, &erased_view::source>(*this, v, in_degree(v));
  }
  auto weights(graph::vertex_handle v) const {
    return erased_row<erased_view, &erased_view::weight>(*this, v, degree(v));
  }

 protected:
  erased_view() = default;
};

static_assert(graph::incoming_view<erased_view> && graph::weighted_view<erased_view>);

/// `erased_view` of `view`, which must outlive it. Without incoming arcs or weights where `View` has none.
template <graph::graph_view View>
class erased final : public erased_view {
 public:
  explicit erased(const View& view) : view_(view) {}

  std::size_t size() const override { return view_.size(); }
  std::uint64_t arcs() const override { return view_.arcs(); }
  bool symmetric() const override { return view_.symmetric(); }
  bool has_incoming() const override {
    if constexpr (graph::incoming_view<View>) {
      return view_.has_incoming();
    } else {
      return false;
    }
  }
  bool has_weights() const override {
    if constexpr (graph::weighted_view<View>) {
      return view_.has_weights();
    } else {
      return false;
    }
  }
  std::uint64_t degree(graph::vertex_handle v) const override { return view_.degree(v); }
  graph::vertex_handle neighbour(graph::vertex_handle v, std::size_t at) const override {
    return entry(view_.neighbours(v), at);
  }
  std::size_t in_degree(graph::vertex_handle v) const override {
    if constexpr (graph::incoming_view<View>) {
      return view_.incoming(v).size();
    } else {
      return 0;
    }
  }
  graph::vertex_handle source(graph::vertex_handle v, std::size_t at) const override {
    if constexpr (graph::incoming_view<View>) {
      return entry(view_.incoming(v), at);
    } else {
      return graph::no_vertex;
    }
  }
  double weight(graph::vertex_handle v, std::size_t at) const override {
    if constexpr (graph::weighted_view<View>) {
      return entry(view_.weights(v), at);
    } else {
      return 1;
    }
  }

 private:
  static auto entry(const auto& row, std::size_t at) {
    return *std::ranges::next(row.begin(), static_cast<std::ptrdiff_t>(at));
  }

  const View& view_;
};

}  // namespace perdure::test
