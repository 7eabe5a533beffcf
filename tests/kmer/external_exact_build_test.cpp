// Exact indexes that are built within a budget of memory, against those that are built without one.
#include <csignal>
#include <perdure/kmer/build_exact.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "kmer/equal_layers.hpp"
#include "kmer/small_genomes.hpp"
#include "support/child_process.hpp"
#include "support/errors.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"

namespace {
using namespace perdure;
using namespace perdure::test;
using std::chrono::milliseconds;

class ExternalExactBuild : public scratch_test {
 protected:
  struct interrupted : std::runtime_error {
    using std::runtime_error::runtime_error;
  };

  /// The genomes take several runs, pieces that are merged, and steps of filling with the smallest budget.
  ExternalExactBuild() {
    std::vector<small_genome> genomes = small_genomes();
    const std::string shared = random_bases(20'000, 40);
    for (std::size_t i = 0; i < 8; ++i)
      genomes.push_back({"kraken:taxid|" + std::string(i % 2 == 0 ? "10" : "20") + "|n" + std::to_string(i),
                         random_bases(25'000, 50 + i) + shared});
    files_ = {write_file(path("one.fa"), fasta_of({genomes.begin(), genomes.begin() + 6})),
              write_file(path("two.fa"), fasta_of({genomes.begin() + 6, genomes.end()}))};
    taxonomy_ = small_taxonomy(path("."));
    build("expected", {});
  }

  /// Makes a checkpoint wherever one is possible.
  static kmer::exact_options of_budget(std::uint64_t budget, unsigned threads = 1) {
    kmer::exact_options how;
    how.budget = budget;
    how.threads = threads;
    how.checkpoint_interval = milliseconds(0);
    return how;
  }
  kmer::exact_result build(const std::string& name, const kmer::exact_options& how) const {
    manager store(open_or_create, path(name), small_store());
    const kmer::exact_result made = kmer::build_exact_index(store, files_, taxonomy_.view(), {}, how);
    EXPECT_EQ(store.get_num_named_objects(), 3U) << "nothing is left of the build";
    store.close();
    return made;
  }
  /// Begins a build, and ends it at its checkpoint number `last`.
  void begin(const std::string& name, std::uint64_t last = 1) const {
    kmer::exact_options how = of_budget(kmer::least_build_budget);
    std::uint64_t seen = 0;
    how.on_checkpoint = [&] {
      if (++seen == last) throw interrupted("here");
    };
    manager store(create_only, path(name), small_store());
    EXPECT_THROW(kmer::build_exact_index(store, files_, taxonomy_.view(), {}, how), interrupted);
    store.discard();
  }
  testing::AssertionResult is_expected(const std::string& name) const {
    return have_equal_layers(path(name), path("expected"));
  }

  std::vector<std::filesystem::path> files_;
  kmer::taxonomy taxonomy_;
};

TEST_F(ExternalExactBuild, BudgetsAndThreadsGiveOneIndex) {
  for (const std::uint64_t budget : {kmer::least_build_budget, 3 * mib, 256 * mib})
    for (const unsigned threads : {1U, 3U}) {
      SCOPED_TRACE(budget);
      SCOPED_TRACE(threads);
      const std::string name = std::to_string(budget) + "." + std::to_string(threads);
      const kmer::exact_result made = build(name, of_budget(budget, threads));
      EXPECT_TRUE(is_expected(name));
      EXPECT_FALSE(made.resumed);
      EXPECT_EQ(made.sequences, 11U);
      EXPECT_GE(made.checkpoints, 2U) << "one after each stage";
    }
  EXPECT_TRUE(fails_with(errc::invalid_argument, "a budget of 1000 bytes is too small",
                         [&] { build("small", of_budget(1000)); }));
}

TEST_F(ExternalExactBuild, PrunesAsABuildInMemoryDoes) {
  kmer::exact_options how;
  how.prune = 1;
  how.k = 20;
  build("pruned", how);
  how.budget = kmer::least_build_budget;
  build("within", how);
  EXPECT_TRUE(have_equal_layers(path("within"), path("pruned")));
}

TEST_F(ExternalExactBuild, InterruptedAtAnyCheckpointGoesOnToTheSameIndex) {
  const std::uint64_t checkpoints = build("whole", of_budget(kmer::least_build_budget)).checkpoints;
  EXPECT_GE(checkpoints, 5U) << "in the first stages, and after them";
  for (std::uint64_t last = 1; last <= checkpoints; ++last) {
    SCOPED_TRACE(last);
    const std::string name = "store" + std::to_string(last);
    begin(name, last);
    EXPECT_TRUE(build(name, of_budget((1 + last % 3) * mib, 1 + last % 2)).resumed);
    EXPECT_TRUE(is_expected(name));
  }
}

TEST_F(ExternalExactBuild, KilledGoesOnToTheSameIndex) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "a forked child cannot start threads under ThreadSanitizer";
#endif
  // Calls while files are read, runs are merged, sets are found, and pages are filled.
  std::vector<std::string> units;
  kmer::exact_options how = of_budget(kmer::least_build_budget);
  how.on_progress = [&](const workload::progress& now) { units.emplace_back(now.unit); };
  build("watched", how);
  ASSERT_GE(units.size(), 8U);
  for (std::size_t last = 2; last <= units.size(); last += 1 + units.size() / 6) {
    SCOPED_TRACE(last);
    const std::string name = "store" + std::to_string(last);
    EXPECT_EQ(result_of_child([&] {
                std::size_t calls = 0;
                how.on_progress = [&](const workload::progress&) {
                  if (++calls == last) ::raise(SIGKILL);
                };
                build(name, how);
                return 0;
              }),
              128 + SIGKILL);
    build(name, of_budget(kmer::least_build_budget, 2));
    EXPECT_TRUE(is_expected(name));
  }
}

TEST_F(ExternalExactBuild, GoesOnOnlyWithTheSameInputs) {
  begin("store");
  const auto is_refused = [&](const std::string& words, const auto& build) {
    manager store(open_only, path("store"));
    const auto refused = fails_with(errc::invalid_argument, words, [&] { build(store); });
    store.discard();
    return refused;
  };
  const auto build_with = [&](const kmer::exact_options& how) {
    return [&, how](manager& store) { kmer::build_exact_index(store, files_, taxonomy_.view(), {}, how); };
  };
  kmer::exact_options other = of_budget(mib);
  other.k = 21;
  EXPECT_TRUE(is_refused("had other inputs (k-mers); give the same ones to go on with it, or begin anew",
                         build_with(other)));
  EXPECT_TRUE(is_refused("with a budget was interrupted; give a budget", build_with({})));
  EXPECT_TRUE(is_refused("had other inputs (kind of index, k-mers)", [&](manager& store) {
    kmer::build_options minimizers;
    minimizers.budget = mib;
    kmer::build_index(store, files_, taxonomy_.view(), {}, minimizers);
  }));
  EXPECT_TRUE(build("store", of_budget(mib)).resumed) << "refusals leave it as it was";
  EXPECT_TRUE(is_expected("store"));
}

TEST_F(ExternalExactBuild, AnIndexOfTheOtherKindBeginsAnew) {
  begin("store");
  manager store(open_only, path("store"));
  kmer::build_options minimizers;
  minimizers.anew = true;
  EXPECT_FALSE(kmer::build_index(store, files_, taxonomy_.view(), {}, minimizers).resumed);
  EXPECT_TRUE(fails_with(errc::already_exists, "has a k-mer index named \"kmers\" already", [&] {
    kmer::build_exact_index(store, files_, taxonomy_.view(), {}, of_budget(mib));
  }));
  store.close();
}

}  // namespace
