// Sends the row of each vertex to the rank that owns it by its new number.
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <perdure/error.hpp>
#include <perdure/graph/detail/rank_plan.hpp>
#include <perdure/graph/ranks/joint_call.hpp>
#include <perdure/graph/ranks/rank_order.hpp>
#include <string>
#include <utility>

#include "ranks/ghost_values.hpp"
#include "ranks/numbered_rows.hpp"
#include "ranks/numbers_of_all.hpp"
#include "ranks/packed_bytes.hpp"
#include "ranks/rank_division.hpp"
#include "ranks/sound_rows.hpp"

namespace perdure::graph {
namespace detail {
namespace {

/// Arcs that a rank sends at once.
constexpr std::uint64_t arcs_at_once = std::uint64_t{1} << 20;

/// Collective. Returns the degrees of the vertices that this rank has when all have as many, by new numbers.
/// Throws `invalid_argument` on all ranks unless `numbers` is a permutation.
std::vector<std::uint64_t> degrees_by_number(const rank_graph& graph, std::span<const std::uint64_t> numbers,
                                             const std::vector<std::uint64_t>& bounds, rank_exchange& ranks) {
  const auto fail_where = [&ranks](bool is_wrong) {
    throw_first_error(ranks, is_wrong ? std::optional(error(errc::invalid_argument,
                                                            "the new numbers of vertices are no permutation: "
                                                            "each must be given once"))
                                      : std::nullopt);
  };
  fail_where(numbers.size() != graph.size() ||
             std::any_of(numbers.begin(), numbers.end(),
                         [&](std::uint64_t number) { return number >= graph.vertices(); }));
  constexpr auto unknown = ~std::uint64_t{0};
  const auto rank = static_cast<std::size_t>(ranks.rank());
  std::vector<std::uint64_t> degrees(bounds[rank + 1] - bounds[rank], unknown);
  bool is_twice = false;
  const auto take = [&](std::uint64_t number, std::uint64_t degree) {
    is_twice |= std::exchange(degrees[number - bounds[rank]], degree) != unknown;
  };
  outgoing messages(ranks);
  for (std::size_t v = 0; v < numbers.size(); ++v) {
    const int owner = owner_of(bounds, numbers[v]);
    const std::uint64_t degree = graph.degree(static_cast<vertex_handle>(v));
    if (owner == ranks.rank()) {
      take(numbers[v], degree);
    } else {
      pack(messages.to(owner), numbers[v]);
      pack(messages.to(owner), degree);
    }
  }
  for (const rank_message& one : messages.exchange())
    for (unpacker bytes(one.bytes); !bytes.empty();) {
      const auto number = bytes.take<std::uint64_t>();
      take(number, bytes.take<std::uint64_t>());
    }
  fail_where(is_twice);
  return degrees;
}

/// Rows in the order in which they came.
struct received_rows {
  std::vector<vertex_handle> rows;  // from the owner's first vertex on
  std::vector<vertex_id> ids;
  std::vector<std::uint64_t> begins{0};
  std::vector<vertex_id> targets;
  std::vector<double> weights;
};

class row_exchange {
 public:
  /// `numbers` has the new ones of own vertices and ghosts.
  row_exchange(const rank_graph& graph, const std::vector<std::uint64_t>& numbers,
               const std::vector<std::uint64_t>& bounds, rank_exchange& ranks)
      : graph_(graph),
        numbers_(numbers),
        bounds_(bounds),
        ranks_(ranks),
        has_weights_(sum_of_all(graph.weights().size(), ranks) != 0) {}

  /// Collective.
  received_rows run() {
    outgoing messages(ranks_);
    const auto own = static_cast<vertex_handle>(graph_.size());
    for (vertex_handle v = 0; sum_of_all(v < own ? 1 : 0, ranks_) != 0;) {
      for (std::uint64_t arcs = 0; v < own && arcs < arcs_at_once; ++v) {
        give(v, messages);
        arcs += graph_.degree(v) + 1;
      }
      for (const rank_message& one : messages.exchange())
        for (unpacker bytes(one.bytes); !bytes.empty();) take(bytes);
    }
    return std::move(received_);
  }

