// Genomes added to an index, against an index that was built of all of them.
#include <algorithm>
#include <array>
#include <cstring>
#include <perdure/kmer/classify_files.hpp>
#include <perdure/kmer/grow_index.hpp>
#include <perdure/kmer/minimizer_index.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "kmer/small_genomes.hpp"
#include "support/errors.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"

namespace {
using namespace perdure;
using namespace perdure::test;

/// The small genomes, and some of one of their taxa that are drawn at random.
std::vector<small_genome> genomes_to_add() {
  std::vector<small_genome> genomes = small_genomes();
  const std::string shared = genomes.front().bases.substr(500, 1500);
  for (std::size_t i = 0; i < 3; ++i)
    genomes.push_back({"kraken:taxid|" + std::to_string(i == 1 ? 20 : 11) + "|more" + std::to_string(i),
                       random_bases(std::array{600, 3600, 45'000}[i], 20 + i) + shared});
  genomes.push_back({"kraken:taxid|10|tiny", random_bases(150, 30)});
  return genomes;
}

class GrowIndex : public scratch_test {
 protected:
  using groups = std::vector<std::vector<std::size_t>>;

  std::filesystem::path genomes_file(const std::vector<std::size_t>& numbers) const {
    const std::vector<small_genome> all = genomes_to_add();
    std::vector<small_genome> some;
    for (const std::size_t number : numbers) some.push_back(all[number]);
    return write_file(path("genomes.fa"), fasta_of(some));
  }
  void build(const std::string& store_name, const std::vector<std::size_t>& numbers,
             const kmer::build_options& how = {}) const {
    manager store(open_or_create, path(store_name), small_store());
    kmer::build_index(store, {genomes_file(numbers)}, small_taxonomy(path(".")).view(), {}, how);
    store.close();
  }
  kmer::added_genomes add(const std::string& store_name, const std::vector<std::size_t>& numbers,
                          std::uint64_t merge_below = 0) const {
    manager store(open_only, path(store_name));
    const kmer::added_genomes added =
        kmer::add_genomes(store, {genomes_file(numbers)}, {}, {.threads = 2, .merge_below = merge_below});
    store.close();
    return added;
  }
  /// Builds an index of the first group, and adds the others one by one.
  void grow(const std::string& store_name, const groups& parts) const {
    build(store_name, parts.front());
    for (std::size_t i = 1; i < parts.size(); ++i) add(store_name, parts[i]);
  }
  kmer::growth_result compact(const std::string& store_name) const {
    manager store(open_only, path(store_name));
    const kmer::growth_result result = kmer::compact_index(store, kmer::default_index_name, 2);
    store.close();
    return result;
  }
  std::filesystem::path reads_file() const {
    std::string text;
    for (const small_genome& one : genomes_to_add())
      for (std::size_t at = 0; at + 60 <= one.bases.size(); at += 40)
        text += ">" + std::to_string(at) + "\n" + one.bases.substr(at, 60) + "\n";
    return write_file(path("reads.fa"), text);
  }
  std::string lines_with(const kmer::minimizer_index& index) const {
    kmer::read_source source({reads_file()});
    std::string lines;
    kmer::classify_files(index, source, {.on_lines = [&lines](std::string_view some) { lines += some; }});
    return lines;
  }
  std::string lines_of(const std::string& store_name) const {
    const manager store(open_read_only, path(store_name));
    return lines_with(kmer::minimizer_index(store));
  }
  /// Returns whether both indexes have one layer, and the same one.
  testing::AssertionResult are_equal(const std::string& a, const std::string& b) const {
    const manager store_a(open_read_only, path(a));
    const manager store_b(open_read_only, path(b));
    const kmer::minimizer_index index_a(store_a);
    const kmer::minimizer_index index_b(store_b);
    if (index_a.layers().size() != 1 || index_b.layers().size() != 1)
      return testing::AssertionFailure()
             << index_a.layers().size() << " and " << index_b.layers().size() << " layers";
    const kmer::stored_layer& one = *index_a.stored_layers().front();
    const kmer::stored_layer& two = *index_b.stored_layers().front();
    const auto same_odd = [](const kmer::minimizer_taxon& x, const kmer::minimizer_taxon& y) {
      return x.hash == y.hash && x.node == y.node;
    };
    if (one.table.size() != two.table.size() ||
        std::memcmp(one.table.data(), two.table.data(), one.table.size() * sizeof(kmer::table_page)) != 0)
      return testing::AssertionFailure() << "the tables differ";
    if (one.rests != two.rests || one.nodes != two.nodes || one.key_bits != two.key_bits ||
        !std::equal(one.odd.begin(), one.odd.end(), two.odd.begin(), two.odd.end(), same_odd))
      return testing::AssertionFailure() << "what belongs to the tables differs";
    if (one.minimizers != two.minimizers || one.sequences != two.sequences || one.bases != two.bases)
      return testing::AssertionFailure() << "the counts differ";
    return testing::AssertionSuccess();
  }
};

TEST_F(GrowIndex, InAnyOrderAndGroupingAnswersLikeOneBuild) {
  build("one", {0, 1, 2, 3, 4, 5});
  const std::string expected = lines_of("one");
  ASSERT_NE(expected.find("C\t"), std::string::npos);
  const std::vector<groups> ways{{{0, 1, 2}, {3, 4, 5}},
                                 {{5}, {4}, {3}, {2}, {1}, {0}},
                                 {{5, 0, 1, 2}, {3}},
                                 {{0}, {5, 2}, {1, 4}, {3}},
                                 {{3}, {0, 1, 2, 4, 5}}};
  for (std::size_t i = 0; i < ways.size(); ++i) {
    SCOPED_TRACE(i);
    const std::string name = "way" + std::to_string(i);
    grow(name, ways[i]);
    if (i == 2) add(name, {4});
    EXPECT_EQ(lines_of(name), expected);
    compact(name);
    EXPECT_EQ(lines_of(name), expected);
    EXPECT_TRUE(are_equal(name, "one"));
  }
}

TEST_F(GrowIndex, LayersAreMergedAsTheyGrow) {
  build("store", {5});  // much more than any other
  kmer::added_genomes last = add("store", {3});
  EXPECT_EQ(last.index.layers, 2U);
  EXPECT_EQ(last.index.merged, 0U);
  EXPECT_EQ(last.added.sequences, 1U);
  last = add("store", {3});
  EXPECT_EQ(last.index.layers, 2U) << "both small ones are one";
  EXPECT_EQ(last.index.merged, 1U);
  EXPECT_EQ(last.index.minimizers, last.added.minimizers) << "the genome was there";
  last = add("store", {0, 1, 2, 4});
  EXPECT_EQ(last.index.layers, 1U);
  EXPECT_EQ(last.index.merged, 2U);
  EXPECT_EQ(add("store", {3}).index.layers, 2U);
  EXPECT_EQ(add("store", {6}).index.layers, 3U);
  last = add("store", {6}, 100'000);
  EXPECT_EQ(last.index.layers, 2U) << "small layers behind the first are merged with any";
  EXPECT_EQ(last.index.merged, 2U);
  const kmer::growth_result result = compact("store");
  EXPECT_EQ(result.layers, 1U);
  EXPECT_EQ(result.merged, 2U);
  EXPECT_EQ(compact("store").merged, 0U);
}

TEST_F(GrowIndex, LayersThatLackTaxaHaveTheirCommonAncestor) {
  build("store", {5});
  const std::vector<small_genome> all = genomes_to_add();
  const std::string shared = all[5].bases.substr(1000, 200);
  write_file(path("small.fa"), ">kraken:taxid|10|new\n" + shared + "\n>kraken:taxid|20|new\n" +
                                   all[5].bases.substr(3000, 200) + random_bases(300, 9) + "\n");
  {
    manager store(open_only, path("store"));
    EXPECT_EQ(kmer::add_genomes(store, {path("small.fa")}, {}, {.merge_below = 0}).index.layers, 2U);
    store.close();
  }
  const manager store(open_read_only, path("store"));
  const kmer::minimizer_index index(store);
  const auto taxon_of = [&index](const std::string& bases) {
    std::vector<kmer::minimizer_run> runs;
    kmer::minimizer_scanner().scan(bases, runs);
    return index.id_of(index.find(runs.front().minimizer));
  };
  EXPECT_EQ(taxon_of(all[5].bases.substr(0, 100)), 11U);
  EXPECT_EQ(taxon_of(shared), 2U);
  EXPECT_EQ(taxon_of(all[5].bases.substr(3000, 200)), 1U);
  EXPECT_EQ(taxon_of(random_bases(300, 9)), 20U);
  const std::vector<std::uint64_t> counts = index.minimizers_of_taxa();
  std::uint64_t sum = 0;
  for (const std::uint64_t count : counts) sum += count;
  EXPECT_EQ(sum, index.stored_layers()[0]->minimizers + index.stored_layers()[1]->minimizers);
}

TEST_F(GrowIndex, WhatACellCannotSayIsKept) {
  const std::string bases = random_bases(2'000'000, 12);
  const std::vector<placed_hash> hashes = sorted_hashes(bases);
  std::vector<std::size_t> alike;
  for (std::size_t i = 1; i < hashes.size(); ++i)
    if (are_alike_in_cells(hashes[i - 1], hashes[i]))
      alike.insert(alike.end(), {hashes[i - 1].second, hashes[i].second});
  ASSERT_GE(alike.size(), 2U);
  std::vector<small_genome> genomes;
  for (std::size_t i = 0; i < alike.size(); ++i)
    genomes.push_back(
        {"kraken:taxid|" + std::to_string(10 + i % 2) + "|" + std::to_string(i), bases.substr(alike[i], 35)});
  genomes.push_back({"kraken:taxid|11|long", random_bases(1200, 13)});
  const auto file = write_file(path("alike.fa"), fasta_of(genomes));
  const auto more = write_file(path("more.fa"), fasta_of({genomes_to_add()[4]}));
  const kmer::taxonomy taxonomy = small_taxonomy(path("."));
  {
    manager store(create_only, path("one"), small_store());
    kmer::build_index(store, {more, file}, taxonomy.view(), {});
    store.close();
    manager grown(create_only, path("grown"), small_store());
    kmer::build_index(grown, {file}, taxonomy.view(), {});
    EXPECT_GE(kmer::minimizer_index(grown).stored_layers().front()->odd.size(), alike.size());
    EXPECT_EQ(kmer::add_genomes(grown, {more}, {}).index.layers, 1U);
    grown.close();
  }
  EXPECT_TRUE(are_equal("one", "grown"));
}

TEST_F(GrowIndex, OfOtherMinimizersIsTheSameAsOneBuild) {
  for (const kmer::minimizer_scheme scheme :
       {kmer::minimizer_scheme{21, 15, 3}, kmer::minimizer_scheme{31, 31, 0},
        kmer::minimizer_scheme{30, 28, 7}, kmer::minimizer_scheme{8, 5, 0}}) {
    SCOPED_TRACE(scheme.l);
    const kmer::build_options how{.index = "kmers", .scheme = scheme};
    const std::string number = std::to_string(scheme.l) + "." + std::to_string(scheme.spaces);
    build("one" + number, {0, 1, 2, 3}, how);
    build("grown" + number, {2}, how);
    add("grown" + number, {0, 3});
    add("grown" + number, {1});
    compact("grown" + number);
    EXPECT_TRUE(are_equal("one" + number, "grown" + number));
  }
}

TEST_F(GrowIndex, WrongGenomesLeaveItAsItWas) {
  build("store", {5});
  build("same", {5});
  const auto is_refused = [this](const std::string& fasta, const std::string& words) {
    manager store(open_only, path("store"));
    const auto refused = fails_with(
        errc::bad_input, words, [&] { kmer::add_genomes(store, {write_file(path("wrong.fa"), fasta)}, {}); });
    store.close();  // the index must be sound without discarding the changes
    return refused;
  };
  const std::string bases = random_bases(100, 1);
  EXPECT_TRUE(is_refused(">kraken:taxid|12|a\n" + bases,
                         "has the taxon 12, which the taxonomy does not have; build an index with a newer"));
  EXPECT_TRUE(is_refused(">x\n" + bases, "sequence x has no taxon"));
  EXPECT_TRUE(is_refused(">kraken:taxid|10\nNNN\n", "no sequence of 35 unambiguous bases"));
  EXPECT_TRUE(are_equal("store", "same"));
  manager store(open_only, path("store"));
  EXPECT_TRUE(fails_with(errc::not_found, "holds no k-mer index named \"other\"",
                         [&] { kmer::add_genomes(store, {path("wrong.fa")}, {}, {.index = "other"}); }));
}

TEST_F(GrowIndex, ACompactionThatIsInterruptedLeavesItAsItWas) {
  build("store", {5});
  add("store", {3});
  const std::string before = lines_of("store");
  std::uint64_t last = 0;
  for (unsigned until = 1; until <= 3; ++until) {
    manager store(open_only, path("store"));
    unsigned calls = 0;
    EXPECT_THROW(kmer::compact_index(store, kmer::default_index_name, 1,
                                     [&](const workload::progress& now) {
                                       last = now.done * 100 / now.total;
                                       if (++calls == until) throw std::runtime_error("interrupted");
                                     }),
                 std::runtime_error);
    store.close();  // the index must be sound without discarding the changes
    EXPECT_EQ(lines_of("store"), before);
  }
  EXPECT_EQ(last, 100U);
  EXPECT_EQ(compact("store").merged, 2U);
  EXPECT_EQ(lines_of("store"), before);
}

TEST_F(GrowIndex, ReadersBesideAWriterKeepTheirIndex) {
  build("store", {0, 1});
  const std::string before = lines_of("store");
  manager writer(open_only, path("store"));
  {
    store_options beside;
    beside.beside_writer = reader_beside_writer::hold_writer;
    const manager reader(open_read_only, path("store"), beside);
    const kmer::minimizer_index index(reader);
    kmer::add_genomes(writer, {genomes_file({2, 3})}, {});
    kmer::add_genomes(writer, {genomes_file({4, 5})}, {});
    writer.checkpoint();
    EXPECT_EQ(lines_with(index), before);
  }
  writer.close();
  EXPECT_NE(lines_of("store"), before);
}

}  // namespace
