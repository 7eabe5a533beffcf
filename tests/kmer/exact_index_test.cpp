// Exact indexes of genomes, against counts in a map.
#include <algorithm>
#include <cctype>
#include <map>
#include <perdure/kmer/build_exact.hpp>
#include <perdure/kmer/exact_index.hpp>
#include <perdure/kmer/grow_exact.hpp>
#include <string>
#include <utility>
#include <vector>

#include "kmer/equal_layers.hpp"
#include "kmer/small_genomes.hpp"
#include "support/errors.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"

namespace {
using namespace perdure;
using namespace perdure::test;

/// Counts by taxon of each canonical k-mer, as letters.
using counted_kmers = std::map<std::string, std::map<kmer::taxon_id, std::uint32_t>>;

std::string upper(std::string bases) {
  for (char& base : bases) {
    base = static_cast<char>(std::toupper(static_cast<unsigned char>(base)));
    if (base == 'U') base = 'T';
  }
  return bases;
}

std::string reverse_complement(const std::string& bases) {
  std::string reversed(bases.rbegin(), bases.rend());
  for (char& base : reversed) base = "TGCA"[std::string("ACGT").find(base)];
  return reversed;
}

kmer::taxon_id taxon_of(const small_genome& genome) {
  return static_cast<kmer::taxon_id>(std::stoul(genome.name.substr(genome.name.find('|') + 1)));
}

counted_kmers count(const std::vector<small_genome>& genomes, unsigned k) {
  counted_kmers found;
  for (const small_genome& one : genomes) {
    const std::string bases = upper(one.bases);
    for (std::size_t at = 0; at + k <= bases.size(); ++at) {
      const std::string here = bases.substr(at, k);
      if (here.find_first_not_of("ACGT") != std::string::npos) continue;
      ++found[std::min(here, reverse_complement(here))][taxon_of(one)];
    }
  }
  return found;
}

/// The small genomes, one with U, and some more that share bases with them and have repeats.
std::vector<small_genome> all_genomes() {
  std::vector<small_genome> all = small_genomes();
  const std::string shared = all.front().bases.substr(500, 900);
  all.push_back({"kraken:taxid|11|repeats", shared + shared + reverse_complement(shared)});
  all.push_back({"kraken:taxid|20|more", random_bases(700, 21) + shared});
  std::string rna = random_bases(300, 22);
  std::replace(rna.begin(), rna.end(), 'T', 'u');
  all.push_back({"kraken:taxid|10|rna", rna + shared.substr(0, 100)});
  return all;
}

class ExactIndex : public scratch_test {
 protected:
  std::filesystem::path file_of(const std::vector<small_genome>& genomes) const {
    return write_file(path("genomes.fa"), fasta_of(genomes));
  }
  kmer::exact_result build(const std::string& name, const std::vector<small_genome>& genomes,
                           const kmer::exact_options& how = {}) const {
    manager store(open_or_create, path(name), small_store());
    const auto made =
        kmer::build_exact_index(store, {file_of(genomes)}, small_taxonomy(path(".")).view(), {}, how);
    store.close();
    return made;
  }
  kmer::exact_result add(const std::string& name, const std::vector<small_genome>& genomes,
                         std::uint64_t merge_below = 0) const {
    manager store(open_only, path(name));
    const auto made =
        kmer::add_exact_genomes(store, {file_of(genomes)}, {}, {.threads = 2, .merge_below = merge_below});
    store.close();
    return made;
  }
  kmer::exact_result remove(const std::string& name, const std::vector<small_genome>& genomes) const {
    manager store(open_only, path(name));
    const auto made = kmer::remove_exact_genomes(store, {file_of(genomes)}, {}, {.threads = 2});
    store.close();
    return made;
  }
  kmer::exact_result compact(const std::string& name) const {
    manager store(open_only, path(name));
    const auto made = kmer::compact_exact_index(store, kmer::default_index_name, 2);
    store.close();
    return made;
  }
  /// Returns what an index has: by its tables, and the same by look-ups.
  counted_kmers content(const std::string& name) const {
    const manager store(open_read_only, path(name));
    const kmer::exact_index index(store);
    counted_kmers found;
    for (const kmer::exact_table_view& table : index.tables())
      table.for_each(0, table.pages(), [&](std::uint64_t hash, std::uint32_t) {
        std::vector<kmer::taxon_count> room;
        auto& here = found[kmer::letters_of_kmer(index.hash().minimizer_of(hash), index.k())];
        here.clear();
        for (const auto& [node, number] : index.find_hash(hash, room))
          here[index.taxonomy().ids[node]] = number;
      });
    return found;
  }
  testing::AssertionResult are_equal(const std::string& a, const std::string& b) const {
    return have_equal_layers(path(a), path(b));
  }
};

TEST_F(ExactIndex, HasEachKmerWithItsTaxaAndCounts) {
  for (const unsigned k : {18U, 19U, 24U, 31U})
    for (const unsigned threads : {1U, 3U}) {
      SCOPED_TRACE(std::to_string(k) + ", " + std::to_string(threads) + " threads");
      const std::string name = std::to_string(k) + "." + std::to_string(threads);
      const kmer::exact_result made = build(name, all_genomes(), {.k = k, .threads = threads});
      const counted_kmers expected = count(all_genomes(), k);
      EXPECT_EQ(content(name), expected);
      EXPECT_EQ(made.kmers, expected.size());
      EXPECT_EQ(made.sequences, all_genomes().size());
      std::uint64_t occurrences = 0;
      for (const auto& [letters, taxa] : expected)
        for (const auto& [taxon, number] : taxa) occurrences += number;
      EXPECT_EQ(made.occurrences, occurrences);
    }
}

TEST_F(ExactIndex, FindsNothingElse) {
  build("store", all_genomes(), {.k = 21});
  const manager store(open_read_only, path("store"));
  const kmer::exact_index index(store);
  const counted_kmers there = count(all_genomes(), 21);
  std::vector<kmer::taxon_count> room;
  kmer::for_each_canonical_kmer(random_bases(20'000, 77), 21, [&](std::size_t, std::uint64_t one) {
    EXPECT_EQ(index.find(one, room).empty(), !there.contains(kmer::letters_of_kmer(one, 21)));
  });
}

TEST_F(ExactIndex, GrownInAnyOrderIsThatOfOneBuild) {
  const std::vector<small_genome> all = all_genomes();
  build("one", all);
  const counted_kmers expected = count(all, 31);
  const std::vector<std::vector<std::vector<std::size_t>>> ways{
      {{0, 1, 2}, {3, 4, 5}}, {{5}, {4}, {3}, {2}, {1}, {0}}, {{0}, {5, 2}, {1, 4}, {3}}};
  for (std::size_t way = 0; way < ways.size(); ++way) {
    SCOPED_TRACE(way);
    const std::string name = "way" + std::to_string(way);
    for (const std::vector<std::size_t>& group : ways[way]) {
      std::vector<small_genome> some;
      for (const std::size_t number : group) some.push_back(all[number]);
      if (&group == &ways[way].front())
        build(name, some);
      else
        add(name, some);
    }
    EXPECT_EQ(content(name), expected);
    compact(name);
    EXPECT_EQ(content(name), expected);
    EXPECT_TRUE(are_equal(name, "one"));
  }
}

TEST_F(ExactIndex, LosesGenomesAsIfTheyHadNeverBeenThere) {
  const std::vector<small_genome> all = all_genomes();
  build("without", {all[0], all[2], all[4]});
  build("store", {all[0], all[1], all[2]});
  add("store", {all[3], all[4], all[5]});
  EXPECT_EQ(remove("store", {all[3], all[1]}).sequences, 2U);
  EXPECT_EQ(remove("store", {all[5]}).layers, 1U);
  EXPECT_EQ(content("store"), count({all[0], all[2], all[4]}, 31));
  EXPECT_TRUE(are_equal("store", "without"));
  EXPECT_TRUE(
      fails_with(errc::bad_input, "has no sequence kraken:taxid|10|rna", [&] { remove("store", {all[5]}); }));
  small_genome other = all[0];
  other.bases[50] = other.bases[50] == 'A' ? 'C' : 'A';
  EXPECT_TRUE(
      fails_with(errc::bad_input, "with another taxon or other bases", [&] { remove("store", {other}); }));
  EXPECT_TRUE(fails_with(errc::bad_input, "no k-mers left", [&] {
    remove("store", {all[0], all[2], all[4]});
  }));
  EXPECT_TRUE(are_equal("store", "without"));
}

TEST_F(ExactIndex, TakesTheGenomesOfAnotherIndex) {
  const std::vector<small_genome> all = all_genomes();
  build("one", all);
  build("store", {all[0], all[1], all[2]});
  build("other", {all[3]});
  add("other", {all[4], all[5]});
  manager store(open_only, path("store"));
  const manager other(open_read_only, path("other"));
  kmer::merge_exact_index(store, kmer::exact_index(other));
  EXPECT_TRUE(fails_with(errc::bad_input, "is in the k-mer index \"kmers\" already",
                         [&] { kmer::merge_exact_index(store, kmer::exact_index(other)); }));
  store.close();
  compact("store");
  EXPECT_TRUE(are_equal("store", "one"));
}

// Taxa 10 and 11 are below 2, 20 is below 3: of two taxa at most 2 and 20, of one at most the root are left.
TEST_F(ExactIndex, PrunedHasCommonAncestors) {
  const std::vector<small_genome> all = all_genomes();
  for (const unsigned most : {1U, 2U}) {
    const std::string name = "pruned" + std::to_string(most);
    build(name, all, {.prune = most});
    counted_kmers expected = count(all, 31);
    bool was_pruned = false;
    for (auto& [letters, taxa] : expected) {
      const auto join = [&taxa](std::vector<kmer::taxon_id> some, kmer::taxon_id ancestor) {
        std::uint32_t sum = 0;
        for (const kmer::taxon_id one : some) sum += taxa.contains(one) ? taxa.extract(one).mapped() : 0;
        if (sum != 0) taxa[ancestor] += sum;
      };
      if (taxa.size() <= most) continue;
      was_pruned = true;
      if (taxa.contains(10) && taxa.contains(11)) join({10, 11}, 2);
      if (taxa.size() > most) join({2, 10, 11, 20}, 1);
    }
    EXPECT_TRUE(was_pruned);
    EXPECT_EQ(content(name), expected);
    const std::string grown = "grown" + std::to_string(most);
    build(grown, {all[0]}, {.prune = most});
    for (std::size_t i = 1; i < all.size(); ++i) add(grown, {all[i]});
    EXPECT_EQ(content(grown), expected);
    compact(grown);
    EXPECT_TRUE(are_equal(grown, name));
    EXPECT_TRUE(fails_with(errc::unsupported, "--prune", [&] { remove(grown, {all[0]}); }));
  }
}

TEST_F(ExactIndex, RefusesWhatMakesNone) {
  EXPECT_TRUE(fails_with(errc::invalid_argument, "18 to 31 bases",
                         [&] { build("store", all_genomes(), {.k = 17}); }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "18 to 31 bases",
                         [&] { build("store", all_genomes(), {.k = 32}); }));
  EXPECT_TRUE(fails_with(errc::bad_input, "nothing to index", [&] {
    build("store", {{"kraken:taxid|10|short", random_bases(30, 1)}});
  }));
  EXPECT_TRUE(fails_with(errc::bad_input, "nothing to index", [&] { build("store", {}); }));
  EXPECT_TRUE(fails_with(errc::bad_input, "was there before", [&] {
    build("store", {all_genomes()[0], all_genomes()[0]});
  }));
  build("store", {all_genomes()[0]});
  EXPECT_TRUE(fails_with(errc::already_exists, "has a k-mer index named \"kmers\" already",
                         [&] { build("store", all_genomes()); }));
  EXPECT_TRUE(fails_with(errc::bad_input, "is in the k-mer index \"kmers\" already",
                         [&] { add("store", {all_genomes()[0]}); }));
  manager store(open_only, path("store"));
  EXPECT_TRUE(fails_with(errc::not_found, "no k-mer index named \"other\"",
                         [&] { kmer::exact_index(store, "other"); }));
  EXPECT_EQ(kmer::kind_of_index(store), kmer::index_kind::exact);
  kmer::build_index(store, {file_of(all_genomes())}, small_taxonomy(path(".")).view(), {},
                    {.index = "minimizers"});
  EXPECT_EQ(kmer::kind_of_index(store, "minimizers"), kmer::index_kind::minimizer);
  EXPECT_TRUE(fails_with(errc::wrong_type, "is one of minimizers, not an exact one",
                         [&] { kmer::exact_index(store, "minimizers"); }));
}

}  // namespace
