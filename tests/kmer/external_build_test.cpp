// Builds within a budget of memory, against builds without one: interrupted, killed, and of other inputs.
#include <csignal>
#include <perdure/kmer/build_index.hpp>
#include <perdure/kmer/minimizer_index.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "kmer/small_genomes.hpp"
#include "support/child_process.hpp"
#include "support/errors.hpp"
#include "support/full_disk.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"

namespace {
using namespace perdure;
using namespace perdure::test;
using std::chrono::milliseconds;

/// Makes a checkpoint wherever one is possible.
kmer::build_options of_budget(std::uint64_t budget, unsigned threads = 1) {
  kmer::build_options how;
  how.budget = budget;
  how.threads = threads;
  how.checkpoint_interval = milliseconds(0);
  return how;
}

class ExternalBuild : public scratch_test {
 protected:
  struct interrupted : std::runtime_error {
    using std::runtime_error::runtime_error;
  };

  /// The genomes take several runs, pieces that are merged, and steps of filling with the smallest budget.
  ExternalBuild() {
    std::vector<small_genome> genomes = small_genomes();
    const std::string shared = random_bases(30'000, 40);
    for (std::size_t i = 0; i < 8; ++i)
      genomes.push_back({"n" + std::to_string(i), random_bases(40'000, 50 + i) + shared});
    files_ = {write_file(path("one.fa"), fasta_of({genomes.begin(), genomes.begin() + 6})),
              write_file(path("two.fa"), fasta_of({genomes.begin() + 6, genomes.end()}))};
    std::string map;
    for (std::size_t i = 0; i < 8; ++i) map += "n" + std::to_string(i) + (i % 2 == 0 ? "\t10\n" : "\t20\n");
    map_ = kmer::sequence_taxa(write_file(path("map"), map));
    taxonomy_ = small_taxonomy(path("."));
  }

  kmer::build_result build_in(manager& store, const kmer::build_options& how) const {
    return kmer::build_index(store, files_, taxonomy_.view(), map_, how);
  }
  kmer::build_result build(const std::string& name, const kmer::build_options& how) const {
    manager store(open_or_create, path(name), small_store());
    const kmer::build_result made = build_in(store, how);
    store.close();
    return made;
  }
  /// Begins a build, and ends it at its first checkpoint.
  void begin(const std::string& name, kmer::build_options how = of_budget(kmer::least_build_budget)) const {
    manager store(open_or_create, path(name), small_store());
    how.on_checkpoint = [] { throw interrupted("here"); };
    EXPECT_THROW(build_in(store, how), interrupted);
    store.discard();
  }

  /// All bytes of an index of one layer.
  std::string content_of(const std::string& name) const {
    const manager store(open_read_only, path(name));
    EXPECT_EQ(store.get_num_named_objects(), 3U) << "nothing is left of the build";
    const kmer::minimizer_index index(store);
    const kmer::stored_layer& layer = *index.stored_layers().front();
    const auto bytes_of = [](const auto& all) {
      const auto bytes = std::as_bytes(std::span(all.data(), all.size()));
      return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    };
    std::string odd;
    for (const kmer::minimizer_taxon& one : layer.odd)
      odd += std::to_string(one.hash) + " " + std::to_string(one.node) + "\n";
    return std::to_string(layer.minimizers) + " " + std::to_string(layer.sequences) + " " +
           std::to_string(layer.bases) + " " + std::to_string(layer.key_bits) + "\n" + odd +
           bytes_of(layer.nodes) + bytes_of(layer.rests) + bytes_of(layer.table);
  }
  const std::string& expected() {
    if (expected_.empty()) {
      build("expected", {});
      expected_ = content_of("expected");
    }
    return expected_;
  }

  std::vector<std::filesystem::path> files_;
  kmer::sequence_taxa map_;
  kmer::taxonomy taxonomy_;

 private:
  std::string expected_;
};

TEST_F(ExternalBuild, BudgetsAndThreadsGiveOneIndex) {
  for (const std::uint64_t budget : {kmer::least_build_budget, 4 * mib, 256 * mib})
    for (const unsigned threads : {1U, 3U}) {
      SCOPED_TRACE(budget);
      SCOPED_TRACE(threads);
      const std::string name = std::to_string(budget) + "." + std::to_string(threads);
      kmer::build_options how = of_budget(budget, threads);
      if (threads == 3) how.checkpoint_interval = milliseconds(1'000'000);
      const kmer::build_result made = build(name, how);
      EXPECT_TRUE(content_of(name) == expected());
      EXPECT_FALSE(made.resumed);
      EXPECT_EQ(made.sequences, 11U);
      EXPECT_GE(made.checkpoints, 2U) << "one after each stage";
    }
  EXPECT_TRUE(fails_with(errc::invalid_argument, "a budget of 1000 bytes is too small",
                         [&] { build("small", of_budget(1000)); }));
}

TEST_F(ExternalBuild, InterruptedAtAnyCheckpointGoesOnToTheSameIndex) {
  const std::uint64_t checkpoints = build("whole", of_budget(kmer::least_build_budget)).checkpoints;
  EXPECT_GE(checkpoints, 6U) << "in each stage, and after two";
  for (std::uint64_t last = 1; last <= checkpoints; ++last) {
    SCOPED_TRACE(last);
    const std::string name = "store" + std::to_string(last);
    kmer::build_options how = of_budget(kmer::least_build_budget);
    std::uint64_t seen = 0;
    how.on_checkpoint = [&] {
      if (++seen == last) throw interrupted("here");
    };
    manager store(create_only, path(name), small_store());
    EXPECT_THROW(build_in(store, how), interrupted);
    store.discard();
    kmer::build_options other = of_budget((1 + last % 3) * mib, 1 + last % 2);
    other.checkpoint_interval = milliseconds(1'000'000);
    EXPECT_TRUE(build(name, other).resumed);
    EXPECT_TRUE(content_of(name) == expected());
  }
}

TEST_F(ExternalBuild, KilledGoesOnToTheSameIndex) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "a forked child cannot start threads under ThreadSanitizer";
#endif
  for (const char* const unit : {"bytes", "minimizers", "cells"}) {
    SCOPED_TRACE(unit);
    EXPECT_EQ(result_of_child([&] {
                kmer::build_options how = of_budget(kmer::least_build_budget);
                unsigned calls = 0;
                how.on_progress = [&](const workload::progress& now) {
                  if (now.unit == unit && ++calls == 2) ::raise(SIGKILL);
                };
                build(unit, how);
                return 0;
              }),
              128 + SIGKILL);
    EXPECT_TRUE(build(unit, of_budget(kmer::least_build_budget, 2)).resumed);
    EXPECT_TRUE(content_of(unit) == expected());
  }
}

TEST_F(ExternalBuild, GoesOnOnlyWithTheSameInputs) {
  begin("store");
  const auto is_refused = [&](const std::string& words, const std::vector<std::filesystem::path>& files,
                              const kmer::taxonomy& taxonomy, const kmer::sequence_taxa& taxa,
                              const kmer::build_options& how) {
    manager store(open_only, path("store"));
    const auto refused = fails_with(errc::invalid_argument, words,
                                    [&] { kmer::build_index(store, files, taxonomy.view(), taxa, how); });
    store.discard();
    return refused;
  };
  const kmer::build_options same = of_budget(mib);
  EXPECT_TRUE(is_refused("had other inputs (genomes); give the same ones to go on with it, or begin anew",
                         {files_.front()}, taxonomy_, map_, same));
  EXPECT_TRUE(is_refused("(genomes)", {files_[1], files_[0]}, taxonomy_, map_, same));
  EXPECT_TRUE(is_refused("(genomes), as standard input and pipes cannot be read again", {"-"}, taxonomy_,
                         map_, same));
  EXPECT_TRUE(is_refused("(map of sequences)", files_, taxonomy_, {}, same));
  const kmer::taxonomy other = kmer::read_taxonomy(
      write_file(path("nodes"), "1|1|no rank|\n10|1|species|\n11|1|species|\n20|1|species|\n"),
      write_file(path("names"),
                 "1|root||scientific name|\n10|a||scientific name|\n11|b||scientific name|\n"
                 "20|c||scientific name|\n"));
  EXPECT_TRUE(is_refused("(taxonomy)", files_, other, map_, same));
  kmer::build_options changed = same;
  changed.scheme = {31, 31, 0};
  EXPECT_TRUE(is_refused("(k-mers)", files_, taxonomy_, map_, changed));
  changed.unmapped = kmer::unmapped_sequences::skip;
  EXPECT_TRUE(
      is_refused("(treatment of sequences without a taxon, k-mers)", files_, taxonomy_, map_, changed));
  EXPECT_TRUE(is_refused("with a budget was interrupted; give a budget", files_, taxonomy_, map_, {}));
  EXPECT_TRUE(build("store", same).resumed) << "refusals leave it as it was";
  EXPECT_TRUE(content_of("store") == expected());
}

TEST_F(ExternalBuild, BeginsAnewWhereThatIsAsked) {
  for (const std::uint64_t budget : {std::uint64_t{0}, mib}) {
    const std::string name = "store" + std::to_string(budget);
    begin(name);
    kmer::build_options how = of_budget(budget);
    how.anew = true;
    how.unmapped = kmer::unmapped_sequences::skip;
    EXPECT_FALSE(build(name, how).resumed);
    EXPECT_TRUE(content_of(name) == expected());
  }
}

TEST_F(ExternalBuild, AFaultInTheGenomesLeavesWhatIsRightToGoOnFrom) {
  const std::string text = fasta_of({{"n8", random_bases(100, 1)}, {"n0", random_bases(100, 2)}});
  files_.push_back(write_file(path("three.fa"), text));
  write_file(path("map"), "n0\t10\nn8\t10\n");
  map_ = kmer::sequence_taxa(path("map"));
  kmer::build_options how = of_budget(kmer::least_build_budget);
  how.unmapped = kmer::unmapped_sequences::skip;
  manager store(create_only, path("store"), small_store());
  // The name was there before what the second attempt reads.
  for (int attempt = 0; attempt < 2; ++attempt) {
    EXPECT_TRUE(fails_with(errc::bad_input, "three.fa: record 2: sequence n0 was there before",
                           [&] { build_in(store, how); }));
    store.discard();
    store = manager(open_only, path("store"));
    EXPECT_NE(store.get_num_named_objects(), 0U);
  }
}

TEST_F(ExternalBuild, AFullDiskIsAnErrorAndTheStoreIsAsItWas) {
  {
    manager store(create_only, path("store"), small_store());
    store.construct<int>("mine")(7);
    store.close();
  }
  unsigned failures = 0;
  for (std::uint64_t bytes = 2 * mib; bytes < 12 * mib; bytes += mib) {
    SCOPED_TRACE(bytes);
    manager store(open_only, path("store"));
    const file_size_limit limit(bytes);
    try {
      build_in(store, of_budget(kmer::least_build_budget));
      store.close();
      break;
    } catch (const error& failure) {
      EXPECT_EQ(failure.code(), errc::no_space) << failure.what();
      ++failures;
    }
    store.discard();
    const manager reader(open_read_only, path("store"));
    EXPECT_EQ(*reader.find<int>("mine").first, 7);
    EXPECT_EQ(reader.check(), std::vector<std::string>{});
  }
  EXPECT_GE(failures, 2U);
  manager store(open_only, path("store"));
  EXPECT_TRUE(store.destroy<int>("mine"));
  if (store.find<kmer::stored_index>("kmers").first == nullptr)
    build_in(store, of_budget(kmer::least_build_budget));
  store.close();
  EXPECT_TRUE(content_of("store") == expected());
}

TEST_F(ExternalBuild, NeedsAStoreThatIsOpenForWriting) {
  manager(create_only, path("store"), small_store()).close();
  manager store(open_read_only, path("store"));
  for (const std::uint64_t budget : {std::uint64_t{0}, mib})
    EXPECT_EQ(code_of([&] { build_in(store, of_budget(budget)); }), errc::read_only);
}

}  // namespace
