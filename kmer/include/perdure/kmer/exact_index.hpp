// An exact index of genomes in a store: all canonical k-mers, the taxa that have each, and how often.
//
//     const perdure::manager store(perdure::open_read_only, "genomes.store");
//     const kmer::exact_index index(store);
//     std::vector<kmer::taxon_count> room;
//     for (const auto& [node, count] : index.find(kmer, room)) …
//
// `build_exact.hpp` makes one, and `grow_exact.hpp` adds genomes and takes them out. Genomes that were added
// later are in layers of their own. What an index has for a k-mer is the sum of what its layers have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <perdure/container/vector.hpp>
#include <perdure/kmer/exact_table.hpp>
#include <perdure/kmer/minimizer_hash.hpp>
#include <perdure/kmer/minimizer_index.hpp>
#include <perdure/kmer/taxonomy.hpp>
#include <perdure/manager.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::kmer {

inline constexpr const char* exact_layer_suffix = ".exact.";  ///< a `stored_exact_layer`; its number follows

/// The object that has the name of an exact index. The other objects have the same name and a suffix.
struct stored_exact_index {
  std::uint32_t format = 0;  ///< version of the hash, the table and the other objects; 1
  std::uint32_t k = 0;       ///< bases of a k-mer
  std::uint32_t prune = 0;   ///< most taxa of a k-mer; 0: any number
  std::uint32_t layers = 0;  ///< number of layers, from 1; each is smaller than the one before
};

/// Number of times that a taxon has a k-mer.
struct taxon_count {
  taxon_node node = 0;      ///< the taxon's node
  std::uint32_t count = 0;  ///< number of times

  /// Compares node and count.
  friend bool operator==(const taxon_count&, const taxon_count&) = default;
};

/// A sequence of an index.
struct stored_sequence {
  std::uint64_t name_end = 0;  ///< end of its name in the names of the layer
  std::uint64_t bases = 0;     ///< number of its bases
  std::uint64_t kmer_sum = 0;  ///< sum of the hashes of its k-mers, which tells sequences apart
  taxon_node node = 0;         ///< node of its taxon
};

/// Genomes that were indexed together.
struct stored_exact_layer {
  /// Depth of taxa whose k-mers lost no taxon by pruning.
  static constexpr std::uint32_t not_pruned = 0xffffffff;

  std::uint32_t key_bytes = 0;            ///< bytes of a key in pages
  std::uint32_t number_bytes = 0;         ///< bytes of a number in pages
  std::uint64_t kmers = 0;                ///< number of distinct canonical k-mers
  std::uint64_t occurrences = 0;          ///< number of all k-mers
  perdure::vector<exact_page> pages;      ///< pages of the table
  perdure::vector<std::uint64_t> firsts;  ///< first hash of each page; of the first page it is 0
  /// Sets of taxa, which pages have the numbers of, the most frequent first: the end of each in `taxa`.
  perdure::vector<std::uint64_t> set_ends;
  perdure::vector<taxon_count> taxa;  ///< taxa of each set by rising node
  /// For each set the depth from which on common ancestors have replaced its taxa, or `not_pruned`; empty
  /// where no set was pruned.
  perdure::vector<std::uint32_t> pruned_from;
  perdure::vector<stored_sequence> sequences;  ///< by name
  perdure::vector<char> names;                 ///< names of sequences, one after the other

  /// Returns the size of the layer in bytes.
  std::uint64_t bytes() const noexcept;
  /// Returns the taxa of a set.
  std::span<const taxon_count> set(std::uint32_t number) const noexcept {
    const std::uint64_t begin = number == 0 ? 0 : set_ends[number - 1];
    return {taxa.data() + begin, static_cast<std::size_t>(set_ends[number] - begin)};
  }
  /// Returns the name of a sequence.
  std::string_view name(std::size_t sequence) const noexcept {
    const std::uint64_t begin = sequence == 0 ? 0 : sequences[sequence - 1].name_end;
    return {names.data() + begin, static_cast<std::size_t>(sequences[sequence].name_end - begin)};
  }
};

/// Kinds of index that a store may have.
enum class index_kind : std::uint8_t {
  minimizer,  ///< a `minimizer_index`
  exact,      ///< an `exact_index`
};

/// Returns the kind of the index called `name`. Throws `not_found` where there is none.
index_kind kind_of_index(const manager& store, const std::string& name = default_index_name);
/// Returns the names of all indexes in the store, of both kinds, sorted. O(named objects log indexes).
std::vector<std::string> indexes_in(const manager& store);

/// An exact index in a store. The store must outlive it.
///
/// Thread safety: const members from any thread.
class exact_index {
 public:
  /// Finds the exact index called `name`. Throws `not_found`, `wrong_type`, and `too_new` for another format.
  /// O(layers).
  explicit exact_index(const manager& store, const std::string& name = default_index_name);

  /// Returns the name of the index.
  const std::string& name() const noexcept { return name_; }
  /// Returns the number of bases of a k-mer.
  unsigned k() const noexcept { return k_; }
  /// Returns the largest number of taxa of a k-mer; 0: any number.
  unsigned prune() const noexcept { return prune_; }
  /// Returns the hash by which tables are sorted. It is invertible.
  const minimizer_hash& hash() const noexcept { return hash_; }
  /// Returns the layers as they are stored, the oldest first.
  std::span<const stored_exact_layer* const> stored_layers() const noexcept { return stored_layers_; }
  /// Returns a table for look-ups for each layer.
  std::span<const exact_table_view> tables() const noexcept { return tables_; }
  /// Returns the index's copy of the taxonomy.
  taxonomy_view taxonomy() const noexcept { return taxonomy_; }

  /// Returns the number of taxa. Reports of reads number them by node + 1, and 0 stands for none.
  std::uint32_t taxa() const noexcept { return static_cast<std::uint32_t>(taxonomy_.size()); }
  /// Returns the node of a taxon's number, which must not be 0.
  taxon_node node_of(std::uint32_t taxon) const noexcept { return taxon - 1; }
  /// Returns the id of a taxon's number; 0 for 0.
  taxon_id id_of(std::uint32_t taxon) const noexcept {
    return taxon == 0 ? 0 : taxonomy_.ids[node_of(taxon)];
  }

  /// Returns the taxa that have a canonical k-mer, by rising node, or nothing. The result is in the store, or
  /// in `room` where several layers have the k-mer.
  std::span<const taxon_count> find(std::uint64_t kmer, std::vector<taxon_count>& room) const {
    return find_hash(hash_(kmer), room);
  }
  /// Returns the same for the k-mer that has a hash.
  std::span<const taxon_count> find_hash(std::uint64_t hash, std::vector<taxon_count>& room) const;

 private:
  std::string name_;
  unsigned k_ = 0;
  unsigned prune_ = 0;
  minimizer_hash hash_;
  std::vector<const stored_exact_layer*> stored_layers_;
  std::vector<exact_table_view> tables_;
  taxonomy_view taxonomy_;
};

}  // namespace perdure::kmer
