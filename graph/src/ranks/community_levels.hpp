// Communities within communities, each in one piece.
#pragma once

#include <perdure/graph/detail/community_graph.hpp>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <perdure/graph/vertex.hpp>
#include <vector>

#include "ranks/community_labels.hpp"

namespace perdure::graph::detail {

/// Collective. Returns for each own vertex the smallest vertex of its connected part of its community.
std::vector<vertex_id> connected_parts(const community_graph& graph, const community_labels& communities,
                                       rank_exchange& ranks);
/// Collective. The same, of vertices that also have the same of these values, which are by own vertex.
std::vector<vertex_id> connected_parts(const community_graph& graph, const community_labels& communities,
                                       const std::vector<vertex_id>& values, rank_exchange& ranks);

/// Collective. Returns for each level, from the finest one to `labels`, the smallest vertex of the community
/// of each own vertex. A community of a level is the connected part of what a vertex of one of the graphs
/// behind the first one has in common with a community of `labels`. So each is within one of the next level.
/// Levels that are the same as the next one are left out. `parts` has for the vertices of each graph the
/// number of the vertex of the next one that they are part of.
std::vector<std::vector<vertex_id>> nested_levels(const std::vector<community_graph>& graphs,
                                                  const std::vector<std::vector<vertex_id>>& parts,
                                                  const std::vector<vertex_id>& labels, rank_exchange& ranks);

}  // namespace perdure::graph::detail
