// Taxonomies of dumps, and the taxa of sequences.
#include <perdure/kmer/sequence_taxa.hpp>
#include <perdure/kmer/taxonomy.hpp>
#include <perdure/manager.hpp>
#include <string>

#include "kmer/written_file.hpp"
#include "support/data_files.hpp"
#include "support/errors.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"

namespace {
using namespace perdure;
using namespace perdure::test;

constexpr std::string_view nodes =
    "1\t|\t1\t|\tno rank\t|\n"
    "30\t|\t20\t|\tspecies\t|\t\t|\n"
    "2\t|\t1\t|\tsuperkingdom\t|\n"
    "20\t|\t2\t|\tgenus\t|\n"
    "31\t|\t20\t|\tspecies\t|\n"
    "40\t|\t1\t|\tsuperkingdom\t|\n";
constexpr std::string_view names =
    "1\t|\troot\t|\t\t|\tscientific name\t|\n"
    "2\t|\tBacteria\t|\t\t|\tscientific name\t|\n"
    "2\t|\teubacteria\t|\t\t|\tgenbank common name\t|\n"
    "20\t|\tBacillus\t|\tBacillus <bacterium>\t|\tscientific name\t|\n"
    "30\t|\tBacillus one\t|\t\t|\tscientific name\t|\n"
    "31\t|\tBacillus two\t|\t\t|\tscientific name\t|\n"
    "40\t|\tViruses\t|\t\t|\tscientific name\t|\n"
    "99\t|\telsewhere\t|\t\t|\tscientific name\t|\n";

class Taxonomy : public scratch_test {
 protected:
  kmer::taxonomy read(std::string_view nodes_text, std::string_view names_text = names) const {
    return kmer::read_taxonomy(write_file(path("nodes.dmp"), nodes_text),
                               write_file(path("names.dmp"), names_text));
  }
  testing::AssertionResult is_refused(std::string_view nodes_text, const std::string& words) const {
    return fails_with(errc::bad_input, path("nodes.dmp").string() + ": line " + words,
                      [&] { read(nodes_text); });
  }
};

void expect_whole(const kmer::taxonomy_view& view) {
  ASSERT_EQ(view.size(), 6U);
  EXPECT_EQ(view.ids[0], 1U);
  EXPECT_EQ(view.parents[0], 0U);
  const auto bacteria = view.find(2);
  const auto genus = view.find(20);
  const auto one = view.find(30);
  const auto two = view.find(31);
  const auto viruses = view.find(40);
  ASSERT_TRUE(bacteria && genus && one && two && viruses);
  EXPECT_FALSE(view.find(3));
  EXPECT_FALSE(view.find(99));
  EXPECT_EQ(view.name(*genus), "Bacillus");
  EXPECT_EQ(view.name(*two), "Bacillus two");
  EXPECT_EQ(view.rank(0), "no rank");
  EXPECT_EQ(view.rank(*two), "species");
  EXPECT_EQ(view.rank(*viruses), "superkingdom");
  EXPECT_EQ(view.parents[*two], *genus);
  EXPECT_EQ(view.common_ancestor(*one, *two), *genus);
  EXPECT_EQ(view.common_ancestor(*one, *genus), *genus);
  EXPECT_EQ(view.common_ancestor(*one, *viruses), 0U);
  EXPECT_TRUE(view.is_ancestor(*bacteria, *one));
  EXPECT_TRUE(view.is_ancestor(*one, *one));
  EXPECT_FALSE(view.is_ancestor(*one, *two));
  EXPECT_FALSE(view.is_ancestor(*viruses, *two));
  for (kmer::taxon_node node = 1; node < view.size(); ++node) EXPECT_LT(view.parents[node], node);
}

TEST_F(Taxonomy, IsReadFromDumps) {
  expect_whole(read(nodes).view());
}

TEST_F(Taxonomy, IsTheSameInAStore) {
  {
    manager store(create_only, path("store"), small_store());
    store.construct<kmer::stored_taxonomy>("taxa")()->assign(read(nodes).view());
    store.close();
  }
  const manager store(open_read_only, path("store"));
  expect_whole(store.find<kmer::stored_taxonomy>("taxa").first->view());
}

TEST_F(Taxonomy, AFaultIsToldWithFileAndLine) {
  EXPECT_TRUE(is_refused("1\t|\t1\t|\tno rank\t|\n2\t|\t1\n", "2: it is not a line"));
  EXPECT_TRUE(is_refused("1|1|no rank|\nx|1|genus|\n", "2: 'x' is no number of a taxon"));
  EXPECT_TRUE(is_refused("1|1|no rank|\n2|0|genus|\n", "2: '0' is no number of a taxon"));
  EXPECT_TRUE(is_refused("1|1|no rank|\n4294967296|1|genus|\n", "2: '4294967296' is no number"));
  EXPECT_TRUE(is_refused("1|1|no rank|\n2|1|genus|\n\n2|1|genus|\n", "4: taxon 2 is in line 2 already"));
  EXPECT_TRUE(
      is_refused("1|1|no rank|\n2|7|genus|\n", "2: taxon 2 has the parent 7, which the file does not have"));
  EXPECT_TRUE(is_refused("1|1|no rank|\n2|2|genus|\n", "2: taxa 1 and 2 are both their own parents"));
  EXPECT_TRUE(is_refused("1|2|no rank|\n2|1|genus|\n", "2: the taxonomy has no root"));
  EXPECT_TRUE(is_refused("1|1|no rank|\n5|3|a|\n2|4|a|\n3|2|a|\n4|3|a|\n", "3: taxon 2 is its own ancestor"));
  EXPECT_TRUE(is_refused("", "0: the taxonomy has no root"));
}

TEST_F(Taxonomy, AFaultOfNamesIsToldToo) {
  const std::string at = path("names.dmp").string();
  const auto refused = [&](std::string_view text, const std::string& words) {
    return fails_with(errc::bad_input, at + words, [&] { read("1|1|no rank|\n2|1|genus|\n", text); });
  };
  EXPECT_TRUE(refused("1|root||scientific name|\n", ": there is no scientific name of taxon 2"));
  EXPECT_TRUE(refused("1|root||scientific name|\n2|B||scientific name|\n2|C||scientific name|\n",
                      ": line 3: taxon 2 has a scientific name already: B"));
  EXPECT_TRUE(refused("1|root\n", ": line 1: it is not a line"));
  EXPECT_TRUE(refused("1|||scientific name|\n", ": line 1: the name of taxon 1 is empty"));
}

TEST_F(Taxonomy, OfTheRealExcerptIsWhole) {
  const auto real_nodes = data_file("taxonomy/mini/nodes.dmp");
  if (real_nodes.empty()) GTEST_SKIP() << "no test data";
  const kmer::taxonomy taxa = kmer::read_taxonomy(real_nodes, data_file("taxonomy/mini/names.dmp"));
  const kmer::taxonomy_view view = taxa.view();
  EXPECT_EQ(view.ids[0], 1U);
  const auto deformed = view.find(198112);
  const auto varroa = view.find(232800);
  ASSERT_TRUE(deformed && varroa);
  EXPECT_EQ(view.name(*deformed), "Deformed wing virus");
  EXPECT_EQ(view.ids[view.common_ancestor(*deformed, *varroa)], 232799U);
}

TEST_F(Taxonomy, AMapOrItsNameHasASequencesTaxon) {
  const kmer::sequence_taxa none;
  EXPECT_EQ(none.taxon_of("kraken:taxid|11|NC_1"), 11U);
  EXPECT_EQ(none.taxon_of("gi|5|kraken:taxid|12"), 12U);
  EXPECT_FALSE(none.taxon_of("NC_1"));
  EXPECT_FALSE(none.taxon_of("xkraken:taxid|11"));
  EXPECT_FALSE(none.taxon_of("kraken:taxid|x"));
  const kmer::sequence_taxa map(write_file(path("map"), "NC_1\t7\r\nNC_2 8\nNC_1 7\nkraken:taxid|11\t9\n"));
  EXPECT_EQ(map.size(), 3U);
  EXPECT_EQ(map.taxon_of("NC_1"), 7U);
  EXPECT_EQ(map.taxon_of("NC_2"), 8U);
  EXPECT_EQ(map.taxon_of("kraken:taxid|11"), 9U);
  EXPECT_EQ(map.taxon_of("kraken:taxid|12"), 12U);
  EXPECT_FALSE(map.taxon_of("NC_3"));
}

TEST_F(Taxonomy, AFaultOfAMapIsToldWithFileAndLine) {
  const auto refused = [&](std::string_view text, const std::string& words) {
    return fails_with(errc::bad_input, path("map").string() + words,
                      [&] { kmer::sequence_taxa(write_file(path("map"), text)); });
  };
  EXPECT_TRUE(refused("NC_1\t7\nNC_2\n", ": line 2: it is not a sequence's name"));
  EXPECT_TRUE(refused("NC_1\tx\n", ": line 1: it is not a sequence's name"));
  EXPECT_TRUE(refused("NC_1\t7\nNC_1\t8\n", ": line 2: sequence NC_1 has the taxon 7 already"));
}

}  // namespace
