// Look-ups in batches, and classification within a budget: the answers are those in memory.
#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <perdure/kmer/batch_lookup.hpp>
#include <perdure/kmer/build_index.hpp>
#include <perdure/kmer/classify_files.hpp>
#include <perdure/kmer/grow_index.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kmer/small_genomes.hpp"
#include "support/errors.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"

namespace {
using namespace perdure;
using namespace perdure::test;

constexpr std::array plans{kmer::lookup_plan::faults, kmer::lookup_plan::sweep, kmer::lookup_plan::automatic};

/// Three genomes in a layer of many pages, and two that were added later, each in a layer of its own.
class OutOfCore : public scratch_test {
 protected:
  OutOfCore() {
    const std::string shared = random_bases(5000, 1);
    genomes_ = {{"kraken:taxid|10|a", random_bases(40000, 2) + shared},
                {"kraken:taxid|11|b", random_bases(40000, 3) + shared},
                {"kraken:taxid|20|c", random_bases(40000, 4)},
                {"kraken:taxid|20|d", random_bases(3000, 5) + shared.substr(0, 1000)},
                {"kraken:taxid|11|e", random_bases(200, 6) + shared.substr(4000, 100)}};
    manager store(create_only, path("store"), small_store());
    const std::vector<small_genome> first(genomes_.begin(), genomes_.begin() + 3);
    kmer::build_index(store, {write_file(path("genomes.fa"), fasta_of(first))},
                      small_taxonomy(path(".")).view(), {});
    for (std::size_t i = 3; i < genomes_.size(); ++i)
      kmer::add_genomes(store, {write_file(path("added.fa"), fasta_of({genomes_[i]}))}, {},
                        {.merge_below = 0});
    store.close();
    open(backing::private_memory);
  }
  void open(backing kind) {
    index_.reset();
    store_.reset();
    store_options how = small_store(kind);
    how.memory_budget = 256 << 10;
    store_.emplace(open_read_only, path("store"), how);
    index_.emplace(*store_);
    ASSERT_EQ(index_->layers().size(), 3U);
    ASSERT_GE(index_->layers()[0].table().pages(), 50U);
  }

  const kmer::minimizer_index& index() const { return *index_; }
  /// Runs of reads from all genomes and from none, with ambiguous bases, some of them several times.
  std::vector<kmer::minimizer_run> some_runs(std::size_t reads) const {
    std::vector<kmer::minimizer_run> runs;
    kmer::minimizer_scanner scanner(index().scheme());
    for (std::size_t i = 0; i < reads; ++i) scanner.scan(read(i), runs);
    return runs;
  }
  /// Looks up one by one.
  std::vector<std::uint32_t> taxa_of(const std::vector<kmer::minimizer_run>& runs) const {
    std::vector<std::uint32_t> taxa;
    for (const kmer::minimizer_run& run : runs)
      taxa.push_back(run.minimizer == kmer::no_minimizer ? 0 : index().find(run.minimizer));
    return taxa;
  }
  std::string read(std::size_t number) const {
    if (number % 7 == 0) return random_bases(100, number + 100);
    if (number % 31 == 0) return "ACGT";
    const std::string& genome = genomes_[number % genomes_.size()].bases;
    std::string bases = genome.substr(number * 137 % (genome.size() - 120), 80 + number % 40);
    if (number % 5 == 0) bases[number % bases.size()] = 'N';
    return bases;
  }
  std::filesystem::path reads_file(const std::string& name, std::size_t reads, std::size_t from = 0) const {
    std::string text;
    for (std::size_t i = 0; i < reads; ++i) text += ">" + std::to_string(i) + "\n" + read(from + i) + "\n";
    return write_file(path(name), text);
  }
  /// Returns all that classification hands out, as text.
  std::string answers(const std::vector<std::filesystem::path>& files, bool in_pairs,
                      kmer::classify_options how, kmer::classify_result* result = nullptr) const {
    std::string all;
    std::string without;
    how.on_lines = [&](std::string_view some) { all += some; };
    how.on_unclassified = [&](std::string_view reads, std::string_view mates) {
      without.append(reads).append(mates);
    };
    std::atomic<std::uint64_t> groups{0};
    how.on_hit_groups = [&](std::span<const kmer::hit_group> some) { groups += some.size(); };
    kmer::read_source source(files, in_pairs);
    const kmer::classify_result found = kmer::classify_files(index(), source, how);
    if (result != nullptr) *result = found;
    for (const std::uint64_t reads : found.reads_of_nodes) all.append(std::to_string(reads)).append(" ");
    return all + std::to_string(found.reads) + " " + std::to_string(found.bases) + " " +
           std::to_string(found.classified) + " " + std::to_string(groups) + "\n" + without;
  }

