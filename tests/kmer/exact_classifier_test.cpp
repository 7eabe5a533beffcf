// Reads classified by exact indexes, against scores that are counted in sets.
#include <algorithm>
#include <cmath>
#include <map>
#include <perdure/kmer/build_exact.hpp>
#include <perdure/kmer/exact_classifier.hpp>
#include <perdure/kmer/read_source.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kmer/small_genomes.hpp"
#include "support/errors.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"

namespace {
using namespace perdure;
using namespace perdure::test;

class ExactClassifier : public scratch_test {
 protected:
  ExactClassifier() {
    manager store(create_only, path("store"), small_store());
    kmer::build_exact_index(store, {write_file(path("genomes.fa"), fasta_of(small_genomes()))},
                            small_taxonomy(path(".")).view(), {}, {.k = 21});
    store.close();
    store_.emplace(open_read_only, path("store"));
    index_.emplace(*store_);
  }

  const kmer::exact_index& index() const { return *index_; }
  kmer::taxon_id id(const kmer::taxon_score& one) const { return index().taxonomy().ids[one.node]; }
  /// Returns the score of each taxon that k-mers of a read have.
  std::map<kmer::taxon_id, double> scores_of(const std::string& bases) const {
    std::set<std::uint64_t> kmers;
    kmer::for_each_canonical_kmer(bases, 21, [&](std::size_t, std::uint64_t one) { kmers.insert(one); });
    const kmer::taxonomy_view taxonomy = index().taxonomy();
    std::set<kmer::taxon_node> direct;
    std::map<kmer::taxon_node, double> sums;
    std::vector<kmer::taxon_count> room;
    for (const std::uint64_t one : kmers) {
      std::set<kmer::taxon_node> all;
      for (const auto& [node, count] : index().find(one, room)) {
        direct.insert(node);
        for (kmer::taxon_node above = 0; above < taxonomy.size(); ++above)
          if (taxonomy.is_ancestor(above, node)) all.insert(above);
      }
      for (const kmer::taxon_node node : all) sums[node] += 1;
    }
    std::map<kmer::taxon_id, double> scores;
    for (const kmer::taxon_node node : direct)
      scores[taxonomy.ids[node]] = sums[node] / static_cast<double>(kmers.size());
    return scores;
  }
  std::string lines_with(const std::string& reads, unsigned threads, std::size_t batch_bytes) const {
    kmer::read_source source({write_file(path("reads.fa"), reads)});
    std::string lines;
    const kmer::classify_result found = kmer::score_files(
        index(), source,
        {.threads = threads, .batch_bytes = batch_bytes, .on_lines = [&](std::string_view some) {
           lines += some;
         }});
    EXPECT_EQ(found.reads, static_cast<std::uint64_t>(std::count(lines.begin(), lines.end(), '\n')));
    return lines;
  }

