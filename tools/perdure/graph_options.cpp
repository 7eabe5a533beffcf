#include "graph_options.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <string>

#include "command.hpp"

namespace perdure::cli {

void add_rmat_options(CLI::App& command, graph::rmat_parameters& parameters) {
  add_number_option(command, "--edge-factor", 1, std::uint64_t{1} << 32, "Edges per vertex id",
                    [&parameters](std::uint64_t n) { parameters.edge_factor = n; })
      ->default_str(std::to_string(parameters.edge_factor));
  add_number_option(command, "--seed", 0, std::numeric_limits<std::uint64_t>::max(),
                    "Seed of the random numbers", [&parameters](std::uint64_t n) { parameters.seed = n; })
      ->default_str(std::to_string(parameters.seed));
}

void add_format_option(CLI::App& command, graph::edge_list_format& format) {
  static const std::map<std::string, graph::edge_list_format> formats{
      {"text", graph::edge_list_format::text}, {"binary", graph::edge_list_format::binary}};
  command
      .add_option("--format", format,
                  "text: two ids a line; binary: pairs of little-endian 64-bit numbers. "
                  "By default binary for names in .bin (and .bin.gz), else text")
      ->transform(CLI::CheckedTransformer(formats))
      ->type_name("text|binary");
}

}  // namespace perdure::cli
