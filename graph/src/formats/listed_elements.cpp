#include "listed_elements.hpp"

#include <charconv>
#include <cmath>

#include "line_scan.hpp"

namespace perdure::graph::formats {

void listed_elements::node(std::string_view id, std::string_view name) {
  const vertex_id number = number_of(names_ == nullptr ? id : name);
  if (!numbers_.try_emplace(std::string(id), number).second)
    refuse("the node \"" + std::string(id) + "\" is there already");
  if (!taken_.insert(number).second)
    refuse("another node is called \"" + std::string(names_ == nullptr ? id : name) + "\" too");
  waiting_.vertices.push_back(number);
}

void listed_elements::edge(std::string_view source, std::string_view target, std::optional<double> weight,
                           std::optional<double> time) {
  waiting_.edges.push_back({known(source), known(target)});
  if (weight) waiting_.values.push_back(*weight);
  if (time) waiting_.times.push_back(*time);
}

double listed_elements::number(std::string_view text, const char* what) const {
  const auto is_space = [](char c) { return is_blank(c) || c == '\n' || c == '\r'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  std::string_view digits = text;
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  double value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (result.ec != std::errc{} || result.ptr != digits.data() + digits.size() || !std::isfinite(value))
    refuse(std::string(what) + " is no finite number: \"" + std::string(text.substr(0, 40)) + '"');
  return value;
}

vertex_id listed_elements::known(std::string_view id) const {
  const auto found = numbers_.find(std::string(id));
  if (found == numbers_.end()) refuse("no node before this edge is called \"" + std::string(id) + '"');
  return found->second;
}

vertex_id listed_elements::number_of(std::string_view name) {
  if (names_ != nullptr) return names_->number_of(name);
  std::string_view digits = name;
  if (digits.starts_with('n')) digits.remove_prefix(1);
  vertex_id number = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (result.ec != std::errc{} || result.ptr != digits.data() + digits.size())
    refuse("the node \"" + std::string(name) + "\" is no number; where vertices have names, ask for names");
  return number;
}

}  // namespace perdure::graph::formats
