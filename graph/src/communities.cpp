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
#include <perdure/graph/ranks/joint_call.hpp>
#include <perdure/graph/ranks/rank_communities.hpp>
#include <string>
#include <utility>

#include "ranks/community_labels.hpp"
#include "ranks/community_levels.hpp"
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
    half_steps steps(graph, communities, start, options_);
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

/// Goes through the levels of a graph. The first of `graphs` is the graph, and those behind it are the levels
/// of the last cycle, whose vertices are communities. All functions are collective.
class cycles {
 public:
  cycles(std::vector<community_graph>& graphs, const method& how, rank_exchange& ranks,
         const louvain_options& options)
      : graphs_(graphs), how_(how), ranks_(ranks), options_(options) {}

  /// Begins with these communities, goes up to the last level and down again. Returns the communities by
  /// their smallest vertices.
  ///
  /// With `refines` a level's vertices are not the communities themselves, but what their vertices come to
  /// when they may move within their community only: so communities can part again (Traag, Waltman, van Eck:
  /// "From Louvain to Leiden", 2019). The first level's vertices begin from what they came to in the run
  /// before, where they are still in one community and connected: most of them stay.
  std::vector<vertex_id> run(std::vector<vertex_id> names, unsigned order, bool refines) {
    last_parts_.reset();
    if (last_refined_ && !parts_.empty()) last_parts_ = std::move(parts_.front());
    last_refined_ = refines;
    parts_.clear();
    graphs_.resize(1);
    while (go_up(names, order, refines)) {
    }
    levels_ = std::max(levels_, static_cast<unsigned>(parts_.size()));
    for (std::size_t level = parts_.size(); level-- > 0;) {
      const community_graph& graph = graphs_[level];
      community_labels found =
          how_.labels(graph, fetched(graphs_[level + 1].plan, ranks_, parts_[level], names));
      iterations_ += how_.move(graph, found, order);
      names = found.names();
    }
    return connected_parts(graphs_.front(), how_.labels(graphs_.front(), names), ranks_);
  }

  /// Returns the levels of the last cycle, of which the last one is `labels`.
  std::vector<std::vector<vertex_id>> levels(const std::vector<vertex_id>& labels) const {
    return nested_levels(graphs_, parts_, labels, ranks_);
  }
  unsigned most_levels() const noexcept { return levels_; }
  unsigned iterations() const noexcept { return iterations_; }

 private:
  /// Returns whether there is another level.
  bool go_up(std::vector<vertex_id>& names, unsigned order, bool refines) {
    const community_graph& graph = graphs_.back();
    community_labels found = how_.labels(graph, names);
    iterations_ += how_.move(graph, found, order);
    names = found.names();
    if (options_.first_phase_only) return false;
    std::optional<community_labels> refined;
    if (refines) {
      refined.emplace(how_.labels(graph, parts_.empty() && last_parts_
                                             ? connected_parts(graph, found, *last_parts_, ranks_)
                                             : each_alone(graph)));
      iterations_ += how_.move(graph, *refined, order, &found);
    }
    const community_labels& joined = refines ? *refined : found;
    std::vector<std::uint64_t> bounds;
    const std::vector<std::uint64_t> numbers = joined.numbered(bounds);
    if (bounds.back() == graph.plan.all() || parts_.size() == options_.max_levels) return false;
    std::vector<vertex_id> part(graph.size());
    for (vertex_handle v = 0; v < graph.size(); ++v) part[v] = numbers[joined[v]];
    community_graph next = contracted(graph, joined, numbers, std::move(bounds), ranks_, options_.threads);
    names = refines ? carried_up(graph, found, part, next, ranks_) : each_alone(next);
    graphs_.push_back(std::move(next));
    parts_.push_back(std::move(part));
    return true;
  }

  std::vector<community_graph>& graphs_;
  const method& how_;
  rank_exchange& ranks_;
  const louvain_options& options_;
  std::vector<std::vector<vertex_id>> parts_;         // by level: the vertex of the next level
  std::optional<std::vector<vertex_id>> last_parts_;  // the first of the run before, if that has refined
  bool last_refined_ = false;
  unsigned levels_ = 0;
  unsigned iterations_ = 0;
};

/// Where `improved` begins.
struct beginning {
  std::vector<vertex_id> labels;  // by own vertex: the smallest vertex of its community
  unsigned order = 0;             // the choice of vertices
  unsigned patience = 1;
  bool is_near = false;  // whether it may be near the answer: communities of a graph with fewer edges
};

/// Collective. Goes through all levels until that has not helped as often as `begin` has patience.
rank_community_result improved(std::vector<community_graph>& graphs, const method& how, rank_exchange& ranks,
                               const louvain_options& options, beginning begin) {
  // Communities that are near need one cycle without a refinement. If that gains so much, they were not.
  constexpr double gain_from_afar = 0.1;
  rank_community_result result;
  result.labels = std::move(begin.labels);
  result.summary.modularity = how.modularity(graphs.front(), how.labels(graphs.front(), result.labels));
  cycles all(graphs, how, ranks, options);
  unsigned in_vain = 0;
  for (unsigned cycle = 0;; ++cycle) {
    // Another choice of vertices each time gets out of where the last one got stuck.
    const bool refines = !begin.is_near || cycle != 0;
    std::vector<vertex_id> found = all.run(result.labels, begin.order + 16 * cycle, refines);
    const double modularity = how.modularity(graphs.front(), how.labels(graphs.front(), found));
    const double gain = modularity - result.summary.modularity;
    if (gain > 0) {
      result.labels = std::move(found);
      result.summary.modularity = modularity;
    }
    if (options.keep_levels && (gain > 0 || cycle == 0)) {
      result.levels.clear();
      for (std::vector<vertex_id>& labels : all.levels(result.labels))
        result.levels.push_back({std::move(labels), 0, 0});
    }
    if (options.first_phase_only || (!refines && gain <= gain_from_afar) ||
        (!(gain > options.tolerance) && ++in_vain == begin.patience))
      break;
  }
  result.summary.levels = all.most_levels();
  result.summary.iterations = all.iterations();
  return result;
}

