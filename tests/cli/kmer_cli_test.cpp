// The kmer commands, from FASTA files to a report.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <perdure/manager.hpp>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "support/program.hpp"
#include "support/scratch_directory.hpp"

namespace {

class KmerCommands : public testing::Test {
 protected:
  using arguments = std::vector<std::string>;

  KmerCommands() {
    std::mt19937 random(1);
    const auto bases = [&random](std::size_t size) {
      std::string all(size, ' ');
      for (char& base : all) base = "ACGT"[random() % 4];
      return all;
    };
    first_ = bases(500);
    second_ = bases(500);
    nodes_ = file("nodes.dmp", "1|1|no rank|\n2|1|genus|\n10|2|species|\n11|2|species|\n");
    names_ = file("names.dmp",
                  "1|root||scientific name|\n2|Alpha||scientific name|\n10|Alpha one||scientific name|\n"
                  "11|Alpha two||scientific name|\n");
    genomes_ = file("genomes.fa", ">kraken:taxid|10|a\n" + first_ + "\n>b\n" + second_ + "\n");
    map_ = file("map", "b\t11\n");
  }

  std::string path(const std::string& name) const { return (dir_ / name).string(); }
  std::string file(const std::string& name, const std::string& text) const {
    return dir_.write(name, text).string();
  }
  std::string content(const std::string& name) const {
    std::ifstream stream(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  static std::string ok(const arguments& a) {
    const perdure::test::outcome o = perdure::test::perdure_run(a);
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_EQ(o.err, "");
    return o.out;
  }
  static nlohmann::json ok_json(arguments a) {
    a.push_back("--json");
    return nlohmann::json::parse(ok(a));
  }
  static std::string fails(const arguments& a, int status = 1) {
    const perdure::test::outcome o = perdure::test::perdure_run(a);
    EXPECT_EQ(o.status, status) << o.out << o.err;
    return o.err;
  }
  static void expect_part(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  arguments build_command(const std::string& store = "genomes.store") const {
    return {"kmer", "build", path(store), "--genomes", genomes_, "--taxonomy", nodes_, names_, "--map", map_};
  }

  perdure::scratch_directory dir_;
  std::string first_;
  std::string second_;
  std::string nodes_;
  std::string names_;
  std::string genomes_;
  std::string map_;
};

TEST_F(KmerCommands, LeadFromGenomesToAReport) {
  const nlohmann::json built = ok_json(build_command());
  EXPECT_EQ(built["sequences"], 2);
  EXPECT_EQ(built["bases"], 1000);
  EXPECT_EQ(built["skipped_sequences"], 0);
  const std::string store = path("genomes.store");
  const std::string reads = file(
      "reads.fq", "@r1\n" + first_.substr(100, 100) + "\n+\n" + std::string(100, 'I') + "\n@r2 x\n" +
                      second_.substr(50, 60) + "\n+\n" + std::string(60, 'I') + "\n@r3\nACGT\n+\nIIII\n");
  const nlohmann::json found =
      ok_json({"kmer", "classify", store, reads, "--report", path("report"), "--output", path("lines")});
  EXPECT_EQ(found["reads"], 3);
  EXPECT_EQ(found["bases"], 164);
  EXPECT_EQ(found["classified"], 2);
  EXPECT_EQ(found["unclassified"], 1);
  ASSERT_EQ(found["taxa"].size(), 2U);
  EXPECT_EQ(found["taxa"][0]["taxon"], 10);
  EXPECT_EQ(found["taxa"][0]["name"], "Alpha one");
  EXPECT_EQ(found["taxa"][0]["rank"], "species");
  EXPECT_EQ(found["taxa"][0]["reads"], 1);
  EXPECT_EQ(content("lines"), "C\tr1\t10\t100\t10:66\nC\tr2\t11\t60\t11:26\nU\tr3\t0\t4\t0:0\n");
  EXPECT_EQ(content("report"),
            " 33.33\t1\t1\tU\t0\tunclassified\n"
            " 66.67\t2\t0\tR\t1\troot\n"
            " 66.67\t2\t0\tG\t2\t  Alpha\n"
            " 33.33\t1\t1\tS\t10\t    Alpha one\n"
            " 33.33\t1\t1\tS\t11\t    Alpha two\n");
  EXPECT_EQ(ok({"kmer", "classify", store, reads, "--output", "-", "--threads", "1"}), content("lines"));
  EXPECT_EQ(ok({"kmer", "classify", store, reads, "--report", "-"}), content("report"));
  const std::string summary = ok({"kmer", "classify", store, reads});
  expect_part(summary, "read           3 reads, 164 bases in ");
  expect_part(summary, "classified     2 (66.67 %)\n");
  expect_part(summary, "unclassified   1 (33.33 %)\n  10  Alpha one  1\n  11  Alpha two  1\n");
  EXPECT_EQ(ok_json({"kmer", "classify", store, reads, "--minimum-hit-groups", "1000"})["classified"], 0);
}

TEST_F(KmerCommands, ClassifyPairsAndByConfidence) {
  ok(build_command());
  const std::string store = path("genomes.store");
  const std::string one = file("one.fa", ">p/1\n" + first_.substr(0, 80) + "\n");
  const std::string two = file("two.fa", ">p/2\n" + second_.substr(0, 60) + "\n");
  const arguments classify{"kmer", "classify", store, one, two, "--paired", "--output", "-"};
  EXPECT_EQ(ok(classify), "C\tp\t10\t80|60\t10:46 |:| 11:26\n");
  arguments confident = classify;
  confident.insert(confident.end(), {"--confidence", "0.9"});
  EXPECT_EQ(ok(confident), "C\tp\t2\t80|60\t10:46 |:| 11:26\n");
  expect_part(fails({"kmer", "classify", store, one, file("other.fa", ">q\nA\n"), "--paired"}),
              "record 1: its name (q) is not that of its mate (p/1)");
  expect_part(fails({"kmer", "classify", store, one, "--paired"}, 2), "an even number of files, not 1");
  expect_part(fails({"kmer", "classify", store, one, "--json", "--output", "-"}, 2),
              "--json writes to standard output too: give --output a file");
}

TEST_F(KmerCommands, ClassifyWithinABudget) {
  ok(build_command());
  const std::string store = path("genomes.store");
  std::string text;
  for (int i = 0; i < 40; ++i)
    text += ">" + std::to_string(i) + "\n" + (i % 2 == 0 ? first_ : second_).substr(7 * i, 100) + "\n";
  const std::string reads = file("reads.fa", text);
  const arguments classify{"kmer", "classify", store, reads, "--output", "-", "--threads", "2"};
  const std::string lines = ok(classify);
  for (const std::string plan : {"faults", "sweep"}) {
    arguments planned = classify;
    planned.insert(planned.end(), {"--budget", "1MiB", "--plan", plan});
    EXPECT_EQ(ok(planned), lines);
    const nlohmann::json found =
        ok_json({"kmer", "classify", store, reads, "--budget", "1MiB", "--plan", plan});
    EXPECT_EQ(found["classified"], 40);
    EXPECT_EQ(found["lookups"]["plan"], plan);
    EXPECT_EQ(found["lookups"]["budget"], 1 << 20);
    EXPECT_EQ(found["lookups"][plan]["pages"], 1);
    EXPECT_EQ(found["lookups"][plan == "sweep" ? "faults" : "sweep"]["pages"], 0);
    EXPECT_FALSE(found["lookups"].contains("chosen"));
    expect_part(ok({"kmer", "classify", store, reads, "--budget", "1MiB", "--plan", plan}),
                plan + (plan == "sweep" ? "          " : "         ") + "1 page read in ");
  }
  const nlohmann::json found = ok_json({"kmer", "classify", store, reads, "--budget", "1GiB"});
  EXPECT_EQ(found["lookups"]["plan"], "auto");
  EXPECT_EQ(found["lookups"]["chosen"], "faults") << "a table of one page is not measured";
  EXPECT_EQ(found["lookups"]["choice"]["faults"]["pages"], 1);
  EXPECT_EQ(found["lookups"]["choice"]["sweep"]["pages_per_second"], 0);
  arguments automatic = classify;
  automatic.insert(automatic.end(), {"--budget", "1MiB", "--plan", "auto"});
  const perdure::test::outcome o = perdure::test::perdure_run(automatic);
  EXPECT_EQ(o.status, 0);
  EXPECT_EQ(o.out, lines);
  EXPECT_EQ(o.err, "perdure: plan faults: faults would read 1 page, a sweep 1 page\n");
  EXPECT_FALSE(ok_json({"kmer", "classify", store, reads}).contains("lookups"));
  expect_part(fails({"kmer", "classify", store, reads, "--plan", "sweep"}, 2), "give --budget too");
  expect_part(fails({"kmer", "classify", store, reads, "--budget", "1000"}, 2), "--budget is at least 1MiB");
}

TEST_F(KmerCommands, ClassifyWritesReadsWithATaxonAndWithout) {
  ok(build_command());
  const std::string store = path("genomes.store");
  const std::string taken = first_.substr(0, 80);
  const std::string one = file("one.fa", ">p/1\n" + taken + "\n>q/1\nAC\n");
  const std::string two = file("two.fa", ">p/2\nGG\n>q/2\nAT\n");
  ok({"kmer", "classify", store, one, two, "--paired", "--classified-out", path("with#.fa"),
      "--unclassified-out", path("without#.fa")});
  EXPECT_EQ(content("with_1.fa"), ">p/1 kraken:taxid|10\n" + taken + "\n");
  EXPECT_EQ(content("with_2.fa"), ">p/2 kraken:taxid|10\nGG\n");
  EXPECT_EQ(content("without_1.fa"), ">q/1\nAC\n");
  EXPECT_EQ(content("without_2.fa"), ">q/2\nAT\n");
  EXPECT_EQ(ok({"kmer", "classify", store, one, two, "--classified-out", "-"}),
            ">p/1 kraken:taxid|10\n" + taken + "\n");
  ok({"kmer", "classify", store, one, "--classified-out", path("a#b")});
  EXPECT_EQ(content("a#b"), ">p/1 kraken:taxid|10\n" + taken + "\n");
  expect_part(fails({"kmer", "classify", store, one, two, "--paired", "--classified-out", path("x")}, 2),
              "the name needs one '#'");
  expect_part(fails({"kmer", "classify", store, one, "--classified-out", "-", "--unclassified-out", "-"}, 2),
              "--classified-out and --unclassified-out would both write to standard output");
  expect_part(fails({"kmer", "classify", store, one, "--report", path("x"), "--krona", path("x")}, 2),
              "x: give them different files");
  EXPECT_FALSE(std::filesystem::exists(path("x")));
}

TEST_F(KmerCommands, ClassifyReportsEachFile) {
  ok(build_command());
  const std::string store = path("genomes.store");
  const std::string one = file("one.fa", ">a\n" + first_.substr(0, 80) + "\n>b\nAC\n");
  const std::string two = file("two.fa", ">c\n" + first_.substr(0, 80) + "\n");
  const std::string none = file("none.fa", "");
  const nlohmann::json found = ok_json({"kmer", "classify", store, one, two, none, "--per-file", "--report",
                                        path("r"), "--report-minimizer-data", "--krona", path("k")});
  EXPECT_EQ(found["reads"], 3);
  EXPECT_EQ(found["classified"], 2);
  ASSERT_EQ(found["files"].size(), 3U);
  EXPECT_EQ(found["files"][0]["files"][0], one);
  EXPECT_EQ(found["files"][0]["reads"], 2);
  EXPECT_EQ(found["files"][0]["unclassified"], 1);
  EXPECT_EQ(found["files"][1]["classified"], 1);
  EXPECT_EQ(found["files"][1]["bases"], 80);
  EXPECT_EQ(found["files"][2]["reads"], 0);
  EXPECT_EQ(content("k"), "1\tunclassified\n2\troot\tAlpha\tAlpha one\n");
  EXPECT_EQ(content("k.two.fa"), "1\troot\tAlpha\tAlpha one\n");
  EXPECT_EQ(content("r.none.fa"), "");
  // The minimizers of both files are the same ones.
  const std::string report = content("r.two.fa");
  const std::string head = "100.00\t1\t0\t";
  ASSERT_EQ(report.substr(0, head.size()), head);
  const int minimizers = std::stoi(report.substr(head.size()));
  EXPECT_GT(minimizers, 1);
  const std::string number = std::to_string(minimizers);
  EXPECT_EQ(report.substr(head.size()).find(number + "\t" + number + "\tR\t1\troot\n"), 0U) << report;
  expect_part(content("r"),
              " 66.67\t2\t2\t" + std::to_string(2 * minimizers) + "\t" + number + "\tS\t10\t    Alpha one\n");
  expect_part(content("r"), " 33.33\t1\t1\t0\t0\tU\t0\tunclassified\n");
  expect_part(ok({"kmer", "classify", store, one, two, "--per-file"}),
              "two.fa  1 read, 1 classified (100.00 %)\n");
  ok({"kmer", "classify", store, two, file("mates.fa", ">c\nAC\n"), "--per-file", "--paired", "--report",
      path("p")});
  EXPECT_EQ(content("p.two.fa"), content("p"));
  expect_part(fails({"kmer", "classify", store, one, one, "--per-file", "--report", path("r")}, 2),
              "two are named one.fa");
  expect_part(fails({"kmer", "classify", store, one, "--per-file", "--krona", "-"}, 2),
              "give --krona a file");
  expect_part(fails({"kmer", "classify", store, one, "--report-minimizer-data"}, 2), "give --report too");
}

TEST_F(KmerCommands, AFailureLeavesNoOutputBehind) {
  ok(build_command());
  const std::string broken = file("broken.fa", ">r1\n" + first_ + "\n>r2\nAC GT\n");
  expect_part(fails({"kmer", "classify", path("genomes.store"), broken, "--output", path("lines"), "--report",
                     path("report")}),
              "broken.fa: record 2: (r2): the byte 0x20 is no code of a nucleotide");
  EXPECT_FALSE(std::filesystem::exists(path("lines")));
  EXPECT_FALSE(std::filesystem::exists(path("report")));
}

TEST_F(KmerCommands, ReadStandardInput) {
  ok(build_command());
  perdure::test::process classify(
      {perdure::test::perdure_program(), "kmer", "classify", path("genomes.store"), "-", "--output", "-"},
      true);
  classify.write_input(">r1\n" + first_ + "\n");
  classify.close_input();
  const perdure::test::outcome o = classify.wait();
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.out, "C\tr1\t10\t500\t10:466\n");
}

TEST_F(KmerCommands, ABuildThatFailsLeavesNoStore) {
  arguments build = build_command();
  build.resize(build.size() - 2);
  expect_part(fails(build), "genomes.fa: record 2: sequence b has no taxon");
  EXPECT_FALSE(std::filesystem::exists(path("genomes.store")));
  build.insert(build.end(), {"--unmapped", "skip"});
  expect_part(ok(build), "skipped        1 sequence without a taxon\n");
  expect_part(fails(build), "has a k-mer index named \"kmers\" already");
  const nlohmann::json stats = ok_json({"kmer", "stats", path("genomes.store")});
  EXPECT_EQ(stats["sequences"], 1) << "the index of before is still there";
  expect_part(fails({"kmer", "build", path("x"), "--genomes", genomes_, "--taxonomy", nodes_}, 2),
              "takes two files");
  expect_part(fails({"kmer", "build", path("x"), "--genomes", path("nowhere"), "--taxonomy", nodes_, names_}),
              "nowhere: cannot open");
  expect_part(fails({"kmer", "build", path("x"), "--genomes", genomes_, "--taxonomy", names_, nodes_}),
              "names.dmp: line 1");
  EXPECT_FALSE(std::filesystem::exists(path("x")));
}

TEST_F(KmerCommands, BuildWithinABudget) {
  ok(build_command("one.store"));
  arguments build = build_command();
  build.insert(build.end(), {"--budget", "1MiB", "--threads", "2"});
  const nlohmann::json built = ok_json(build);
  EXPECT_EQ(built["budget"], 1 << 20);
  EXPECT_EQ(built["resumed"], false);
  EXPECT_EQ(built["sequences"], 2);
  EXPECT_EQ(ok({"kmer", "dump", path("genomes.store")}), ok({"kmer", "dump", path("one.store")}));
  EXPECT_EQ(ok({"ls", path("genomes.store")}).find(".build"), std::string::npos);
  build.back() = "1";
  build[2] = path("small.store");
  build[build.size() - 3] = "1KiB";
  expect_part(fails(build, 2), "--budget is at least 1.0 MiB");
  EXPECT_FALSE(std::filesystem::exists(path("small.store")));
}

TEST_F(KmerCommands, ABuildOfStandardInputCannotGoOn) {
  const std::string store = path("genomes.store");
  perdure::test::process build({perdure::test::perdure_program(), "kmer", "build", store, "--genomes", "-",
                                "--taxonomy", nodes_, names_, "--budget", "1MiB"},
                               true);
  build.write_input(">kraken:taxid|10|a\n" + std::string(1 << 20, 'A') + "\n>more\n");
  build.interrupt();
  const perdure::test::outcome o = build.wait();
  EXPECT_EQ(o.status, -SIGINT) << o.err;
  expect_part(o.err, "genomes.store was not made; a build of standard input or of a pipe cannot go on\n");
  EXPECT_FALSE(std::filesystem::exists(store));
}

TEST_F(KmerCommands, ReadAnIndexAsItWas) {
  const std::string store = path("genomes.store");
  const std::string one = file("one.fa", ">kraken:taxid|10|a\n" + first_ + "\n");
  const nlohmann::json built = ok_json({"kmer", "build", store, "--genomes", one, "--taxonomy", nodes_,
                                        names_, "--label", "2026-01", "--full-copies"});
  EXPECT_EQ(built["label"], "2026-01");
  EXPECT_EQ(built["kept"], true);
  ok({"kmer", "add", store, "--genomes", file("two.fa", ">b\n" + second_ + "\n"), "--map", map_});
  const std::string reads = file("reads.fa", ">r\n" + second_ + "\n");
  EXPECT_EQ(ok({"kmer", "classify", store, reads, "--output", "-"}), "C\tr\t11\t500\t11:466\n");
  EXPECT_EQ(ok({"kmer", "classify", store + "@2026-01", reads, "--output", "-"}), "U\tr\t0\t500\t0:466\n");
  EXPECT_EQ(ok_json({"kmer", "stats", store + "@2026-01"})["sequences"], 1);
  expect_part(fails({"kmer", "classify", store + "@2026-02", reads}),
              "no checkpoint has the label \"2026-02\"");
  expect_part(fails({"kmer", "add", store + "@2026-01", "--genomes", one}), "2026-01");
}

TEST_F(KmerCommands, AddGenomes) {
  ok(build_command("one.store"));
  const std::string one = file("one.fa", ">kraken:taxid|10|a\n" + first_ + "\n");
  const std::string two = file("two.fa", ">b\n" + second_ + "\n");
  const std::string store = path("grown.store");
  ok({"kmer", "build", store, "--genomes", one, "--taxonomy", nodes_, names_});
  const arguments add{"kmer", "add", store, "--genomes", two};
  expect_part(fails(add), "two.fa: record 1: sequence b has no taxon");
  expect_part(
      fails({"kmer", "add", store, "--genomes", file("newer.fa", ">kraken:taxid|12\n" + second_ + "\n")}),
      "has the taxon 12, which the taxonomy does not have; build an index with a newer taxonomy");
  expect_part(fails({"kmer", "add", path("nowhere"), "--genomes", one}), "nowhere");
  EXPECT_FALSE(std::filesystem::exists(path("nowhere")));
  EXPECT_EQ(ok_json({"kmer", "stats", store})["sequences"], 1);
  arguments with_map = add;
  with_map.insert(with_map.end(), {"--map", map_});
  const nlohmann::json added = ok_json(with_map);
  EXPECT_EQ(added["sequences"], 1);
  EXPECT_EQ(added["layers"], 1) << "layers as small as the new one are merged";
  EXPECT_EQ(added["merged_layers"], 1);
  const std::string reads =
      file("reads.fa", ">r\n" + first_.substr(50, 100) + second_.substr(50, 120) + "\n");
  EXPECT_EQ(ok({"kmer", "classify", store, reads, "--output", "-"}),
            ok({"kmer", "classify", path("one.store"), reads, "--output", "-"}));
  expect_part(ok(with_map), "added          1 sequence, 500 bases");
  EXPECT_EQ(ok_json({"kmer", "compact", store})["merged_layers"], 0);
  expect_part(ok({"kmer", "compact", store}), "merged         0 layers");
  expect_part(fails({"kmer", "compact", store, "--name", "other"}), "holds no k-mer index named \"other\"");
  ok({"verify", store, "--pointers"});
  expect_part(fails({"kmer", "remove", store, "--genomes", one}),
              "cannot be removed from the k-mer index \"kmers\"");
}

TEST_F(KmerCommands, AKilledAddLeavesTheIndexAsItWas) {
  ok(build_command());
  const std::string store = path("genomes.store");
  const nlohmann::json before = ok_json({"kmer", "stats", store});
  perdure::test::process add({perdure::test::perdure_program(), "kmer", "add", store, "--genomes", "-"},
                             true);
  add.write_input(">kraken:taxid|11|c\n" + std::string(1 << 20, 'A') + second_ + "\n>more\n");
  add.kill();
  EXPECT_EQ(add.wait().status, -SIGKILL);
  nlohmann::json after = ok_json({"kmer", "stats", store});
  for (const char* const part : {"sequences", "minimizers", "layers", "bytes"})
    EXPECT_EQ(after[part], before[part]);
  EXPECT_EQ(ok_json({"kmer", "add", store, "--genomes", genomes_, "--map", map_})["sequences"], 2);
}

TEST_F(KmerCommands, BuildAndChangeAnExactIndex) {
  arguments build = build_command("exact.store");
  build.insert(build.end(), {"--index", "exact", "--k", "21"});
  const std::string store = path("exact.store");
  const nlohmann::json made = ok_json(build);
  EXPECT_EQ(made["kind"], "exact");
  EXPECT_EQ(made["kmers"], 960);
  EXPECT_EQ(made["occurrences"], 960);
  EXPECT_EQ(made["k"], 21);
  const nlohmann::json found = ok_json({"kmer", "lookup", store, first_.substr(100, 22)})["kmers"];
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1]["position"], 2);
  EXPECT_EQ(found[1]["taxa"][0]["taxon"], 10);
  EXPECT_EQ(found[1]["taxa"][0]["count"], 1);
  expect_part(ok({"kmer", "lookup", store, first_.substr(100, 21)}), "  10 Alpha one: 1 time\n");
  expect_part(ok({"kmer", "lookup", store, std::string(21, 'A')}), "not in the index");

