#include "listed_elements.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "declared_attributes.hpp"
#include "line_scan.hpp"

namespace perdure::graph::formats {
namespace {

/// Writes the number so that reading it gives the same one.
std::string text_of(double value) {
  std::array<char, 32> digits;
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

}  // namespace

void listed_elements::node(std::string_view id, std::string_view name) {
  if (missing_.erase(std::string(id)) == 0) enter(id, name);
}

void listed_elements::enter(std::string_view id, std::string_view name) {
  const auto [entered, is_new] = numbers_.try_emplace(std::string(id), 0);
  if (!is_new) refuse("the node \"" + std::string(id) + "\" is there already");
  bool is_alone = true;
  if (names_ == nullptr) {
    entered->second = number_in(id);
    is_alone = taken_.insert(entered->second).second;
  } else {
    is_alone = taken_names_.emplace(name).second;
  }
  if (!is_alone) refuse("another node is called \"" + std::string(names_ == nullptr ? id : name) + "\" too");
  nodes_.push_back({&entered->second, std::string(names_ == nullptr ? std::string_view() : name)});
}

void listed_elements::edge(std::string_view source, std::string_view target, std::optional<double> weight,
                           std::optional<double> time) {
  edges_.push_back({known(source), known(target)});
  if (weight) values_.push_back(*weight);
  if (time) times_.push_back(*time);
  ++entered_edges_;
  // A CSR has no times of its own.
  if (time && keeps_edges_) edge_attribute("time", text_of(*time), false);
}

void listed_elements::attribute(std::string_view node, std::string_view name, std::string_view value,
                                bool is_text) {
  const auto found = std::find_if(attributes_.begin(), attributes_.end(),
                                  [name](const listed_attribute& one) { return one.kept.name == name; });
  listed_attribute& to = found != attributes_.end()
                             ? *found
                             : attributes_.emplace_back(listed_attribute{{std::string(name)}, {}});
  to.kept.is_text |= is_text;
  to.kept.values.emplace_back(value);
  to.nodes.push_back(known(node));
}

void listed_elements::edge_attribute(std::string_view name, std::string_view value, bool is_text) {
  graph::edge_attribute& to = attribute_called(kept_edges_.attributes, name);
  to.is_text |= is_text;
  to.edges.push_back(entered_edges_ - 1);
  to.values.emplace_back(value);
}

attributed_edges listed_elements::take_attributed_edges() {
  return std::exchange(kept_edges_, {});
}

void listed_elements::leave_out(std::string_view name) {
  if (std::find(left_out_.begin(), left_out_.end(), name) == left_out_.end()) left_out_.emplace_back(name);
}

std::vector<vertex_attribute> listed_elements::take_attributes() {
  std::vector<vertex_attribute> all;
  all.reserve(attributes_.size());
  for (listed_attribute& one : attributes_) {
    one.kept.vertices.reserve(one.nodes.size());
    for (const vertex_id* const node : one.nodes) one.kept.vertices.push_back(*node);
    all.push_back(std::move(one.kept));
  }
  attributes_.clear();
  return all;
}

void listed_elements::hand_out(edge_batch& batch) {
  for (const listed_node& one : nodes_) {
    if (names_ != nullptr) *one.number = names_->number_of(one.name);
    batch.vertices.push_back(*one.number);
  }
  for (const listed_edge& one : edges_) batch.edges.push_back({*one.source, *one.target});
  if (keeps_edges_) {
    kept_edges_.edges.insert(kept_edges_.edges.end(), batch.edges.begin(), batch.edges.end());
    kept_edges_.weights.insert(kept_edges_.weights.end(), values_.begin(), values_.end());
  }
  std::swap(batch.values, values_);
  std::swap(batch.times, times_);
  nodes_.clear();
  edges_.clear();
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

void listed_elements::require_all_nodes() const {
  const auto first = std::min_element(missing_.begin(), missing_.end(),
                                      [](const auto& a, const auto& b) { return a.second < b.second; });
  if (first != missing_.end())
    throw error_at(first->second, "no node is called \"" + first->first + "\", which this edge names");
}

const vertex_id* listed_elements::known(std::string_view id) {
  const std::string called(id);
  auto found = numbers_.find(called);
  if (found == numbers_.end()) {
    if (order_ == order_of_nodes::before_edges)
      refuse("no node before this edge is called \"" + called + '"');
    enter(id, id);
    missing_.try_emplace(called, where());
    found = numbers_.find(called);
  }
  return &found->second;
}

vertex_id listed_elements::number_in(std::string_view id) const {
  std::string_view digits = id;
  if (digits.starts_with('n')) digits.remove_prefix(1);
  vertex_id number = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (result.ec != std::errc{} || result.ptr != digits.data() + digits.size())
    refuse("the node \"" + std::string(id) +
           "\" is no number from 0 to 18446744073709551615; where vertices have names, ask for names");
  return number;
}

}  // namespace perdure::graph::formats