std::uint64_t weight_of_all(const community_graph& graph, rank_exchange& ranks) {
  std::uint64_t own = 0;
  for (const std::uint64_t volume : graph.volumes) own += volume;
  return sum_of_all(own, ranks);
}

/// Collective. Returns how often to begin from single vertices.
unsigned starts_for(const community_graph& graph, rank_exchange& ranks, const louvain_options& options) {
  if (options.starts != 0) return options.starts;
  // More starts are tried where a start takes little time.
  constexpr std::uint64_t arcs_to_visit = std::uint64_t{1} << 22;
  const std::uint64_t arcs = sum_of_all(graph.targets.size(), ranks);
  return static_cast<unsigned>(std::clamp<std::uint64_t>(arcs_to_visit / (arcs + 1), 1, 10));
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

/// Collective. Sets the number of communities of each level, and its modularity.
void describe_levels(rank_community_result& result, const community_graph& graph, const method& how,
                     rank_exchange& ranks) {
  for (community_level<vertex_id>& level : result.levels) {
    const community_labels labels = how.labels(graph, level.labels);
    community_summary summary;
    count(labels, graph, ranks, summary);
    level.communities = summary.communities;
    level.modularity = how.modularity(graph, labels);
  }
}

/// Collective. Throws on all ranks where labels of one are not those of vertices.
void require_labels(const std::vector<vertex_id>& labels, const community_graph& graph,
                    rank_exchange& ranks) {
  joint_call(ranks, [&] {
    if (labels.size() != graph.size())
      throw error(errc::invalid_argument, "there are " + std::to_string(labels.size()) +
                                              " labels to start from, for " + std::to_string(graph.size()) +
                                              " vertices");
    for (const vertex_id label : labels)
      if (label >= graph.plan.all())
        throw error(errc::invalid_argument, "a label to start from is " + std::to_string(label) +
                                                ", and the last vertex has a smaller number");
  });
}

/// Collective. Begins from communities, or from single vertices where there are none.
rank_community_result find_by_ranks(community_graph graph, rank_exchange& ranks,
                                    const louvain_options& options,
                                    const std::vector<vertex_id>* from = nullptr) {
  if (!(options.resolution >= 0 && options.resolution <= std::numeric_limits<double>::max()) ||
      !(options.tolerance >= 0))
    throw error(errc::invalid_argument, "the resolution and the tolerance of communities must be 0 or more");
  std::vector<louvain_sweep> sweeps;
  const method how(options, ranks, weight_of_all(graph, ranks), sweeps);
  std::vector<community_graph> graphs;
  graphs.push_back(std::move(graph));
  rank_community_result best;
  if (from != nullptr) {
    require_labels(*from, graphs.front(), ranks);
    best = improved(graphs, how, ranks, options,
                    {.labels = connected_parts(graphs.front(), how.labels(graphs.front(), *from), ranks),
                     .is_near = true});
  } else {
    const unsigned starts = starts_for(graphs.front(), ranks, options);
    for (unsigned start = 0; start < starts; ++start) {
      rank_community_result found =
          improved(graphs, how, ranks, options,
                   {.labels = each_alone(graphs.front()), .order = start, .patience = starts > 1 ? 3U : 1U});
      found.summary.iterations += best.summary.iterations;
      if (start == 0 || found.summary.modularity > best.summary.modularity) {
        best = std::move(found);
      } else {
        best.summary.iterations = found.summary.iterations;
      }
    }
  }
  count(how.labels(graphs.front(), best.labels), graphs.front(), ranks, best.summary);
  describe_levels(best, graphs.front(), how, ranks);
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

community_result find_communities(community_graph graph, const louvain_options& options,
                                  const std::vector<vertex_id>* from) {
  lone_exchange lone;
  const rank_community_result found = find_by_ranks(std::move(graph), lone, options, from);
  community_result result{{found.labels.begin(), found.labels.end()}, found.summary, {}};
  for (const auto& [labels, communities, modularity] : found.levels)
    result.levels.push_back({{labels.begin(), labels.end()}, communities, modularity});
  return result;
}

community_result propagate_labels(const community_graph& graph, const label_propagation_options& options) {
  lone_exchange lone;
  const louvain_options plain{.threads = options.threads};
  std::vector<louvain_sweep> none;
  const method how(plain, lone, weight_of_all(graph, lone), none);
  community_labels labels = how.labels(graph, each_alone(graph));
  half_steps steps(graph, labels, 0, plain);
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

rank_community_result louvain_from(const rank_graph& graph, const std::vector<vertex_id>& start,
                                   rank_exchange& ranks, const louvain_options& options) {
  return detail::find_by_ranks(detail::community_graph::of(graph, ranks, options.threads), ranks, options,
                               &start);
}

}  // namespace perdure::graph
