// Reads and their taxa: the rules by hand, files on several threads, the report.
#include <map>
#include <perdure/kmer/build_index.hpp>
#include <perdure/kmer/clade_report.hpp>
#include <perdure/kmer/classify_files.hpp>
#include <perdure/kmer/found_minimizers.hpp>
#include <set>
#include <string>
#include <vector>

#include "kmer/naive_minimizers.hpp"
#include "kmer/small_genomes.hpp"
#include "support/errors.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"

namespace {
using namespace perdure;
using namespace perdure::test;

class Classify : public scratch_test {
 protected:
  Classify() : store_(create_only, path("store"), small_store()) {
    const kmer::taxonomy taxonomy = small_taxonomy(path("."));
    kmer::build_index(store_, {write_file(path("genomes.fa"), fasta_of(small_genomes()))}, taxonomy.view(),
                      {});
    index_.emplace(store_);
  }

  const kmer::minimizer_index& index() const { return *index_; }
  /// The line that Kraken writes of a read.
  std::string line_of(std::string_view bases, const kmer::classify_rules& rules = {}) const {
    const std::vector<kmer::sequence> reads{{"r", bases}};
    kmer::read_classifier classifier(index(), rules);
    std::string line;
    kmer::append_kraken_line(line, index(), classifier.classify(reads).front(), reads.front(), nullptr);
    return line;
  }
  kmer::taxon_id taxon_of(std::string_view bases, const kmer::classify_rules& rules = {}) const {
    const std::vector<kmer::sequence> reads{{"r", bases}};
    kmer::read_classifier classifier(index(), rules);
    return index().id_of(classifier.classify(reads).front().taxon);
  }
  kmer::classify_result classify(const std::vector<std::filesystem::path>& files, bool in_pairs,
                                 kmer::classify_options how) const {
    kmer::read_source source(files, in_pairs);
    return kmer::classify_files(index(), source, how);
  }
  std::uint64_t reads_of(const kmer::classify_result& found, kmer::taxon_id taxon) const {
    return found.reads_of_nodes[*index().taxonomy().find(taxon)];
  }

