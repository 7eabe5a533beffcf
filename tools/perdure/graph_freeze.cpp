// perdure graph freeze: keeps a CSR of the growing graph beside it.
#include <filesystem>
#include <memory>
#include <perdure/error.hpp>
#include <string>
#include <string_view>

#include "command.hpp"
#include "frozen_graph.hpp"
#include "stored_graph.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct freeze_options {
  std::filesystem::path store;
  graph::vertex_order order = graph::vertex_order::by_id;
  bool rebuild = false;
  bool whole = false;
  unsigned threads = 1;
  verify_mode verify = verify_mode::journal;
  bool as_json = false;
};

void freeze(const freeze_options& given) {
  const stopwatch watch;
  store_options settings;
  settings.verify = given.verify;
  manager store(open_only, given.store, settings);
  const std::string name = graph_name;
  stored_graph* const list = store.find<stored_graph>(name).first;
  if (list == nullptr)
    throw error(errc::not_found, given.store.string() +
                                     ": the store holds no graph that grows; make one with "
                                     "'perdure graph ingest'");
  const stored_column* const weights = store.find<stored_column>(name + weights_suffix).first;
  frozen_graph frozen = frozen_graph::find_or_make(store, name);
  const std::uint64_t delta_edges = frozen.delta().edges().size();
  const bool is_empty = frozen.delta().empty();
  const char* done = "kept";
  if (frozen.is_new() || given.rebuild || !frozen.is_fresh(*list, weights)) {
    const graph::vertex_index index(*list, given.threads, weights);
    frozen.build(index, given.order, given.threads);
    done = "built";
  } else if (given.whole ? !(is_empty && frozen.patch().empty()) : frozen.has_much()) {
    frozen.merge(given.threads);
    done = "merged";
  } else if (!is_empty) {
    frozen.fold();
    done = "patched";
  }
  frozen.set_state(*list);
  const std::uint64_t vertices = frozen.vertices();
  const std::uint64_t arcs = frozen.arcs();
  const std::uint64_t patch_arcs = frozen.patch().arcs();
  const std::uint64_t bytes = frozen.csr().bytes();
  const bool was_added = std::string_view(done) == "merged" || std::string_view(done) == "patched";
  const double build_seconds = watch.seconds();
  store.close();
  if (given.as_json) {
    print({{"store", given.store.string()},
           {"graph", name + frozen_suffix},
           {"done", done},
           {"merged_edges", was_added ? delta_edges : 0},
           {"vertices", vertices},
           {"arcs", arcs},
           {"patch_arcs", patch_arcs},
           {"bytes", bytes},
           {"threads", given.threads},
           {"build_seconds", build_seconds},
           {"seconds", watch.seconds()}});
    return;
  }
  output out = output::standard();
  out.write("frozen         " + counted(vertices, "vertex", "vertices") + ", " +
            counted(arcs, "arc", "arcs") + ", " + in_bytes(bytes) + ": " + done + " in " +
            in_seconds(watch.seconds()) + "\n");
  if (patch_arcs != 0) out.write("in the patch   " + counted(patch_arcs, "arc", "arcs") + " of these\n");
  out.finish();
}

}  // namespace

void add_freeze_command(command graph_command) {
  auto given = std::make_shared<freeze_options>();
  command added = graph_command.add_command(
      "freeze",
      "Keep the graph of a store as a CSR too, which analyses use; what is added later goes into both");
  added.add_path("STORE", given->store, "The store's directory").required();
  added
      .add_choice("--order", given->order,
                  {{"id", graph::vertex_order::by_id}, {"degree", graph::vertex_order::by_degree}},
                  "Order of vertices: by id, or by falling number of neighbours, which makes searches of "
                  "skewed graphs "
                  "faster")
      .default_text("id");
  added.add_flag("--rebuild", given->rebuild, "Make it anew, also where it is up to date");
  added.add_flag(
      "--whole", given->whole,
      "Leave nothing in a patch beside the CSR: merge all into it, for programs that read it alone");
  add_threads_option(added, given->threads);
  add_verify_option(added, given->verify);
  add_json_option(added, given->as_json);
  added.callback([given] { freeze(*given); });
}

}  // namespace perdure::cli
