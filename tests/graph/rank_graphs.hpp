// Graphs that are divided between ranks.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <perdure/error.hpp>
#include <perdure/graph/csr_view.hpp>
#include <perdure/graph/ranks/rank_graph.hpp>
#include <perdure/graph/ranks/rank_rows.hpp>
#include <perdure/graph/ranks/thread_ranks.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/errors.hpp"

namespace perdure::test {

/// Returns the rows of a range of vertices of an undirected graph whose ids are 0, 1, 2, ….
inline graph::rank_rows rows_of(const graph::csr_view& view, const std::vector<std::uint64_t>& bounds,
                                int rank) {
  graph::rank_rows rows{.bounds = bounds, .offsets = {0}, .targets = {}, .weights = {}, .ids = {}};
  const auto begin = static_cast<std::size_t>(rank);
  for (std::uint64_t v = bounds[begin]; v < bounds[begin + 1]; ++v) {
    const auto handle = static_cast<graph::vertex_handle>(v);
    for (const graph::vertex_handle u : view.neighbours(handle)) rows.targets.push_back(u);
    if (view.has_weights())
      for (const double weight : view.weights(handle)) rows.weights.push_back(weight);
    rows.offsets.push_back(rows.targets.size());
  }
  return rows;
}

inline std::vector<std::uint64_t> even_bounds(std::uint64_t vertices, int ranks) {
  std::vector<std::uint64_t> bounds;
  for (int rank = 0; rank <= ranks; ++rank)
    bounds.push_back(vertices * static_cast<std::uint64_t>(rank) / static_cast<std::uint64_t>(ranks));
  return bounds;
}

/// Some ranks may have no vertices.
inline std::vector<std::uint64_t> random_bounds(std::uint64_t vertices, int ranks, std::mt19937_64& random) {
  std::vector<std::uint64_t> bounds{0, vertices};
  for (int rank = 1; rank < ranks; ++rank) bounds.push_back(random() % (vertices + 1));
  std::sort(bounds.begin(), bounds.end());
  return bounds;
}

/// An undirected graph whose rows are in no order.
class shuffled_graph {
 public:
  shuffled_graph(std::uint64_t vertices, const std::vector<std::pair<std::uint64_t, std::uint64_t>>& edges,
                 std::uint64_t seed) {
    std::vector<std::vector<graph::vertex_handle>> rows(vertices);
    for (const auto& [u, v] : edges) {
      rows[u].push_back(static_cast<graph::vertex_handle>(v));
      if (u != v) rows[v].push_back(static_cast<graph::vertex_handle>(u));
    }
    std::mt19937_64 random(seed);
    for (auto& row : rows) {
      std::shuffle(row.begin(), row.end(), random);
      targets_.insert(targets_.end(), row.begin(), row.end());
      offsets_.push_back(targets_.size());
    }
  }

  graph::csr_view view() const noexcept { return {.offsets = offsets_, .targets = targets_}; }

 private:
  std::vector<std::uint64_t> offsets_{0};
  std::vector<graph::vertex_handle> targets_;
};

/// A path through vertices that are numbered at random.
inline shuffled_graph random_path(std::uint64_t vertices, std::uint64_t seed) {
  std::vector<std::uint64_t> order(vertices);
  for (std::uint64_t v = 0; v < vertices; ++v) order[v] = v;
  std::mt19937_64 random(seed);
  std::shuffle(order.begin(), order.end(), random);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> edges;
  for (std::uint64_t v = 1; v < vertices; ++v) edges.emplace_back(order[v - 1], order[v]);
  return {vertices, edges, seed};
}

/// A graph with many edges at few vertices, and loops and repeated edges.
inline shuffled_graph skewed_graph(std::uint64_t vertices, std::uint64_t edges, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
  const auto draw = [&] { return random() % (1 + random() % (1 + random() % vertices)); };
  for (std::uint64_t i = 0; i < edges; ++i)
    all.emplace_back(draw(), random() % 2 == 0 ? random() % vertices : draw());
  return {vertices, all, seed};
}

/// Calls `check(view, divide)` for small graphs: empty ones, with fewer vertices than ranks, with loops and
/// repeated edges, with one vertex that all others are joined with, paths. `divide(use)` calls
/// `use(bounds, threads)` for 1 to 5 ranks, some of them without vertices.
template <class Check>
void on_small_divided_graphs(std::uint64_t seed, int rounds, Check&& check) {
  std::mt19937_64 random(seed);
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t vertices = round % 4 == 0 ? random() % 5 : random() % 60;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> edges;
    if (vertices != 0) {
      const std::uint64_t centre = random() % vertices;
      if (round % 5 == 1)
        for (std::uint64_t v = 0; v < vertices; ++v) edges.emplace_back(centre, v);
      if (round % 5 == 2)
        for (std::uint64_t v = 1; v < vertices; ++v)
          edges.emplace_back(v * 7 % vertices, (v - 1) * 7 % vertices);
      const std::uint64_t drawn = random() % (1 + vertices * (1 + 3 * (round % 3)));
      for (std::uint64_t i = 0; i < drawn; ++i) edges.emplace_back(random() % vertices, random() % vertices);
    }
    const shuffled_graph made(vertices, edges, random());
    check(made.view(), [&](auto&& use) {
      for (int ranks = 1; ranks <= 5; ++ranks) {
        SCOPED_TRACE("round " + std::to_string(round) + ", " + std::to_string(vertices) + " vertices, " +
                     std::to_string(ranks) + " ranks");
        use(round % 2 == 0 ? even_bounds(vertices, ranks) : random_bounds(vertices, ranks, random),
            1 + static_cast<unsigned>(round) % 2);
      }
    });
  }
}

