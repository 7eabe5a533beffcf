#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <perdure/graph/graph_file.hpp>
#include <thread>
#include <vector>

#include "support/data_files.hpp"
#include "support/scratch_directory.hpp"
#include "workload/compressed.hpp"

namespace {
using namespace perdure::graph;
using perdure::errc;
using perdure::scratch_directory;
using perdure::test::gzip;
using perdure::workload::line_error;

struct reading {
  std::vector<edge> edges;
  std::vector<double> values;
  std::uint64_t skipped = 0;
};

graph_file_options edge_list_without_weights() {
  return {.format = graph_format::edge_list, .weight_column = "none"};
}
graph_file_options edge_list_with_weights() {
  return {.format = graph_format::edge_list, .weight_column = "3"};
}

reading read(const std::filesystem::path& path,
             const graph_file_options& options = edge_list_without_weights()) {
  const auto source = open_graph_file(path, options);
  reading r;
  edge_batch batch;
  while (source->next(batch)) {
    r.edges.insert(r.edges.end(), batch.edges.begin(), batch.edges.end());
    r.values.insert(r.values.end(), batch.values.begin(), batch.values.end());
  }
  r.skipped = source->skipped_lines();
  return r;
}

class EdgeList : public testing::Test {
 protected:
  std::vector<edge> edges_of(const std::string& text) { return read(dir_.write("g.txt", text)).edges; }

  void expect_error(const std::string& text, std::uint64_t line, std::uint64_t column,
                    const std::string& part) {
    const auto path = dir_.write("bad.txt", text);
    try {
      read(path);
      ADD_FAILURE() << "no error for: " << text;
    } catch (const line_error& e) {
      EXPECT_EQ(e.code(), errc::bad_input);
      EXPECT_EQ(e.line(), line) << e.what();
      EXPECT_EQ(e.column(), column) << e.what();
      const std::string message = e.what();
      EXPECT_NE(message.find(path.string() + ": line " + std::to_string(line) + ", column " +
                             std::to_string(column) + ": "),
                std::string::npos)
          << message;
      EXPECT_NE(message.find(part), std::string::npos) << message;
    }
  }

