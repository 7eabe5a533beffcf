// perdure graph generate rmat|rgg: writes a synthetic graph as an edge list.
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <perdure/error.hpp>
#include <perdure/graph/graph_file.hpp>
#include <perdure/graph/rgg.hpp>
#include <perdure/graph/rmat.hpp>
#include <perdure/workload/byte_stream.hpp>
#include <vector>

#include "command.hpp"
#include "graph_options.hpp"
#include "progress.hpp"
#include "units.hpp"
#include "written_pieces.hpp"

namespace perdure::cli {
namespace {

/// A graph that is generated piece by piece.
struct synthetic_graph {
  json parameters;      ///< for the report
  std::uint64_t units;  ///< edges, or cells
  const char* unit;
  std::uint64_t at_once;  ///< units of a piece
  /// Appends the edges of the units `[first, last)`. Called by several threads at once.
  std::function<void(std::uint64_t first, std::uint64_t last, std::vector<graph::edge>& out)> generate;
};

struct written_file {
  std::filesystem::path file;
  graph::graph_format format = graph::graph_format::automatic;
  unsigned threads = 1;
  bool as_json = false;
};

graph::graph_format format_of(const written_file& given) {
  if (given.format != graph::graph_format::automatic) return given.format;
  return given.file.extension() == ".bin" ? graph::graph_format::binary : graph::graph_format::edge_list;
}

void write_edges(const written_file& given, const std::function<synthetic_graph()>& make) {
  if (workload::uncompressed_name(given.file) != given.file)
    throw usage_error("-o " + given.file.string() +
                      ": output is not compressed; pipe '-o -' through gzip, zstd or xz instead");
  const graph::graph_format format = format_of(given);
  const bool to_standard_output = given.file == "-";
  if (to_standard_output && given.as_json)
    throw usage_error("--json and -o - would both write to standard output: give -o a file");
  const stopwatch watch;
  const synthetic_graph made = make();
  output out = output::to(given.file);
  std::atomic<std::uint64_t> done{0};
  std::uint64_t edges = 0;
  {
    const progress_line progress("generate", [&] {
      return workload::progress{done.load(), made.units, made.unit};
    });
    struct piece {
      std::string text;
      std::uint64_t edges = 0;
    };
    write_in_pieces<piece>(
        given.threads, made.units, made.at_once, done,
        [&](std::uint64_t first, std::uint64_t last, piece& one) {
          std::vector<graph::edge> some;
          made.generate(first, last, some);
          one.text.clear();
          graph::append_edges(one.text, some, format);
          one.edges = some.size();
        },
        [&](const piece& one) {
          out.write(one.text);
          edges += one.edges;
        });
  }
  out.finish();
  const double seconds = watch.seconds();
  if (to_standard_output) return;
  if (given.as_json) {
    json report = made.parameters;
    report["file"] = given.file.string();
    report["format"] = format == graph::graph_format::binary ? "binary" : "text";
    report["edges"] = edges;
    report["bytes"] =
        std::filesystem::is_regular_file(given.file) ? std::filesystem::file_size(given.file) : 0;
    report["seconds"] = seconds;
    print(report);
    return;
  }
  output report = output::standard();
  report.write("wrote " + grouped(edges) + " edges to " + given.file.string() + " in " + in_seconds(seconds) +
               " (" + per_second(static_cast<double>(edges) / seconds) + " edges/s)\n");
  report.finish();
}

synthetic_graph rmat_graph(const graph::rmat_parameters& parameters) {
  auto generator = std::make_shared<graph::rmat_generator>(parameters);
  return {{{"scale", parameters.scale},
           {"edge_factor", parameters.edge_factor},
           {"seed", parameters.seed},
           {"vertices", generator->vertex_ids()}},
          generator->edges(),
          "edges",
          std::uint64_t{1} << 16,
          [generator](std::uint64_t first, std::uint64_t last, std::vector<graph::edge>& out) {
            const std::size_t begin = out.size();
            out.resize(begin + (last - first));
            generator->generate(first, last, out.data() + begin);
          }};
}

synthetic_graph rgg_graph(const graph::rgg_parameters& parameters) {
  auto generator = std::make_shared<graph::rgg_generator>(parameters);
  return {{{"vertices", parameters.vertices},
           {"degree", parameters.degree},
           {"radius", generator->radius()},
           {"seed", parameters.seed},
           {"scramble", parameters.scramble}},
          generator->cells(),
          "cells",
          std::uint64_t{1} << 12,
          [generator](std::uint64_t first, std::uint64_t last, std::vector<graph::edge>& out) {
            generator->generate(first, last, out);
          }};
}

/// Adds the options that both generators have.
void add_output_options(command generator, written_file& given) {
  generator.add_path("-o,--output", given.file, "File to write; '-' is standard output").required();
  add_format_option(generator, given.format);
  add_threads_option(generator, given.threads);
  add_json_option(generator, given.as_json);
}

}  // namespace

void add_generate_command(command graph_command) {
  command generate = graph_command.add_command("generate", "Write a synthetic graph as an edge list");
  generate.require_command();
  auto given = std::make_shared<written_file>();
  add_json_option(generate, given->as_json);
  command rmat = generate.add_command(
      "rmat", "R-MAT graph with Graph500's parameters; the same for a seed, whatever the number of threads");
  auto powers = std::make_shared<graph::rmat_parameters>();
  add_scale_option(rmat, *powers);
  add_rmat_options(rmat, *powers);
  add_output_options(rmat, *given);
  rmat.example("--scale 10 --output edges.txt", "Write a graph of 2^10 ids as an edge list");
  rmat.callback([given, powers] { write_edges(*given, [&] { return rmat_graph(*powers); }); });

  command rgg = generate.add_command("rgg",
                                     "Random geometric graph: points in a square, with an edge between any "
                                     "two that are near each other; the same for a seed, "
                                     "whatever the number of threads");
  auto square = std::make_shared<graph::rgg_parameters>();
  add_rgg_options(rgg, *square);
  add_output_options(rgg, *given);
  rgg.example("--vertices 1000 --output edges.txt", "Join those of 1000 points that are near each other");
  rgg.callback([given, square] { write_edges(*given, [&] { return rgg_graph(*square); }); });
}

}  // namespace perdure::cli
