// Moves vertices between communities, and makes vertices of communities.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <perdure/error.hpp>
#include <perdure/graph/communities.hpp>
#include <perdure/graph/detail/counted_random.hpp>
#include <perdure/workload/parallel.hpp>
#include <string>
#include <utility>

namespace perdure::graph::detail {
namespace {

constexpr std::size_t grain = 512;

/// The weight of a vertex's edges to each of the communities around it.
class nearby {
 public:
  explicit nearby(std::size_t communities) : weights_(communities, none) {}

  void add(vertex_handle community, std::uint64_t weight) {
    std::uint64_t& there = weights_[community];
    if (there == none) {
      there = 0;
      found_.push_back(community);
    }
    there += weight;
  }
  std::uint64_t weight(vertex_handle community) const noexcept {
    return weights_[community] == none ? 0 : weights_[community];
  }
  const std::vector<vertex_handle>& communities() const noexcept { return found_; }
  void clear() {
    for (const vertex_handle community : found_) weights_[community] = none;
    found_.clear();
  }

 private:
  static constexpr auto none = ~std::uint64_t{0};

  std::vector<std::uint64_t> weights_;
  std::vector<vertex_handle> found_;
};

/// The vertices of a graph, each with a label. In each half-step about half of those that are awake, chosen
/// by a hash of their numbers, decide on labels by those of before; then all of them change, and wake their
/// neighbours. So the labels depend neither on the number of threads nor on the run. All at once would not
/// do: two neighbours would take each other's label for ever.
class half_steps {
 public:
  half_steps(const community_graph& graph, std::vector<vertex_handle>& labels, unsigned start,
             unsigned threads)
      : graph_(graph),
        labels_(labels),
        key_(random_number(golden_step, start)),
        pieces_(
            static_cast<unsigned>(std::min<std::size_t>(std::max(1U, threads), labels.size() / grain + 1))),
        awake_(labels.size(), 1),
        around_(pieces_, nearby(labels.size())),
        changes_(pieces_) {}

  /// Lets each vertex that is awake decide once: `decide(v, around, thread)` returns its new label, with an
  /// empty `around` of the thread's own, and `change(v, from, to)` is called for those that differ. Both are
  /// called by several threads at once. Returns the number of vertices with another label.
  template <class Decide, class Change>
  std::size_t each(Decide&& decide, Change&& change) {
    const std::size_t changed = half(0, decide, change) + half(1, decide, change);
    ++iterations_;
    return changed;
  }
  unsigned iterations() const noexcept { return iterations_; }
  unsigned threads() const noexcept { return pieces_; }

 private:
  struct changed_label {
    vertex_handle vertex;
    vertex_handle to;
  };

  template <class Decide, class Change>
  std::size_t half(unsigned which, Decide&& decide, Change&& change) {
    const std::uint64_t key = key_ + iterations_;
    std::atomic<std::size_t> next{0};
    workload::run_threads(pieces_, [&](unsigned thread) {
      changes_[thread].clear();
      for (;;) {
        const std::size_t begin = next.fetch_add(grain, std::memory_order_relaxed);
        if (begin >= awake_.size()) return;
        for (std::size_t i = begin; i < std::min(begin + grain, awake_.size()); ++i) {
          if (awake_[i] == 0 || (random_number(key, i) & 1) != which) continue;
          awake_[i] = 0;
          const auto v = static_cast<vertex_handle>(i);
          const vertex_handle to = decide(v, around_[thread], thread);
          around_[thread].clear();
          if (to != labels_[v]) changes_[thread].push_back({v, to});
        }
      }
    });
    workload::run_threads(pieces_, [&](unsigned thread) {
      for (const auto& [v, to] : changes_[thread]) {
        change(v, labels_[v], to);
        labels_[v] = to;
      }
    });
    workload::run_threads(pieces_, [&](unsigned thread) {
      for (const auto& [v, to] : changes_[thread])
        graph_.each_neighbour(v, [&](vertex_handle u, std::uint64_t) {
          if (labels_[u] != to) std::atomic_ref(awake_[u]).store(1, std::memory_order_relaxed);
        });
    });
    std::size_t changed = 0;
    for (const auto& some : changes_) changed += some.size();
    return changed;
  }