  const std::string third = file("third.fa", ">kraken:taxid|11|c\n" + first_.substr(0, 200) + "\n");
  EXPECT_EQ(ok_json({"kmer", "add", store, "--genomes", third})["occurrences"], 1140)
      << "the layers are merged";
  expect_part(ok({"kmer", "lookup", store, first_.substr(10, 21)}),
              "10 Alpha one: 1 time, 11 Alpha two: 1 time\n");
  const nlohmann::json stats = ok_json({"kmer", "stats", store});
  EXPECT_EQ(stats["kmers"], 960);
  EXPECT_EQ(stats["sets"], 3);
  EXPECT_EQ(stats["sequences"], 3);
  const std::string before = ok({"kmer", "dump", store});
  expect_part(before, "\t10:1\t11:1\n");
  EXPECT_EQ(ok_json({"kmer", "remove", store, "--genomes", third})["sequences"], 1);
  EXPECT_EQ(ok({"kmer", "dump", store}).find("\t10:1\t11:1\n"), std::string::npos);
  expect_part(fails({"kmer", "remove", store, "--genomes", third}), "has no sequence kraken:taxid|11|c");

  const std::string other = path("other.store");
  ok({"kmer", "build", other, "--genomes", third, "--taxonomy", nodes_, names_, "--index", "exact", "--k",
      "21"});
  EXPECT_EQ(ok_json({"kmer", "merge", store, other})["sequences"], 1);
  EXPECT_EQ(ok({"kmer", "dump", store}), before);
  expect_part(fails({"kmer", "merge", store, other}), "already; its k-mers would count twice");
  ok({"verify", store, "--pointers"});

