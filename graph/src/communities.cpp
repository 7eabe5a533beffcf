// Moves vertices between communities, and makes vertices of communities.
#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <perdure/error.hpp>
#include <perdure/graph/communities.hpp>
#include <perdure/workload/parallel.hpp>
#include <random>
#include <string>
#include <utility>

namespace perdure::graph::detail {
namespace {

constexpr std::size_t grain = 512;

double load(double& number) noexcept {
  return std::atomic_ref(number).load(std::memory_order_relaxed);
}
void add(double& number, double more) noexcept {
  const std::atomic_ref shared(number);
  double before = shared.load(std::memory_order_relaxed);
  while (!shared.compare_exchange_weak(before, before + more, std::memory_order_relaxed)) {
  }
}

/// What the edges of a vertex weigh to each of the communities around it.
class nearby {
 public:
  explicit nearby(std::size_t communities) : weights_(communities, -1) {}

  void add(vertex_handle community, double weight) {
    double& there = weights_[community];
    if (there < 0) {
      there = 0;
      found_.push_back(community);
    }
    there += weight;
  }
  double weight(vertex_handle community) const noexcept { return std::max(0.0, weights_[community]); }
  const std::vector<vertex_handle>& communities() const noexcept { return found_; }
  void clear() {
    for (const vertex_handle community : found_) weights_[community] = -1;
    found_.clear();
  }

 private:
  std::vector<double> weights_;  // less than 0: not there
  std::vector<vertex_handle> found_;
};

/// The vertices of a graph, of which those are visited that are awake, in an order that `start` chooses. For
/// 0 those with many neighbours come first, for other numbers they are shuffled.
class wakeful_vertices {
 public:
  wakeful_vertices(const community_graph& graph, unsigned start, unsigned threads)
      : threads_(std::max(1U, threads)), order_(graph.size()), awake_(graph.size(), 1) {
    std::iota(order_.begin(), order_.end(), vertex_handle{0});
    if (start != 0) {
      std::shuffle(order_.begin(), order_.end(), std::mt19937_64(start));
      return;
    }
    const auto degree = [&graph](vertex_handle v) {
      return graph.offsets[v + std::size_t{1}] - graph.offsets[v];
    };
    std::sort(order_.begin(), order_.end(), [&degree](vertex_handle a, vertex_handle b) {
      return degree(a) != degree(b) ? degree(a) > degree(b) : a < b;
    });
  }

  /// Calls `work(v, around)`, with `around` of the thread's own; each vertex then sleeps.
  template <class Work>
  void each(std::vector<nearby>& scratch, Work&& work) {
    std::atomic<std::size_t> next{0};
    const auto pieces = static_cast<unsigned>(std::min<std::size_t>(threads_, awake_.size() / grain + 1));
    workload::run_threads(pieces, [&](unsigned index) {
      for (;;) {
        const std::size_t begin = next.fetch_add(grain, std::memory_order_relaxed);
        if (begin >= awake_.size()) return;
        for (std::size_t i = begin; i < std::min(begin + grain, awake_.size()); ++i) {
          const std::atomic_ref state(awake_[order_[i]]);
          if (state.load(std::memory_order_relaxed) == 0) continue;
          state.store(0, std::memory_order_relaxed);
          work(order_[i], scratch[index]);
          scratch[index].clear();
        }
      }
    });
  }
  void wake(vertex_handle v) noexcept { std::atomic_ref(awake_[v]).store(1, std::memory_order_relaxed); }
  unsigned threads() const noexcept { return threads_; }

 private:
  unsigned threads_;
  std::vector<vertex_handle> order_;
  std::vector<std::uint8_t> awake_;
};

class method {
 public:
  method(const louvain_options& options, double all) : options_(options), all_(all) {}

