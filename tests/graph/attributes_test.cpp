// Attributes of vertices and edges: from files into stores, and through GraphML into other stores.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <perdure/array_store.hpp>
#include <perdure/graph/build_graph.hpp>
#include <perdure/graph/export_graph.hpp>
#include <perdure/graph/properties.hpp>
#include <perdure/graph/property_list.hpp>
#include <perdure/graph/stored_graph.hpp>
#include <perdure/manager.hpp>
#include <random>
#include <tuple>

#include "support/errors.hpp"
#include "support/scratch_directory.hpp"

namespace {
using namespace perdure::graph;
using perdure::array_store;
using perdure::element_kind;
using perdure::manager;

/// By name the value, as files write it; none where there is none.
using values = std::map<std::string, std::string>;

struct attributed_edge {
  vertex_id source;
  vertex_id target;
  double weight;
  values more;
  bool operator==(const attributed_edge&) const = default;
};

std::string text_of(double number) {
  std::array<char, 32> digits;
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr};
}

/// A graph with the vertices 1, 2, 3, …
struct attributed_graph {
  direction kind = direction::directed;
  std::vector<values> vertices;
  std::vector<attributed_edge> edges;

  /// Returns the arcs of a CSR of it, ordered by ends, weights and the place in the file.
  std::vector<attributed_edge> arcs(bool drop_duplicates) const {
    std::vector<attributed_edge> all;
    for (const attributed_edge& e : edges) {
      all.push_back(e);
      if (kind == direction::undirected && e.source != e.target)
        all.push_back({e.target, e.source, e.weight, e.more});
    }
    std::stable_sort(all.begin(), all.end(), [](const attributed_edge& a, const attributed_edge& b) {
      return std::tie(a.source, a.target, a.weight) < std::tie(b.source, b.target, b.weight);
    });
    if (drop_duplicates)
      all.erase(std::unique(all.begin(), all.end(),
                            [](const attributed_edge& a, const attributed_edge& b) {
                              return a.source == b.source && a.target == b.target;
                            }),
                all.end());
    return all;
  }
};

class random_graphs {
 public:
  attributed_graph next() {
    attributed_graph made;
    made.kind = below(2) == 0 ? direction::directed : direction::undirected;
    made.vertices.resize(1 + below(6));
    for (values& one : made.vertices) one = some_values();
    const std::uint64_t edges = 1 + below(12);
    for (std::uint64_t i = 0; i < edges; ++i)
      made.edges.push_back({1 + below(made.vertices.size()), 1 + below(made.vertices.size()),
                            static_cast<double>(1 + below(2)) / 2, some_values()});
    return made;
  }
  std::uint64_t below(std::uint64_t end) { return random_() % end; }

 private:
  values some_values() {
    values made{{"age", std::to_string(static_cast<std::int64_t>(below(100)) - 50)}};
    if (below(3) != 0) made["cost"] = std::to_string(below(9)) + ".25";
    const std::array texts = {"a", "b & <c>", "l\xC3\xA4nge", " two  words "};
    if (below(3) != 0) made["note"] = texts[below(texts.size())];
    return made;
  }
  std::mt19937_64 random_{7};
};

std::string in_xml(const std::string& text) {
  std::string made;
  for (const char c : text) made += c == '&' ? "&amp;" : c == '<' ? "&lt;" : std::string(1, c);
  return made;
}

