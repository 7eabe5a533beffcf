// Mending a store's files.
#pragma once

#include <cstdint>
#include <perdure/verify.hpp>
#include <string>
#include <vector>

namespace perdure {

struct repair_options {
  /// Take damaged pages (and, where a home file is cut short, zeros) for the right ones: their checksums
  /// are made anew. What they held is lost; use it to save what else is in the store.
  bool accept_damage = false;
  unsigned threads = 0;  ///< of the verification; as in `verify_options`
};

struct repair_report {
  std::vector<std::string> done;  ///< what was mended, one sentence each
  verify_report before;
  verify_report after;  ///< what is left

  bool whole() const noexcept { return after.whole(); }
};

}  // namespace perdure
