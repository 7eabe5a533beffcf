// perdure graph ingest: adds edges to the graph in a store.
#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <perdure/graph/ingest_files.hpp>
#include <perdure/graph/stored_graph.hpp>
#include <string>
#include <vector>

#include "attached_graph.hpp"
#include "command.hpp"
#include "graph_files.hpp"
#include "graph_options.hpp"
#include "grown_store.hpp"
#include "interruption.hpp"
#include "type_names.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct ingestion_wanted {
  std::filesystem::path store;
  graph_files input;
  graph::file_ingest_options how;
  std::uint64_t capacity = store_options{}.capacity;
  verify_mode verify = verify_mode::journal;
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
  void ingest() {
    // Opened before the store is made, so that a misspelt name leaves no empty store behind.
    graph::deferred_names names;
    std::vector<graph::graph_input> inputs =
        given_.input.open(interruption_, given_.how.with_names ? &names : nullptr);
    // Edges that are drawn at random may be added again.
    if (given_.input.rmat_scale) inputs.back().fingerprint.clear();
    graph::file_ingest_options how = given_.how;
    how.watch = progress_of("ingest");
    how.on_checkpoint = [this](const graph::ingest_checkpoint& made) { announce(made); };
    store_options settings = settings_for(given_.verify);
    settings.capacity = given_.capacity;
    manager store(open_or_create, given_.store, settings);
    try {
      result_ = graph::ingest_files(store, inputs, how, &names);
      read_ = what_was_read(inputs);
      ignored_columns_ = tell_ignored_columns(inputs);
      const graph::stored_graph made(store, how.graph);
      graph_ = {{"weighted", made.has_weights()},
                {"timed", made.times() != nullptr},
                {"undirected", made.undirected()},
                {"graph_vertices", made.vertices()},
                {"graph_edges", made.edges()}};
      summary_ = summary_of(made.vertices(), made.edges(), made.undirected());
    } catch (...) {
      // Half of an input is worth less than a store that is as it was.
      store.discard();
      if (created_ && kept_.epoch == 0) manager::remove(given_.store);
      throw;
    }
    const stopwatch watch;
    store.close();
    close_seconds_ = watch.seconds();
  }

  std::string what_is_left() const {
    const std::string name = given_.store.string();
    if (kept_.epoch != 0)
      return name + " keeps its graph as of the last checkpoint: epoch " + grouped(kept_.epoch) + ", " +
             counted(kept_.edges, "edge", "edges");
    return created_ ? name + " was not made" : name + " is as it was before";
  }

  // Printed at once, so that whoever watches knows what is safe from now on.
  void announce(const graph::ingest_checkpoint& made) {
    kept_ = made;
    if (given_.as_json) return;
    output out = output::standard();
    out.write("checkpoint     epoch " + grouped(made.epoch) + ", " + counted(made.edges, "edge", "edges") +
              ", " + in_seconds(made.seconds) + "\n");
    out.finish();
  }

  void report() const {
    const double rate = static_cast<double>(result_.edges) / std::max(result_.seconds, 1e-9);
    if (given_.as_json) {
      json value{{"store", given_.store.string()},
                 {"created", created_},
                 {"edges", result_.edges},
                 {"ingest_seconds", result_.seconds},
                 {"edges_per_second", rate},
                 {"threads", given_.how.threads},
                 {"skipped_lines", result_.skipped_lines},
                 {"ignored_columns", ignored_columns_},
                 {"files", read_},
                 {"checkpoint_seconds", result_.checkpoint_seconds},
                 {"close_seconds", close_seconds_}};
      value.update(graph_);
      tell_grown_store(value, given_.store, result_.checkpoints);
      print(value);
      return;
    }
    output out = output::standard();
    out.write("ingested       " + counted(result_.edges, "edge", "edges") + " in " +
              in_seconds(result_.seconds) + " (" + per_second(rate) + " edges/s, " +
              counted(given_.how.threads, "thread", "threads") + ")\n");
    for (const json& one : read_)
      if (!one["description"].get<std::string>().empty())
        out.write("read           " + printable_name(one["file"].get<std::string>()) + ": " +
                  one["description"].get<std::string>() + "\n");
    if (given_.input.reading.skip_bad_lines)
      out.write("skipped        " + counted(result_.skipped_lines, "malformed line", "malformed lines") +
                "\n");
    if (result_.checkpoints != 0)
      out.write("checkpoints    " + grouped(result_.checkpoints) + " on the way, " +
                in_seconds(result_.checkpoint_seconds) + "\n");
    out.write("durable close  " + in_seconds(close_seconds_) + "\n");
    out.write("graph          " + summary_ + "\n");
    tell_grown_store(out, given_.store);
    out.finish();
  }

  const ingestion_wanted& given_;
  bool created_;
  interruption_watch interruption_;
  graph::ingest_checkpoint kept_;
  graph::file_ingest_result result_;
  unsigned ignored_columns_ = 0;
  json read_;
  json graph_;
  std::string summary_;
  double close_seconds_ = 0;
};

}  // namespace

void add_ingest_command(command graph_command) {
  auto given = std::make_shared<ingestion_wanted>();
  command ingest = graph_command.add_command(
      "ingest", "Add edges to the graph in a store; the store and the graph are made if they do not exist");
  ingest.add_path("STORE", given->store, "The store's directory").required();
  ingest.add_paths("FILE", given->input.files,
                   "Graphs: edge lists, CSV, Matrix Market, METIS, DIMACS, GAPBS, Graph500, plain or "
                   "compressed (gzip, zstd, xz, bzip2); "
                   "'-' is standard input");
  add_direction_options(ingest, given->input);
  ingest.add_flag("--names", given->how.with_names, "Vertices have names, which are kept");
  add_duplicates_option(ingest, given->how.duplicates);
  ingest.add_flag("--append", given->how.again,
                  "Add the edges of files that the graph has already, in part or whole, once more. A file is "
                  "known by its bytes; the same edges in another form (compressed, binary, from standard "
                  "input) are added without being asked for");
  add_file_options(ingest, given->input.reading);
  add_generated_options(ingest, given->input);
  ingest.add_number("--checkpoint-every", 1, std::numeric_limits<std::uint64_t>::max(),
                    "Make the graph durable each time about N edges were added",
                    [given](std::uint64_t n) { given->how.checkpoint_every = n; });
  ingest.add_size(
      "--capacity", given->capacity,
      "What the blocks in the store may take, if it is made now, as 64GiB (default 1TiB); takes no disk");
  add_threads_option(ingest, given->how.threads);
  add_verify_option(ingest, given->verify);
  add_wait_option(ingest);
  add_json_option(ingest, given->as_json);
  ingest.example("web.store edges.txt.gz --undirected", "Make a graph of an edge list");
  ingest.example("follows.store follows.csv --names --source-column from --target-column to",
                 "Read columns of a CSV file, with names as vertices");
  ingest.callback([given] {
    given->input.require_some("ingest");
    given->how.kind = given->input.kind();
    if (constexpr std::uint64_t least = std::uint64_t{64} << 10; given->capacity < least)
      throw usage_error("--capacity is at least 64KiB, not " + in_bytes(given->capacity));
    ingestion(*given).run();
  });
}

}  // namespace perdure::cli
