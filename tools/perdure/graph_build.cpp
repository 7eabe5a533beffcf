// perdure graph build: makes a CSR of files, in a store; one larger than memory in steps that a killed build
// goes on from.
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <perdure/error.hpp>
#include <perdure/graph/build_csr.hpp>
#include <perdure/graph/external_build.hpp>
#include <perdure/graph/rmat.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "command.hpp"
#include "graph_inputs.hpp"
#include "graph_options.hpp"
#include "grown_store.hpp"
#include "interruption.hpp"
#include "progress.hpp"
#include "stored_graph.hpp"
#include "type_names.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

constexpr const char* build_suffix = ".build";
constexpr const char* inputs_attribute = "inputs";

struct build_wanted {
  std::filesystem::path store;
  std::vector<std::filesystem::path> files;
  std::optional<unsigned> rmat_scale;
  graph::rmat_parameters rmat;
  graph::graph_file_options reading;
  graph::csr_options csr;
  std::string name;
  bool directed = false;
  bool undirected = false;
  bool anew = false;
  std::uint64_t budget = 0;  // 0: the arcs are sorted in memory
  unsigned threads = 1;
  verify_mode verify = verify_mode::journal;
  bool as_json = false;
};

/// The batches of all inputs, one after the other.
class joined_source final : public graph::edge_source {
 public:
  explicit joined_source(std::vector<graph_input>& inputs) : inputs_(inputs) {}

  bool next(graph::edge_batch& batch) override {
    // A thread that finds the end of one input goes on with the next, while others may still draw from the
    // first.
    for (std::size_t at = at_.load(); at < inputs_.size(); at = at_.load()) {
      if (inputs_[at].edges->next(batch)) return true;
      at_.compare_exchange_strong(at, at + 1);
    }
    return false;
  }
  workload::progress progress() const noexcept override {
    const std::size_t at = at_.load();
    return at < inputs_.size() ? inputs_[at].edges->progress() : workload::progress{};
  }
  /// From the first to the last of all that are declared: files count from 0 or from 1, so none is in
  /// between.
  graph::id_range declared_vertices() const noexcept override {
    graph::id_range all;
    for (const graph_input& one : inputs_) {
      const graph::id_range more = one.edges->declared_vertices();
      if (more.count == 0) continue;
      if (all.count == 0) all = more;
      const graph::vertex_id last = std::max(all.first + (all.count - 1), more.first + (more.count - 1));
      all.first = std::min(all.first, more.first);
      all.count = last - all.first + 1;
    }
    return all;
  }

 private:
  std::vector<graph_input>& inputs_;
  std::atomic<std::size_t> at_{0};
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
      throw interrupted(signal, "interrupted: " + (checkpoints_ == 0 && !resumed_
                                                       ? "nothing is left of the build"
                                                       : "the same command goes on with the build in " +
                                                             given_.store.string()));
    }
    report(watch.seconds());
  }

 private:
  std::vector<graph_input> open_all() {
    std::vector<graph_input> inputs = open_inputs(given_.files, given_.reading, interruption_);
    if (given_.rmat_scale)
      inputs.push_back({"R-MAT",
                        "rmat " + std::to_string(given_.rmat.scale) + " " +
                            std::to_string(given_.rmat.edge_factor) + " " + std::to_string(given_.rmat.seed),
                        {},
                        interruptible(std::make_unique<graph::rmat_source>(given_.rmat))});
    return inputs;
  }

  void build() {
    std::vector<graph_input> inputs = open_all();
    const growth_wanted says = growth_of(inputs);
    graph::csr_options options = given_.csr;
    options.kind = given_.undirected ? graph::direction::undirected
                   : given_.directed ? graph::direction::directed
                                     : says.files_say.value_or(graph::direction::directed);
    options.with_incoming = true;
    options.with_weights = says.has_weights;
    options.threads = given_.threads;
    give_directions(inputs, options.kind);
    // Half for the pages of the store, half for arcs that are sorted.
    manager store(open_or_create, given_.store, settings_for(given_.verify, given_.budget / 2));
    try {
      for (const object_info& object : store.named_objects())
        if (object.name() == given_.name)
          throw error(errc::already_exists, given_.store.string() + ": the store has something named \"" +
                                                printable_name(given_.name) +
                                                "\" already; give the graph another name with --graph");
      if (given_.anew) store.destroy<graph::stored_csr_build>(build_name().c_str());
      joined_source edges(inputs);
      {
        const progress_line progress("build " + given_.name, [&edges] { return edges.progress(); });
        if (given_.budget == 0) {
          build_at_once(store, edges, options);
        } else {
          build_in_steps(store, inputs, edges, options);
        }
      }
      const auto& made = *store.find<graph::stored_csr>(given_.name.c_str()).first;
      summary_ = summary_of(made);
      vertices_ = made.vertices();
      edges_ = made.edges();
      arcs_ = made.arcs();
      undirected_ = made.undirected();
      for (const graph_input& one : inputs) {
        read_.push_back(what_was_read(one));
        tell_ignored_columns(one);
        skipped_lines_ += one.edges->skipped_lines();
      }
    } catch (...) {
      store.discard();
      if (created_ && checkpoints_ == 0) manager::remove(given_.store);
      throw;
    }
    store.close();
  }

  void build_at_once(manager& store, graph::edge_source& edges, const graph::csr_options& options) const {
    graph::build_csr(*store.construct<graph::stored_csr>(given_.name.c_str())(), edges, options);
  }

  void build_in_steps(manager& store, const std::vector<graph_input>& inputs, graph::edge_source& edges,
                      const graph::csr_options& options) {
    const std::string name = build_name();
    graph::stored_csr_build* build = store.find<graph::stored_csr_build>(name.c_str()).first;
    std::string all;
    for (const graph_input& one : inputs) {
      if (build != nullptr && one.fingerprint.empty())
        throw error(errc::invalid_argument,
                    given_.store.string() + ": " + one.name +
                        " cannot be read a second time, as going on with the build needs; "
                        "give --anew to begin it anew");
      all += one.fingerprint + "\n";
    }
    resumed_ = build != nullptr;
    if (build == nullptr) {
      build = store.construct<graph::stored_csr_build>(name.c_str())();
      store.set_attribute(name.c_str(), inputs_attribute, all);
    } else if (store.attribute(name.c_str(), inputs_attribute) != all) {
      throw error(errc::invalid_argument,
                  given_.store.string() +
                      ": a build of other files is under way; give those to go on with it, or "
                      "--anew to begin anew");
    }
    build->run(edges, options, {.memory = given_.budget / 2, .checkpoint = [&] {
                                  store.checkpoint();
                                  ++checkpoints_;
                                  if (interruption_watch::signal() != 0)
                                    throw std::runtime_error("interrupted");
                                }});
    build->give_to(*store.construct<graph::stored_csr>(given_.name.c_str())());
    store.destroy<graph::stored_csr_build>(name.c_str());
  }

  std::string build_name() const { return given_.name + build_suffix; }

  void report(double seconds) const {
    if (given_.as_json) {
      json value{{"store", given_.store.string()},
                 {"graph", given_.name},
                 {"resumed", resumed_},
                 {"vertices", vertices_},
                 {"edges", edges_},
                 {"arcs", arcs_},
                 {"undirected", undirected_},
                 {"files", read_},
                 {"skipped_lines", skipped_lines_},
                 {"budget", given_.budget},
                 {"threads", given_.threads},
                 {"seconds", seconds}};
      tell_grown_store(value, given_.store, checkpoints_);
      print(value);
      return;
    }
    output out = output::standard();
    if (resumed_) out.write("resumed        a build that was interrupted\n");
    out.write("built          " + summary_ + " in " + in_seconds(seconds) + " (" +
              counted(given_.threads, "thread", "threads") + ")\n");
    tell_grown_store(out, given_.store);
    out.finish();
  }

  const build_wanted& given_;
  bool created_;
  interruption_watch interruption_;
  bool resumed_ = false;
  bool undirected_ = false;
  std::uint64_t checkpoints_ = 0;
  std::uint64_t vertices_ = 0;
  std::uint64_t edges_ = 0;
  std::uint64_t arcs_ = 0;
  std::uint64_t skipped_lines_ = 0;
  json read_ = json::array();
  std::string summary_;
};

}  // namespace

