// Real genomes and reads against what Kraken 2 says of them. Needs the data folder (data_files.hpp).
#include <map>
#include <perdure/kmer/build_exact.hpp>
#include <perdure/kmer/build_index.hpp>
#include <perdure/kmer/clade_report.hpp>
#include <perdure/kmer/classify_files.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "support/data_files.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"

namespace {
using namespace perdure;
using namespace perdure::test;

std::string text_of(const std::string& name) {
  const auto stream = workload::open_byte_stream(data_file(name));
  std::string all;
  std::string part(1 << 20, '\0');
  while (const std::size_t got = stream->read(part.data(), part.size())) all.append(part, 0, got);
  return all;
}

/// The first four columns of Kraken's lines: what the reference has.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    std::size_t end = 0;
    for (int column = 0; column < 4 && end != std::string::npos; ++column) end = line.find('\t', end + 1);
    lines.push_back(line.substr(0, end));
  }
  return lines;
}

struct answers {
  kmer::classify_result counts;
  std::string lines;
};

class RealReads : public scratch_test {
 protected:
  void build(const std::vector<std::string>& genomes) {
    manager store(create_only, path("store"), small_store());
    made_ = kmer::build_index(store, files_of(genomes), taxonomy().view(), taxa(), {.threads = 2});
    store.close();
  }
  static std::vector<std::filesystem::path> files_of(const std::vector<std::string>& genomes) {
    std::vector<std::filesystem::path> files;
    for (const std::string& one : genomes) files.push_back(data_file("genomes/" + one));
    return files;
  }
  static kmer::taxonomy taxonomy() {
    return kmer::read_taxonomy(data_file("taxonomy/mini/nodes.dmp"), data_file("taxonomy/mini/names.dmp"));
  }
  static kmer::sequence_taxa taxa() {
    return kmer::sequence_taxa(data_file("taxonomy/mini/seqid2taxid.map"));
  }
  answers classify(const std::vector<std::string>& files, const kmer::classify_rules& rules,
                   bool in_pairs = false) {
    const manager store(open_read_only, path("store"));
    const kmer::minimizer_index index(store);
    std::vector<std::filesystem::path> reads;
    for (const std::string& one : files) reads.push_back(data_file("reads/" + one));
    kmer::read_source source(reads, in_pairs);
    answers found;
    found.counts = kmer::classify_files(
        index, source,
        {.rules = rules, .threads = 2, .on_lines = [&found](std::string_view some) { found.lines += some; }});
    report_ = kmer::kraken_report(index.taxonomy(), found.counts.reads_of_nodes, found.counts.unclassified());
    for (std::size_t node = 0; node < index.taxonomy().size(); ++node)
      if (found.counts.reads_of_nodes[node] != 0)
        reads_[index.taxonomy().ids[node]] = found.counts.reads_of_nodes[node];
    return found;
  }
  /// Number of reads that the reference classifies otherwise.
  static std::size_t differences(const std::string& lines, const std::string& reference) {
    const std::vector<std::string> found = lines_of(lines);
    const std::vector<std::string> expected = lines_of(text_of("reference/kraken2/" + reference));
    EXPECT_EQ(found.size(), expected.size());
    std::size_t different = 0;
    for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i)
      different += found[i] != expected[i] ? 1 : 0;
    return different;
  }

  kmer::build_result made_;
  std::string report_;
  std::map<kmer::taxon_id, std::uint64_t> reads_;
};

const std::vector<std::string> viruses{"dwv.fa.xz",
                                       "vdv1.fa.xz",
                                       "kraken2-viral/COVID_19.fa",
                                       "kraken2-viral/FluA_H1N1.fa",
                                       "kraken2-viral/FluA_H2N2.fa",
                                       "kraken2-viral/FluA_H3N2.fa",
                                       "kraken2-viral/FluB.fa",
                                       "kraken2-viral/HIV_1.fa",
                                       "kraken2-viral/HIV_2.fa",
                                       "kraken2-viral/Lambda.fa",
                                       "kraken2-viral/MERS.fa",
                                       "kraken2-viral/SARS.fa"};

std::vector<std::string> all_genomes() {
  std::vector<std::string> all = viruses;
  for (const char* const one :
       {"COL", "DH1", "ELS37", "G27", "Gambia94_24", "H1", "Klebs_HS11286", "MG1655-K12", "MGH78578", "N315",
        "NCTC8325", "O1_biovar", "O395", "Puno120", "RF122", "SJM180", "USA300_FPR3757"})
    all.push_back(std::string(one) + ".fa.xz");
  return all;
}

TEST_F(RealReads, OfVirusesHaveTheLabelsOfKraken) {
  if (data_file("genomes").empty()) GTEST_SKIP() << "no test data";
  build(viruses);
  const answers found = classify({"SRR059298_subset.fastq.gz"}, {.minimum_hit_groups = 1});
  EXPECT_EQ(differences(found.lines, "SRR059298_subset.out.xz"), 0U);
  EXPECT_EQ(report_, text_of("reference/kraken2/SRR059298_subset.report"));
  const answers pairs = classify({"lambda_sim_1.fq.gz", "lambda_sim_2.fq.gz"}, {}, true);
  EXPECT_EQ(pairs.counts.reads, 10000U);
  EXPECT_EQ(pairs.counts.unclassified(), 162U);
}

// Disabled because it takes seconds: `make check` has it, as the test kmer_all_genomes.
TEST_F(RealReads, DISABLED_OfAllGenomesHaveTheLabelsOfKraken) {
  if (data_file("genomes").empty()) GTEST_SKIP() << "no test data";
  build(all_genomes());
  EXPECT_EQ(made_.sequences, 71U);
  EXPECT_EQ(made_.bases, 55'509'985U);
  // Kraken's table has 47.9 MB.
  EXPECT_LE(made_.bytes, 47'900'000U * 12 / 10);

  // A cell has a part of a minimizer's hash only, so a look-up in two million is wrong, here as there.
  const answers found = classify({"SRR059298_subset.fastq.gz"}, {.minimum_hit_groups = 1});
  EXPECT_LE(differences(found.lines, "SRR059298_subset.out.xz"), 2U);
  EXPECT_EQ(reads_[198112], 51'035U);
  EXPECT_EQ(reads_[232800], 31'905U);
  EXPECT_EQ(reads_[232799], 410U);
  EXPECT_EQ(reads_[2697049], 4U);
  const answers two = classify({"SRR059298_subset.fastq.gz"}, {.minimum_hit_groups = 2});
  EXPECT_EQ(two.counts.classified, 75'896U);
  EXPECT_EQ(differences(two.lines, "SRR059298_subset.g2.out.xz"), 0U);
  const answers simulated = classify({"sim_20k.fq.xz"}, {.minimum_hit_groups = 1});
  EXPECT_LE(differences(simulated.lines, "sim_20k.out.xz"), 10U);
}

// Disabled for the same reason. As many k-mers and occurrences are known from other programs.
TEST_F(RealReads, DISABLED_OfAllGenomesHaveTheKmersThatOthersCount) {
  if (data_file("genomes").empty()) GTEST_SKIP() << "no test data";
  manager store(create_only, path("store"));
  const kmer::exact_result made = kmer::build_exact_index(store, files_of(all_genomes()), taxonomy().view(),
                                                          taxa(), {.k = 31, .threads = 2});
  EXPECT_EQ(made.sequences, 71U);
  EXPECT_EQ(made.kmers, 26'099'857U);
  EXPECT_EQ(made.occurrences, 55'504'989U);
}

}  // namespace
