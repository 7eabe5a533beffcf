#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <perdure/graph/graph_file.hpp>
#include <perdure/graph/graph_inputs.hpp>
#include <tuple>
#include <vector>

#include "support/data_files.hpp"
#include "support/errors.hpp"
#include "support/scratch_directory.hpp"
#include "workload/compressed.hpp"

namespace {
using namespace perdure::graph;
using perdure::errc;
using perdure::fails_with;
using perdure::scratch_directory;
using perdure::workload::line_error;

using entry = std::tuple<vertex_id, vertex_id, double>;

struct file_reading {
  graph_file_info info;
  std::vector<edge> edges;
  std::vector<double> values;
  std::vector<double> times;
  std::vector<vertex_id> named;
  std::vector<std::string> left_out;
  std::uint64_t vertices = 0;
  std::uint64_t first = 0;

  std::vector<entry> entries() const {
    std::vector<entry> all;
    for (std::size_t i = 0; i < edges.size(); ++i)
      all.emplace_back(edges[i].source, edges[i].target, values.empty() ? 0 : values[i]);
    return all;
  }
};

file_reading read_all(const std::filesystem::path& path, const graph_file_options& options = {}) {
  const auto source = open_graph_file(path, options);
  file_reading r;
  r.info = source->info();
  r.first = source->declared_vertices().first;
  r.vertices = source->declared_vertices().count;
  edge_batch batch;
  const auto next = [&] {
    try {
      return source->next(batch);
    } catch (...) {
      // Another thread may ask.
      EXPECT_FALSE(source->next(batch));
      EXPECT_TRUE(batch.edges.empty() && batch.vertices.empty());
      throw;
    }
  };
  while (next()) {
    r.edges.insert(r.edges.end(), batch.edges.begin(), batch.edges.end());
    r.values.insert(r.values.end(), batch.values.begin(), batch.values.end());
    r.times.insert(r.times.end(), batch.times.begin(), batch.times.end());
    r.named.insert(r.named.end(), batch.vertices.begin(), batch.vertices.end());
    EXPECT_EQ(batch.values.size(), r.info.has_weights ? batch.edges.size() : 0);
    EXPECT_EQ(batch.times.size(), r.info.has_times ? batch.edges.size() : 0);
  }
  EXPECT_FALSE(source->next(batch));
  r.left_out = source->left_out();
  return r;
}

class numbered_names final : public vertex_namer {
 public:
  vertex_id number_of(std::string_view name) override {
    return numbers.try_emplace(std::string(name), numbers.size()).first->second;
  }
  std::map<std::string, vertex_id> numbers;
};

class GraphFile : public testing::Test {
 protected:
  file_reading read(const std::string& text, const graph_file_options& options = {},
                    const std::string& name = "g") {
    return read_all(dir_.write(name, text), options);
  }
  void refuses(const std::string& text, std::uint64_t line, std::uint64_t column, const std::string& part,
               const graph_file_options& options = {}, const std::string& name = "bad") {
    const auto path = dir_.write(name, text);
    try {
      read_all(path, options);
      ADD_FAILURE() << "no error for: " << text;
    } catch (const line_error& e) {
      EXPECT_EQ(e.line(), line) << e.what() << " in: " << text;
      EXPECT_EQ(e.column(), column) << e.what() << " in: " << text;
      const std::string message = e.what();
      EXPECT_NE(message.find(part), std::string::npos) << message;
      EXPECT_NE(message.find(path.string()), std::string::npos) << message;
    }
  }

