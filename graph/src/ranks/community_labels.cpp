// Keeps what ranks know of each other's communities up to date, in three rounds of messages: labels and sums,
// questions, answers.
#include "ranks/community_labels.hpp"

#include <cmath>
#include <perdure/graph/detail/neighbour_rows.hpp>

#include "ranks/ghost_values.hpp"
#include "ranks/numbers_of_all.hpp"
#include "ranks/packed_bytes.hpp"

namespace perdure::graph::detail {

community_labels::community_labels(const community_graph& graph, rank_exchange& ranks,
                                   const std::vector<vertex_id>& names, unsigned threads)
    : graph_(graph),
      ranks_(ranks),
      first_(graph.plan.first()),
      own_(graph.size()),
      labels_(own_ + graph.plan.ghosts.size()),
      volumes_(own_),
      members_(own_),
      is_touched_(ranks.size() > 1 ? own_ : 0) {
  if (ranks.size() == 1) {
    each_vertex(threads, own_, [&](vertex_handle v) {
      labels_[v] = static_cast<vertex_handle>(names[v]);
      add(labels_[v], graph_.volumes[v], 1);
    });
    return;
  }
  for (vertex_handle v = 0; v < own_; ++v) {
    labels_[v] = index_of(names[v]);
    add(labels_[v], graph_.volumes[v], 1);
  }
  exchange_with_ghosts<vertex_id>(
      graph.plan, ranks, [&](vertex_handle v) { return names[v]; },
      [&](vertex_handle ghost, vertex_id name) { labels_[ghost] = index_of(name); });
  exchange({});
}

vertex_handle community_labels::index_of(vertex_id name) {
  if (name >= first_ && name - first_ < own_) return static_cast<vertex_handle>(name - first_);
  const auto [found, is_new] = indices_.try_emplace(name, static_cast<vertex_handle>(own_ + foreign_.size()));
  if (is_new) {
    foreign_.push_back({name});
    volumes_.push_back(0);
    members_.push_back(0);
  }
  return found->second;
}

// Foreign communities keep their volume until their owner has added up.
void community_labels::add(vertex_handle index, std::uint64_t volume, vertex_handle members) noexcept {
  std::uint64_t& sum = index < own_ ? volumes_[index] : foreign_[index - own_].more_volume;
  vertex_handle& count = index < own_ ? members_[index] : foreign_[index - own_].more_members;
  std::atomic_ref(sum).fetch_add(volume, std::memory_order_relaxed);
  std::atomic_ref(count).fetch_add(members, std::memory_order_relaxed);
}

void community_labels::change(const changed_label& one) noexcept {
  const std::uint64_t volume = graph_.volumes[one.vertex];
  add(labels_[one.vertex], ~volume + 1, ~vertex_handle{0});
  add(one.to, volume, 1);
  if (!is_touched_.empty())
    for (const vertex_handle index : {labels_[one.vertex], one.to})
      if (index < own_) std::atomic_ref(is_touched_[index]).store(1, std::memory_order_relaxed);
  labels_[one.vertex] = one.to;
}

const std::vector<vertex_handle>& community_labels::exchange(
    const std::vector<std::vector<changed_label>>& changes) {
  changed_ghosts_.clear();
  if (ranks_.size() == 1) return changed_ghosts_;
  tell_owners(changes);
  ask();
  answer();
  return changed_ghosts_;
}

void community_labels::tell_owners(const std::vector<std::vector<changed_label>>& changes) {
  const rank_plan& plan = graph_.plan;
  struct told {
    std::vector<std::pair<std::uint32_t, vertex_id>> labels;
    std::vector<std::byte> sums;
  };
  std::vector<told> all(static_cast<std::size_t>(ranks_.size()));
  for (const auto& some : changes)
    for (const changed_label& one : some)
      for (const mirror_table::mirror& mirror : graph_.mirrors.of(one.vertex))
        all[static_cast<std::size_t>(plan.neighbours[mirror.neighbour].rank)].labels.emplace_back(
            mirror.place, name(one.to));
  for (foreign_community& one : foreign_) {
    if (one.more_volume == 0 && one.more_members == 0) continue;
    auto& sums = all[static_cast<std::size_t>(plan.owner(one.name))].sums;
    pack(sums, one.name);
    pack(sums, one.more_volume);
    pack(sums, one.more_members);
    one.more_volume = 0;
    one.more_members = 0;
  }
  outgoing messages(ranks_);
  for (int rank = 0; rank < ranks_.size(); ++rank) {
    const told& one = all[static_cast<std::size_t>(rank)];
    if (one.labels.empty() && one.sums.empty()) continue;
    auto& bytes = messages.to(rank);
    pack(bytes, static_cast<std::uint32_t>(one.labels.size()));
    for (const auto& [place, label] : one.labels) {
      pack(bytes, place);
      pack(bytes, label);
    }
    bytes.insert(bytes.end(), one.sums.begin(), one.sums.end());
  }
  for (const rank_message& one : messages.exchange()) {
    unpacker bytes(one.bytes);
    const auto count = bytes.take<std::uint32_t>();
    const rank_plan::neighbour* const from = count == 0 ? nullptr : &plan.neighbour_at(one.rank);
    for (std::uint32_t i = 0; i < count; ++i) {
      const vertex_handle ghost = plan.ghost_at(*from, bytes.take<std::uint32_t>());
      labels_[ghost] = index_of(bytes.take<vertex_id>());
      changed_ghosts_.push_back(ghost);
    }
    while (!bytes.empty()) {
      const auto own = static_cast<vertex_handle>(bytes.take<vertex_id>() - first_);
      volumes_[own] += bytes.take<std::uint64_t>();
      members_[own] += bytes.take<vertex_handle>();
      is_touched_[own] = 1;
    }
  }
}

// Asks for the volumes of communities of other ranks that are new here.
void community_labels::ask() {
  outgoing questions(ranks_);
  for (; asked_ < foreign_.size(); ++asked_) {
    auto& bytes = questions.to(graph_.plan.owner(foreign_[asked_].name));
    pack(bytes, foreign_[asked_].name);
    pack(bytes, static_cast<vertex_handle>(own_ + asked_));
  }
  for (const rank_message& one : questions.exchange())
    for (unpacker bytes(one.bytes); !bytes.empty();) {
      const auto own = static_cast<vertex_handle>(bytes.take<vertex_id>() - first_);
      subscribers_[own].push_back({one.rank, bytes.take<vertex_handle>()});
      is_touched_[own] = 1;
    }
}

void community_labels::answer() {
  outgoing answers(ranks_);
  for (const auto& [own, those] : subscribers_) {
    if (is_touched_[own] == 0) continue;
    for (const subscriber& one : those) {
      auto& bytes = answers.to(one.rank);
      pack(bytes, one.index);
      pack(bytes, members_[own]);
      pack(bytes, volumes_[own]);
    }
  }
  std::fill(is_touched_.begin(), is_touched_.end(), std::uint8_t{0});
  for (const rank_message& one : answers.exchange())
    for (unpacker bytes(one.bytes); !bytes.empty();) {
      const auto index = bytes.take<vertex_handle>();
      members_[index] = bytes.take<vertex_handle>();
      volumes_[index] = bytes.take<std::uint64_t>();
    }
}

std::vector<vertex_id> community_labels::names() const {
  std::vector<vertex_id> all(own_);
  for (vertex_handle v = 0; v < own_; ++v) all[v] = name(labels_[v]);
  return all;
}

std::vector<std::uint64_t> community_labels::numbered(std::vector<std::uint64_t>& bounds) const {
  std::vector<std::uint64_t> numbers(indices());
  std::uint64_t count = 0;
  for (vertex_handle own = 0; own < own_; ++own) numbers[own] = members_[own] == 0 ? count : count++;
  bounds = sums_before(count, ranks_);
  const std::uint64_t before = bounds[static_cast<std::size_t>(ranks_.rank())];
  for (vertex_handle own = 0; own < own_; ++own) numbers[own] += before;
  if (ranks_.size() == 1) return numbers;
  outgoing messages(ranks_);
  for (const auto& [own, those] : subscribers_)
    for (const subscriber& one : those) {
      pack(messages.to(one.rank), one.index);
      pack(messages.to(one.rank), numbers[own]);
    }
  for (const rank_message& one : messages.exchange())
    for (unpacker bytes(one.bytes); !bytes.empty();) {
      const auto index = bytes.take<vertex_handle>();
      numbers[index] = bytes.take<std::uint64_t>();
    }
  return numbers;
}

std::uint64_t community_labels::squares(double all) const noexcept {
  std::uint64_t sum = 0;
  for (std::size_t own = 0; own < own_; ++own) {
    const double part = static_cast<double>(volumes_[own]) / all;
    sum += static_cast<std::uint64_t>(part * part * 0x1p60);
  }
  return sum;
}

}  // namespace perdure::graph::detail
