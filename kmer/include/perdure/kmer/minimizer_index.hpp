// An index of genomes in a store: the lowest common ancestor of the taxa that have a minimizer.
//
//     const perdure::manager store(perdure::open_read_only, "genomes.store");
//     const kmer::minimizer_index index(store);
//     index.id_of(index.find(minimizer));
//
// `build_index.hpp` makes one, and `grow_index.hpp` adds genomes. Genomes that were added later are in layers
// of their own. What an index says of a minimizer is the lowest common ancestor of what its layers say.
#pragma once

#include <cstdint>
#include <perdure/container/vector.hpp>
#include <perdure/kmer/minimizer.hpp>
#include <perdure/kmer/minimizer_hash.hpp>
#include <perdure/kmer/minimizer_table.hpp>
#include <perdure/kmer/taxonomy.hpp>
#include <perdure/manager.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perdure::kmer {

/// Name of the index where the caller gives none.
inline constexpr const char* default_index_name = "kmers";

inline constexpr const char* taxonomy_suffix = ".taxonomy";  ///< a `stored_taxonomy`
inline constexpr const char* layer_suffix = ".layer.";       ///< a `stored_layer`, whose number is behind it

/// The object that has the index's name. The other objects of the index have the same name and a suffix.
struct stored_index {
  std::uint32_t format = 0;  ///< version of the hash, the table and the other objects; 2
  std::uint32_t k = 0;       ///< bases of a k-mer
  std::uint32_t l = 0;       ///< bases of a minimizer
  std::uint32_t spaces = 0;  ///< bases of a minimizer that are left out
  std::uint32_t layers = 0;  ///< number of layers, from 1; each is smaller than the one before
};

/// A minimizer's hash, and a node of the taxonomy.
struct minimizer_taxon {
  std::uint64_t hash = 0;  ///< hash of the minimizer
  taxon_node node = 0;     ///< node of the taxon
};

/// Genomes that were indexed together.
struct stored_layer {
  std::uint32_t key_bits = 0;    ///< bits of a cell that are not the number of a taxon
  std::uint64_t minimizers = 0;  ///< number of distinct minimizers
  std::uint64_t sequences = 0;   ///< number of sequences
  std::uint64_t bases = 0;       ///< number of their bases
  /// Nodes of the taxonomy that cells have the numbers of, in their order: taxa of the genomes and all above
  /// them. The first has the number 1.
  perdure::vector<taxon_node> nodes;
  perdure::vector<table_page> table;  ///< pages of the hash table
  /// Rest of each cell: the part of its minimizer's hash that it lacks, in a few bytes. When layers are
  /// merged, the minimizers are found again from it. Look-ups do not read it.
  perdure::vector<std::uint8_t> rests;
  /// Minimizers that cells and rests cannot say, by rising hash. Few.
  perdure::vector<minimizer_taxon> odd;

  /// Returns the size of the table, the rests and the odd minimizers in bytes.
  std::uint64_t bytes() const noexcept {
    return table.size() * sizeof(table_page) + rests.size() + odd.size() * sizeof(minimizer_taxon);
  }
};

/// The table of a layer, for look-ups.
class layer_view {
 public:
  /// `numbers` has the number in the index for each number in the layer, from 1; empty where they are the
  /// same.
  layer_view(const stored_layer& layer, std::vector<std::uint32_t> numbers)
      : table_({layer.table.data(), layer.table.size()}, layer.key_bits), numbers_(std::move(numbers)) {}

  /// Returns the table.
  const table_view& table() const noexcept { return table_; }
  /// Returns the number that the index has for a taxon at a place of the table, or 0.
  std::uint32_t find(const table_place& place) const noexcept {
    const std::uint32_t found = table_.find(place);
    return numbers_.empty() ? found : numbers_[found];
  }
  /// Returns the number that the index has for a number of the layer.
  std::uint32_t number_of(std::uint32_t in_layer) const noexcept {
    return numbers_.empty() ? in_layer : numbers_[in_layer];
  }

 private:
  table_view table_;
  std::vector<std::uint32_t> numbers_;
};

/// An index in a store. The store must outlive it.
///
/// Thread safety: const members from any thread.
class minimizer_index {
 public:
  /// Finds the index called `name`. Throws `not_found`, `wrong_type`, and `too_new` for another
  /// format. O(taxa of the genomes).
  explicit minimizer_index(const manager& store, const std::string& name = default_index_name);

  /// Returns the name of the index.
  const std::string& name() const noexcept { return name_; }
  /// Returns the store that the index is in.
  datastore& store() const noexcept { return *store_; }
  /// Returns the parameters of the minimizers.
  const minimizer_scheme& scheme() const noexcept { return scheme_; }
  /// Returns the hash that tables are ordered by.
  const minimizer_hash& hash() const noexcept { return hash_; }
  /// Returns the layers as they are stored, the oldest first.
  std::span<const stored_layer* const> stored_layers() const noexcept { return stored_layers_; }
  /// Returns the layers for look-ups, the oldest first. `both` combines their answers.
  std::span<const layer_view> layers() const noexcept { return layers_; }
  /// Returns the index's copy of the taxonomy.
  taxonomy_view taxonomy() const noexcept { return taxonomy_; }

  /// Returns the number of taxa that cells may name. They are numbered from 1, ancestors first.
  std::uint32_t taxa() const noexcept { return static_cast<std::uint32_t>(parents_.size() - 1); }
  /// Returns the node of a taxon's number, which must not be 0.
  taxon_node node_of(std::uint32_t taxon) const noexcept { return nodes_[taxon - 1]; }
  /// Returns the id of a taxon's number; 0 for 0.
  taxon_id id_of(std::uint32_t taxon) const noexcept {
    return taxon == 0 ? 0 : taxonomy_.ids[node_of(taxon)];
  }
  /// Returns the number of each taxon's parent; 0 for the root and for 0.
  std::span<const std::uint32_t> parents() const noexcept { return parents_; }

  /// Returns the number of the taxon of a minimizer, or 0.
  std::uint32_t find(std::uint64_t minimizer) const noexcept {
    const std::uint64_t hash = hash_(minimizer);
    std::uint32_t taxon = 0;
    for (const layer_view& layer : layers_) taxon = both(taxon, layer.find(layer.table().place_of(hash)));
    return taxon;
  }
  /// Returns the lowest common ancestor of two numbers, of which 0 stands for none.
  std::uint32_t both(std::uint32_t a, std::uint32_t b) const noexcept {
    if (a == 0 || b == 0) return a | b;
    return common_ancestor(parents_, a, b);
  }

  /// Returns how many minimizers each taxon has, by its number. A minimizer in several layers counts in each.
  /// Reads all tables.
  std::vector<std::uint64_t> minimizers_of_taxa() const;

 private:
  std::string name_;
  datastore* store_;
  minimizer_scheme scheme_;
  minimizer_hash hash_;
  std::vector<const stored_layer*> stored_layers_;
  std::vector<layer_view> layers_;
  taxonomy_view taxonomy_;
  std::vector<taxon_node> nodes_;
  std::vector<std::uint32_t> parents_;
};

}  // namespace perdure::kmer
