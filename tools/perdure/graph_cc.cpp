// perdure graph cc: connected components.
#include <filesystem>
#include <memory>
#include <perdure/graph/connected_components.hpp>

#include "command.hpp"
#include "stored_graph.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct components_options {
  std::filesystem::path store;
  std::filesystem::path labels;
  unsigned threads = 1;
  verify_mode verify = verify_mode::journal;
  bool as_json = false;
};

void find_components(const components_options& given) {
  const attached_graph attached(given.store, given.verify);
  const stopwatch index_watch;
  const graph::vertex_index index(*attached.graph, given.threads);
  const double index_seconds = index_watch.seconds();
  const stopwatch watch;
  const graph::component_result result = graph::connected_components(index, given.threads);
  const double seconds = watch.seconds();

  if (!given.labels.empty()) {
    output out = output::to(given.labels);
    for (const graph::vertex_handle h : index.in_id_order()) {
      out.write(index.id(h));
      out.write(" ");
      out.write(result.labels[h]);
      out.write("\n");
    }
    out.finish();
    if (given.labels == "-") return;
  }
  if (given.as_json) {
    print({{"components", result.components},
           {"largest", result.largest},
           {"vertices", index.size()},
           {"threads", given.threads},
           {"attach_seconds", attached.seconds},
           {"index_seconds", index_seconds},
           {"seconds", seconds}});
    return;
  }
  output out = output::standard();
  out.write("re-attached    in " + in_seconds(attached.seconds) + "\n");
  out.write("components     " + grouped(result.components) +
            (index.symmetric() ? "" : " (weakly connected)") + " in " + in_seconds(index_seconds + seconds) +
            " (index " + in_seconds(index_seconds) + ", components " + in_seconds(seconds) + ", " +
            counted(given.threads, "thread", "threads") + ")\n");
  out.write("largest        " + grouped(result.largest) + " of " +
            counted(index.size(), "vertex", "vertices") + "\n");
  out.finish();
}

}  // namespace

void add_components_command(command graph_command) {
  auto given = std::make_shared<components_options>();
  command components = graph_command.add_command(
      "cc", "Connected components (of a directed graph, the weakly connected ones)");
  components.add_path("STORE", given->store, "The store's directory").required();
  components.add_path(
      "--labels", given->labels,
      "Write a line 'id label' for each vertex, sorted by id, the label being the smallest id of "
      "its component; '-' is standard output");
  add_threads_option(components, given->threads);
  add_verify_option(components, given->verify);
  add_json_option(components, given->as_json);
  components.callback([given] { find_components(*given); });
}

}  // namespace perdure::cli
