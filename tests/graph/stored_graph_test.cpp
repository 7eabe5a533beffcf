// Graphs in a store by their names: grown, frozen, ingested, appended by time, built, listed and exported.
#include <gtest/gtest.h>

#include <fstream>
#include <perdure/array_store.hpp>
#include <perdure/graph/append_by_time.hpp>
#include <perdure/graph/build_graph.hpp>
#include <perdure/graph/degrees.hpp>
#include <perdure/graph/export_graph.hpp>
#include <perdure/graph/growing_graph.hpp>
#include <perdure/graph/ingest_files.hpp>
#include <perdure/graph/properties.hpp>
#include <perdure/graph/property_list.hpp>
#include <perdure/graph/result_table.hpp>
#include <perdure/graph/stored_graph.hpp>
#include <perdure/manager.hpp>
#include <stdexcept>

#include "reference_graph.hpp"
#include "support/errors.hpp"
#include "support/scratch_directory.hpp"

namespace {
using namespace perdure::graph;
using namespace perdure::test;
using perdure::fails_with;
using perdure::manager;
using perdure::open_or_create;

class GraphByName : public testing::Test {
 protected:
  std::filesystem::path store_path() const { return dir_ / "s"; }
  manager open() const { return manager(open_or_create, store_path(), options()); }
  static perdure::store_options options() {
    perdure::store_options o;
    o.capacity = std::size_t{4} << 30;
    return o;
  }
  /// Returns the graph as algorithms see it.
  static model seen(const stored_graph& g) {
    return g.view(2).visit([](const auto& view) { return contents_of_view(view); });
  }
  static std::string exported(const stored_graph& g) {
    std::string text;
    export_graph(g, {}, [&](std::string_view piece) { text += piece; });
    return text;
  }

