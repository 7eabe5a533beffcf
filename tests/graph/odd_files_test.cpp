// Odd files of graphs after reports in the issue trackers of NetworkX, igraph and others. Each is read
// right, or refused with a place and a reason. docs/dev/odd-graph-files.md has the same table with the
// reports.
#include <gtest/gtest.h>

#include <map>
#include <perdure/graph/graph_file.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "support/scratch_directory.hpp"

namespace {
using namespace perdure::graph;

class names_in_order final : public vertex_namer {
 public:
  vertex_id number_of(std::string_view name) override {
    const auto [entered, is_new] = numbers_.try_emplace(std::string(name), names_.size());
    if (is_new) names_.emplace_back(name);
    return entered->second;
  }
  const std::string& operator[](vertex_id number) const { return names_.at(number); }

 private:
  std::map<std::string, vertex_id> numbers_;
  std::vector<std::string> names_;
};

enum class vertices { have_ids, have_names };

/// A file, and what is to become of it.
struct odd_file {
  const char* what;
  std::string name;
  std::string text;
  vertices called = vertices::have_ids;
  std::string edges = {};     ///< "1>2" or "1>2:0.5" for each, and blanks between them
  std::string left_out = {};  ///< names with "; " between them
  std::string refusal = {};   ///< a part of the message; empty: the file is read
};

std::string number_text(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

class OddFiles : public testing::Test {
 protected:
  void judge(const std::vector<odd_file>& files) {
    for (const odd_file& one : files) {
      SCOPED_TRACE(one.what);
      names_in_order names;
      graph_file_options options;
      if (one.called == vertices::have_names) options.names = &names;
      std::string was_read;
      std::string left_out;
      std::string refusal;
      try {
        const auto source = open_graph_file(dir_.write(one.name, one.text), options);
        edge_batch batch;
        const auto called = [&](vertex_id v) { return options.names ? names[v] : std::to_string(v); };
        while (source->next(batch))
          for (std::size_t i = 0; i < batch.edges.size(); ++i)
            was_read += (was_read.empty() ? "" : " ") + called(batch.edges[i].source) + '>' +
                        called(batch.edges[i].target) +
                        (batch.values.empty() ? "" : ":" + number_text(batch.values[i]));
        for (const std::string& name : source->left_out()) left_out += (left_out.empty() ? "" : "; ") + name;
      } catch (const perdure::error& failure) {
        refusal = failure.what();
        EXPECT_FALSE(one.refusal.empty()) << refusal;
        EXPECT_NE(refusal.find(one.refusal), std::string::npos) << refusal;
        EXPECT_NE(refusal.find(one.name), std::string::npos) << refusal;
        continue;
      }
      EXPECT_EQ(one.refusal, "") << "was read: " << was_read;
      EXPECT_EQ(was_read, one.edges);
      EXPECT_EQ(left_out, one.left_out);
    }
  }

 private:
  perdure::scratch_directory dir_;
};

TEST_F(OddFiles, OfGml) {
  judge({
      {.what = "nodes without labels (karate.gml)",
       .name = "a.gml",
       .text = "graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 ] ]",
       .edges = "1>2"},
      {.what = "an id that is a word without quotes",
       .name = "a.gml",
       .text = "graph [ node [ id n42 ] ]",
       .refusal = "line 1, column 19: expected a number or a text as id"},
      {.what = "Creator and Version before the graph, tabs (Cytoscape)",
       .name = "a.gml",
       .text = "Creator \"Cytoscape\"\nVersion 1.0\ngraph\t[\n\tnode\t[\n\t\troot_index\t-3\n\t\tid\t3\n\t]\n"
               "\tedge\t[ source 3 target 3 ]\n]\n",
       .edges = "3>3",
       .left_out = "root_index"},
      {.what = "negative ids (Cytoscape, Gephi), as ids",
       .name = "a.gml",
       .text = "graph [ node [ id -5 ] ]",
       .refusal = "the node \"-5\" is no number from 0 to 18446744073709551615; where vertices have names"},
      {.what = "negative ids and ids of more than 32 bits, as names",
       .name = "a.gml",
       .text = "graph [ node [ id -5 ] node [ id 9007199254740993 ] edge [ source -5 target "
               "9007199254740993 ] ]",
       .called = vertices::have_names,
       .edges = "-5>9007199254740993"},
      {.what = "the bracket on the next line (dolphins.gml)",
       .name = "a.gml",
       .text = "Creator \"me\"\ngraph\n[\n  directed 0\n  node\n  [\n    id 0\n    label \"Beak\"\n  ]\n  "
               "edge\n  [\n"
               "    source 0\n    target 0\n  ]\n]\n",
       .called = vertices::have_names,
       .edges = "Beak>Beak"},
      {.what = "a list as an attribute of an edge, and graphics of a node",
       .name = "a.gml",
       .text = "graph [ node [ id 1 graphics [ x 1 fill \"#ff9999\" ] ] edge [ source 1 target 1 list 1 list "
               "2 ] ]",
       .edges = "1>1",
       .left_out = "graphics; list"},
      {.what = "quotes as entities, and an entity of HTML that is none of XML",
       .name = "a.gml",
       .text = "graph [ node [ id 1 label \"&quot;a&quot; &amp; &Eacute;\" ] edge [ source 1 target 1 ] ]",
       .called = vertices::have_names,
       .edges = "\"a\" & &Eacute;>\"a\" & &Eacute;"},
      {.what = "quotes inside a text that are not escaped",
       .name = "a.gml",
       .text = "graph [ node [ id 0 demo \"has \"extra quotes\"\" ] ]",
       .refusal = "line 1, column 38: expected the value of a key"},
      {.what = "NAN and INF without quotes (NetworkX)",
       .name = "a.gml",
       .text = "graph [ node [ id 1 x NAN y +INF z INF ] edge [ source 1 target 1 cost NAN ] ]",
       .edges = "1>1",
       .left_out = "x; y; z; cost"},
      {.what = "NAN as a weight",
       .name = "a.gml",
       .text = "graph [ node [ id 1 ] edge [ source 1 target 1 weight NAN ] ]",
       .refusal = "the weight is no finite number: \"NAN\""},
      {.what = "keys with underscores",
       .name = "a.gml",
       .text = "graph [ node [ id 1 first_name \"x\" ] edge [ source 1 target 1 ] ]",
       .edges = "1>1",
       .left_out = "first_name"},
      {.what = "a node without an id",
       .name = "a.gml",
       .text = "graph [ node [ ] ]",
       .refusal = "column 14: a node without an id"},
      {.what = "two nodes with one id (igraph after vertices were added)",
       .name = "a.gml",
       .text = "graph [ node [ id 1 ]\nnode [ id 1 ] ]",
       .refusal = "line 2, column 13: the node \"1\" is there already"},
      {.what = "GraphML that is called GML",
       .name = "a.gml",
       .text = "<graphml><graph edgedefault='directed'><node id='1'/><edge source='1' "
               "target='1'/></graph></graphml>",
       .edges = "1>1"},
  });
}

TEST_F(OddFiles, OfGraphml) {
  const auto graph = [](const std::string& keys, const std::string& inside) {
    return "<graphml>" + keys + "<graph edgedefault='directed'>\n" + inside + "</graph></graphml>\n";
  };
  const std::string loop = "<edge source='1' target='1'/>";
  judge({
      {.what = "a key without a type",
       .name = "a.graphml",
       .text = graph("<key attr.name='entity' for='node' id='d4'/>", "<node id='1'/>" + loop),
       .edges = "1>1",
       .left_out = "entity"},
      {.what = "data of a key that is not declared (NetworkX, attributes of two types)",
       .name = "a.graphml",
       .text = graph("", "<node id='1'/><edge source='1' target='1'><data key='d10'>2</data></edge>"),
       .edges = "1>1",
       .left_out = "data of the key \"d10\", which is not declared"},
      {.what = "no namespace, and weights declared for nodes (Cytoscape)",
       .name = "a.graphml",
       .text = graph("<key id='weight' for='node' attr.name='weight' attr.type='double'/>",
                     "<node id='1'/><edge source='1' target='1'><data key='weight'>2</data></edge>"),
       .edges = "1>1",
       .left_out = "weight"},
      {.what = "shapes and labels of yEd",
       .name = "a.graphml",
       .text = "<graphml xmlns:y='http://www.yworks.com/xml/graphml'><key for='node' id='d6' "
               "yfiles.type='nodegraphics'/><graph edgedefault='directed'><node id='n0'><data key='d6'>"
               "<y:ShapeNode><y:NodeLabel>hi <![CDATA[<b>]]></y:NodeLabel></y:ShapeNode></data></node>"
               "<edge id='e0' source='n0' target='n0'/></graph></graphml>",
       .edges = "0>0",
       .left_out = "d6"},
      {.what = "several defaults",
       .name = "a.graphml",
       .text = graph("<key id='w' for='edge' attr.name='weight'><default>2</default></key>"
                     "<key id='t' for='edge' attr.name='time'><default>3</default></key>",
                     "<node id='1'/>" + loop),
       .edges = "1>1:2"},
      {.what = "a weight that is not a number (R)",
       .name = "a.graphml",
       .text = graph("<key id='w' for='edge' attr.name='weight'/>",
                     "<node id='1'/><edge source='1' target='1'><data key='w'>NaN</data></edge>"),
       .refusal = "the weight is no finite number: \"NaN\""},
      {.what = "an edge of the other direction",
       .name = "a.graphml",
       .text = graph("", "<node id='1'/><edge source='1' target='1' directed='false'/>"),
       .refusal = "line 2, column 15: directed and undirected edges in one graph are not read"},
      {.what = "edges that all have the id 0 (NetworkX)",
       .name = "a.graphml",
       .text = graph("",
                     "<node id='1'/><node id='2'/><edge id='0' source='1' target='2'/><edge id='0' "
                     "source='2' target='1'/>"),
       .edges = "1>2 2>1"},
      {.what = "edges before their nodes",
       .name = "a.graphml",
       .text = graph("", "<edge source='b' target='a'/><node id='a'/><node id='c'/><node id='b'/>"),
       .called = vertices::have_names,
       .edges = "b>a"},
      {.what = "an edge to a node that is nowhere",
       .name = "a.graphml",
       .text = graph(
           "", "<edge source='1' target='2'/>\n<edge source='1' target='3'/>\n<node id='1'/><node id='3'/>"),
       .refusal = "line 2, column 30: no node is called \"2\", which this edge names"},
      {.what = "a node that is listed twice behind an edge to it",
       .name = "a.graphml",
       .text = graph("", loop + "<node id='1'/>\n<node id='1'/>"),
       .refusal = "line 3, column 1: the node \"1\" is there already"},
      {.what = "text in ISO 8859-1",
       .name = "a.graphml",
       .text = "<?xml version='1.0' encoding='ISO-8859-1'?><graphml><graph edgedefault='directed'><node "
               "id='\xE9'/><edge source='\xE9' target='\xE9'/></graph></graphml>",
       .called = vertices::have_names,
       .edges = "\xC3\xA9>\xC3\xA9"},
      {.what = "a graph cut short",
       .name = "a.graphml",
       .text = "<graphml><graph edgedefault='directed'><node id='1'/>",
       .refusal = "malformed XML"},
  });
}

TEST_F(OddFiles, OfGexf) {
  const auto graph = [](const std::string& start, const std::string& list) {
    return "<gexf><graph" + start + "><nodes><node id='0'/><node id='1'/></nodes><edges>\n" + list +
           "</edges></graph></gexf>\n";
  };
  judge({
      {.what = "a graph that changes in time",
       .name = "a.gexf",
       .text = graph(" mode='dynamic' timeformat='date'", ""),
       .refusal = "changes in time (mode=\"dynamic\") is not read"},
      {.what = "begin, end and label of an edge in a graph that says nothing of time",
       .name = "a.gexf",
       .text = graph("", "<edge source='0' target='1' label='x' start='2009-03-01' end='2009-03-10'/>"),
       .edges = "0>1:1",
       .left_out = "start of edges; end of edges; label of edges"},
      {.what = "spells, colours and places",
       .name = "a.gexf",
       .text =
           "<gexf xmlns:viz='http://gexf.net/1.2draft/viz'><graph><nodes><node id='0'><viz:color r='1'/>"
           "<viz:position x='1'/><spells><spell start='1'/></spells></node></nodes><edges/></graph></gexf>",
       .left_out = "colours, places and shapes; spells"},
      {.what = "a weight as an attribute's value",
       .name = "a.gexf",
       .text = "<gexf><graph><attributes class='edge'><attribute id='0' title='weight' type='double'/>"
               "</attributes><nodes><node id='0'/></nodes><edges><edge source='0' target='0'><attvalues>"
               "<attvalue for='0' value='7'/></attvalues></edge></edges></graph></gexf>",
       .edges = "0>0:1",
       .left_out = "weight"},
      {.what = "mutual edges",
       .name = "a.gexf",
       .text = graph(" defaultedgetype='mutual'", "<edge source='0' target='1' type='mutual'/>"),
       .edges = "0>1:1"},
      {.what = "nodes in a hierarchy by pid",
       .name = "a.gexf",
       .text = "<gexf><graph><nodes><node id='0'/><node id='1' pid='0'/></nodes><edges/></graph></gexf>",
       .left_out = "pid of nodes"},
  });
}

TEST_F(OddFiles, OfPajek) {
  judge({
      {.what = "no lines of vertices",
       .name = "a.net",
       .text = "*Vertices 5\n*Edges\n1 2\n2 3\n",
       .edges = "1>2:1 2>3:1"},
      {.what = "no section of vertices",
       .name = "a.net",
       .text = "*Arcs\n1 2\n",
       .refusal = "line 1, column 1: expected *Vertices before this section"},
      {.what = "a section with the number and name of a relation",
       .name = "a.net",
       .text = "*Vertices 2\n*Arcs :2 \"Main Path\"\n1 2\n",
       .edges = "1>2:1"},
      {.what = "several relations",
       .name = "a.net",
       .text = "*Vertices 2\n*Arcs :1 \"a\"\n1 2\n*Arcs :2 \"b\"\n2 1\n",
       .refusal = "line 5, column 1: several relations in one network are not read"},
      {.what = "dots and brackets in the network's name",
       .name = "a.net",
       .text = "*Network Davis.paj [2-Mode]\n*Vertices 2\n*Edges\n1 2\n",
       .edges = "1>2:1"},
      {.what = "numbers as labels, and a text behind them",
       .name = "a.net",
       .text = "*vertices 2\n1 98 \"a\"\n2 11 \"c d\"\n*arcs\n1 2 3\n",
       .called = vertices::have_names,
       .edges = "98>11:3",
       .left_out = "places and shapes of vertices"},
      {.what = "labels without quotes (NetworkX)",
       .name = "a.net",
       .text = "*vertices 2\n1 0 0.0 0.0 ellipse\n2 1 0.0 0.0 ellipse\n*edges\n1 2 1.0\n",
       .called = vertices::have_names,
       .edges = "0>1:1",
       .left_out = "places and shapes of vertices"},
      {.what = "an empty line between the sections",
       .name = "a.net",
       .text = "*Vertices 2\n1 \"1\"\n2 \"2\"\n\n*Edges\n1 2\n",
       .edges = "1>2:1"},
      {.what = "NaN as a weight (R)",
       .name = "a.net",
       .text = "*Vertices 2\n*Arcs\n1 2 NaN\n",
       .refusal = "line 3, column 5: the weight is not finite"},
      {.what = "arcs and edges",
       .name = "a.net",
       .text = "*Vertices 2\n*Arcs\n1 2\n*Edges\n1 2\n",
       .refusal = "line 5, column 1: arcs and edges in one network are not read"},
  });
}

TEST_F(OddFiles, OfMatrixMarket) {
  judge({
      {.what = "one percent sign (Network Repository)",
       .name = "a.mtx",
       .text = "%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 1\n",
       .edges = "2>1 3>1"},
      {.what = "one percent sign, where the sizes look like an edge",
       .name = "a",
       .text = "%matrixmarket matrix coordinate real general\n3 3 1\n2 1 5\n",
       .edges = "2>1:5"},
      {.what = "blanks before the banner (MUMPS)",
       .name = "a.mtx",
       .text = " %%MatrixMarket matrix coordinate real general\n3 3 1\n2 3 1.5\n",
       .edges = "2>3:1.5"},
      {.what = "no line of sizes",
       .name = "a.mtx",
       .text = "%%MatrixMarket matrix coordinate pattern general\n2 1\n3 2\n",
       .refusal = "line 2, column 4: the number of entries is missing"},
      {.what = "empty lines anywhere",
       .name = "a.mtx",
       .text = "%%MatrixMarket matrix coordinate real general\n% c\n\n2 2 1\n\n1 2 5\n\n",
       .edges = "1>2:5"},
      {.what = "all of a symmetric matrix",
       .name = "a.mtx",
       .text = "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n2 1 4\n1 2 4\n",
       .refusal = "lower triangle"},
  });
}

TEST_F(OddFiles, OfMetisAndDimacs) {
  judge({
      {.what = "tabs", .name = "a.graph", .text = "3\t2\n2\n1\t3\n2\n", .edges = "1>2 2>3"},
      {.what = "a vertex without neighbours at the end",
       .name = "a.graph",
       .text = "3 1\n2\n1\n\n",
       .edges = "1>2"},
      {.what = "comments behind the header",
       .name = "a.graph",
       .text = "% a\n2 1\n% b\n2\n1\n% the end\n",
       .edges = "1>2"},
      {.what = "a neighbour 0", .name = "a.graph", .text = "2 1\n0\n1\n", .refusal = "line 2, column 1"},
      {.what = "a colouring problem",
       .name = "a.col",
       .text = "c FILE: a.col\nc\np edge 3 2\ne 1 2\ne 1 3\n",
       .edges = "1>2 1>3"},
      {.what = "shortest paths", .name = "a.gr", .text = "c\np sp 2 1\na 1 2 803\n", .edges = "1>2:803"},
  });
}

TEST_F(OddFiles, OfEdgeLists) {
  const std::string wide(
      "1\0 \0"
      "2\0\n\0",
      8);
  judge({
      {.what = "hashes inside of names",
       .name = "a.txt",
       .text = "http://a.org/x#y http://a.org/z\nhttp://a.org/z b\n",
       .called = vertices::have_names,
       .edges = "http://a.org/x#y>http://a.org/z http://a.org/z>b"},
      {.what = "weights on some lines",
       .name = "a.ncol",
       .text = "a b 2\nb c\n",
       .called = vertices::have_names,
       .refusal = "line 2, column 4: column 3 is missing"},
      {.what = "what igraph prints of a graph",
       .name = "a.txt",
       .text = "Vertices: 11\nEdges: 11\nDirected: FALSE\n\n[0]  0  -- 1      12\n",
       .refusal = "line 1, column 1: expected a vertex id"},
      {.what = "UCINET's DL",
       .name = "a.txt",
       .text = "DL N=3\nFORMAT = FULLMATRIX\nDATA:\n0 1 0\n",
       .refusal = "line 1, column 1: expected a vertex id"},
      {.what = "a list of neighbours",
       .name = "a.adjlist",
       .text = "1 2 3 4\n2 3\n",
       .refusal = "line 2, column 4: column 3 is missing"},
      {.what = "a byte order mark",
       .name = "a.txt",
       .text = "\xEF\xBB\xBF"
               "1 2\n2 3\n",
       .edges = "1>2 2>3"},
      {.what = "UTF-16",
       .name = "a.txt",
       .text = "\xFF\xFE" + wide + wide + wide,
       .refusal = "text in UTF-16: convert it to UTF-8"},
      {.what = "line ends of old Macs",
       .name = "a.txt",
       .text = "1 2\r2 3\r",
       .refusal = "carriage return inside a line"},
      {.what = "blanks at the end of a line", .name = "a.txt", .text = "1 2 \n2 3\t\n", .edges = "1>2 2>3"},
      {.what = "ids with fractions",
       .name = "a.txt",
       .text = "1.0 2.0\n",
       .refusal = "line 1, column 2: unexpected '.'"},
      {.what = "quotes and commas in names",
       .name = "a.csv",
       .text = "source,target\n\"a, b\",\"c \"\"d\"\"\"\n",
       .called = vertices::have_names,
       .edges = "a, b>c \"d\""},
      {.what = "decimal commas",
       .name = "a.csv",
       .text = "source;target;weight\n1;2;0,5\n",
       .refusal = "for its decimal comma"},
  });
}

}  // namespace
