// perdure graph build: makes a CSR of files, in a store; one larger than memory in steps that a killed build
// goes on from.
#include <filesystem>
#include <memory>
#include <perdure/graph/build_graph.hpp>
#include <string>
#include <vector>

#include "attached_graph.hpp"
#include "command.hpp"
#include "complaint.hpp"
#include "freed_memory.hpp"
#include "graph_files.hpp"
#include "graph_options.hpp"
#include "grown_store.hpp"
#include "interruption.hpp"
#include "type_names.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct build_wanted {
  std::filesystem::path store;
  graph_files input;
  graph::build_options how;
  verify_mode verify = verify_mode::journal;
  bool as_json = false;
};

class building {
 public:
  explicit building(const build_wanted& given) : given_(given), created_(!manager::exists(given.store)) {}

  void run() {
    const stopwatch watch;
    try {
      build();
    } catch (...) {
      const int signal = interruption_watch::signal();
      if (signal == 0) throw;
      throw interrupted(signal, "interrupted: " + (is_kept_ ? "the same command goes on with the build in " +
                                                                  given_.store.string()
                                                            : "nothing is left of the build"));
    }
    report(watch.seconds());
  }

 private:
  void build() {
    graph::deferred_names names;
    std::vector<graph::graph_input> inputs =
        given_.input.open(interruption_, given_.how.with_names ? &names : nullptr);
    graph::build_options how = given_.how;
    how.watch = progress_of("build");
    how.on_checkpoint = [this] {
      is_kept_ = true;
      stop_if_interrupted();
    };
    // Half for the pages of the store, half for arcs that are sorted.
    manager store(open_or_create, given_.store, settings_for(given_.verify, how.budget / 2));
    for (const object_info& object : store.named_objects())
      is_kept_ |= !how.anew && object.name() == how.graph + graph::build_suffix;
    try {
      made_ = graph::build_graph(store, inputs, how, &names);
      const graph::stored_csr& csr = *made_.graph;
      findings_ = {{"vertices", csr.vertices()},
                   {"edges", csr.edges()},
                   {"arcs", csr.arcs()},
                   {"undirected", csr.undirected()},
                   {"attributes", made_.attributes},
                   {"edge_attributes", made_.edge_attributes},
                   {"files", what_was_read(inputs)}};
      summary_ = summary_of(csr.vertices(), csr.edges(), csr.undirected());
      tell_ignored_columns(inputs);
      if (made_.lacks_times)
        remark("perdure", printable_name(given_.how.graph) +
                              ": not kept: times of edges ('perdure graph ingest' keeps them)");
    } catch (...) {
      store.discard();
      if (created_ && !is_kept_) manager::remove(given_.store);
      throw;
    }
    store.close();
  }

  void report(double seconds) const {
    if (given_.as_json) {
      json value{{"store", given_.store.string()},
                 {"graph", given_.how.graph},
                 {"resumed", made_.resumed},
                 {"was_built", made_.was_built}};
      value.update(findings_);
      value.update({{"skipped_lines", made_.skipped_lines},
                    {"budget", given_.how.budget},
                    {"threads", given_.how.threads},
                    {"seconds", seconds}});
      tell_grown_store(value, given_.store, made_.checkpoints);
      print(value);
      return;
    }
    output out = output::standard();
    if (made_.resumed) out.write("resumed        a build that was interrupted\n");
    if (made_.was_built) {
      out.write("built before   " + summary_ + ", of the same files: nothing was done\n");
      out.finish();
      return;
    }
    out.write("built          " + summary_ + " in " + in_seconds(seconds) + " (" +
              counted(given_.how.threads, "thread", "threads") + ")\n");
    write_names(out, "of vertices: ", made_.attributes);
    write_names(out, "of edges:    ", made_.edge_attributes);
    tell_grown_store(out, given_.store);
    out.finish();
  }

  static void write_names(output& out, const std::string& of, const std::vector<std::string>& all) {
    if (all.empty()) return;
    std::string names;
    for (const std::string& name : all) names += (names.empty() ? "" : ", ") + printable_name(name);
    out.write("attributes     " + of + names + "\n");
  }

  const build_wanted& given_;
  bool created_;
  bool is_kept_ = false;  // a checkpoint has the build under way
  interruption_watch interruption_;
  graph::build_result made_;
  json findings_;
  std::string summary_;
};

}  // namespace

void add_build_command(command graph_command) {
  auto given = std::make_shared<build_wanted>();
  command build = graph_command.add_command(
      "build",
      "Make a graph that does not grow (a CSR) of files, in a store; also one that is larger than memory");
  build.add_path("STORE", given->store, "The store's directory").required();
  build.add_paths("FILE", given->input.files,
                  "Graphs, as 'perdure graph ingest' reads them; '-' is standard input");
  build.add_text("--graph", given->how.graph, "The graph's name in the store (default graph)");
  build.add_size(
      "--budget", given->how.budget,
      "Take no more memory than about this, as 1GiB: arcs are sorted in runs, which are in the store. What "
      "was done when it is killed is kept, and the same command goes on from there");
  build.add_flag("--names", given->how.with_names, "Vertices have names, which are kept");
  build.add_flag("--attributes", given->how.with_attributes,
                 "Keep what the files say of vertices and edges as properties, which 'perdure graph "
                 "properties' lists; until the end they are in memory, also with --budget");
  build.add_flag("--anew", given->how.anew, "Begin anew where a build is under way");
  add_direction_options(build, given->input);
  build.add_flag("--drop-loops", given->how.drop_loops, "Leave edges from a vertex to itself out");
  build.add_flag("--drop-duplicates", given->how.drop_duplicates,
                 "Of several edges keep the one with the smallest weight");
  build
      .add_choice(
          "--order", given->how.order,
          {{"id", graph::vertex_order::by_id}, {"degree", graph::vertex_order::by_degree}},
          "Order of vertices: by id, or by falling number of neighbours, which with --budget takes a second "
          "build of the same size")
      .default_text("id");
  add_file_options(build, given->input.reading);
  add_generated_options(build, given->input);
  add_threads_option(build, given->how.threads);
  add_verify_option(build, given->verify);
  add_wait_option(build);
  add_json_option(build, given->as_json);
  build.example("web.store edges.txt.gz --undirected --budget 1GiB",
                "Make a graph that is larger than memory");
  build.callback([given] {
    given->input.require_some("build from");
    given->how.kind = given->input.kind();
    given->input.reading.keep_attributes = given->how.with_attributes;
    if (given->how.budget != 0) return_freed_memory();
    building(*given).run();
  });
}

}  // namespace perdure::cli