  perdure::scratch_directory dir_{perdure::fast_directory()};
};

TEST_F(GraphByName, EveryAdditionLeavesTheFrozenFormFresh) {
  for (const direction kind : {direction::directed, direction::undirected}) {
    const std::string name = kind == direction::directed ? "arcs" : "edges";
    std::vector<edge> all;
    {
      manager store = open();
      growing_graph g(store, name, {.kind = kind});
      EXPECT_EQ(g.frozen(), frozen_state::none);
      const auto more = [&](std::uint64_t seed, std::size_t count) {
        const auto edges = random_edges(seed, count, 4000, true);
        g.add(edges);
        all.insert(all.end(), edges.begin(), edges.end());
      };
      more(1, 3000);
      EXPECT_EQ(g.freeze({.threads = 2}).done, freeze_action::built);
      for (std::uint64_t seed = 2; seed < 12; ++seed) {
        more(seed, 300);  // merged into the CSR now and then
        EXPECT_EQ(g.frozen(), frozen_state::fresh);
        EXPECT_EQ(seen(stored_graph(store, name)), model_of(all, kind));
      }
      more(12, 20);
      EXPECT_EQ(g.freeze().done, freeze_action::patched);
      EXPECT_EQ(g.freeze().done, freeze_action::kept);
      more(13, 20);
      store.checkpoint();
      more(14, 5000);
      store.discard();
      all.resize(all.size() - 5000);
    }
    const manager store(perdure::open_read_only, store_path());
    const stored_graph g(store, name);
    EXPECT_EQ(g.frozen(), frozen_state::fresh);
    EXPECT_EQ(g.edges(), all.size());
    EXPECT_EQ(seen(g), model_of(all, kind));
    EXPECT_EQ(contents(*g.list()), model_of(all, kind));
    EXPECT_TRUE(store.check().empty());
  }
}

TEST_F(GraphByName, AFailedAdditionIsReadFromTheListUntilTheNextFreeze) {
  class failing_source final : public edge_source {
   public:
    bool next(edge_batch& batch) override {
      batch.clear();
      if (++calls_ == 2) throw std::runtime_error("the source ends here");
      batch.edges = {{7, 8}, {8, 9}};
      return true;
    }
    perdure::workload::progress progress() const noexcept override { return {}; }

   private:
    int calls_ = 0;
  };
  manager store = open();
  growing_graph g(store);
  g.add(std::vector<edge>{{1, 2}, {2, 7}});
  g.freeze();
  failing_source source;
  EXPECT_THROW(g.add(source), std::runtime_error);
  EXPECT_EQ(g.frozen(), frozen_state::stale);
  g.add(std::vector<edge>{{9, 1}});
  EXPECT_EQ(g.frozen(), frozen_state::stale);
  EXPECT_EQ(seen(stored_graph(store)), contents(g.list()));
  EXPECT_EQ(g.freeze().done, freeze_action::built);
  EXPECT_EQ(seen(stored_graph(store)), contents(g.list()));
  g.merge_duplicates(duplicate_edges::last);
  EXPECT_EQ(g.frozen(), frozen_state::stale);
}

TEST_F(GraphByName, HasColumnsAndNames) {
  manager store = open();
  {
    growing_graph g(store, "g", {.with_names = true});
    const vertex_id ann = g.names()->add("ann");
    const vertex_id ben = g.names()->add("ben");
    g.add(std::vector<edge>{{ann, ben}});
    EXPECT_TRUE(fails_with(perdure::errc::invalid_argument, "no weights", [&] {
      g.add(std::vector<edge>{{ann, ben}}, std::vector<double>{2});
    }));
  }
  growing_graph g(store, "g", {.with_weights = true, .with_times = true, .with_names = true});
  g.add(std::vector<edge>{{1, 0}}, std::vector<double>{2.5}, std::vector<double>{60});
  EXPECT_TRUE(fails_with(perdure::errc::invalid_argument, "2 weights are given for 1 edges", [&] {
    g.add(std::vector<edge>{{1, 0}}, std::vector<double>{1, 2});
  }));
  const stored_graph found(store);
  EXPECT_TRUE(found.has_weights());
  EXPECT_EQ(exported(found), "ann\tben\t1\t0\nben\tann\t2.5\t60\n");
  EXPECT_EQ(found.id_of("ben"), 1U);
  EXPECT_EQ(found.id_of("17"), 17U);
  EXPECT_EQ(found.id_of("cy"), std::nullopt);
  EXPECT_EQ(found.name_of(0), "ann");
  EXPECT_EQ(found.name_of(17), "17");
}

TEST_F(GraphByName, WhatIsNotThereOrDoesNotFitIsRefusedInOneSentence) {
  using perdure::errc;
  {
    manager store = open();
    EXPECT_TRUE(fails_with(errc::not_found, "holds no graph; make one", [&] { stored_graph{store}; }));
    EXPECT_TRUE(fails_with(errc::not_found, "no graph named \"web\"", [&] { stored_graph(store, "web"); }));
    EXPECT_TRUE(fails_with(errc::not_found, "no growing graph named \"web\"",
                           [&] { growing_graph::open(store, "web"); }));
    store.construct<int>("number")(1);
    store.construct<stored_csr>("rows")();
    EXPECT_EQ(stored_graph(store).name(), "rows");
    EXPECT_TRUE(fails_with(errc::wrong_type, "number", [&] { stored_graph(store, "number"); }));
    EXPECT_TRUE(fails_with(errc::wrong_type, "number", [&] { growing_graph(store, "number"); }));
    EXPECT_TRUE(fails_with(errc::wrong_type, "does not grow", [&] { growing_graph(store, "rows"); }));
    growing_graph g(store, "g", {.kind = direction::undirected});
    g.add(std::vector<edge>{{1, 2}});
    g.freeze();
    EXPECT_EQ(graphs_in(store), (std::vector<std::string>{"g", "rows"}));
    EXPECT_TRUE(fails_with(errc::invalid_argument, "several graphs (g, rows)", [&] { stored_graph{store}; }));
    EXPECT_TRUE(fails_with(errc::invalid_argument, "is undirected",
                           [&] { growing_graph(store, "g", {.kind = direction::directed}); }));
    EXPECT_TRUE(fails_with(errc::invalid_argument, "are numbers",
                           [&] { growing_graph(store, "g", {.with_names = true}); }));
    growing_graph(store, "named", {.with_names = true});
    EXPECT_TRUE(fails_with(errc::invalid_argument, "have names", [&] { growing_graph(store, "named"); }));
    store.close();
  }
  manager store(perdure::open_read_only, store_path());
  EXPECT_TRUE(fails_with(errc::read_only, "open for reading only", [&] { growing_graph(store, "g"); }));
  auto inputs = open_graph_inputs({dir_.write("a", "1 2\n")});
  EXPECT_TRUE(fails_with(errc::read_only, "open for reading only",
                         [&] { build_graph(store, inputs, {.graph = "more"}); }));
}

TEST_F(GraphByName, IngestsAFileOnce) {
  const auto a = dir_.write("a.csv", "from,to,weight\nann,ben,2\nben,cy,3\n");
  const auto b = dir_.write("b.csv", "from,to\nann,cy\n");
  manager store = open();
  std::vector<std::string> read;
  std::uint64_t checkpoints = 0;
  file_ingest_options how{.with_names = true, .checkpoint_every = 1};
  how.watch = [&](const std::string& name, auto) {
    read.push_back(name);
    return nullptr;
  };
  how.on_checkpoint = [&](const ingest_checkpoint& made) { checkpoints += made.epoch != 0 ? 1U : 0U; };
  const file_ingest_result done = ingest_files(store, {a, b}, how);
  EXPECT_EQ(done.edges, 3U);
  EXPECT_EQ(done.checkpoints, checkpoints);
  EXPECT_EQ(checkpoints, 2U);
  EXPECT_EQ(read, (std::vector<std::string>{"a.csv", "b.csv"}));
  EXPECT_EQ(exported(stored_graph(store)), "ann\tben\t2\nann\tcy\t1\nben\tcy\t3\n");
  EXPECT_TRUE(fails_with(perdure::errc::already_exists, "has the edges of b.csv already",
                         [&] { ingest_files(store, {b}, {.with_names = true}); }));
  EXPECT_EQ(
      ingest_files(store, {b}, {.duplicates = duplicate_edges::sum, .with_names = true, .again = true}).edges,
      1U);
  EXPECT_EQ(exported(stored_graph(store)), "ann\tben\t2\nann\tcy\t2\nben\tcy\t3\n");
}

TEST_F(GraphByName, AppendsBucketsAndGoesOnBehindTheLast) {
  const auto calls = dir_.write("calls", "1 2 86400\n2 3 0\n3 4 172800\n4 5 10\n");
  const graph_file_options reading{.time_column = "3"};
  {
    manager store = open();
    auto inputs = open_graph_inputs({calls}, reading);
    time_append waiting(inputs, time_buckets::days(), {}, &store);
    EXPECT_EQ(waiting.edges(), 4U);
    EXPECT_EQ(waiting.add_next(store).edges, 2U);
    growing_graph::open(store).freeze();
    EXPECT_EQ(waiting.add_next(store).name, "1970-01-02");
    EXPECT_EQ(stored_graph(store).frozen(), frozen_state::fresh);
    store.discard();
  }
  manager store = open();
  auto inputs = open_graph_inputs({calls}, reading);
  EXPECT_EQ(time_append(inputs, time_buckets::days(), {}, &store).already_there(), 3U);
  const auto rest = append_by_time(store, {calls}, time_buckets::days(), {}, reading);
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0].name, "1970-01-03");
  EXPECT_EQ(store.store().epoch(), rest[0].epoch);
  EXPECT_EQ(seen(stored_graph(store)), model_of({{1, 2}, {2, 3}, {3, 4}, {4, 5}}, direction::directed));
  EXPECT_TRUE(append_by_time(store, {calls}, time_buckets::days(), {}, reading).empty());
  EXPECT_TRUE(time_append(inputs, time_buckets::days(), {}, &store).was_complete());
  const auto more = dir_.write("more", "5 6 259200\n");
  EXPECT_TRUE(fails_with(perdure::errc::already_exists, "has the edges of calls already", [&] {
    append_by_time(store, {calls, more}, time_buckets::days(), {}, reading);
  }));
  EXPECT_TRUE(fails_with(perdure::errc::invalid_argument, "no column has times", [&] {
    append_by_time(store, {dir_.write("untimed", "1 2\n")}, time_buckets::days());
  }));
}