  std::vector<small_genome> genomes_;
  std::optional<manager> store_;
  std::optional<kmer::minimizer_index> index_;
};

TEST_F(OutOfCore, LookUpsInBatchesFindWhatTheIndexFinds) {
  for (const backing kind : {backing::paged, backing::private_memory}) {
    open(kind);
    const std::vector<kmer::minimizer_run> runs = some_runs(2000);
    const std::vector<std::uint32_t> expected = taxa_of(runs);
    ASSERT_GE(std::set<std::uint32_t>(expected.begin(), expected.end()).size(), 6U);
    for (const kmer::lookup_plan plan : plans)
      for (const unsigned threads : {1U, 3U})
        for (const std::size_t pages : {0, 5, 1000}) {
          if (kind == backing::paged && pages == 0) continue;  // a wait for the device for each page
          kmer::batch_lookup lookups(
              index(), {.plan = plan, .threads = threads, .buffer_bytes = pages * sizeof(kmer::table_page)});
          // Two batches of two lists each.
          std::vector<std::uint32_t> found(runs.size(), 77);
          const std::size_t part = runs.size() / 4;
          for (const std::size_t begin : {std::size_t{0}, 2 * part}) {
            const std::size_t end = begin == 0 ? 2 * part : runs.size();
            const auto wanted_of = [&](std::size_t first, std::size_t last) {
              return kmer::wanted_taxa{std::span(runs).subspan(first, last - first),
                                       std::span(found).subspan(first, last - first)};
            };
            lookups.find(std::array{wanted_of(begin, begin + part), wanted_of(begin + part, end)});
          }
          EXPECT_EQ(found, expected) << static_cast<int>(plan) << " " << threads << " " << pages;
        }
  }
}

TEST_F(OutOfCore, FaultsReadEachPageOnceAndASweepAllBetween) {
  const std::vector<kmer::minimizer_run> few = some_runs(3);
  const std::vector<kmer::minimizer_run> many = some_runs(2000);
  const std::vector<std::uint32_t> of_few = taxa_of(few);
  const std::vector<std::uint32_t> of_many = taxa_of(many);
  open(backing::paged);
  for (const auto& [runs, expected] : {std::pair(&few, &of_few), std::pair(&many, &of_many)}) {
    std::uint64_t wanted_pages = 0;
    std::uint64_t between = 0;
    for (const kmer::layer_view& layer : index().layers()) {
      std::set<std::uint64_t> pages;
      for (const kmer::minimizer_run& run : *runs)
        if (run.minimizer != kmer::no_minimizer)
          pages.insert(layer.table().place_of(index().hash()(run.minimizer)).page);
      wanted_pages += pages.size();
      between += *pages.rbegin() - *pages.begin() + 1;
    }
    std::vector<std::vector<std::uint32_t>> found;
    for (const bool sweeps : {false, true}) {
      std::atomic<std::uint64_t> read{0};
      const kmer::lookup_plan plan = sweeps ? kmer::lookup_plan::sweep : kmer::lookup_plan::faults;
      kmer::batch_lookup lookups(index(),
                                 {.plan = plan, .on_pages = [&read](std::uint64_t n) { read += n; }});
      std::vector<std::uint32_t> taxa(runs->size());
      lookups.find(std::array{kmer::wanted_taxa{*runs, taxa}});
      EXPECT_EQ(read, sweeps ? between : wanted_pages);
      EXPECT_EQ(lookups.done_by(plan).pages, read);
      EXPECT_GT(lookups.done_by(plan).seconds, 0);
      EXPECT_LT(store_->store().paging()->most_resident_bytes, 128U << 10) << "pages went through memory";
      found.push_back(taxa);
    }
    EXPECT_EQ(found, (std::vector{*expected, *expected})) << "the sweep has gaps between few look-ups";
  }
}

TEST_F(OutOfCore, TheAutomaticPlanMeasuresBothAndTakesTheFaster) {
  index_.reset();
  store_.emplace(open_copy_on_write, path("store"), small_store());
  // A table of so many pages that measuring pays. Its cells are elsewhere then, and nothing is found.
  store_->find<kmer::stored_layer>("kmers.layer.0").first->table.resize(6000);
  index_.emplace(*store_);
  const std::vector<kmer::minimizer_run> runs = some_runs(2000);
  std::vector<kmer::plan_choice> choices;
  kmer::batch_lookup lookups(
      index(), {.threads = 2, .on_choice = [&](const kmer::plan_choice& made) { choices.push_back(made); }});
  std::vector<std::uint32_t> taxa(runs.size());
  for (int batch = 0; batch < 2; ++batch) lookups.find(std::array{kmer::wanted_taxa{runs, taxa}});
  ASSERT_EQ(choices.size(), 6U) << "one for each layer of each batch";
  for (const kmer::plan_choice& one : choices) {
    EXPECT_GT(one.faults.pages_per_second, 0);
    EXPECT_GT(one.sweep.pages_per_second, 0);
    EXPECT_GE(one.sweep.pages, one.faults.pages);
    const double by_faults = static_cast<double>(one.faults.pages) / one.faults.pages_per_second;
    const double by_sweep = static_cast<double>(one.sweep.pages) / one.sweep.pages_per_second;
    if (std::abs(by_faults - by_sweep) > 0.001 * by_faults) {
      EXPECT_EQ(one.chosen, by_sweep < by_faults ? kmer::lookup_plan::sweep : kmer::lookup_plan::faults);
    }
  }
  EXPECT_GT(choices.front().faults.pages, 1024U);
  EXPECT_LE(choices.front().sweep.pages, 6000U);
  EXPECT_GE(lookups.done_by(kmer::lookup_plan::faults).pages, choices.front().faults.pages / 64);
  EXPECT_GE(lookups.done_by(kmer::lookup_plan::sweep).pages, choices.front().faults.pages / 64);
}

TEST_F(OutOfCore, LookUpsNeedAPlaceForEachTaxon) {
  const std::vector<kmer::minimizer_run> runs(3);
  std::vector<std::uint32_t> taxa(2);
  kmer::batch_lookup lookups(index(), {});
  EXPECT_TRUE(fails_with(errc::invalid_argument, "3 runs of k-mers have 2 places for taxa", [&] {
    lookups.find(std::array{kmer::wanted_taxa{runs, taxa}});
  }));
  lookups.find({});
}

TEST_F(OutOfCore, AnswersAreThoseInMemoryForAnyBudgetAndPlan) {
  const auto one = reads_file("one", 60);
  const auto two = reads_file("two", 60, 1000);
  struct question {
    bool in_pairs;
    kmer::classify_rules rules;
  };
  for (const question& asked :
       {question{false, {}}, question{true, {}}, question{false, {0.4, 2}}, question{true, {0.1, 5}}}) {
    const std::string expected = answers({one, two}, asked.in_pairs, {.rules = asked.rules});
    for (const kmer::lookup_plan plan : plans)
      for (const unsigned threads : {1U, 3U})
        for (const std::size_t budget : {std::size_t{1}, std::size_t{20'000}, 64 * mib}) {
          kmer::classify_result found;
          EXPECT_EQ(
              answers({one, two}, asked.in_pairs,
                      {.rules = asked.rules, .threads = threads, .budget = budget, .plan = plan}, &found),
              expected)
              << static_cast<int>(plan) << " " << threads << " " << budget;
          EXPECT_EQ(found.faults.pages == 0, plan == kmer::lookup_plan::sweep);
          if (plan == kmer::lookup_plan::faults) {
            EXPECT_EQ(found.sweep.pages, 0U);
          }
        }
  }
  const std::string expected = answers({one, two}, true, {});
  open(backing::paged);
  for (const kmer::lookup_plan plan : plans)
    EXPECT_EQ(answers({one, two}, true, {.threads = 2, .budget = 64 * mib, .plan = plan}), expected);
}

TEST_F(OutOfCore, ReadsAreTakenUpToTheBudget) {
  const auto reads = reads_file("reads", 2000);
  const auto sweeps_with = [&](std::size_t budget) {
    kmer::classify_result found;
    answers({reads}, false, {.budget = budget, .plan = kmer::lookup_plan::sweep}, &found);
    const std::uint64_t pages = index().layers()[0].table().pages();
    return found.sweep.pages / pages;
  };
  EXPECT_EQ(sweeps_with(64 * mib), 1U) << "all reads fit";
  EXPECT_GE(sweeps_with(300'000), 4U);
}

TEST_F(OutOfCore, FewReadsHaveThePagesCopiedThatTheyNeed) {
  for (const bool few : {true, false}) {
    // A file of fewer bytes than the index has pages, and a larger one.
    const auto reads = few ? write_file(path("few"), ">r\n" + genomes_[0].bases.substr(100, 40) + "\n")
                           : reads_file("many", 60);
    kmer::classify_result found;
    const std::string answer = answers({reads}, false, {.threads = 2}, &found);
    EXPECT_EQ(found.faults.pages != 0, few);
    EXPECT_EQ(answer, answers({reads}, false, {.budget = mib, .plan = kmer::lookup_plan::sweep}));
  }
}

TEST_F(OutOfCore, FilesWithoutReadsHaveNoAnswers) {
  kmer::classify_result found;
  answers({write_file(path("empty"), "")}, false, {.threads = 2, .budget = mib}, &found);
  EXPECT_EQ(found.reads, 0U);
  EXPECT_EQ(found.faults.pages + found.sweep.pages, 0U);
}

TEST_F(OutOfCore, OfSeveralBrokenRecordsTheFirstIsTold) {
  std::string text;
  for (int i = 0; i < 600; ++i)
    text += ">" + std::to_string(i) + "\n" + (i == 300 || i == 500 ? "AC?T" : read(7)) + "\n";
  const auto broken = write_file(path("broken"), text);
  for (const std::size_t budget : {std::size_t{20'000}, 16 * mib}) {
    std::string lines;
    kmer::read_source source({broken});
    EXPECT_TRUE(fails_with(errc::bad_input, "record 301: (300): '?'", [&] {
      kmer::classify_files(
          index(), source,
          {.threads = 3, .batch_bytes = 1000, .budget = budget, .on_lines = [&](std::string_view some) {
             lines += some;
           }});
    }));
    EXPECT_LE(std::count(lines.begin(), lines.end(), '\n'), 300);
    EXPECT_GE(std::count(lines.begin(), lines.end(), '\n'), 250) << "reads before it have answers";
  }
}

TEST_F(OutOfCore, WhatACallerThrowsEndsTheWork) {
  const auto reads = reads_file("reads", 500);
  const auto work = [&](kmer::classify_options how) {
    kmer::read_source source({reads});
    how.threads = 3;
    how.batch_bytes = 1000;
    how.budget = 100'000;
    EXPECT_THROW(kmer::classify_files(index(), source, how), std::runtime_error);
  };
  unsigned calls = 0;
  kmer::classify_options how;
  how.on_lines = [&calls](std::string_view) {
    if (++calls == 3) throw std::runtime_error("full");
  };
  work(how);
  EXPECT_EQ(calls, 3U);
  std::atomic<unsigned> pieces{0};
  how = {};
  how.on_pages = [&pieces](std::uint64_t) {
    ++pieces;
    throw std::runtime_error("interrupted");
  };
  work(how);
  EXPECT_LE(pieces, 3U) << "one of each thread";
}

}  // namespace