  const nlohmann::json found_taxa =
      ok_json({"kmer", "classify", store, third, "--scores", path("scores"), "--report", path("report")});
  EXPECT_EQ(found_taxa["classified"], 1);
  EXPECT_EQ(found_taxa["taxa"][0]["taxon"], 2);
  expect_part(content("scores"), "\t 10 1.0000 11 1.0000\t2 1.0000 MultiMatch\n");
  expect_part(content("report"), "100.00\t1\t1\tG\t2\t  Alpha\n");
  expect_part(fails({"kmer", "classify", store, third, "--output", "-"}, 2),
              "--output is for indexes of minimizers");
  expect_part(fails({"kmer", "classify", store, third, "--budget", "1GiB"}, 2), "--budget is for indexes");
}

TEST_F(KmerCommands, RefuseOptionsOfTheOtherKindOfIndex) {
  ok(build_command("minimizers.store"));
  expect_part(fails({"kmer", "classify", path("minimizers.store"), genomes_, "--scores", path("scores")}, 2),
              "--scores is for exact indexes");
  EXPECT_FALSE(std::filesystem::exists(path("scores")));
  const auto with = [this](const arguments& more) {
    arguments build = build_command();
    build.insert(build.end(), more.begin(), more.end());
    return build;
  };
  expect_part(fails(with({"--k", "20"}), 2), "give --index exact too");
  expect_part(fails(with({"--prune", "2"}), 2), "give --index exact too");
  expect_part(fails(with({"--index", "exact", "--k", "17"}), 2), "--k");
  EXPECT_FALSE(std::filesystem::exists(path("genomes.store")));
}

TEST_F(KmerCommands, DumpAnIndex) {
  ok(build_command());
  const std::string store = path("genomes.store");
  const std::string text = ok({"kmer", "dump", store});
  const nlohmann::json dumped = ok_json({"kmer", "dump", store, "-o", path("cells"), "--threads", "2"});
  EXPECT_EQ(content("cells"), text);
  const nlohmann::json stats = ok_json({"kmer", "stats", store, "--top", "10"});
  EXPECT_EQ(dumped["cells"], stats["minimizers"]);
  std::map<std::uint64_t, std::uint64_t> cells;
  std::istringstream lines(text);
  std::uint64_t layer = 0;
  std::uint64_t page = 0;
  std::uint64_t line = 0;
  std::uint64_t key = 0;
  std::uint64_t taxon = 0;
  while (lines >> layer >> page >> line >> key >> taxon) {
    EXPECT_EQ(layer, 0U);
    EXPECT_EQ(page, 0U);
    EXPECT_LT(line, 64U);
    EXPECT_LT(key, std::uint64_t{1} << stats["key_bits"].get<unsigned>());
    ++cells[taxon];
  }
  EXPECT_TRUE(lines.eof());
  EXPECT_EQ(cells.size(), stats["top"].size());
  for (const nlohmann::json& one : stats["top"])
    EXPECT_EQ(cells[one["taxon"].get<std::uint64_t>()], one["minimizers"]);
  expect_part(fails({"kmer", "dump", store, "--json"}, 2), "give -o a file");
}

TEST_F(KmerCommands, GenerateWhatBuildAndClassifyRead) {
  const arguments generate{"kmer", "generate",   path("drawn"), "--taxa",       "5",  "--genome-bases",
                           "1000", "--reads",    "40",          "--seed",       "7",  "--errors",
                           "0",    "--mutation", "0.05",        "--read-bases", "100"};
  const nlohmann::json made = ok_json(generate);
  EXPECT_EQ(made["nodes"], 12);
  EXPECT_EQ(made["bases"], 5000);
  arguments again = generate;
  again[2] = path("again");
  again.insert(again.end(), {"--threads", "3"});
  expect_part(ok(again), "wrote 5 genomes, 5,000 bases, and 40 reads to ");
  for (const char* const name : {"nodes.dmp", "names.dmp", "genomes.fa", "reads.fq", "truth.tsv"})
    EXPECT_EQ(content(std::string("drawn/") + name), content(std::string("again/") + name)) << name;
  const nlohmann::json built = ok_json({"kmer", "build", path("s"), "--genomes", path("drawn/genomes.fa"),
                                        "--taxonomy", path("drawn/nodes.dmp"), path("drawn/names.dmp")});
  EXPECT_EQ(built["sequences"], 5);
  EXPECT_EQ(built["bases"], 5000);
  const nlohmann::json found = ok_json({"kmer", "classify", path("s"), path("drawn/reads.fq")});
  EXPECT_EQ(found["reads"], 40);
  EXPECT_EQ(found["classified"], 40);
  expect_part(fails({"kmer", "generate", path("x"), "--taxa", "0"}, 2), "--taxa");
  expect_part(fails({"kmer", "generate", path("x"), "--taxa", "2", "--genome-bases", "10"}, 2),
              "--read-bases is at most --genome-bases, 10, not 150");
  EXPECT_FALSE(std::filesystem::exists(path("x")));
  expect_part(fails({"kmer", "generate", genomes_, "--taxa", "2"}), "genomes.fa: cannot create");
}

TEST_F(KmerCommands, ShowAnIndex) {
  ok(build_command());
  const std::string store = path("genomes.store");
  const nlohmann::json stats = ok_json({"kmer", "stats", store, "--top", "2"});
  EXPECT_EQ(stats["k"], 35);
  EXPECT_EQ(stats["l"], 31);
  EXPECT_EQ(stats["taxa"], 4);
  EXPECT_EQ(stats["layers"], 1);
  EXPECT_EQ(stats["bytes"], 4096 + 2 * 1024) << "a page, and what its cells lack of hashes";
  ASSERT_EQ(stats["top"].size(), 2U);
  EXPECT_EQ(stats["top"][0]["minimizers"].get<int>() + stats["top"][1]["minimizers"].get<int>(),
            stats["minimizers"]);
  expect_part(ok({"kmer", "stats", store}), "genomes        2 sequences, 1,000 bases\n");

  const nlohmann::json found =
      ok_json({"kmer", "lookup", store, first_.substr(0, 36) + "N" + std::string(35, 'A')});
  ASSERT_GE(found["runs"].size(), 3U);
  EXPECT_EQ(found["runs"][0]["position"], 1);
  EXPECT_EQ(found["runs"][0]["taxon"], 10);
  EXPECT_EQ(found["runs"].back()["taxon"], nullptr);
  const std::string text = ok({"kmer", "lookup", store, first_.substr(0, 35) + "N"});
  expect_part(text, "1  1 k-mer  ");
  expect_part(text, "  10  Alpha one\n2  1 k-mer  ambiguous\n");
  expect_part(fails({"kmer", "lookup", store, "ACGT"}, 2), "a k-mer of this index has 35");
  expect_part(fails({"kmer", "lookup", store, "AC?T"}, 2), "no code of a nucleotide");
  expect_part(fails({"kmer", "stats", store, "--name", "other"}), "holds no k-mer index named \"other\"");
  expect_part(ok({"ls", store}), "kmers.taxonomy");
  expect_part(ok({"verify", store, "--pointers"}), "");
}

}  // namespace
