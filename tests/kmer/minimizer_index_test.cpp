// An index against a map of all minimizers.
#include <cstring>
#include <map>
#include <perdure/kmer/build_index.hpp>
#include <perdure/kmer/minimizer_index.hpp>
#include <string>
#include <utility>
#include <vector>

#include "kmer/naive_minimizers.hpp"
#include "kmer/small_genomes.hpp"
#include "support/errors.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"
#include "workload/compressed.hpp"

namespace {
using namespace perdure;
using namespace perdure::test;

class MinimizerIndex : public scratch_test {
 protected:
  kmer::build_result build(const std::string& store_name, const std::vector<std::filesystem::path>& files,
                           const kmer::build_options& how = {}, const kmer::sequence_taxa& taxa = {}) const {
    manager store(open_or_create, path(store_name), small_store());
    const kmer::taxonomy taxonomy = small_taxonomy(path("."));
    try {
      const kmer::build_result made = kmer::build_index(store, files, taxonomy.view(), taxa, how);
      store.close();
      return made;
    } catch (...) {
      store.discard();
      throw;
    }
  }
  std::filesystem::path genomes_file(const std::string& name = "genomes.fa") const {
    return write_file(path(name), fasta_of(small_genomes()));
  }
  testing::AssertionResult is_refused(const std::string& fasta, const std::string& words,
                                      const kmer::build_options& how = {}) const {
    write_file(path("refused.fa"), fasta);
    return fails_with(errc::bad_input, path("refused.fa").string() + words,
                      [&] { build("refused", {path("refused.fa")}, how); });
  }
};

/// The lowest common ancestor of the taxa of each minimizer.
std::map<std::uint64_t, kmer::taxon_id> naive_index(const kmer::taxonomy_view& taxonomy) {
  std::map<std::uint64_t, kmer::taxon_id> all;
  for (const small_genome& one : small_genomes()) {
    const kmer::taxon_id taxon = *kmer::sequence_taxa().taxon_of(one.name);
    for (const std::uint64_t minimizer : naive_minimizers(one.bases, {})) {
      if (minimizer == kmer::no_minimizer) continue;
      kmer::taxon_id& known = all.try_emplace(minimizer, taxon).first->second;
      known = taxonomy.ids[taxonomy.common_ancestor(*taxonomy.find(known), *taxonomy.find(taxon))];
    }
  }
  return all;
}

bool same_tables(const kmer::stored_layer& a, const kmer::stored_layer& b) {
  return a.table.size() == b.table.size() &&
         std::memcmp(a.table.data(), b.table.data(), a.table.size() * sizeof(kmer::table_page)) == 0;
}

TEST_F(MinimizerIndex, HandsOutItsCells) {
  build("store", {genomes_file()});
  const manager store(open_read_only, path("store"));
  const kmer::minimizer_index index(store);
  const kmer::table_view& table = index.layers().front().table();
  std::map<std::pair<std::uint64_t, std::uint32_t>, kmer::taxon_id> expected;  // by page and part of the hash
  for (const auto& [minimizer, taxon] : naive_index(index.taxonomy())) {
    const kmer::table_place place = table.place_of(index.hash()(minimizer));
    expected[{place.page, place.key}] = taxon;
  }
  std::map<std::pair<std::uint64_t, std::uint32_t>, kmer::taxon_id> cells;
  ASSERT_GT(table.pages(), 2U);
  const auto collect = [&](const kmer::table_cell& cell) {
    cells[{cell.page, cell.key}] = index.id_of(cell.number);
    EXPECT_LT(cell.line(), kmer::table_page::lines);
  };
  table.for_each_cell(0, 1, collect);
  table.for_each_cell(1, table.pages(), collect);
  EXPECT_EQ(cells, expected);
}

TEST_F(MinimizerIndex, HasTheCommonAncestorOfEachMinimizer) {
  const kmer::build_result made = build("store", {genomes_file()});
  const manager store(open_read_only, path("store"));
  const kmer::minimizer_index index(store);
  const auto expected = naive_index(index.taxonomy());
  EXPECT_EQ(made.sequences, 3U);
  EXPECT_EQ(made.bases, 4200U + 4200 + 3200);
  EXPECT_EQ(made.minimizers, expected.size());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(index.stored_layers().front()->table.data()) %
                sizeof(kmer::table_page),
            0U);
  EXPECT_EQ(made.bytes, index.stored_layers().front()->bytes());
  std::map<kmer::taxon_id, std::uint64_t> counts;
  for (const auto& [minimizer, taxon] : expected) {
    EXPECT_EQ(index.id_of(index.find(minimizer)), taxon);
    ++counts[taxon];
  }
  EXPECT_EQ(counts.size(), 5U) << "each level of the taxonomy has some";
  const std::vector<std::uint64_t> found = index.minimizers_of_taxa();
  for (std::uint32_t taxon = 1; taxon < found.size(); ++taxon)
    EXPECT_EQ(found[taxon], counts[index.id_of(taxon)]);

  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < 20000; ++i)
    if (!expected.contains(i)) wrong += index.find(i) != 0 ? 1 : 0;
  EXPECT_LE(wrong, 2U);
}

TEST_F(MinimizerIndex, DoesNotDependOnThreadsFilesAndOrder) {
  build("one", {genomes_file()});
  const manager first(open_read_only, path("one"));
  const kmer::minimizer_index expected(first);
  std::vector<small_genome> genomes = small_genomes();
  std::vector<std::filesystem::path> files;
  for (std::size_t i = genomes.size(); i-- > 0;)
    files.push_back(write_file(path(std::to_string(i)), gzip(fasta_of({genomes[i]}))));
  for (const unsigned threads : {1U, 4U}) {
    const std::string name = "threads" + std::to_string(threads);
    build(name, files, {.threads = threads});
    const manager store(open_read_only, path(name));
    EXPECT_TRUE(
        same_tables(*expected.stored_layers().front(), *kmer::minimizer_index(store).stored_layers().front()))
        << threads;
  }
}