std::string as_graphml(const attributed_graph& g) {
  std::string text = "<graphml>";
  for (const std::string of : {"node", "edge"})
    text += "<key id='a" + of + "' for='" + of + "' attr.name='age' attr.type='int'/><key id='c" + of +
            "' for='" + of + "' attr.name='cost' attr.type='double'/><key id='n" + of + "' for='" + of +
            "' attr.name='note' attr.type='string'/>";
  const auto data = [](const values& all, const std::string& of) {
    std::string made;
    for (const auto& [name, value] : all)
      made += "<data key='" + name.substr(0, 1) + of + "'>" + in_xml(value) + "</data>";
    return made;
  };
  text += "<key id='w' for='edge' attr.name='weight' attr.type='double'/><graph edgedefault='";
  text += g.kind == direction::directed ? "directed'>\n" : "undirected'>\n";
  for (std::size_t v = 0; v < g.vertices.size(); ++v)
    text += "<node id='" + std::to_string(v + 1) + "'>" + data(g.vertices[v], "node") + "</node>\n";
  for (const attributed_edge& e : g.edges)
    text += "<edge source='" + std::to_string(e.source) + "' target='" + std::to_string(e.target) +
            "'><data key='w'>" + text_of(e.weight) + "</data>" + data(e.more, "edge") + "</edge>\n";
  return text + "</graph></graphml>\n";
}

std::string as_gexf(const attributed_graph& g) {
  std::string text = "<gexf><graph defaultedgetype='";
  text += g.kind == direction::directed ? "directed'>\n" : "undirected'>\n";
  for (const std::string of : {"node", "edge"})
    text += "<attributes class='" + of +
            "'><attribute id='a' title='age' type='integer'/><attribute id='c' title='cost' type='double'/>"
            "<attribute id='n' title='note' type='string'/></attributes>";
  const auto data = [](const values& all) {
    std::string made = "<attvalues>";
    for (const auto& [name, value] : all)
      made += "<attvalue for='" + name.substr(0, 1) + "' value='" + in_xml(value) + "'/>";
    return made + "</attvalues>";
  };
  text += "<nodes>";
  for (std::size_t v = 0; v < g.vertices.size(); ++v)
    text += "<node id='" + std::to_string(v + 1) + "'>" + data(g.vertices[v]) + "</node>\n";
  text += "</nodes><edges>";
  for (const attributed_edge& e : g.edges)
    text += "<edge source='" + std::to_string(e.source) + "' target='" + std::to_string(e.target) +
            "' weight='" + text_of(e.weight) + "'>" + data(e.more) + "</edge>\n";
  return text + "</edges></graph></gexf>\n";
}

std::string as_gml(const attributed_graph& g) {
  const auto data = [](const values& all) {
    std::string made;
    for (const auto& [name, value] : all)
      made += ' ' + name + ' ' + (name == "note" ? '"' + in_xml(value) + '"' : value);
    return made;
  };
  std::string text = std::string("graph [ directed ") + (g.kind == direction::directed ? "1\n" : "0\n");
  for (std::size_t v = 0; v < g.vertices.size(); ++v)
    text += "node [ id " + std::to_string(v + 1) + data(g.vertices[v]) + " ]\n";
  for (const attributed_edge& e : g.edges)
    text += "edge [ source " + std::to_string(e.source) + " target " + std::to_string(e.target) + " weight " +
            text_of(e.weight) + data(e.more) + " ]\n";
  return text + "]\n";
}

std::string as_pajek(const attributed_graph& g) {
  const auto data = [](const values& all) {
    std::string made;
    for (const auto& [name, value] : all)
      made += ' ' + name + ' ' + (name == "note" ? '"' + value + '"' : value);
    return made + "\n";
  };
  std::string text = "*Vertices " + std::to_string(g.vertices.size()) + "\n";
  for (std::size_t v = 0; v < g.vertices.size(); ++v)
    text += std::to_string(v + 1) + " \"" + std::to_string(v + 1) + '"' + data(g.vertices[v]);
  text += g.kind == direction::directed ? "*Arcs\n" : "*Edges\n";
  for (const attributed_edge& e : g.edges)
    text +=
        std::to_string(e.source) + ' ' + std::to_string(e.target) + ' ' + text_of(e.weight) + data(e.more);
  return text;
}

class Attributes : public testing::Test {
 protected:
  manager open() const {
    perdure::store_options options;
    options.capacity = std::size_t{1} << 30;
    return {perdure::open_or_create, dir_ / "s", options};
  }

