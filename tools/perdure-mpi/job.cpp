#include "job.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "units.hpp"

namespace perdure::cli {
namespace {

/// The most memory that this process had, in bytes.
std::uint64_t peak_memory() {
  struct rusage usage {};
  if (::getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

/// A column of the table for people.
struct told_column {
  const char* key;
  const char* title;
  std::string (*text)(const json& value);
};

std::string as_count(const json& value) {
  return grouped(value.get<std::uint64_t>());
}
std::string as_size(const json& value) {
  return in_bytes(value.get<std::uint64_t>());
}
std::string as_time(const json& value) {
  return in_seconds(value.get<double>());
}

constexpr std::array<told_column, 15> told_columns{{{"rank", "rank", as_count},
                                                    {"vertices", "vertices", as_count},
                                                    {"arcs", "arcs", as_count},
                                                    {"cut_arcs", "cut", as_count},
                                                    {"ghosts", "ghosts", as_count},
                                                    {"generate_seconds", "generated", as_time},
                                                    {"ingest_seconds", "read", as_time},
                                                    {"append_seconds", "read", as_time},
                                                    {"order_seconds", "numbered", as_time},
                                                    {"attach_seconds", "opened", as_time},
                                                    {"seconds", "took", as_time},
                                                    {"store_seconds", "stored", as_time},
                                                    {"bytes_sent", "sent", as_size},
                                                    {"messages_sent", "messages", as_count},
                                                    {"peak_bytes", "memory", as_size}}};

}  // namespace

double job::longest(const char* key, double seconds) {
  times_.emplace_back(key, seconds);
  double longest = 0;
  for (const std::uint64_t one : ranks_->gather(std::bit_cast<std::uint64_t>(seconds)))
    longest = std::max(longest, std::bit_cast<double>(one));
  return longest;
}

json table_of_ranks(job& run, const graph::rank_graph& part, const std::vector<rank_column>& columns,
                    const rank_traffic& sent) {
  json table = json::array();
  for (int rank = 0; rank < run.ranks().size(); ++rank) table.push_back({{"rank", rank}});
  const auto add = [&](const char* key, std::uint64_t own, auto&& value_of) {
    const std::vector<std::uint64_t> numbers = run.ranks().gather(own);
    for (std::size_t rank = 0; rank < numbers.size(); ++rank) table[rank][key] = value_of(numbers[rank]);
  };
  const auto add_count = [&](const char* key, std::uint64_t own) {
    add(key, own, [](std::uint64_t number) { return number; });
  };
  add_count("vertices", part.size());
  add_count("arcs", part.arcs());
  add_count("cut_arcs", part.plan().ghost_rows.size());
  add_count("ghosts", part.ghosts().size());
  for (const rank_column& column : columns) add_count(column.key, column.own);
  for (const auto& [key, seconds] : run.times())
    add(key, std::bit_cast<std::uint64_t>(seconds),
        [](std::uint64_t bits) { return std::bit_cast<double>(bits); });
  add_count("bytes_sent", sent.bytes);
  add_count("messages_sent", sent.messages);
  add_count("peak_bytes", peak_memory());
  return table;
}

std::string text_of_ranks(const json& table) {
  std::vector<std::string> lines(table.size() + 1);
  for (const told_column& column : told_columns) {
    if (!table[0].contains(column.key)) continue;
    std::vector<std::string> cells{column.title};
    for (const json& row : table) cells.push_back(column.text(row[column.key]));
    std::size_t width = 0;
    for (const std::string& cell : cells) width = std::max(width, cell.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!lines[i].empty()) lines[i] += "  ";
      lines[i] += std::string(width - cells[i].size(), ' ') + cells[i];
    }
  }
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

}  // namespace perdure::cli
