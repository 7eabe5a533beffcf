// A number for each edge of an adjacency list: weights, times, or anything else that edges have.
#pragma once

#include <cstddef>
#include <memory>
#include <perdure/graph/adjacency_list.hpp>
#include <perdure/stored_form.hpp>
#include <perdure/workload/parallel.hpp>
#include <span>

namespace perdure::graph {

/// A column beside an adjacency list, with a number for each entry of each neighbour list, in the same order.
/// A graph without columns takes no more memory. An undirected edge has its number at both ends.
///
/// A program that adds edges to the list itself must add to its columns too; `ingest` does. Edges that were
/// added to the list alone have the number `missing()` wherever the column is read.
///
/// Thread safety: like the list. Different banks are different objects.
template <container_family Family>
class edge_column {
 public:
  using family = Family;  ///< containers that the column is made of
  using allocator_type = typename Family::template allocator<std::byte>;  ///< allocator of all its containers
  using number_list = typename Family::template vector<double>;           ///< numbers of a vertex's edges
  /// Table of one bank.
  using bank_type = typename Family::template map<vertex_id, number_list, vertex_hash>;

  /// Makes an empty column. Edges that are added without a number have the number `missing`. Throws
  /// `std::bad_alloc`.
  explicit edge_column(double missing, const allocator_type& allocator = allocator_type())
    requires std::is_default_constructible_v<allocator_type>
      : banks_(allocator), missing_(missing) {
    make_banks();
  }
  /// Makes an empty column in the memory of `allocator`.
  explicit edge_column(double missing, const allocator_type& allocator)
    requires(!std::is_default_constructible_v<allocator_type>)
      : banks_(allocator), missing_(missing) {
    make_banks();
  }
  edge_column(const edge_column&) = delete;
  edge_column& operator=(const edge_column&) = delete;

  /// Returns the number of edges that were added without one.
  double missing() const noexcept { return missing_; }
  /// Returns the numbers of a vertex's edges, in the order of its neighbours. There are fewer numbers than
  /// neighbours where edges were added to the list alone, and none for a vertex without edges. O(1).
  std::span<const double> find(vertex_id v) const {
    const bank_type& b = bank(bank_of(v));
    const auto found = b.find(v);
    if (found == b.end()) return {};
    return {std::to_address(found->second.data()), found->second.size()};
  }

  /// Gives the number `missing()` to all edges of the graph that have none in this column. Throws
  /// `std::bad_alloc`. O(vertices + edges).
  void fill(const adjacency_list<Family>& graph, unsigned threads) {
    workload::parallel_for(threads, bank_count, 16, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        for (const auto& [v, neighbours] : graph.bank(i))
          if (!neighbours.empty()) list_of(bank(i), v).resize(neighbours.size(), missing_);
    });
  }

  /// Returns bank `i`, below `bank_count`. `bank_of` says which bank a vertex is in.
  bank_type& bank(std::size_t i) { return std::to_address(banks_.data())[i]; }
  /// Returns bank `i`, below `bank_count`, for reading.
  const bank_type& bank(std::size_t i) const { return std::to_address(banks_.data())[i]; }
  /// Returns the numbers of a vertex in its bank, and inserts an empty list where there is none. Throws
  /// `std::bad_alloc`.
  static number_list& list_of(bank_type& b, vertex_id v) { return b.try_emplace(v).first->second; }

  /// Describes the members, so that the store can record them.
  static auto stored_form() {
    return perdure::stored_members(perdure::stored_member("banks", &edge_column::banks_),
                                   perdure::stored_member("missing", &edge_column::missing_));
  }

 private:
  void make_banks() {
    banks_.reserve(bank_count);
    for (std::size_t i = 0; i < bank_count; ++i) banks_.emplace_back();
  }

  typename Family::template vector<bank_type> banks_;
  double missing_;
};

/// The columns of a graph that edges are added to.
template <container_family Family>
struct edge_columns {
  edge_column<Family>* weights = nullptr;  ///< column of weights; null: the graph has none
  edge_column<Family>* times = nullptr;    ///< column of times; null: the graph has none
};

/// Weight of an edge without a weight. Algorithms count the arcs of graphs without weights the same way.
inline constexpr double weight_of_edges_without = 1;

}  // namespace perdure::graph