  manager store_;
  std::optional<kmer::minimizer_index> index_;
  std::vector<small_genome> genomes_ = small_genomes();
};

TEST_F(Classify, AReadHasTheTaxonWithTheHighestScore) {
  const std::string own = genomes_[0].bases.substr(100, 150);
  EXPECT_EQ(taxon_of(own), 10U);
  EXPECT_EQ(line_of(own), "C\tr\t10\t150\t10:116\n");
  EXPECT_EQ(taxon_of(genomes_[1].bases.substr(500, 150)), 11U);
  EXPECT_EQ(taxon_of(genomes_[0].bases.substr(2500, 150)), 2U) << "both species have it";
  EXPECT_EQ(taxon_of(genomes_[0].bases.substr(4050, 150)), 1U) << "all have it";
  EXPECT_EQ(taxon_of(random_bases(150, 99)), 0U);
  // A species adds what its genus has to its score; a genus does not add what its species have.
  EXPECT_EQ(taxon_of(genomes_[0].bases.substr(1900, 250)), 10U);
  // Two species have the same score: their common ancestor.
  const std::string both = genomes_[0].bases.substr(300, 100) + "N" + genomes_[1].bases.substr(300, 99);
  EXPECT_EQ(line_of(both), "C\tr\t2\t200\t10:66 A:34 11:66\n");
  const std::string unlike = genomes_[0].bases.substr(300, 100) + "N" + genomes_[2].bases.substr(1600, 99);
  EXPECT_EQ(taxon_of(unlike), 1U);
}

TEST_F(Classify, AReadNeedsEnoughHitGroups) {
  // A k-mer has one minimizer, and its neighbours mostly the same.
  const std::string bases = genomes_[0].bases.substr(100, 35);
  EXPECT_EQ(line_of(bases), "U\tr\t0\t35\t10:1\n");
  EXPECT_EQ(taxon_of(bases, {.minimum_hit_groups = 1}), 10U);
  EXPECT_EQ(taxon_of(bases, {.minimum_hit_groups = 0}), 10U);
  const std::string long_one = genomes_[0].bases.substr(100, 150);
  std::vector<std::uint64_t> groups = naive_minimizers(long_one, {});
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  EXPECT_EQ(taxon_of(long_one, {.minimum_hit_groups = groups.size()}), 10U);
  EXPECT_EQ(taxon_of(long_one, {.minimum_hit_groups = groups.size() + 1}), 0U);
}

TEST_F(Classify, OneMinimizerOnBothSidesOfAmbiguousBasesIsOneGroup) {
  // 35 bases twice, of which the k-mer that begins with the N between has the same minimizer.
  std::string twice;
  for (std::size_t begin = 100; begin < 200; ++begin) {
    const std::string bases = genomes_[0].bases.substr(begin, 35);
    twice = bases + "N" + bases;
    const std::vector<std::uint64_t> all = naive_minimizers(twice, {});
    if (all[0] == all[35] && all[35] == all[36]) break;
  }
  EXPECT_EQ(line_of(twice), "U\tr\t0\t71\t10:1 A:34 10:2\n");
  EXPECT_EQ(taxon_of(twice, {.minimum_hit_groups = 1}), 10U);
}

TEST_F(Classify, ConfidenceMovesAReadUpTheTree) {
  // 116 k-mers of a species, 34 with an ambiguous base, 67 of another species.
  const std::string both = genomes_[0].bases.substr(100, 150) + "N" + genomes_[1].bases.substr(300, 100);
  EXPECT_EQ(line_of(both), "C\tr\t10\t251\t10:116 A:34 11:67\n");
  EXPECT_EQ(taxon_of(both, {.confidence = 116.0 / 217}), 10U);
  EXPECT_EQ(taxon_of(both, {.confidence = 117.0 / 217}), 2U) << "the genus has the k-mers of both";
  EXPECT_EQ(taxon_of(both, {.confidence = 183.0 / 217}), 2U);
  EXPECT_EQ(taxon_of(both, {.confidence = 184.0 / 217}), 0U) << "ambiguous k-mers count among all";
  EXPECT_TRUE(fails_with(errc::invalid_argument, "from 0 to 1", [&] { taxon_of("A", {.confidence = 1.5}); }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "from 0 to 1",
                         [&] { taxon_of("A", {.confidence = std::numeric_limits<double>::quiet_NaN()}); }));
}

TEST_F(Classify, ShortReadsHaveNoHits) {
  EXPECT_EQ(line_of("ACGT"), "U\tr\t0\t4\t0:0\n");
  EXPECT_EQ(line_of(""), "U\tr\t0\t0\t0:0\n");
  EXPECT_EQ(line_of(std::string(40, 'N')), "U\tr\t0\t40\tA:6\n");
}

TEST_F(Classify, BothReadsOfAPairCountTogether) {
  const std::string first = genomes_[0].bases.substr(100, 80);
  const std::string second = genomes_[0].bases.substr(900, 100);
  const auto one = write_file(path("one"), ">p/1\n" + first + "\n>short/1\nAC\n");
  const auto two = write_file(path("two"), ">p/2\n" + second + "\n>short/2\nACG\n");
  std::string lines;
  const kmer::classify_result found =
      classify({one, two}, true, {.on_lines = [&lines](std::string_view some) { lines += some; }});
  EXPECT_EQ(lines, "C\tp\t10\t80|100\t10:46 |:| 10:66\nU\tshort\t0\t2|3\t|:|\n");
  EXPECT_EQ(found.reads, 2U);
  EXPECT_EQ(found.classified, 1U);
  EXPECT_EQ(found.bases, 185U);
}

TEST_F(Classify, AnswersAreInTheOrderOfTheReadsForAnyNumberOfThreads) {
  std::vector<std::filesystem::path> files;
  std::map<kmer::taxon_id, std::uint64_t> expected;
  std::size_t reads = 0;
  for (int file = 0; file < 3; ++file) {
    std::string text;
    for (int i = 0; i < 400; ++i, ++reads) {
      const small_genome& from = genomes_[reads % 3];
      text +=
          ">" + std::to_string(reads) + "\n" + from.bases.substr(reads * 7 % 1800, 100 + reads % 30) + "\n";
    }
    files.push_back(write_file(path("reads" + std::to_string(file)), text));
  }
  std::string first;
  for (const unsigned threads : {1U, 2U, 5U}) {
    std::string lines;
    const kmer::classify_result found = classify(
        files, false, {.threads = threads, .batch_bytes = 300, .on_lines = [&lines](std::string_view some) {
                         lines += some;
                       }});
    EXPECT_EQ(found.reads, reads);
    EXPECT_EQ(found.classified + found.unclassified(), reads);
    EXPECT_EQ(reads_of(found, 10), 400U);
    EXPECT_EQ(reads_of(found, 11), 400U);
    if (first.empty()) {
      first = lines;
      std::size_t at = 0;
      for (std::size_t i = 0; i < reads; ++i) {
        ASSERT_EQ(lines.substr(at + 2, std::to_string(i).size() + 1), std::to_string(i) + "\t");
        at = lines.find('\n', at) + 1;
      }
    }
    EXPECT_EQ(lines, first) << threads;
  }
}

TEST_F(Classify, ReadsWithATaxonAndWithoutAreHandedOutInTheirFormat) {
  const std::string own = genomes_[0].bases.substr(100, 100);
  const std::string qualities = "@>" + std::string(98, 'I');
  const auto fastq = write_file(path("a.fq"), "@r1 of a sample\r\n" + own + "\r\n+r1\r\n" + qualities +
                                                  "\r\n@r2\nACGT\n+\nIIII\n@empty\n\n+\n\n");
  const auto fasta =
      write_file(path("b.fa"), ">r3 x y\n" + own.substr(0, 60) + "\n" + own.substr(60) + "\n>r4\nNN\n");
  std::string with_taxon;
  std::string without;
  kmer::classify_options how;
  how.on_classified = [&](std::string_view reads, std::string_view mates) {
    with_taxon += reads;
    EXPECT_EQ(mates, "");
  };
  how.on_unclassified = [&](std::string_view reads, std::string_view) { without += reads; };
  classify({fastq, fasta}, false, how);
  EXPECT_EQ(with_taxon, "@r1 of a sample kraken:taxid|10\n" + own + "\n+\n" + qualities +
                            "\n>r3 x y kraken:taxid|10\n" + own + "\n");
  EXPECT_EQ(without, "@r2\nACGT\n+\nIIII\n@empty\n\n+\n\n>r4\nNN\n");

  const auto mates = write_file(path("mates.fa"), ">r1/2\nAC\n>r2/2\n" + own + "\n>empty/2\nA\n");
  with_taxon.clear();
  without.clear();
  std::string second;
  how.on_classified = [&](std::string_view reads, std::string_view more) {
    with_taxon += reads;
    second += more;
  };
  classify({fastq, mates}, true, how);
  EXPECT_EQ(with_taxon, "@r1 of a sample kraken:taxid|10\n" + own + "\n+\n" + qualities +
                            "\n@r2 kraken:taxid|10\nACGT\n+\nIIII\n");
  EXPECT_EQ(second, ">r1/2 kraken:taxid|10\nAC\n>r2/2 kraken:taxid|10\n" + own + "\n");
  EXPECT_EQ(without, "@empty\n\n+\n\n");
}

TEST_F(Classify, FoundMinimizersAreCountedExactly) {
  std::string text;
  std::map<kmer::taxon_id, std::uint64_t> all;
  std::map<kmer::taxon_id, std::set<std::uint64_t>> distinct;
  for (std::size_t i = 0; i < 600; ++i) {
    std::string bases = genomes_[i % 3].bases.substr(i * 13 % 3000, 35 + i % 90);
    if (i % 5 == 0) bases[i % bases.size()] = 'N';
    text.append(">").append(std::to_string(i)).append("\n").append(bases).append("\n");
    std::uint64_t last = kmer::no_minimizer;
    for (const std::uint64_t one : naive_minimizers(bases, index().scheme())) {
      if (one == kmer::no_minimizer || one == last) continue;
      last = one;
      const kmer::taxon_id taxon = index().id_of(index().find(one));
      if (taxon == 0) continue;
      ++all[taxon];
      distinct[taxon].insert(one);
    }
  }
  ASSERT_GE(all.size(), 4U);
  ASSERT_LT(distinct[10].size(), all[10]);
  const auto reads = write_file(path("reads"), text);
  for (const unsigned threads : {1U, 4U}) {
    kmer::found_minimizers found(index());
    kmer::classify_options how{.threads = threads, .batch_bytes = 500};
    how.on_hit_groups = [&found](std::span<const kmer::hit_group> groups) { found.add(groups); };
    classify({reads}, false, how);
    const std::vector<kmer::minimizer_count> counts = found.of_nodes();
    ASSERT_EQ(counts.size(), index().taxonomy().size());
    for (std::size_t node = 0; node < counts.size(); ++node) {
      const kmer::taxon_id taxon = index().taxonomy().ids[node];
      EXPECT_EQ(counts[node], (kmer::minimizer_count{all[taxon], distinct[taxon].size()})) << taxon;
    }
  }
}

TEST_F(Classify, CountsOfFilesAddUp) {
  const auto one = write_file(path("one"), ">a\n" + genomes_[0].bases.substr(100, 100) + "\n>b\nA\n");
  const auto two = write_file(path("two"), ">c\n" + genomes_[1].bases.substr(100, 100) + "\n");
  kmer::classify_result sum;
  for (const auto& file : {one, two}) sum.add(classify({file}, false, {}));
  const kmer::classify_result whole = classify({one, two}, false, {});
  EXPECT_EQ(sum.reads, 3U);
  EXPECT_EQ(sum.bases, 201U);
  EXPECT_EQ(sum.classified, 2U);
  EXPECT_EQ(sum.reads_of_nodes, whole.reads_of_nodes);
}

TEST_F(Classify, OfSeveralBrokenRecordsTheFirstIsTold) {
  std::string text;
  for (int i = 0; i < 2000; ++i)
    text += ">" + std::to_string(i) + "\n" + (i == 700 || i == 1500 ? "AC?T" : "ACGT") + "\n";
  const auto broken = write_file(path("broken"), text);
  for (const unsigned threads : {1U, 4U}) {
    std::string lines;
    EXPECT_TRUE(fails_with(errc::bad_input, "record 701: (700): '?'", [&] {
      classify({broken}, false,
               {.threads = threads, .batch_bytes = 100, .on_lines = [&](std::string_view some) {
                  lines += some;
                }});
    }));
    EXPECT_LE(std::count(lines.begin(), lines.end(), '\n'), 700);
  }
}

TEST_F(Classify, WhatACallerThrowsEndsTheWork) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += ">" + std::to_string(i) + "\nACGT\n";
  const auto reads = write_file(path("reads"), text);
  for (const unsigned threads : {1U, 4U}) {
    unsigned calls = 0;
    EXPECT_THROW(classify({reads}, false,
                          {.threads = threads,
                           .batch_bytes = 100,
                           .on_lines =
                               [&calls](std::string_view) {
                                 if (++calls == 3) throw std::runtime_error("full");
                               }}),
                 std::runtime_error);
    EXPECT_EQ(calls, 3U);
  }
}

