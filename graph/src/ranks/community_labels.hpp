// The communities of a graph's vertices, by the ranks that have the graph.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <perdure/graph/detail/community_graph.hpp>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

namespace perdure::graph::detail {

/// A vertex that gets another label.
struct changed_label {
  vertex_handle vertex;
  vertex_handle to;
};

/// Labels of a rank's vertices and ghosts, each of which names a community, and each community's volume and
/// number of members. A community's name is the number of some vertex in the whole graph, whose owner adds up
/// what the ranks say of the community, and tells those that have asked for it. Within a rank a community has
/// an index: that of the own vertex, or a larger one for those of other ranks.
class community_labels {
 public:
  /// Collective. `names` has the label of each own vertex. At most `threads` call `change` at once.
  community_labels(const community_graph& graph, rank_exchange& ranks, const std::vector<vertex_id>& names,
                   unsigned threads);

  /// The index of the label of an own vertex or a ghost.
  vertex_handle operator[](vertex_handle v) const noexcept { return labels_[v]; }
  /// The volume of a community that is the label of an own vertex or a ghost, as of the last exchange.
  std::uint64_t volume(vertex_handle index) const noexcept { return volumes_[index]; }
  vertex_handle members(vertex_handle index) const noexcept { return members_[index]; }
  vertex_id name(vertex_handle index) const noexcept {
    return index < own_ ? first_ + index : foreign_[index - own_].name;
  }
  /// Indices that there are.
  std::size_t indices() const noexcept { return volumes_.size(); }

  /// Gives an own vertex another label. Threads may do so for different vertices at once.
  void change(const changed_label& one) noexcept;
  /// Collective. Tells the other ranks of changes, and hears of theirs. Returns the ghosts with another
  /// label.
  const std::vector<vertex_handle>& exchange(const std::vector<std::vector<changed_label>>& changes);

  /// Collective. The names of the labels of own vertices.
  std::vector<vertex_id> names() const;
  /// Collective. Numbers the communities with members 0, 1, 2, … by their names. Returns by index the number
  /// of each community that is the label of an own vertex or a ghost, and sets `bounds` to the first number
  /// at each rank's communities, and the number of all.
  std::vector<std::uint64_t> numbered(std::vector<std::uint64_t>& bounds) const;
  /// Returns how many communities of other ranks are labels of own vertices or ghosts, or were at the last
  /// call.
  std::uint64_t count_remote();
  /// The sum of the squares of own communities' volumes through `all`, times 2^60, so that sums do not depend
  /// on the order of adding.
  std::uint64_t squares(double all) const noexcept;

 private:
  /// A community of another rank.
  struct foreign_community {
    vertex_id name;
    std::uint64_t more_volume = 0;  // since the last exchange, modulo 2^64
    vertex_handle more_members = 0;
  };
  struct subscriber {
    int rank;
    vertex_handle index;
  };

  vertex_handle index_of(vertex_id name);
  /// The index that a community has at the rank that owns it.
  vertex_handle index_at_owner(vertex_id name) const noexcept;
  void add(vertex_handle index, std::uint64_t volume, vertex_handle members) noexcept;
  void tell_owners(const std::vector<std::vector<changed_label>>& changes);
  void ask();
  void answer();

  const community_graph& graph_;
  rank_exchange& ranks_;
  vertex_id first_;
  std::size_t own_;
  bool has_one_thread_;
  std::vector<vertex_handle> labels_;
  std::vector<std::uint64_t> volumes_;
  std::vector<vertex_handle> members_;
  std::vector<foreign_community> foreign_;
  std::unordered_map<vertex_id, vertex_handle> indices_;  // of foreign communities
  std::size_t asked_ = 0;                                 // foreign communities that their owners know of
  std::unordered_map<vertex_handle, std::vector<subscriber>> subscribers_;  // of own communities
  std::vector<std::uint8_t> is_touched_;  // own communities that differ since the last exchange
  std::vector<vertex_handle> changed_ghosts_;
  std::vector<std::uint32_t> seen_at_;  // call of `count_remote` that has last seen each foreign community
  std::uint32_t counts_ = 1;
};

}  // namespace perdure::graph::detail