  const community_graph& graph_;
  std::vector<vertex_handle>& labels_;
  std::uint64_t key_;
  unsigned pieces_;
  unsigned iterations_ = 0;
  std::vector<std::uint8_t> awake_;
  std::vector<nearby> around_;
  std::vector<std::vector<changed_label>> changes_;
};

class method {
 public:
  method(const louvain_options& options, std::uint64_t all)
      : options_(options), all_(static_cast<double>(all)) {}

  /// Moves vertices until that brings next to nothing; with `bounds`, to communities of vertices within the
  /// same bound only. Returns the number of iterations.
  unsigned move(const community_graph& graph, std::vector<vertex_handle>& communities, unsigned start,
                const std::vector<vertex_handle>* bounds = nullptr) const {
    const std::size_t size = graph.size();
    std::vector<std::uint64_t> own(size);
    std::vector<std::uint64_t> volumes(size);
    std::vector<vertex_handle> members(size);
    each_vertex(options_.threads, size, [&](vertex_handle v) {
      own[v] = graph.volume(v);
      add(volumes[communities[v]], own[v]);
      add(members[communities[v]], vertex_handle{1});
    });
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
      const double rate = options_.resolution * static_cast<double>(own[v]) / all_;
      const auto gain = [&](vertex_handle to) {
        return static_cast<double>(around.weight(to)) -
               rate * static_cast<double>(volumes[to] - (to == from ? own[v] : 0));
      };
      const double here = gain(from);
      vertex_handle best = from;
      double most = here + 1e-12 * all_;
      for (const vertex_handle to : around.communities()) {
        // Two vertices that are alone must not take each other's place at the same time.
        if (to == from || (to > from && members[from] == 1 && members[to] == 1)) continue;
        const double there = gain(to);
        if (there > most || (there == most && best != from && to < best)) {
          most = there;
          best = to;
        }
      }
      if (best != from)
        gains[thread].billionths_of_billionths += static_cast<std::uint64_t>(2 * (most - here) / all_ * 1e18);
      return best;
    };
    const auto change = [&](vertex_handle v, vertex_handle from, vertex_handle to) {
      add(volumes[from], ~own[v] + 1);
      add(volumes[to], own[v]);
      add(members[from], ~vertex_handle{0});
      add(members[to], vertex_handle{1});
    };
    // Vertices that decide at the same time may undo each other's gain, and so on for ever.
    constexpr unsigned most_iterations = 100;
    while (steps.iterations() < most_iterations) {
      for (gained& one : gains) one = {};
      if (steps.each(decide, change) == 0) break;
      std::uint64_t gain = 0;
      for (const gained& one : gains) gain += one.billionths_of_billionths;
      if (static_cast<double>(gain) * 1e-18 < least_gain) break;
    }
    return steps.iterations();
  }

  double modularity(const community_graph& graph, const std::vector<vertex_handle>& communities) const {
    if (!(all_ > 0)) return 0;
    std::vector<std::uint64_t> volumes(graph.size());
    std::uint64_t within = 0;
    for (std::size_t i = 0; i < graph.size(); ++i) {
      const auto v = static_cast<vertex_handle>(i);
      volumes[communities[v]] += graph.volume(v);
      if (!graph.loops.empty()) within += graph.loops[v];
      graph.each_neighbour(v, [&](vertex_handle u, std::uint64_t weight) {
        if (communities[u] == communities[v]) within += weight;
      });
    }
    double sum = static_cast<double>(within) / all_;
    for (const std::uint64_t volume : volumes) {
      const double part = static_cast<double>(volume) / all_;
      sum -= options_.resolution * part * part;
    }
    return sum;
  }

 private:
  template <class Number>
  static void add(Number& number, Number more) noexcept {
    std::atomic_ref(number).fetch_add(more, std::memory_order_relaxed);
  }

  /// Least growth of modularity by one iteration.
  static constexpr double least_gain = 1e-5;

  const louvain_options& options_;
  double all_;  // weight of all edges, from both ends
};

/// Makes each connected part of a community one of its own, called by its smallest vertex.
void part_communities(const community_graph& graph, std::vector<vertex_handle>& communities) {
  std::vector<vertex_handle> parts(communities.size(), no_vertex);
  std::vector<vertex_handle> open;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] != no_vertex) continue;
    const auto first = static_cast<vertex_handle>(i);
    parts[first] = first;
    open.assign(1, first);
    while (!open.empty()) {
      const vertex_handle v = open.back();
      open.pop_back();
      graph.each_neighbour(v, [&](vertex_handle u, std::uint64_t) {
        if (parts[u] != no_vertex || communities[u] != communities[v]) return;
        parts[u] = first;
        open.push_back(u);
      });
    }
  }
  communities = std::move(parts);
}