TEST_F(Classify, TheReportIsThatOfKraken) {
  const kmer::taxonomy_view taxonomy = index().taxonomy();
  std::vector<std::uint64_t> reads(taxonomy.size());
  EXPECT_EQ(kmer::kraken_report(taxonomy, reads, 0), "");
  EXPECT_EQ(kmer::kraken_report(taxonomy, reads, 3), "100.00\t3\t3\tU\t0\tunclassified\n");
  reads[*taxonomy.find(10)] = 1;
  reads[*taxonomy.find(11)] = 3;
  reads[*taxonomy.find(2)] = 2;
  reads[*taxonomy.find(20)] = 1;
  EXPECT_EQ(kmer::kraken_report(taxonomy, reads, 1),
            " 12.50\t1\t1\tU\t0\tunclassified\n"
            " 87.50\t7\t0\tR\t1\troot\n"
            " 75.00\t6\t2\tG\t2\t  Alpha\n"
            " 37.50\t3\t3\tS\t11\t    Alpha two\n"
            " 12.50\t1\t1\tS\t10\t    Alpha one\n"
            " 12.50\t1\t0\tG\t3\t  Beta\n"
            " 12.50\t1\t1\tS\t20\t    Beta one\n");
  std::vector<kmer::minimizer_count> minimizers(taxonomy.size());
  minimizers[*taxonomy.find(10)] = {7, 5};
  minimizers[*taxonomy.find(11)] = {30, 6};
  minimizers[*taxonomy.find(2)] = {100, 8};
  minimizers[*taxonomy.find(1)] = {1, 1};
  minimizers[*taxonomy.find(20)] = {1000, 2};
  reads[*taxonomy.find(20)] = 0;
  EXPECT_EQ(kmer::kraken_report(taxonomy, reads, 0, minimizers),
            "100.00\t6\t0\t1138\t22\tR\t1\troot\n"
            "100.00\t6\t2\t137\t19\tG\t2\t  Alpha\n"
            " 50.00\t3\t3\t30\t6\tS\t11\t    Alpha two\n"
            " 16.67\t1\t1\t7\t5\tS\t10\t    Alpha one\n");
  EXPECT_EQ(kmer::kraken_report(taxonomy, std::vector<std::uint64_t>(taxonomy.size()), 2, minimizers),
            "100.00\t2\t2\t0\t0\tU\t0\tunclassified\n");
}

TEST_F(Classify, KronaGetsThePathOfEachTaxon) {
  const kmer::taxonomy_view taxonomy = index().taxonomy();
  std::vector<std::uint64_t> reads(taxonomy.size());
  EXPECT_EQ(kmer::krona_text(taxonomy, reads, 0), "");
  reads[*taxonomy.find(10)] = 1;
  reads[*taxonomy.find(11)] = 3;
  reads[*taxonomy.find(2)] = 2;
  reads[*taxonomy.find(20)] = 1;
  EXPECT_EQ(kmer::krona_text(taxonomy, reads, 4),
            "4\tunclassified\n"
            "2\troot\tAlpha\n"
            "3\troot\tAlpha\tAlpha two\n"
            "1\troot\tAlpha\tAlpha one\n"
            "1\troot\tBeta\tBeta one\n");
}

}  // namespace
