// Finds the narrowest type that holds all values of an attribute, and stores them by handle.
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <perdure/graph/keep_attributes.hpp>
#include <perdure/graph/properties.hpp>
#include <string_view>
#include <system_error>

namespace perdure::graph {
namespace {

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  Number value{};
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc{} || result.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The values of one attribute, by handle.
class attribute_values {
 public:
  explicit attribute_values(std::size_t vertices) : values_(vertices, nullptr) {}

  void add(const vertex_attribute& one, const csr_view& view) {
    is_text_ |= one.is_text;
    for (std::size_t i = 0; i < one.vertices.size(); ++i)
      if (const vertex_handle v = view.find(one.vertices[i]); v != no_vertex) values_[v] = &one.values[i];
  }

  void store(properties& to, const std::string& name) const {
    if (!is_text_ && store_whole(to, name)) return;
    if (!is_text_ && store_real(to, name)) return;
    std::vector<std::string> texts(values_.size());
    for (std::size_t v = 0; v < values_.size(); ++v)
      if (values_[v] != nullptr) texts[v] = *values_[v];
    to.set_vertex_texts(name, texts);
  }

 private:
  /// False if some have none, or one that is not whole.
  bool store_whole(properties& to, const std::string& name) const {
    std::vector<std::int64_t> numbers;
    numbers.reserve(values_.size());
    for (const std::string* const value : values_) {
      const std::optional<std::int64_t> number =
          value == nullptr ? std::nullopt : number_in<std::int64_t>(*value);
      if (!number) return false;
      numbers.push_back(*number);
    }
    to.set_vertices<std::int64_t>(name, numbers);
    return true;
  }

  /// False if a value is no number, or a whole one that would be rounded.
  bool store_real(properties& to, const std::string& name) const {
    // 2^53, which may stand for the number above it.
    constexpr double first_rounded = 9007199254740992.0;
    std::vector<double> numbers;
    numbers.reserve(values_.size());
    for (const std::string* const value : values_) {
      if (value == nullptr) {
        numbers.push_back(std::numeric_limits<double>::quiet_NaN());
        continue;
      }
      const std::optional<double> number = number_in<double>(*value);
      if (!number || (std::abs(*number) >= first_rounded && number_in<std::int64_t>(*value))) return false;
      numbers.push_back(*number);
    }
    to.set_vertices<double>(name, numbers);
    return true;
  }

  std::vector<const std::string*> values_;  // null: the vertex has none
  bool is_text_ = false;
};

}  // namespace

std::vector<std::string> keep_attributes(array_store& arrays, const std::string& graph, const csr_view& view,
                                         std::span<const vertex_attribute> attributes) {
  std::map<std::string, attribute_values> all;
  for (const vertex_attribute& one : attributes)
    all.try_emplace(one.name, view.size()).first->second.add(one, view);
  properties to(arrays, graph, view);
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const auto& [name, values] : all) {
    values.store(to, name);
    names.push_back(name);
  }
  return names;
}

}  // namespace perdure::graph
