// How far a long piece of work has got.
#pragma once

#include <cstdint>
#include <string_view>

namespace perdure::workload {

/// In a unit of its own.
struct progress {
  std::uint64_t done = 0;
  std::uint64_t total = 0;  ///< 0: unknown (a pipe)
  std::string_view unit;    ///< "bytes" or "edges"
};

}  // namespace perdure::workload
