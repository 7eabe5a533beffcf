// Genomes drawn at random, with a taxonomy, for tests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <perdure/kmer/minimizer.hpp>
#include <perdure/kmer/minimizer_hash.hpp>
#include <perdure/kmer/taxonomy.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kmer/written_file.hpp"

namespace perdure::test {

inline std::string random_bases(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string bases(size, ' ');
  for (char& base : bases) base = "ACGT"[random() % 4];
  return bases;
}

/// A minimizer's hash, and where its first k-mer is in a sequence.
using placed_hash = std::pair<std::uint64_t, std::size_t>;

/// Returns the hashes of a sequence's minimizers with the default scheme, by rising hash.
inline std::vector<placed_hash> sorted_hashes(const std::string& bases) {
  std::vector<kmer::minimizer_run> runs;
  kmer::minimizer_scanner().scan(bases, runs);
  std::vector<placed_hash> hashes;
  std::size_t at = 0;
  for (const kmer::minimizer_run& run : runs) {
    hashes.emplace_back(kmer::minimizer_hash(kmer::minimizer_scheme{})(run.minimizer), at);
    at += run.kmers;
  }
  std::sort(hashes.begin(), hashes.end());
  return hashes;
}

/// Returns whether these are different hashes that a cell of a table of one page cannot tell apart: their
/// first 35 bits are the same.
inline bool are_alike_in_cells(const placed_hash& a, const placed_hash& b) {
  return a.first != b.first && a.first >> 29 == b.first >> 29;
}

/// Taxa 1 (root), 2 (genus), 10 and 11 (species below it), 20 (species of another genus, 3).
inline kmer::taxonomy small_taxonomy(const std::filesystem::path& folder) {
  return kmer::read_taxonomy(write_file(folder / "nodes.dmp",
                                        "1|1|no rank|\n2|1|genus|\n3|1|genus|\n10|2|species|\n11|2|species|\n"
                                        "20|3|species|\n"),
                             write_file(folder / "names.dmp",
                                        "1|root||scientific name|\n2|Alpha||scientific name|\n"
                                        "3|Beta||scientific name|\n10|Alpha one||scientific name|\n"
                                        "11|Alpha two||scientific name|\n20|Beta one||scientific name|\n"));
}

/// A sequence and its taxon.
struct small_genome {
  std::string name;
  std::string bases;
};

/// 10 and 11 share their second half; all share 200 bases in the end; one has ambiguous bases and lower case.
inline std::vector<small_genome> small_genomes() {
  const std::string shared = random_bases(2000, 1);
  const std::string everywhere = random_bases(200, 2);
  std::string third = random_bases(3000, 5) + everywhere;
  for (const std::size_t at : {0, 700, 701, 1500, 3199}) third[at] = 'N';
  for (std::size_t at = 100; at < 400; ++at) third[at] = static_cast<char>(third[at] - 'A' + 'a');
  return {{"kraken:taxid|10|a", random_bases(2000, 3) + shared + everywhere},
          {"kraken:taxid|11|b", random_bases(2000, 4) + shared + everywhere},
          {"kraken:taxid|20|c", third}};
}

inline std::string fasta_of(const std::vector<small_genome>& genomes) {
  std::string text;
  for (const small_genome& one : genomes) {
    text += ">" + one.name + "\n";
    for (std::size_t at = 0; at < one.bases.size(); at += 70) text += one.bases.substr(at, 70) + "\n";
  }
  return text;
}

}  // namespace perdure::test
