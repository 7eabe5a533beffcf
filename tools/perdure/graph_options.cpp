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
                    "By default binary for names in .bin (also .bin.gz, .bin.zst, .bin.xz), else text");
}

void add_graph_options(command target, std::string& graph, std::uint64_t& budget) {
  target.add_text("--graph", graph, "The graph's name in the store, where there are several");
  target.add_size(
      "--budget", budget,
      "Have no more than this of the store in memory at once, as 4GiB; for graphs larger than memory");
}

store_options settings_for(verify_mode verify, std::uint64_t budget) {
  store_options settings;
  settings.verify = verify;
  if (budget != 0) {
    settings.backing = backing::paged;
    settings.memory_budget = budget;
  }
  return settings;
}

}  // namespace perdure::cli
