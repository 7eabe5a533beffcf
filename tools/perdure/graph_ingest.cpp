// perdure graph ingest: adds edges to the graph in a store.
#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <perdure/graph/edge_list.hpp>
#include <perdure/graph/ingest.hpp>
#include <perdure/graph/rmat.hpp>
#include <vector>

#include "command.hpp"
#include "graph_options.hpp"
#include "progress.hpp"
#include "stored_graph.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct ingestion_wanted {
  std::filesystem::path store;
  std::vector<std::filesystem::path> files;
  std::optional<unsigned> rmat_scale;
  graph::rmat_parameters rmat;
  graph::edge_list_format format = graph::edge_list_format::automatic;
  bool undirected = false;
  bool skip_bad_lines = false;
  std::uint64_t checkpoint_every = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t capacity = store_options{}.capacity;
  verify_mode verify = verify_mode::journal;
  unsigned threads = 1;
  bool as_json = false;
};

class ingestion {
 public:
  explicit ingestion(const ingestion_wanted& given)
      : given_(given), created_(!manager::exists(given.store)) {}

  void run() {
    // Opened before the store is made, so that a misspelt name leaves no empty store behind.
    std::vector<std::unique_ptr<graph::edge_source>> sources;
    sources.reserve(given_.files.size() + 1);
    for (const auto& file : given_.files)
      sources.push_back(graph::open_edge_list(file, {given_.format, given_.skip_bad_lines}));
    if (given_.rmat_scale) sources.push_back(std::make_unique<graph::rmat_source>(given_.rmat));

    store_options store_settings;
    store_settings.capacity = given_.capacity;
    store_settings.verify = given_.verify;
    manager store(open_or_create, given_.store, store_settings);
    try {
      stored_graph& g = graph_in(store);
      const std::uint64_t edges_before = g.edges();
      for (std::size_t i = 0; i < sources.size(); ++i) {
        ingest_source(store, g, *sources[i], i < given_.files.size() ? given_.files[i].filename() : "R-MAT");
        skipped_lines_ += sources[i]->skipped_lines();
      }
      added_ = g.edges() - edges_before;
      vertices_ = g.vertices();
      edges_ = g.edges();
      undirected_ = g.undirected();
      summary_ = summary_of(g);
    } catch (...) {
      give_up(store);
      throw;
    }
    const stopwatch watch;
    store.close();
    close_seconds_ = watch.seconds();
    report();
  }

 private:
  stored_graph& graph_in(manager& store) {
    if (stored_graph* g = store.find<stored_graph>(graph_name).first) {
      if (given_.undirected && !g->undirected())
        throw error(errc::invalid_argument,
                    given_.store.string() +
                        ": the graph in the store is directed; --undirected is decided when "
                        "the graph is made");
      return *g;
    }
    return *store.construct<stored_graph>(graph_name)(
        given_.undirected ? graph::direction::undirected : graph::direction::directed,
        store.get_allocator<std::byte>());
  }

  void ingest_source(manager& store, stored_graph& g, graph::edge_source& source, const std::string& label) {
    const progress_line progress("ingest " + label, [&source] {
      const graph::source_progress p = source.progress();
      return progress_line::state{p.done, p.total, p.unit == "bytes" ? "bytes" : "edges"};
    });
    for (;;) {
      const stopwatch watch;
      const graph::ingest_result r =
          graph::ingest(g, source, {given_.threads, given_.checkpoint_every - since_checkpoint_});
      ingest_seconds_ += watch.seconds();
      since_checkpoint_ += r.edges;
      if (since_checkpoint_ >= given_.checkpoint_every) {
        const stopwatch checkpoint_watch;
        store.checkpoint();
        const double seconds = checkpoint_watch.seconds();
        checkpoint_seconds_ += seconds;
        ++checkpoints_;
        announce(store.store().epoch(), g.edges(), seconds);
        since_checkpoint_ = 0;
      }
      if (r.exhausted) return;
    }
  }

  // At once, so that whoever watches knows what is safe from now on.
  void announce(std::uint64_t epoch, std::uint64_t edges, double seconds) const {
    if (given_.as_json) return;
    output out = output::standard();
    out.write("checkpoint     epoch " + grouped(epoch) + ", " + counted(edges, "edge", "edges") + ", " +
              in_seconds(seconds) + "\n");
    out.finish();
  }

  // What was not checkpointed is dropped: half of an input is worth less than a store that is as it was.
  void give_up(manager& store) {
    store.discard();
    if (created_ && checkpoints_ == 0) manager::remove(given_.store);
  }

