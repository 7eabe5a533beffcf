// perdure-mpi graph repartition: divides a set among as many ranks as there are, for good.
#include <filesystem>
#include <memory>
#include <perdure/graph/ranks/graph_divider.hpp>
#include <perdure/mpi.hpp>
#include <perdure/store_set.hpp>

#include "job.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct divided_set {
  std::filesystem::path set;
  bool as_json = false;
};

void divide(job& run, const divided_set& given) {
  const stopwatch watch;
  graph::graph_divider graphs(run.ranks());
  mpi::repartition(MPI_COMM_WORLD, given.set, {}, &graphs);
  const double seconds = run.longest("seconds", watch.seconds());
  if (!run.is_first()) return;
  const set_info info = inspect_set(given.set);
  if (given.as_json)
    return print({{"store", given.set.string()},
                  {"parts", info.parts.size()},
                  {"epoch", info.epoch},
                  {"seconds", seconds}});
  output out = output::standard();
  out.write("divided        among " + counted(info.parts.size(), "rank", "ranks") + " in " +
            in_seconds(seconds) + '\n');
  out.finish();
}

}  // namespace

void add_repartition_command(command graph_command, job& run) {
  auto given = std::make_shared<divided_set>();
  command repartition =
      graph_command.add_command("repartition", "Divide a set among as many ranks as there are, for good");
  repartition.add_path("SET", given->set, "The directory of the set of stores").required();
  add_json_option(repartition, given->as_json);
  repartition.example("web.set", "Divide a set among the ranks that run this");
  repartition.callback([given, &run] { divide(run, *given); });
}

}  // namespace perdure::cli