  scratch_directory dir_;
};

using entries = std::vector<entry>;

TEST_F(GraphFile, MatrixMarketOfAllKindsIsRead) {
  struct row {
    const char* banner;
    const char* lines;
    entries expected;
    direction kind;
    bool has_weights;
  };
  const std::vector<row> rows{
      {"pattern general", "1 2\n2 1\n", {{1, 2, 0}, {2, 1, 0}}, direction::directed, false},
      {"integer general", "1 2 -3\n3 3 7\n", {{1, 2, -3}, {3, 3, 7}}, direction::directed, true},
      {"real general", "1 2 0.5\n2 3 1e-3\n", {{1, 2, 0.5}, {2, 3, 1e-3}}, direction::directed, true},
      {"complex general", "1 2 3 4\n2 3 0 -2\n", {{1, 2, 5}, {2, 3, 2}}, direction::directed, true},
      {"pattern symmetric", "2 1\n3 3\n", {{2, 1, 0}, {3, 3, 0}}, direction::undirected, false},
      {"integer symmetric", "2 1 4\n3 3 5\n", {{2, 1, 4}, {3, 3, 5}}, direction::undirected, true},
      {"real symmetric", "2 1 .25\n3 3 5\n", {{2, 1, .25}, {3, 3, 5}}, direction::undirected, true},
      {"complex symmetric", "2 1 3 4\n3 3 5 0\n", {{2, 1, 5}, {3, 3, 5}}, direction::undirected, true},
      {"integer skew-symmetric",
       "2 1 4\n3 2 5\n",
       {{2, 1, 4}, {1, 2, -4}, {3, 2, 5}, {2, 3, -5}},
       direction::directed,
       true},
      {"real skew-symmetric",
       "2 1 .5\n3 1 2\n",
       {{2, 1, .5}, {1, 2, -.5}, {3, 1, 2}, {1, 3, -2}},
       direction::directed,
       true},
      {"complex skew-symmetric", "2 1 3 4\n3 1 0 1\n", {{2, 1, 5}, {3, 1, 1}}, direction::undirected, true},
      {"complex hermitian", "2 1 3 4\n3 3 1 0\n", {{2, 1, 5}, {3, 3, 1}}, direction::undirected, true}};
  for (const row& one : rows) {
    const file_reading r =
        read(std::string("%%MatrixMarket matrix coordinate ") + one.banner + "\n% c\n\n3 3 2\n" + one.lines);
    EXPECT_EQ(r.entries(), one.expected) << one.banner;
    EXPECT_EQ(r.info.format, graph_format::matrix_market);
    EXPECT_EQ(r.info.kind, one.kind) << one.banner;
    EXPECT_EQ(r.info.has_weights, one.has_weights) << one.banner;
    EXPECT_EQ(r.vertices, 3U);
    EXPECT_EQ(r.first, 1U);
  }
  const std::string hermitian = "%%MATRIXMARKET Matrix Coordinate Complex Hermitian\r\n2 2 1\r\n2 1 3 4\r\n";
  EXPECT_EQ(read(hermitian, {.part = complex_part::real}).entries(), (entries{{2, 1, 3}}));
  EXPECT_EQ(read(hermitian, {.part = complex_part::imaginary}).entries(), (entries{{2, 1, 4}, {1, 2, -4}}));
  EXPECT_TRUE(read("%%MatrixMarket matrix coordinate pattern general\n5 5 0").edges.empty());
}

TEST_F(GraphFile, MatrixMarketThatLiesIsRefused) {
  const std::string good = "%%MatrixMarket matrix coordinate real general\n";
  refuses(good + "3 3 3\n1 2 1\n2 3 1\n", 2, 5, "says 3 entries, and the file has 2");
  refuses(good + "3 3 1\n1 2 1\n2 3 1\n", 2, 5, "says 1 entries, and the file has 2");
  refuses(good + "3 4 1\n1 2 1\n", 2, 3, "not square");
  refuses(good + "3 3 1\n1 4 1\n", 3, 3, "vertex id 4 is outside of 1 to 3");
  refuses(good + "3 3 1\n0 1 1\n", 3, 1, "vertex id 0 is outside");
  refuses(good + "3 3 1\n1 2 nan\n", 3, 5, "not finite");
  refuses(good + "3 3 1\n1 2 -inf\n", 3, 5, "not finite");
  refuses(good + "3 3 1\n1 2 1e999\n", 3, 5, "too large");
  refuses(good + "3 3 1\n1 2\n", 3, 4, "the value is missing");
  refuses(good + "3 3 1\n1 2 1 1\n", 3, 7, "unexpected '1' behind the last column");
  refuses(good + "3 3 1\n1 -2 1\n", 3, 3, "must not be negative");
  refuses(good + "3 3\n", 2, 4, "the number of entries is missing");
  refuses(good + "-3 3 1\n", 2, 1, "must not be negative");
  refuses(good + "4294967296 4294967296 1\n", 2, 1, "at most 2^32 - 1");
  refuses(good + "99999999999999999999 3 1\n", 2, 1, "does not fit 64 bits");
  refuses(good, 2, 1, "ends before the line of sizes");
  refuses("%%MatrixMarket matrix arrays real general\n2 2\n1\n", 1, 23, "\"array\"");
  refuses("%%MatrixMarket vector coordinate real general\n", 1, 16, "expected \"matrix\"");
  refuses("%%MatrixMarket matrix coordinate whole general\n", 1, 34, "pattern, integer, real or complex");
  refuses("%%MatrixMarket matrix coordinate real\n", 1, 38, "the line ends here");
  refuses("%%MatrixMarket matrix coordinate real hermitian\n", 1, 39, "must be complex");
  refuses("%%MatrixMarket matrix coordinate integer general\n3 3 1\n1 2 0.5\n", 3, 5, "not a whole number");
  refuses("%%MatrixMarket matrix coordinate real symmetric\n3 3 1\n1 2 1\n", 3, 3, "lower triangle");
  refuses("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n2 2 1\n", 3, 3, "no diagonal");
}

TEST_F(GraphFile, DimacsIsReadWithItsDirection) {
  const file_reading r = read("c roads\nc\np sp 4 3\na 1 2 17\nc in between\na 2 3 0.5\na 1 2 17\n");
  EXPECT_EQ(r.entries(), (entries{{1, 2, 17}, {2, 3, .5}, {1, 2, 17}}));
  EXPECT_EQ(r.info.format, graph_format::dimacs);
  EXPECT_EQ(r.info.kind, direction::directed);
  EXPECT_EQ(r.vertices, 4U);
  const file_reading undirected = read("p edge 3 2\nn 1 4\ne 1 2\ne 3 2\n");
  EXPECT_EQ(undirected.entries(), (entries{{1, 2, 0}, {3, 2, 0}}));
  EXPECT_EQ(undirected.info.kind, direction::undirected);
  refuses("p sp 4 2\na 1 2 3\n", 1, 8, "says 2 edges, and the file has 1");
  refuses("p sp 4 1\na 1 5 3\n", 2, 5, "outside of 1 to 4");
  refuses("p sp 4 1\na 1 2\n", 2, 6, "the length is missing");
  refuses("p sp 4 1\ne 1 2\n", 2, 1, "expected a line that begins with a, found 'e'");
  refuses("p sp 4 1\na 1 2 nan\n", 2, 7, "not finite");
  refuses("c\nx\n", 2, 1, "expected the line", {.format = graph_format::dimacs});
  refuses("c\n", 2, 1, "the file ends before", {.format = graph_format::dimacs});
}

TEST_F(GraphFile, MetisIsReadWithItsWeights) {
  const file_reading r = read("% c\n4 3\n2 3\n1 3\n1 2\n\n");
  EXPECT_EQ(r.entries(), (entries{{1, 2, 0}, {1, 3, 0}, {2, 3, 0}}));
  EXPECT_EQ(r.info.format, graph_format::metis);
  EXPECT_EQ(r.info.kind, direction::undirected);
  EXPECT_EQ(r.vertices, 4U);
  EXPECT_EQ(read("3 2 001\n2 7 3 9\n1 7\n1 9\n").entries(), (entries{{1, 2, 7}, {1, 3, 9}}));
  // Sizes and two weights before the neighbours.
  EXPECT_EQ(read("3 2 111 2\n5 1 1 2 7 3 9\n5 1 1 1 7\n5 1 1 1 9\n").entries(),
            (entries{{1, 2, 7}, {1, 3, 9}}));
  // The last vertex has none, and the file ends without its line feed.
  EXPECT_EQ(read("3 1\n2\n1\n\n").vertices, 3U);
  const graph_file_options as_metis{.format = graph_format::metis};
  refuses("4 3\n2 3\n1 3\n1 2\n", 1, 1, "says 4 vertices, and the file has lines for 3", as_metis);
  refuses("2 1\n2\n1\n1\n", 4, 1, "here is a line for another one", as_metis);
  refuses("3 4\n2 3\n1 3\n1 2\n", 1, 3, "says 4 edges, and the file has 3", as_metis);
  refuses("3 3\n2 3\n1 3\n1\n", 1, 3, "not each edge is at both its ends", as_metis);
  refuses("2 1\n3\n1\n", 2, 1, "outside of 1 to 2", as_metis);
  refuses("2 1 1\n2\n1 1\n", 2, 2, "the edge's weight is missing", as_metis);
  refuses("2 1 7\n2\n1\n", 1, 5, "three digits", as_metis);
  refuses("", 1, 1, "the file ends before", as_metis);
  // A line longer than a block of lines.
  std::string star = "200001 200000\n";
  for (int i = 2; i <= 200001; ++i) star += std::to_string(i) + ' ';
  star += '\n';
  for (int i = 2; i <= 200001; ++i) star += "1\n";
  EXPECT_EQ(read(star).edges.size(), 200000U);
}

std::string serialized(bool directed,
                       const std::vector<std::vector<std::pair<std::int32_t, std::int32_t>>>& rows,
                       bool weights) {
  std::string bytes(1, directed ? '\1' : '\0');
  const auto put = [&](auto number) { bytes.append(reinterpret_cast<const char*>(&number), sizeof number); };
  std::int64_t arcs = 0;
  for (const auto& row : rows) arcs += static_cast<std::int64_t>(row.size());
  put(arcs);
  put(static_cast<std::int64_t>(rows.size()));
  const auto put_rows = [&](const auto& all) {
    std::int64_t offset = 0;
    put(offset);
    for (const auto& row : all) put(offset += static_cast<std::int64_t>(row.size()));
    for (const auto& row : all)
      for (const auto& [target, weight] : row) {
        put(target);
        if (weights) put(weight);
      }
  };
  put_rows(rows);
  if (directed) {
    auto turned = rows;
    for (auto& row : turned) row.clear();
    for (std::size_t v = 0; v < rows.size(); ++v)
      for (const auto& [target, weight] : rows[v])
        turned[static_cast<std::size_t>(target)].emplace_back(static_cast<std::int32_t>(v), weight);
    put_rows(turned);
  }
  return bytes;
}

TEST_F(GraphFile, GapbsIsReadWithItsWeights) {
  const std::string directed = serialized(true, {{{1, 5}, {2, 6}}, {}, {{0, 7}}, {}}, false);
  const file_reading r = read(directed);
  EXPECT_EQ(r.entries(), (entries{{0, 1, 0}, {0, 2, 0}, {2, 0, 0}}));
  EXPECT_EQ(r.info.kind, direction::directed);
  EXPECT_EQ(r.vertices, 4U);
  const std::string weighted = serialized(true, {{{1, 5}, {2, -6}}, {}, {{0, 7}}, {}}, true);
  EXPECT_EQ(read(weighted).entries(), (entries{{0, 1, 5}, {0, 2, -6}, {2, 0, 7}}));
  const std::string both = serialized(false, {{{1, 5}, {2, 6}}, {{0, 5}}, {{0, 6}}}, true);
  EXPECT_EQ(read(both).entries(), (entries{{0, 1, 5}, {0, 2, 6}}));
  EXPECT_EQ(read(both).info.kind, direction::undirected);
  EXPECT_EQ(read(perdure::test::gzip(both), {}, "g.wsg.gz").entries(), (entries{{0, 1, 5}, {0, 2, 6}}));

  for (const std::string* const one : {&directed, &weighted, &both}) {
    const std::string& whole = *one;
    const std::string name = one == &directed ? "bad.sg" : "bad.wsg";
    for (std::size_t size = 18; size < whole.size(); ++size) {
      refuses(whole.substr(0, size), 1, 0, "", {}, name);
      EXPECT_THROW(read(perdure::test::gzip(whole.substr(0, size)), {}, name), line_error);
    }
  }
  refuses(directed + "x", 1, 0, "it should have", {.format = graph_format::gapbs});
  EXPECT_THROW(read(perdure::test::gzip(directed + "x")), line_error);
  std::string lies = directed;
  lies[9] = 127;  // vertices
  refuses(lies, 1, 0, "it should have");
  lies[15] = 127;
  refuses(lies, 1, 0, "which no file has", {.format = graph_format::gapbs});
  std::string beyond = serialized(false, {{{1, 0}}, {{0, 0}}}, false);
  beyond[beyond.size() - 1] = '\x80';
  refuses(beyond, 2, 0, "neighbour 2 is vertex -");
  refuses(serialized(false, {{{1, 0}}, {}}, false), 1, 0, "not each edge is at both its ends");
}

TEST_F(GraphFile, RecordsWithoutAHeaderAreToldApart) {
  const auto records = [](bool packed) {
    std::string bytes;
    for (std::uint64_t i = 1; i < 4000; ++i) {
      const std::uint64_t u = i * 7919 % 65536;
      const std::uint64_t v = i << 16;
      if (packed) {
        const std::uint32_t words[] = {static_cast<std::uint32_t>(u), static_cast<std::uint32_t>(v), 0};
        bytes.append(reinterpret_cast<const char*>(words), sizeof words);
      } else {
        const std::uint64_t words[] = {u, v};
        bytes.append(reinterpret_cast<const char*>(words), sizeof words);
      }
    }
    return bytes;
  };
  EXPECT_EQ(read(records(true)).info.format, graph_format::graph500);
  EXPECT_EQ(read(records(false)).info.format, graph_format::binary);
  EXPECT_EQ(read(records(true)).edges, read(records(false)).edges);
  EXPECT_EQ(read(perdure::test::zstd(records(true))).info.format, graph_format::graph500);
  const std::uint32_t large[] = {1, 2, 0x80007FFFU};
  EXPECT_EQ(read(std::string(reinterpret_cast<const char*>(large), sizeof large),
                 {.format = graph_format::graph500})
                .edges,
            (std::vector<edge>{{0x7FFF00000001U, 0x800000000002U}}));
  refuses(records(true).substr(0, 12 * 100 + 5), 101, 0, "is cut off", {.format = graph_format::graph500});
  const auto undecided = [&](const std::string& bytes) {
    try {
      read(bytes);
    } catch (const perdure::error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(undecided(std::string(48, '\0')).find("12 or of 16 bytes"), std::string::npos);
  EXPECT_NE(undecided(std::string(7, '\1')).find("no format is recognised"), std::string::npos);
}

TEST_F(GraphFile, ColumnsOfEdgeListsAreChosenByNumber) {
  file_reading r = read("# c\n1 2 0.5\n3 4 7\n");
  EXPECT_EQ(r.info.format, graph_format::edge_list);
  EXPECT_EQ(r.entries(), (entries{{1, 2, 0.5}, {3, 4, 7}}));
  r = read("1 2 1082040961\n3 4 1082040962\n", {.time_column = "3"});
  EXPECT_FALSE(r.info.has_weights);
  EXPECT_EQ(r.times, (std::vector<double>{1082040961, 1082040962}));
  r = read("1 2 -1 100\n3 4 1 200\n", {.time_column = "4"});
  EXPECT_EQ(r.values, (std::vector<double>{-1, 1}));
  EXPECT_EQ(r.times, (std::vector<double>{100, 200}));
  EXPECT_FALSE(read("1 2 0.5\n", {.weight_column = "none"}).info.has_weights);
  r = read("7 0.5 1 2\n", {.source_column = "3", .target_column = "4", .weight_column = "2"});
  EXPECT_EQ(r.entries(), (entries{{1, 2, 0.5}}));
  refuses("1 2 0.5\n3 4\n", 2, 4, "column 3 is missing");
  refuses("1 2 0.5\n3 4 nan\n", 2, 5, "not finite");
  refuses("1 2\n3 4 2016-13-01\n", 1, 4, "column 3 is missing", {.time_column = "3"});
  refuses("1 2 2016-13-01\n", 1, 5, "neither a number nor a date", {.time_column = "3"});
  refuses("1 2 2015-02-29\n", 1, 5, "no such date", {.time_column = "3"});
  EXPECT_EQ(read("0 9223372036854775808\n").edges[0].target, std::uint64_t{1} << 63);
}

TEST_F(GraphFile, CsvIsReadByItsHeader) {
  file_reading r = read(
      "target,source,weight,timestamp,label\n1,2,0.5,2016-03-01,\"a,b\"\n3,4,1,2016-03-01T12:00:05Z,x\n");
  EXPECT_EQ(r.info.format, graph_format::csv);
  EXPECT_EQ(r.entries(), (entries{{2, 1, 0.5}, {4, 3, 1}}));
  EXPECT_EQ(r.times, (std::vector<double>{1456790400, 1456833605}));
  r = read("a;b;from;to\n1;2;3;4\n");
  EXPECT_EQ(r.entries(), (entries{{3, 4, 0}}));
  r = read("from,to\r\n1,2\r\n");
  EXPECT_EQ(r.entries(), (entries{{1, 2, 0}}));
  r = read("x,y,z\n1,2,3\n", {.format = graph_format::csv, .source_column = "z", .target_column = "1"});
  EXPECT_EQ(r.entries(), (entries{{3, 1, 0}}));
  refuses("source,target\n1,2,3\n", 2, 5, "the header has 2 columns, and the line has more");
  refuses("source,target,w\n1,2\n", 2, 4, "the header has 3 columns, and the line has 2");
  refuses("source,target\n1,\n", 2, 3, "the vertex is missing");
  refuses("source,target\n1,-2\n", 2, 3, "must not be negative");
  refuses("source,target\n1,18446744073709551616\n", 2, 3, "does not fit");
  refuses("source,target\n\"1,2\n", 2, 1, "the quote is not closed");
  refuses("source,target\nann,ben\n", 2, 1, "where vertices have names");
  EXPECT_THROW(read("source,target\n1,2\n", {.weight_column = "cost"}), perdure::error);
  EXPECT_THROW(read("source,target\n1,2\n", {.target_column = "1"}), perdure::error);
}

TEST_F(GraphFile, AFirstLineIsAHeaderOnlyWhereNothingElseCanBeMeant) {
  const auto edges_of = [&](const std::string& text, graph_file_options options = {}) {
    numbered_names names;
    options.names = &names;
    return read(text, options).edges.size();
  };
  for (const char* const text :
       {"user1 user2\nuser2 user3\nuser3 user1\n", "node1\tnode2\nnode2\tnode3\nnode3\tnode1\n",
        "Toronto,Boston\nBoston,Miami\nMiami,Toronto\n", "tom ida\nida bob\nbob tom\n",
        "id_a id_b\nid_b id_c\nid_c id_a\n", "u v\nv w\nw u\n", "a,u\nu,b\nb,a\n"})
    EXPECT_EQ(edges_of(text), 3U) << text;
  EXPECT_EQ(edges_of("source target\n1 2\n2 3\n"), 2U);
  EXPECT_EQ(edges_of("u,v\na,b\nb,c\n"), 2U);
  EXPECT_EQ(edges_of("FROM,Friend\nann,ben\nben,cy\n"), 2U);
  EXPECT_EQ(edges_of("who whom\nann ben\nben cy\n", {.source_column = "who", .target_column = "whom"}), 2U);
  EXPECT_EQ(edges_of("ann,ben\nben,cy\n", {.header = header_line::yes}), 1U);
  EXPECT_EQ(edges_of("source,target\nann,ben\n", {.header = header_line::no}), 2U);
  for (const char* const text : {"source target\nann ben\n", "source_id,target_id\nann,ben\n"})
    EXPECT_TRUE(fails_with(errc::invalid_argument, "--header yes or --header no", [&] { edges_of(text); }))
        << text;
  EXPECT_TRUE(fails_with(errc::invalid_argument, "no line of column names", [&] {
    read("%%MatrixMarket matrix coordinate pattern general\n1 1 0\n", {.header = header_line::yes});
  }));
}

TEST_F(GraphFile, SaysWhatItWasTakenFor) {
  EXPECT_EQ(
      read("1 2 0.5\n").info.description,
      "edge list without a header, columns parted by blanks, from in column 1, to in column 2, weights in "
      "column 3");
  const file_reading csv = read("at;to;from\n20160301;2;1\n20160302;3;1\n", {.time_column = "at"});
  EXPECT_EQ(csv.info.description,
            "CSV with a header, columns parted by semicolons, from in column 3 (from), to in column 2 (to), "
            "dates as "
            "20160301 in column 1 (at)");
  EXPECT_EQ(csv.times, (std::vector<double>{1456790400, 1456876800}));
  refuses("1 2\nx 3\n", 2, 1, "(read as edge list without a header, columns parted by blanks");
}

TEST_F(GraphFile, WeightsAndTimesAreNotGuessed) {
  refuses("1 2\n3 4 0.5\n", 1, 4, "column 3 is missing");
  refuses("1 2 friend\n", 1, 5, "--weight-column none");
  EXPECT_EQ(read("1 2 friend\n", {.weight_column = "none"}).edges.size(), 1U);
  EXPECT_EQ(read("1 2 1.5D+03\n3 4 -2d-1\n").entries(), (entries{{1, 2, 1500}, {3, 4, -0.2}}));
  refuses("1;2;0,5\n", 1, 5, "decimal comma");
  refuses("1 2 0,5\n", 1, 5, "decimal comma");
  refuses("1 2 3\n1\t2 0,5\n", 2, 5, "decimal comma");
  EXPECT_EQ(read("1 2 0,5\n", {.weight_column = "none"}).edges.size(), 1U);
  EXPECT_EQ(read("1, 2, 0.5\n3 4,1.5\n").entries(), (entries{{1, 2, 0.5}, {3, 4, 1.5}}));
  refuses("1 2 20160301\n1 2 20160230\n", 2, 5, "no date as 20160301", {.time_column = "3"});
  EXPECT_EQ(read("1 2 20160301\n1 2 99\n", {.time_column = "3"}).times, (std::vector<double>{20160301, 99}));
}

TEST_F(GraphFile, WhatMayBeMetisIsRefusedOrNamed) {
  const std::string ring = "3 3\n2 3\n1 3\n1 2\n";
  EXPECT_TRUE(fails_with(errc::invalid_argument, "--format metis or --format text", [&] { read(ring); }));
  EXPECT_EQ(read(ring, {.format = graph_format::edge_list}).edges.size(), 4U);
  EXPECT_EQ(read_all(dir_.write("ring.el", ring)).edges.size(), 4U);
  EXPECT_EQ(read_all(dir_.write("ring.graph", ring)).edges.size(), 3U);
}

TEST_F(GraphFile, KonectsHeaderIsHonoured) {
  EXPECT_EQ(read("% sym unweighted\n1 2\n").info.kind, direction::undirected);
  EXPECT_EQ(read("% asym positive\n% 1 2 2\n1 2 3\n").info.kind, direction::directed);
  EXPECT_EQ(read("% a comment\n1 2\n").info.kind, std::nullopt);
  const file_reading two_sides = read("% bip unweighted\n% 3 2 2\n1 1\n1 2\n2 2\n");
  EXPECT_EQ(two_sides.entries(), (entries{{1, 3, 0}, {1, 4, 0}, {2, 4, 0}}));
  EXPECT_EQ(two_sides.info.kind, direction::undirected);
  refuses("% bip unweighted\n% 1 2 2\n3 1\n", 3, 1, "on the left to 2");
  EXPECT_TRUE(fails_with(errc::invalid_argument, "\"% EDGES LEFT RIGHT\" is missing",
                         [&] { read("% bip unweighted\n1 1\n"); }));
}

TEST_F(GraphFile, DenseMatricesAreReadByColumns) {
  const std::string banner = "%%MatrixMarket matrix array ";
  file_reading r = read(banner + "real general\n% a comment\n2 2\n0\n3\n-4\n0\n");
  EXPECT_EQ(r.entries(), (entries{{2, 1, 3}, {1, 2, -4}}));
  EXPECT_EQ(r.vertices, 2U);
  EXPECT_EQ(r.info.kind, direction::directed);
  r = read(banner + "integer symmetric\n3 3\n1\n0\n2\n0\n3\n0\n");
  EXPECT_EQ(r.entries(), (entries{{1, 1, 1}, {3, 1, 2}, {3, 2, 3}}));
  EXPECT_EQ(r.info.kind, direction::undirected);
  r = read(banner + "real skew-symmetric\n3 3\n1\n0\n2\n");
  EXPECT_EQ(r.entries(), (entries{{2, 1, 1}, {1, 2, -1}, {3, 2, 2}, {2, 3, -2}}));
  r = read(banner + "complex general\n1 1\n3 4\n");
  EXPECT_EQ(r.entries(), (entries{{1, 1, 5}}));
  EXPECT_EQ(read(banner + "real general\n0 0\n").vertices, 0U);
  refuses(banner + "real general\n2 2\n0\n3\n-4\n", 2, 1, "says 4 values, and the file has 3");
  refuses(banner + "real skew-symmetric\n2 2\n1\n2\n", 4, 1, "here is another one");
  refuses(banner + "pattern general\n1 1\n1\n", 1, 29, "must have values");
  refuses(banner + "real general\n1 2\n1\n2\n", 2, 3, "not square");
}

TEST_F(GraphFile, GraphmlIsReadOnOneLineOrMany) {
  const std::string one_line =
      "<graphml><graph edgedefault=\"undirected\"><node id=\"a\"/><node id=\"b\"/><node id=\"c\"/><edge "
      "source=\"a\" "
      "target=\"b\"/></graph></graphml>";
  numbered_names names;
  file_reading r = read(one_line, {.names = &names});
  EXPECT_EQ(r.info.format, graph_format::graphml);
  EXPECT_EQ(r.info.kind, direction::undirected);
  EXPECT_EQ(r.entries(), (entries{{0, 1, 0}}));
  EXPECT_EQ(r.named, (std::vector<vertex_id>{0, 1, 2}));
  refuses(one_line, 1, 42, "ask for names");

  const std::string text =
      "<?xml version='1.0' encoding='UTF-8'?>\n<!-- <a> -->\n<g:graphml "
      "xmlns:g='http://graphml.graphdrawing.org/xmlns'>\n"
      "<key id='d0' for='edge' attr.name='weight' attr.type='double'><default> 2.5 </default></key>\n"
      "<key id='d1' for='edge' attr.name='time' attr.type='double'/>\n"
      "<key id='d2' for='node' attr.name='colour' attr.type='string'/>\n"
      "<graph id='G' edgedefault='directed'>\n<node id='n7'><data key='d2'>red</data></node>\n<node "
      "id='8'/>\n"
      "<edge source='n7' target='8'><data key='d0'>0.5</data><data key='d1'>10</data></edge>\n"
      "<edge source='8' target='n7'><data key='d1'>20</data></edge>\n</graph></g:graphml>\n";
  r = read(text);
  EXPECT_EQ(r.entries(), (entries{{7, 8, 0.5}, {8, 7, 2.5}}));
  EXPECT_EQ(r.times, (std::vector<double>{10, 20}));
  EXPECT_EQ(r.left_out, std::vector<std::string>{"colour"});
  EXPECT_EQ(r.info.description, "GraphML, directed, weights, times");

  const auto body = [](const std::string& inside) {
    return "<graphml>\n<graph>\n" + inside + "</graph></graphml>";
  };
  refuses(body("<node id='1'/>\n<node id='1'/>\n"), 4, 1, "there already");
  refuses(body("<node id='1'/>\n<node id='n1'/>\n"), 4, 1, "another node is called \"n1\" too");
  refuses(body("<node id='1'/><edge source='1' target='2'/>\n"), 3, 44,
          "no node is called \"2\", which this edge names");
  refuses(body("<node id='1'><graph/></node>\n"), 3, 14, "inside another");
  refuses(body("<hyperedge/>\n"), 3, 1, "hyperedge");
  refuses(body("<node id='1'/>\n<edge source='1' target='1' directed='false'/>\n"), 4, 1, "in one graph");
  refuses(body("<node id='1'>\n"), 4, 3, "malformed XML");
  refuses(
      "<graphml><key id='w' for='edge' attr.name='weight'/><graph><node id='1'/><edge source='1' target='1'/>"
      "</graph></graphml>",
      1, 103, "no weight");
  refuses("<!DOCTYPE graphml [<!ENTITY a 'aaaa'>]>\n<graphml/>", 1, 31, "entities");
  EXPECT_TRUE(fails_with(errc::invalid_argument, "neither GraphML nor GEXF", [&] { read("<svg></svg>\n"); }));
}

TEST_F(GraphFile, GexfIsRead) {
  const std::string head = "<gexf version='1.2'>\n<graph defaultedgetype='";
  const std::string nodes =
      "'><attributes class='node'><attribute id='0' title='age' type='integer'/></attributes>\n<nodes><node "
      "id='0' "
      "label='A'/><node id='1'/></nodes>\n";
  const file_reading r =
      read(head + "directed" + nodes +
           "<edges><edge id='0' source='0' target='1' weight='3'/><edge source='1' target='0'/></edges>"
           "</graph></gexf>");
  EXPECT_EQ(r.info.format, graph_format::gexf);
  EXPECT_EQ(r.info.kind, direction::directed);
  EXPECT_EQ(r.entries(), (entries{{0, 1, 3}, {1, 0, 1}}));
  EXPECT_EQ(r.left_out, (std::vector<std::string>{"age", "label"}));
  refuses(head + "undirected" + nodes + "<edge source='0' target='1' type='directed'/>", 4, 1,
          "in one graph");
  refuses(head + "undirected" + nodes + "<edge source='0' target='1' weight='heavy'/>", 4, 1,
          "no finite number");
  refuses("<gexf><graph mode='dynamic'/></gexf>", 1, 7, "changes in time");
}

TEST_F(GraphFile, GmlIsRead) {
  const std::string text =
      "# a comment\nCreator \"me [ & you\"\nVersion 1\ngraph\n[\n  directed 1 comment [ a [ b 1 ] ]\n"
      "  node [ id 7 label \"A &amp; B &#246;\" graphics [ x 1 ] ]\n  node [ label \"c\" id 3 ]\n  node [ id "
      "9 ]\n"
      "  edge [ source 7 target 3 value 2.5 time 10 colour \"red\" ]\n"
      "  edge [ source 3 target 7 value +3 time 20 ]\n]\n";
  file_reading r = read(text);
  EXPECT_EQ(r.info.format, graph_format::gml);
  EXPECT_EQ(r.info.kind, direction::directed);
  EXPECT_EQ(r.info.description, "GML, directed, weights (value), times");
  EXPECT_EQ(r.entries(), (entries{{7, 3, 2.5}, {3, 7, 3}}));
  EXPECT_EQ(r.times, (std::vector<double>{10, 20}));
  EXPECT_EQ(r.named, (std::vector<vertex_id>{7, 3, 9}));
  EXPECT_EQ(r.left_out, (std::vector<std::string>{"graphics", "label", "colour"}));
  numbered_names names;
  r = read(text, {.names = &names});
  EXPECT_EQ(r.entries(), (entries{{0, 1, 2.5}, {1, 0, 3}}));
  EXPECT_EQ(names.numbers, (std::map<std::string, vertex_id>{{"A & B \xC3\xB6", 0}, {"c", 1}, {"9", 2}}));
  EXPECT_EQ(r.left_out, (std::vector<std::string>{"graphics", "colour"}));

  r = read("\xEF\xBB\xBFgraph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 weight 4 value 5 ] ]");
  EXPECT_EQ(r.info.kind, direction::undirected);
  EXPECT_EQ(r.entries(), (entries{{1, 2, 4}}));
  EXPECT_EQ(r.left_out, std::vector<std::string>{"value"});
  EXPECT_EQ(read("graph [ node [ id 5 ] ]\n").named, std::vector<vertex_id>{5});

  const auto body = [](const std::string& inside) {
    return "graph [\nnode [ id 1 label \"x\" ]\nnode [ id 2 label \"x\" ]\n" + inside + "]\n";
  };
  refuses(body("edge [ source 1 target 3 ]\n"), 4, 26, "no node before this edge is called \"3\"");
  refuses(body("edge [ source 1 ]\n"), 4, 6, "without a source or a target");
  refuses(body("edge [ source 1 target 2 ]\nedge [ source 1 target 2 weight 3 ]\n"), 5, 6,
          "with weight, and the first edge has none");
  refuses(body("edge [ source 1 target 2 weight 3 ]\nedge [ source 1 target 2 ]\n"), 5, 6,
          "an edge without weight");
  refuses(body("edge [ source 1 target 2 weight x ]\n"), 4, 33, "expected a number or a text as weight");
  refuses(body("edge [ source 1 target 2 weight \"x\" ]\n"), 4, 37, "no finite number");
  refuses(body("edge [ source 1 source 2 ]\n"), 4, 24, "a second source");
  refuses(body("edge [ source 1 target 2 ]\ndirected 1\n"), 5, 10, "only behind edges");
  refuses(body("node [ label 3 ]\n"), 4, 6, "without an id");
  refuses(body("{\n"), 4, 1, "expected a key, a number, a text in quotes or a bracket, not '{'");
  refuses(body("node [ id 4\n"), 6, 1, "ends inside the graph");
  refuses(body("") + "graph [ ]\n", 5, 1, "a second graph");
  refuses("graph [ a \"b\n", 1, 11, "ends inside a text");
  numbered_names others;
  refuses(body(""), 3, 23, "another node is called \"x\" too", {.names = &others});
}

TEST_F(GraphFile, PajekIsRead) {
  const std::string text =
      "% a network\n*Network x\n*Vertices 3 2\n1 \"a b\" 0.1 0.2 box\n2 two\n3 \"c\"\n*Edges\n*Arcs :1 "
      "\"knows\"\n"
      "1 2 0.5 c Blue\n\n2 1\n*arcslist :1 \"knows\"\n3 1 2\n";
  file_reading r = read(text);
  EXPECT_EQ(r.info.format, graph_format::pajek);
  EXPECT_EQ(r.info.kind, direction::directed);
  EXPECT_EQ(r.info.description, "Pajek, two modes of which the first has 2, directed");
  EXPECT_EQ(r.entries(), (entries{{1, 2, .5}, {2, 1, 1}, {3, 1, 1}, {3, 2, 1}}));
  EXPECT_EQ(r.vertices, 3U);
  EXPECT_EQ(r.left_out, (std::vector<std::string>{"places and shapes of vertices", "labels of vertices",
                                                  "shapes of edges"}));
  numbered_names names;
  r = read(text, {.names = &names});
  EXPECT_EQ(r.entries(), (entries{{0, 1, .5}, {1, 0, 1}, {2, 0, 1}, {2, 1, 1}}));
  EXPECT_EQ(r.named, (std::vector<vertex_id>{0, 1, 2}));
  EXPECT_EQ(names.numbers, (std::map<std::string, vertex_id>{{"a b", 0}, {"two", 1}, {"c", 2}}));

  r = read("*vertices 3\r\n*edges\r\n1 3 2\r\n");
  EXPECT_EQ(r.info.kind, direction::undirected);
  EXPECT_EQ(r.entries(), (entries{{1, 3, 2}}));
  EXPECT_EQ(read("*Vertices 2\n*Matrix\n0 2.5\n1 0\n").entries(), (entries{{1, 2, 2.5}, {2, 1, 1}}));
  EXPECT_EQ(read("*Vertices 4\n").vertices, 4U);

  const std::string head = "*Vertices 2\n1 \"a\"\n2 \"a\"\n";
  refuses(head + "*Arcs\n1 3\n", 5, 3, "3");
  refuses(head + "*Arcs\n1 2 x\n", 5, 5, "the weight");
  refuses(head + "*Arcs\n1 2\n*Edges\n1 2\n", 7, 1, "arcs and edges in one network");
  refuses(head + "*Arcs :1 \"a\"\n1 2\n*Arcs :2 \"b\"\n1 2\n", 7, 1, "several relations");
  refuses(head + "*Partition x\n1\n", 4, 1, "other sections are not read");
  refuses(head + "*Matrix\n0 1\n1 0\n0 0\n", 7, 1, "more rows");
  refuses(head + "*Matrix\n0\n", 5, 2, "an entry of the matrix is missing");
  refuses("*Arcs\n1 2\n", 1, 1, "expected *Vertices");
  refuses("*Vertices 2\n1 \"a\n", 2, 3, "second quote");
  refuses("*Vertices 4000000\n*Arcs\n1 2\n", 1, 11, "--max-vertices");
  numbered_names others;
  refuses(head, 3, 3, "another vertex is called \"a\" too", {.names = &others});
  refuses("*Vertices 2\n1 \"a\"\n*Arcs\n1 2\n", 3, 1, "only 1 of 2", {.names = &others});
}

TEST_F(GraphFile, WhatIsLeftOutIsNamed) {
  EXPECT_EQ(read("2 1 110 1\n3 4 2\n3 4 1\n", {}, "g.graph").left_out,
            (std::vector<std::string>{"sizes of vertices", "weights of vertices"}));
  EXPECT_EQ(read("p edge 2 1\nn 1 5\ne 1 2\n").left_out, std::vector<std::string>{"lines of vertices"});
  EXPECT_TRUE(read("1 2\n").left_out.empty());
}

TEST_F(GraphFile, AttributesOfVerticesAreKeptIfAskedFor) {
  const auto attributes_of = [&](const std::string& text, const std::string& name = "g") {
    const auto source = open_graph_file(dir_.write(name, text), {.keep_attributes = true});
    edge_batch batch;
    while (source->next(batch)) continue;
    EXPECT_TRUE(source->left_out().empty());
    return source->take_vertex_attributes();
  };
  const auto expect = [](const vertex_attribute& one, const std::string& name, bool is_text,
                         const std::vector<vertex_id>& vertices, const std::vector<std::string>& values) {
    EXPECT_EQ(one.name, name);
    EXPECT_EQ(one.is_text, is_text) << name;
    EXPECT_EQ(one.vertices, vertices) << name;
    EXPECT_EQ(one.values, values) << name;
  };
  auto found = attributes_of(
      "<graphml><key id='a' for='node' attr.name='age' attr.type='int'><default>7</default></key><key id='c' "
      "for='node' attr.name='colour' attr.type='string'/><graph><node id='1'><data "
      "key='c'>red</data></node><node "
      "id='2'><data key='a'>9</data></node><edge source='1' target='2'/></graph></graphml>");
  ASSERT_EQ(found.size(), 2U);
  expect(found[0], "colour", true, {1}, {"red"});
  expect(found[1], "age", false, {1, 2}, {"7", "9"});
  found = attributes_of(
      "<gexf><graph><attributes class='node'><attribute id='0' title='age' "
      "type='integer'><default>7</default>"
      "</attribute></attributes><nodes><node id='1' label='A'/><node id='2'><attvalues><attvalue for='0' "
      "value='9'/></attvalues></node></nodes></graph></gexf>");
  ASSERT_EQ(found.size(), 2U);
  expect(found[0], "label", true, {1}, {"A"});
  expect(found[1], "age", false, {1, 2}, {"7", "9"});
  found = attributes_of("graph [ node [ id 1 age 7 label \"A\" ] node [ id 2 age 9 ] ]");
  ASSERT_EQ(found.size(), 2U);
  expect(found[0], "age", false, {1, 2}, {"7", "9"});
  expect(found[1], "label", true, {1}, {"A"});
  found = attributes_of("2 1 110 2\n3 4 5 2\n6 7 8 1\n", "g.graph");
  ASSERT_EQ(found.size(), 3U);
  expect(found[0], "size", false, {1, 2}, {"3", "6"});
  expect(found[2], "weight2", false, {1, 2}, {"5", "8"});
}

TEST_F(GraphFile, KeysOfEdgesAreChosenAsColumnsAre) {
  const std::string gml =
      "graph [ node [ id 1 ] edge [ source 1 target 1 weight 2 capacity 3 year 4 ] edge [ source 1 target 1 "
      "capacity 5 year 6 ] ]\n";
  const graph_file_options chosen{.weight_column = "capacity", .time_column = "year"};
  file_reading r = read(gml, chosen);
  EXPECT_EQ(r.values, (std::vector<double>{3, 5}));
  EXPECT_EQ(r.times, (std::vector<double>{4, 6}));
  EXPECT_EQ(r.left_out, std::vector<std::string>{"weight"});
  EXPECT_FALSE(read(gml, {.weight_column = "none"}).info.has_weights);
  refuses(gml, 1, 28, "an edge without flow", {.weight_column = "flow"});
  const std::string graphml =
      "<graphml><key id='w' for='edge' attr.name='weight'/><key id='c' for='edge' "
      "attr.name='capacity'/><graph>"
      "<node id='1'/><edge source='1' target='1'><data key='w'>2</data><data key='c'>3</data></edge></graph>"
      "</graphml>";
  r = read(graphml, {.weight_column = "capacity"});
  EXPECT_EQ(r.values, std::vector<double>{3});
  EXPECT_EQ(r.left_out, std::vector<std::string>{"weight"});
  EXPECT_FALSE(read(graphml, {.weight_column = "none"}).info.has_weights);
  refuses(graphml, 1, 98, "no key of edges is called \"flow\"", {.weight_column = "flow"});

  const std::string matrix = "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 5\n";
  r = read(matrix, {.weight_column = "none"});
  EXPECT_FALSE(r.info.has_weights);
  EXPECT_EQ(r.info.description, "Matrix Market, real, general, weights left out");
  EXPECT_EQ(r.entries(), (entries{{1, 2, 0}}));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "--weight-column (but for none) is not for them",
                         [&] { read(matrix, {.weight_column = "3"}); }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "mtx have no columns to choose from",
                         [&] { read(matrix, {.time_column = "3"}); }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "gml have no columns of ids",
                         [&] { read(gml, {.source_column = "source"}); }));
}

TEST_F(GraphFile, DeclaredVerticesAreLimited) {
  const std::string text = "%%MatrixMarket matrix coordinate pattern general\n4000000 4000000 1\n1 4000000\n";
  refuses(text, 2, 1, "--max-vertices");
  EXPECT_EQ(read(text, {.max_vertices = 4'000'000}).vertices, 4'000'000U);
  refuses("p sp 4000000 1\na 1 4000000 2\n", 1, 6, "--max-vertices");
}

TEST_F(GraphFile, NamesOfVerticesAreNumbered) {
  numbered_names names;
  const file_reading r =
      read("# friends\nann\tben carl\t3\nben carl\t\"say \"\"x\"\"\"\t4\nann\tann\t5\n", {.names = &names});
  EXPECT_EQ(r.entries(), (entries{{0, 1, 3}, {1, 2, 4}, {0, 0, 5}}));
  EXPECT_EQ(names.numbers, (std::map<std::string, vertex_id>{{"ann", 0}, {"ben carl", 1}, {"say \"x\"", 2}}));
  numbered_names others;
  EXPECT_EQ(read("from,to\nx,y\ny,x\n", {.names = &others}).entries(), (entries{{0, 1, 0}, {1, 0, 0}}));
  refuses("x\n", 1, 2, "column 2 is missing", {.names = &others});
}

TEST_F(GraphFile, AreAtTheirEndWhenNamesCannotBeKept) {
  class full_names final : public vertex_namer {
   public:
    explicit full_names(int most) : left_(most) {}
    vertex_id number_of(std::string_view) override {
      if (left_-- == 0) throw perdure::error(errc::no_space, "no room for names");
      return static_cast<vertex_id>(left_);
    }

   private:
    int left_;
  };
  for (const char* text :
       {"graph [ node [ id 1 label \"a\" ] node [ id 2 label \"b\" ] node [ id 3 label \"c\" ] "
        "edge [ source 1 target 2 ] edge [ source 2 target 3 ] ]",
        "*Vertices 3\n1 \"a\"\n2 \"b\"\n3 \"c\"\n*Edges\n1 2\n2 3\n", "a,b\nb,c\n"}) {
    full_names names(2);
    graph_file_options options;
    options.names = &names;
    EXPECT_TRUE(fails_with(errc::no_space, "no room", [&] { read(text, options, "names.csv"); })) << text;
  }
}

TEST_F(GraphFile, JoinedInputsAreAtTheirEndAfterAThrow) {
  const auto bad = dir_.write("a.txt", "1 2\n3 x\n");
  const auto good = dir_.write("b.txt", "4 5\n");
  std::vector<graph_input> inputs = open_graph_inputs({bad, good}, {});
  give_directions(inputs, direction::directed);
  joined_inputs joined(inputs);
  edge_batch batch;
  EXPECT_TRUE(fails_with(errc::bad_input, "line 2, column 3", [&] { joined.next(batch); }));
  EXPECT_FALSE(joined.next(batch));
  EXPECT_TRUE(batch.edges.empty());
}

TEST_F(GraphFile, PolledInputsAreAtTheirEndAfterAThrow) {
  const auto file = dir_.write("a.txt", "1 2\n");
  int polls = 0;
  std::vector<graph_input> inputs = open_graph_inputs({file, file}, {}, [&polls] {
    if (++polls == 1) throw perdure::error(errc::io, "interrupted");
  });
  joined_inputs joined(inputs);
  edge_batch batch;
  EXPECT_TRUE(fails_with(errc::io, "interrupted", [&] { joined.next(batch); }));
  EXPECT_FALSE(inputs[0].edges->next(batch));
  EXPECT_FALSE(joined.next(batch));
  EXPECT_TRUE(batch.edges.empty());
}

TEST_F(GraphFile, BadLinesAreSkippedAndCounted) {
  const auto source = open_graph_file(
      dir_.write("m", "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 2 1\n1 9 1\nx\n2 3 1\n"),
      {.skip_bad_lines = true});
  std::size_t drawn = 0;
  for (edge_batch batch; source->next(batch);) drawn += batch.edges.size();
  EXPECT_EQ(drawn, 2U);
  EXPECT_EQ(source->skipped_lines(), 2U);
}

TEST(GraphFileData, EveryFormatIsReadOrRefusedWithAPlace) {
  struct expectation {
    const char* name;
    graph_format format;
    std::size_t count;
    std::uint64_t vertices;
  };
  for (const auto& [name, format, count, vertices] :
       {expectation{"gapbs/4.el", graph_format::edge_list, 256, 0},
        expectation{"gapbs/4.wel", graph_format::edge_list, 256, 0},
        expectation{"gapbs/4.gr", graph_format::dimacs, 256, 14},
        expectation{"gapbs/4.mtx", graph_format::matrix_market, 256, 14},
        expectation{"gapbs/4w.mtx", graph_format::matrix_market, 256, 14},
        expectation{"lagraph/karate.mtx.gz", graph_format::matrix_market, 78, 34},
        expectation{"lagraph/west0067.mtx.gz", graph_format::matrix_market, 294, 67},
        expectation{"networkit/PGPgiantcompo.graph.gz", graph_format::metis, 24316, 10680},
        expectation{"networkit/astro-ph.graph.gz", graph_format::metis, 121251, 16706},
        expectation{"networkit/jazz.graph.gz", graph_format::metis, 2742, 198},
        expectation{"networkit/karate.graph.gz", graph_format::metis, 78, 34},
        expectation{"networkit/lesmis.graph.gz", graph_format::metis, 254, 77},
        expectation{"networkit/power.graph.gz", graph_format::metis, 6594, 4941},
        expectation{"networkit/chesapeake.mtx.gz", graph_format::matrix_market, 170, 39},
        expectation{"networkit/foodweb-baydry.konect.gz", graph_format::edge_list, 2137, 0}}) {
    const auto path = perdure::test::data_file(std::string("formats/") + name);
    if (path.empty()) GTEST_SKIP() << "no test data";
    const file_reading r = read_all(path);
    EXPECT_EQ(r.info.format, format) << name;
    EXPECT_EQ(r.edges.size(), count) << name;
    EXPECT_EQ(r.vertices, vertices) << name;
  }
  // METIS with each edge at one end only.
  for (const char* const name : {"formats/gapbs/4.graph", "formats/gapbs/4w.graph"})
    EXPECT_THROW(read_all(perdure::test::data_file(name)), line_error) << name;
  // Whatever else is there: read, or refused as malformed.
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(perdure::test::data_file("formats/networkit"))) {
    try {
      read_all(file.path());
    } catch (const perdure::error& e) {
      EXPECT_TRUE(e.code() == errc::bad_input || e.code() == errc::invalid_argument)
          << file.path() << ": " << e.what();
    }
  }
  numbered_names names;
  const file_reading reddit =
      read_all(perdure::test::data_file("temporal/reddit-title-test.tsv"), {.names = &names});
  EXPECT_EQ(reddit.info.format, graph_format::csv);
  EXPECT_TRUE(reddit.info.has_times);
  EXPECT_EQ(read_all(perdure::test::data_file("kron/rmat_s17.edges.xz")).edges.size(), 2097152U);
}