  void report() const {
    const store_info info = datastore::inspect(given_.store);
    if (given_.as_json) {
      json value{{"store", given_.store.string()},
                 {"created", created_},
                 {"edges", added_},
                 {"ingest_seconds", ingest_seconds_},
                 {"edges_per_second", static_cast<double>(added_) / std::max(ingest_seconds_, 1e-9)},
                 {"threads", given_.threads},
                 {"skipped_lines", skipped_lines_},
                 {"checkpoints", checkpoints_},
                 {"checkpoint_seconds", checkpoint_seconds_},
                 {"close_seconds", close_seconds_},
                 {"undirected", undirected_},
                 {"graph_vertices", vertices_},
                 {"graph_edges", edges_},
                 {"epoch", info.epoch},
                 {"disk_bytes", info.disk_bytes}};
      print(value);
      return;
    }
    output out = output::standard();
    out.write("ingested       " + counted(added_, "edge", "edges") + " in " + in_seconds(ingest_seconds_) +
              " (" + per_second(static_cast<double>(added_) / std::max(ingest_seconds_, 1e-9)) +
              " edges/s, " + counted(given_.threads, "thread", "threads") + ")\n");
    if (given_.skip_bad_lines)
      out.write("skipped        " + counted(skipped_lines_, "malformed line", "malformed lines") + "\n");
    if (checkpoints_ != 0)
      out.write("checkpoints    " + grouped(checkpoints_) + " on the way, " +
                in_seconds(checkpoint_seconds_) + "\n");
    out.write("durable close  " + in_seconds(close_seconds_) + "\n");
    out.write("graph          " + summary_ + "\n");
    out.write("store          " + given_.store.string() + ", epoch " + grouped(info.epoch) + ", " +
              in_bytes(info.disk_bytes) + " on disk\n");
    out.finish();
  }

  const ingestion_wanted& given_;
  bool created_;
  std::uint64_t since_checkpoint_ = 0;
  std::uint64_t checkpoints_ = 0;
  std::uint64_t skipped_lines_ = 0;
  std::uint64_t added_ = 0;
  std::uint64_t vertices_ = 0;
  std::uint64_t edges_ = 0;
  bool undirected_ = false;
  std::string summary_;
  double ingest_seconds_ = 0;
  double checkpoint_seconds_ = 0;
  double close_seconds_ = 0;
};

}  // namespace

void add_ingest_command(command graph_command) {
  auto given = std::make_shared<ingestion_wanted>();
  command ingest = graph_command.add_command(
      "ingest", "Add edges to the graph in a store; the store and the graph are made if they do not exist");
  ingest.add_path("STORE", given->store, "The store's directory").required();
  ingest.add_paths("FILE", given->files,
                   "Edge lists: SNAP text or binary, plain or gzip; '-' is standard input");
  ingest.add_flag("--undirected", given->undirected,
                  "Make an undirected graph: store each edge with both ends");
  ingest.add_flag("--skip-bad-lines", given->skip_bad_lines, "Leave malformed lines out and count them");
  add_format_option(ingest, given->format);
  ingest.add_number("--rmat-scale", 1, graph::rmat_generator::max_scale,
                    "Generate an R-MAT graph with 2^N vertex ids",
                    [given](std::uint64_t n) { given->rmat_scale = static_cast<unsigned>(n); });
  add_rmat_options(ingest, given->rmat);
  ingest.add_number("--checkpoint-every", 1, std::numeric_limits<std::uint64_t>::max(),
                    "Make the graph durable each time about N edges were added",
                    [given](std::uint64_t n) { given->checkpoint_every = n; });
  ingest.add_size("--capacity", given->capacity,
                  "Address space to reserve when the store is made, in whole GiB, as 64GiB (default 1TiB)");
  add_threads_option(ingest, given->threads);
  add_verify_option(ingest, given->verify);
  add_json_option(ingest, given->as_json);
  ingest.callback([given] {
    if (given->files.empty() && !given->rmat_scale)
      throw usage_error(
          "nothing to ingest: give edge lists or --rmat-scale (see 'perdure graph ingest --help')");
    if (given->capacity < std::uint64_t{1} << 30)
      throw usage_error(
          "--capacity is address space, which is reserved in whole GiB and takes no disk: give 1GiB or more");
    given->rmat.scale = given->rmat_scale.value_or(1);
    ingestion(*given).run();
  });
}

}  // namespace perdure::cli