TEST_F(GraphByName, BucketsAreNamedByTheirDates) {
  const auto name = [](const char* kind, double time) {
    const time_buckets buckets = *time_buckets::parse(kind);
    return buckets.name(buckets.of(time));
  };
  EXPECT_EQ(name("month", -1), "1969-12");
  EXPECT_EQ(name("week", 1451779200), "2015-W53");  // 2016-01-03
  EXPECT_EQ(name("day", 1456704000), "2016-02-29");
  EXPECT_EQ(name("0.5", 1.75), "1.5");
  EXPECT_FALSE(time_buckets::parse("year"));
  EXPECT_FALSE(time_buckets::parse("-1"));
  EXPECT_TRUE(fails_with(perdure::errc::bad_input, "is no date", [] { time_buckets::days().of(1e300); }));
  EXPECT_TRUE(fails_with(perdure::errc::invalid_argument, "positive", [] { time_buckets::of_seconds(0); }));
}

TEST_F(GraphByName, ABuildThatWasInterruptedGoesOn) {
  std::string text;
  for (const edge& e : random_edges(3, 30000, 3000, true))
    text += std::to_string(e.source) + ' ' + std::to_string(e.target) + '\n';
  const auto file = dir_.write("edges", text);
  const auto build = [&](std::function<void()> on_checkpoint, const char* name, std::uint64_t budget) {
    manager store = open();
    auto inputs = open_graph_inputs({file});
    try {
      const build_result made = build_graph(
          store, inputs, {.graph = name, .budget = budget, .on_checkpoint = std::move(on_checkpoint)});
      store.close();
      return made.resumed;
    } catch (...) {
      store.discard();
      throw;
    }
  };
  EXPECT_FALSE(build({}, "whole", 0));
  EXPECT_THROW(build([] { throw std::runtime_error("stop"); }, "steps", 200 << 10), std::runtime_error);
  const auto other = dir_.write("other", "1 2\n");
  {
    manager store = open();
    auto inputs = open_graph_inputs({other});
    EXPECT_TRUE(fails_with(perdure::errc::invalid_argument, "build of other files",
                           [&] { build_graph(store, inputs, {.graph = "steps", .budget = 200 << 10}); }));
    store.discard();
  }
  EXPECT_TRUE(build({}, "steps", 200 << 10));
  manager store = open();
  EXPECT_EQ(seen(stored_graph(store, "steps")), seen(stored_graph(store, "whole")));
  for (const char* const name : {"whole", "steps"}) {
    auto inputs = open_graph_inputs({file});
    const build_result again = build_graph(store, inputs, {.graph = name, .budget = 200 << 10});
    EXPECT_TRUE(again.was_built);
    EXPECT_EQ(again.graph, store.find<stored_csr>(name).first);
  }
  const auto refuses = [&](const std::filesystem::path& input, const build_options& how) {
    auto inputs = open_graph_inputs({input});
    return fails_with(perdure::errc::already_exists, "\"whole\" already",
                      [&] { build_graph(store, inputs, how); });
  };
  EXPECT_TRUE(refuses(other, {.graph = "whole"}));
  EXPECT_TRUE(refuses(file, {.graph = "whole", .drop_loops = true}));
}

