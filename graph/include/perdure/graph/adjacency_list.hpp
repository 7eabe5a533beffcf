// A growing graph: 1024 banks, each a table from a vertex to the vector of its neighbours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <perdure/graph/container_family.hpp>
#include <perdure/graph/edge.hpp>
#include <perdure/graph/vertex_hash.hpp>
#include <perdure/stored_form.hpp>
#include <span>

namespace perdure::graph {

/// The graph as a persistent object. It keeps the input's ids and every edge, repeated ones too.
/// Vertices are those that occur in an edge, as source or as target.
///
/// Banks let many threads add edges at once (`ingest`, which brings volatile locks) and keep the table a
/// batch of edges goes to small enough to stay in cache.
///
/// Thread safety: as a standard container; different banks are different objects.
template <container_family Family>
class adjacency_list {
 public:
  using family = Family;
  using allocator_type = typename Family::template allocator<std::byte>;
  using neighbour_list = typename Family::template vector<vertex_id>;
  using bank_type = typename Family::template map<vertex_id, neighbour_list, vertex_hash>;

  explicit adjacency_list(direction d, const allocator_type& allocator = allocator_type())
    requires std::is_default_constructible_v<allocator_type>
      : banks_(allocator), direction_(d) {
    make_banks();
  }
  explicit adjacency_list(direction d, const allocator_type& allocator)
    requires(!std::is_default_constructible_v<allocator_type>)
      : banks_(allocator), direction_(d) {
    make_banks();
  }
  adjacency_list(const adjacency_list&) = delete;
  adjacency_list& operator=(const adjacency_list&) = delete;

  allocator_type get_allocator() const { return allocator_type(banks_.get_allocator()); }

  direction kind() const noexcept { return direction_; }
  bool undirected() const noexcept { return direction_ == direction::undirected; }

  /// Adds one edge. For many, `ingest` is faster. Strong guarantee except that after `std::bad_alloc` an
  /// undirected edge may be stored with one end only. Amortised O(1).
  void add_edge(vertex_id source, vertex_id target) {
    append(bank(bank_of(source)), source, target);
    if (source != target) {
      if (undirected())
        append(bank(bank_of(target)), target, source);
      else
        touch(bank(bank_of(target)), target);
    }
    count_edges(1, source == target ? 1 : 0);
  }

  /// Null when the vertex does not exist; else its neighbours, in the order they were added. O(1).
  const neighbour_list* find(vertex_id v) const {
    const bank_type& b = bank(bank_of(v));
    const auto found = b.find(v);
    return found == b.end() ? nullptr : std::addressof(found->second);
  }
  bool contains(vertex_id v) const { return find(v) != nullptr; }

  /// Number of vertices. O(banks).
  std::uint64_t vertices() const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < bank_count; ++i) sum += bank(i).size();
    return sum;
  }
  /// Edges of the input, each counted once. O(1).
  std::uint64_t edges() const noexcept { return edges_; }
  std::uint64_t self_loops() const noexcept { return self_loops_; }
  /// Stored neighbour entries: twice the edges where the graph is undirected, less the loops. O(1).
  std::uint64_t arcs() const noexcept { return undirected() ? 2 * edges_ - self_loops_ : edges_; }

  bank_type& bank(std::size_t i) { return std::to_address(banks_.data())[i]; }
  const bank_type& bank(std::size_t i) const { return std::to_address(banks_.data())[i]; }

  // For ingestion, which takes a lock per bank and counts for itself. Gives the number of neighbours before.
  static std::size_t append(bank_type& b, vertex_id source, vertex_id target) {
    neighbour_list& neighbours = b.try_emplace(source).first->second;
    neighbours.push_back(target);
    return neighbours.size() - 1;
  }
  static void touch(bank_type& b, vertex_id v) { b.try_emplace(v); }
  void count_edges(std::uint64_t edges, std::uint64_t self_loops) noexcept {
    edges_ += edges;
    self_loops_ += self_loops;
  }
  void set_counts(std::uint64_t edges, std::uint64_t self_loops) noexcept {
    edges_ = edges;
    self_loops_ = self_loops;
  }

  /// Says which members a store records.
  static auto stored_form() {
    using perdure::stored_member;
    return perdure::stored_members(stored_member("banks", &adjacency_list::banks_),
                                   stored_member("edges", &adjacency_list::edges_),
                                   stored_member("self_loops", &adjacency_list::self_loops_),
                                   stored_member("direction", &adjacency_list::direction_));
  }

 private:
  void make_banks() {
    banks_.reserve(bank_count);
    for (std::size_t i = 0; i < bank_count; ++i) banks_.emplace_back();
  }

  typename Family::template vector<bank_type> banks_;
  std::uint64_t edges_ = 0;
  std::uint64_t self_loops_ = 0;
  direction direction_;
};

/// The neighbours as plain memory, whatever vector holds them.
template <class List>
std::span<const vertex_id> as_span(const List& neighbours) {
  return {std::to_address(neighbours.data()), neighbours.size()};
}

}  // namespace perdure::graph
