// Files one after the other, and mates.
#include <perdure/kmer/read_source.hpp>
#include <string>
#include <vector>

#include "kmer/written_file.hpp"
#include "support/errors.hpp"
#include "support/scratch_test.hpp"
#include "workload/compressed.hpp"

namespace {
using namespace perdure;
using namespace perdure::test;

class ReadSource : public scratch_test {
 protected:
  std::filesystem::path file(const std::string& name, std::string_view bytes) const {
    return write_file(path(name), bytes);
  }
  /// Names of all reads, of pairs with a blank between.
  static std::vector<std::string> names_in(const std::vector<std::filesystem::path>& files, bool in_pairs,
                                           std::size_t batch = 1 << 20) {
    kmer::read_source source(files, in_pairs);
    kmer::read_batch taken;
    std::vector<std::string> names;
    std::uint64_t batches = 0;
    while (source.next(taken, batch)) {
      EXPECT_EQ(taken.number, batches++);
      source.parse(taken);
      for (std::size_t i = 0; i < taken.reads.sequences.size(); ++i) {
        names.emplace_back(taken.reads.sequences[i].name);
        if (in_pairs) names.back() += " " + std::string(taken.mates.sequences[i].name);
      }
    }
    EXPECT_EQ(source.progress().done, source.progress().total);
    return names;
  }
  static testing::AssertionResult is_refused(const std::vector<std::filesystem::path>& files,
                                             const std::string& words) {
    return fails_with(errc::bad_input, words, [&] { names_in(files, true, 1); });
  }
};

using strings = std::vector<std::string>;

TEST_F(ReadSource, TakesFilesInTheirOrder) {
  const auto a = file("a", ">1\nA\n>2\nC\n");
  const auto b = file("b", gzip("@3\nA\n+\nI\n"));
  const auto c = file("c", "");
  for (const std::size_t batch : {1, 1 << 20})
    EXPECT_EQ(names_in({a, c, b}, false, batch), (strings{"1", "2", "3"}));
}

TEST_F(ReadSource, TakesPairsOfFiles) {
  const auto a1 = file("a1", ">1/1\nA\n>2/1 x\nC\n");
  const auto a2 = file("a2", "@1/2\nACGTACGTACGT\n+\nIIIIIIIIIIII\n@2/2\nA\n+\nI\n");
  const auto b1 = file("b1", gzip(">3\nA\n"));
  const auto b2 = file("b2", ">3 2:N:0\nA\n");
  for (const std::size_t batch : {1, 1 << 20})
    EXPECT_EQ(names_in({a1, a2, b1, b2}, true, batch), (strings{"1/1 1/2", "2/1 2/2", "3 3"}));
}

TEST_F(ReadSource, MatesThatDoNotMatchAreRefused) {
  const auto three = file("three", ">1\nA\n>2\nA\n>3\nA\n");
  const auto two = file("two", ">1\nA\n>2\nA\n");
  const auto none = file("none", "");
  EXPECT_TRUE(is_refused({three, two}, three.string() + ": record 3: it has no mate: " + two.string()));
  EXPECT_TRUE(is_refused({two, three}, three.string() + ": record 3: it has no mate: " + two.string()));
  EXPECT_TRUE(is_refused({none, two}, two.string() + ": record 1: it has no mate"));
  EXPECT_TRUE(is_refused({two, none}, two.string() + ": record 1: it has no mate"));
  const auto other = file("other", ">1\nA\n>4\nA\n");
  EXPECT_TRUE(
      is_refused({two, other}, other.string() + ": record 2: its name (4) is not that of its mate (2)"));
}

TEST_F(ReadSource, WrongFilesAreRefusedAtOnce) {
  const auto a = file("a", "");
  EXPECT_TRUE(fails_with(errc::not_found, "nowhere", [&] { kmer::read_source({a, path("nowhere")}); }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "an even number of files, not 3", [&] {
    kmer::read_source({a, a, a}, true);
  }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "only once", [&] { kmer::read_source({"-", a, "-"}); }));
}

}  // namespace
