// A tree of taxa: their numbers, ranks and names, in memory or in a store.
//
//     const kmer::taxonomy taxa = kmer::read_taxonomy("nodes.dmp", "names.dmp");
//     const kmer::taxonomy_view view = taxa.view();
//     view.name(*view.find(562));   // "Escherichia coli"
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <perdure/container/vector.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::kmer {

/// Number of a taxon, as NCBI gives them. 0 stands for no taxon.
using taxon_id = std::uint32_t;
/// Place of a taxon in a taxonomy. The root is 0, and a parent comes before its children.
using taxon_node = std::uint32_t;

/// Returns the lowest common ancestor of two nodes. O(depth).
inline taxon_node common_ancestor(std::span<const taxon_node> parents, taxon_node a, taxon_node b) noexcept {
  while (a != b) {
    if (a > b)
      a = parents[a];
    else
      b = parents[b];
  }
  return a;
}

/// The arrays of a taxonomy, wherever they lie. They must outlive it.
///
/// Thread safety: any member from any thread.
struct taxonomy_view {
  std::span<const taxon_id> ids;        ///< id of each node
  std::span<const taxon_node> parents;  ///< parent of each node; the root is its own
  std::span<const taxon_node> by_id;    ///< nodes by rising id
  std::span<const std::uint8_t> ranks;  ///< number of each node's rank in `rank_names`
  std::span<const char> rank_names;     ///< names of ranks, each with a line feed behind it
  std::span<const std::uint64_t> ends;  ///< end of each node's name in `names`
  std::span<const char> names;          ///< names of nodes, one after the other

  /// Returns the number of nodes.
  std::size_t size() const noexcept { return ids.size(); }
  /// Returns the node of a taxon, or nothing where there is none. O(log nodes).
  std::optional<taxon_node> find(taxon_id id) const noexcept;
  /// Returns the name of a node. O(1).
  std::string_view name(taxon_node node) const noexcept {
    const std::uint64_t begin = node == 0 ? 0 : ends[node - 1];
    return {names.data() + begin, ends[node] - begin};
  }
  /// Returns the name of a node's rank, as "species". O(ranks).
  std::string_view rank(taxon_node node) const noexcept;
  /// Returns the lowest common ancestor of two nodes. O(depth).
  taxon_node common_ancestor(taxon_node a, taxon_node b) const noexcept {
    return kmer::common_ancestor(parents, a, b);
  }
  /// Returns whether `above` is `below` or one of its ancestors. O(depth).
  bool is_ancestor(taxon_node above, taxon_node below) const noexcept {
    while (below > above) below = parents[below];
    return below == above;
  }
};

/// A taxonomy in memory. `taxonomy_view` describes the arrays.
struct taxonomy {
  std::vector<taxon_id> ids;        ///< id of each node
  std::vector<taxon_node> parents;  ///< parent of each node
  std::vector<taxon_node> by_id;    ///< nodes by rising id
  std::vector<std::uint8_t> ranks;  ///< rank of each node
  std::vector<char> rank_names;     ///< names of ranks
  std::vector<std::uint64_t> ends;  ///< ends of the nodes' names
  std::vector<char> names;          ///< names of nodes

  /// Returns a view of the arrays, valid until one of them changes.
  taxonomy_view view() const noexcept { return {ids, parents, by_id, ranks, rank_names, ends, names}; }
};

/// A taxonomy in a store. `taxonomy_view` describes the arrays.
struct stored_taxonomy {
  perdure::vector<taxon_id> ids;        ///< id of each node
  perdure::vector<taxon_node> parents;  ///< parent of each node
  perdure::vector<taxon_node> by_id;    ///< nodes by rising id
  perdure::vector<std::uint8_t> ranks;  ///< rank of each node
  perdure::vector<char> rank_names;     ///< names of ranks
  perdure::vector<std::uint64_t> ends;  ///< ends of the nodes' names
  perdure::vector<char> names;          ///< names of nodes

  /// Replaces the taxonomy by a copy of another one. Throws `std::bad_alloc`.
  void assign(const taxonomy_view& from);
  /// Returns a view of the arrays, valid until one of them changes.
  taxonomy_view view() const noexcept;
};

/// Reads a taxonomy from the two files of NCBI's dumps: `nodes.dmp` with taxa, parents and ranks, and
/// `names.dmp` with scientific names, plain or compressed. Other columns and names of other kinds are not
/// read, nor are names of taxa that `nodes.dmp` does not have. The root is the taxon that is its own parent.
///
/// Throws `bad_input` with file and line for a malformed line, a taxon or its scientific name more than once,
/// a parent that is missing, parents in a circle, a second root or none, and a taxon without a scientific
/// Reads a taxonomy from the two files of NCBI's dumps, plain or compressed: `nodes.dmp` with taxa, parents
/// and ranks, and `names.dmp` with scientific names. Other columns and names of other kinds are not read, nor
/// are names of taxa that `nodes.dmp` lacks. The root is the taxon that is its own parent.
///
/// Throws `bad_input` with file and line for
/// - a malformed line;
/// - a taxon, or its scientific name, that is there more than once;
/// - a taxon without a scientific name;
/// - a missing parent, parents in a circle, no root or a second one;
///
/// `unsupported` for more than 255 ranks; and what opening files throws.
taxonomy read_taxonomy(const std::filesystem::path& nodes, const std::filesystem::path& names);

}  // namespace perdure::kmer
