// What takes the minimizers of genomes while they are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <perdure/kmer/minimizer.hpp>
#include <perdure/kmer/taxonomy.hpp>
#include <span>
#include <string_view>

namespace perdure::kmer::detail {

/// A place between two records of files that are read one after the other.
struct scan_position {
  std::uint64_t file = 0;     ///< number of files before this one
  std::uint64_t records = 0;  ///< number of its records before the place
};

class minimizer_collector {
 public:
  minimizer_collector() = default;
  minimizer_collector(const minimizer_collector&) = delete;
  minimizer_collector& operator=(const minimizer_collector&) = delete;
  virtual ~minimizer_collector() = default;

  /// Takes minimizers of one sequence. Thread-safe.
  virtual void add(std::span<const minimizer_run> runs, taxon_node node) = 0;
  /// Takes the name of a sequence that is about to be scanned, or left out.
  virtual void add_name(std::string_view /*name*/) {}
  /// Called where all sequences before a place were added, and nothing else was.
  virtual void end_batch(const scan_position& reached) = 0;
};

}  // namespace perdure::kmer::detail
