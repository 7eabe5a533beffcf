// Progress of a long piece of work.
#pragma once

#include <cstdint>
#include <string_view>

namespace perdure::workload {

/// Progress in a unit of its own.
struct progress {
  std::uint64_t done = 0;   ///< amount that is done
  std::uint64_t total = 0;  ///< amount in all; 0: unknown (a pipe)
  std::string_view unit;    ///< "bytes", "edges" or another unit
};

}  // namespace perdure::workload