TEST_F(MinimizerIndex, LongSequencesAreCutIntoPiecesThatOverlap) {
  const std::string bases = random_bases(700'000, 11);
  const auto file = write_file(path("long.fa"), ">kraken:taxid|10|x\n" + bases + "\n");
  build("store", {file}, {.threads = 3});
  const manager store(open_read_only, path("store"));
  const kmer::minimizer_index index(store);
  std::vector<kmer::minimizer_run> runs;
  kmer::minimizer_scanner().scan(bases, runs);
  for (const kmer::minimizer_run& run : runs) ASSERT_EQ(index.id_of(index.find(run.minimizer)), 10U);
}

TEST_F(MinimizerIndex, MinimizersThatACellCannotTellApartHaveTheirCommonAncestor) {
  const std::string bases = random_bases(2'000'000, 12);
  const std::vector<placed_hash> hashes = sorted_hashes(bases);
  const auto alike = std::adjacent_find(hashes.begin(), hashes.end(), are_alike_in_cells);
  ASSERT_NE(alike, hashes.end());
  std::string fasta;
  for (const auto& [taxon, one] : {std::pair(10, *alike), std::pair(11, *std::next(alike))})
    fasta += ">kraken:taxid|" + std::to_string(taxon) + "\n" + bases.substr(one.second, 35) + "\n";
  EXPECT_EQ(build("store", {write_file(path("alike.fa"), fasta)}).minimizers, 2U);
  const manager store(open_read_only, path("store"));
  const kmer::minimizer_index index(store);
  ASSERT_EQ(index.stored_layers().front()->key_bits, 29U);
  for (const auto& one : {*alike, *std::next(alike)})
    EXPECT_EQ(index.id_of(index.find(naive_minimizer(std::string_view(bases).substr(one.second, 35), {}))),
              2U);
}

TEST_F(MinimizerIndex, SeveralLieInOneStore) {
  const auto file = genomes_file();
  build("store", {file});
  build("store", {file}, {.index = "short", .scheme = {.k = 21, .l = 15, .spaces = 3}});
  EXPECT_TRUE(fails_with(errc::already_exists, "has a k-mer index named \"short\" already",
                         [&] { build("store", {file}, {.index = "short"}); }));
  const manager store(open_read_only, path("store"));
  EXPECT_EQ(kmer::minimizer_index(store).scheme(), kmer::minimizer_scheme{});
  EXPECT_EQ(kmer::minimizer_index(store, "short").scheme().k, 21U);
  EXPECT_TRUE(fails_with(errc::not_found, "holds no k-mer index named \"other\"",
                         [&] { kmer::minimizer_index(store, "other"); }));
}

TEST_F(MinimizerIndex, OfAnotherVersionIsRefused) {
  build("store", {genomes_file()});
  manager store(open_only, path("store"));
  kmer::stored_index& stored = *store.find<kmer::stored_index>(kmer::default_index_name).first;
  stored.format = 3;
  EXPECT_TRUE(fails_with(errc::too_new, "a later version", [&] { kmer::minimizer_index{store}; }));
  stored.format = 1;
  EXPECT_TRUE(fails_with(errc::unsupported, "(1); build it again", [&] { kmer::minimizer_index{store}; }));
  stored.format = 2;
  stored.layers = 0;
  EXPECT_TRUE(fails_with(errc::damaged, "has no layers", [&] { kmer::minimizer_index{store}; }));
  store.discard();
}

TEST_F(MinimizerIndex, SequencesWithoutATaxonAreNamedOrCounted) {
  const std::string bases = random_bases(100, 1);
  const std::string fasta = ">kraken:taxid|10|a\n" + bases + "\n>NC_7 plasmid\n" + bases + "\n";
  EXPECT_TRUE(is_refused(fasta, ": record 2: sequence NC_7 has no taxon"));
  const kmer::build_result made =
      build("skipped", {path("refused.fa")}, {.unmapped = kmer::unmapped_sequences::skip});
  EXPECT_EQ(made.sequences, 1U);
  EXPECT_EQ(made.skipped, 1U);
  build("mapped", {path("refused.fa")}, {}, kmer::sequence_taxa(write_file(path("map"), "NC_7\t11\n")));
  const manager store(open_read_only, path("mapped"));
  const kmer::minimizer_index index(store);
  EXPECT_EQ(index.id_of(index.find(naive_minimizer(std::string_view(bases).substr(0, 35), {}))), 2U);
}

TEST_F(MinimizerIndex, WrongGenomesAreRefusedAndLeaveNothing) {
  const std::string bases = random_bases(100, 1);
  EXPECT_TRUE(
      is_refused(">kraken:taxid|12|a\n" + bases, ": record 1: sequence kraken:taxid|12|a has the taxon 12"));
  EXPECT_TRUE(is_refused(">kraken:taxid|10\n" + bases + "\n>kraken:taxid|10\nA\n",
                         ": record 2: sequence kraken:taxid|10 was there before"));
  EXPECT_TRUE(is_refused(">kraken:taxid|10\nACGT>\n", ": record 1: (kraken:taxid|10): a header"));
  EXPECT_EQ(message_of([&] { build("refused", {write_file(path("n.fa"), ">kraken:taxid|10\nNNNN\n")}); }),
            "the genomes have no sequence of 35 unambiguous bases, so there is nothing to index");
  const manager store(open_read_only, path("refused"));
  EXPECT_TRUE(store.named_objects().empty());
}

}  // namespace
