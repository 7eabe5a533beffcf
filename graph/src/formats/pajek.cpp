// A line without a weight weighs 1, as Pajek says.
#include "pajek.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

#include "declared_attributes.hpp"

namespace perdure::graph::formats {
namespace {

constexpr char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

/// The end of a word of letters.
const char* after_letters(const char* p) noexcept {
  while (lower(*p) >= 'a' && lower(*p) <= 'z') ++p;
  return p;
}

bool is_comment(const char* p) noexcept {
  return *p == '%' || *p == '#';
}

bool refuse(const line_scanner& scan, const char* at, std::string what) {
  scan.wrong(at, std::move(what));
  return false;
}

/// A label, in quotes or up to the next blank; null where its quotes are not closed.
const char* label_at(const char* p, const line_scanner& scan, std::string_view& label) {
  if (*p != '"') {
    const char* end = p;
    while (end < scan.end() && !is_blank(*end)) ++end;
    label = {p, static_cast<std::size_t>(end - p)};
    return end;
  }
  const char* const end = std::find(p + 1, scan.end(), '"');
  if (end == scan.end()) return scan.wrong(p, "the label's second quote is missing");
  label = {p + 1, static_cast<std::size_t>(end - p - 1)};
  return end + 1;
}

/// A word, as `label_at` finds it; `is_text` if it is in quotes.
const char* word_at(const char* p, const line_scanner& scan, std::string& word, bool& is_text) {
  std::string_view found;
  is_text = *p == '"';
  p = label_at(p, scan, found);
  word = found;
  return p;
}

bool is_number(std::string_view word) {
  double value = 0;
  const auto result = std::from_chars(word.data(), word.data() + word.size(), value);
  return result.ec == std::errc{} && result.ptr == word.data() + word.size();
}

}  // namespace

bool is_pajek(std::string_view head) {
  for (;;) {
    const std::size_t at = head.find_first_not_of(" \t\r\n");
    if (at == std::string_view::npos) return false;
    head.remove_prefix(at);
    if (head[0] != '%' && head[0] != '#') break;
    head.remove_prefix(std::min(head.find('\n'), head.size()));
  }
  const std::string line(head.substr(0, head.find('\n')));
  return line[0] == '*' && after_letters(line.c_str() + 1) != line.c_str() + 1;
}

void pajek::leave_out(const char* what) {
  if (std::find(left_out_.begin(), left_out_.end(), what) == left_out_.end()) left_out_.emplace_back(what);
}

bool pajek::head(const char* begin, const char* feed, std::uint64_t number, flaw& problem) {
  if (begin == nullptr) {
    if (now_ == section::none) problem.what = "the file ends before its line \"*Vertices NUMBER\"";
    if (problem.what.empty() && names_ != nullptr && labels_.size() != vertices_)
      problem.what = "the file ends before all vertices have labels";
    return false;
  }
  const line_scanner scan(begin, feed, problem);
  const char* const p = after_blanks(begin);
  if (scan.at_end(begin) || is_comment(p)) return true;
  if (*p == '*') {
    if (now_ == section::none)
      vertices_at_ = {number, static_cast<std::uint64_t>(after_blanks(after_letters(p + 1)) - begin) + 1};
    begin_section(p, scan);
    return true;
  }
  if (now_ == section::vertices) {
    read_vertex(p, scan);
    return true;
  }
  if (now_ == section::none) {
    scan.wrong(p, "expected the line \"*Vertices NUMBER\"");
    return true;
  }
  info_.kind = is_directed(now_) ? direction::directed : direction::undirected;
  info_.description += is_directed(now_) ? ", directed" : ", undirected";
  return false;
}

// False where the line is malformed.
bool pajek::begin_section(const char* begin, const line_scanner& scan) {
  const char* p = after_letters(begin + 1);
  std::string name(begin + 1, p);
  std::transform(name.begin(), name.end(), name.begin(), lower);
  if (name == "network") return true;
  if (name == "vertices") {
    if (now_ != section::none) return refuse(scan, begin, "a second network in one file is not read");
    const char* const at = after_blanks(p);
    p = scan.whole(p, vertices_, "the number of vertices");
    if (p == nullptr) return false;
    if (vertices_ > most_vertices) return refuse(scan, at, "a graph has at most 2^32 - 1 vertices");
    now_ = section::vertices;
    info_.format = graph_format::pajek;
    info_.has_weights = true;
    info_.description = "Pajek";
    if (scan.at_end(p)) return true;
    std::uint64_t first = 0;
    p = scan.whole(p, first, "the number of vertices of the first mode");
    if (p != nullptr) info_.description += ", two modes of which the first has " + std::to_string(first);
    return p != nullptr && scan.ends(p);
  }
  struct named {
    std::string_view name;
    section is;
  };
  constexpr std::array sections = {named{"arcs", section::arcs}, named{"edges", section::edges},
                                   named{"arcslist", section::arc_lists},
                                   named{"edgeslist", section::edge_lists}, named{"matrix", section::matrix}};
  const auto* const found =
      std::find_if(sections.begin(), sections.end(), [&name](const named& one) { return one.name == name; });
  if (found == sections.end())
    return refuse(scan, begin,
                  "expected *Vertices, *Arcs, *Edges, *Arcslist, *Edgeslist or *Matrix: other "
                  "sections are not read");
  if (now_ == section::none) return refuse(scan, begin, "expected *Vertices before this section");
  if (!is_complete(begin, scan)) return false;
  p = after_blanks(p);
  relation_.assign(p, std::max(p, scan.end()));
  now_ = found->is;
  row_ = 0;
  return true;
}

bool pajek::is_complete(const char* at, const line_scanner& scan) const {
  if (names_ == nullptr || labels_.size() == vertices_) return true;
  return scan.wrong(at, "only " + std::to_string(labels_.size()) + " of " + std::to_string(vertices_) +
                            " vertices have labels; read it without names, by its numbers") != nullptr;
}

bool pajek::read_vertex(const char* p, const line_scanner& scan) {
  const char* const begin = p;
  std::uint64_t number = 0;
  p = scan.id_up_to(p, vertices_, number);
  if (p == nullptr) return false;
  std::string_view label;
  p = after_blanks(p);
  const char* const at = p;
  const bool has_label = p < scan.end();
  if (has_label) {
    p = label_at(p, scan, label);
    if (p == nullptr) return false;
  }
  if (!read_attributes_of(number, label, p, scan)) return false;
  if (names_ == nullptr) return true;
  const std::string name = has_label ? std::string(label) : std::to_string(number);
  if (!labels_.try_emplace(number, name).second)
    return refuse(scan, begin, "the vertex " + std::to_string(number) + " is there already");
  if (!taken_.insert(name).second) return refuse(scan, at, "another vertex is called \"" + name + "\" too");
  in_order_of_file_.push_back(number);
  return true;
}

bool pajek::read_attributes_of(std::uint64_t number, std::string_view label, const char* p,
                               const line_scanner& scan) {
  const bool is_labelled = names_ == nullptr && !label.empty() && label != std::to_string(number);
  const bool has_more = !scan.at_end(p);
  if (!keeps_attributes_) {
    if (has_more) leave_out("places and shapes of vertices");
    if (is_labelled) leave_out("labels of vertices");
    return true;
  }
  std::vector<pair> pairs;
  if (is_labelled) pairs.push_back({"label", std::string(label), true});
  if (has_more && read_place(p, scan, pairs) == nullptr) return false;
  for (pair& one : pairs) {
    vertex_attribute& to = attribute_called(attributes_, one.key);
    to.is_text |= one.is_text;
    to.vertices.push_back(number);
    to.values.push_back(std::move(one.value));
  }
  return true;
}

// Up to three coordinates, perhaps the name of a shape, and pairs.
const char* pajek::read_place(const char* p, const line_scanner& scan, std::vector<pair>& to) {
  std::vector<pair> words;
  for (p = after_blanks(p); !scan.at_end(p); p = after_blanks(p)) {
    pair word;
    p = word_at(p, scan, word.value, word.is_text);
    if (p == nullptr) return nullptr;
    words.push_back(std::move(word));
  }
  constexpr std::array axes = {"x", "y", "z"};
  std::size_t at = 0;
  for (; at < axes.size() && at < words.size() && is_number(words[at].value); ++at)
    to.push_back({axes[at], std::move(words[at].value), false});
  if ((words.size() - at) % 2 == 1) to.push_back({"shape", std::move(words[at++].value), true});
  for (; at < words.size(); at += 2)
    to.push_back({std::move(words[at].value), std::move(words[at + 1].value), words[at + 1].is_text});
  return p;
}

std::vector<vertex_attribute> pajek::take_attributes() {
  for (vertex_attribute& one : attributes_)
    for (vertex_id& v : one.vertices) v = called(v);
  return std::exchange(attributes_, {});
}

bool pajek::take_vertices(std::vector<vertex_id>& to) {
  if (in_order_of_file_.empty()) return false;
  for (const std::uint64_t number : in_order_of_file_)
    to.push_back(numbers_.try_emplace(number, names_->number_of(labels_.at(number))).first->second);
  in_order_of_file_ = {};
  return true;
}

vertex_id pajek::called(std::uint64_t number) const {
  return names_ == nullptr ? number : numbers_.at(number);
}

const char* pajek::parse(const char* p, const char* end, edge_batch& batch, line_counts& counts,
                         flaw& problem) {
  const char* const feed = line_feed(p, end);
  const line_scanner scan(p, feed, problem);
  if (scan.at_end(p)) return feed + 1;
  p = after_blanks(p);
  if (is_comment(p)) return feed + 1;
  if (*p == '*') return begin_section(p, scan) ? feed + 1 : nullptr;
  if (is_directed(now_) != (info_.kind == direction::directed))
    return scan.wrong(p, "arcs and edges in one network are not read");
  if (!read_relation_) read_relation_ = relation_;
  if (*read_relation_ != relation_) return scan.wrong(p, "several relations in one network are not read");
  const std::size_t edges = batch.edges.size();
  const std::size_t values = batch.values.size();
  pairs_.clear();
  const bool is_list = now_ == section::arc_lists || now_ == section::edge_lists;
  const char* const done = now_ == section::matrix ? read_row(p, scan, batch, counts)
                           : is_list               ? read_list(p, scan, batch, counts)
                                                   : read_edge(p, scan, batch, counts);
  if (done != nullptr) {
    keep_edges(batch, edges);
    return feed + 1;
  }
  batch.edges.resize(edges);
  batch.values.resize(values);
  return nullptr;
}

void pajek::keep_edges(const edge_batch& batch, std::size_t from) {
  if (!keeps_attributes_) return;
  const auto first = static_cast<std::ptrdiff_t>(from);
  edges_.edges.insert(edges_.edges.end(), batch.edges.begin() + first, batch.edges.end());
  edges_.weights.insert(edges_.weights.end(), batch.values.begin() + first, batch.values.end());
  for (pair& one : pairs_) {
    edge_attribute& to = attribute_called(edges_.attributes, one.key);
    to.is_text |= one.is_text;
    to.edges.push_back(edges_.edges.size() - 1);
    to.values.push_back(std::move(one.value));
  }
}

const char* pajek::read_edge(const char* p, const line_scanner& scan, edge_batch& batch,
                             line_counts& counts) {
  edge e;
  p = scan.id_up_to(p, vertices_, e.source);
  if (p != nullptr) p = scan.id_up_to(p, vertices_, e.target);
  double weight = 1;
  if (p != nullptr && !scan.at_end(p)) p = scan.finite(p, weight, "the weight");
  if (p == nullptr) return nullptr;
  if (!keeps_attributes_ && !scan.at_end(p)) leave_out("shapes of edges");
  if (keeps_attributes_) p = read_pairs(p, scan);
  if (p == nullptr) return nullptr;
  ++counts.entries;
  batch.edges.push_back({called(e.source), called(e.target)});
  batch.values.push_back(weight);
  return p;
}

const char* pajek::read_pairs(const char* p, const line_scanner& scan) {
  for (p = after_blanks(p); !scan.at_end(p); p = after_blanks(p)) {
    const char* const at = p;
    pair one;
    bool is_quoted = false;
    p = word_at(p, scan, one.key, is_quoted);
    if (p == nullptr) return nullptr;
    p = after_blanks(p);
    if (scan.at_end(p)) return scan.wrong(at, "the last of the edge's attributes has no value");
    p = word_at(p, scan, one.value, one.is_text);
    if (p == nullptr) return nullptr;
    pairs_.push_back(std::move(one));
  }
  return p;
}

const char* pajek::read_list(const char* p, const line_scanner& scan, edge_batch& batch,
                             line_counts& counts) {
  std::uint64_t source = 0;
  p = scan.id_up_to(p, vertices_, source);
  while (p != nullptr && !scan.at_end(p)) {
    std::uint64_t target = 0;
    p = scan.id_up_to(p, vertices_, target);
    if (p == nullptr) return nullptr;
    ++counts.entries;
    batch.edges.push_back({called(source), called(target)});
    batch.values.push_back(1);
  }
  return p;
}

const char* pajek::read_row(const char* p, const line_scanner& scan, edge_batch& batch, line_counts& counts) {
  if (row_ == vertices_) return scan.wrong(p, "the matrix has more rows than there are vertices");
  ++row_;
  for (std::uint64_t column = 1; column <= vertices_; ++column) {
    double value = 0;
    p = scan.finite(p, value, "an entry of the matrix");
    if (p == nullptr) return nullptr;
    if (value == 0) continue;
    ++counts.entries;
    batch.edges.push_back({called(row_), called(column)});
    batch.values.push_back(value);
  }
  return scan.ends(p) ? p : nullptr;
}

}  // namespace perdure::graph::formats
