// Graphs handed over to GraphBLAS: its answers against those of our kernels, and that it leaves what it is
// given as it was.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <perdure/error.hpp>
#include <perdure/graph/bfs.hpp>
#include <perdure/graph/graph_file.hpp>
#include <perdure/graph/graphblas.hpp>
#include <perdure/graph/pagerank.hpp>
#include <perdure/graph/sssp.hpp>
#include <perdure/graph/triangles.hpp>
#include <perdure/graph/trusses.hpp>
#include <perdure/graph/wide_csr.hpp>
#include <perdure/manager.hpp>

#include "../examples/graphblas_kernels.hpp"
#include "small_graphs.hpp"
#include "support/data_files.hpp"
#include "support/errors.hpp"
#include "support/scratch_directory.hpp"

namespace {
using namespace perdure::graph;
using namespace perdure::test;
using nlohmann::json;
using perdure::errc;
using perdure::fails_with;

/// GraphBLAS is started once in a process.
class GraphBlas : public testing::Test {
 protected:
  static void SetUpTestSuite() { require_graphblas(GrB_init(GrB_NONBLOCKING), "start"); }
  static void TearDownTestSuite() { GrB_finalize(); }
};

template <class View>
std::vector<double> degrees_of(const View& view) {
  std::vector<double> degrees(view.size());
  for (vertex_handle v = 0; v < view.size(); ++v) degrees[v] = static_cast<double>(view.degree(v));
  return degrees;
}

template <class Wide, class View>
void expect_same_answers(const Wide& wide, const View& view, vertex_handle source) {
  const graphblas_matrix arcs = graphblas_matrix::of_arcs(wide, graphblas_check::rows, 2);
  std::vector<std::uint32_t> levels;
  for (const std::int32_t level : levels_by_graphblas(arcs.get(), source))
    levels.push_back(static_cast<std::uint32_t>(level));  // -1 is unreached
  EXPECT_EQ(levels, bfs(view, source, 2).levels);
  if (view.has_incoming()) {
    const graphblas_matrix incoming = graphblas_matrix::of_incoming_arcs(wide);
    const auto found = pagerank_by_graphblas(incoming.get(), degrees_of(view), 1e-11);
    const pagerank_result expected = pagerank(view, {.tolerance = 1e-11, .threads = 2});
    for (vertex_handle v = 0; v < view.size(); ++v) EXPECT_NEAR(found.ranks[v], expected.ranks[v], 1e-9);
  }
  if (view.has_weights()) {
    const graphblas_matrix weights = graphblas_matrix::of_weights(wide);
    EXPECT_EQ(distances_by_graphblas(weights.get(), source), sssp(view, source).distances);
  }
  if (view.symmetric()) {
    EXPECT_EQ(triangles_by_graphblas(arcs.get()), count_triangles(view));
    const truss_result expected = trusses(view);
    for (const std::uint32_t k : {3U, 5U})
      EXPECT_EQ(truss_edges_by_graphblas(arcs.get(), k), expected.edges_of(k)) << k;
  }
}

TEST_F(GraphBlas, FindsWhatOurKernelsFind) {
  std::mt19937_64 random(21);
  for (int round = 0; round < 1000 && !HasFailure(); ++round) {
    std::vector<std::pair<edge, double>> weighted;
    for (const edge& e : random_edges(random(), random() % (random() % 4 == 0 ? 120 : 30), 1 + random() % 20,
                                      random() % 5 == 0))
      weighted.emplace_back(e, static_cast<double>(random() % 40) / 4);
    weighted_source source(weighted);
    memory_csr made;
    build_csr(made, source,
              {.kind = random() % 2 == 0 ? direction::directed : direction::undirected,
               .drop_loops = random() % 2 == 0,
               .drop_duplicates = true,
               .with_incoming = random() % 2 == 0,
               .with_weights = random() % 2 == 0,
               .order = random() % 2 == 0 ? vertex_order::by_id : vertex_order::by_degree});
    memory_wide_csr wide;
    widen_csr(wide, made, 2);
    if (made.vertices() == 0) {
      EXPECT_NE(graphblas_matrix::of_arcs(wide.view()).get(), nullptr);
      continue;
    }
    const std::vector<std::uint64_t> before(wide.view().targets.begin(), wide.view().targets.end());
    expect_same_answers(wide.view(), made.view(), static_cast<vertex_handle>(random() % made.vertices()));
    EXPECT_TRUE(std::ranges::equal(wide.view().targets, before));
  }
}

/// A copy in memory that cannot be written, where a change would end the process.
class unwritable_copy {
 public:
  explicit unwritable_copy(std::span<const std::uint64_t> from)
      : size_(from.size()), bytes_(from.size_bytes()) {
    void* const got = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (got == MAP_FAILED) throw std::bad_alloc();
    first_ = static_cast<std::uint64_t*>(got);
    std::ranges::copy(from, first_);
    ::mprotect(first_, bytes_, PROT_READ);
  }
  unwritable_copy(const unwritable_copy&) = delete;
  unwritable_copy& operator=(const unwritable_copy&) = delete;
  ~unwritable_copy() { ::munmap(first_, bytes_); }
  std::span<const std::uint64_t> elements() const { return {first_, size_}; }

