// Moves vertices between communities, and makes vertices of communities.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <perdure/error.hpp>
#include <perdure/graph/communities.hpp>
#include <perdure/graph/ranks/rank_communities.hpp>
#include <string>
#include <utility>

#include "ranks/community_labels.hpp"
#include "ranks/contracted_graph.hpp"
#include "ranks/fetched_values.hpp"
#include "ranks/ghost_values.hpp"
#include "ranks/half_steps.hpp"
#include "ranks/numbers_of_all.hpp"
#include "ranks/packed_bytes.hpp"

namespace perdure::graph::detail {
namespace {

std::vector<vertex_id> each_alone(const community_graph& graph) {
  std::vector<vertex_id> names(graph.size());
  std::iota(names.begin(), names.end(), graph.plan.first());
  return names;
}

/// Louvain's method on the ranks of a graph. All functions are collective.
class method {
 public:
  /// Adds what is sent to `sweeps`, if there are other ranks.
  method(const louvain_options& options, rank_exchange& ranks, std::uint64_t all,
         std::vector<louvain_sweep>& sweeps)
      : options_(options), ranks_(ranks), all_(static_cast<double>(all)), sweeps_(sweeps) {}

  community_labels labels(const community_graph& graph, const std::vector<vertex_id>& names) const {
    return community_labels(graph, ranks_, names, options_.threads);
  }

  /// Moves vertices until that brings next to nothing; with `bounds`, to communities of vertices within the
  /// same bound only. Returns the number of iterations.
  unsigned move(const community_graph& graph, community_labels& communities, unsigned start,
                const community_labels* bounds = nullptr) const {
    half_steps steps(graph, communities, start, options_.threads);
    struct alignas(64) gained {
      std::uint64_t billionths_of_billionths = 0;
    };
    std::vector<gained> gains(steps.threads());
    const auto decide = [&](vertex_handle v, nearby& around, unsigned thread) {
      const vertex_handle from = communities[v];
      graph.each_neighbour(v, [&](vertex_handle u, std::uint64_t weight) {
        if (bounds == nullptr || (*bounds)[u] == (*bounds)[v]) around.add(communities[u], weight);
      });
      // The gain of being there, but for a part that is the same for all communities.
      const std::uint64_t own = graph.volumes[v];
      const double rate = options_.resolution * static_cast<double>(own) / all_;
      const auto gain = [&](vertex_handle to) {
        return static_cast<double>(around.weight(to)) -
               rate * static_cast<double>(communities.volume(to) - (to == from ? own : 0));
      };
      const double here = gain(from);
      vertex_handle best = from;
      double most = here + 1e-12 * all_;
      const bool is_alone = communities.members(from) == 1;
      for (const vertex_handle to : around.communities()) {
        if (to == from) continue;
        // Two vertices that are alone must not take each other's place at the same time.
        if (is_alone && communities.members(to) == 1 && communities.name(to) > communities.name(from))
          continue;
        const double there = gain(to);
        if (there > most ||
            (there == most && best != from && communities.name(to) < communities.name(best))) {
          most = there;
          best = to;
        }
      }
      if (best != from)
        gains[thread].billionths_of_billionths += static_cast<std::uint64_t>(2 * (most - here) / all_ * 1e18);
      return best;
    };
    // Vertices that decide at the same time may undo each other's gain, and so on for ever.
    constexpr unsigned most_iterations = 100;
    if (ranks_.size() > 1) communities.count_remote();
    while (steps.iterations() < most_iterations) {
      for (gained& one : gains) one = {};
      const std::uint64_t sent = ranks_.bytes_sent();
      std::array<std::uint64_t, 2> changed_and_gain{steps.each(decide), 0};
      if (ranks_.size() > 1)
        sweeps_.push_back({steps.changed_ghosts(), communities.count_remote(), ranks_.bytes_sent() - sent});
      for (const gained& one : gains) changed_and_gain[1] += one.billionths_of_billionths;
      ranks_.add_up(changed_and_gain);
      if (changed_and_gain[0] == 0 || static_cast<double>(changed_and_gain[1]) * 1e-18 < least_gain) break;
    }
    return steps.iterations();
  }

