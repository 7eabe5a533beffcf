// Minimizers against their definition.
#include <perdure/kmer/minimizer.hpp>
#include <random>
#include <string>
#include <vector>

#include "kmer/naive_minimizers.hpp"
#include "kmer/small_genomes.hpp"
#include "support/errors.hpp"

namespace {
using namespace perdure;
using namespace perdure::test;

std::vector<std::uint64_t> scanned(std::string_view bases, const kmer::minimizer_scheme& scheme) {
  std::vector<kmer::minimizer_run> runs;
  kmer::minimizer_scanner(scheme).scan(bases, runs);
  std::vector<std::uint64_t> all;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    EXPECT_NE(runs[i].kmers, 0U);
    if (i != 0) {
      EXPECT_NE(runs[i].minimizer, runs[i - 1].minimizer) << "one run in two pieces";
    }
    all.insert(all.end(), runs[i].kmers, runs[i].minimizer);
  }
  return all;
}

TEST(Minimizers, AreThoseOfTheirDefinition) {
  std::mt19937_64 random(7);
  for (const kmer::minimizer_scheme scheme :
       {kmer::minimizer_scheme{}, kmer::minimizer_scheme{31, 31, 7}, kmer::minimizer_scheme{32, 31, 0},
        kmer::minimizer_scheme{21, 15, 3}, kmer::minimizer_scheme{12, 4, 1}, kmer::minimizer_scheme{9, 1, 0}})
    for (unsigned round = 0; round < 60; ++round) {
      std::string bases = random_bases(random() % 200, random());
      const std::size_t ambiguous = round % 5;
      for (std::size_t i = 0; i < ambiguous && !bases.empty(); ++i) bases[random() % bases.size()] = 'N';
      EXPECT_EQ(scanned(bases, scheme), naive_minimizers(bases, scheme))
          << scheme.k << ' ' << scheme.l << ' ' << bases;
    }
}

TEST(Minimizers, OfBothStrandsAreTheSame) {
  const std::string bases = random_bases(300, 9);
  std::string other(bases.rbegin(), bases.rend());
  for (char& base : other) base = "TGCA"[std::string_view("ACGT").find(base)];
  std::vector<std::uint64_t> backward = scanned(other, {});
  std::reverse(backward.begin(), backward.end());
  EXPECT_EQ(scanned(bases, {}), backward);
}

TEST(Minimizers, LowerCaseAndUracilAreTheSameBases) {
  const std::string bases = random_bases(200, 10);
  std::string other = bases;
  for (char& base : other) base = base == 'T' ? 'u' : static_cast<char>(base - 'A' + 'a');
  EXPECT_EQ(scanned(bases, {}), scanned(other, {}));
  for (const char code : std::string_view("RYSWKMBDHVNXryswkmbdhvnx-.")) {
    std::string broken = bases;
    broken[100] = code;
    EXPECT_EQ(scanned(broken, {}), naive_minimizers(broken, {})) << code;
  }
}

TEST(Minimizers, ShortSequencesHaveNone) {
  EXPECT_TRUE(scanned("", {}).empty());
  EXPECT_TRUE(scanned(random_bases(34, 1), {}).empty());
  EXPECT_EQ(scanned(random_bases(35, 1), {}).size(), 1U);
  EXPECT_EQ(scanned(std::string(40, 'N'), {}), std::vector<std::uint64_t>(6, kmer::no_minimizer));
}

TEST(Minimizers, AreShownAsLetters) {
  const std::string bases = "CCAGTAAGGTTGATTTGGTCGGAAGCGGTTA";
  EXPECT_EQ(kmer::letters_of(naive_minimizer(bases, {31, 31, 0}), {31, 31, 0}), bases);
  EXPECT_EQ(kmer::letters_of(naive_minimizer(bases, {31, 31, 7}), {31, 31, 7}),
            "CCAGTAAGGTTGATTTG.T.G.A.G.G.T.A");
}

TEST(Minimizers, OddParametersAreRefused) {
  for (const kmer::minimizer_scheme scheme :
       {kmer::minimizer_scheme{35, 32, 7}, kmer::minimizer_scheme{30, 31, 7}, kmer::minimizer_scheme{5, 0, 0},
        kmer::minimizer_scheme{35, 31, 8}})
    EXPECT_TRUE(
        fails_with(errc::invalid_argument, "minimizers of", [&] { kmer::minimizer_scanner{scheme}; }));
}

}  // namespace
