// An empty line is a vertex without neighbours.
#include "metis.hpp"

namespace perdure::graph::formats {

bool metis::head(const char* begin, const char* feed, std::uint64_t number, flaw& problem) {
  if (begin == nullptr) {
    if (!has_header_) problem.what = "the file ends before its line \"VERTICES EDGES\"";
    return false;
  }
  if (has_header_) return false;
  const line_scanner scan(begin, feed, problem);
  if (*begin == '%' || *begin == '#' || scan.at_end(begin)) return true;
  const char* const vertices_at = after_blanks(begin);
  const char* p = scan.whole(begin, vertices_, "the number of vertices");
  if (p == nullptr) return true;
  const char* const edges_at = after_blanks(p);
  p = scan.whole(p, edges_, "the number of edges");
  if (p == nullptr) return true;
  std::uint64_t format = 0;
  std::uint64_t constraints = 0;
  const char* const format_at = after_blanks(p);
  if (!scan.at_end(p)) {
    p = scan.whole(p, format, "the format");
    if (p == nullptr) return true;
    const auto is_flag = [](std::uint64_t digit) { return digit < 2; };
    if (!is_flag(format % 10) || !is_flag(format / 10 % 10) || !is_flag(format / 100)) {
      scan.wrong(format_at,
                 "expected a format of three digits 0 or 1 (sizes, weights of vertices, weights of edges)");
      return true;
    }
    constraints = format / 10 % 10;
  }
  if (!scan.at_end(p)) {
    const char* const constraints_at = after_blanks(p);
    p = scan.whole(p, constraints, "the number of vertex weights");
    if (p == nullptr) return true;
    if (constraints > 1000) {
      scan.wrong(constraints_at, "more than 1000 weights a vertex");
      return true;
    }
    if (format / 10 % 10 == 0) constraints = 0;
  }
  if (!scan.ends(p)) return true;
  if (vertices_ > most_vertices) {
    scan.wrong(vertices_at, "a graph has at most 2^32 - 1 vertices");
    return true;
  }
  const bool has_sizes = format >= 100 && may_have_sizes_;
  vertex_values_ = constraints + (has_sizes ? 1 : 0);
  if (keeps_attributes_) {
    if (has_sizes) attributes_.push_back({"size"});
    for (std::uint64_t i = 1; i <= constraints; ++i)
      attributes_.push_back({constraints == 1 ? "weight" : "weight" + std::to_string(i)});
  } else {
    if (has_sizes) left_out_.emplace_back("sizes of vertices");
    if (constraints != 0) left_out_.emplace_back("weights of vertices");
  }
  vertices_at_ = {number, static_cast<std::uint64_t>(vertices_at - begin) + 1};
  edges_at_ = {number, static_cast<std::uint64_t>(edges_at - begin) + 1};
  has_header_ = true;
  info_.format = graph_format::metis;
  info_.kind = direction::undirected;
  info_.has_weights = format % 10 == 1;
  info_.description = info_.has_weights ? "METIS, edges with weights" : "METIS";
  return true;
}

const char* metis::parse(const char* p, const char* end, edge_batch& batch, line_counts& counts,
                         flaw& problem) {
  const char* const feed = line_feed(p, end);
  const line_scanner scan(p, feed, problem);
  if (*p == '%' || *p == '#') return feed + 1;
  const bool is_empty = scan.at_end(p);
  if (at_ == vertices_) {
    if (is_empty) return feed + 1;
    return scan.wrong(after_blanks(p), "the header says " + std::to_string(vertices_) +
                                           " vertices, and here is a line for another one");
  }
  const std::size_t before = batch.edges.size();
  line_counts here;
  const auto take_back = [&] {
    batch.edges.resize(before);
    if (info_.has_weights) batch.values.resize(before);
    return nullptr;
  };
  const vertex_id v = ++at_;
  if (!is_empty)
    for (std::uint64_t i = 0; i < vertex_values_; ++i) {
      double value = 0;
      const char* const at = after_blanks(p);
      p = scan.finite(p, value, "a weight of the vertex");
      if (p == nullptr) return take_back();
      if (!keeps_attributes_) continue;
      attributes_[i].vertices.push_back(v);
      attributes_[i].values.emplace_back(at, p);
    }
  while (!scan.at_end(p)) {
    vertex_id neighbour = 0;
    p = scan.id_up_to(p, vertices_, neighbour);
    if (p == nullptr) return take_back();
    double weight = 0;
    if (info_.has_weights) {
      p = scan.finite(p, weight, "the edge's weight");
      if (p == nullptr) return take_back();
    }
    ++here.entries;
    if (v < neighbour) ++here.upward;
    if (v > neighbour) ++here.downward;
    // The other end's line has it too.
    if (v > neighbour) continue;
    batch.edges.push_back({v, neighbour});
    if (info_.has_weights) batch.values.push_back(weight);
  }
  counts += here;
  return feed + 1;
}

std::optional<broken_promise> metis::judge(const line_counts& counts) const {
  if (at_ != vertices_)
    return broken_promise{vertices_at_, "the header says " + std::to_string(vertices_) +
                                            " vertices, and the file has lines for " + std::to_string(at_)};
  if (counts.upward != counts.downward)
    return broken_promise{edges_at_, std::to_string(std::max(counts.upward, counts.downward)) + " and " +
                                         std::to_string(std::min(counts.upward, counts.downward)) +
                                         " ends of edges: not each edge is at both its ends"};
  // Programs differ in whether a loop is listed once or twice.
  const std::uint64_t loops = counts.entries - counts.upward - counts.downward;
  if (counts.upward + loops != edges_ && counts.entries != 2 * edges_)
    return broken_promise{edges_at_, "the header says " + std::to_string(edges_) +
                                         " edges, and the file has " + std::to_string(counts.upward + loops)};
  return std::nullopt;
}

}  // namespace perdure::graph::formats