/// Numbers communities 0, 1, 2, … by their first vertices. Gives how many there are.
std::size_t number_communities(std::vector<vertex_handle>& communities) {
  if (communities.empty()) return 0;
  std::vector<vertex_handle> numbers(
      *std::max_element(communities.begin(), communities.end()) + std::size_t{1}, no_vertex);
  vertex_handle next = 0;
  for (vertex_handle& community : communities) {
    vertex_handle& number = numbers[community];
    if (number == no_vertex) number = next++;
    community = number;
  }
  return next;
}

/// The graph of communities, numbered from 0.
community_graph graph_of_communities(const community_graph& graph,
                                     const std::vector<vertex_handle>& communities, std::size_t count,
                                     unsigned threads) {
  std::vector<std::uint64_t> begins(count + 2);
  for (const vertex_handle community : communities) ++begins[community + std::size_t{2}];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<vertex_handle> members(communities.size());
  for (std::size_t v = 0; v < communities.size(); ++v)
    members[begins[communities[v] + std::size_t{1}]++] = static_cast<vertex_handle>(v);

  struct row {
    std::vector<vertex_handle> targets;
    std::vector<std::uint64_t> weights;
  };
  std::vector<row> rows(count);
  community_graph made;
  made.loops.assign(count, 0);
  std::atomic<std::size_t> next{0};
  workload::run_threads(std::max(1U, threads), [&](unsigned) {
    nearby around(count);
    for (;;) {
      constexpr std::size_t piece = 64;
      const std::size_t begin = next.fetch_add(piece, std::memory_order_relaxed);
      if (begin >= count) return;
      for (std::size_t c = begin; c < std::min(begin + piece, count); ++c) {
        for (std::uint64_t i = begins[c]; i < begins[c + 1]; ++i) {
          if (!graph.loops.empty()) made.loops[c] += graph.loops[members[i]];
          graph.each_neighbour(
              members[i], [&](vertex_handle u, std::uint64_t weight) { around.add(communities[u], weight); });
        }
        for (const vertex_handle other : around.communities()) {
          if (other == c) {
            made.loops[c] += around.weight(other);
          } else {
            rows[c].targets.push_back(other);
            rows[c].weights.push_back(around.weight(other));
          }
        }
        around.clear();
      }
    }
  });
  made.offsets.resize(count + 1);
  for (std::size_t c = 0; c < count; ++c) made.offsets[c + 1] = made.offsets[c] + rows[c].targets.size();
  made.targets.reserve(made.offsets.back());
  made.weights.reserve(made.offsets.back());
  for (const row& one : rows) {
    made.targets.insert(made.targets.end(), one.targets.begin(), one.targets.end());
    made.weights.insert(made.weights.end(), one.weights.begin(), one.weights.end());
  }
  return made;
}

std::uint64_t weight_of_all(const community_graph& graph) {
  std::uint64_t all = 0;
  for (std::size_t v = 0; v < graph.size(); ++v) all += graph.volume(static_cast<vertex_handle>(v));
  return all;
}

/// Goes through all levels until that no longer helps. `graphs` has the first level, and at the end others
/// too.
///
/// A level's vertices are not the communities themselves, but what their vertices come to when they may move
/// within their community only: so communities can part again (Traag, Waltman, van Eck: "From Louvain to
/// Leiden", 2019).
community_result start_anew(std::vector<community_graph>& graphs, const method& how,
                            const louvain_options& options, unsigned start) {
  community_result result;
  std::vector<vertex_handle>& best = result.labels;
  best.resize(graphs.front().size());
  std::iota(best.begin(), best.end(), vertex_handle{0});
  result.summary.modularity = how.modularity(graphs.front(), best);
  for (;;) {
    std::vector<std::vector<vertex_handle>> parts;  // by level: the vertex of the next level
    std::vector<vertex_handle> found = best;
    graphs.resize(1);
    for (;;) {
      result.summary.iterations += how.move(graphs.back(), found, start);
      std::vector<vertex_handle> part(found.size());
      std::iota(part.begin(), part.end(), vertex_handle{0});
      result.summary.iterations += how.move(graphs.back(), part, start, &found);
      const std::size_t count = number_communities(part);
      if (count == part.size()) break;
      std::vector<vertex_handle> coarser(count);
      for (std::size_t v = 0; v < part.size(); ++v) coarser[part[v]] = found[v];
      number_communities(coarser);
      found = std::move(coarser);
      graphs.push_back(graph_of_communities(graphs.back(), part, count, options.threads));
      parts.push_back(std::move(part));
    }
    result.summary.levels = std::max(result.summary.levels, static_cast<unsigned>(parts.size()));
    for (; !parts.empty(); parts.pop_back()) {
      std::vector<vertex_handle>& finer = parts.back();
      for (vertex_handle& community : finer) community = found[community];
      found = std::move(finer);
      result.summary.iterations += how.move(graphs[parts.size() - 1], found, start);
    }
    part_communities(graphs.front(), found);
    const double modularity = how.modularity(graphs.front(), found);
    const double gain = modularity - result.summary.modularity;
    if (gain > 0) {
      best = std::move(found);
      result.summary.modularity = modularity;
    }
    if (!(gain > options.tolerance)) return result;
  }
}

