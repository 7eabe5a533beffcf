// Fuzzing of the readers of graphs: each format, asked for or recognised, plain and compressed (gzip, zstd,
// xz). Any bytes are read to their end or refused with one of the library's errors.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <perdure/error.hpp>
#include <perdure/graph/build_csr.hpp>
#include <perdure/graph/graph_file.hpp>
#include <perdure/graph/write_graph.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "crash/file_mutation.hpp"
#include "crash/fuzz_script.hpp"
#include "crash/graph_seeds.hpp"
#include "library_limits.hpp"
#include "support/memory_file.hpp"
#include "workload/compressed.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using namespace perdure;

std::string compressed(std::string_view bytes, unsigned format) {
  switch (format % 3) {
    case 0:
      return test::gzip(bytes, 1);
    case 1:
      return test::zstd(bytes, 1);
    default:
      return test::xz(bytes, 0);
  }
}

/// Pieces of which edge lists, sound and unsound, are made: bytes of the script choose among them.
std::string text_of(crash::fuzz_script& script) {
  static constexpr const char* pieces[] = {"1",
                                           "2",
                                           "18446744073709551615",
                                           "18446744073709551616",
                                           "007",
                                           " ",
                                           "\t",
                                           ",",
                                           "\n",
                                           "\r\n",
                                           "\r",
                                           "#",
                                           "%",
                                           "-1",
                                           "x",
                                           ".5",
                                           "1e308",
                                           "-",
                                           "\n\n",
                                           "9",
                                           "1 2\n",
                                           "3\t4\t0.25\n",
                                           "5,6",
                                           "\f",
                                           "%%MatrixMarket matrix coordinate real general\n",
                                           "\xef\xbb\xbf",
                                           "4 4 3\n",
                                           "p sp 4 2\n",
                                           "a 1 2 ",
                                           "source,target,weight,time\n",
                                           "edge [ source 1 target 2 ] ",
                                           "node [ id 3 x NAN ] ",
                                           " %MatrixMarket matrix coordinate pattern general\n",
                                           "<edge source='3' target='1'/>",
                                           "<node id='3'/>",
                                           "</graph></graphml>"};
  static_assert(std::size(pieces) * 7 < 255);
  std::string text;
  while (!script.at_end()) {
    const std::uint8_t chosen = script.byte();
    if (chosen < std::size(pieces) * 7) {
      text += pieces[chosen / 7];
    } else if (chosen == 255) {
      // A long line, or many: readers work in blocks.
      text += std::string(std::size_t{1} << (script.byte() % 22), script.byte() % 2 == 0 ? '7' : '\n');
    } else {
      text += static_cast<char>(script.byte());
    }
  }
  return text;
}

/// The beginning of a file of each format that has one, so that what follows is not refused at once.
std::string beginning_of(graph::graph_format format, crash::fuzz_script& script) {
  static constexpr const char* fields[] = {"pattern", "integer", "real", "complex"};
  static constexpr const char* symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian"};
  switch (format) {
    case graph::graph_format::matrix_market:
      return std::string("%%MatrixMarket matrix coordinate ") + fields[script.byte() % 4] + " " +
             symmetries[script.byte() % 4] + "\n9 9 " + std::to_string(script.byte() % 8) + "\n";
    case graph::graph_format::metis:
      return std::to_string(script.byte() % 5) + " " + std::to_string(script.byte() % 5) +
             (script.byte() % 2 == 0 ? " 11 1\n" : "\n");
    case graph::graph_format::dimacs:
      return script.byte() % 2 == 0 ? "p sp 9 2\n" : "p edge 9 2\n";
    case graph::graph_format::csv:
      return "source,target,weight,time\n";
    case graph::graph_format::gapbs: {
      std::string bytes(17 + 3 * 8, '\0');
      bytes[0] = static_cast<char>(script.byte() % 2);
      bytes[1] = static_cast<char>(script.byte() % 4);
      bytes[9] = 2;
      bytes[25] = static_cast<char>(script.byte() % 4);
      bytes[33] = bytes[1];
      return bytes;
    }
    case graph::graph_format::graphml:
      return "<graphml><graph><node id='1'/><node id='2'/>";
    case graph::graph_format::gexf:
      return "<gexf><graph><nodes><node id='1'/><node id='2'/></nodes>";
    case graph::graph_format::gml:
      return "graph [ node [ id 1 ] node [ id 2 label \"x\" ] ";
    case graph::graph_format::pajek:
      return std::string("*Vertices 2\n1 \"a\"\n2 \"b\"\n*") +
             (script.byte() % 2 == 0 ? "Arcs\n" : "Matrix\n");
    default:
      return {};
  }
}

/// Few names are several vertices.
class numbered_names final : public graph::vertex_namer {
 public:
  graph::vertex_id number_of(std::string_view name) override {
    return numbers_.try_emplace(std::string(name), numbers_.size()).first->second;
  }

 private:
  std::map<std::string, graph::vertex_id> numbers_;
};

struct reading {
  graph::graph_file_info info;
  std::vector<graph::edge> edges;
  std::vector<double> values;
};

