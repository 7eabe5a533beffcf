// A number for each edge of an adjacency list: weights, times, anything else that edges have.
#pragma once

#include <cstddef>
#include <memory>
#include <perdure/graph/adjacency_list.hpp>
#include <perdure/stored_form.hpp>
#include <perdure/workload/parallel.hpp>
#include <span>

namespace perdure::graph {

/// For each vertex as many numbers as it has neighbours, in their order: a column beside the list, so that a
/// graph without it takes no more memory. An undirected edge has its number at both ends.
///
/// Who adds edges to the list adds to its columns too; `ingest` does. Edges that were added to the list alone
/// have the number `missing`, wherever columns are read. Thread safety: as the list's.
template <container_family Family>
class edge_column {
 public:
  using family = Family;
  using allocator_type = typename Family::template allocator<std::byte>;
  using number_list = typename Family::template vector<double>;
  using bank_type = typename Family::template map<vertex_id, number_list, vertex_hash>;

  /// What edges have that are added without a number is `missing`.
  explicit edge_column(double missing, const allocator_type& allocator = allocator_type())
    requires std::is_default_constructible_v<allocator_type>
      : banks_(allocator), missing_(missing) {
    make_banks();
  }
  explicit edge_column(double missing, const allocator_type& allocator)
    requires(!std::is_default_constructible_v<allocator_type>)
      : banks_(allocator), missing_(missing) {
    make_banks();
  }
  edge_column(const edge_column&) = delete;
  edge_column& operator=(const edge_column&) = delete;

  double missing() const noexcept { return missing_; }
  /// The numbers of a vertex's edges, fewer than it has neighbours where edges were added to the list alone;
  /// none where it has no edges. O(1).
  std::span<const double> find(vertex_id v) const {
    const bank_type& b = bank(bank_of(v));
    const auto found = b.find(v);
    if (found == b.end()) return {};
    return {std::to_address(found->second.data()), found->second.size()};
  }

  /// Gives all edges that have none in this column yet the number `missing`. O(vertices + edges).
  void fill(const adjacency_list<Family>& graph, unsigned threads) {
    workload::parallel_for(threads, bank_count, 16, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        for (const auto& [v, neighbours] : graph.bank(i))
          if (!neighbours.empty()) list_of(bank(i), v).resize(neighbours.size(), missing_);
    });
  }

  bank_type& bank(std::size_t i) { return std::to_address(banks_.data())[i]; }
  const bank_type& bank(std::size_t i) const { return std::to_address(banks_.data())[i]; }
  static number_list& list_of(bank_type& b, vertex_id v) { return b.try_emplace(v).first->second; }

  /// Says which members a store records.
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

/// The columns of a graph that edges are added to; null: it has none.
template <container_family Family>
struct edge_columns {
  edge_column<Family>* weights = nullptr;
  edge_column<Family>* times = nullptr;
};

/// What an edge weighs that has no weight, as algorithms on graphs without weights count it.
inline constexpr double weight_of_edges_without = 1;

}  // namespace perdure::graph
