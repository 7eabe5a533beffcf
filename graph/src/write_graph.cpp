// One function a format; numbers are written so that reading them gives the same ones.
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <perdure/error.hpp>
#include <perdure/graph/write_graph.hpp>

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

std::string escaped(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      throw error(errc::unsupported,
                  "a vertex has a name with a control character, which GraphML cannot say");
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

void write_graphml(const listed_graph& graph, const written_parts& parts, buffered_text& out) {
  out.text(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml "
      "xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
  if (graph.has_weights)
    out.text("<key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n");
  if (graph.has_times) out.text("<key id=\"time\" for=\"edge\" attr.name=\"time\" attr.type=\"double\"/>\n");
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
    out.text("\"/>\n");
  }
  for (std::uint64_t v = 0; v < graph.vertices; ++v)
    graph.each(v, false, [&](const listed_edge& e) {
      out.text("<edge source=\"");
      id(e.from);
      out.text("\" target=\"");
      id(e.to);
      if (!graph.has_weights && !graph.has_times) {
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
      out.text("</edge>\n");
    });
  out.text("</graph>\n</graphml>\n");
}

}  // namespace

void write_listed(const listed_graph& graph, const written_parts& parts,
                  const std::function<void(std::string_view)>& write) {
  buffered_text out(write);
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
