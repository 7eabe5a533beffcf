// What a store must hold after `perdure graph ingest` was stopped. All throw std::runtime_error saying what
// is wrong with it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "crash/kill_loop/graph_content.hpp"
#include "crash/kill_loop/ingestion.hpp"

namespace perdure::crash {

/// A checkpoint and what it holds; no graph where the store, or the graph in it, was not yet made.
struct knowledge {
  std::uint64_t epoch = 0;
  std::optional<graph_content> graph;
  bool operator==(const knowledge&) const = default;
};

/// What the store holds, seen by `perdure graph info` and counted edge by edge. Where nothing was promised
/// there need be no graph.
knowledge observe(const std::filesystem::path& store, bool something_was_promised);

/// That `found` is what an ingestion may leave that ended so, in a store that held `before`.
void require_plausible(const knowledge& found, const knowledge& before, const ingestion::ending& ending,
                       const ingestion_plan& plan);

/// That opened for writing it holds the same, and its heap is sound.
void open_for_writing(const std::filesystem::path& store, const knowledge& found);

/// That `perdure verify` says so.
void require_whole(const std::filesystem::path& store, const char* when);

}  // namespace perdure::crash
