#include "graph_options.hpp"

#include <cstdint>
#include <limits>
#include <string>

namespace perdure::cli {

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

void add_format_option(command target, graph::edge_list_format& format) {
  target.add_choice("--format", format,
                    {{"text", graph::edge_list_format::text}, {"binary", graph::edge_list_format::binary}},
                    "text: two ids a line; binary: pairs of little-endian 64-bit numbers. "
                    "By default binary for names in .bin (and .bin.gz), else text");
}

}  // namespace perdure::cli