  /// A graph as it is in a store.
  struct kept_graph {
    std::map<vertex_id, values> vertices;
    std::vector<attributed_edge> arcs;
    std::map<std::string, std::string> types;
    bool operator==(const kept_graph&) const = default;
  };

  static void add(std::map<std::string, std::string>& types, const std::string& of,
                  const std::vector<perdure::graph::property_info>& all) {
    for (const auto& one : all)
      if (one.is_array) types[of + one.name] = one.type.text();
  }
  template <class Put>
  static void each_value(const array_store& arrays, const property_info& column, Put&& put) {
    if (column.type.kind() == element_kind::text) {
      const auto all = arrays.load<std::vector<std::string>>(column.object);
      for (std::size_t i = 0; i < all.size(); ++i)
        if (!all[i].empty()) put(i, all[i]);
    } else if (column.type.kind() == element_kind::int64) {
      const auto all = arrays.load<std::vector<std::int64_t>>(column.object);
      for (std::size_t i = 0; i < all.size(); ++i) put(i, std::to_string(all[i]));
    } else {
      const auto all = arrays.load<std::vector<double>>(column.object);
      for (std::size_t i = 0; i < all.size(); ++i)
        if (!std::isnan(all[i])) put(i, text_of(all[i]));
    }
  }
  static kept_graph kept_in(manager& store, const std::string& name) {
    kept_graph kept;
    const stored_graph g(store, name);
    const array_store arrays(store);
    const csr_view view = g.csr()->view();
    const property_list listed = properties_of(g, arrays);
    add(kept.types, "vertex ", listed.vertices);
    add(kept.types, "edge ", listed.edges);
    for (vertex_handle v = 0; v < view.size(); ++v) {
      kept.vertices[view.id(v)];
      for (std::uint64_t arc = view.offsets[v]; arc < view.offsets[v + 1]; ++arc)
        kept.arcs.push_back({view.id(v), view.id(view.targets[arc]), view.arc_weights[arc], {}});
    }
    for (const property_info& column : listed.vertices)
      each_value(arrays, column, [&](std::size_t v, const std::string& value) {
        kept.vertices[view.id(static_cast<vertex_handle>(v))][column.name] = value;
      });
    for (const property_info& column : listed.edges)
      if (column.is_array)
        each_value(arrays, column, [&](std::size_t arc, const std::string& value) {
          kept.arcs[arc].more[column.name] = value;
        });
    // By ids, whatever the order of the vertices; arcs with the same ends keep theirs.
    std::stable_sort(kept.arcs.begin(), kept.arcs.end(),
                     [](const attributed_edge& a, const attributed_edge& b) {
                       return std::tie(a.source, a.target) < std::tie(b.source, b.target);
                     });
    return kept;
  }

  build_result build(manager& store, const std::string& name, const std::filesystem::path& file,
                     const build_options& how = {}) const {
    std::vector<graph_input> inputs = open_graph_inputs({file}, {.keep_attributes = true});
    build_options options = how;
    options.graph = name;
    options.with_attributes = true;
    build_result made = build_graph(store, inputs, options);
    EXPECT_TRUE(inputs[0].edges->left_out().empty()) << file << inputs[0].edges->left_out().front();
    return made;
  }
  /// Writes the graph as GraphML, and returns the file.
  std::filesystem::path exported(manager& store, const std::string& name) const {
    array_store arrays(store);
    std::string text;
    export_options options{.format = written_format::graphml};
    options.arrays = &arrays;
    const exported_graph written =
        export_graph(stored_graph(store, name), options, [&](std::string_view piece) { text += piece; });
    EXPECT_TRUE(written.left_out.empty());
    return dir_.write(name + ".graphml", text);
  }

  perdure::scratch_directory dir_{perdure::fast_directory()};
};

