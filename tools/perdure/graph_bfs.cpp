// perdure graph bfs: distances from one vertex.
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
           {"bfs_seconds", search_seconds}});
    return;
  }
  output out = output::standard();
  out.write("re-attached    in " + in_seconds(attached.seconds) + "\n");
  out.write("reached        " + grouped(result.reached) + " of " +
            counted(index.size(), "vertex", "vertices") + " from vertex " + std::to_string(given.source) +
            " in " + in_seconds(index_seconds + search_seconds) + " (index " + in_seconds(index_seconds) +
            ", search " + in_seconds(search_seconds) + ", " + counted(given.threads, "thread", "threads") +
            ")\n");
  for (std::size_t level = 0; level < result.histogram.size(); ++level)
    out.write("level " + std::to_string(level) + "  " + grouped(result.histogram[level]) + "\n");
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
  bfs.callback([given] { search(*given); });
}

}  // namespace perdure::cli
