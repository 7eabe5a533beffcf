// Keeps what ranks know of each other's communities up to date, in three rounds of messages: labels and sums,
// questions, answers.
#include "ranks/community_labels.hpp"

#include <algorithm>
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
      has_one_thread_(threads <= 1),
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

vertex_handle community_labels::index_at_owner(vertex_id name) const noexcept {
  const rank_plan& plan = graph_.plan;
  return static_cast<vertex_handle>(name - plan.bounds[static_cast<std::size_t>(plan.owner(name))]);
}

// Foreign communities keep their volume until their owner has added up.
void community_labels::add(vertex_handle index, std::uint64_t volume, vertex_handle members) noexcept {
  std::uint64_t& sum = index < own_ ? volumes_[index] : foreign_[index - own_].more_volume;
  vertex_handle& count = index < own_ ? members_[index] : foreign_[index - own_].more_members;
  if (has_one_thread_) {
    sum += volume;
    count += members;
    return;
  }
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
    std::uint64_t count = 0;
    std::vector<std::byte> labels;
    std::uint64_t last_place = 0;
    vertex_id last_label = 0;
    std::vector<std::byte> sums;
    vertex_handle last_sum = 0;
  };
  std::vector<told> all(static_cast<std::size_t>(ranks_.size()));
  for (const auto& some : changes)
    for (const changed_label& one : some)
      for (const mirror_table::mirror& mirror : graph_.mirrors.of(one.vertex)) {
        told& to = all[static_cast<std::size_t>(plan.neighbours[mirror.neighbour].rank)];
        ++to.count;
        pack_difference(to.labels, mirror.place - to.last_place);
        pack_difference(to.labels, name(one.to) - to.last_label);
        to.last_place = mirror.place;
        to.last_label = name(one.to);
      }
  for (foreign_community& one : foreign_) {
    if (one.more_volume == 0 && one.more_members == 0) continue;
    told& to = all[static_cast<std::size_t>(plan.owner(one.name))];
    const vertex_handle there = index_at_owner(one.name);
    pack_difference(to.sums, std::uint64_t{there} - to.last_sum);
    pack_difference(to.sums, one.more_volume);
    pack_difference(to.sums, static_cast<std::uint64_t>(static_cast<std::int32_t>(one.more_members)));
    to.last_sum = there;
    one.more_volume = 0;
    one.more_members = 0;
  }
  outgoing messages(ranks_);
  for (int rank = 0; rank < ranks_.size(); ++rank) {
    const told& one = all[static_cast<std::size_t>(rank)];
    if (one.labels.empty() && one.sums.empty()) continue;
    auto& bytes = messages.to(rank);
    pack_number(bytes, one.count);
    bytes.insert(bytes.end(), one.labels.begin(), one.labels.end());
    bytes.insert(bytes.end(), one.sums.begin(), one.sums.end());
  }
  for (const rank_message& one : messages.exchange()) {
    unpacker bytes(one.bytes);
    const std::uint64_t count = bytes.take_number();
    const rank_plan::neighbour* const from = count == 0 ? nullptr : &plan.neighbour_at(one.rank);
    std::uint64_t place = 0;
    vertex_id label = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      place += bytes.take_difference();
      label += bytes.take_difference();
      const vertex_handle ghost = plan.ghost_at(*from, place);
      labels_[ghost] = index_of(label);
      changed_ghosts_.push_back(ghost);
    }
    for (std::uint64_t own = 0; !bytes.empty();) {
      own += bytes.take_difference();
      volumes_[own] += bytes.take_difference();
      members_[own] += static_cast<vertex_handle>(bytes.take_difference());
      is_touched_[own] = 1;
    }
  }
}

// Asks for the volumes of communities of other ranks that are new here.
void community_labels::ask() {
  struct last_one {
    std::uint64_t there = 0;
    std::uint64_t here = 0;
  };
  std::vector<last_one> last(static_cast<std::size_t>(ranks_.size()));
  outgoing questions(ranks_);
  for (; asked_ < foreign_.size(); ++asked_) {
    const vertex_id name = foreign_[asked_].name;
    const int owner = graph_.plan.owner(name);
    auto& bytes = questions.to(owner);
    last_one& before = last[static_cast<std::size_t>(owner)];
    const last_one now{index_at_owner(name), own_ + asked_};
    pack_difference(bytes, now.there - before.there);
    pack_number(bytes, now.here - before.here);
    before = now;
  }
  for (const rank_message& one : questions.exchange()) {
    last_one question;
    for (unpacker bytes(one.bytes); !bytes.empty();) {
      question.there += bytes.take_difference();
      question.here += bytes.take_number();
      const auto own = static_cast<vertex_handle>(question.there);
      subscribers_[own].push_back({one.rank, static_cast<vertex_handle>(question.here)});
      is_touched_[own] = 1;
    }
  }
}

void community_labels::answer() {
  outgoing answers(ranks_);
  std::vector<std::uint64_t> last(static_cast<std::size_t>(ranks_.size()));
  for (const auto& [own, those] : subscribers_) {
    if (is_touched_[own] == 0) continue;
    for (const subscriber& one : those) {
      auto& bytes = answers.to(one.rank);
      std::uint64_t& before = last[static_cast<std::size_t>(one.rank)];
      pack_difference(bytes, one.index - before);
      pack_number(bytes, members_[own]);
      pack_number(bytes, volumes_[own]);
      before = one.index;
    }
  }
  std::fill(is_touched_.begin(), is_touched_.end(), std::uint8_t{0});
  for (const rank_message& one : answers.exchange()) {
    std::uint64_t index = 0;
    for (unpacker bytes(one.bytes); !bytes.empty();) {
      index += bytes.take_difference();
      members_[index] = static_cast<vertex_handle>(bytes.take_number());
      volumes_[index] = bytes.take_number();
    }
  }
}

std::uint64_t community_labels::count_remote() {
  ++counts_;
  seen_at_.resize(foreign_.size());
  for (const vertex_handle label : labels_)
    if (label >= own_) seen_at_[label - own_] = counts_;
  return static_cast<std::uint64_t>(std::count_if(seen_at_.begin(), seen_at_.end(),
                                                  [this](std::uint32_t at) { return at + 1 >= counts_; }));
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