TEST_F(GraphByName, ListsPropertiesAndDegrees) {
  manager store = open();
  growing_graph g(store, "web", {.kind = direction::undirected, .with_weights = true, .with_names = true});
  for (const char* const name : {"ann", "ben", "cy"}) g.names()->add(name);
  g.add(std::vector<edge>{{0, 1}, {1, 2}, {2, 2}});
  g.freeze();
  perdure::array_store arrays(store);
  const stored_graph found(store);
  properties(arrays, "web.csr", store.find<stored_csr>("web.csr").first->view())
      .set_vertices<float>("rank", std::vector<float>{1, 2, 3});
  const property_list all = properties_of(found, arrays);
  ASSERT_EQ(all.vertices.size(), 2U);
  EXPECT_EQ(all.vertices[0].type.text(), "string");
  EXPECT_EQ(all.vertices[1].object, "web.csr/vertices/rank");
  EXPECT_EQ(all.vertices[1].count, 3U);
  ASSERT_EQ(all.edges.size(), 1U);
  EXPECT_EQ(all.edges[0].object, "web.weights");
  found.view().visit([](const auto& view) {
    const degree_result degree = degrees(view);
    EXPECT_EQ(degree.self_loops, 1U);
    EXPECT_EQ(degree.edges, 3U);
    const degree_distribution distribution(degree.out);
    EXPECT_EQ(distribution.largest, 2U);
    EXPECT_EQ(distribution.median, 2);
    EXPECT_EQ(distribution.bins().back().vertices, 2U);
    const degree_distribution wide({{0, 1}, {1, 5}, {14, 2}, {15, 4}, {16, 8}});
    EXPECT_EQ(wide.bins().back().from, 16U);
    EXPECT_EQ(wide.bins().back().to, 31U);
    EXPECT_EQ(wide.bins()[4].vertices, 6U);
    EXPECT_EQ(wide.bins(8)[1].vertices, 5U);
    EXPECT_EQ(wide.bins(8).back().vertices, 8U);
    EXPECT_LT(wide.bins(8).back().to, 19U);
    const auto top = highest(view, 2, [&](vertex_handle v) { return view.degree(v); });
    ASSERT_EQ(top.size(), 2U);
    EXPECT_EQ(top[0].id, 1U);
    EXPECT_EQ(top[1].id, 2U);
  });
}