  double modularity(const community_graph& graph, const community_labels& communities) const {
    if (!(all_ > 0)) return 0;
    std::array<std::uint64_t, 2> within_and_squares{0, communities.squares(all_)};
    for (vertex_handle v = 0; v < graph.size(); ++v) {
      if (!graph.loops.empty()) within_and_squares[0] += graph.loops[v];
      graph.each_neighbour(v, [&](vertex_handle u, std::uint64_t weight) {
        if (communities[u] == communities[v]) within_and_squares[0] += weight;
      });
    }
    ranks_.add_up(within_and_squares);
    return static_cast<double>(within_and_squares[0]) / all_ -
           options_.resolution * static_cast<double>(within_and_squares[1]) * 0x1p-60;
  }

 private:
  /// Least growth of modularity by one iteration.
  static constexpr double least_gain = 1e-5;

  const louvain_options& options_;
  rank_exchange& ranks_;
  double all_;  // weight of all edges, from both ends
  std::vector<louvain_sweep>& sweeps_;
};

/// Collective. Returns for each own vertex the smallest vertex of its connected part of its community.
std::vector<vertex_id> connected_parts(const community_graph& graph, const community_labels& communities,
                                       rank_exchange& ranks) {
  const rank_plan& plan = graph.plan;
  const std::size_t own = graph.size();
  const std::size_t seen = own + plan.ghosts.size();
  // Parts as far as this rank sees them, called by their first vertex here.
  std::vector<vertex_handle> part(seen, no_vertex);
  std::vector<vertex_id> smallest(seen);
  std::vector<vertex_handle> open;
  for (std::size_t i = 0; i < seen; ++i) {
    smallest[i] = plan.number(static_cast<vertex_handle>(i));
    if (part[i] != no_vertex) continue;
    const auto first = static_cast<vertex_handle>(i);
    part[first] = first;
    open.assign(1, first);
    const auto reach = [&](vertex_handle u) {
      if (part[u] != no_vertex || communities[u] != communities[first]) return;
      part[u] = first;
      open.push_back(u);
    };
    while (!open.empty()) {
      const vertex_handle v = open.back();
      open.pop_back();
      if (v < own) {
        graph.each_neighbour(v, [&](vertex_handle u, std::uint64_t) { reach(u); });
      } else {
        for (std::uint64_t at = plan.ghost_offsets[v - own]; at < plan.ghost_offsets[v - own + 1]; ++at)
          reach(plan.ghost_rows[at]);
      }
    }
  }
  for (std::size_t i = 0; i < seen; ++i)
    smallest[part[i]] = std::min(smallest[part[i]], plan.number(static_cast<vertex_handle>(i)));
  for (std::array<std::uint64_t, 1> changed{1}; changed[0] != 0 && ranks.size() > 1; ranks.add_up(changed)) {
    changed[0] = 0;
    exchange_with_ghosts<vertex_id>(
        plan, ranks, [&](vertex_handle v) { return smallest[part[v]]; },
        [&](vertex_handle ghost, vertex_id there) {
          vertex_id& here = smallest[part[ghost]];
          if (there >= here) return;
          here = there;
          changed[0] = 1;
        });
  }
  std::vector<vertex_id> names(own);
  for (std::size_t v = 0; v < own; ++v) names[v] = smallest[part[v]];
  return names;
}

/// Collective. Returns the number of the community of `found` that each vertex of the next level is in: any
/// of the vertices that it is made of says so, as all are in the same one.
std::vector<vertex_id> carried_up(const community_graph& graph, const community_labels& found,
                                  const std::vector<vertex_id>& part, const community_graph& next,
                                  rank_exchange& ranks) {
  std::vector<std::uint64_t> bounds;
  const std::vector<std::uint64_t> numbers = found.numbered(bounds);
  std::vector<vertex_id> names(next.size(), ~vertex_id{0});
  outgoing messages(ranks);
  for (vertex_handle v = 0; v < graph.size(); ++v) {
    const int owner = next.plan.owner(part[v]);
    if (owner == ranks.rank()) {
      names[part[v] - next.plan.first()] = numbers[found[v]];
    } else {
      pack(messages.to(owner), part[v]);
      pack(messages.to(owner), numbers[found[v]]);
    }
  }
  if (ranks.size() > 1)
    for (const rank_message& one : messages.exchange())
      for (unpacker bytes(one.bytes); !bytes.empty();) {
        const auto vertex = bytes.take<vertex_id>() - next.plan.first();
        names[vertex] = bytes.take<vertex_id>();
      }
  return names;
}

/// Goes through all levels until that has not helped `patience` times. `graphs` has the first level, and at
/// the end others too.
///
/// A level's vertices are not the communities themselves, but what their vertices come to when they may move
/// within their community only: so communities can part again (Traag, Waltman, van Eck: "From Louvain to
/// Leiden", 2019).
rank_community_result start_anew(std::vector<community_graph>& graphs, const method& how,
                                 rank_exchange& ranks, const louvain_options& options, unsigned start,
                                 unsigned patience) {
  rank_community_result result;
  std::vector<vertex_id>& best = result.labels;
  best = each_alone(graphs.front());
  result.summary.modularity = how.modularity(graphs.front(), how.labels(graphs.front(), best));
  unsigned in_vain = 0;
  for (unsigned cycle = 0;; ++cycle) {
    // Another choice of vertices each time gets out of where the last one got stuck.
    const unsigned order = start + 16 * cycle;
    std::vector<std::vector<vertex_id>> parts;  // by level: the vertex of the next level
    std::vector<vertex_id> names = best;
    graphs.resize(1);
    for (;;) {
      const community_graph& graph = graphs.back();
      community_labels found = how.labels(graph, names);
      result.summary.iterations += how.move(graph, found, order);
      if (options.first_phase_only) {
        names = found.names();
        break;
      }
      community_labels refined = how.labels(graph, each_alone(graph));
      result.summary.iterations += how.move(graph, refined, order, &found);
      std::vector<std::uint64_t> bounds;
      const std::vector<std::uint64_t> numbers = refined.numbered(bounds);
      names = found.names();
      if (bounds.back() == graph.plan.all() || parts.size() == options.max_levels) break;
      std::vector<vertex_id> part(graph.size());
      for (vertex_handle v = 0; v < graph.size(); ++v) part[v] = numbers[refined[v]];
      community_graph next = contracted(graph, refined, numbers, std::move(bounds), ranks, options.threads);
      names = carried_up(graph, found, part, next, ranks);
      graphs.push_back(std::move(next));
      parts.push_back(std::move(part));
    }
    result.summary.levels = std::max(result.summary.levels, static_cast<unsigned>(parts.size()));
    std::optional<community_labels> found;
    for (; !parts.empty(); parts.pop_back()) {
      const community_graph& graph = graphs[parts.size() - 1];
      found.emplace(how.labels(graph, fetched(graphs[parts.size()].plan, ranks, parts.back(), names)));
      result.summary.iterations += how.move(graph, *found, order);
      names = found->names();
    }
    if (!found) found.emplace(how.labels(graphs.front(), names));
    names = connected_parts(graphs.front(), *found, ranks);
    const double modularity = how.modularity(graphs.front(), how.labels(graphs.front(), names));
    const double gain = modularity - result.summary.modularity;
    if (gain > 0) {
      best = std::move(names);
      result.summary.modularity = modularity;
    }
    if (options.first_phase_only || (!(gain > options.tolerance) && ++in_vain == patience)) return result;
  }
}

std::uint64_t weight_of_all(const community_graph& graph, rank_exchange& ranks) {
  std::uint64_t own = 0;
  for (const std::uint64_t volume : graph.volumes) own += volume;
  return sum_of_all(own, ranks);
}

/// Collective. Counts communities, which are called by their smallest vertices.
void count(const community_labels& communities, const community_graph& graph, rank_exchange& ranks,
           community_summary& summary) {
  std::uint64_t own = 0;
  std::uint64_t largest = 0;
  for (vertex_handle v = 0; v < graph.size(); ++v) {
    own += communities.members(v) != 0;
    largest = std::max<std::uint64_t>(largest, communities.members(v));
  }
  summary.communities = sum_of_all(own, ranks);
  summary.largest = largest_of_all(largest, ranks);
}

rank_community_result find_by_ranks(community_graph graph, rank_exchange& ranks,
                                    const louvain_options& options) {
  if (!(options.resolution >= 0 && options.resolution <= std::numeric_limits<double>::max()) ||
      !(options.tolerance >= 0))
    throw error(errc::invalid_argument, "the resolution and the tolerance of communities must be 0 or more");
  std::vector<louvain_sweep> sweeps;
  const method how(options, ranks, weight_of_all(graph, ranks), sweeps);
  // Of a small graph a worse answer is not worth the time that another one takes.
  constexpr std::uint64_t arcs_to_visit = std::uint64_t{1} << 22;
  const std::uint64_t arcs = sum_of_all(graph.targets.size(), ranks);
  const auto starts =
      options.starts != 0
          ? options.starts
          : static_cast<unsigned>(std::clamp<std::uint64_t>(arcs_to_visit / (arcs + 1), 1, 10));
  std::vector<community_graph> graphs;
  graphs.push_back(std::move(graph));
  rank_community_result best;
  for (unsigned start = 0; start < starts; ++start) {
    rank_community_result found = start_anew(graphs, how, ranks, options, start, starts > 1 ? 3 : 1);
    found.summary.iterations += best.summary.iterations;
    if (start == 0 || found.summary.modularity > best.summary.modularity) {
      best = std::move(found);
    } else {
      best.summary.iterations = found.summary.iterations;
    }
  }
  count(how.labels(graphs.front(), best.labels), graphs.front(), ranks, best.summary);
  best.sweeps = std::move(sweeps);
  return best;
}

}  // namespace

void throw_bad_community_weight(double weight) {
  throw error(errc::invalid_argument,
              "communities need weights that are 0 or more, and an arc weighs " + std::to_string(weight));
}

std::vector<std::uint64_t> whole_weights(std::span<const double> weights, rank_exchange& ranks) {
  double sum = 0;
  double largest = 0;
  bool are_whole = true;
  for (const double weight : weights) {
    sum += weight;
    largest = std::max(largest, weight);
    are_whole &= weight == std::floor(weight);
  }
  double all = 0;
  for (const std::uint64_t one : ranks.gather(std::bit_cast<std::uint64_t>(sum)))
    all += std::bit_cast<double>(one);
  for (const std::uint64_t one : ranks.gather(std::bit_cast<std::uint64_t>(largest)))
    largest = std::max(largest, std::bit_cast<double>(one));
  if (!(all <= std::numeric_limits<double>::max()))
    throw error(errc::invalid_argument,
                "the sum of all weights is more than 1.8e308, the largest number of 64 bits: divide the "
                "weights by a constant");
  // Bits of the sum, if all weights were nearly as large as the largest one: another bound could differ with
  // the number of ranks.
  int bits = 0;
  std::frexp(largest, &bits);
  bits += static_cast<int>(std::bit_width(sum_of_all(weights.size(), ranks)));
  const int scale = sum_of_all(are_whole ? 0 : 1, ranks) == 0 && bits <= 53 ? 0 : 60 - bits;
  std::vector<std::uint64_t> whole(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i)
    whole[i] = static_cast<std::uint64_t>(std::llround(std::ldexp(weights[i], scale)));
  return whole;
}

community_result find_communities(community_graph graph, const louvain_options& options) {
  lone_exchange lone;
  rank_community_result found = find_by_ranks(std::move(graph), lone, options);
  return {std::vector<vertex_handle>(found.labels.begin(), found.labels.end()), found.summary};
}

community_result propagate_labels(const community_graph& graph, const label_propagation_options& options) {
  lone_exchange lone;
  const louvain_options plain{.threads = options.threads};
  std::vector<louvain_sweep> none;
  const method how(plain, lone, weight_of_all(graph, lone), none);
  community_labels labels = how.labels(graph, each_alone(graph));
  half_steps steps(graph, labels, 0, options.threads);
  const auto decide = [&](vertex_handle v, nearby& around, unsigned) {
    graph.each_neighbour(v, [&](vertex_handle u, std::uint64_t weight) { around.add(labels[u], weight); });
    // Among equals the choice depends on the vertex: else the same few labels would win everywhere.
    const auto order = [v](vertex_handle label) { return (label ^ v) * 0x9E3779B1U; };
    vertex_handle best = labels[v];
    std::uint64_t most = around.weight(best);
    for (const vertex_handle label : around.communities()) {
      const std::uint64_t there = around.weight(label);
      if (there < most || (there == most && (best == labels[v] || order(label) > order(best)))) continue;
      best = label;
      most = there;
    }
    return best;
  };
  while (steps.iterations() < options.iterations && steps.each(decide) != 0) {
  }
  community_result result;
  result.summary.iterations = steps.iterations();
  result.summary.modularity = how.modularity(graph, labels);
  // Each community is called by its smallest vertex.
  std::vector<vertex_id> first(graph.size(), ~vertex_id{0});
  std::vector<vertex_id> names(graph.size());
  for (vertex_handle v = 0; v < graph.size(); ++v)
    names[v] = first[labels[v]] = std::min<vertex_id>(first[labels[v]], v);
  count(how.labels(graph, names), graph, lone, result.summary);
  result.labels.assign(names.begin(), names.end());
  return result;
}

}  // namespace perdure::graph::detail

namespace perdure::graph {

rank_community_result louvain(const rank_graph& graph, rank_exchange& ranks, const louvain_options& options) {
  return detail::find_by_ranks(detail::community_graph::of(graph, ranks, options.threads), ranks, options);
}

}  // namespace perdure::graph
