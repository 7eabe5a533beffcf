// Orders edges by their times, and adds a bucket after the other.
#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <perdure/container/flat_set.hpp>
#include <perdure/error.hpp>
#include <perdure/graph/append_by_time.hpp>
#include <perdure/graph/vertex_hash.hpp>
#include <perdure/progress.hpp>
#include <span>
#include <utility>

#include "elapsed.hpp"

namespace perdure::graph {
namespace {

std::string in_words(std::uint64_t edges) {
  return std::to_string(edges) + (edges == 1 ? " edge" : " edges");
}

}  // namespace

time_append::time_append(std::vector<graph_input>& inputs, const time_buckets& buckets,
                         const time_append_options& options, const manager* store)
    : buckets_(buckets), options_(options), growth_(growth_for(inputs)) {
  growth_.kind = options.kind;
  growth_.with_names = options.names != nullptr;
  growth_.threads = options.threads;
  for (const graph_input& one : inputs) inputs_.push_back({one.name, one.fingerprint});
  find_where_it_stopped(store);
  if (was_complete_) return;
  for (std::size_t i = 0; i < inputs.size(); ++i) read(inputs[i], i);
  const auto earlier = [](const timed_edge& a, const timed_edge& b) { return a.bucket < b.bucket; };
  if (!std::is_sorted(edges_.begin(), edges_.end(), earlier))
    std::stable_sort(edges_.begin(), edges_.end(), earlier);
}

// Where an earlier call was killed between two buckets, this one leaves out what the graph has.
void time_append::find_where_it_stopped(const manager* store) {
  so_far_.assign(inputs_.size(), {-std::numeric_limits<double>::infinity(), 0});
  if (store == nullptr) return;
  recorded_ = recorded_files(*store, options_.graph);
  if (options_.again) return;
  const ingested_files files(recorded_);
  const auto known_of = [&files](const known_input& one) {
    return one.fingerprint.empty() ? nullptr : files.find(one.fingerprint);
  };
  was_complete_ =
      !inputs_.empty() && std::all_of(inputs_.begin(), inputs_.end(), [&](const known_input& one) {
        const ingested_files::entry* const known = known_of(one);
        return known != nullptr && known->whole;
      });
  if (was_complete_) return;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const known_input& one = inputs_[i];
    const ingested_files::entry* const known = known_of(one);
    if (known == nullptr) continue;
    if (!known->so_far)
      throw error(errc::already_exists,
                  store->path().string() +
                      (known->whole ? ": the graph has the edges of " + one.name + " already"
                                    : ": an earlier command did not come to the end of " + one.name +
                                          ", so the graph has some of its edges") +
                      "; to add them once more give --again (in C++ time_append_options::again)");
    so_far_[i] = *known->so_far;
  }
}

void time_append::read(graph_input& input, std::size_t number) {
  if (!input.info.has_times)
    throw error(errc::invalid_argument, input.name +
                                            ": no column has times; say which with --time-column (in C++ "
                                            "graph_file_options::time_column)");
  std::shared_ptr<void> watched;
  if (options_.watch) watched = options_.watch(input.name, [&input] { return input.edges->progress(); });
  const ingested_files::part& known = so_far_[number];
  edge_batch batch;
  std::uint64_t already = 0;
  perdure::flat_set<vertex_id, vertex_hash, std::equal_to<vertex_id>, std::allocator<vertex_id>>
      without_edges;
  while (input.edges->next(batch)) {
    without_edges.insert(batch.vertices.begin(), batch.vertices.end());
    if (!without_edges.empty())
      for (const edge& e : batch.edges)
        for (const vertex_id v : {e.source, e.target}) without_edges.erase(v);
    for (std::size_t i = 0; i < batch.edges.size(); ++i) {
      if (batch.times[i] <= known.until) {
        ++already;
        continue;
      }
      edges_.push_back({batch.edges[i], batch.values.empty() ? weight_of_edges_without : batch.values[i],
                        batch.times[i], buckets_.of(batch.times[i]), number});
    }
  }
  if (!without_edges.empty())
    throw error(errc::invalid_argument, input.name + " has vertices without edges (" +
                                            std::to_string(without_edges.size()) +
                                            "), which have no time: ingest it instead");
  if (already != known.edges)
    throw error(errc::invalid_argument,
                input.name + ": an earlier command added " + in_words(known.edges) +
                    " of this file up to a time, and read so " + std::to_string(already) +
                    " are up to it; give the columns and options that it had, so that this one can go on");
  already_ += already;
}

appended_bucket time_append::add_next(manager& store) {
  const elapsed watch;
  begin_progress_round("bucket");
  std::size_t end = next_;
  while (end < edges_.size() && edges_[end].bucket == edges_[next_].bucket) ++end;
  const std::span<const timed_edge> added = std::span<const timed_edge>(edges_).subspan(next_, end - next_);
  const std::string name = buckets_.name(added.front().bucket);

  growing_graph graph(store, options_.graph, growth_);
  const std::vector<ingested_files::part> with_these = counting(added);
  std::string recorded = note(store, with_these, end == edges_.size());
  std::vector<edge> ends;
  std::vector<double> weights;
  std::vector<double> times;
  for (const timed_edge& one : added) {
    // The inputs' names have numbers of their own.
    ends.push_back(options_.names == nullptr
                       ? one.ends
                       : edge{graph.names()->add(options_.names->name(one.ends.source)),
                              graph.names()->add(options_.names->name(one.ends.target))});
    if (growth_.with_weights) weights.push_back(one.weight);
    times.push_back(one.time);
  }
  graph.add(ends, weights, times, options_.threads);
  const double appended = watch.seconds();
  store.checkpoint(name);
  so_far_ = with_these;
  recorded_ = std::move(recorded);
  next_ = end;
  return {name, added.size(), store.store().epoch(), appended, watch.seconds() - appended};
}

std::vector<ingested_files::part> time_append::counting(std::span<const timed_edge> edges) const {
  std::vector<ingested_files::part> parts = so_far_;
  for (const timed_edge& one : edges) {
    ingested_files::part& part = parts[one.input];
    part.until = std::max(part.until, one.time);
    ++part.edges;
  }
  return parts;
}

std::string time_append::note(manager& store, const std::vector<ingested_files::part>& parts,
                              bool is_last) const {
  const std::string recorded = recorded_files(store, options_.graph);
  if (recorded != recorded_)
    throw error(errc::conflict,
                store.path().string() + ": another command has added edges since this one began; try again");
  ingested_files files(recorded);
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const known_input& one = inputs_[i];
    if (one.fingerprint.empty()) continue;
    files.set({one.fingerprint, one.name, is_last,
               is_last ? std::nullopt : std::optional<ingested_files::part>(parts[i])});
  }
  std::string text = files.text();
  store.set_attribute(options_.graph, ingested_files::attribute, text);
  return text;
}

std::vector<appended_bucket> append_by_time(manager& store, const std::vector<std::filesystem::path>& files,
                                            const time_buckets& buckets, time_append_options options,
                                            const graph_file_options& reading, bool with_names) {
  memory_names names;
  names_to_number<memory_names> namer(names);
  graph_file_options how = reading;
  if (with_names) how.names = &namer;
  options.names = with_names ? &names : nullptr;
  std::vector<graph_input> inputs = open_graph_inputs(files, how);
  time_append all(inputs, buckets, options, &store);
  std::vector<appended_bucket> done;
  while (!all.done()) done.push_back(all.add_next(store));
  return done;
}

}  // namespace perdure::graph
