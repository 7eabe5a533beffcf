// Taxonomies, genomes and reads that are drawn at random.
#include <algorithm>
#include <array>
#include <perdure/kmer/build_index.hpp>
#include <perdure/kmer/classify_files.hpp>
#include <perdure/kmer/synthetic_genomes.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "kmer/written_file.hpp"
#include "support/errors.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"

namespace {
using namespace perdure;
using namespace perdure::test;

/// All that is drawn, as text.
struct drawn_texts {
  std::string nodes;
  std::string names;
  std::string fasta;
  std::string fastq;
  std::string truth;

  friend bool operator==(const drawn_texts&, const drawn_texts&) = default;
};

drawn_texts texts_of(const kmer::synthetic_genomes& drawn, std::uint64_t at_once) {
  drawn_texts all;
  const auto in_pieces = [at_once](std::uint64_t end, const auto& append) {
    for (std::uint64_t first = 0; first < end; first += at_once)
      append(first, std::min(first + at_once, end));
  };
  in_pieces(drawn.nodes(),
            [&](auto first, auto last) { drawn.append_taxa(first, last, all.nodes, all.names); });
  in_pieces(drawn.lines(), [&](auto first, auto last) { drawn.append_genomes(first, last, all.fasta); });
  in_pieces(drawn.parameters().reads,
            [&](auto first, auto last) { drawn.append_reads(first, last, all.fastq, all.truth); });
  return all;
}

std::string genome(const kmer::synthetic_genomes& drawn, std::uint64_t species) {
  std::string bases(drawn.parameters().genome_bases, ' ');
  drawn.draw_bases(species, 0, bases);
  return bases;
}

double share_of_differences(const std::string& a, const std::string& b) {
  std::size_t differences = 0;
  for (std::size_t i = 0; i < a.size(); ++i) differences += a[i] != b[i] ? 1 : 0;
  return static_cast<double>(differences) / static_cast<double>(a.size());
}

class SyntheticGenomes : public scratch_test {};

TEST_F(SyntheticGenomes, DoNotDependOnHowTheyAreDrawn) {
  const kmer::synthetic_parameters parameters{
      .taxa = 7, .genome_bases = 333, .reads = 50, .read_bases = 60, .seed = 3};
  const drawn_texts whole = texts_of(kmer::synthetic_genomes(parameters), 1'000'000);
  EXPECT_EQ(texts_of(kmer::synthetic_genomes(parameters), 1), whole);
  EXPECT_EQ(texts_of(kmer::synthetic_genomes(parameters), 4), whole);
  kmer::synthetic_parameters other = parameters;
  other.seed = 4;
  EXPECT_NE(texts_of(kmer::synthetic_genomes(other), 4).fasta, whole.fasta);
  EXPECT_NE(texts_of(kmer::synthetic_genomes(other), 4).truth, whole.truth);
}

TEST_F(SyntheticGenomes, HaveATaxonomy) {
  const kmer::synthetic_genomes drawn({.taxa = 70});
  const drawn_texts texts = [&] {
    drawn_texts all;
    drawn.append_taxa(0, drawn.nodes(), all.nodes, all.names);
    return all;
  }();
  const kmer::taxonomy read =
      kmer::read_taxonomy(write_file(path("nodes"), texts.nodes), write_file(path("names"), texts.names));
  const kmer::taxonomy_view taxonomy = read.view();
  // 70 species, 18 genera, 5 families, 2 orders, a class, a phylum, the root.
  ASSERT_EQ(taxonomy.size(), 98U);
  EXPECT_EQ(drawn.nodes(), 98U);
  EXPECT_EQ(taxonomy.ids[0], 1U);
  for (std::uint64_t number = 0; number < 70; ++number) {
    kmer::taxon_node node = *taxonomy.find(drawn.species(number));
    EXPECT_EQ(taxonomy.name(node), "Species " + std::to_string(number + 1));
    for (const char* const rank : {"species", "genus", "family", "order", "class", "phylum"}) {
      EXPECT_EQ(taxonomy.rank(node), rank);
      node = taxonomy.parents[node];
    }
    EXPECT_EQ(node, 0U);
  }
  const auto parent = [&](std::uint64_t number) {
    return taxonomy.parents[*taxonomy.find(drawn.species(number))];
  };
  EXPECT_EQ(parent(0), parent(3));
  EXPECT_NE(parent(3), parent(4));
  EXPECT_EQ(taxonomy.name(parent(69)), "Genus 18");
}

TEST_F(SyntheticGenomes, DifferTheMoreTheFartherApartTheyAre) {
  const kmer::synthetic_genomes drawn({.taxa = 20, .genome_bases = 20'000, .mutation = 0.1});
  const std::string first = genome(drawn, 0);
  // Expected for 1, 2 and 3 ranks up to the common ancestor: 0.187, 0.325, 0.430.
  EXPECT_NEAR(share_of_differences(first, genome(drawn, 1)), 0.187, 0.015);
  EXPECT_NEAR(share_of_differences(first, genome(drawn, 4)), 0.325, 0.015);
  EXPECT_NEAR(share_of_differences(first, genome(drawn, 16)), 0.430, 0.015);
  for (const char letter : {'A', 'C', 'G', 'T'})
    EXPECT_NEAR(static_cast<double>(std::count(first.begin(), first.end(), letter)), 5000, 300);
  const kmer::synthetic_genomes same({.taxa = 20, .genome_bases = 200, .mutation = 0, .reads = 0});
  EXPECT_EQ(genome(same, 0), genome(same, 19));
  const kmer::synthetic_genomes unlike(
      {.taxa = 2, .genome_bases = 20'000, .mutation = 1, .reads = 0, .read_bases = 1});
  EXPECT_NEAR(share_of_differences(genome(unlike, 0), genome(unlike, 1)), 2.0 / 3, 0.02);
}

TEST_F(SyntheticGenomes, ReadsComeFromTheirOrigin) {
  kmer::synthetic_parameters parameters{
      .taxa = 5, .genome_bases = 500, .reads = 200, .read_bases = 100, .errors = 0};
  std::array<std::size_t, 2> strands{};
  std::size_t wrong = 0;
  for (const double errors : {0.0, 0.1}) {
    parameters.errors = errors;
    const kmer::synthetic_genomes drawn(parameters);
    std::istringstream reads(texts_of(drawn, 64).fastq);
    std::istringstream truth(texts_of(drawn, 64).truth);
    for (std::uint64_t i = 0; i < parameters.reads; ++i) {
      const kmer::read_origin from = drawn.origin(i);
      std::string expected = genome(drawn, from.taxon - drawn.species(0)).substr(from.position, 100);
      if (from.is_reverse_complement) {
        std::reverse(expected.begin(), expected.end());
        for (char& base : expected) base = "TGCA"[std::string_view("ACGT").find(base)];
      }
      std::string header;
      std::string bases;
      std::string plus;
      std::string qualities;
      reads >> header >> bases >> plus >> qualities;
      EXPECT_EQ(header, "@r" + std::to_string(i + 1));
      EXPECT_EQ(qualities, std::string(100, errors == 0 ? 'I' : '+'));
      ASSERT_EQ(bases.size(), 100U);
      if (errors == 0) {
        EXPECT_EQ(bases, expected);
        ++strands[from.is_reverse_complement ? 1 : 0];
      } else {
        for (std::size_t at = 0; at < 100; ++at) wrong += bases[at] != expected[at] ? 1 : 0;
      }
      std::string line;
      std::getline(truth, line);
      EXPECT_EQ(line, header.substr(1) + "\t" + std::to_string(from.taxon) + "\t" +
                          std::to_string(from.position + 1) + (from.is_reverse_complement ? "\t-" : "\t+"));
    }
  }
  EXPECT_GT(strands[0], 60U);
  EXPECT_GT(strands[1], 60U);
  EXPECT_NEAR(static_cast<double>(wrong), 2000, 250);
}

TEST_F(SyntheticGenomes, AreClassifiedAsTheyWereDrawn) {
  const kmer::synthetic_genomes drawn(
      {.taxa = 9, .genome_bases = 2000, .mutation = 0.03, .reads = 300, .read_bases = 120, .errors = 0});
  const drawn_texts texts = texts_of(drawn, 1000);
  const kmer::taxonomy taxonomy =
      kmer::read_taxonomy(write_file(path("nodes"), texts.nodes), write_file(path("names"), texts.names));
  manager store(create_only, path("store"), small_store());
  const kmer::build_result built =
      kmer::build_index(store, {write_file(path("genomes.fa"), texts.fasta)}, taxonomy.view(), {});
  EXPECT_EQ(built.sequences, 9U);
  EXPECT_EQ(built.bases, 9U * 2000);
  const kmer::minimizer_index index(store);
  std::string lines;
  kmer::read_source reads({write_file(path("reads.fq"), texts.fastq)});
  kmer::classify_files(index, reads, {.on_lines = [&lines](std::string_view some) { lines += some; }});
  std::istringstream answers(lines);
  std::size_t exact = 0;
  for (std::uint64_t i = 0; i < 300; ++i) {
    std::string line;
    ASSERT_TRUE(std::getline(answers, line));
    std::istringstream words(line);
    std::string is_classified;
    std::string name;
    kmer::taxon_id taxon = 0;
    words >> is_classified >> name >> taxon;
    ASSERT_EQ(is_classified, "C") << line;
    const kmer::taxon_id expected = drawn.origin(i).taxon;
    EXPECT_TRUE(index.taxonomy().is_ancestor(*index.taxonomy().find(taxon), *index.taxonomy().find(expected)))
        << line;
    if (taxon == expected) ++exact;
  }
  EXPECT_GT(exact, 250U);
}

TEST_F(SyntheticGenomes, WrongParametersAreRefused) {
  const auto refuses = [](const kmer::synthetic_parameters& parameters, const char* what) {
    return fails_with(errc::invalid_argument, what, [&] { kmer::synthetic_genomes drawn(parameters); });
  };
  EXPECT_TRUE(refuses({.taxa = 0}, "1 to 2^30 taxa"));
  EXPECT_TRUE(refuses({.genome_bases = 0, .reads = 0}, "1 to 2^32 bases"));
  EXPECT_TRUE(refuses({.mutation = 1.5}, "mutated bases"));
  EXPECT_TRUE(refuses({.errors = -0.1}, "wrong bases"));
  EXPECT_TRUE(refuses({.genome_bases = 100}, "no more than a genome"));
}

}  // namespace
