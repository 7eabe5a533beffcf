// One function a format; numbers are written so that reading them gives the same ones.
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <perdure/error.hpp>
#include <perdure/graph/write_graph.hpp>
#include <perdure/progress.hpp>

namespace perdure::graph::detail {
namespace {

/// Collects small pieces.
class buffered_text {
 public:
  explicit buffered_text(const std::function<void(std::string_view)>& write) : write_(write) {}

  void text(std::string_view piece) {
    buffer_ += piece;
    if (buffer_.size() > std::size_t{1} << 17) flush();
  }
  template <class Number>
  void number(Number value) {
    std::array<char, 32> digits;
    text({digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr});
  }
  template <class Number>
  void bytes(Number value) {
    if constexpr (std::endian::native == std::endian::big)
      value = sizeof value == 8 ? static_cast<Number>(__builtin_bswap64(static_cast<std::uint64_t>(value)))
                                : static_cast<Number>(__builtin_bswap32(static_cast<std::uint32_t>(value)));
    text({reinterpret_cast<const char*>(&value), sizeof value});
  }
  void flush() {
    write_(buffer_);
    buffer_.clear();
  }

 private:
  const std::function<void(std::string_view)>& write_;
  std::string buffer_;
};

/// A name as a field of a line that a reader takes apart at tabs.
std::string field_of(std::string_view name) {
  if (name.find_first_of("\n\r") != std::string_view::npos || name.find('\0') != std::string_view::npos)
    throw error(errc::unsupported, "a vertex has a name with a line end, which an edge list cannot say");
  const bool is_plain = !name.empty() && name[0] != '#' && name[0] != '%' &&
                        name.find_first_of(" \t,;\"") == std::string_view::npos;
  if (is_plain) return std::string(name);
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

/// A name or a text as XML has it, in an attribute or between tags.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\t' || c == '\n' || c == '\r') {
      out += "&#" + std::to_string(static_cast<int>(c)) + ';';
    } else if (static_cast<unsigned char>(c) < 0x20) {
      throw error(errc::unsupported,
                  "a vertex' name or a text of a property has a control character, which GraphML cannot say");
    } else {
      out += c;
    }
  }
  return out;
}

void write_edge_list(const listed_graph& graph, const written_parts& parts, buffered_text& out) {
  const auto vertex = [&](std::uint64_t place) {
    if (parts.name) {
      out.text(field_of(parts.name(graph.id(place))));
    } else {
      out.number(graph.id(place));
    }
  };
  for (std::uint64_t v = 0; v < graph.vertices; ++v)
    graph.each(v, false, [&](const listed_edge& e) {
      vertex(e.from);
      out.text("\t");
      vertex(e.to);
      if (graph.has_weights) {
        out.text("\t");
        out.number(e.weight);
      }
      if (graph.has_times) {
        out.text("\t");
        out.number(e.time);
      }
      out.text("\n");
    });
}

void write_matrix_market(const listed_graph& graph, buffered_text& out) {
  out.text(std::string("%%MatrixMarket matrix coordinate ") + (graph.has_weights ? "real " : "pattern ") +
           (graph.undirected ? "symmetric\n" : "general\n"));
  out.number(graph.vertices);
  out.text(" ");
  out.number(graph.vertices);
  out.text(" ");
  out.number(graph.edges);
  out.text("\n");
  for (std::uint64_t v = 0; v < graph.vertices; ++v)
    graph.each(v, false, [&](const listed_edge& e) {
      out.number(e.from + 1);
      out.text(" ");
      out.number(e.to + 1);
      if (graph.has_weights) {
        out.text(" ");
        out.number(e.weight);
      }
      out.text("\n");
    });
}

std::int32_t gapbs_weight(double weight) {
  if (std::trunc(weight) != weight || weight < std::numeric_limits<std::int32_t>::min() ||
      weight > std::numeric_limits<std::int32_t>::max())
    throw error(errc::unsupported, "the weight " + std::to_string(weight) +
                                       " is no whole number of 32 bits, which .wsg has; leave weights out");
  return static_cast<std::int32_t>(weight);
}

void write_gapbs(const listed_graph& graph, buffered_text& out) {
  if (graph.vertices > std::uint64_t{1} << 31)
    throw error(errc::unsupported, "a .sg file has at most 2^31 vertices");
  std::vector<std::uint64_t> offsets(graph.vertices + 1);
  std::vector<std::uint64_t> incoming(graph.undirected ? 0 : graph.vertices + 1);
  for (std::uint64_t v = 0; v < graph.vertices; ++v)
    graph.each(v, true, [&](const listed_edge& e) {
      ++offsets[v + 1];
      if (!incoming.empty()) ++incoming[e.to + 1];
    });
  for (std::uint64_t v = 0; v < graph.vertices; ++v) {
    offsets[v + 1] += offsets[v];
    if (!incoming.empty()) incoming[v + 1] += incoming[v];
  }
  out.text(std::string_view(graph.undirected ? "\0" : "\1", 1));
  out.bytes(offsets.back());
  out.bytes(graph.vertices);
  for (const std::uint64_t offset : offsets) out.bytes(offset);
  struct end {
    std::int32_t vertex;
    std::int32_t weight;
  };
  const auto put = [&](const end& one) {
    out.bytes(one.vertex);
    if (graph.has_weights) out.bytes(one.weight);
  };
  std::vector<end> sources(incoming.empty() ? 0 : offsets.back());
  std::vector<std::uint64_t> next(incoming);
  for (std::uint64_t v = 0; v < graph.vertices; ++v)
    graph.each(v, true, [&](const listed_edge& e) {
      const std::int32_t weight = graph.has_weights ? gapbs_weight(e.weight) : 0;
      put({static_cast<std::int32_t>(e.to), weight});
      if (!incoming.empty()) sources[next[e.to]++] = {static_cast<std::int32_t>(v), weight};
    });
  if (incoming.empty()) return;
  for (const std::uint64_t offset : incoming) out.bytes(offset);
  for (const end& one : sources) put(one);
}

