// Exact indexes compared byte for byte, for tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <perdure/kmer/exact_index.hpp>

namespace perdure::test {

inline bool have_equal_sequences(const kmer::stored_exact_layer& one, const kmer::stored_exact_layer& two) {
  return std::equal(one.sequences.begin(), one.sequences.end(), two.sequences.begin(), two.sequences.end(),
                    [](const kmer::stored_sequence& a, const kmer::stored_sequence& b) {
                      return a.name_end == b.name_end && a.bases == b.bases && a.kmer_sum == b.kmer_sum &&
                             a.node == b.node;
                    });
}

/// Returns whether the exact indexes of two stores have one layer, and the same one, byte for byte.
inline testing::AssertionResult have_equal_layers(const std::filesystem::path& a,
                                                  const std::filesystem::path& b) {
  const manager store_a(open_read_only, a);
  const manager store_b(open_read_only, b);
  const kmer::exact_index index_a(store_a);
  const kmer::exact_index index_b(store_b);
  if (index_a.tables().size() != 1 || index_b.tables().size() != 1)
    return testing::AssertionFailure()
           << index_a.tables().size() << " and " << index_b.tables().size() << " layers";
  const kmer::stored_exact_layer& one = *index_a.stored_layers().front();
  const kmer::stored_exact_layer& two = *index_b.stored_layers().front();
  if (one.pages.size() != two.pages.size() ||
      std::memcmp(one.pages.data(), two.pages.data(), one.pages.size() * sizeof(kmer::exact_page)) != 0)
    return testing::AssertionFailure() << "the pages differ";
  if (one.firsts != two.firsts || one.set_ends != two.set_ends || one.taxa != two.taxa ||
      one.pruned_from != two.pruned_from || one.names != two.names || one.kmers != two.kmers ||
      one.occurrences != two.occurrences || !have_equal_sequences(one, two))
    return testing::AssertionFailure() << "what belongs to the pages differs";
  return testing::AssertionSuccess();
}

}  // namespace perdure::test
