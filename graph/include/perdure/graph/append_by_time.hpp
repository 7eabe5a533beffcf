// Adds edges with times to a graph in a store, bucket by bucket, with a checkpoint for each bucket.
//
//     perdure::store_options options;
//     options.keep_last = 12;                             // the last twelve months can be opened again
//     perdure::manager store(perdure::open_or_create, "calls.store", options);
//     graph::append_by_time(store, {"calls.csv"}, graph::time_buckets::months());
//
// `time_append` is the same in steps, for programs that open the store anew for each bucket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <perdure/graph/graph_inputs.hpp>
#include <perdure/graph/growing_graph.hpp>
#include <perdure/graph/ingested_files.hpp>
#include <perdure/graph/time_buckets.hpp>
#include <perdure/manager.hpp>
#include <span>
#include <string>
#include <vector>

namespace perdure::graph {

/// Options of `time_append` and `append_by_time`.
struct time_append_options {
  std::string graph = default_graph_name;  ///< name of the graph
  /// The direction of the graph, like `growth_options::kind`. A new graph takes the direction of the inputs.
  std::optional<direction> kind = {};
  bool again = false;    ///< adds files again whose edges the graph already has
  unsigned threads = 1;  ///< threads that add edges
  /// The names whose numbers the inputs' ids are. Null: vertices have no names. The names must outlive the
  /// `time_append`.
  const memory_names* names = nullptr;
  reading_watch watch = {};  ///< called before each input is read
};

/// A bucket whose edges were added.
struct appended_bucket {
  std::string name;               ///< name of the bucket, which is also the label of its checkpoint
  std::uint64_t edges = 0;        ///< edges that were added
  std::uint64_t epoch = 0;        ///< epoch of the checkpoint
  double append_seconds = 0;      ///< time to add the edges
  double checkpoint_seconds = 0;  ///< time to make them durable
};

/// Edges that wait to be added, ordered by bucket. All of them are in ordinary memory.
///
/// Each checkpoint records up to which time the graph has the edges of each file. After a crash, the same
/// call continues behind the last bucket whose checkpoint was made. Files are recognised by their content.
/// Pipes are not recognised: their edges are added again.
///
/// Thread safety: like a standard container.
class time_append {
 public:
  /// Reads the edges of all inputs, and leaves out those that the graph in the store already has. `store` is
  /// null where there is no store yet. Throws
  /// - `invalid_argument` for an input without times or with vertices that have no edges, and where the edges
  ///   that an earlier call added are not found again because other columns were given;
  /// - `already_exists` where the graph has some edges of an input and does not record which, and where it
  ///   has the whole of one input but not of another;
  /// - `bad_input` for a time that has no bucket;
  /// - what reading throws.
  time_append(std::vector<graph_input>& inputs, const time_buckets& buckets,
              const time_append_options& options, const manager* store);

  /// Returns whether all buckets were added.
  bool done() const noexcept { return next_ == edges_.size(); }
  /// Returns whether there was nothing to do: the graph already had all edges of all inputs, by their
  /// fingerprints.
  bool was_complete() const noexcept { return was_complete_; }
  /// Returns the number of edges that were read and not left out.
  std::uint64_t edges() const noexcept { return edges_.size(); }
  /// Returns the number of edges that were left out.
  std::uint64_t already_there() const noexcept { return already_; }
  /// @cond
  bool was_complete_ = false;
  /// @endcond

  /// Adds the edges of the next bucket and makes a checkpoint, with the bucket's name as its label. At least
  /// one bucket must be left (`done`). Throws `conflict` where other files were added since, and what adding
  /// and the checkpoint throw. After an exception call `discard` of the store; the bucket is then still the
  /// next one.
  appended_bucket add_next(manager& store);

 private:
  struct timed_edge {
    edge ends;
    double weight;
    double time;
    std::int64_t bucket;
    std::size_t input;
  };
  struct known_input {
    std::string name;
    std::string fingerprint;
  };

  void find_where_it_stopped(const manager* store);
  void read(graph_input& input, std::size_t number);
  /// Returns what the graph has of each input when it has these edges too.
  std::vector<ingested_files::part> counting(std::span<const timed_edge> edges) const;
  /// Records which files the graph has, and how far. Returns the attribute's value.
  std::string note(manager& store, const std::vector<ingested_files::part>& parts, bool is_last) const;

  time_buckets buckets_;
  time_append_options options_;
  growth_options growth_;
  std::vector<known_input> inputs_;
  std::vector<timed_edge> edges_;
  std::size_t next_ = 0;
  std::vector<ingested_files::part> so_far_;  // of each input
  std::string recorded_;                      // the attribute's value in the store
  std::uint64_t already_ = 0;
};

/// Opens the files and adds all their buckets to an open store. With `with_names` vertices have names;
/// `options.names` is ignored. Returns the buckets that were added, in the order of time. Throws what
/// `time_append` and opening the files throw.
std::vector<appended_bucket> append_by_time(manager& store, const std::vector<std::filesystem::path>& files,
                                            const time_buckets& buckets, time_append_options options = {},
                                            const graph_file_options& reading = {}, bool with_names = false);

}  // namespace perdure::graph
