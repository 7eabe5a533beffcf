// perdure graph kcore: in how dense a part of the graph each vertex is.
#include <limits>
#include <memory>
#include <optional>
#include <perdure/graph/core_numbers.hpp>

#include "command.hpp"
#include "graph_analysis.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct wanted_cores : analysis_options {
  std::optional<std::uint64_t> k;
};

void find_cores(const wanted_cores& given) {
  analysis run(given);
  run.on_graph([&](const auto& graph) {
    const graph::core_result found = run.timed([&] { return graph::core_numbers(graph, given.threads); });
    run.check([&] { return graph::verify_core_numbers(graph, found.cores); });
    const std::uint64_t largest = found.histogram.empty() ? 0 : found.histogram.size() - 1;
    const std::uint64_t k = given.k.value_or(largest);
    run.write_vertices(graph, {{"core"}}, [&](value_line& line, graph::vertex_handle v) {
      if (!given.k || found.cores[v] >= k) line(found.cores[v]);
    });
    std::uint64_t members = 0;
    json sizes = json::array();
    for (std::size_t i = 0; i < found.histogram.size(); ++i) {
      if (i >= k) members += found.histogram[i];
      if (found.histogram[i] != 0) sizes.push_back({{"core", i}, {"vertices", found.histogram[i]}});
    }
    run.report({{"max_core", largest}, {"k", k}, {"core_vertices", members}, {"cores", sizes}},
               [&](output& out) {
                 out.write("largest core   " + grouped(largest) + " " + run.times("cores") + "\n");
                 out.write("in the " + grouped(k) + "-core  " + grouped(members) + " of " +
                           counted(run.vertices(), "vertex", "vertices") + "\n");
               });
  });
}

}  // namespace

void add_core_command(command graph_command) {
  auto given = std::make_shared<wanted_cores>();
  command cores = add_analysis_command(graph_command, "kcore",
                                       "K-cores: parts in which every vertex has k neighbours or more",
                                       "id, and the largest k of a core that the vertex is in", *given);
  cores.add_number("--k", 0, std::numeric_limits<std::uint32_t>::max(),
                   "Tell of the k-core; by default of that with the largest k",
                   [given](std::uint64_t k) { given->k = k; });
  cores.example("web.store", "Find the cores of a graph");
  cores.callback([given] { find_cores(*given); });
}

}  // namespace perdure::cli
