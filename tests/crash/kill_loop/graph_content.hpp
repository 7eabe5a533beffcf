// Which edges a stored graph holds, told by a number and a digest that no order of theirs changes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <perdure/graph/rmat.hpp>
#include <perdure/manager.hpp>

namespace perdure::crash {

struct graph_content {
  std::uint64_t edges = 0;
  std::uint64_t digest = 0;
  bool operator==(const graph_content&) const = default;
};

/// Counts the edges one by one; nothing where the store holds no graph.
std::optional<graph_content> content_of(const manager& store);

/// `base` and the first `edges` of a generator. `perdure graph ingest` adds whole batches in the generator's
/// order, so that is what each of its checkpoints holds, whatever its threads did.
graph_content with_first_edges(graph_content base, const graph::rmat_parameters& parameters,
                               std::uint64_t edges);

}  // namespace perdure::crash