  scratch_directory dir_;
};

using edges = std::vector<edge>;

TEST_F(EdgeList, BlanksTabsAndCommasSeparate) {
  EXPECT_EQ(edges_of("1 2\n3\t4\n5,6\n7 , 8\n9, 10\n  11   12  \n"),
            (edges{{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12}}));
}
TEST_F(EdgeList, CommentsAndEmptyLinesAreSkipped) {
  EXPECT_EQ(edges_of("# SNAP\n% KONECT\n\n  \t\n 1 2\n  # indented\n#\n3 4\n"), (edges{{1, 2}, {3, 4}}));
}
TEST_F(EdgeList, LinesEndInAnyOfThreeWays) {
  EXPECT_EQ(edges_of("# x\r\n1\t2\r\n\r\n3 4\r\r\n\r\r\n5 6 7\r\n8 9"),
            (edges{{1, 2}, {3, 4}, {5, 6}, {8, 9}}));
}
TEST_F(EdgeList, AByteOrderMarkIsSkipped) {
  EXPECT_EQ(edges_of("\xEF\xBB\xBF"
                     "1 2\n"),
            (edges{{1, 2}}));
}
TEST_F(EdgeList, FurtherColumnsAreIgnored) {
  EXPECT_EQ(edges_of("1 2 0.5\n3,4,abc,x\n5\t6\t1082040961 \r\n"), (edges{{1, 2}, {3, 4}, {5, 6}}));
}
TEST_F(EdgeList, ThirdColumnIsKeptOnDemand) {
  const reading r =
      read(dir_.write("w.txt", "1 2 0.5\n3,4,-7\n7\t8\t1082040961 9\r\n"), edge_list_with_weights());
  EXPECT_EQ(r.edges.size(), 3u);
  EXPECT_EQ(r.values, (std::vector<double>{0.5, -7, 1082040961}));
  for (const char* const bad : {"1 2 heavy\n", "1 2 nan\n", "1 2 1e999\n", "1 2\n", "1 2 \r\n"})
    EXPECT_THROW(read(dir_.write("w.txt", bad), edge_list_with_weights()), line_error) << bad;

  const auto ignored = [&](const std::string& text, const graph_file_options& options) {
    const auto source = open_graph_file(dir_.write("c.txt", text), options);
    for (edge_batch batch; source->next(batch);) {
    }
    return source->ignored_columns();
  };
  EXPECT_EQ(ignored("1 2 \t\r\n3,4\n", edge_list_without_weights()), 0U);
  EXPECT_EQ(ignored("1 2\n3,4, -7 ,x\r\n5 6 7\n", edge_list_without_weights()), 2U);
  EXPECT_EQ(ignored("1 2 0.5\n", edge_list_with_weights()), 0U);
  EXPECT_EQ(ignored("1 2 0.5 9\n", edge_list_with_weights()), 1U);
}
TEST_F(EdgeList, IdsHaveSixtyFourBits) {
  EXPECT_EQ(edges_of("0 18446744073709551615\n00000000000000000000007 10000000000000000000\n"),
            (edges{{0, ~0ull}, {7, 10000000000000000000u}}));
}
TEST_F(EdgeList, AnEmptyFileHasNoEdges) {
  EXPECT_TRUE(edges_of("").empty());
  EXPECT_TRUE(edges_of("\n").empty());
  EXPECT_TRUE(edges_of("# nothing").empty());
}

TEST_F(EdgeList, ErrorsNameLineAndColumn) {
  expect_error("1 2\n3 x\n", 2, 3, "expected a vertex id (a decimal number), found 'x'");
  expect_error("# c\n\n1 2\nnode_1,node_2\n", 4, 1, "found 'n'");
  expect_error("1 2\n  3\n", 2, 4, "the second vertex id is missing");
  expect_error("1 2\n3,\n", 2, 3, "the second vertex id is missing");
  expect_error("1\r\n", 1, 2, "the second vertex id is missing");
  expect_error("18446744073709551616 1\n", 1, 1, "does not fit 64 bits");
  expect_error("1 99999999999999999999999\n", 1, 3, "does not fit 64 bits");
  expect_error("1 -2\n", 1, 3, "must not be negative");
  expect_error("-1 2\n", 1, 1, "must not be negative");
  expect_error("+1 2\n", 1, 1, "found '+'");
  expect_error("1.5 2\n", 1, 2, "unexpected '.' after the first");
  expect_error("1 2.5\n", 1, 4, "unexpected '.' after the second");
  expect_error("1 2e5\n", 1, 4, "unexpected 'e' after the second");
  expect_error("1,,2\n", 1, 3, "found ','");
  expect_error("1 2\r3 4\r", 1, 4, "carriage return inside a line");
  expect_error("1 2\n\x01\x02\n", 2, 1, "found byte 0x01");
  expect_error(std::string("1 2\n\0\0\0\0\n", 9), 2, 1, "byte 0x00 is not text");
  expect_error(std::string("1 2 \0\n", 6), 1, 5, "byte 0x00 is not text");
  expect_error("%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 2\n", 1, 1, "Matrix Market");
  expect_error(std::string(3 << 20, '7'), 1, 1, "the line is longer than");
}
TEST_F(EdgeList, AnErrorInALastLineWithoutALineFeedIsNamed) {
  expect_error("1 2\n3", 2, 2, "missing");
}

TEST_F(EdgeList, BadLinesAreSkippedAndCounted) {
  const reading r = read(dir_.write("b.txt", "a b\n1 2\n3\n-4 5\n6 7\n99999999999999999999 1\n8 9"),
                         {.format = graph_format::edge_list, .skip_bad_lines = true});
  EXPECT_EQ(r.edges, (edges{{1, 2}, {6, 7}, {8, 9}}));
  EXPECT_EQ(r.skipped, 4u);
}

// Several blocks: lines that straddle their borders, line numbers beyond the first.
TEST_F(EdgeList, ALargeFileIsReadInBlocks) {
  std::string text;
  edges expected;
  for (std::uint64_t i = 0; i < 300000; ++i) {
    expected.push_back({i * 7919, i});
    text += std::to_string(i * 7919) + '\t' + std::to_string(i) + '\n';
    if (i % 1000 == 0) text += "# comment\n";
  }
  const auto path = dir_.write("large.txt", text);
  EXPECT_EQ(read(path).edges, expected);
  EXPECT_EQ(read(dir_.write("large.txt.gz", gzip(text))).edges, expected);
  expect_error(text + "oops\n", 300000 + 300 + 1, 1, "found 'o'");

  const auto source = open_graph_file(path);
  EXPECT_EQ(source->progress().total, text.size());
  edge_batch batch;
  while (source->next(batch)) {
  }
  EXPECT_EQ(source->progress().done, text.size());
}

TEST_F(EdgeList, ManyThreadsReadEveryEdgeOnceAndReportTheFirstError) {
  std::string text;
  for (std::uint64_t i = 0; i < 400000; ++i)
    text += std::to_string(i) + ' ' + std::to_string(i) + " 12345678\n";
  auto draw = [](edge_source& source, std::uint64_t& sum, std::uint64_t& error_line) {
    std::mutex mutex;
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        edge_batch batch;
        std::uint64_t mine = 0;
        std::uint64_t line = ~0ull;
        try {
          while (source.next(batch))
            for (const edge& e : batch.edges) mine += e.source;
        } catch (const line_error& e) {
          line = e.line();
        }
        const std::lock_guard lock(mutex);
        sum += mine;
        error_line = std::min(error_line, line);
      });
  };
  std::uint64_t sum = 0;
  std::uint64_t error_line = ~0ull;
  const auto good = open_graph_file(dir_.write("g.txt", text));
  draw(*good, sum, error_line);
  EXPECT_EQ(sum, 400000ull * 399999 / 2);
  EXPECT_EQ(error_line, ~0ull);

  // Two bad lines in neighbouring blocks.
  const std::size_t first = text.find('\n', text.size() / 2) + 1;
  const auto first_line = static_cast<std::uint64_t>(std::count(
                              text.begin(), text.begin() + static_cast<std::ptrdiff_t>(first), '\n')) +
                          1;
  text.insert(text.find('\n', first + (1 << 20)) + 1, "bad\n");
  text.insert(first, "bad\n");
  for (int round = 0; round < 5; ++round) {
    const auto bad = open_graph_file(dir_.write("g.txt", text));
    sum = 0;
    error_line = ~0ull;
    draw(*bad, sum, error_line);
    EXPECT_EQ(error_line, first_line);
  }
}

