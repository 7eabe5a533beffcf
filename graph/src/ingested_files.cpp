// The lines of the record.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <perdure/error.hpp>
#include <perdure/graph/graph_objects.hpp>
#include <perdure/graph/ingested_files.hpp>

namespace perdure::graph {
namespace {

constexpr std::string_view is_whole = "whole";
constexpr std::string_view has_begun = "begun";
constexpr std::string_view has_until = "until=";            // a time, a comma, the number of edges up to it
constexpr std::size_t longest_text = std::size_t{1} << 20;  // of an attribute's value

std::string one_line(std::string name) {
  std::replace(name.begin(), name.end(), '\n', ' ');
  return name;
}

std::optional<ingested_files::part> part_of(std::string_view state) {
  if (!state.starts_with(has_until)) return std::nullopt;
  const std::string text(state.substr(has_until.size()));
  ingested_files::part part{};
  char* end = nullptr;
  part.until = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != ',') return std::nullopt;
  const char* const number = end + 1;
  part.edges = std::strtoull(number, &end, 10);
  if (end == number || *end != 0) return std::nullopt;
  return part;
}

std::string state_of(const ingested_files::entry& one) {
  if (one.whole) return std::string(is_whole);
  if (!one.so_far) return std::string(has_begun);
  char text[64];
  std::snprintf(text, sizeof text, "%.17g,%llu", one.so_far->until,
                static_cast<unsigned long long>(one.so_far->edges));
  return std::string(has_until) + text;
}

}  // namespace

ingested_files::ingested_files(std::string_view recorded) {
  while (!recorded.empty()) {
    const std::string_view line = recorded.substr(0, recorded.find('\n'));
    recorded.remove_prefix(std::min(line.size() + 1, recorded.size()));
    const std::size_t first = line.find(' ');
    const std::size_t second = first == std::string_view::npos ? first : line.find(' ', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view state = line.substr(first + 1, second - first - 1);
    entries_.push_back({std::string(line.substr(0, first)), std::string(line.substr(second + 1)),
                        state == is_whole, part_of(state)});
  }
}

const ingested_files::entry* ingested_files::find(std::string_view fingerprint) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const entry& one) { return one.fingerprint == fingerprint; });
  return found == entries_.end() ? nullptr : &*found;
}

void ingested_files::set(const entry& file) {
  std::erase_if(entries_, [&](const entry& one) { return one.fingerprint == file.fingerprint; });
  entries_.push_back(file);
}

std::string ingested_files::text() const {
  std::string all;
  for (const entry& one : entries_) {
    all += one.fingerprint + ' ' + state_of(one) + ' ' + one_line(one.name) + '\n';
  }
  while (all.size() > longest_text) all.erase(0, all.find('\n', all.size() - longest_text - 1) + 1);
  return all;
}

std::string recorded_files(const manager& store, const std::string& graph) {
  try {
    if (store.find<stored_list>(graph).first == nullptr) return {};
  } catch (const error& failure) {
    if (failure.code() == errc::wrong_type) return {};
    throw;
  }
  return store.attribute(graph, ingested_files::attribute).value_or("");
}

}  // namespace perdure::graph
