#include "graph_options.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace perdure::cli {
namespace {

constexpr std::array<std::pair<const char*, backing>, 4> named_backings{{{"private", backing::private_memory},
                                                                         {"paged", backing::paged},
                                                                         {"dax", backing::dax},
                                                                         {"shared", backing::shared_file}}};

}  // namespace

void add_scale_option(command target, graph::rmat_parameters& parameters) {
  target
      .add_number("--scale", 1, graph::rmat_generator::max_scale, "2^N vertex ids",
                  [&parameters](std::uint64_t n) { parameters.scale = static_cast<unsigned>(n); })
      .required();
}

void add_rmat_options(command target, graph::rmat_parameters& parameters) {
  target
      .add_number("--edge-factor", 1, std::uint64_t{1} << 32, "Edges per vertex id",
                  [&parameters](std::uint64_t n) { parameters.edge_factor = n; })
      .default_text(std::to_string(parameters.edge_factor));
  target
      .add_number("--seed", 0, std::numeric_limits<std::uint64_t>::max(), "Seed of the random numbers",
                  [&parameters](std::uint64_t n) { parameters.seed = n; })
      .default_text(std::to_string(parameters.seed));
}

void add_rgg_options(command target, graph::rgg_parameters& parameters) {
  target
      .add_number("--vertices", 1, graph::rgg_generator::max_vertices, "Number of points",
                  [&parameters](std::uint64_t n) { parameters.vertices = n; })
      .required();
  target.add_real("--degree", 0, 1e12, parameters.degree,
                  "Mean number of neighbours of a point; 0: as many as make the graph connected, or nearly");
  target.add_number("--seed", parameters.seed, "Seed of the random numbers");
  target.add_flag("--scramble", parameters.scramble, "Number the points at random, instead of by place");
}

void add_louvain_options(command target, graph::louvain_options& how, std::string& from) {
  target.add_real("--resolution", 0, 1e6, how.resolution,
                  "More than 1 makes more and smaller communities, less fewer and larger ones");
  target.add_real("--tolerance", 0, 1, how.tolerance,
                  "End when going through all levels makes modularity no larger than by this");
  target
      .add_number("--starts", 1, 1'000'000, "Begin so many times in another order, and keep the best answer",
                  [&how](std::uint64_t n) { how.starts = static_cast<unsigned>(n); })
      .default_text("as many as take little time, up to 10");
  target
      .add_number("--max-levels", 0, std::numeric_limits<unsigned>::max(),
                  "Make graphs of communities so often at most",
                  [&how](std::uint64_t n) { how.max_levels = static_cast<unsigned>(n); })
      .default_text("as many as help");
  target.add_flag("--first-phase", how.first_phase_only,
                  "End when vertices have moved for the first time, for comparison with programs that do");
  target.add_text(
      "--from", from,
      "Begin with the communities that --store-as has kept as an array of this name, by the ids of "
      "vertices: faster where the graph has a few more edges than then");
}

void require_one_beginning(const graph::louvain_options& how, const std::string& from) {
  if (how.starts != 0 && !from.empty())
    throw usage_error(
        "--starts is about single vertices to begin with, and --from about communities: give one");
}

void add_pagerank_options(command target, graph::pagerank_options& how) {
  target.add_real("--damping", 0, 0.999999, how.damping, "How likely an arc is followed at each step");
  target.add_real("--tolerance", 0, 1, how.tolerance,
                  "End when all ranks together change by no more than this");
  target
      .add_number("--iterations", 1, std::numeric_limits<unsigned>::max(), "End after so many at the latest",
                  [&how](std::uint64_t n) { how.iterations = static_cast<unsigned>(n); })
      .default_text(std::to_string(how.iterations));
}

void add_format_option(command target, graph::graph_format& format) {
  target.add_choice("--format", format,
                    {{"text", graph::graph_format::edge_list}, {"binary", graph::graph_format::binary}},
                    "text: two ids a line; binary: pairs of little-endian 64-bit numbers. "
                    "By default binary for names in .bin (also .bin.gz, .bin.zst, .bin.xz), else text");
}

