// Makes the layer of an index of minimizers within a budget of memory, by sorted runs, in steps that a killed
// build goes on from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <perdure/kmer/build_index.hpp>
#include <perdure/kmer/minimizer_hash.hpp>
#include <perdure/manager.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "external_sort.hpp"
#include "minimizer_collector.hpp"
#include "stored_build.hpp"

namespace perdure::kmer::detail {

class external_build final : public minimizer_collector {
 public:
  /// Calls `checkpoint` where a build can go on from: after each stage, and where the last call is as long
  /// ago as the options say. `build` is in `store`.
  external_build(manager& store, stored_build& build, const taxonomy_view& taxonomy,
                 const build_options& options, std::function<void()> checkpoint);

  /// Goes on until the layer of `build` is filled. Returns the counts of the genomes.
  build_result run(const std::vector<std::filesystem::path>& genomes, const sequence_taxa& taxa);

  std::size_t add_sequence(const sequence& one, std::optional<taxon_node> node) override;
  void add(std::span<const minimizer_run> runs, taxon_node node) override;
  void end_batch(const scan_position& reached) override;

 private:
  void collect(const std::vector<std::filesystem::path>& genomes, const sequence_taxa& taxa);
  void merge();
  void fill();
  bool fill_pages();
  void report(std::uint64_t done, std::uint64_t total, std::string_view unit) const;

  manager& store_;
  stored_build& build_;
  taxonomy_view taxonomy_;
  const build_options& options_;
  checkpoint_pace pace_;
  minimizer_hash hash_;
  sort_memory memory_;
  external_sort<packed_minimizer> sort_;
  const build_result* counts_ = nullptr;
};

}  // namespace perdure::kmer::detail
