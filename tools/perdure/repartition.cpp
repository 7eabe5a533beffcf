// perdure repartition SET --parts N: divides the arrays and graphs of a set of stores among another number of
// ranks.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <perdure/graph/ranks/graph_divider.hpp>
#include <perdure/store_set.hpp>

#include "command.hpp"
#include "units.hpp"

namespace perdure::cli {

void add_repartition_command(command program) {
  struct options {
    std::filesystem::path set;
    std::uint64_t parts = 0;
    bool as_json = false;
  };
  auto given = std::make_shared<options>();
  command repartition = program.add_command(
      "repartition", "Divide the arrays and graphs of a set of stores among another number of ranks");
  repartition.add_path("SET", given->set, "The directory of the set").required();
  repartition
      .add_number("--parts", 1, 1'000'000,
                  "The number of parts, which is that of the ranks that will write the set",
                  [given](std::uint64_t n) { given->parts = n; })
      .required();
  add_json_option(repartition, given->as_json);
  repartition.footer(
      "Arrays are divided along their first dimension, and graphs between vertices, with values of their "
      "vertices. After a crash the set is divided, or as before. Objects beside arrays only their program "
      "can divide: such a set is refused.");
  repartition.example("run.set --parts 8", "Divide a set for eight ranks");
  repartition.callback([given] {
    const stopwatch watch;
    graph::graph_divider graphs;
    repartition_set(given->set, static_cast<std::uint32_t>(given->parts), {}, &graphs);
    const set_info info = inspect_set(given->set);
    if (given->as_json)
      return print({{"store", given->set.string()},
                    {"parts", info.parts.size()},
                    {"epoch", info.epoch},
                    {"seconds", watch.seconds()}});
    output out = output::standard();
    out.write("epoch " + grouped(info.epoch) + ", " + counted(info.parts.size(), "part", "parts") +
              ", divided in " + in_seconds(watch.seconds()) + '\n');
    out.finish();
  });
}

}  // namespace perdure::cli