TEST_F(Attributes, PassThroughEachFormatAndBack) {
  manager store = open();
  random_graphs random;
  for (int round = 0; round < 12; ++round) {
    const attributed_graph wanted = random.next();
    build_options how;
    how.drop_duplicates = random.below(2) == 0;
    how.order = random.below(2) == 0 ? vertex_order::by_id : vertex_order::by_degree;
    how.budget = random.below(3) == 0 ? std::uint64_t{1} << 20 : 0;
    const std::vector<std::pair<std::string, std::string>> files = {{"graphml", as_graphml(wanted)},
                                                                    {"gexf", as_gexf(wanted)},
                                                                    {"gml", as_gml(wanted)},
                                                                    {"net", as_pajek(wanted)}};
    for (const auto& [ending, text] : files) {
      SCOPED_TRACE(std::to_string(round) + " " + text);
      const std::string name = ending + std::to_string(round);
      build(store, name, dir_.write("a." + ending, text), how);
      const kept_graph kept = kept_in(store, name);
      EXPECT_EQ(kept.arcs, wanted.arcs(how.drop_duplicates));
      ASSERT_EQ(kept.vertices.size(), wanted.vertices.size());
      for (std::size_t v = 0; v < wanted.vertices.size(); ++v)
        EXPECT_EQ(kept.vertices.at(v + 1), wanted.vertices[v]);
      EXPECT_EQ(kept.types.at("edge age"), "int64");
      EXPECT_EQ(kept.types.at("vertex age"), "int64");
      for (const auto& [column, type] : kept.types)
        EXPECT_TRUE(column.ends_with("age") || type == (column.ends_with("cost") ? "float64" : "string"));

      build(store, name + "again", exported(store, name));
      EXPECT_EQ(kept_in(store, name + "again"), kept);
    }
  }
}

TEST_F(Attributes, TimesAndNumbersThatLookWholeKeepTheirTypes) {
  manager store = open();
  const std::string text =
      "graph [ directed 1 node [ id 1 x 1.0 ] node [ id 2 x 2.0 t \"7\" ]\nedge [ source 1 target 2 time 3 y "
      "4.0 u \"\" ]\n"
      "edge [ source 2 target 1 time 5 y 6.0 u \"\" ] ]\n";
  EXPECT_EQ(build(store, "a", dir_.write("a.gml", text)).edge_attributes,
            (std::vector<std::string>{"time", "u", "y"}));
  const array_store arrays(store);
  const auto types_of = [&](const std::string& name) {
    std::map<std::string, std::string> types;
    const property_list listed = properties_of(stored_graph(store, name), arrays);
    add(types, "vertex ", listed.vertices);
    add(types, "edge ", listed.edges);
    return types;
  };
  const std::map<std::string, std::string> types = {{"vertex x", "float64"},
                                                    {"vertex t", "string"},
                                                    {"edge time", "int64"},
                                                    {"edge u", "string"},
                                                    {"edge y", "float64"}};
  EXPECT_EQ(types_of("a"), types);
  build(store, "b", exported(store, "a"));
  EXPECT_EQ(types_of("b"), types);
}

TEST_F(Attributes, OfSeveralFilesAndDirectionsFollowTheirEdges) {
  manager store = open();
  const auto directed = dir_.write(
      "a.gml", "graph [ directed 1 node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 kind \"a\" ] ]\n");
  const auto undirected = dir_.write(
      "b.gml",
      "graph [ node [ id 1 ] node [ id 2 ] node [ id 3 ] edge [ source 3 target 2 kind 5 ] edge [ source 2 "
      "target 2 ] ]\n");
  const auto plain = dir_.write("c.txt", "2 1\n");
  std::vector<graph_input> inputs =
      open_graph_inputs({directed, undirected, plain}, {.keep_attributes = true});
  build_graph(store, inputs, {.with_attributes = true});
  const csr_view view = stored_graph(store).csr()->view();
  const auto kinds = array_store(store).load<std::vector<std::string>>("graph/edges/kind");
  std::map<std::pair<vertex_id, vertex_id>, std::string> by_ends;
  for (vertex_handle v = 0; v < view.size(); ++v)
    for (std::uint64_t arc = view.offsets[v]; arc < view.offsets[v + 1]; ++arc)
      by_ends[{view.id(v), view.id(view.targets[arc])}] = kinds[arc];
  EXPECT_EQ(by_ends, (std::map<std::pair<vertex_id, vertex_id>, std::string>{
                         {{1, 2}, "a"}, {{2, 1}, ""}, {{2, 2}, ""}, {{2, 3}, "5"}, {{3, 2}, "5"}}));
}

