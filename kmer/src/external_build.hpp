// Makes the layer of an index within a budget of memory, by sorted runs, in steps that a killed build goes on
// from.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <perdure/kmer/build_index.hpp>
#include <perdure/kmer/minimizer_hash.hpp>
#include <perdure/manager.hpp>
#include <span>
#include <string_view>
#include <vector>

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

  void add(std::span<const minimizer_run> runs, taxon_node node) override;
  void add_name(std::string_view name) override;
  void end_batch(const scan_position& reached) override;

 private:
  using buffer = std::vector<packed_minimizer>;

  void collect(const std::vector<std::filesystem::path>& genomes, const sequence_taxa& taxa);
  void empty_buffers();
  void compact(buffer& full) const;
  void put_away(buffer& full);
  void merge();
  std::vector<std::uint64_t> next_cuts(const std::vector<std::uint64_t>& sizes) const;
  void gather(buffer& piece, std::uint64_t first_range, std::uint64_t last_range) const;
  void append_merged(const std::vector<buffer>& pieces);
  void fill();
  bool fill_pages();
  bool is_checkpoint_due() const;
  void checkpoint();
  void report(std::uint64_t done, std::uint64_t total, std::string_view unit) const;

  manager& store_;
  stored_build& build_;
  taxonomy_view taxonomy_;
  const build_options& options_;
  std::function<void()> make_checkpoint_;
  std::chrono::steady_clock::time_point last_checkpoint_ = std::chrono::steady_clock::now();
  minimizer_hash hash_;
  std::uint64_t memory_;  // bytes for minimizers and pages
  unsigned threads_;
  std::size_t capacity_;  // minimizers of a buffer
  std::mutex mutex_;      // of all below, and of the runs
  std::vector<buffer> buffers_;
  std::vector<std::size_t> idle_;  // numbers of buffers that no thread fills
  std::uint64_t in_runs_ = 0;      // minimizers put away since the last checkpoint
  const build_result* counts_ = nullptr;
};

}  // namespace perdure::kmer::detail