TEST_F(EdgeList, CompressionIsRecognisedByContent) {
  const std::string text = "# c\n1 2\n3 4\n";
  for (const std::string& bytes :
       {gzip(text), perdure::test::zstd(text), perdure::test::xz(text), perdure::test::bzip2(text)})
    EXPECT_EQ(read(dir_.write("noext", bytes)).edges, (edges{{1, 2}, {3, 4}}));
  EXPECT_EQ(read(dir_.write("plain.gz", text)).edges.size(), 2u);
  // Members one after the other, as `cat a.gz b.gz` makes them, and zero padding.
  EXPECT_EQ(read(dir_.write("two.gz", gzip(text) + gzip("5 6\n") + std::string(512, '\0'))).edges.size(), 3u);
}

TEST_F(EdgeList, BinaryFilesAreReadBack) {
  std::string bytes;
  edges expected;
  for (std::uint64_t i = 0; i < 100000; ++i) expected.push_back({i << 33, ~i});
  append_edges(bytes, expected, graph_format::binary);
  EXPECT_EQ(bytes.size(), expected.size() * 16);
  EXPECT_EQ(static_cast<unsigned char>(bytes[16 + 4]), 2);  // little-endian
  EXPECT_EQ(read(dir_.write("g.bin", bytes), {}).edges, expected);
  EXPECT_EQ(read(dir_.write("g.bin.gz", gzip(bytes)), {}).edges, expected);
  EXPECT_EQ(read(dir_.write("g.bin.zst", perdure::test::zstd(bytes)), {}).edges, expected);
  EXPECT_EQ(read(dir_.write("g.dat", bytes), {.format = graph_format::binary}).edges, expected);
  EXPECT_TRUE(read(dir_.write("e.bin", ""), {}).edges.empty());
  try {
    read(dir_.write("cut.bin", bytes.substr(0, 16 * 70000 + 5)), {});
    ADD_FAILURE();
  } catch (const line_error& e) {
    EXPECT_EQ(e.line(), 70001u);
    EXPECT_NE(std::string(e.what()).find("not a multiple of 16"), std::string::npos);
  }
}
TEST_F(EdgeList, TextWrittenIsReadBack) {
  const edges expected{{0, 1}, {~0ull, ~0ull}, {123456789, 5}};
  std::string text;
  append_edges(text, expected, graph_format::edge_list);
  EXPECT_EQ(text, "0\t1\n18446744073709551615\t18446744073709551615\n123456789\t5\n");
  EXPECT_EQ(edges_of(text), expected);
}

