// perdure graph generate rmat: writes a synthetic graph as an edge list.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <perdure/error.hpp>
#include <perdure/graph/graph_file.hpp>
#include <perdure/graph/rmat.hpp>
#include <perdure/workload/byte_stream.hpp>
#include <perdure/workload/parallel.hpp>
#include <vector>

#include "command.hpp"
#include "graph_options.hpp"
#include "progress.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct generate_options {
  graph::rmat_parameters parameters;
  std::filesystem::path file;
  graph::graph_format format = graph::graph_format::automatic;
  unsigned threads = 1;
  bool as_json = false;
};

graph::graph_format format_of(const generate_options& given) {
  if (given.format != graph::graph_format::automatic) return given.format;
  return given.file.extension() == ".bin" ? graph::graph_format::binary : graph::graph_format::edge_list;
}

void write_edges(const generate_options& given) {
  if (workload::uncompressed_name(given.file) != given.file)
    throw usage_error("-o " + given.file.string() +
                      ": output is not compressed; pipe '-o -' through gzip, zstd or xz instead");
  const graph::rmat_generator generator(given.parameters);
  const graph::graph_format format = format_of(given);
  const bool to_standard_output = given.file == "-";
  if (to_standard_output && given.as_json)
    throw usage_error("--json and -o - would both write to standard output: give -o a file");
  output out = output::to(given.file);
  const stopwatch watch;
  std::atomic<std::uint64_t> done{0};
  {
    const progress_line progress("generate", [&] {
      return workload::progress{done.load(), generator.edges(), "edges"};
    });
    // Threads make consecutive pieces, which are then written in their order.
    constexpr std::uint64_t piece = std::uint64_t{1} << 16;
    std::vector<std::string> pieces(given.threads);
    while (done < generator.edges()) {
      const std::uint64_t begin = done;
      workload::run_threads(given.threads, [&](unsigned thread) {
        const std::uint64_t first = std::min(begin + thread * piece, generator.edges());
        const std::uint64_t last = std::min(first + piece, generator.edges());
        std::vector<graph::edge> edges(last - first);
        generator.generate(first, last, edges.data());
        pieces[thread].clear();
        graph::append_edges(pieces[thread], edges, format);
      });
      for (const std::string& text : pieces) out.write(text);
      done = std::min(begin + given.threads * piece, generator.edges());
    }
  }
  out.finish();
  const double seconds = watch.seconds();
  if (to_standard_output) return;
  if (given.as_json) {
    print(
        {{"file", given.file.string()},
         {"format", format == graph::graph_format::binary ? "binary" : "text"},
         {"scale", given.parameters.scale},
         {"edge_factor", given.parameters.edge_factor},
         {"seed", given.parameters.seed},
         {"vertices", std::uint64_t{1} << given.parameters.scale},
         {"edges", generator.edges()},
         {"bytes", std::filesystem::is_regular_file(given.file) ? std::filesystem::file_size(given.file) : 0},
         {"seconds", seconds}});
    return;
  }
  output report = output::standard();
  report.write("wrote " + grouped(generator.edges()) + " edges to " + given.file.string() + " in " +
               in_seconds(seconds) + " (" + per_second(static_cast<double>(generator.edges()) / seconds) +
               " edges/s)\n");
  report.finish();
}

}  // namespace

void add_generate_command(command graph_command) {
  command generate = graph_command.add_command("generate", "Write a synthetic graph as an edge list");
  generate.require_command();
  auto given = std::make_shared<generate_options>();
  add_json_option(generate, given->as_json);
  command rmat = generate.add_command(
      "rmat", "R-MAT graph with Graph500's parameters; the same for a seed, whatever the number of threads");
  rmat.add_number("--scale", 1, graph::rmat_generator::max_scale, "2^N vertex ids",
                  [given](std::uint64_t n) { given->parameters.scale = static_cast<unsigned>(n); })
      .required();
  add_rmat_options(rmat, given->parameters);
  rmat.add_path("-o,--output", given->file, "File to write; '-' is standard output").required();
  add_format_option(rmat, given->format);
  add_threads_option(rmat, given->threads);
  add_json_option(rmat, given->as_json);
  rmat.callback([given] { write_edges(*given); });
}

}  // namespace perdure::cli