TEST_F(GraphByName, WhatIsExportedReadsBackAsTheSameGraph) {
  manager store = open();
  growing_graph g(store, "a", {.kind = direction::undirected, .with_weights = true});
  g.add(std::vector<edge>{{10, 20}, {20, 30}, {30, 30}}, std::vector<double>{1, 2, 3});
  std::string ids;
  std::string matrix;
  const exported_graph written = export_graph(
      stored_graph(store, "a"),
      {.format = written_format_of("a.mtx"), .write_id = [&](std::string_view text) { ids += text; }},
      [&](std::string_view piece) { matrix += piece; });
  EXPECT_EQ(written.arcs, 5U);
  EXPECT_EQ(ids, "10\n20\n30\n");
  auto inputs = open_graph_inputs({dir_.write("a.mtx", matrix)});
  std::string back;
  convert_graph(inputs, {}, {.format = written_format::matrix_market},
                [&](std::string_view piece) { back += piece; });
  EXPECT_EQ(back, matrix);
}

TEST(ResultTable, QuotesNamesAndCountsTheLinesOfAnArray) {
  const auto written = [](table_format format) {
    std::string text;
    result_table table(
        format, {{.name = "id", .is_vertex = true}, {.name = "rank", .is_real = true}},
        [&](std::string_view piece) { text += piece; }, '\t',
        [](std::uint64_t id) { return id == 1 ? std::string("a \"b\", c") : "d"; });
    table.line(vertex_value{1}, 0.5);
    table.line(vertex_value{2}, 2.0);
    table.finish();
    return text;
  };
  EXPECT_EQ(written(table_format::text), "1\t0.5\n2\t2\n");
  EXPECT_EQ(written(table_format::csv), "id,name,rank\n1,\"a \"\"b\"\", c\",0.5\n2,d,2\n");
  const std::string array = written(table_format::numpy);
  EXPECT_NE(array.find("'shape': (2,)"), std::string::npos);
  EXPECT_EQ(array.size() % 64, 32U);  // behind the header two lines of 16 bytes
  EXPECT_EQ(table_format_of("x.npy"), table_format::numpy);
}

}  // namespace
