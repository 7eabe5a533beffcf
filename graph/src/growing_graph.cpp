// Adds edges to the list, the columns and the frozen form of a graph, in one state.
#include <perdure/error.hpp>
#include <perdure/graph/growing_graph.hpp>
#include <perdure/progress.hpp>
#include <utility>

#include "base/invariant.hpp"

namespace perdure::graph {
namespace {

[[noreturn]] void throw_at(const manager& store, errc code, const std::string& what) {
  throw error(code, store.path().string() + ": " + what);
}

/// The list of this name, or null. A column is made when the first input has numbers for it.
stored_list* find_list(manager& store, const std::string& name) {
  if (store.read_only())
    throw_at(store, errc::read_only,
             "the store is open for reading only; open it for writing to change the graph \"" + name + '"');
  try {
    return store.find<stored_list>(name).first;
  } catch (const error& failure) {
    if (failure.code() != errc::wrong_type) throw;
    for (const object_info& object : store.named_objects())
      if (object.name() == name && object.is_type<stored_csr>())
        throw_at(store, errc::wrong_type,
                 "the graph \"" + name +
                     "\" is a CSR, which does not grow; add edges under another name, or "
                     "build it anew");
    throw;
  }
}

const char* in_words(direction kind) {
  return kind == direction::undirected ? "undirected" : "directed";
}

stored_list* find_or_make(manager& store, const std::string& name, const growth_options& options) {
  if (stored_list* const found = find_list(store, name)) {
    if (options.kind && *options.kind != found->kind())
      throw_at(store, errc::invalid_argument,
               std::string("the graph in the store is ") + in_words(found->kind()) + ", and " +
                   in_words(*options.kind) +
                   " was asked for; the direction is decided when the graph is made");
    return found;
  }
  const direction kind = options.kind.value_or(options.kind_if_new);
  return store.construct<stored_list>(name)(kind, store.get_allocator<std::byte>());
}

/// Edges that were there before a column get what stands for none.
stored_column* find_or_make_column(manager& store, const stored_list& list, const std::string& name,
                                   bool is_wanted, double missing, unsigned threads) {
  if (stored_column* const column = store.find<stored_column>(name).first) return column;
  if (!is_wanted) return nullptr;
  auto* const made = store.construct<stored_column>(name)(missing, store.get_allocator<std::byte>());
  made->fill(list, threads);
  return made;
}

/// Edges from memory, with their numbers.
class column_source final : public edge_source {
 public:
  column_source(std::span<const edge> edges, std::span<const double> weights, std::span<const double> times)
      : edges_(edges), weights_(weights), times_(times) {}

  bool next(edge_batch& batch) override {
    batch.clear();
    const std::lock_guard lock(mutex_);
    const std::size_t count = std::min(std::size_t{1} << 14, edges_.size() - at_);
    const auto take = [&](const auto& from, auto& to) {
      if (from.empty()) return;
      const auto part = from.subspan(at_, count);
      to.assign(part.begin(), part.end());
    };
    take(edges_, batch.edges);
    take(weights_, batch.values);
    take(times_, batch.times);
    at_ += count;
    return count != 0;
  }
  workload::progress progress() const noexcept override { return {}; }

