// Numbers vertices level by level, in all components at once.
#include <algorithm>
#include <compare>
#include <cstddef>
#include <perdure/graph/bfs.hpp>
#include <perdure/graph/detail/rank_plan.hpp>
#include <perdure/graph/ranks/rank_components.hpp>
#include <perdure/graph/ranks/rank_order.hpp>
#include <unordered_map>
#include <utility>

#include "ranks/numbered_keys.hpp"
#include "ranks/numbers_of_all.hpp"
#include "ranks/packed_bytes.hpp"
#include "ranks/sound_rows.hpp"

namespace perdure::graph {
namespace detail {
namespace {

/// Three numbers that are compared one after the other.
struct sort_key {
  std::uint64_t first;
  std::uint64_t second;
  std::uint64_t third;
  auto operator<=>(const sort_key&) const = default;
};

/// All functions are collective.
class cuthill_mckee {
 public:
  cuthill_mckee(const rank_graph& graph, rank_exchange& ranks, unsigned threads)
      : graph_(graph),
        plan_(graph.plan()),
        mirrors_(plan_),
        ranks_(ranks),
        components_(connected_components(graph, ranks, threads).labels),
        levels_(graph.size(), 0),
        places_(graph.places()) {}

  std::vector<std::uint64_t> run() {
    search(first_of_components(), is_ordered::no);
    search(first_of_components(), is_ordered::yes);
    std::vector<sort_key> keys;
    keys.reserve(graph_.size());
    for (vertex_handle v = 0; v < graph_.size(); ++v)
      keys.push_back({components_[v], levels_[v], places_[v]});
    std::vector<std::uint64_t> numbers = places_in_order(keys, ranks_);
    for (std::uint64_t& number : numbers) number = graph_.vertices() - 1 - number;
    return numbers;
  }

 private:
  enum class is_ordered : bool { no, yes };

  /// A vertex that the search may begin with in its component. It begins with the smallest one.
  struct candidate {
    std::uint32_t level_from_last;
    std::uint64_t degree;
    vertex_id id;
    vertex_id number;
    auto operator<=>(const candidate&) const = default;
  };

  /// Returns for each component, if it is one of this rank, the vertex of its last level with the smallest
  /// degree, and of several the one with the smallest id.
  std::vector<vertex_handle> first_of_components() {
    std::unordered_map<vertex_id, candidate> found;  // by component
    const auto propose = [&found](vertex_id component, const candidate& one) {
      candidate& best = found.try_emplace(component, one).first->second;
      best = std::min(best, one);
    };
    for (vertex_handle v = 0; v < graph_.size(); ++v)
      propose(components_[v], {unreached - levels_[v], graph_.degree(v), graph_.id(v), graph_.number(v)});
    outgoing messages(ranks_);
    for (auto at = found.begin(); at != found.end();) {
      const int owner = plan_.owner(at->first);
      if (owner == ranks_.rank()) {
        ++at;
        continue;
      }
      pack(messages.to(owner), at->first);
      pack(messages.to(owner), at->second);
      at = found.erase(at);
    }
    for (const rank_message& one : messages.exchange())
      for (unpacker bytes(one.bytes); !bytes.empty();) {
        const auto component = bytes.take<vertex_id>();
        propose(component, bytes.take<candidate>());
      }
    std::vector<vertex_handle> own;
    const auto take = [&](vertex_id number) {
      own.push_back(static_cast<vertex_handle>(number - graph_.first()));
    };
    for (const auto& [component, best] : found) {
      const int owner = plan_.owner(best.number);
      if (owner == ranks_.rank()) {
        take(best.number);
      } else {
        pack(messages.to(owner), best.number);
      }
    }
    for (const rank_message& one : messages.exchange())
      for (unpacker bytes(one.bytes); !bytes.empty();) take(bytes.take<vertex_id>());
    return own;
  }

  /// Finds levels from these vertices on, and the places of vertices within their level.
  void search(std::vector<vertex_handle> level, is_ordered how) {
    std::fill(levels_.begin(), levels_.end(), unreached);
    std::vector<sort_key> keys;
    keys.reserve(level.size());
    for (const vertex_handle v : level) {
      levels_[v] = 0;
      keys.push_back({components_[v], 0, 0});
    }
    for (std::uint32_t depth = 0; sum_of_all(level.size(), ranks_) != 0; ++depth) {
      if (how == is_ordered::yes) {
        const std::vector<std::uint64_t> places = places_in_order(keys, ranks_);
        for (std::size_t i = 0; i < level.size(); ++i) places_[level[i]] = places[i];
      }
      const std::vector<vertex_handle> ghosts = exchange_places(level);
      std::vector<vertex_handle> next;
      const auto reach = [&](vertex_handle v, std::uint64_t parent) {
        if (levels_[v] == unreached) {
          levels_[v] = depth + 1;
          places_[v] = parent;
          next.push_back(v);
        }
        // Until the level is ordered, a place is that of the first neighbour in the level before.
        if (levels_[v] == depth + 1) places_[v] = std::min(places_[v], parent);
      };
      for (const vertex_handle v : level)
        for (const vertex_handle u : graph_.neighbours(v))
          if (u < graph_.size()) reach(u, places_[v]);
      for (const vertex_handle ghost : ghosts) {
        const std::size_t row = ghost - graph_.size();
        for (std::uint64_t i = plan_.ghost_offsets[row]; i < plan_.ghost_offsets[row + 1]; ++i)
          reach(plan_.ghost_rows[i], places_[ghost]);
      }
      level = std::move(next);
      keys.clear();
      for (const vertex_handle v : level) keys.push_back({places_[v], graph_.degree(v), graph_.id(v)});
    }
  }

  /// Sends the places of a level to the ranks that see its vertices. Returns the ghosts in it.
  std::vector<vertex_handle> exchange_places(const std::vector<vertex_handle>& level) {
    outgoing messages(ranks_);
    for (const vertex_handle v : level)
      for (const mirror_table::mirror& one : mirrors_.of(v)) {
        auto& bytes = messages.to(plan_.neighbours[one.neighbour].rank);
        pack(bytes, one.place);
        pack(bytes, places_[v]);
      }
    std::vector<vertex_handle> ghosts;
    for (const rank_message& one : messages.exchange()) {
      const rank_plan::neighbour& from = plan_.neighbour_at(one.rank);
      for (unpacker bytes(one.bytes); !bytes.empty();) {
        const vertex_handle ghost = plan_.ghost_at(from, bytes.take<std::uint32_t>());
        places_[ghost] = bytes.take<std::uint64_t>();
        ghosts.push_back(ghost);
      }
    }
    return ghosts;
  }

  const rank_graph& graph_;
  const rank_plan& plan_;
  mirror_table mirrors_;
  rank_exchange& ranks_;
  std::vector<vertex_id> components_;  // by own vertex
  std::vector<std::uint32_t> levels_;  // by own vertex
  std::vector<std::uint64_t> places_;  // by own vertex and ghost: the place in its level
};

}  // namespace
}  // namespace detail

std::vector<std::uint64_t> rcm_numbers(const rank_graph& graph, rank_exchange& ranks, unsigned threads) {
  detail::require_part(graph, ranks);
  return detail::cuthill_mckee(graph, ranks, threads).run();
}

}  // namespace perdure::graph