 private:
  std::optional<manager> store_;
  std::optional<kmer::exact_index> index_;
};

TEST_F(ExactClassifier, ScoresAreTheSharesOfKmers) {
  kmer::exact_classifier classifier(index());
  for (const small_genome& one : small_genomes())
    for (std::size_t at = 0; at + 150 <= one.bases.size(); at += 97) {
      std::string bases = one.bases.substr(at, 150);
      bases[60] = bases[60] == 'A' ? 'C' : 'A';
      const kmer::scored_read found = classifier.classify(bases);
      std::map<kmer::taxon_id, double> scores;
      double sum = 0;
      for (const kmer::taxon_score& score : found.scores) {
        scores[id(score)] = score.score;
        sum += score.score;
      }
      EXPECT_EQ(scores, scores_of(bases));
      EXPECT_TRUE(std::is_sorted(found.scores.begin(), found.scores.end(),
                                 [](const auto& a, const auto& b) { return a.score > b.score; }));
      if (found.scores.empty()) continue;
      EXPECT_DOUBLE_EQ(found.mean, sum / static_cast<double>(scores.size()));
    }
}

TEST_F(ExactClassifier, RivalsHaveTheirCommonAncestor) {
  kmer::exact_classifier classifier(index());
  const std::vector<small_genome> genomes = small_genomes();
  const auto taxon_of = [&](const std::string& bases, const std::string& mate = {}) {
    const kmer::scored_read found = classifier.classify(bases, mate);
    return std::pair(found.match, found.has_taxon() ? id(found.found) : 0);
  };
  EXPECT_EQ(taxon_of(genomes[0].bases.substr(100, 150)),
            std::pair(kmer::match_kind::direct, kmer::taxon_id{10}));
  EXPECT_EQ(taxon_of(genomes[0].bases.substr(2500, 150)),
            std::pair(kmer::match_kind::several, kmer::taxon_id{2}))
      << "10 and 11 share these bases";
  EXPECT_EQ(taxon_of(genomes[0].bases.substr(4020, 150)),
            std::pair(kmer::match_kind::several, kmer::taxon_id{1}))
      << "all share these bases";
  EXPECT_EQ(taxon_of(genomes[0].bases.substr(2500, 150), genomes[0].bases.substr(100, 150)),
            std::pair(kmer::match_kind::direct, kmer::taxon_id{10}))
      << "the mate tells which";
  EXPECT_EQ(taxon_of(random_bases(150, 99)), std::pair(kmer::match_kind::none, kmer::taxon_id{0}));
  EXPECT_EQ(taxon_of(genomes[0].bases.substr(100, 20)),
            std::pair(kmer::match_kind::too_short, kmer::taxon_id{0}));
  EXPECT_EQ(taxon_of(""), std::pair(kmer::match_kind::too_short, kmer::taxon_id{0}));
}

// A genome of the genus itself has a piece of the read. The genus has as good a score as its species.
TEST_F(ExactClassifier, ATaxonAboveDoesNotHideTheLineage) {
  const std::string read = small_genomes()[0].bases.substr(100, 150);
  std::vector<small_genome> genomes = small_genomes();
  genomes.push_back({"kraken:taxid|2|genus", read.substr(0, 25) + random_bases(50, 8)});
  manager store(create_only, path("genus"), small_store());
  kmer::build_exact_index(store, {write_file(path("genus.fa"), fasta_of(genomes))},
                          small_taxonomy(path(".")).view(), {}, {.k = 21});
  const kmer::exact_index with_genus(store);
  kmer::exact_classifier classifier(with_genus);
  const std::string changed = read.substr(0, 25) + random_bases(1, 5) + read.substr(26);
  for (const std::string& bases : {read, changed}) {
    const kmer::scored_read found = classifier.classify(bases);
    EXPECT_EQ(found.scores.size(), 2U);
    EXPECT_EQ(found.match, kmer::match_kind::direct);
    EXPECT_EQ(with_genus.taxonomy().ids[found.found.node], 10U);
  }
}

TEST_F(ExactClassifier, LinesAreThoseOfLmatInTheOrderOfReads) {
  const std::string bases = small_genomes()[0].bases.substr(2500, 25);
  EXPECT_EQ(lines_with(">a\n" + bases + "\n>b\nACGT\n", 1, 1 << 16),
            "a\t" + bases + "\t1.0000 0.0000 5\t 10 1.0000 11 1.0000\t2 1.0000 MultiMatch\n" +
                "b\tACGT\t0.0000 0.0000 0\t\t-1 -1 ReadTooShort\n");
  std::string reads;
  for (const small_genome& one : small_genomes())
    for (std::size_t at = 0; at + 60 <= one.bases.size(); at += 40)
      reads += ">" + one.name + std::to_string(at) + "\n" + one.bases.substr(at, 60) + "\n";
  const std::string lines = lines_with(reads, 1, 1 << 20);
  EXPECT_EQ(lines_with(reads, 3, 500), lines);
}

TEST_F(ExactClassifier, AMalformedReadIsNamed) {
  EXPECT_TRUE(fails_with(errc::bad_input, "reads.fa", [&] { lines_with(">a\nACGT\n>b\nAC>T\n", 2, 1); }));
}

}  // namespace
