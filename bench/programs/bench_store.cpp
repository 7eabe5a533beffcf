// What durability costs. Each run takes one sample of one measurement and prints it as JSON; bench/run.py
// interleaves them with their peers.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <map>
#include <string>

#include "store_cost.hpp"

int main(int argc, char** argv) {
  using namespace perdure::bench;
  using measurement = nlohmann::json (*)(const store_workload&);
  const std::map<std::string, measurement> measurements = {
      {"fresh-checkpoint", fresh_checkpoint},
      {"fresh-pwrite", fresh_pwrite},
      {"dirty-checkpoint", dirty_checkpoint},
      {"dirty-msync", dirty_msync},
      {"open-after-crash", open_after_crash},
      {"verify", verify_speed},
      {"snapshot", snapshot_cost},
      {"prepare-attach", prepare_attach},
      {"attach", attach},
      {"large-blocks", large_blocks},
      {"prepare-objects", prepare_objects},
      {"find-objects", find_objects},
      {"prepare-objects-boost", prepare_objects_boost},
      {"find-objects-boost", find_objects_boost},
  };

  CLI::App app("What durability costs: one sample of one measurement");
  std::string name;
  store_workload work;
  std::size_t mebibytes = 1024;
  bool json = false;
  bool quick = false;
  app.add_option("measurement", name, "what to measure")->required()->check(CLI::IsMember(measurements));
  app.add_option("--directory", work.directory, "scratch directory on the file system to measure")
      ->required();
  app.add_option("--mebibytes", mebibytes, "payload");
  app.add_option("--fraction", work.fraction, "share of the pages dirtied between two checkpoints");
  app.add_flag("--clustered", work.clustered, "those pages in one piece, not scattered");
  app.add_option("--rounds", work.rounds, "checkpoints measured");
  app.add_option("--objects", work.objects, "named objects");
  app.add_flag("--json", json, "print one line instead of an indented text");
  app.add_flag("--quick", quick, "a run of well under a second, to see that everything works");
  work.fraction = 0.01;
  work.objects = 300'000;
  CLI11_PARSE(app, argc, argv);

  if (quick) {
    mebibytes = std::min<std::size_t>(mebibytes, 8);
    work.rounds = 2;
    work.objects = 1000;
  }
  work.bytes = mebibytes << 20;
  try {
    std::filesystem::create_directories(work.directory);
    nlohmann::json result = measurements.at(name)(work);
    result["benchmark"] = "store";
    result["measurement"] = name;
    std::puts(result.dump(json ? -1 : 2).c_str());
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "bench_store: %s\n", failure.what());
    return 1;
  }
  return 0;
}
