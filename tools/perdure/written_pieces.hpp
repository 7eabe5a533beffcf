// Threads make consecutive pieces of what is written.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <perdure/workload/parallel.hpp>
#include <vector>

namespace perdure::cli {

/// Calls `make(first, last, piece)` for pieces of `at_once` of the units, on several threads, then
/// `write(piece)` for each in its order, and again until all units are done. `done` counts units that were
/// written. A `Piece` is used again, with what `write` left in it.
template <class Piece, class Make, class Write>
void write_in_pieces(unsigned threads, std::uint64_t units, std::uint64_t at_once,
                     std::atomic<std::uint64_t>& done, const Make& make, const Write& write) {
  std::vector<Piece> pieces(threads);
  for (std::uint64_t begin = 0; begin < units; begin = std::min(begin + threads * at_once, units)) {
    workload::run_threads(threads, [&](unsigned thread) {
      const std::uint64_t first = std::min(begin + thread * at_once, units);
      make(first, std::min(first + at_once, units), pieces[thread]);
    });
    for (Piece& one : pieces) write(one);
    done += std::min(threads * at_once, units - begin);
  }
}

}  // namespace perdure::cli
