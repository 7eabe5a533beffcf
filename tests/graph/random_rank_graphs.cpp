// Random small graphs that ranks build, keep in a set of stores, open by other numbers of ranks, and look at.
//
//   random_rank_graphs [--runs N] [--seed N] [--first RUN] [--expect-violation PATTERN]
//
// Each run draws a graph (fewer vertices than ranks, one giant vertex, paths, loops, repeated edges, weights
// of 0 and 1e300) and two numbers of ranks, which are threads. What the ranks have and find must be what one
// process has and finds. Exit status 0 when it is (with --expect-violation: when once it was not, and what is
// said of it has the pattern in it). --first: that run comes before all others.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <perdure/detail/managed_part.hpp>
#include <perdure/detail/store_set.hpp>
#include <perdure/error.hpp>
#include <perdure/graph/bfs.hpp>
#include <perdure/graph/build_csr.hpp>
#include <perdure/graph/communities.hpp>
#include <perdure/graph/connected_components.hpp>
#include <perdure/graph/pagerank.hpp>
#include <perdure/graph/ranks/rank_bfs.hpp>
#include <perdure/graph/ranks/rank_communities.hpp>
#include <perdure/graph/ranks/rank_components.hpp>
#include <perdure/graph/ranks/rank_pagerank.hpp>
#include <perdure/graph/ranks/rank_triangles.hpp>
#include <perdure/graph/ranks/set_graph.hpp>
#include <perdure/graph/ranks/thread_ranks.hpp>
#include <perdure/graph/triangles.hpp>
#include <perdure/store_set.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "crash/expected_violation.hpp"
#include "support/exchange_group.hpp"
#include "support/scratch_directory.hpp"
#include "support/small_store.hpp"
#include "weighted_source.hpp"

namespace {

using namespace perdure::graph;
using perdure::test::exchange_group;
using perdure::test::weighted_source;
using weighted_edges = std::vector<std::pair<edge, double>>;

/// A graph, and how ranks have it, drawn for a run.
struct drawn_run {
  weighted_edges edges;
  bool has_weights = false;
  int builders = 1;
  int openers = 1;
  unsigned threads = 1;
  bool is_stored = false;
  std::uint64_t seed = 0;