TEST_F(EdgeList, OtherFormatsAreNotAppendedTo) {
  std::string text;
  EXPECT_THROW(append_edges(text, edges{{1, 2}}, graph_format::metis), perdure::error);
  EXPECT_EQ(text, "");
}

TEST_F(EdgeList, FilesThatCannotBeReadAreErrors) {
  auto code = [](const std::filesystem::path& path) {
    try {
      read(path);
    } catch (const perdure::error& e) {
      EXPECT_NE(std::string(e.what()).find(path.string()), std::string::npos) << e.what();
      return e.code();
    }
    return errc::ok;
  };
  EXPECT_EQ(code(dir_ / "absent"), errc::not_found);
  EXPECT_EQ(code(dir_.directory()), errc::io);
  const auto path = dir_.write("secret", "1 2\n");
  std::filesystem::permissions(path, std::filesystem::perms::none);
  if (::geteuid() != 0) {
    EXPECT_EQ(code(path), errc::permission_denied);
  }
}

TEST(EdgeListData, RealFilesHaveTheirEdgesAndVertices) {
  struct expectation {
    const char* name;
    std::size_t edges;
    std::size_t vertices;
  };
  for (const auto& [name, count, vertices] :
       {expectation{"wiki-Vote.txt.gz", 103689, 7115}, expectation{"email-Eu-core.txt.gz", 25571, 1005},
        expectation{"facebook_combined.txt.gz", 88234, 4039}, expectation{"as20000102.txt.gz", 13895, 6474},
        expectation{"as20graph.txt.gz", 26467, 6474}}) {
    const auto path = perdure::test::data_file(std::string("graphs/") + name);
    if (path.empty()) GTEST_SKIP() << "no test data";
    const reading r = read(path);
    EXPECT_EQ(r.edges.size(), count) << name;
    std::vector<vertex_id> ids;
    for (const edge& e : r.edges) {
      ids.push_back(e.source);
      ids.push_back(e.target);
    }
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    EXPECT_EQ(ids.size(), vertices) << name;
  }
  const auto temporal = perdure::test::data_file("temporal/CollegeMsg.txt.gz");
  const reading r = read(temporal, edge_list_with_weights());
  EXPECT_EQ(r.edges.size(), 59835u);
  EXPECT_GT(*std::min_element(r.values.begin(), r.values.end()), 1.08e9);
}

}  // namespace
