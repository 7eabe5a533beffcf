#include "column_names.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "line_scan.hpp"

namespace perdure::graph::formats {
namespace {

// The role's own name first.
constexpr std::array<std::string_view, 8> sources{"source", "src",     "from", "u",
                                                  "tail",   "head_id", "user", "node1"};
constexpr std::array<std::string_view, 8> targets{"target", "dst",         "to",   "v",
                                                  "dest",   "destination", "item", "node2"};
constexpr std::array<std::string_view, 6> weights{"weight", "w", "value", "cost", "distance", "length"};
constexpr std::array<std::string_view, 6> times{"time", "timestamp", "date", "datetime", "t", "ts"};

std::span<const std::string_view> names_of(column_role role) {
  switch (role) {
    case column_role::source:
      return sources;
    case column_role::target:
      return targets;
    case column_role::weight:
      return weights;
    case column_role::time:
      break;
  }
  return times;
}

std::string lower(std::string_view text) {
  std::string all(text);
  for (char& c : all) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  return all;
}

/// Names with a digit are those of vertices too.
bool is_called(const std::string& field, column_role role) {
  const std::span<const std::string_view> names = names_of(role);
  return std::find(names.begin(), names.end(), lower(field)) != names.end() &&
         std::none_of(field.begin(), field.end(), is_digit);
}

bool begins(const std::string& field, std::string_view one, std::string_view other) {
  const std::string text = lower(field);
  return text.starts_with(one) || text.starts_with(other);
}

}  // namespace

std::size_t column_called(const std::vector<std::string>& header, column_role role, std::size_t absent) {
  const std::span<const std::string_view> names = names_of(role);
  for (const std::string_view name : names)
    for (std::size_t i = 0; i < header.size(); ++i)
      if (lower(header[i]) == name) return i;
  std::size_t found = absent;
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (!lower(header[i]).starts_with(names.front())) continue;
    if (found != absent) return absent;
    found = i;
  }
  return found;
}

bool names_a_column(const std::vector<std::string>& fields) {
  std::size_t letters = 0;
  for (const std::string& field : fields)
    for (const column_role role :
         {column_role::source, column_role::target, column_role::weight, column_role::time})
      if (is_called(field, role) && (field.size() > 1 || ++letters > 1)) return true;
  return false;
}

bool names_both_ends(const std::vector<std::string>& fields) {
  const auto any = [&](column_role role) {
    return std::any_of(fields.begin(), fields.end(), [role](const std::string& field) {
      return field.size() > 1 && is_called(field, role);
    });
  };
  return any(column_role::source) && any(column_role::target);
}

bool names_both_ends_nearly(const std::vector<std::string>& fields) {
  const auto any = [&](std::string_view one, std::string_view other) {
    return std::any_of(fields.begin(), fields.end(),
                       [&](const std::string& field) { return begins(field, one, other); });
  };
  return any("source", "src") && any("target", "dst");
}

}  // namespace perdure::graph::formats
