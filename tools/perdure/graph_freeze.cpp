// perdure graph freeze: keeps a CSR of the growing graph beside it.
#include <filesystem>
#include <memory>
#include <perdure/graph/growing_graph.hpp>
#include <perdure/progress.hpp>
#include <string>

#include "command.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct freeze_wanted {
  std::filesystem::path store;
  graph::freeze_options how;
  verify_mode verify = verify_mode::journal;
  bool as_json = false;
};

void freeze(const freeze_wanted& given) {
  const stopwatch watch;
  manager store(open_only, given.store, settings_for(given.verify));
  const graph::freeze_result made = graph::growing_graph::open(store).freeze(given.how);
  const double build_seconds = watch.seconds();
  begin_progress_stage("writing the checkpoint");
  store.close();
  if (given.as_json) {
    print({{"store", given.store.string()},
           {"graph", std::string(graph::default_graph_name) + graph::frozen_suffix},
           {"done", graph::name_of(made.done)},
           {"merged_edges", made.merged_edges},
           {"vertices", made.vertices},
           {"arcs", made.arcs},
           {"patch_arcs", made.patch_arcs},
           {"bytes", made.bytes},
           {"threads", given.how.threads},
           {"build_seconds", build_seconds},
           {"seconds", watch.seconds()}});
    return;
  }
  output out = output::standard();
  out.write("frozen         " + counted(made.vertices, "vertex", "vertices") + ", " +
            counted(made.arcs, "arc", "arcs") + ", " + in_bytes(made.bytes) + ": " +
            graph::name_of(made.done) + " in " + in_seconds(watch.seconds()) + "\n");
  if (made.patch_arcs != 0)
    out.write("in the patch   " + counted(made.patch_arcs, "arc", "arcs") + " of these\n");
  out.finish();
}

}  // namespace

void add_freeze_command(command graph_command) {
  auto given = std::make_shared<freeze_wanted>();
  command added = graph_command.add_command(
      "freeze",
      "Keep the graph of a store as a CSR too, which analyses use; what is added later goes into both");
  added.add_path("STORE", given->store, "The store's directory").required();
  added
      .add_choice("--order", given->how.order,
                  {{"id", graph::vertex_order::by_id}, {"degree", graph::vertex_order::by_degree}},
                  "Order of vertices: by id, or by falling number of neighbours, which makes searches of "
                  "skewed graphs "
                  "faster")
      .default_text("id");
  added.add_flag("--rebuild", given->how.rebuild, "Make it anew, also where it is up to date");
  added.add_flag(
      "--whole", given->how.whole,
      "Leave nothing in a patch beside the CSR: merge all into it, for programs that read it alone");
  add_threads_option(added, given->how.threads);
  add_verify_option(added, given->verify);
  add_wait_option(added);
  add_json_option(added, given->as_json);
  added.example("web.store", "Make analyses of a growing graph fast");
  added.callback([given] { freeze(*given); });
}

}  // namespace perdure::cli
