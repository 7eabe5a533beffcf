// Adds inputs to a graph one after the other, and notes which.
#include <memory>
#include <perdure/error.hpp>
#include <perdure/graph/ingest_files.hpp>
#include <perdure/progress.hpp>
#include <utility>

#include "elapsed.hpp"

namespace perdure::graph {
namespace {

/// Throws `already_exists` where one of the inputs is known, or two are the same.
void require_new(const manager& store, const std::vector<graph_input>& inputs, ingested_files seen) {
  for (const graph_input& one : inputs) {
    if (one.fingerprint.empty()) continue;
    if (const ingested_files::entry* const known = seen.find(one.fingerprint)) {
      const std::string as = known->name == one.name ? "" : ", as " + known->name;
      throw error(
          errc::already_exists,
          store.path().string() +
              (known->whole ? ": the graph has the edges of " + one.name + " already" + as +
                                  "; to add them once more give --append (in C++ file_ingest_options::again)"
                            : ": an ingestion of " + one.name + as +
                                  " did not come to its end, so the graph has some of its edges; "
                                  "make the graph anew, or give --append to add all of them (in C++ "
                                  "file_ingest_options::again)"));
    }
    seen.set({one.fingerprint, one.name, true});
  }
}

class file_ingest {
 public:
  file_ingest(manager& store, const file_ingest_options& options, growing_graph& graph, ingested_files files)
      : store_(store), options_(options), graph_(graph), files_(std::move(files)) {}

  void add(const graph_input& input) {
    std::shared_ptr<void> watched;
    if (options_.watch) watched = options_.watch(input.name, [&input] { return input.edges->progress(); });
    // A checkpoint on the way has part of the input's edges.
    note(input, false);
    add_edges(*input.edges);
    note(input, true);
    result_.skipped_lines += input.edges->skipped_lines();
  }
  const file_ingest_result& result() const noexcept { return result_; }

 private:
  void note(const graph_input& input, bool whole) {
    if (input.fingerprint.empty()) return;
    files_.set({input.fingerprint, input.name, whole});
    store_.set_attribute(options_.graph, ingested_files::attribute, files_.text());
  }

  void add_edges(edge_source& source) {
    for (;;) {
      const elapsed adding;
      const ingest_result added =
          graph_.add(source, {reading_threads(), options_.checkpoint_every - since_checkpoint_});
      result_.seconds += adding.seconds();
      result_.edges += added.edges;
      since_checkpoint_ += added.edges;
      if (since_checkpoint_ >= options_.checkpoint_every) checkpoint();
      if (added.exhausted) return;
    }
  }

  void checkpoint() {
    const elapsed making;
    begin_progress_stage("writing the checkpoint");
    store_.checkpoint();
    const double seconds = making.seconds();
    result_.checkpoint_seconds += seconds;
    ++result_.checkpoints;
    since_checkpoint_ = 0;
    if (options_.on_checkpoint)
      options_.on_checkpoint({store_.store().epoch(), graph_.list().edges(), seconds});
  }

  // The last of several edges is known where they come one after the other.
  unsigned reading_threads() const {
    return options_.duplicates == duplicate_edges::last ? 1 : options_.threads;
  }

  manager& store_;
  const file_ingest_options& options_;
  growing_graph& graph_;
  ingested_files files_;
  std::uint64_t since_checkpoint_ = 0;
  file_ingest_result result_;
};

}  // namespace

file_ingest_result ingest_files(manager& store, std::vector<graph_input>& inputs,
                                const file_ingest_options& options, deferred_names* names) {
  growth_options growth = growth_for(inputs);
  growth.kind = options.kind;
  // Without weights, the sum is how many there are.
  growth.with_weights |= options.duplicates == duplicate_edges::sum;
  growth.with_names = options.with_names;
  growth.threads = options.threads;
  growing_graph graph(store, options.graph, growth);
  if (names != nullptr) names->keep_in(graph.names());
  give_directions(inputs, graph.list().kind());
  const ingested_files before(recorded_files(store, options.graph));
  if (!options.again) require_new(store, inputs, before);
  file_ingest all(store, options, graph, before);
  for (const graph_input& one : inputs) all.add(one);
  try {
    begin_progress_stage("merging duplicates");
    graph.merge_duplicates(options.duplicates, options.threads);
  } catch (const error& failure) {
    throw error(failure.code(), store.path().string() + ": " + failure.what());
  }
  return all.result();
}

file_ingest_result ingest_files(manager& store, const std::vector<std::filesystem::path>& files,
                                const file_ingest_options& options, const graph_file_options& reading) {
  deferred_names names;
  graph_file_options how = reading;
  if (options.with_names) how.names = &names;
  std::vector<graph_input> inputs = open_graph_inputs(files, how);
  return ingest_files(store, inputs, options, &names);
}

}  // namespace perdure::graph
