// Stores as a killed process leaves them, at the places that matter, and what they must hold.
#pragma once

#include <filesystem>
#include <perdure/checkpoint_log.hpp>
#include <vector>

#include "crash/store_files.hpp"
#include "crash/workload.hpp"

namespace perdure::crash {

/// How far the process came with its last checkpoint.
enum class stop {
  closed,         ///< the store was closed
  committed,      ///< the journal is durable, and of its pages only fresh ones are home
  pages_home,     ///< all pages are home, the checksum table is not
  table_home,     ///< so is the table; the super block has not heard of it
  written_early,  ///< it was applied; pages of the next were written home, which never came
};
const char* name_of(stop at);

struct stopped_store {
  stop at = stop::closed;
  store_files files;
  attempt last;    ///< what was committed last
  attempt before;  ///< and the checkpoint before
  std::vector<checkpoint_record> history;
};

/// Runs a program of some checkpoints, one of them labelled, with pages written, overwritten, zeroed and
/// released in two home files; `grows` adds a third in the last checkpoint; else the last two change
/// most pages. Either way the last one's page checksums go to the table at once. Stores of different seeds
/// have the same shape and different pages.
stopped_store run_and_stop(const std::filesystem::path& scratch, std::uint64_t seed, stop at, bool grows);

/// The next change of such a program; returns the pages released.
std::vector<detail::page_run> change(std::uint64_t seed, std::uint64_t epoch, content& what,
                                     detail::segment* memory);

}  // namespace perdure::crash
