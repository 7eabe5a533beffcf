// Joins labels and vertices at ranks that hashes of ids choose.
#include <algorithm>
#include <cstddef>
#include <perdure/error.hpp>
#include <perdure/graph/id_lookup.hpp>
#include <perdure/graph/ranks/joint_call.hpp>
#include <perdure/graph/ranks/labels_by_id.hpp>
#include <perdure/graph/vertex_hash.hpp>
#include <string>
#include <unordered_map>
#include <utility>

#include "ranks/numbers_of_all.hpp"
#include "ranks/packed_bytes.hpp"

namespace perdure::graph {
namespace {

using namespace detail;

/// The rank that a hash chooses. `id_lookup` uses the lower bits of the same hash.
int rank_for(std::uint64_t value, int ranks) noexcept {
  return static_cast<int>((vertex_hash{}(value) >> 32) % static_cast<unsigned>(ranks));
}

/// Collective. Returns those labels of all ranks whose ids hashes choose this rank for.
labels_by_id sent_by_hash(labels_by_id given, rank_exchange& ranks) {
  if (ranks.size() == 1) return given;
  labels_by_id own;
  const auto keep = [&own](vertex_id id, std::uint64_t label) {
    own.ids.push_back(id);
    own.labels.push_back(label);
  };
  outgoing messages(ranks);
  for (std::size_t i = 0; i < given.ids.size(); ++i) {
    const int to = rank_for(given.ids[i], ranks.size());
    if (to == ranks.rank()) {
      keep(given.ids[i], given.labels[i]);
    } else {
      pack(messages.to(to), given.ids[i]);
      pack(messages.to(to), given.labels[i]);
    }
  }
  for (const rank_message& one : messages.exchange())
    for (unpacker bytes(one.bytes); !bytes.empty();) {
      const auto id = bytes.take<vertex_id>();
      keep(id, bytes.take<std::uint64_t>());
    }
  return own;
}

/// Collective. Returns for each of these values what `reply(value)` returns at the rank that its hash
/// chooses.
template <class Reply>
auto asked_by_hash(std::span<const std::uint64_t> values, rank_exchange& ranks, const Reply& reply) {
  using answer = decltype(reply(std::uint64_t{0}));
  std::vector<answer> found(values.size());
  outgoing questions(ranks);
  std::vector<std::vector<std::size_t>> asked(static_cast<std::size_t>(ranks.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int to = rank_for(values[i], ranks.size());
    if (to == ranks.rank()) {
      found[i] = reply(values[i]);
    } else {
      pack(questions.to(to), values[i]);
      asked[static_cast<std::size_t>(to)].push_back(i);
    }
  }
  if (ranks.size() == 1) return found;
  outgoing answers(ranks);
  for (const rank_message& one : questions.exchange())
    for (unpacker bytes(one.bytes); !bytes.empty();)
      pack(answers.to(one.rank), reply(bytes.take<std::uint64_t>()));
  for (const rank_message& one : answers.exchange()) {
    unpacker bytes(one.bytes);
    for (const std::size_t i : asked[static_cast<std::size_t>(one.rank)]) found[i] = bytes.take<answer>();
  }
  return found;
}

/// Collective. Throws where an id is there twice, on all ranks: of several the smallest.
void require_distinct(const labels_by_id& own, const id_lookup& places, rank_exchange& ranks) {
  std::uint64_t twice = 0;
  vertex_id smallest = ~vertex_id{0};
  for (std::size_t i = 0; i < own.ids.size(); ++i)
    if (places.find(own.ids[i]) != i) {
      twice = 1;
      smallest = std::min(smallest, own.ids[i]);
    }
  if (sum_of_all(twice, ranks) == 0) return;
  const std::vector<std::uint64_t> all = ranks.gather(smallest);
  throw error(errc::invalid_argument, "vertex " + std::to_string(*std::min_element(all.begin(), all.end())) +
                                          " has two communities, and may have one");
}

/// A vertex's label, if it has one.
struct found_label {
  std::uint64_t label = 0;
  bool is_there = false;
};

/// Collective. Returns for each of the ids its label, and counts labels that nobody asked for.
std::vector<found_label> labels_of(std::span<const vertex_id> ids, const labels_by_id& given,
                                   rank_exchange& ranks, std::uint64_t& left) {
  const labels_by_id own = sent_by_hash(given, ranks);
  joint_call(ranks, [&] {
    if (own.ids.size() > most_vertices)
      throw error(errc::unsupported,
                  "there are more than 2^32 - 1 communities' vertices for a rank: take more ranks");
  });
  const id_lookup places(own.ids, 1);
  require_distinct(own, places, ranks);
  std::vector<std::uint8_t> is_asked(own.ids.size());
  std::vector<found_label> found = asked_by_hash(ids, ranks, [&](vertex_id id) {
    const vertex_handle at = places.find(id);
    if (at == no_vertex) return found_label{};
    is_asked[at] = 1;
    return found_label{own.labels[at], true};
  });
  left = sum_of_all(static_cast<std::uint64_t>(std::count(is_asked.begin(), is_asked.end(), 0)), ranks);
  return found;
}

/// Collective. Replaces the number of each label by the smallest one that a rank has for it.
void take_smallest(labels_by_id& numbers, rank_exchange& ranks) {
  if (ranks.size() == 1) return;
  std::unordered_map<std::uint64_t, vertex_id> smallest;
  const labels_by_id all = sent_by_hash(numbers, ranks);
  for (std::size_t i = 0; i < all.ids.size(); ++i) {
    vertex_id& there = smallest.try_emplace(all.ids[i], all.labels[i]).first->second;
    there = std::min(there, all.labels[i]);
  }
  numbers.labels = asked_by_hash(numbers.ids, ranks, [&](std::uint64_t label) { return smallest.at(label); });
}

}  // namespace

matched_labels match_labels(std::span<const vertex_id> ids, const labels_by_id& given, rank_exchange& ranks) {
  matched_labels result;
  const std::vector<found_label> found = labels_of(ids, given, ranks, result.left);
  const std::vector<std::uint64_t> bounds = sums_before(ids.size(), ranks);
  const std::uint64_t first = bounds[static_cast<std::size_t>(ranks.rank())];
  labels_by_id numbers;  // of each label the smallest number of a vertex
  std::unordered_map<std::uint64_t, std::size_t> places;
  result.labels.resize(ids.size());
  for (std::size_t v = 0; v < ids.size(); ++v) {
    result.labels[v] = first + v;
    if (!found[v].is_there) continue;
    ++result.matched;
    const auto [at, is_new] = places.try_emplace(found[v].label, numbers.ids.size());
    if (is_new) {
      numbers.ids.push_back(found[v].label);
      numbers.labels.push_back(first + v);
    }
    result.labels[v] = at->second;
  }
  take_smallest(numbers, ranks);
  for (std::size_t v = 0; v < ids.size(); ++v)
    if (found[v].is_there) result.labels[v] = numbers.labels[result.labels[v]];
  result.matched = sum_of_all(result.matched, ranks);
  return result;
}

}  // namespace perdure::graph
