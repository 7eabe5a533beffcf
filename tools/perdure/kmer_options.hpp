// An open store and an index of k-mers in it, and options that kmer commands take.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <perdure/kmer/exact_index.hpp>
#include <perdure/kmer/minimizer_index.hpp>
#include <perdure/manager.hpp>
#include <string>

#include "command.hpp"
#include "units.hpp"

namespace perdure::cli {

/// Options of commands that read an index.
struct index_options {
  std::filesystem::path store;
  std::string name = kmer::default_index_name;
  verify_mode verify = verify_mode::journal;
  bool as_json = false;
};

/// Adds `--name`.
void add_index_name_option(command target, std::string& name);
/// Adds the store, `--name`, and the options of all commands that read stores.
void add_index_options(command target, index_options& given);

class opened_index {
 public:
  /// Opens the store within a budget of memory, if one is given.
  explicit opened_index(const index_options& given, std::uint64_t budget = 0);

  /// The index of minimizers, if it is one.
  const kmer::minimizer_index* minimizers() const noexcept { return minimizers_ ? &*minimizers_ : nullptr; }
  /// The exact index otherwise.
  const kmer::exact_index& exact() const noexcept { return *exact_; }
  kmer::taxonomy_view taxonomy() const noexcept {
    return minimizers_ ? minimizers_->taxonomy() : exact_->taxonomy();
  }
  std::uint64_t epoch() const { return store_.store().epoch(); }
  /// Time to open the store and find the index.
  double seconds() const noexcept { return seconds_; }

 private:
  stopwatch watch_;  // before the store: opening counts
  manager store_;
  std::optional<kmer::minimizer_index> minimizers_;
  std::optional<kmer::exact_index> exact_;
  double seconds_ = 0;
};

/// Adds to what is told with `--json` of a taxon: its id, rank and name.
void tell_taxon(json& findings, const kmer::taxonomy_view& taxonomy, kmer::taxon_node node);

void add_kmer_build_command(command kmer);
void add_kmer_add_command(command kmer);
void add_kmer_compact_command(command kmer);
void add_kmer_classify_command(command kmer);
void add_kmer_dump_command(command kmer);
void add_kmer_generate_command(command kmer);
void add_kmer_lookup_command(command kmer);
void add_kmer_merge_command(command kmer);
void add_kmer_remove_command(command kmer);
void add_kmer_stats_command(command kmer);

}  // namespace perdure::cli
