// A program for the rig: `perdure graph ingest`, but with asynchronous checkpoints, and with snapshots of the
// store while its threads write to it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "crash/kill_loop/ingestion.hpp"

namespace perdure::crash {

/// Announces checkpoints as `perdure graph ingest` does. Snapshots stand beside the store, named by
/// `snapshot_of`, and are made of checkpoints that have been announced.
void ingest_with_snapshots(const std::filesystem::path& store, const ingestion_plan& plan);

std::string snapshot_of(std::uint64_t epoch);

/// The epochs of which the program announced that their snapshot is made.
std::vector<std::uint64_t> announced_snapshots(const std::string& output);

}  // namespace perdure::crash
