// perdure graph ingest: adds edges to the graph in a store.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <perdure/graph/graph_file.hpp>
#include <perdure/graph/ingest.hpp>
#include <perdure/graph/rmat.hpp>
#include <utility>
#include <vector>

#include "command.hpp"
#include "graph_inputs.hpp"
#include "graph_options.hpp"
#include "growing_graph.hpp"
#include "grown_store.hpp"
#include "ingested_files.hpp"
#include "interruption.hpp"
#include "progress.hpp"
#include "stored_graph.hpp"
#include "type_names.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct ingestion_wanted {
  std::filesystem::path store;
  std::vector<std::filesystem::path> files;
  std::optional<unsigned> rmat_scale;
  graph::rmat_parameters rmat;
  graph::graph_file_options reading;
  graph::duplicate_edges duplicates = graph::duplicate_edges::keep;
  bool has_names = false;
  bool directed = false;
  bool undirected = false;
  bool append = false;
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
    try {
      ingest();
    } catch (...) {
      const int signal = interruption_watch::signal();
      if (signal == 0) throw;
      throw interrupted(signal, "interrupted: " + what_is_left());
    }
    report();
  }

 private:
  // Opened before the store is made, so that a misspelt name leaves no empty store behind.
  std::vector<graph_input> open_all() {
    graph::graph_file_options reading = given_.reading;
    if (given_.has_names) reading.names = &names_;
    std::vector<graph_input> inputs = open_inputs(given_.files, reading, interruption_);
    if (given_.rmat_scale)
      inputs.push_back({"R-MAT", "", {}, interruptible(std::make_unique<graph::rmat_source>(given_.rmat))});
    return inputs;
  }

  void ingest() {
    std::vector<graph_input> inputs = open_all();
    growth_wanted wanted = growth_of(inputs);
    if (given_.undirected) wanted.asked = graph::direction::undirected;
    if (given_.directed) wanted.asked = graph::direction::directed;
    // Without weights, the sum is how many there are.
    wanted.has_weights |= given_.duplicates == graph::duplicate_edges::sum;
    wanted.has_names = given_.has_names;
    wanted.threads = given_.threads;
    store_options store_settings;
    store_settings.capacity = given_.capacity;
    store_settings.verify = given_.verify;
    manager store(open_or_create, given_.store, store_settings);
    try {
      growing_graph g(store, given_.store, wanted);
      names_.keep_in(g.names);
      give_directions(inputs, g.list->kind());
      const std::uint64_t edges_before = g.list->edges();
      ingested_files files(store.attribute(graph_name, ingested_files::attribute).value_or(""));
      if (!given_.append) require_new(inputs, files);
      for (const graph_input& one : inputs) {
        // A checkpoint on the way has part of its edges.
        note(store, files, one, false);
        ingest_source(store, g, *one.edges, one.name);
        note(store, files, one, true);
        skipped_lines_ += one.edges->skipped_lines();
        ignored_columns_ = std::max(ignored_columns_, one.edges->ignored_columns());
        tell_ignored_columns(one);
        read_.push_back(what_was_read(one));
      }
      added_ = g.list->edges() - edges_before;
      merge(g);
      g.settle(given_.threads);
      vertices_ = g.list->vertices();
      edges_ = g.list->edges();
      undirected_ = g.list->undirected();
      is_weighted_ = g.columns.weights != nullptr;
      is_timed_ = g.columns.times != nullptr;
      summary_ = summary_of(*g.list);
    } catch (...) {
      give_up(store);
      throw;
    }
    const stopwatch watch;
    store.close();
    close_seconds_ = watch.seconds();
  }

  void merge(growing_graph& g) const {
    try {
      g.merge_duplicates(given_.duplicates, given_.threads);
    } catch (const error& failure) {
      throw error(failure.code(), given_.store.string() + ": " + failure.what());
    }
  }

  static void note(manager& store, ingested_files& files, const graph_input& one, bool whole) {
    if (one.fingerprint.empty()) return;
    files.set({one.fingerprint, one.name, whole});
    store.set_attribute(graph_name, ingested_files::attribute, files.text());
  }

  void require_new(const std::vector<graph_input>& inputs, const ingested_files& before) const {
    ingested_files seen = before;
    for (const graph_input& one : inputs) {
      if (one.fingerprint.empty()) continue;
      if (const ingested_files::entry* const known = seen.find(one.fingerprint)) {
        const std::string as = known->name == one.name ? "" : ", as " + known->name;
        throw error(
            errc::already_exists,
            given_.store.string() +
                (known->whole ? ": the graph has the edges of " + one.name + " already" + as +
                                    "; give --append to add them once more"
                              : ": an ingestion of " + one.name + as +
                                    " did not come to its end, so the graph has some of its edges; make "
                                    "the graph anew, or give --append to add all of them"));
      }
      seen.set({one.fingerprint, one.name, true});
    }
  }

  std::string what_is_left() const {
    const std::string name = given_.store.string();
    if (checkpoints_ != 0)
      return name + " keeps its graph as of the last checkpoint: epoch " + grouped(kept_epoch_) + ", " +
             counted(kept_edges_, "edge", "edges");
    return created_ ? name + " was not made" : name + " is as it was before";
  }

  void ingest_source(manager& store, growing_graph& g, graph::edge_source& source, const std::string& label) {
    const progress_line progress("ingest " + label, [&source] { return source.progress(); });
    for (;;) {
      const stopwatch watch;
      const graph::ingest_result r =
          g.add(source, {reading_threads(), given_.checkpoint_every - since_checkpoint_});
      ingest_seconds_ += watch.seconds();
      since_checkpoint_ += r.edges;
      if (since_checkpoint_ >= given_.checkpoint_every) {
        const stopwatch checkpoint_watch;
        g.settle(given_.threads);
        store.checkpoint();
        const double seconds = checkpoint_watch.seconds();
        checkpoint_seconds_ += seconds;
        ++checkpoints_;
        kept_epoch_ = store.store().epoch();
        kept_edges_ = g.list->edges();
        announce(kept_epoch_, kept_edges_, seconds);
        since_checkpoint_ = 0;
      }
      if (r.exhausted) return;
    }
  }

  // The last of several edges is known where they come one after the other.
  unsigned reading_threads() const {
    return given_.duplicates == graph::duplicate_edges::last ? 1 : given_.threads;
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
    if (given_.as_json) {
      json value{{"store", given_.store.string()},
                 {"created", created_},
                 {"edges", added_},
                 {"ingest_seconds", ingest_seconds_},
                 {"edges_per_second", static_cast<double>(added_) / std::max(ingest_seconds_, 1e-9)},
                 {"threads", given_.threads},
                 {"skipped_lines", skipped_lines_},
                 {"ignored_columns", ignored_columns_},
                 {"files", read_},
                 {"weighted", is_weighted_},
                 {"timed", is_timed_},
                 {"checkpoint_seconds", checkpoint_seconds_},
                 {"close_seconds", close_seconds_},
                 {"undirected", undirected_},
                 {"graph_vertices", vertices_},
                 {"graph_edges", edges_}};
      tell_grown_store(value, given_.store, checkpoints_);
      print(value);
      return;
    }
    output out = output::standard();
    out.write("ingested       " + counted(added_, "edge", "edges") + " in " + in_seconds(ingest_seconds_) +
              " (" + per_second(static_cast<double>(added_) / std::max(ingest_seconds_, 1e-9)) +
              " edges/s, " + counted(given_.threads, "thread", "threads") + ")\n");
    for (const json& one : read_)
      if (!one["description"].get<std::string>().empty())
        out.write("read           " + printable_name(one["file"].get<std::string>()) + ": " +
                  one["description"].get<std::string>() + "\n");
    if (given_.reading.skip_bad_lines)
      out.write("skipped        " + counted(skipped_lines_, "malformed line", "malformed lines") + "\n");
    if (checkpoints_ != 0)
      out.write("checkpoints    " + grouped(checkpoints_) + " on the way, " +
                in_seconds(checkpoint_seconds_) + "\n");
    out.write("durable close  " + in_seconds(close_seconds_) + "\n");
    out.write("graph          " + summary_ + "\n");
    tell_grown_store(out, given_.store);
    out.finish();
  }

  const ingestion_wanted& given_;
  bool created_;
  interruption_watch interruption_;
  std::uint64_t kept_epoch_ = 0;
  std::uint64_t kept_edges_ = 0;
  unsigned ignored_columns_ = 0;
  std::uint64_t since_checkpoint_ = 0;
  std::uint64_t checkpoints_ = 0;
  std::uint64_t skipped_lines_ = 0;
  std::uint64_t added_ = 0;
  std::uint64_t vertices_ = 0;
  std::uint64_t edges_ = 0;
  bool undirected_ = false;
  bool is_weighted_ = false;
  bool is_timed_ = false;
  late_names names_;
  json read_ = json::array();
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
                   "Graphs: edge lists, CSV, Matrix Market, METIS, DIMACS, GAPBS, Graph500, plain or "
                   "compressed (gzip, zstd, xz); "
                   "'-' is standard input");
  ingest.add_flag(
      "--undirected", given->undirected,
      "Make an undirected graph: store each edge with both ends. By default as the files say, else directed");
  ingest.add_flag("--directed", given->directed,
                  "Make a directed graph: of edges without a direction both arcs");
  ingest.add_flag("--names", given->has_names, "Vertices have names, which are kept");
  add_duplicates_option(ingest, given->duplicates);
  ingest.add_flag("--append", given->append,
                  "Add the edges of files that the graph has already, in part or whole, once more. A file is "
                  "known by its bytes; the same edges in another form (compressed, binary, from standard "
                  "input) are added without being asked for");
  add_file_options(ingest, given->reading);
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
    if (given->directed && given->undirected)
      throw usage_error("--directed and --undirected exclude each other");
    if (constexpr std::uint64_t unit = std::uint64_t{1} << 30;
        given->capacity == 0 || given->capacity % unit != 0)
      throw usage_error(
          "--capacity is address space, which is reserved in whole GiB and takes no disk: give " +
          std::to_string(given->capacity / unit + 1) + "GiB, not " + in_bytes(given->capacity));
    given->rmat.scale = given->rmat_scale.value_or(1);
    ingestion(*given).run();
  });
}

}  // namespace perdure::cli
