// The workload in a process that is killed: what it had not synced is then in the kernel's memory, where the
// next process finds it.
#pragma once

#include <filesystem>

#include "crash/block/disk_run.hpp"
#include "crash/block/real_disk.hpp"

namespace perdure::crash {

/// Calls on files that change something, and those of them that make it durable.
struct call_counts {
  std::uint64_t all = 0;
  std::uint64_t syncs = 0;
};

/// Where a process dies: before a call with that number, counting from 0. What it loses is what it did since
/// the last sync, so the moments before syncs are a kind of their own.
struct time_of_death {
  static constexpr std::uint64_t never = ~std::uint64_t{0};
  std::uint64_t before_call = never;
  std::uint64_t before_sync = never;
};

/// Runs it in a process of its own and writes down in `run` what it attempted and was promised. Throws
/// std::runtime_error when it failed by itself.
call_counts run_and_kill(const std::filesystem::path& store, std::uint64_t seed, std::size_t steps,
                         const real_disk& disk, time_of_death when, disk_run& run);

}  // namespace perdure::crash