  explicit drawn_run(std::uint64_t number) {
    std::mt19937_64 random(number);
    const std::uint64_t vertices = 1 + random() % (number % 4 == 0 ? 5 : 40);
    const std::uint64_t factor =
        std::vector<std::uint64_t>{1, 1, 1'000'000'007, 0x0123'4567'89AB'CDEF}[random() % 4];
    const double unit = std::vector<double>{1, 1, 0.37, 0, 1e300, 1e-300}[random() % 6];
    const auto add = [&](std::uint64_t u, std::uint64_t v) {
      edges.push_back({{u * factor, v * factor}, static_cast<double>(random() % 5) * unit});
    };
    for (std::uint64_t i = random() % (1 + vertices * (1 + random() % 4)); i > 0; --i)
      add(random() % vertices, random() % vertices);
    const std::uint64_t shape = random() % 5;
    for (std::uint64_t v = 1; v < vertices && shape < 3; ++v) {
      if (shape == 0) add(v, 0);
      if (shape == 1) add(v * 7 % vertices, (v - 1) * 7 % vertices);
      if (shape == 2 && random() % 2 == 0) add(v, v);
    }
    has_weights = random() % 2 == 0;
    builders = static_cast<int>(1 + random() % 5);
    openers = static_cast<int>(1 + random() % 5);
    threads = static_cast<unsigned>(1 + random() % 2);
    is_stored = random() % 4 == 0;
    seed = random();
  }
};

/// An answer, or the message of the error that was thrown.
template <class Found>
struct answer {
  Found found{};
  std::string error;
  bool operator==(const answer&) const = default;
};

template <class Work>
auto answer_of(Work&& work) {
  answer<decltype(work())> all;
  try {
    all.found = work();
  } catch (const perdure::error& failure) {
    all.error = failure.what();
  }
  return all;
}

template <class Value>
void append(std::vector<Value>& all, const std::vector<Value>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

/// A run: the first violation that it finds.
class random_run {
 public:
  random_run(std::uint64_t number, const std::filesystem::path& set) : drawn_(number), set_(set) {
    weighted_source source(drawn_.edges);
    build_csr(one_, source, {.kind = direction::undirected, .with_weights = drawn_.has_weights});
  }

  std::string violation() {
    build();
    if (drawn_.is_stored && found_.empty()) keep();
    if (found_.empty()) find_communities();
    if (found_.empty()) search();
    if (found_.empty()) find_components();
    if (found_.empty()) rank_vertices();
    if (found_.empty()) count();
    return found_;
  }

 private:
  void expect(bool holds, const char* what) {
    if (!holds && found_.empty())
      found_ = std::string(what) + ", of " + std::to_string(one_.view().size()) + " vertices on " +
               std::to_string(parts_.size()) + " ranks";
  }

  /// Calls `work(part, ranks)` on each rank, and returns what it returns, by rank.
  template <class Work>
  auto on_ranks(Work&& work) {
    std::vector<decltype(work(parts_.front(), std::declval<rank_exchange&>()))> results(parts_.size());
    run_thread_ranks(static_cast<int>(parts_.size()), [&](rank_exchange& own) {
      const auto rank = static_cast<std::size_t>(own.rank());
      results[rank] = work(parts_[rank], own);
    });
    return results;
  }

  std::vector<rank_graph> built_by(int ranks) const {
    std::mt19937_64 random(drawn_.seed);
    std::vector<weighted_edges> drawn(static_cast<std::size_t>(ranks));
    for (const auto& one : drawn_.edges) drawn[random() % drawn.size()].push_back(one);
    std::vector<rank_graph> parts(drawn.size());
    run_thread_ranks(ranks, [&](rank_exchange& own) {
      const auto rank = static_cast<std::size_t>(own.rank());
      weighted_source source(drawn[rank]);
      parts[rank] =
          build_rank_graph(source, own, {.with_weights = drawn_.has_weights, .threads = drawn_.threads});
    });
    return parts;
  }

  /// The ids and rows of a CSR or of all ranks.
  struct all_rows {
    std::vector<vertex_id> ids;
    std::vector<std::vector<std::pair<vertex_id, double>>> rows;
    bool operator==(const all_rows&) const = default;
  };
  static all_rows rows_of(const csr_view& view) {
    all_rows all;
    for (vertex_handle v = 0; v < view.size(); ++v) {
      all.ids.push_back(view.id(v));
      auto& row = all.rows.emplace_back();
      for (std::size_t i = 0; i < view.neighbours(v).size(); ++i)
        row.emplace_back(view.neighbours(v)[i], view.has_weights() ? view.weights(v)[i] : 0);
      std::sort(row.begin(), row.end());
    }
    return all;
  }
  static all_rows rows_of(const std::vector<rank_graph>& parts) {
    all_rows all;
    for (const rank_graph& part : parts)
      for (vertex_handle v = 0; v < part.size(); ++v) {
        all.ids.push_back(part.ids().empty() ? part.number(v) : part.ids()[v]);
        auto& row = all.rows.emplace_back();
        for (std::uint64_t i = part.offsets()[v]; i < part.offsets()[v + std::size_t{1}]; ++i)
          row.emplace_back(part.number(part.targets()[i]), part.weights().empty() ? 0 : part.weights()[i]);
      }
    return all;
  }

  void build() {
    parts_ = built_by(drawn_.builders);
    expect(rows_of(parts_) == rows_of(one_.view()), "ranks build other rows");
  }

  void keep() {
    std::filesystem::remove_all(set_);
    perdure::detail::set_options options;
    options.store = perdure::small_store();
    const auto open = [&](rank_exchange& own, perdure::detail::store_set::mode how) {
      return perdure::detail::store_set::open(std::make_unique<exchange_group>(own), how, set_, options,
                                              perdure::detail::opener_of_managers<perdure::relocatable>());
    };
    on_ranks([&](const rank_graph& part, rank_exchange& own) {
      const auto made = open(own, perdure::detail::store_set::mode::create);
      store_rank_graph(*made->arrays(), "graph", part, own);
      made->close();
      return 0;
    });
    reader_.emplace(set_);
    const set_graph stored(reader_->arrays().untyped());
    std::vector<rank_graph> opened;
    for (int rank = 0; rank < drawn_.openers; ++rank) opened.push_back(stored.part(rank, drawn_.openers));
    parts_ = std::move(opened);
    expect(rows_of(parts_) == rows_of(one_.view()), "ranks open other rows");
  }

  void find_communities() {
    const louvain_options options{.starts = 1, .threads = drawn_.threads};
    const auto alone = answer_of([&] { return louvain(one_.view(), options); });
    std::vector<rank_community_result> results;
    const auto joint = answer_of([&] {
      results =
          on_ranks([&](const rank_graph& part, rank_exchange& own) { return louvain(part, own, options); });
      return 0;
    });
    expect(alone.error.empty() == joint.error.empty(),
           "communities are refused by one process or by ranks only");
    if (!alone.error.empty() || !found_.empty()) return;
    std::vector<vertex_id> labels;
    for (const rank_community_result& one : results) {
      append(labels, one.labels);
      expect(one.summary.modularity == alone.found.summary.modularity, "the modularity differs");
    }
    expect(std::ranges::equal(labels, alone.found.labels), "communities differ");
    const auto wrong =
        verify_communities(one_.view(), {{labels.begin(), labels.end()}, results.front().summary, {}});
    expect(!wrong, wrong ? wrong->c_str() : "");
    expect(are_connected(labels), "a community is not connected");
    for (std::size_t sweep = 0; sweep < results.front().sweeps.size(); ++sweep) {
      std::uint64_t sent = 0;
      std::uint64_t most = 0;
      for (const rank_community_result& one : results) {
        sent += one.sweeps[sweep].bytes_sent;
        most += 16 * one.sweeps[sweep].changed_ghosts + 32 * one.sweeps[sweep].remote_communities;
      }
      expect(sent <= most, "a sweep sends more than 16 bytes a changed ghost and 32 a remote community");
    }
  }

  /// Whether each community's vertices are joined by edges within it.
  bool are_connected(const std::vector<vertex_id>& labels) const {
    std::vector<char> is_reached(labels.size());
    for (vertex_handle first = 0; first < labels.size(); ++first) {
      if (labels[first] != first) continue;
      std::vector<vertex_handle> open{first};
      is_reached[first] = 1;
      while (!open.empty()) {
        const vertex_handle v = open.back();
        open.pop_back();
        for (const vertex_handle u : one_.view().neighbours(v))
          if (is_reached[u] == 0 && labels[u] == first) {
            is_reached[u] = 1;
            open.push_back(u);
          }
      }
    }
    return std::ranges::all_of(is_reached, [](char one) { return one != 0; });
  }

  void search() {
    if (one_.view().size() == 0) return;
    const auto source = static_cast<vertex_handle>(drawn_.seed % one_.view().size());
    std::vector<std::uint32_t> levels;
    for (const rank_bfs_result& one : on_ranks([&](const rank_graph& part, rank_exchange& own) {
           return bfs(part, own, source, drawn_.threads);
         }))
      append(levels, one.levels);
    expect(levels == bfs(one_.view(), source).levels, "levels differ");
  }

  void find_components() {
    std::vector<vertex_id> labels;
    for (const rank_component_result& one : on_ranks([&](const rank_graph& part, rank_exchange& own) {
           return connected_components(part, own, drawn_.threads);
         }))
      append(labels, one.labels);
    expect(std::ranges::equal(labels, connected_components(one_.view()).labels), "components differ");
  }

  void rank_vertices() {
    std::vector<double> ranks;
    const pagerank_options options{.iterations = 20, .threads = drawn_.threads};
    for (const pagerank_result& one :
         on_ranks([&](const rank_graph& part, rank_exchange& own) { return pagerank(part, own, options); }))
      append(ranks, one.ranks);
    std::vector<double> alone;
    const rank_graph whole = built_by(1).front();
    run_thread_ranks(1, [&](rank_exchange& own) { alone = pagerank(whole, own, options).ranks; });
    expect(ranks == alone, "PageRank differs in some bits");
  }

  void count() {
    const std::uint64_t expected = count_triangles(one_.view());
    for (const std::uint64_t found : on_ranks([&](const rank_graph& part, rank_exchange& own) {
           return count_triangles(part, own, drawn_.threads);
         }))
      expect(found == expected, "triangles differ");
  }

  drawn_run drawn_;
  std::filesystem::path set_;
  memory_csr one_;  // by one process
  std::optional<perdure::set_reader> reader_;
  std::vector<rank_graph> parts_;
  std::string found_;
};

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t runs = 1000;
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> first;
  perdure::crash::expected_violation expected;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--runs") {
      runs = std::strtoull(argv[i + 1], nullptr, 10);
    } else if (name == "--seed") {
      seed = std::strtoull(argv[i + 1], nullptr, 10);
    } else if (name == "--first") {
      first = std::strtoull(argv[i + 1], nullptr, 10);
    } else if (name == "--expect-violation") {
      expected.expect(argv[i + 1]);
    } else {
      std::fprintf(stderr, "random_rank_graphs: unknown option %s\n", name.c_str());
      return 2;
    }
  }
  const perdure::scratch_directory scratch(perdure::fast_directory());
  std::string violation;
  std::uint64_t done = 0;
  const auto run = [&](std::uint64_t number) {
    ++done;
    const std::string found = random_run(number, scratch.path()).violation();
    if (found.empty()) return false;
    const std::string told = "in run " + std::to_string(number) + ": " + found;
    std::fprintf(stderr, "VIOLATION %s\n", told.c_str());
    if (violation.empty() || expected.settles(told)) violation = told;
    return expected.settles(told);
  };
  bool is_settled = first && run(*first);
  for (std::uint64_t i = 0; i < runs && !is_settled; ++i) is_settled = run(seed * 1'000'003 + i);
  std::printf("%llu random graphs\n", static_cast<unsigned long long>(done));
  return expected.judge(violation);
}
