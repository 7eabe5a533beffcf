// A graph that grows: 1024 hash tables (banks) from a vertex to the list of its neighbours.
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

/// A growing graph as an object for a store or for ordinary memory. It keeps the ids of the input and every
/// edge, parallel edges too. Its vertices are the ids that occur in an edge, as source or as target, and the
/// ids that `ingest` was given without edges.
///
/// Banks let several threads add edges at once (`ingest` brings the locks). They also keep the table that a
/// batch of edges goes to small enough for the processor's cache.
///
/// Thread safety: like a standard container. Different banks are different objects.
template <container_family Family>
class adjacency_list {
 public:
  using family = Family;  ///< containers that the graph is made of
  using allocator_type = typename Family::template allocator<std::byte>;  ///< allocator of all its containers
  /// Ids of a vertex's neighbours, in the order in which edges were added.
  using neighbour_list = typename Family::template vector<vertex_id>;
  /// Table of one bank.
  using bank_type = typename Family::template map<vertex_id, neighbour_list, vertex_hash>;

  /// Makes an empty graph. Throws `std::bad_alloc`. O(banks).
  explicit adjacency_list(direction d, const allocator_type& allocator = allocator_type())
    requires std::is_default_constructible_v<allocator_type>
      : banks_(allocator), direction_(d) {
    make_banks();
  }
  /// Makes an empty graph in the memory of `allocator`. Throws `std::bad_alloc`. O(banks).
  explicit adjacency_list(direction d, const allocator_type& allocator)
    requires(!std::is_default_constructible_v<allocator_type>)
      : banks_(allocator), direction_(d) {
    make_banks();
  }
  adjacency_list(const adjacency_list&) = delete;
  adjacency_list& operator=(const adjacency_list&) = delete;

  /// Returns a copy of the allocator.
  allocator_type get_allocator() const { return allocator_type(banks_.get_allocator()); }

  /// Returns whether edges have a direction.
  direction kind() const noexcept { return direction_; }
  /// Returns whether `kind()` is `direction::undirected`.
  bool undirected() const noexcept { return direction_ == direction::undirected; }

  /// Adds one edge; `ingest` is faster for many. Amortised O(1). Throws `std::bad_alloc`: the graph is
  /// unchanged then, except that an undirected edge may be stored at one end only.
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

  /// Returns the neighbours of a vertex in the order in which they were added, or null where the graph has no
  /// such vertex. O(1).
  const neighbour_list* find(vertex_id v) const {
    const bank_type& b = bank(bank_of(v));
    const auto found = b.find(v);
    return found == b.end() ? nullptr : std::addressof(found->second);
  }
  /// Returns whether the graph has the vertex. O(1).
  bool contains(vertex_id v) const { return find(v) != nullptr; }

  /// Returns the number of vertices. O(banks).
  std::uint64_t vertices() const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < bank_count; ++i) sum += bank(i).size();
    return sum;
  }
  /// Returns the number of edges of the input; an undirected edge counts once. O(1).
  std::uint64_t edges() const noexcept { return edges_; }
  /// Returns the number of edges from a vertex to itself. O(1).
  std::uint64_t self_loops() const noexcept { return self_loops_; }
  /// Returns the number of entries in all neighbour lists: an undirected edge has two, a loop has one. O(1).
  std::uint64_t arcs() const noexcept { return undirected() ? 2 * edges_ - self_loops_ : edges_; }

  /// Returns bank `i`, below `bank_count`. `bank_of` says which bank a vertex is in.
  bank_type& bank(std::size_t i) { return std::to_address(banks_.data())[i]; }
  /// Returns bank `i`, below `bank_count`, for reading.
  const bank_type& bank(std::size_t i) const { return std::to_address(banks_.data())[i]; }

  // For `ingest`, which locks banks and counts edges itself. `append` returns the number of neighbours
  // before.
  /// @cond
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
  /// @endcond

  /// Describes the members, so that the store can record them.
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