void add_file_options(command target, graph::graph_file_options& options) {
  using graph::graph_format;
  std::vector<std::pair<std::string, graph_format>> formats;
  for (const graph_format format :
       {graph_format::automatic, graph_format::edge_list, graph_format::csv, graph_format::matrix_market,
        graph_format::metis, graph_format::dimacs, graph_format::gapbs, graph_format::binary,
        graph_format::graph500, graph_format::graphml, graph_format::gexf, graph_format::gml,
        graph_format::pajek})
    formats.emplace_back(graph::name_of(format), format);
  target
      .add_choice(
          "--format", options.format, formats,
          "Format of the files: text is an edge list without a header, binary pairs of little-endian 64-bit "
          "numbers. By default recognised by content (binary: by a name in .bin)")
      .default_text("auto");
  target
      .add_choice(
          "--header", options.header,
          {{"auto", graph::header_line::automatic},
           {"yes", graph::header_line::yes},
           {"no", graph::header_line::no}},
          "Whether the first line of a list of edges names the columns. By itself only what can be meant by "
          "nothing else; a line that may be either is refused")
      .default_text("auto");
  target.add_text(
      "--source-column", options.source_column,
      "Of edge lists and CSV files, the column that an edge begins at: a number from 1, or its name");
  target.add_text("--target-column", options.target_column, "The column that it leads to");
  target.add_text(
      "--weight-column", options.weight_column,
      "The column of weights, or none. By default the third one of an edge list, if it has numbers, and the "
      "one that a header calls weight");
  target.add_text(
      "--time-column", options.time_column,
      "The column of times: numbers, or dates as 2016-03-01T12:00:05. By default the one that a header calls "
      "time");
  target
      .add_choice("--complex", options.part,
                  {{"modulus", graph::complex_part::modulus},
                   {"real", graph::complex_part::real},
                   {"imaginary", graph::complex_part::imaginary}},
                  "Which part of a complex matrix's entries are weights")
      .default_text("modulus");
  target.add_number("--max-vertices", 1, std::numeric_limits<std::uint32_t>::max(),
                    "Refuse headers that declare more vertices. By default a million, and 16 for each edge",
                    [&options](std::uint64_t n) { options.max_vertices = n; });
  target.add_flag("--skip-bad-lines", options.skip_bad_lines, "Leave malformed lines out and count them");
}

void add_duplicates_option(command target, graph::duplicate_edges& how) {
  target
      .add_choice("--duplicates", how,
                  {{"keep", graph::duplicate_edges::keep},
                   {"sum", graph::duplicate_edges::sum},
                   {"last", graph::duplicate_edges::last},
                   {"error", graph::duplicate_edges::error}},
                  "What becomes of edges that are there several times: each is kept, or one with the sum of "
                  "their weights "
                  "(without weights, their number), or the last one; or they are an error")
      .default_text("keep");
}

void add_graph_options(command target, std::string& graph, std::uint64_t& budget) {
  target.add_text("--graph", graph, "The graph's name in the store, where there are several");
  target.add_size(
      "--budget", budget,
      "Have no more than this of the store in memory at once, as 4GiB; for graphs larger than memory");
}

const char* name_of(backing mapped) noexcept {
  for (const auto& [name, one] : named_backings)
    if (one == mapped) return name;
  return "unknown";
}

void add_backing_option(command target, backing& mapped) {
  target
      .add_choice(
          "--backing", mapped, {named_backings.begin(), named_backings.end()},
          "How the store is mapped: privately, with changed pages written at the checkpoint; page by page "
          "within --budget; as persistent memory; or shared, where a crash may leave any mixture of old "
          "and new pages")
      .default_text(name_of(mapped));
}

}  // namespace perdure::cli
