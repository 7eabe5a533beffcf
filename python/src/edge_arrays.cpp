#include "edge_arrays.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <perdure/error.hpp>
#include <perdure/workload/cancellation.hpp>
#include <utility>

namespace perdure::python {
namespace {

/// Hands out the edges of arrays, some at a time.
class array_source final : public graph::edge_source {
 public:
  array_source(edge_arrays arrays, graph::vertex_namer* names) : arrays_(std::move(arrays)), names_(names) {}

  bool next(graph::edge_batch& batch) override {
    workload::end_if_cancelled();
    batch.clear();
    std::size_t begin = 0;
    std::size_t end = 0;
    {
      const std::lock_guard lock(mutex_);
      if (names_ != nullptr && numbers_.size() != arrays_.names.size()) number_names();
      begin = position_;
      end = std::min(begin + batch_size, arrays_.sources.size());
      position_ = end;
    }
    batch.edges.reserve(end - begin);
    for (std::size_t i = begin; i < end; ++i)
      batch.edges.push_back({id_of(arrays_.sources[i]), id_of(arrays_.targets[i])});
    const auto take = [&](std::span<const double> from, std::vector<double>& to) {
      if (!from.empty())
        to.assign(from.begin() + static_cast<std::ptrdiff_t>(begin),
                  from.begin() + static_cast<std::ptrdiff_t>(end));
    };
    take(arrays_.weights, batch.values);
    take(arrays_.times, batch.times);
    return begin != end;
  }
  workload::progress progress() const noexcept override {
    const std::lock_guard lock(mutex_);
    return {position_, arrays_.sources.size(), "edges"};
  }
  graph::id_range declared_vertices() const noexcept override { return {0, arrays_.vertices}; }

 private:
  static constexpr std::size_t batch_size = std::size_t{1} << 14;

  graph::vertex_id id_of(std::uint64_t given) const { return names_ == nullptr ? given : numbers_[given]; }
  void number_names() {
    numbers_.reserve(arrays_.names.size());
    for (const std::string& name : arrays_.names) numbers_.push_back(names_->number_of(name));
  }

  edge_arrays arrays_;
  graph::vertex_namer* names_;
  mutable std::mutex mutex_;
  std::size_t position_ = 0;
  std::vector<graph::vertex_id> numbers_;
};

void require_column(const char* what, std::span<const double> column, std::size_t edges) {
  if (column.empty()) return;
  if (column.size() != edges)
    throw error(errc::invalid_argument, "there are " + std::to_string(edges) + " edges and " +
                                            std::to_string(column.size()) + " " + what +
                                            ": give one for each edge");
  const auto wrong = std::ranges::find_if_not(column, [](double value) { return std::isfinite(value); });
  if (wrong != column.end())
    throw error(errc::invalid_argument, std::string(what) + ": number " +
                                            std::to_string(wrong - column.begin()) + " is " +
                                            std::to_string(*wrong) + ", which is not finite");
}

}  // namespace

graph::graph_input input_of_arrays(edge_arrays arrays, graph::direction kind, graph::vertex_namer* names) {
  if (arrays.sources.size() != arrays.targets.size())
    throw error(errc::invalid_argument, "there are " + std::to_string(arrays.sources.size()) +
                                            " sources and " + std::to_string(arrays.targets.size()) +
                                            " targets of edges: give one of each for each edge");
  require_column("weights", arrays.weights, arrays.sources.size());
  require_column("times", arrays.times, arrays.sources.size());
  graph::graph_input input;
  input.name = "arrays";
  input.info.kind = kind;
  input.info.has_weights = !arrays.weights.empty();
  input.info.has_times = !arrays.times.empty();
  input.info.description = "arrays of edges";
  input.edges = std::make_unique<array_source>(std::move(arrays), names);
  return input;
}

}  // namespace perdure::python