/// Reads all edges, under the limits of the program. Throws one of the library's errors where the file is
/// refused.
reading read(const std::filesystem::path& path, const graph::graph_file_options& options) {
  cli::library_limits limits(path, true);
  limits.begin();
  const auto source = graph::open_graph_file(path, options);
  graph::edge_batch batch;
  reading all{source->info(), {}, {}};
  const auto require_one_each = [&](const std::vector<double>& column, bool is_kept) {
    if (column.size() != (is_kept ? batch.edges.size() : 0))
      throw std::logic_error("a column and edges differ in number");
    for (const double value : column)
      if (!std::isfinite(value)) throw std::logic_error("a value is not finite");
  };
  const auto next = [&] {
    try {
      return source->next(batch);
    } catch (const error&) {
      if (source->next(batch)) throw std::logic_error("the source goes on after a throw");
      throw;
    }
  };
  while (next()) {
    require_one_each(batch.values, all.info.has_weights);
    require_one_each(batch.times, all.info.has_times);
    const graph::id_range known = source->declared_vertices();
    for (const graph::edge& e : batch.edges)
      if (known.count != 0 &&
          (e.source - known.first >= known.count || e.target - known.first >= known.count))
        throw std::logic_error("a vertex is none that the header says");
    all.edges.insert(all.edges.end(), batch.edges.begin(), batch.edges.end());
    all.values.insert(all.values.end(), batch.values.begin(), batch.values.end());
  }
  return all;
}

/// Edges with their weights, which lie in memory.
class reading_source final : public graph::edge_source {
 public:
  explicit reading_source(const reading& all) : all_(all) {}
  bool next(graph::edge_batch& batch) override {
    batch.clear();
    if (std::exchange(is_drawn_, true)) return false;
    batch.edges = all_.edges;
    batch.values = all_.values;
    return true;
  }
  workload::progress progress() const noexcept override { return {}; }

 private:
  const reading& all_;
  bool is_drawn_ = false;
};

using listed = std::vector<std::tuple<graph::vertex_id, graph::vertex_id, double>>;

/// The edges in one order, whatever order they came in.
listed sorted(const reading& all, bool is_undirected) {
  listed edges;
  for (std::size_t i = 0; i < all.edges.size(); ++i) {
    auto [from, to] = all.edges[i];
    if (is_undirected && from > to) std::swap(from, to);
    edges.emplace_back(from, to, all.values.empty() ? 1 : all.values[i]);
  }
  std::sort(edges.begin(), edges.end());
  return edges;
}

/// Writes the graph that was read, and throws if reading that gives another one.
void require_same_when_written(const reading& all) {
  const graph::direction kind = all.info.kind.value_or(graph::direction::directed);
  graph::memory_csr rows;
  reading_source source(all);
  graph::build_csr(rows, source, {.kind = kind, .with_weights = all.info.has_weights});
  const bool is_undirected = kind == graph::direction::undirected;
  for (const auto& [written, format] :
       {std::pair{graph::written_format::edge_list, graph::graph_format::edge_list},
        {graph::written_format::graphml, graph::graph_format::graphml}}) {
    std::string bytes;
    graph::written_parts parts;
    parts.format = written;
    graph::write_graph(rows.view(), parts, [&](std::string_view piece) { bytes += piece; });
    const reading again =
        read(memory_file(bytes).path(), {.format = format, .header = graph::header_line::no});
    if (sorted(again, is_undirected) != sorted(all, is_undirected))
      throw std::logic_error("another graph comes back");
  }
}

/// Reads each file as it is, since one that is refused would be no test of what stands behind.
std::vector<crash::graph_seed> sound_seeds() {
  std::vector<crash::graph_seed> seeds = crash::graph_seeds();
  for (const crash::graph_seed& one : seeds)
    require_same_when_written(read(memory_file(one.bytes).path(), {.format = one.format}));
  return seeds;
}

/// A file that is made of a sound one by some changes.
void try_changed(crash::fuzz_script& script) {
  static const std::vector<crash::graph_seed> seeds = sound_seeds();
  const crash::graph_seed& chosen = seeds[script.below(seeds.size())];
  const std::uint8_t how = script.byte();
  std::string bytes = chosen.bytes;
  while (!script.at_end() && !bytes.empty()) crash::mutate(script, bytes, crash::graph_pieces);
  numbered_names names;
  graph::graph_file_options options;
  if ((how & 1) != 0) options.format = chosen.format;
  if ((how & 2) != 0) options.names = &names;
  options.keep_attributes = (how & 4) != 0;
  const bool is_compressed = (how & 24) == 24;
  const reading all = read(memory_file(is_compressed ? test::bzip2(bytes) : bytes).path(), options);
  if (all.edges.size() <= 100) require_same_when_written(all);
}

/// A file of pieces that the script puts together.
void try_made(crash::fuzz_script& script, std::size_t size) {
  const std::uint8_t how = script.byte();
  const std::uint8_t asked = script.byte();
  const auto format = static_cast<graph::graph_format>(asked % 13);
  numbered_names names;
  graph::graph_file_options options;
  if ((asked & 128) != 0) options.format = format;
  options.skip_bad_lines = (how & 2) != 0;
  if ((how & 4) != 0 && format <= graph::graph_format::csv) options.time_column = "3";
  if ((how & 1) != 0) options.names = &names;
  options.part = static_cast<graph::complex_part>(asked / 9 % 3);
  std::string bytes = (asked & 64) != 0 ? beginning_of(format, script) : std::string();
  bytes += (how & 8) != 0 ? text_of(script) : std::string(script.rest().begin(), script.rest().end());
  if ((how & 16) != 0) {
    const std::size_t harm = (how & 32) != 0 ? bytes.size() % 97 : 0;
    const auto compression = static_cast<unsigned>(size);
    bytes = compressed(bytes, compression);
    // Damage to what is compressed, and bytes behind it.
    if (harm != 0) bytes[harm % bytes.size()] = static_cast<char>(bytes[harm % bytes.size()] + 1);
    if ((how & 64) != 0) bytes += compressed("1 2\n", compression);
    if ((how & 128) != 0) bytes.resize(bytes.size() * 3 / 4);
  }
  static_cast<void>(read(memory_file(bytes).path(), options));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  crash::fuzz_script script({data, size});
  try {
    if (script.byte() % 2 == 0)
      try_changed(script);
    else
      try_made(script, size);
  } catch (const error&) {
  }
  return 0;
}
