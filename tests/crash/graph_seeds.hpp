// Small sound files of every format of graphs, which a fuzzer changes.
#pragma once

#include <cstdint>
#include <perdure/graph/graph_file.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::crash {

struct graph_seed {
  graph::graph_format format;
  std::string bytes;
};

/// The bytes of little-endian numbers of `Size` bytes.
template <std::size_t Size>
std::string numbers(const std::vector<std::uint64_t>& values) {
  std::string bytes;
  for (const std::uint64_t value : values)
    for (std::size_t i = 0; i < Size; ++i) bytes += static_cast<char>(value >> (8 * i));
  return bytes;
}

inline std::vector<graph_seed> graph_seeds() {
  using enum graph::graph_format;
  // A triangle with a tail, of GAPBS: a byte, arcs, vertices, offsets, neighbours (with weights).
  const std::string rows = numbers<8>({8, 4, 0, 2, 4, 7, 8});
  return {
      {edge_list, "# Nodes: 3 Edges: 2\n1\t2\t0.5\n2\t3\t-1e3\n3\t3\t7\n"},
      {edge_list, "% asym weighted\n% 2 3 3\n1 2 0.5 1456790400\n2 3 1 20160302\n"},
      {edge_list, "% bip unweighted\n% 3 2 2\n1 2\n2 1\n1 1\n"},
      {csv, "source,target,weight,time\n1,2,0.5,2016-03-01\n\"2\",3,1,2016-03-02T10:00:00\n"},
      {csv, "\xef\xbb\xbf\"to\";\"from\";\"label\"\r\n1;2;\"a;b\"\"c\"\r\n"},
      {matrix_market,
       "%%MatrixMarket matrix coordinate real symmetric\n% x\n3 3 3\n2 1 0.5\n3 2 1.5D+01\n3 3 -1\n"},
      {matrix_market, "%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 1 0\n2 1 3 4\n"},
      {matrix_market, "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n3 1\n"},
      {matrix_market, "%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 1\n3 1 7\n"},
      {matrix_market, "%%MatrixMarket matrix array real general\n2 2\n0\n1.5\n2\n0\n"},
      {metis, "% x\n4 4\n2 3\n1 3\n1 2 4\n3\n"},
      {metis, "3 2 011 2\n1 9 2 5\n2 8 1 5 3 6\n3 7 2 6\n"},
      {dimacs, "c x\np sp 3 3\na 1 2 7\na 2 3 0\na 3 1 2\n"},
      {dimacs, "c x\np edge 3 2\nn 1 4\ne 1 2\ne 2 3\n"},
      {gapbs, '\0' + rows + numbers<4>({1, 2, 0, 2, 0, 1, 3, 2})},
      {gapbs, '\0' + rows + numbers<4>({1, 5, 2, 6, 0, 5, 2, 7, 0, 6, 1, 7, 3, 8, 2, 8})},
      {gapbs, '\1' + numbers<8>({2, 3, 0, 1, 2, 2}) + numbers<4>({1, 2}) + numbers<8>({0, 0, 1, 2}) +
                  numbers<4>({0, 1})},
      {binary, numbers<8>({1, 2, 2, 1ULL << 40, 3, 3})},
      {graph500, numbers<4>({1, 2, 0, 2, 0x10000, 3})},
      {graphml,
       "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- x --><graphml "
       "xmlns=\"http://graphml.graphdrawing.org/xmlns\">"
       "<key id=\"d0\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"><default>1.5</default></key>"
       "<key id=\"d1\" for=\"node\" attr.name=\"colour\" attr.type=\"string\"/>"
       "<graph id=\"G\" edgedefault=\"undirected\"><node id=\"1\"><data key=\"d1\">a &amp; "
       "<![CDATA[b<]]></data></node>"
       "<node id=\"2\"/><node id='n3'/>\n<edge id=\"e0\" source=\"1\" target=\"2\"><data "
       "key=\"d0\">2</data></edge>"
       "<edge source=\"2\" target=\"n3\"/></graph></graphml>\n"},
      {gexf,
       "<gexf version=\"1.3\"><graph defaultedgetype=\"directed\"><attributes class=\"node\"><attribute "
       "id=\"0\" "
       "title=\"size\" type=\"integer\"><default>3</default></attribute></attributes><nodes><node id=\"1\" "
       "label=\"a\"><attvalues><attvalue for=\"0\" value=\"7\"/></attvalues></node><node id=\"2\"/></nodes>"
       "<edges><edge id=\"0\" source=\"1\" target=\"2\" weight=\"2.5\"/><edge source=\"2\" "
       "target=\"2\"/></edges>"
       "</graph></gexf>\n"},
      {gml,
       "Creator \"x\"\ngraph [\n directed 1\n node [ id 1 label \"a &quot;b&quot;\" graphics [ x 1.5 y -2 ] "
       "]\n"
       " node [ id 2 size 3 ]\n edge [ source 1 target 2 weight 2.5 ]\n edge [ source 2 target 2 weight 1 "
       "]\n]\n"},
      {pajek, "% x\n*Vertices 3\n1 \"a b\" 0.1 0.2\n2 b ic Red\n*Arcs\n1 2 3.5\n2 3\n"},
      {pajek, "*Vertices 3\n*Edgeslist\n1 2 3\n2 3\n"},
      {pajek, "*Vertices 2\n1 a\n2 b\n*Matrix\n0 1.5\n2 0\n"},
  };
}

/// Words of these formats, and numbers at which readers may stumble.
inline constexpr std::string_view graph_pieces[] = {"\n",
                                                    " ",
                                                    "\t",
                                                    ",",
                                                    ";",
                                                    "\"",
                                                    "-1",
                                                    "0",
                                                    "4294967296",
                                                    "18446744073709551615",
                                                    "18446744073709551616",
                                                    "1e400",
                                                    "nan",
                                                    "<",
                                                    ">",
                                                    "/>",
                                                    "&",
                                                    "&#0;",
                                                    "<!DOCTYPE a [<!ENTITY b \"c\">]>",
                                                    "<![CDATA[",
                                                    "<graph edgedefault=\"directed\">",
                                                    "<edge source=\"1\" target=\"2\"/>",
                                                    "[",
                                                    "]",
                                                    "edge [ source 1 target 2 ]",
                                                    "*Edges\n",
                                                    "*Vertices 4000000000\n",
                                                    "1 1 1\n",
                                                    {"\0", 1},
                                                    "\xff",
                                                    "\r"};

}  // namespace perdure::crash
