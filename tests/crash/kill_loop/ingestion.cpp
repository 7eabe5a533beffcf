#include "crash/kill_loop/ingestion.hpp"

#include <algorithm>
#include <sstream>
#include <thread>

namespace perdure::crash {

namespace {

// The digits after `label`, which stand in groups of three.
std::uint64_t number_after(const std::string& line, std::size_t at) {
  std::uint64_t number = 0;
  for (; at < line.size(); ++at) {
    const bool is_group_end = line[at] == ',' && at + 1 < line.size() && line[at + 1] != ' ';
    if (is_group_end) continue;
    if (line[at] < '0' || line[at] > '9') break;
    number = number * 10 + static_cast<std::uint64_t>(line[at] - '0');
  }
  return number;
}

// Lines as "checkpoint     epoch 3, 1,048,576 edges, 12.3 ms". A line without its end is not yet said.
std::vector<acknowledgement> acknowledgements(const std::string& output) {
  static const std::string before_epoch = "checkpoint     epoch ";
  std::vector<acknowledgement> all;
  std::size_t start = 0;
  for (std::size_t end = output.find('\n'); end != std::string::npos; end = output.find('\n', start)) {
    const std::string line = output.substr(start, end - start);
    start = end + 1;
    const std::size_t edges = line.find(", ");
    if (!line.starts_with(before_epoch) || edges == std::string::npos) continue;
    all.push_back({number_after(line, before_epoch.size()), number_after(line, edges + 2)});
  }
  return all;
}

std::vector<std::string> with_options(std::vector<std::string> command, const std::filesystem::path& store,
                                      const ingestion_plan& plan) {
  for (const std::string& option :
       {store.string(), std::string("--rmat-scale"), std::to_string(plan.edges.scale),
        std::string("--edge-factor"), std::to_string(plan.edges.edge_factor), std::string("--seed"),
        std::to_string(plan.edges.seed), std::string("--threads"), std::to_string(plan.threads),
        std::string("--checkpoint-every"), std::to_string(plan.checkpoint_every)})
    command.push_back(option);
  return command;
}

}  // namespace

ingestion::ingestion(const std::filesystem::path& store, const ingestion_plan& plan)
    : ingestion({test::perdure_program(), "graph", "ingest"}, store, plan) {}

ingestion::ingestion(std::vector<std::string> command, const std::filesystem::path& store,
                     const ingestion_plan& plan)
    : program_(with_options(std::move(command), store, plan)) {}

void ingestion::wait_for(std::size_t checkpoints, std::chrono::milliseconds patience) const {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (std::chrono::steady_clock::now() < until) {
    const std::string said = program_.output_so_far();
    if (acknowledgements(said).size() >= checkpoints || said.find("\ningested ") != std::string::npos) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

ingestion::ending ingestion::wait() {
  ending result;
  result.how = program_.wait();
  result.acknowledged = acknowledgements(result.how.out);
  return result;
}

}  // namespace perdure::crash
