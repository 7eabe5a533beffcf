// Strongly connected components by one thread, of what many threads have left.
#include <algorithm>
#include <perdure/graph/strong_components.hpp>
#include <perdure/progress.hpp>

namespace perdure::graph::detail {

void label_rest(const neighbour_rows& rows, std::span<vertex_handle> labels) {
  constexpr std::uint32_t never = 0;
  std::vector<std::uint32_t> entered(labels.size(), never);  // when, counted from 1
  std::vector<std::uint32_t> lowest(
      labels.size());               // the earliest one that it leads to and that may lead back
  std::vector<vertex_handle> open;  // entered, but not in a component yet
  std::vector<std::pair<vertex_handle, std::size_t>> path;  // and how many of its arcs were followed
  std::uint32_t clock = never;
  begin_progress_stage("labelling the rest", labels.size(), "vertices");
  const auto enter = [&](vertex_handle v) {
    entered[v] = lowest[v] = ++clock;
    open.push_back(v);
    path.emplace_back(v, 0);
  };
  for (std::size_t start = 0; start < labels.size(); ++start) {
    add_progress(1);
    if (labels[start] != no_vertex || entered[start] != never) continue;
    enter(static_cast<vertex_handle>(start));
    while (!path.empty()) {
      workload::end_if_cancelled();
      auto& [v, followed] = path.back();
      const auto row = rows.neighbours(v);
      if (followed < row.size()) {
        const vertex_handle u = row[followed++];
        if (entered[u] == never) {
          enter(u);
        } else if (labels[u] == no_vertex) {
          lowest[v] = std::min(lowest[v], entered[u]);
        }
        continue;
      }
      const vertex_handle done = v;
      path.pop_back();
      if (!path.empty()) {
        std::uint32_t& before = lowest[path.back().first];
        before = std::min(before, lowest[done]);
      }
      if (lowest[done] != entered[done]) continue;
      const auto first = std::find(open.rbegin(), open.rend(), done).base() - 1;
      const vertex_handle smallest = *std::min_element(first, open.end());
      for (auto at = first; at != open.end(); ++at) labels[*at] = smallest;
      open.erase(first, open.end());
    }
  }
}

}  // namespace perdure::graph::detail