const char* graphml_type_of(element_kind kind) {
  return kind == element_kind::text ? "string" : kind == element_kind::int64 ? "long" : "double";
}

/// The columns of nodes or of edges in GraphML.
class graphml_columns {
 public:
  /// `of` is "node" or "edge".
  graphml_columns(const std::vector<written_column>& columns, const char* of, buffered_text& out)
      : columns_(columns), of_(of), out_(out) {}

  void declare() const {
    for (std::size_t i = 0; i < columns_.size(); ++i)
      out_.text("<key id=\"" + id_of(i) + "\" for=\"" + of_ + "\" attr.name=\"" + escaped(columns_[i].name) +
                "\" attr.type=\"" + graphml_type_of(columns_[i].kind) + "\"/>\n");
  }
  /// Returns the data of a vertex or an arc.
  const std::string& data(std::uint64_t place) {
    data_.clear();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      std::string value;
      // The first one has all data, so that a column is there though nothing has a value.
      if (!columns_[i].value(place, value) && !is_first_) continue;
      data_ += "<data key=\"" + id_of(i) + "\">" + escaped(value) + "</data>";
    }
    is_first_ = false;
    return data_;
  }

 private:
  std::string id_of(std::size_t column) const { return of_ + std::to_string(column); }

  const std::vector<written_column>& columns_;
  std::string of_;
  buffered_text& out_;
  std::string data_;
  bool is_first_ = true;
};

void write_graphml(const listed_graph& graph, const written_parts& parts, buffered_text& out) {
  out.text(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml "
      "xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
  if (graph.has_weights)
    out.text("<key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n");
  if (graph.has_times) out.text("<key id=\"time\" for=\"edge\" attr.name=\"time\" attr.type=\"double\"/>\n");
  graphml_columns of_nodes(parts.vertex_columns, "node", out);
  graphml_columns of_edges(parts.edge_columns, "edge", out);
  of_nodes.declare();
  of_edges.declare();
  out.text(std::string("<graph edgedefault=\"") + (graph.undirected ? "undirected" : "directed") + "\">\n");
  const auto id = [&](std::uint64_t v) {
    if (parts.name) {
      out.text(escaped(parts.name(graph.id(v))));
    } else {
      out.number(graph.id(v));
    }
  };
  for (std::uint64_t v = 0; v < graph.vertices; ++v) {
    out.text("<node id=\"");
    id(v);
    if (const std::string& data = of_nodes.data(graph.handle(v)); !data.empty()) {
      out.text("\">" + data + "</node>\n");
    } else {
      out.text("\"/>\n");
    }
  }
  for (std::uint64_t v = 0; v < graph.vertices; ++v)
    graph.each(v, false, [&](const listed_edge& e) {
      out.text("<edge source=\"");
      id(e.from);
      out.text("\" target=\"");
      id(e.to);
      const std::string& more = of_edges.data(e.arc);
      if (!graph.has_weights && !graph.has_times && more.empty()) {
        out.text("\"/>\n");
        return;
      }
      out.text("\">");
      const auto data = [&](bool there, const char* key, double value) {
        if (!there) return;
        out.text(std::string("<data key=\"") + key + "\">");
        out.number(value);
        out.text("</data>");
      };
      data(graph.has_weights, "weight", e.weight);
      data(graph.has_times, "time", e.time);
      out.text(more);
      out.text("</edge>\n");
    });
  out.text("</graph>\n</graphml>\n");
}

}  // namespace

void write_listed(const listed_graph& graph, const written_parts& parts,
                  const std::function<void(std::string_view)>& write) {
  buffered_text out(write);
  // A file of GAPBS has the number of each vertex's neighbours first.
  const std::uint64_t passes = parts.format == written_format::gapbs ? 2 : 1;
  begin_progress_stage("writing", graph.vertices * passes, "vertices");
  switch (parts.format) {
    case written_format::edge_list:
      write_edge_list(graph, parts, out);
      break;
    case written_format::matrix_market:
      write_matrix_market(graph, out);
      break;
    case written_format::gapbs:
      write_gapbs(graph, out);
      break;
    case written_format::graphml:
      write_graphml(graph, parts, out);
      break;
  }
  out.flush();
}

}  // namespace perdure::graph::detail