TEST_F(Attributes, AreWholeWhereABuildGoesOn) {
  const std::string text = as_gml(random_graphs().next());
  const auto file = dir_.write("a.gml", text);
  kept_graph whole;
  {
    manager store = open();
    build(store, "whole", file);
    whole = kept_in(store, "whole");
  }
  struct stopped {};
  for (int steps = 1;; ++steps) {
    bool has_ended = false;
    {
      manager store = open();
      int left = steps;
      try {
        build_options how{.budget = std::uint64_t{1} << 20};
        how.on_checkpoint = [&left] {
          if (--left == 0) throw stopped();
        };
        build(store, "stopped", file, how);
        has_ended = true;
      } catch (const stopped&) {
        store.discard();
      }
    }
    manager store = open();
    if (!has_ended) {
      EXPECT_TRUE(build(store, "stopped", file, {.budget = std::uint64_t{1} << 20}).resumed);
    }
    EXPECT_EQ(kept_in(store, "stopped"), whole);
    ASSERT_LT(steps, 20);
    if (has_ended) return;
    store.destroy<stored_csr>("stopped");
  }
}

TEST_F(Attributes, OfPajekAreInPairs) {
  const auto attributes_of = [&](const std::string& lines) {
    const auto source =
        open_graph_file(dir_.write("a.net", "*Vertices 2\n" + lines), {.keep_attributes = true});
    edge_batch batch;
    while (source->next(batch)) continue;
    EXPECT_TRUE(source->left_out().empty());
    std::map<std::string, std::string> found;
    for (const vertex_attribute& one : source->take_vertex_attributes())
      found["v " + one.name] = one.values[0];
    for (const edge_attribute& one : source->take_edge_attributes().attributes)
      found["e " + one.name] = one.values[0];
    return found;
  };
  EXPECT_EQ(attributes_of("1 \"A\" 0.1 0.2 0.5 box ic Red\n*Arcs\n1 2 3 l \"to be\" c Blue w 2\n"),
            (std::map<std::string, std::string>{{"v label", "A"},
                                                {"v x", "0.1"},
                                                {"v y", "0.2"},
                                                {"v z", "0.5"},
                                                {"v shape", "box"},
                                                {"v ic", "Red"},
                                                {"e l", "to be"},
                                                {"e c", "Blue"},
                                                {"e w", "2"}}));
  EXPECT_TRUE(perdure::fails_with(perdure::errc::bad_input,
                                  "line 3, column 7: the last of the edge's attributes has no value",
                                  [&] { attributes_of("*Arcs\n1 2 3 c\n"); }));
}

TEST_F(Attributes, OfGraphmlThatHaveNoPlaceAreNamed) {
  const auto source = open_graph_file(
      dir_.write("a.graphml",
                 "<graphml><key id='s' for='node' attr.name='shape'/><key id='g' attr.name='title'/><key "
                 "id='w' for='edge' attr.name='weight'/><graph><data key='g'>T</data>"
                 "<node id='1'><data key='s'><y:box><node id='7'/></y:box></data><data "
                 "key='w'>1</data></node><edge source='1' target='1'><data key='w'>2</data><data "
                 "key='s'>x</data></edge></graph></graphml>"),
      {.keep_attributes = true});
  edge_batch batch;
  ASSERT_TRUE(source->next(batch));
  EXPECT_EQ(batch.vertices, std::vector<vertex_id>{1});
  EXPECT_FALSE(source->next(batch));
  EXPECT_EQ(source->left_out(),
            (std::vector<std::string>{"title of the graph", "shape", "weight of nodes", "shape of edges"}));
}

}  // namespace
