// Cuts the power while programs work on a store, again and again, and holds the store to every checkpoint
// announced.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

#include "crash/kill_loop/ingested_store.hpp"
#include "crash/kill_loop/ingestion.hpp"
#include "crash/unsynced/unsynced_disk.hpp"
#include "support/random_stream.hpp"

namespace perdure::crash {

struct power_counts {
  std::uint64_t cuts = 0;          ///< in ingestions
  std::uint64_t after_kill = 0;    ///< of those in a program that found what a killed one had not synced
  std::uint64_t completed = 0;     ///< of those after a program that ended before
  std::uint64_t in_snapshots = 0;  ///< cuts while a snapshot was made of a store at rest
  std::uint64_t snapshotting = 0;  ///< cuts in ingestions that make snapshots
  std::uint64_t states = 0;        ///< looked at
  std::uint64_t losable = 0;       ///< of those after cuts with something not synced
  std::uint64_t unsynced = 0;      ///< calls not synced, over all cuts
  std::uint64_t failures = 0;      ///< write-backs that failed
  std::uint64_t told = 0;          ///< programs that ended with an error for one
  std::uint64_t checkpoints = 0;   ///< announced
  std::uint64_t newer = 0;         ///< states with a checkpoint that was not yet announced
  std::uint64_t pending = 0;       ///< states with a checkpoint that was not yet home
  std::uint64_t in_creation = 0;   ///< states without the store, or without a graph in it
  std::uint64_t snapshots = 0;     ///< found in states, whole
};

struct power_settings {
  std::uint64_t seed = 1;
  unsigned scale = 14;
  unsigned threads = 2;
  std::uint64_t states = 3;          ///< looked at after each cut
  bool cuts_after_failures = false;  ///< of syncs, always; else at any moment
};

class power_loop {
 public:
  /// Works in `directory`. No thread may run, now and during `step`.
  power_loop(const std::filesystem::path& directory, const power_settings& settings);

  /// Starts a program, cuts the power, examines what may be left, and goes on with one such state. Throws
  /// std::runtime_error saying what is wrong with the state that is then in the directory; `not_possible`.
  void step();
  const power_counts& counts() const { return counts_; }
  /// How the last cut was made, for people.
  const std::string& where() const { return where_; }

 private:
  // How long a program works, to draw a moment of it.
  struct duration {
    std::uint64_t events;
    std::uint64_t syncs;
  };
  void cut_ingestion();
  void cut_snapshot();
  void choose_environment();
  disk_stop some_moment(const duration& whole);
  // In every second program.
  void let_write_back_fail(unsynced_disk& disk, const duration& whole);
  void cut_after_failed_sync(unsynced_disk& disk, std::uint64_t past_syncs);
  void require_expected_end(unsynced_disk& disk, const test::outcome& how, const char* program);
  // One way in which the cut may have left the disk.
  disk_image one_remaining(const crash_point& remains, std::uint64_t index);
  ingestion::ending ingest(unsynced_disk& disk, bool with_snapshots, bool is_power_cut);
  // What an ingestion left; `at_least` is what it must hold even if the program's last steps are lost, and
  // `before` what the program found.
  knowledge examine(const disk_image& state, const knowledge& at_least, const knowledge& before,
                    const ingestion::ending& ending);
  // That the snapshots in the state are whole and of checkpoints announced, and that none announced is
  // missing.
  void examine_snapshots(const knowledge& before, const ingestion::ending& ending);
  void require_snapshot(const std::string& name, const knowledge& of);
  void forget_snapshots();
  void place(const disk_image& state) const;

  power_settings settings_;
  std::filesystem::path mount_point_;
  std::filesystem::path state_;
  random_stream random_;
  ingestion_plan plan_;
  duration ingestion_{2000, 60};  // until it is known better
  duration snapshot_{100, 10};
  disk_image disk_;
  knowledge known_;  // what is on it
  // A program that fails before its first checkpoint removes the store it has made: half of one may be left.
  bool is_removed_ = false;
  std::string where_;
  power_counts counts_;
};

}  // namespace perdure::crash