void add_build_command(command graph_command) {
  auto given = std::make_shared<build_wanted>();
  command build = graph_command.add_command(
      "build",
      "Make a graph that does not grow (a CSR) of files, in a store; also one that is larger than memory");
  build.add_path("STORE", given->store, "The store's directory").required();
  build.add_paths("FILE", given->files,
                  "Graphs, as 'perdure graph ingest' reads them; '-' is standard input");
  build.add_text("--graph", given->name, "The graph's name in the store (default graph)");
  build.add_size(
      "--budget", given->budget,
      "Take no more memory than about this, as 1GiB: arcs are sorted in runs, which are in the store. What "
      "was done when it is killed is kept, and the same command goes on from there");
  build.add_flag("--anew", given->anew, "Begin anew where a build is under way");
  build.add_flag("--undirected", given->undirected,
                 "Make an undirected graph. By default as the files say, else directed");
  build.add_flag("--directed", given->directed, "Make a directed graph");
  build.add_flag("--drop-loops", given->csr.drop_loops, "Leave edges from a vertex to itself out");
  build.add_flag("--drop-duplicates", given->csr.drop_duplicates,
                 "Of several edges keep the one with the smallest weight");
  build
      .add_choice("--order", given->csr.order,
                  {{"id", graph::vertex_order::by_id}, {"degree", graph::vertex_order::by_degree}},
                  "Order of vertices: by id, or by falling number of neighbours; with --budget by id")
      .default_text("id");
  add_file_options(build, given->reading);
  build.add_number("--rmat-scale", 1, graph::rmat_generator::max_scale,
                   "Generate an R-MAT graph with 2^N vertex ids",
                   [given](std::uint64_t n) { given->rmat_scale = static_cast<unsigned>(n); });
  add_rmat_options(build, given->rmat);
  add_threads_option(build, given->threads);
  add_verify_option(build, given->verify);
  add_json_option(build, given->as_json);
  build.callback([given] {
    if (given->files.empty() && !given->rmat_scale)
      throw usage_error("nothing to build from: give files or --rmat-scale");
    if (given->directed && given->undirected)
      throw usage_error("--directed and --undirected exclude each other");
    // What one step has given back is to be had for the next, not kept by malloc, which else raises this
    // limit.
    if (given->budget != 0) ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
    if (given->budget != 0 && given->csr.order == graph::vertex_order::by_degree)
      throw usage_error("--order degree needs memory for all arcs: it cannot be had with --budget");
    if (given->name.empty()) given->name = graph_name;
    given->rmat.scale = given->rmat_scale.value_or(1);
    building(*given).run();
  });
}

}  // namespace perdure::cli