/// Calls each community by its smallest vertex, and counts.
void finish(community_result& result) {
  std::vector<vertex_handle> first(result.labels.size(), no_vertex);
  std::vector<std::uint64_t> sizes(result.labels.size());
  for (std::size_t v = 0; v < result.labels.size(); ++v) {
    vertex_handle& label = first[result.labels[v]];
    if (label == no_vertex) {
      label = static_cast<vertex_handle>(v);
      ++result.summary.communities;
    }
    result.labels[v] = label;
    result.summary.largest = std::max(result.summary.largest, ++sizes[label]);
  }
}

}  // namespace

void throw_bad_community_weight(double weight) {
  throw error(errc::invalid_argument,
              "communities need weights that are 0 or more, and an arc weighs " + std::to_string(weight));
}

std::vector<std::uint64_t> whole_weights(const std::vector<double>& weights) {
  double all = 0;
  bool are_whole = true;
  for (const double weight : weights) {
    all += weight;
    are_whole &= weight == std::floor(weight);
  }
  if (!(all <= std::numeric_limits<double>::max()))
    throw error(errc::invalid_argument,
                "the sum of all weights is more than 1.8e308, the largest number of 64 bits: divide the "
                "weights by a constant");
  int scale = 0;
  if (!are_whole || all >= 0x1p53) {
    std::frexp(all, &scale);
    scale = 60 - scale;
  }
  std::vector<std::uint64_t> whole(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i)
    whole[i] = static_cast<std::uint64_t>(std::llround(std::ldexp(weights[i], scale)));
  return whole;
}

community_result find_communities(community_graph graph, const louvain_options& options) {
  if (!(options.resolution >= 0 && options.resolution <= std::numeric_limits<double>::max()) ||
      !(options.tolerance >= 0))
    throw error(errc::invalid_argument, "the resolution and the tolerance of communities must be 0 or more");
  const method how(options, weight_of_all(graph));
  // Of a small graph a worse answer is not worth the time that another one takes.
  constexpr std::uint64_t arcs_to_visit = std::uint64_t{1} << 22;
  const auto starts = options.starts != 0 ? options.starts
                                          : static_cast<unsigned>(std::clamp<std::uint64_t>(
                                                arcs_to_visit / (graph.targets.size() + 1), 1, 10));
  std::vector<community_graph> graphs;
  graphs.push_back(std::move(graph));
  community_result best;
  for (unsigned start = 0; start < starts; ++start) {
    community_result found = start_anew(graphs, how, options, start);
    found.summary.iterations += best.summary.iterations;
    if (start == 0 || found.summary.modularity > best.summary.modularity) {
      best = std::move(found);
    } else {
      best.summary.iterations = found.summary.iterations;
    }
  }
  finish(best);
  return best;
}

community_result propagate_labels(const community_graph& graph, const label_propagation_options& options) {
  community_result result;
  std::vector<vertex_handle>& labels = result.labels;
  labels.resize(graph.size());
  std::iota(labels.begin(), labels.end(), vertex_handle{0});
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
  while (steps.iterations() < options.iterations &&
         steps.each(decide, [](vertex_handle, vertex_handle, vertex_handle) {}) != 0) {
  }
  result.summary.iterations = steps.iterations();
  const louvain_options plain;
  result.summary.modularity = method(plain, weight_of_all(graph)).modularity(graph, labels);
  finish(result);
  return result;
}

}  // namespace perdure::graph::detail
