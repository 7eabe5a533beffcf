// Mending a store's files.
#pragma once

#include <cstdint>
#include <perdure/verify.hpp>
#include <string>
#include <vector>

namespace perdure {

/// Options for repairing a store.
struct repair_options {
  /// Whether damaged pages (and, where a home file is cut short, zeros) are taken for the right ones: their
  /// checksums are made anew. What they held is lost; use it to save what else is in the store.
  bool accept_damage = false;
  unsigned threads = 0;  ///< threads of the verification, as in `verify_options`
};

/// The outcome of a repair.
struct repair_report {
  std::vector<std::string> done;  ///< repairs that were made, one sentence each
  /// The verification before the repair.
  verify_report before;
  verify_report after;  ///< verification after the repair

  /// Returns whether nothing is damaged any more.
  bool whole() const noexcept { return after.whole(); }
};

}  // namespace perdure
