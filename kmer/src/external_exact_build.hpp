// Makes the layer of an exact index within a budget of memory, by sorted runs, in steps that a killed build
// goes on from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <perdure/kmer/build_exact.hpp>
#include <perdure/manager.hpp>
#include <span>
#include <vector>

#include "external_sort.hpp"
#include "kmer_collector.hpp"
#include "stored_exact_build.hpp"

namespace perdure::kmer::detail {

class external_exact_build final : public kmer_collector {
 public:
  /// Calls `checkpoint` where a build can go on from, as `external_build` does. `build` is in `store`.
  external_exact_build(manager& store, stored_exact_build& build, const taxonomy_view& taxonomy,
                       const exact_options& options, std::function<void()> checkpoint);

  /// Goes on until the layer of `build` is filled. Returns the counts of the genomes and of the layer.
  exact_result run(const std::vector<std::filesystem::path>& genomes, const sequence_taxa& taxa);

  std::size_t add_sequence(const sequence& one, std::optional<taxon_node> node) override;
  void add(std::span<const kmer_count> some) override;
  void end_batch(const scan_position& reached) override;

 private:
  void collect(const std::vector<std::filesystem::path>& genomes, const sequence_taxa& taxa);
  void merge();
  void fill();
  std::vector<std::uint32_t> number_all();
  void fill_pages(const std::vector<std::uint32_t>& numbers);
  void store_all_sequences();
  void report(std::uint64_t done, std::uint64_t total) const;

  manager& store_;
  stored_exact_build& build_;
  taxonomy_view taxonomy_;
  const exact_options& options_;
  checkpoint_pace pace_;
  sort_memory memory_;
  external_sort<kmer_count> sort_;
  const build_result* counts_ = nullptr;
};

}  // namespace perdure::kmer::detail