 private:
  void give(vertex_handle v, outgoing& messages) {
    const int owner = owner_of(bounds_, numbers_[v]);
    const auto row = static_cast<vertex_handle>(numbers_[v] - bounds_[static_cast<std::size_t>(owner)]);
    const vertex_id id = graph_.id(v);
    const auto targets = graph_.neighbours(v);
    const double* const weights = has_weights_ ? graph_.weights().data() + graph_.offsets()[v] : nullptr;
    if (owner == ranks_.rank()) {
      begin_row(row, id);
      for (const vertex_handle u : targets) received_.targets.push_back(numbers_[u]);
      if (has_weights_) received_.weights.insert(received_.weights.end(), weights, weights + targets.size());
      end_row();
      return;
    }
    std::vector<std::byte>& bytes = messages.to(owner);
    pack(bytes, row);
    pack(bytes, id);
    pack(bytes, std::uint64_t{targets.size()});
    for (const vertex_handle u : targets) pack(bytes, numbers_[u]);
    for (std::size_t i = 0; has_weights_ && i < targets.size(); ++i) pack(bytes, weights[i]);
  }

  void take(unpacker& bytes) {
    const auto row = bytes.take<vertex_handle>();
    begin_row(row, bytes.take<vertex_id>());
    const auto degree = bytes.take<std::uint64_t>();
    for (std::uint64_t i = 0; i < degree; ++i) received_.targets.push_back(bytes.take<vertex_id>());
    for (std::uint64_t i = 0; has_weights_ && i < degree; ++i)
      received_.weights.push_back(bytes.take<double>());
    end_row();
  }

  void begin_row(vertex_handle row, vertex_id id) {
    received_.rows.push_back(row);
    received_.ids.push_back(id);
  }
  void end_row() { received_.begins.push_back(received_.targets.size()); }

  const rank_graph& graph_;
  const std::vector<std::uint64_t>& numbers_;
  const std::vector<std::uint64_t>& bounds_;
  rank_exchange& ranks_;
  bool has_weights_;
  received_rows received_;
};

/// Puts rows in the order of their vertices.
rank_rows placed(const received_rows& received, std::vector<std::uint64_t> bounds) {
  const std::size_t own = received.rows.size();
  rank_rows rows{.bounds = std::move(bounds), .offsets = {}, .targets = {}, .weights = {}, .ids = {}};
  rows.offsets.assign(own + 1, 0);
  for (std::size_t i = 0; i < own; ++i)
    rows.offsets[received.rows[i] + std::size_t{1}] = received.begins[i + 1] - received.begins[i];
  std::partial_sum(rows.offsets.begin(), rows.offsets.end(), rows.offsets.begin());
  rows.targets.resize(received.targets.size());
  rows.weights.resize(received.weights.size());
  rows.ids.resize(own);
  for (std::size_t i = 0; i < own; ++i) {
    const auto begin = static_cast<std::ptrdiff_t>(received.begins[i]);
    const auto end = static_cast<std::ptrdiff_t>(received.begins[i + 1]);
    const auto to = static_cast<std::ptrdiff_t>(rows.offsets[received.rows[i]]);
    rows.ids[received.rows[i]] = received.ids[i];
    std::copy(received.targets.begin() + begin, received.targets.begin() + end, rows.targets.begin() + to);
    if (!rows.weights.empty())
      std::copy(received.weights.begin() + begin, received.weights.begin() + end, rows.weights.begin() + to);
  }
  return rows;
}

}  // namespace
}  // namespace detail

rank_graph reordered(const rank_graph& graph, std::span<const std::uint64_t> numbers, rank_exchange& ranks,
                     unsigned threads) {
  using namespace detail;
  require_part(graph, ranks);
  std::vector<std::uint64_t> bounds = even_bounds(graph.vertices(), ranks.size());
  bounds = bounds_by_arcs(bounds, degrees_by_number(graph, numbers, bounds, ranks), ranks);
  own_vertices(bounds, ranks);
  std::vector<std::uint64_t> all(numbers.begin(), numbers.end());
  all.resize(graph.places());
  if (ranks.size() > 1)
    exchange_with_ghosts<std::uint64_t>(
        graph.plan(), ranks, [&](vertex_handle v) { return numbers[v]; },
        [&](vertex_handle ghost, std::uint64_t number) { all[ghost] = number; });
  const vertex_id first = bounds[static_cast<std::size_t>(ranks.rank())];
  rank_rows rows = placed(row_exchange(graph, all, bounds, ranks).run(), bounds);
  std::uint64_t otherwise_called = 0;
  for (std::size_t v = 0; v < rows.ids.size(); ++v) otherwise_called += rows.ids[v] != first + v ? 1U : 0U;
  if (sum_of_all(otherwise_called, ranks) == 0) rows.ids.clear();
  return joint_call(ranks, [&] {
    order_rows(rows, threads);
    return graph_of_rows(std::move(rows), ranks.rank());
  });
}

}  // namespace perdure::graph
