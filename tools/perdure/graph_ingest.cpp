// perdure graph ingest: adds edges to the graph in a store.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <perdure/graph/edge_list.hpp>
#include <perdure/graph/ingest.hpp>
#include <perdure/graph/rmat.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "command.hpp"
#include "graph_options.hpp"
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
  graph::edge_list_format format = graph::edge_list_format::automatic;
  bool undirected = false;
  bool skip_bad_lines = false;
  bool append = false;
  std::uint64_t checkpoint_every = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t capacity = store_options{}.capacity;
  verify_mode verify = verify_mode::journal;
  unsigned threads = 1;
  bool as_json = false;
};

/// Ends in the middle when a signal asks for it. What is thrown is not seen: who catches it asks for the
/// signal.
class interruptible_source final : public graph::edge_source {
 public:
  explicit interruptible_source(std::unique_ptr<graph::edge_source> source) : source_(std::move(source)) {}

  bool next(graph::edge_batch& batch) override {
    const bool more = source_->next(batch);
    if (interruption_watch::signal() != 0) throw std::runtime_error("interrupted");
    return more;
  }
  workload::progress progress() const noexcept override { return source_->progress(); }
  std::uint64_t skipped_lines() const noexcept override { return source_->skipped_lines(); }
  unsigned ignored_columns() const noexcept override { return source_->ignored_columns(); }

 private:
  std::unique_ptr<graph::edge_source> source_;
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
  struct input {
    std::string name;
    std::string fingerprint;  // empty of what is no regular file
    std::unique_ptr<graph::edge_source> edges;
  };

  // Opened before the store is made, so that a misspelt name leaves no empty store behind.
  std::vector<input> open_inputs() const {
    std::vector<input> inputs;
    inputs.reserve(given_.files.size() + 1);
    for (const auto& file : given_.files) {
      graph::edge_list_options options{given_.format, given_.skip_bad_lines};
      options.end_descriptor = interruption_.descriptor();
      inputs.push_back({file.filename(), fingerprint_of(file).value_or(""),
                        std::make_unique<interruptible_source>(graph::open_edge_list(file, options))});
    }
    if (given_.rmat_scale)
      inputs.push_back(
          {"R-MAT", "",
           std::make_unique<interruptible_source>(std::make_unique<graph::rmat_source>(given_.rmat))});
    return inputs;
  }

  void ingest() {
    const std::vector<input> inputs = open_inputs();
    store_options store_settings;
    store_settings.capacity = given_.capacity;
    store_settings.verify = given_.verify;
    manager store(open_or_create, given_.store, store_settings);
    try {
      stored_graph& g = graph_in(store);
      const std::uint64_t edges_before = g.edges();
      ingested_files files(store.attribute(graph_name, ingested_files::attribute).value_or(""));
      if (!given_.append) require_new(inputs, files);
      for (const input& one : inputs) {
        // A checkpoint on the way has part of its edges.
        note(store, files, one, false);
        ingest_source(store, g, *one.edges, one.name);
        note(store, files, one, true);
        skipped_lines_ += one.edges->skipped_lines();
        tell_ignored_columns(one);
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
  }

  static void note(manager& store, ingested_files& files, const input& one, bool whole) {
    if (one.fingerprint.empty()) return;
    files.set({one.fingerprint, one.name, whole});
    store.set_attribute(graph_name, ingested_files::attribute, files.text());
  }

  void require_new(const std::vector<input>& inputs, const ingested_files& before) const {
    ingested_files seen = before;
    for (const input& one : inputs) {
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

  void tell_ignored_columns(const input& one) {
    const unsigned columns = one.edges->ignored_columns();
    ignored_columns_ = std::max(ignored_columns_, columns);
    if (columns != 0)
      std::fprintf(stderr, "perdure: %s: %s ignored: the graph keeps no weights or times\n",
                   printable_name(one.name).c_str(),
                   columns == 1 ? "its third column is" : "columns from the third on are");
  }

  std::string what_is_left() const {
    const std::string name = given_.store.string();
    if (checkpoints_ != 0)
      return name + " keeps its graph as of the last checkpoint: epoch " + grouped(kept_epoch_) + ", " +
             counted(kept_edges_, "edge", "edges");
    return created_ ? name + " was not made" : name + " is as it was before";
  }

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
    const progress_line progress("ingest " + label, [&source] { return source.progress(); });
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
        kept_epoch_ = store.store().epoch();
        kept_edges_ = g.edges();
        announce(kept_epoch_, kept_edges_, seconds);
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
                 {"ignored_columns", ignored_columns_},
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
  ingest.add_paths(
      "FILE", given->files,
      "Edge lists: SNAP text or binary, plain or compressed (gzip, zstd, xz); '-' is standard input");
  ingest.add_flag("--undirected", given->undirected,
                  "Make an undirected graph: store each edge with both ends");
  ingest.add_flag("--skip-bad-lines", given->skip_bad_lines, "Leave malformed lines out and count them");
  ingest.add_flag("--append", given->append,
                  "Add the edges of files that the graph has already, in part or whole, once more. A file is "
                  "known by its bytes; the same edges in another form (compressed, binary, from standard "
                  "input) are added without being asked for");
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
