#include "job.hpp"

#include <sys/resource.h>

#include <algorithm>

#include "units.hpp"

namespace perdure::cli {
namespace {

/// The most memory that this process had, in bytes.
std::uint64_t peak_memory() {
  struct rusage usage {};
  if (::getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace

double job::longest(double seconds) {
  std::uint64_t longest = 0;
  for (const std::uint64_t one : ranks_.gather(static_cast<std::uint64_t>(seconds * 1e9)))
    longest = std::max(longest, one);
  return static_cast<double>(longest) / 1e9;
}

json table_of_ranks(job& run, const std::vector<rank_column>& columns, const rank_traffic& sent) {
  std::vector<rank_column> all = columns;
  all.push_back({"bytes_sent", sent.bytes});
  all.push_back({"messages_sent", sent.messages});
  all.push_back({"peak_bytes", peak_memory()});
  json table = json::array();
  for (int rank = 0; rank < run.ranks().size(); ++rank) table.push_back({{"rank", rank}});
  for (const rank_column& column : all) {
    const std::vector<std::uint64_t> numbers = run.ranks().gather(column.own);
    for (std::size_t rank = 0; rank < numbers.size(); ++rank) table[rank][column.key] = numbers[rank];
  }
  return table;
}

std::string text_of_ranks(const json& table) {
  std::string text;
  for (const json& row : table) {
    std::string line;
    for (const auto& [key, value] : row.items()) {
      if (key == "rank") continue;
      const auto number = value.get<std::uint64_t>();
      std::string name = key;
      std::replace(name.begin(), name.end(), '_', ' ');
      const bool is_size = key.ends_with("bytes") || key.starts_with("bytes");
      if (key == "bytes_sent") name = "sent";
      if (key == "peak_bytes") name = "at most in memory";
      line += (line.empty() ? "" : ", ") + (is_size ? in_bytes(number) : grouped(number)) + ' ' + name;
    }
    std::string label = "rank " + std::to_string(row["rank"].get<int>());
    label.resize(std::max<std::size_t>(label.size() + 1, 15), ' ');
    text += label + line + '\n';
  }
  return text;
}

}  // namespace perdure::cli
