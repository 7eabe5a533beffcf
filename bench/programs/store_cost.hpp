// The measurements of bench_store: each takes one sample in this process and says it as one JSON object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace perdure::bench {

struct store_workload {
  std::filesystem::path directory;  // scratch; each measurement uses a name of its own inside it
  std::size_t bytes = 0;            // payload of the store
  double fraction = 0;              // of its pages dirtied between two checkpoints
  bool clustered = false;           // those pages in one piece, not scattered
  unsigned rounds = 5;              // checkpoints measured
  std::size_t objects = 0;          // named objects
};

/// Checkpoint of a heap filled since the store was created, and of the same with some dirty pages: for
/// the latter also how long the program stands still if it does not wait.
nlohmann::json fresh_checkpoint(const store_workload& work);
nlohmann::json dirty_checkpoint(const store_workload& work);
/// Opening a store whose writer was killed after a commit; reading all of a store that is in the page cache.
nlohmann::json open_after_crash(const store_workload& work);
nlohmann::json verify_speed(const store_workload& work);
/// A snapshot after another when some pages have changed since, and one when none have.
nlohmann::json snapshot_cost(const store_workload& work);
/// What they are compared with: writing as many bytes to a plain file, and `msync` of a mapped one.
nlohmann::json fresh_pwrite(const store_workload& work);
nlohmann::json dirty_msync(const store_workload& work);

/// Leaves a store of `bytes` behind; `attach` then opens it and finds an object in it.
nlohmann::json prepare_attach(const store_workload& work);
nlohmann::json attach(const store_workload& work);

/// Cost of a 2 MiB block in a store that already holds `bytes` of such blocks, none of them touched.
nlohmann::json large_blocks(const store_workload& work);

/// Leaves a store of `objects` named objects behind; `find_objects` then opens it and looks them up.
nlohmann::json prepare_objects(const store_workload& work);
nlohmann::json find_objects(const store_workload& work);
nlohmann::json prepare_objects_boost(const store_workload& work);
nlohmann::json find_objects_boost(const store_workload& work);

}  // namespace perdure::bench
