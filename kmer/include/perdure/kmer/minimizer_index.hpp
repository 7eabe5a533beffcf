// An index of genomes in a store: the lowest common ancestor of the taxa that have a minimizer.
//
//     const perdure::manager store(perdure::open_read_only, "genomes.store");
//     const kmer::minimizer_index index(store);
//     index.id_of(index.find(minimizer));
//
// `build_index.hpp` makes one.
#pragma once

#include <cstdint>
#include <perdure/container/vector.hpp>
#include <perdure/kmer/minimizer.hpp>
#include <perdure/kmer/minimizer_table.hpp>
#include <perdure/kmer/taxonomy.hpp>
#include <perdure/manager.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::kmer {

/// Name of the index where the caller gives none.
inline constexpr const char* default_index_name = "kmers";

inline constexpr const char* taxonomy_suffix = ".taxonomy";  ///< a `stored_taxonomy`
inline constexpr const char* layer_suffix = ".layer.0";      ///< a `stored_layer`

/// The object that has the index's name. The other objects of the index have the same name and a suffix.
struct stored_index {
  std::uint32_t format = 0;  ///< version of the hash, the table and the other objects; 1
  std::uint32_t k = 0;
  std::uint32_t l = 0;
  std::uint32_t spaces = 0;
  std::uint32_t layers = 0;  ///< number of layers; 1
};

/// Genomes that were indexed together.
struct stored_layer {
  std::uint32_t key_bits = 0;    ///< bits of a cell that are not the number of a taxon
  std::uint64_t minimizers = 0;  ///< number of distinct minimizers
  std::uint64_t sequences = 0;
  std::uint64_t bases = 0;
  /// Nodes of the taxonomy that cells have the numbers of, in their order: taxa of the genomes and all above
  /// them. The first has the number 1.
  perdure::vector<taxon_node> nodes;
  perdure::vector<table_page> table;
};

/// An index in a store. The store must outlive it.
///
/// Thread safety: const members from any thread.
class minimizer_index {
 public:
  /// Finds the index called `name`. Throws `not_found`, `wrong_type`, and `too_new` for another
  /// format. O(taxa of the genomes).
  explicit minimizer_index(const manager& store, const std::string& name = default_index_name);

  const std::string& name() const noexcept { return name_; }
  const minimizer_scheme& scheme() const noexcept { return scheme_; }
  const stored_layer& layer() const noexcept { return *layer_; }
  /// Returns the table, which has for each minimizer the number of a taxon, or 0.
  const table_view& table() const noexcept { return table_; }
  taxonomy_view taxonomy() const noexcept { return taxonomy_; }

  /// Number of taxa that cells may have the number of, from 1; ancestors have smaller numbers.
  std::uint32_t taxa() const noexcept { return static_cast<std::uint32_t>(parents_.size() - 1); }
  taxon_node node_of(std::uint32_t taxon) const noexcept { return layer_->nodes[taxon - 1]; }
  /// Returns the id of a taxon; 0 for 0.
  taxon_id id_of(std::uint32_t taxon) const noexcept {
    return taxon == 0 ? 0 : taxonomy_.ids[node_of(taxon)];
  }
  /// Numbers of the taxa's parents; of the root and of 0 it is 0.
  std::span<const std::uint32_t> parents() const noexcept { return parents_; }

  /// Returns the number of the taxon of a minimizer, or 0.
  std::uint32_t find(std::uint64_t minimizer) const noexcept {
    return table_.find(table_.place_of(hash_of_minimizer(minimizer)));
  }

  /// Returns how many minimizers each taxon has, by its number. Reads the whole table.
  std::vector<std::uint64_t> minimizers_of_taxa() const;

 private:
  std::string name_;
  minimizer_scheme scheme_;
  const stored_layer* layer_;
  taxonomy_view taxonomy_;
  table_view table_;
  std::vector<std::uint32_t> parents_;
};

}  // namespace perdure::kmer
