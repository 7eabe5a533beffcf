// The facts that a report of a store shows.
#pragma once

#include <cstddef>
#include <filesystem>

#include "command.hpp"

namespace perdure::cli {

struct report_wanted {
  std::filesystem::path store;
  std::size_t most_rows = 100;  ///< rows of each list
  unsigned threads = 1;         ///< threads of the verification
  bool is_verified = true;      ///< whether every byte is checked
};

/// Reads a store, or a set of stores, for its report, as of its last checkpoint, and shows on a terminal how
/// far that has got.
///
/// The object has the keys of `info --json` without `backings`, and `heap` with the keys of `info`.
/// `objects`, `anonymous`, `checkpoints`, `arrays`, `graphs`, `kmer_indexes` and `verification` have the rows
/// and keys of `ls`, `log`, `array stat`, `graph info`, `kmer stats` and `verify`. `problems` has a sentence
/// for each part that could not be read.
///
/// Of a set of stores it has the keys of `info --json` of a set, and `verification` those of `verify`. Each
/// of `parts` has the keys of `info` too, and `heap` and `objects`, their number. `arrays` and `graphs` are
/// those of all ranks.
json facts_for_report(const report_wanted& wanted);

/// Returns whether the verification has found damage. False if there was none.
bool has_damage(const json& facts);

}  // namespace perdure::cli
