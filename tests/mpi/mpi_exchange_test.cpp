// Messages between ranks of a graph, by MPI.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <perdure/graph/ranks/joint_call.hpp>
#include <perdure/graph/ranks/mpi_exchange.hpp>
#include <perdure/graph/ranks/rank_communities.hpp>
#include <perdure/graph/ranks/rank_graph.hpp>
#include <perdure/graph/rgg.hpp>
#include <random>
#include <vector>

#include "support/errors.hpp"

namespace {

// What this rank has sent, as MPI's profiling interface sees it.
struct sent_messages {
  std::uint64_t bytes = 0;
  std::uint64_t messages = 0;

  void add(int count, MPI_Datatype type) {
    int size = 0;
    PMPI_Type_size(type, &size);
    bytes += static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size);
    ++messages;
  }
};
sent_messages profiled;

}  // namespace

extern "C" {
int MPI_Issend(const void* bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm in,
               MPI_Request* request) {
  profiled.add(count, type);
  return PMPI_Issend(bytes, count, type, to, tag, in, request);
}
int MPI_Isend(const void* bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm in,
              MPI_Request* request) {
  profiled.add(count, type);
  return PMPI_Isend(bytes, count, type, to, tag, in, request);
}
int MPI_Send(const void* bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm in) {
  profiled.add(count, type);
  return PMPI_Send(bytes, count, type, to, tag, in);
}
int MPI_Put(const void* bytes, int count, MPI_Datatype type, int to, MPI_Aint at, int there,
            MPI_Datatype of_those, MPI_Win window) {
  profiled.add(count, type);
  return PMPI_Put(bytes, count, type, to, at, there, of_those, window);
}
}

namespace {
using namespace perdure::graph;
using perdure::errc;
using perdure::fails_with;

// Returns the bytes that a rank sends to another one in a round. Both draw the same numbers for them.
std::vector<std::byte> bytes_for(int from, int to, unsigned round) {
  std::mt19937 random(static_cast<unsigned>(from) * 1000U + static_cast<unsigned>(to) * 100U + round * 7919U);
  if (from == to || random() % 3 == 0) return {};
  std::vector<std::byte> bytes(1 + random() % 300);
  for (std::byte& one : bytes) one = static_cast<std::byte>(random());
  return bytes;
}

void expect_exchanges(mpi_exchange& ranks) {
  for (unsigned round = 0; round < 40; ++round) {
    std::vector<rank_message> messages;
    for (int to = ranks.size() - 1; to >= 0; --to)
      if (std::vector<std::byte> bytes = bytes_for(ranks.rank(), to, round); !bytes.empty())
        messages.push_back({to, std::move(bytes)});
    std::vector<rank_message> heard = ranks.exchange(std::move(messages));
    auto next = heard.begin();
    for (int from = 0; from < ranks.size(); ++from) {
      const std::vector<std::byte> expected = bytes_for(from, ranks.rank(), round);
      if (expected.empty()) continue;
      ASSERT_NE(next, heard.end());
      EXPECT_EQ(next->rank, from);
      EXPECT_EQ(next->bytes, expected);
      ++next;
    }
    EXPECT_EQ(next, heard.end());
  }
}

TEST(MpiExchange, BringsEachMessageToItsRank) {
  mpi_exchange ranks(MPI_COMM_WORLD);
  expect_exchanges(ranks);
}

// Also messages of exactly one piece, and of several whole ones.
TEST(MpiExchange, CutsMessagesIntoPieces) {
  for (const std::size_t piece : {1U, 10U}) {
    mpi_exchange ranks(MPI_COMM_WORLD, std::chrono::minutes(10), piece);
    expect_exchanges(ranks);
  }
}

TEST(MpiExchange, AddsUpAndGathers) {
  mpi_exchange ranks(MPI_COMM_WORLD);
  const auto size = static_cast<std::uint64_t>(ranks.size());
  const auto rank = static_cast<std::uint64_t>(ranks.rank());
  std::vector<std::uint64_t> numbers{1, rank, ~std::uint64_t{0}};
  ranks.add_up(numbers);
  EXPECT_EQ(numbers, (std::vector<std::uint64_t>{size, size * (size - 1) / 2, ~std::uint64_t{0} * size}));
  ranks.add_up({});
  std::vector<std::uint64_t> expected;
  for (std::uint64_t one = 0; one < size; ++one) expected.push_back(one * one);
  EXPECT_EQ(ranks.gather(rank * rank), expected);
}

TEST(MpiExchange, CountsWhatItSends) {
  mpi_exchange ranks(MPI_COMM_WORLD);
  if (ranks.rank() == 0 && ranks.size() > 1) {
    ranks.exchange({{1, std::vector<std::byte>(100)}});
    EXPECT_EQ(ranks.bytes_sent(), 100U);
    EXPECT_EQ(ranks.messages_sent(), 1U);
  } else {
    ranks.exchange({});
    EXPECT_EQ(ranks.messages_sent(), 0U);
  }
}

// Also within the limits of a sweep.
TEST(MpiExchange, CountsWhatMpiSees) {
  mpi_exchange ranks(MPI_COMM_WORLD);
  profiled = {};
  rgg_source edges({.vertices = 2000, .seed = 3}, 1024,
                   {static_cast<std::uint64_t>(ranks.rank()), static_cast<std::uint64_t>(ranks.size())});
  const rank_graph part = build_rank_graph(edges, ranks);
  const rank_community_result found = louvain(part, ranks, {.first_phase_only = true});
  EXPECT_EQ(profiled.bytes, ranks.bytes_sent());
  EXPECT_EQ(profiled.messages, ranks.messages_sent());
  EXPECT_EQ(profiled.bytes > 0, ranks.size() > 1);
  for (const louvain_sweep& sweep : found.sweeps) {
    std::uint64_t all[] = {sweep.bytes_sent, sweep.changed_ghosts, sweep.remote_communities};
    ranks.add_up(all);
    EXPECT_LE(all[0], 16 * all[1] + 32 * all[2]);
  }
}

TEST(MpiExchange, TellsAllRanksOfAnErrorOfOne) {
  mpi_exchange ranks(MPI_COMM_WORLD);
  const int last = ranks.size() - 1;
  const std::string words =
      ranks.size() == 1 ? "no such thing" : "rank " + std::to_string(last) + ": no such thing";
  EXPECT_TRUE(fails_with(errc::not_found, words, [&] {
    joint_call(ranks, [&] {
      if (ranks.rank() == last) throw perdure::error(errc::not_found, "no such thing");
    });
  }));
}

TEST(MpiExchange, EndsWhenOthersDoNotCome) {
  mpi_exchange ranks(MPI_COMM_WORLD, std::chrono::milliseconds(200));
  if (ranks.size() > 1 && ranks.rank() == 0) {
    EXPECT_TRUE(fails_with(errc::timed_out, "for other ranks", [&] { ranks.exchange({}); }));
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(MpiExchange, NeedsACommunicator) {
  EXPECT_TRUE(fails_with(errc::invalid_argument, "MPI_COMM_NULL", [] { mpi_exchange none(MPI_COMM_NULL); }));
}

}  // namespace
