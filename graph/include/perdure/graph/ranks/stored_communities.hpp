// Communities among the arrays of a store, or of a set of stores.
#pragma once

#include <cstdint>
#include <perdure/array/untyped_arrays.hpp>
#include <perdure/graph/communities.hpp>
#include <perdure/graph/ranks/labels_by_id.hpp>
#include <perdure/graph/vertex.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::graph {

/// Attribute of an array of levels: the modularity of each level.
inline constexpr std::string_view modularity_of_levels = "modularity";

/// Reads one of `parts` shares of the communities in an array of structs with the 64-bit fields `id` and
/// `community`, as `perdure graph louvain --store-as` makes it. Throws `not_found`, `wrong_type` for another
/// array, and what reading throws.
labels_by_id stored_communities(const untyped_arrays& arrays, const std::string& name, int part = 0,
                                int parts = 1);

/// Stores the communities of all levels as an array [levels, vertices] of 64-bit ids, with the modularity of
/// each level as the attribute `modularity`. In a set of stores all ranks call it, each with the labels of
/// its own vertices: number `first` and the following ones, of `vertices` in all. A label is the id of the
/// smallest vertex in the community. Throws what storing throws.
void store_levels(untyped_arrays& arrays, const std::string& name,
                  const std::vector<community_level<vertex_id>>& levels, std::uint64_t first,
                  std::uint64_t vertices);

}  // namespace perdure::graph