 private:
  std::mutex mutex_;
  std::span<const edge> edges_;
  std::span<const double> weights_;
  std::span<const double> times_;
  std::size_t at_ = 0;
};

void require_numbers(const manager& store, const char* what, const stored_column* column,
                     std::span<const double> numbers, std::size_t edges) {
  if (numbers.empty()) return;
  if (column == nullptr)
    throw_at(store, errc::invalid_argument,
             std::string("the graph has no ") + what + "; open it with a column of " + what + " to add some");
  if (numbers.size() != edges)
    throw_at(store, errc::invalid_argument,
             std::to_string(numbers.size()) + " " + what + " are given for " + std::to_string(edges) +
                 " edges; give one for each edge, or none");
}

}  // namespace

const char* name_of(freeze_action action) noexcept {
  switch (action) {
    case freeze_action::built:
      return "built";
    case freeze_action::patched:
      return "patched";
    case freeze_action::merged:
      return "merged";
    case freeze_action::kept:
      break;
  }
  return "kept";
}

growing_graph::growing_graph(manager& store, const std::string& name, const growth_options& options)
    : store_(store),
      name_(name),
      list_(find_or_make(store, name, options)),
      names_(store.find<stored_names>(name + names_suffix).first) {
  if (names_ != nullptr && !options.with_names)
    throw_at(
        store, errc::invalid_argument,
        "the vertices of the graph in the store have names, and numbers would be mixed up with them; give "
        "--names (in C++ growth_options::with_names)");
  if (names_ == nullptr && options.with_names) {
    if (list_->vertices() != 0)
      throw_at(store, errc::invalid_argument,
               "the vertices of the graph in the store are numbers, and names would be mixed up with them; "
               "leave --names out (in C++ growth_options::with_names)");
    names_ = store.construct<stored_names>(name_ + names_suffix)(store.get_allocator<std::byte>());
  }
  find_columns(options);
}

growing_graph::growing_graph(existing, manager& store, const std::string& name)
    : store_(store), name_(name), list_(find_list(store, name)) {
  if (list_ == nullptr)
    throw_at(store, errc::not_found,
             "the store holds no growing graph named \"" + name + "\"; make one with 'perdure graph ingest'");
  names_ = store.find<stored_names>(name + names_suffix).first;
  find_columns({});
}

growing_graph growing_graph::open(manager& store, const std::string& name) {
  return {existing(), store, name};
}

void growing_graph::find_columns(const growth_options& options) {
  columns_.weights = find_or_make_column(store_, *list_, name_ + weights_suffix, options.with_weights,
                                         weight_of_edges_without, options.threads);
  columns_.times =
      find_or_make_column(store_, *list_, name_ + times_suffix, options.with_times, 0, options.threads);
  frozen_ = detail::frozen_graph::find(store_, name_);
  if (frozen_ && !frozen_->is_fresh(*list_, columns_.weights)) frozen_.reset();
}

frozen_state growing_graph::frozen() const {
  const auto parts = detail::frozen_parts::find(store_, name_);
  if (!parts.are_there()) return frozen_state::none;
  return parts.are_fresh(*list_, columns_.weights) ? frozen_state::fresh : frozen_state::stale;
}

ingest_result growing_graph::add(edge_source& source, const ingest_options& options) {
  if (!frozen_) return ingest(*list_, source, options, columns_);
  const double missing = columns_.weights != nullptr ? columns_.weights->missing() : weight_of_edges_without;
  try {
    frozen_->set_stale();
    recording_source recorded(source, frozen_->delta(), missing);
    const ingest_result result = ingest(*list_, recorded, options, columns_);
    if (frozen_->has_much()) frozen_->merge(options.threads);
    frozen_->set_state(*list_);
    return result;
  } catch (...) {
    // The list may have one end of an edge that the delta has whole.
    frozen_.reset();
    throw;
  }
}

void growing_graph::add(std::span<const edge> edges, std::span<const double> weights,
                        std::span<const double> times, unsigned threads) {
  require_numbers(store_, "weights", columns_.weights, weights, edges.size());
  require_numbers(store_, "times", columns_.times, times, edges.size());
  column_source source(edges, weights, times);
  add(source, {.threads = threads});
}

void growing_graph::merge_duplicates(duplicate_edges how, unsigned threads) {
  if (how == duplicate_edges::keep) return;
  const bool changes = how != duplicate_edges::error;
  // The CSR has the edges as they were.
  if (changes && frozen_) {
    frozen_->forget();
    frozen_.reset();
  }
  graph::merge_duplicates(*list_, columns_, how, threads);
}

freeze_result growing_graph::freeze(const freeze_options& options) {
  auto frozen = detail::frozen_graph::find_or_make(store_, name_);
  const std::uint64_t delta_edges = frozen.delta().edges().size();
  const bool is_empty = frozen.delta().empty();
  const bool is_fresh = !frozen.is_new() && frozen.is_fresh(*list_, columns_.weights);
  freeze_result result;
  frozen_.reset();
  if (!is_fresh || options.rebuild) {
    frozen.set_stale();
    begin_progress_stage("indexing vertices");
    const vertex_index index(*list_, options.threads, columns_.weights);
    begin_progress_stage("building rows");
    frozen.build(index, options.order, options.threads);
    result.done = freeze_action::built;
  } else if (options.whole ? !(is_empty && frozen.patch().empty()) : frozen.has_much()) {
    begin_progress_stage("merging rows");
    frozen.merge(options.threads);
    result.done = freeze_action::merged;
  } else if (!is_empty) {
    begin_progress_stage("adding to the patch");
    frozen.fold();
    result.done = freeze_action::patched;
  }
  frozen.set_state(*list_);
  PERDURE_INVARIANT(frozen.is_fresh(*list_, columns_.weights));
  frozen_ = frozen;
  if (result.done == freeze_action::merged || result.done == freeze_action::patched)
    result.merged_edges = delta_edges;
  result.vertices = frozen.vertices();
  result.arcs = frozen.arcs();
  result.patch_arcs = frozen.patch().arcs();
  result.bytes = frozen.csr().bytes();
  return result;
}

}  // namespace perdure::graph
