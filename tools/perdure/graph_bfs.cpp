// perdure graph bfs: distances from one vertex.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <perdure/graph/bfs.hpp>

#include "command.hpp"
#include "stored_graph.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct bfs_options {
  std::filesystem::path store;
  std::uint64_t source = 0;
  std::filesystem::path levels;
  unsigned threads = 1;
  verify_mode verify = verify_mode::journal;
  bool as_json = false;
};

/// A line a level, or of the many levels of a road map what matters of them; --json and --levels have all.
void write_levels(output& out, const graph::bfs_result& result) {
  constexpr std::size_t most_lines = 24;
  const auto& counts = result.histogram;
  if (counts.size() <= most_lines) {
    for (std::size_t level = 0; level < counts.size(); ++level)
      out.write("level " + std::to_string(level) + "  " + grouped(counts[level]) + "\n");
    return;
  }
  const auto fullest = std::max_element(counts.begin(), counts.end());
  std::size_t median = 0;
  for (std::uint64_t within = counts[0]; within * 2 < result.reached; within += counts[median]) ++median;
  out.write("levels         0 to " + grouped(counts.size() - 1) + "; half of the vertices within " +
            grouped(median) + "; the most, " + grouped(*fullest) + ", at " +
            grouped(static_cast<std::uint64_t>(fullest - counts.begin())) + "\n");
}

void search(const bfs_options& given) {
  const attached_graph attached(given.store, given.verify);
  const stopwatch index_watch;
  const graph::vertex_index index(*attached.graph, given.threads);
  const double index_seconds = index_watch.seconds();
  const stopwatch search_watch;
  const graph::bfs_result result = graph::bfs(index, given.source, given.threads);
  const double search_seconds = search_watch.seconds();

  if (!given.levels.empty()) {
    output out = output::to(given.levels);
    for (const graph::vertex_handle h : index.in_id_order()) {
      if (result.levels[h] == graph::unreached) continue;
      out.write(index.id(h));
      out.write(" ");
      out.write(std::uint64_t{result.levels[h]});
      out.write("\n");
    }
    out.finish();
    if (given.levels == "-") return;
  }
  if (given.as_json) {
    print({{"source", given.source},
           {"reached", result.reached},
           {"vertices", index.size()},
           {"levels", result.histogram},
           {"undirected", index.symmetric()},
           {"threads", given.threads},
           {"attach_seconds", attached.seconds},
           {"index_seconds", index_seconds},
           {"seconds", search_seconds}});
    return;
  }
  output out = output::standard();
  out.write("re-attached    in " + in_seconds(attached.seconds) + "\n");
  out.write("reached        " + grouped(result.reached) + " of " +
            counted(index.size(), "vertex", "vertices") + " from vertex " + std::to_string(given.source) +
            " in " + in_seconds(index_seconds + search_seconds) + " (index " + in_seconds(index_seconds) +
            ", search " + in_seconds(search_seconds) + ", " + counted(given.threads, "thread", "threads") +
            ")\n");
  write_levels(out, result);
  out.finish();
}

}  // namespace

void add_bfs_command(command graph_command) {
  auto given = std::make_shared<bfs_options>();
  command bfs = graph_command.add_command(
      "bfs", "Breadth-first search: the distance of every vertex that can be reached from one");
  bfs.add_path("STORE", given->store, "The store's directory").required();
  bfs.add_number("--source", 0, std::numeric_limits<std::uint64_t>::max(),
                 "Vertex to start from, as the input names it",
                 [given](std::uint64_t n) { given->source = n; })
      .required();
  bfs.add_path("--levels", given->levels,
               "Write a line 'id level' for each vertex reached, sorted by id; '-' is standard output");
  add_threads_option(bfs, given->threads);
  add_verify_option(bfs, given->verify);
  add_json_option(bfs, given->as_json);
  bfs.callback([given] {
    if (given->as_json && given->levels == "-")
      throw usage_error("--json and --levels - would both write to standard output: give --levels a file");
    search(*given);
  });
}

}  // namespace perdure::cli
