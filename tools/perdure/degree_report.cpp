#include "degree_report.hpp"

#include <utility>
#include <vector>

#include "plot.hpp"
#include "units.hpp"

namespace perdure::cli {

json as_json(const graph::degree_distribution& degrees, unsigned per_doubling) {
  json value{{"smallest", degrees.smallest},
             {"largest", degrees.largest},
             {"mean", degrees.mean},
             {"median", degrees.median},
             {"distribution", json::array()}};
  for (const auto& one : degrees.bins(per_doubling))
    value["distribution"].push_back({{"from", one.from}, {"to", one.to}, {"vertices", one.vertices}});
  return value;
}

std::string as_text(const graph::degree_distribution& degrees) {
  std::vector<std::pair<std::string, std::uint64_t>> bars;
  for (const auto& one : degrees.bins())
    bars.emplace_back(one.from == one.to ? grouped(one.from) : grouped(one.from) + "-" + grouped(one.to),
                      one.vertices);
  return bars_of(bars);
}

std::string in_words(const graph::degree_distribution& degrees) {
  return "at most " + grouped(degrees.largest) + ", " + std::to_string(degrees.mean) +
         " on average, median " +
         std::to_string(degrees.median).substr(0, std::to_string(degrees.median).find('.') + 2) + "\n";
}

}  // namespace perdure::cli