/// Collective. Returns a rank's part of a graph.
inline graph::rank_graph part_of(const graph::csr_view& view, const std::vector<std::uint64_t>& bounds,
                                 graph::rank_exchange& ranks) {
  return graph::rank_graph::of(rows_of(view, bounds, ranks.rank()), ranks);
}

/// Returns what `work(part, ranks)` returns on each rank.
template <class Work>
auto results_of_ranks(const graph::csr_view& view, const std::vector<std::uint64_t>& bounds, Work&& work) {
  using result =
      decltype(work(std::declval<const graph::rank_graph&>(), std::declval<graph::rank_exchange&>()));
  std::vector<result> results(bounds.size() - 1);
  graph::run_thread_ranks(static_cast<int>(results.size()), [&](graph::rank_exchange& own) {
    results[static_cast<std::size_t>(own.rank())] = work(part_of(view, bounds, own), own);
  });
  return results;
}

/// Returns the values of all ranks one after the other.
template <class Result, class Value>
std::vector<Value> joined(const std::vector<Result>& results, std::vector<Value> Result::*values) {
  std::vector<Value> all;
  for (const Result& one : results) all.insert(all.end(), (one.*values).begin(), (one.*values).end());
  return all;
}

/// Checks that `work(part, ranks)`, or making the part, throws on each of three ranks the same message with
/// `part` in it, where `spoil(rows)` has changed the rows of rank 1. Each rank has two vertices with a loop.
template <class Spoil, class Work>
void expect_refused_on_all(const std::string& part, Spoil&& spoil, Work&& work,
                           errc code = errc::invalid_argument) {
  std::mutex mutex;
  std::vector<std::string> messages;
  const auto on_each_rank = [&](graph::rank_exchange& own) {
    graph::rank_rows rows{
        .bounds = {0, 2, 4, 6}, .offsets = {0, 1, 2}, .targets = {0, 1}, .weights = {1, 1}, .ids = {}};
    for (graph::vertex_id& v : rows.targets) v += 2 * static_cast<graph::vertex_id>(own.rank());
    if (own.rank() == 1) spoil(rows);
    try {
      work(graph::rank_graph::of(rows, own), own);
    } catch (const error& e) {
      const std::lock_guard lock(mutex);
      EXPECT_EQ(e.code(), code);
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
      messages.emplace_back(e.what());
      throw;  // so that no other rank waits for this one
    }
  };
  EXPECT_EQ(code_of([&] { graph::run_thread_ranks(3, on_each_rank); }), code);
  ASSERT_EQ(messages.size(), 3u) << part;
  EXPECT_EQ(messages, std::vector<std::string>(3, messages.front()));
}

/// Ranks whose collective calls are counted.
class counted_exchange final : public graph::rank_exchange {
 public:
  explicit counted_exchange(graph::rank_exchange& ranks) : ranks_(ranks) {}

  int rank() const noexcept override { return ranks_.rank(); }
  int size() const noexcept override { return ranks_.size(); }
  std::vector<graph::rank_message> exchange(std::vector<graph::rank_message> messages) override {
    ++exchanges_;
    for (const graph::rank_message& one : messages) largest_ = std::max(largest_, one.bytes.size());
    count(messages);
    return ranks_.exchange(std::move(messages));
  }
  void add_up(std::span<std::uint64_t> numbers) override {
    ++reductions_;
    ranks_.add_up(numbers);
  }
  std::vector<std::uint64_t> gather(std::uint64_t number) override {
    ++reductions_;
    return ranks_.gather(number);
  }

  unsigned exchanges() const noexcept { return exchanges_; }
  unsigned reductions() const noexcept { return reductions_; }
  /// Bytes of the largest message sent.
  std::size_t largest_message() const noexcept { return largest_; }

 private:
  graph::rank_exchange& ranks_;
  unsigned exchanges_ = 0;
  unsigned reductions_ = 0;
  std::size_t largest_ = 0;
};

}  // namespace perdure::test