 private:
  std::size_t size_;
  std::size_t bytes_;
  std::uint64_t* first_;
};

TEST_F(GraphBlas, ReadsTheStoreWhereItLies) {
  const perdure::scratch_directory scratch(perdure::fast_directory());
  const auto path = data_file("graphs/wiki-Vote.txt.gz");
  if (path.empty()) GTEST_SKIP() << "no test data";
  {
    perdure::manager store(perdure::create_only, scratch.path());
    memory_csr made;
    build_csr(made, *open_graph_file(path),
              {.kind = direction::undirected, .drop_loops = true, .drop_duplicates = true, .threads = 2});
    widen_csr(*store.construct<stored_wide_csr>("wide")(), made, 2);
    store.close();
  }
  std::ifstream file(data_file("reference/wiki-Vote.json"));
  const json facts = json::parse(file);
  const perdure::manager store(perdure::open_read_only, scratch.path());
  auto view = store.find<stored_wide_csr>("wide").first->view();
  const graphblas_matrix arcs = graphblas_matrix::of_arcs(view, graphblas_check::none);
  std::vector<std::uint64_t> histogram;
  for (const std::int32_t level :
       levels_by_graphblas(arcs.get(), view.find(facts["bfs_undirected"]["source"]))) {
    if (level < 0) continue;
    histogram.resize(std::max<std::size_t>(histogram.size(), static_cast<std::size_t>(level) + 1));
    ++histogram[static_cast<std::size_t>(level)];
  }
  EXPECT_EQ(json(histogram), facts["bfs_undirected"]["levels_histogram"]);
  for (const char* const k : {"4", "10"})
    EXPECT_EQ(truss_edges_by_graphblas(arcs.get(), static_cast<std::uint32_t>(std::stoul(k))),
              facts["ktruss_edges"][k]);
  const std::vector<double> ranks = pagerank_by_graphblas(arcs.get(), degrees_of(view), 1e-10).ranks;
  for (const auto& one : facts["pagerank_undirected_networkx"]["top10"])
    EXPECT_NEAR(ranks[view.find(one[0])], one[1].get<double>(), 1e-9);
  const unwritable_copy offsets(view.offsets);
  const unwritable_copy targets(view.targets);
  view.offsets = offsets.elements();
  view.targets = targets.elements();
  expect_same_answers(view, view, 0);
}

TEST_F(GraphBlas, GetsNoMatrixThatIsNone) {
  const std::vector<edge> edges{{0, 1}, {0, 1}, {1, 2}};
  span_source source(edges);
  memory_csr made;
  build_csr(made, source, {});
  memory_wide_csr wide;
  widen_csr(wide, made);
  EXPECT_TRUE(
      fails_with(errc::invalid_argument, "drop_duplicates", [&] { graphblas_matrix::of_arcs(wide.view()); }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "with_incoming",
                         [&] { graphblas_matrix::of_incoming_arcs(wide.view()); }));
  EXPECT_TRUE(
      fails_with(errc::invalid_argument, "with_weights", [&] { graphblas_matrix::of_weights(wide.view()); }));
}

}  // namespace