// Reads a file in three parts. Returns nothing where it cannot be divided.
std::vector<file_reading> read_shares(const std::filesystem::path& path,
                                      const graph_file_options& options = {}) {
  std::vector<file_reading> parts;
  for (std::uint64_t part = 0; part < 3; ++part) {
    const auto source = open_graph_file(path, options);
    if (!source->keep_share({part, 3})) continue;
    file_reading& one = parts.emplace_back();
    edge_batch batch;
    while (source->next(batch)) {
      one.edges.insert(one.edges.end(), batch.edges.begin(), batch.edges.end());
      one.values.insert(one.values.end(), batch.values.begin(), batch.values.end());
    }
  }
  return parts;
}

TEST_F(GraphFile, IsReadInSharesWhereLinesStandAlone) {
  std::string text;
  std::string records;
  for (std::uint64_t i = 0; i < 250'000; ++i) {
    text += std::to_string(i) + ' ' + std::to_string(i * 7919 % 1'000'003) + " 0.5\n";
    for (const std::uint64_t number : {i, i * 3})
      records.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  std::string csv = "source,target,weight\n" + text;
  std::replace(csv.begin(), csv.end(), ' ', ',');
  for (const auto& [name, bytes] :
       {std::pair<std::string, std::string>{"a.txt", text}, {"a.csv", csv}, {"a.bin", records}}) {
    const std::filesystem::path file = dir_.write(name, bytes);
    const file_reading whole = read_all(file);
    ASSERT_EQ(whole.edges.size(), 250'000U);
    const std::vector<file_reading> parts = read_shares(file);
    ASSERT_EQ(parts.size(), 3U) << name;
    file_reading joined;
    for (const file_reading& part : parts) {
      EXPECT_GT(part.edges.size(), 50'000U) << name;
      joined.edges.insert(joined.edges.end(), part.edges.begin(), part.edges.end());
      joined.values.insert(joined.values.end(), part.values.begin(), part.values.end());
    }
    std::vector<entry> expected = whole.entries();
    std::vector<entry> found = joined.entries();
    std::sort(expected.begin(), expected.end());
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, expected) << name;
  }
  EXPECT_TRUE(read_shares(dir_.write("small.txt", "1 2\n3 4\n")).at(1).edges.empty());
  EXPECT_TRUE(
      read_shares(dir_.write("a.metis", "3 2\n2\n1 3\n2\n"), {.format = graph_format::metis}).empty());
  numbered_names names;
  EXPECT_TRUE(read_shares(dir_.write("names.csv", "source,target\na,b\n"), {.names = &names}).empty());
}

TEST_F(GraphFile, ThatCannotBeDividedIsReadByTheFirstPart) {
  const std::filesystem::path file = dir_.write("a.metis", "3 2\n2\n1 3\n2\n");
  for (std::uint64_t part = 0; part < 2; ++part) {
    std::vector<graph_input> inputs =
        open_graph_inputs({file}, {.format = graph_format::metis}, {}, {part, 2});
    edge_batch batch;
    std::size_t drawn = 0;
    while (inputs.front().edges->next(batch)) drawn += batch.edges.size();
    EXPECT_EQ(drawn, part == 0 ? 2U : 0U);
  }
  EXPECT_EQ(open_graph_inputs({"/nothing"}, {}, {}, {1, 2}).front().name, "nothing");
}

}  // namespace
