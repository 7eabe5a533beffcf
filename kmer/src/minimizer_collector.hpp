// Interface that takes the minimizers of genomes while they are read.
#pragma once

#include <perdure/kmer/minimizer.hpp>
#include <perdure/kmer/taxonomy.hpp>
#include <span>
#include <vector>

#include "genome_collector.hpp"

namespace perdure::kmer::detail {

class minimizer_collector : public genome_collector {
 public:
  explicit minimizer_collector(const minimizer_scheme& scheme) : scheme_(scheme) {}

  void add_pieces(std::span<const sequence_piece> pieces) final {
    minimizer_scanner scanner(scheme_);
    std::vector<minimizer_run> runs;
    for (const sequence_piece& one : pieces) {
      runs.clear();
      scanner.scan(one.bases, runs);
      add(runs, one.node);
    }
  }
  /// Takes minimizers of one sequence. Thread-safe.
  virtual void add(std::span<const minimizer_run> runs, taxon_node node) = 0;

 private:
  minimizer_scheme scheme_;
};

}  // namespace perdure::kmer::detail