  /// Moves vertices until none wants to; with `bounds`, to communities of vertices within the same bound
  /// only. Gives the number of iterations.
  unsigned move(const community_graph& graph, std::vector<vertex_handle>& communities, unsigned start,
                const std::vector<vertex_handle>* bounds = nullptr) const {
    const std::size_t size = graph.size();
    std::vector<double> own(size);
    std::vector<double> volumes(size);
    each_vertex(options_.threads, size, [&](vertex_handle v) {
      own[v] = graph.volume(v);
      add(volumes[communities[v]], own[v]);
    });
    wakeful_vertices vertices(graph, start, options_.threads);
    std::vector<nearby> scratch(vertices.threads(), nearby(size));
    const auto community_of = [&](vertex_handle v) {
      return std::atomic_ref(communities[v]).load(std::memory_order_relaxed);
    };
    constexpr unsigned most_iterations = 100;  // threads may make vertices change places for ever
    unsigned iterations = 0;
    for (std::atomic<bool> moved{true}; moved && iterations < most_iterations; ++iterations) {
      moved = false;
      vertices.each(scratch, [&](vertex_handle v, nearby& around) {
        const vertex_handle from = community_of(v);
        graph.each_neighbour(v, [&](vertex_handle u, double weight) {
          if (bounds == nullptr || (*bounds)[u] == (*bounds)[v]) around.add(community_of(u), weight);
        });
        // What moving there brings, but for what is the same for all communities.
        const double rate = options_.resolution * own[v] / all_;
        const auto gain = [&](vertex_handle to) {
          return around.weight(to) - rate * (load(volumes[to]) - (to == from ? own[v] : 0));
        };
        const double here = gain(from);
        vertex_handle best = from;
        double most = here + 1e-12 * all_;
        for (const vertex_handle to : around.communities()) {
          if (to == from) continue;
          const double there = gain(to);
          if (there > most || (there == most && best != from && to < best)) {
            most = there;
            best = to;
          }
        }
        if (best == from) return;
        // Two vertices that are alone must not take each other's place at the same time.
        if (best > from && vertices.threads() > 1 && load(volumes[from]) == own[v] &&
            load(volumes[best]) == own[best] && community_of(best) == best)
          return;
        std::atomic_ref(communities[v]).store(best, std::memory_order_relaxed);
        add(volumes[from], -own[v]);
        add(volumes[best], own[v]);
        moved.store(true, std::memory_order_relaxed);
        graph.each_neighbour(v, [&](vertex_handle u, double) {
          if (community_of(u) != best) vertices.wake(u);
        });
      });
    }
    return iterations;
  }

  double modularity(const community_graph& graph, const std::vector<vertex_handle>& communities) const {
    if (!(all_ > 0)) return 0;
    std::vector<double> volumes(graph.size());
    double within = 0;
    for (std::size_t i = 0; i < graph.size(); ++i) {
      const auto v = static_cast<vertex_handle>(i);
      volumes[communities[v]] += graph.volume(v);
      if (!graph.loops.empty()) within += graph.loops[v];
      graph.each_neighbour(v, [&](vertex_handle u, double weight) {
        if (communities[u] == communities[v]) within += weight;
      });
    }
    double sum = within / all_;
    for (const double volume : volumes) sum -= options_.resolution * (volume / all_) * (volume / all_);
    return sum;
  }

 private:
  const louvain_options& options_;
  double all_;  // weight of all edges, from both ends
};

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
    std::vector<double> weights;
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
          graph.each_neighbour(members[i],
                               [&](vertex_handle u, double weight) { around.add(communities[u], weight); });
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

double weight_of_all(const community_graph& graph) {
  double all = 0;
  for (std::size_t v = 0; v < graph.size(); ++v) all += graph.volume(static_cast<vertex_handle>(v));
  if (!(all <= std::numeric_limits<double>::max()))
    throw error(errc::invalid_argument,
                "the sum of all weights is more than 1.8e308, the largest number of 64 bits: divide the "
                "weights by a constant");
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
  const auto label_of = [&](vertex_handle v) {
    return std::atomic_ref(labels[v]).load(std::memory_order_relaxed);
  };
  wakeful_vertices vertices(graph, 0, options.threads);
  std::vector<nearby> scratch(vertices.threads(), nearby(graph.size()));
  for (std::atomic<bool> changed{true}; changed && result.summary.iterations < options.iterations;
       ++result.summary.iterations) {
    changed = false;
    vertices.each(scratch, [&](vertex_handle v, nearby& around) {
      graph.each_neighbour(v, [&](vertex_handle u, double weight) { around.add(label_of(u), weight); });
      const vertex_handle own = label_of(v);
      // Among equals one that depends on the vertex: else the same few labels would win everywhere.
      const auto order = [v](vertex_handle label) { return (label ^ v) * 0x9E3779B1U; };
      vertex_handle best = own;
      double most = around.weight(own);
      for (const vertex_handle label : around.communities()) {
        const double there = around.weight(label);
        if (there < most || (there == most && (best == own || order(label) > order(best)))) continue;
        best = label;
        most = there;
      }
      if (best == own) return;
      std::atomic_ref(labels[v]).store(best, std::memory_order_relaxed);
      changed.store(true, std::memory_order_relaxed);
      graph.each_neighbour(v, [&](vertex_handle u, double) { vertices.wake(u); });
    });
  }
  const louvain_options plain;
  result.summary.modularity = method(plain, weight_of_all(graph)).modularity(graph, labels);
  finish(result);
  return result;
}

}  // namespace perdure::graph::detail
