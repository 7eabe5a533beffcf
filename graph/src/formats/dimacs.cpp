// Each line begins with a letter that says what it is.
#include "dimacs.hpp"

namespace perdure::graph::formats {

bool dimacs::head(const char* begin, const char* feed, std::uint64_t number, flaw& problem) {
  if (begin == nullptr) {
    if (!has_problem_line_) problem.what = "the file ends before its line \"p sp VERTICES EDGES\"";
    return false;
  }
  if (has_problem_line_) return false;
  const line_scanner scan(begin, feed, problem);
  if (scan.at_end(begin) || *begin == 'c') return true;
  if (*begin != 'p') {
    scan.wrong(begin, "expected the line \"p sp VERTICES EDGES\" or \"p edge VERTICES EDGES\"");
    return true;
  }
  const char* const word = after_blanks(begin + 1);
  const char* p = word;
  while (p < scan.end() && !is_blank(*p)) ++p;
  const std::string_view kind(word, static_cast<std::size_t>(p - word));
  const bool is_directed = kind == "sp";
  if (!is_directed && kind != "edge" && kind != "col") {
    scan.wrong(word, "expected sp, edge or col");
    return true;
  }
  const char* const vertices_at = after_blanks(p);
  p = scan.whole(p, vertices_, "the number of vertices");
  if (p == nullptr) return true;
  const char* const edges_at = after_blanks(p);
  p = scan.whole(p, edges_, "the number of edges");
  if (p == nullptr || !scan.ends(p)) return true;
  if (vertices_ > most_vertices) {
    scan.wrong(vertices_at, "a graph has at most 2^32 - 1 vertices");
    return true;
  }
  vertices_at_ = {number, static_cast<std::uint64_t>(vertices_at - begin) + 1};
  count_at_ = {number, static_cast<std::uint64_t>(edges_at - begin) + 1};
  has_problem_line_ = true;
  info_.format = graph_format::dimacs;
  info_.kind = is_directed ? direction::directed : direction::undirected;
  info_.has_weights = is_directed;
  info_.description = is_directed ? "DIMACS, arcs with lengths" : "DIMACS, edges";
  return true;
}

const char* dimacs::parse(const char* p, const char* end, edge_batch& batch, line_counts& counts,
                          flaw& problem) const {
  const char* const feed = line_feed(p, end);
  const line_scanner scan(p, feed, problem);
  if (scan.at_end(p) || *p == 'c') return feed + 1;
  const char wanted = info_.has_weights ? 'a' : 'e';
  // Colours and sizes of vertices are no edges.
  if (!info_.has_weights && *p == 'n' && is_blank(p[1])) {
    counts.has_lines_of_vertices = true;
    return feed + 1;
  }
  if (*p != wanted || !is_blank(p[1]))
    return scan.wrong(p, std::string("expected a line that begins with ") + wanted + ", found " + quoted(*p));
  edge e;
  p = scan.id_up_to(p + 1, vertices_, e.source);
  if (p == nullptr) return nullptr;
  p = scan.id_up_to(p, vertices_, e.target);
  if (p == nullptr) return nullptr;
  double length = 0;
  if (info_.has_weights) {
    p = scan.finite(p, length, "the length");
    if (p == nullptr) return nullptr;
  }
  if (!scan.ends(p)) return nullptr;
  ++counts.entries;
  batch.edges.push_back(e);
  if (info_.has_weights) batch.values.push_back(length);
  return feed + 1;
}

std::optional<broken_promise> dimacs::judge(const line_counts& counts) const {
  if (counts.entries == edges_) return std::nullopt;
  return broken_promise{count_at_, "the header says " + std::to_string(edges_) + " edges, and the file has " +
                                       std::to_string(counts.entries)};
}

}  // namespace perdure::graph::formats
