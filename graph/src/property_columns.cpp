// Loads each property by the type that it has in the store.
#include "property_columns.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <memory>
#include <perdure/graph/properties.hpp>
#include <perdure/graph/property_list.hpp>
#include <string_view>
#include <type_traits>
#include <utility>

namespace perdure::graph::detail {
namespace {

void append_number(std::string& to, double value) {
  if (std::isnan(value)) {
    to += "NaN";
  } else if (std::isinf(value)) {
    to += value < 0 ? "-INF" : "INF";
  } else {
    std::array<char, 32> digits;
    const std::string_view text(digits.data(),
                                std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
    to += text;
    // So that a reader takes it for no whole number.
    if (text.find_first_not_of("-0123456789") == std::string_view::npos) to += ".0";
  }
}

/// Returns whether there is a value: a number is missing if it is NaN, a text if it is empty.
template <class T>
bool append_value(std::string& to, const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    to += value;
    return !value.empty();
  } else if constexpr (std::is_integral_v<T>) {
    to += std::to_string(value);
    return true;
  } else {
    append_number(to, static_cast<double>(value));
    return !std::isnan(value);
  }
}

template <class T>
written_column column_of(const std::string& name, std::vector<T> values) {
  const element_kind kind = std::is_same_v<T, std::string> ? element_kind::text
                            : std::is_integral_v<T>        ? element_kind::int64
                                                           : element_kind::float64;
  return {name, kind,
          [kept = std::make_shared<const std::vector<T>>(std::move(values))](
              std::uint64_t place, std::string& to) { return append_value(to, (*kept)[place]); }};
}

/// The properties of the vertices or the edges of one CSR.
class column_reader {
 public:
  column_reader(const properties& of_graph, bool are_of_edges)
      : of_graph_(of_graph), are_of_edges_(are_of_edges) {}

  /// Adds the property, or its name to those left out.
  void read(const property_info& one, std::vector<written_column>& to, std::vector<std::string>& left_out) {
    try {
      if (!add(one, to)) left_out.push_back(one.name + " (" + one.type.text() + ")");
    } catch (const error& wrong) {
      if (wrong.code() != errc::invalid_argument) throw;
      left_out.push_back(one.name + " (set for a graph of other size)");
    }
  }

 private:
  template <class T>
  void add_numbers(const std::string& name, std::vector<written_column>& to) {
    const auto values = are_of_edges_ ? of_graph_.edges<T>(name) : of_graph_.vertices<T>(name);
    to.push_back(column_of(name, std::vector<T>(values.data(), values.data() + values.size())));
  }

  bool add(const property_info& one, std::vector<written_column>& to) {
    if (!one.type.dims().empty()) return false;
    switch (one.type.kind()) {
      case element_kind::int8:
        add_numbers<std::int8_t>(one.name, to);
        return true;
      case element_kind::int16:
        add_numbers<std::int16_t>(one.name, to);
        return true;
      case element_kind::int32:
        add_numbers<std::int32_t>(one.name, to);
        return true;
      case element_kind::int64:
        add_numbers<std::int64_t>(one.name, to);
        return true;
      case element_kind::uint8:
        add_numbers<std::uint8_t>(one.name, to);
        return true;
      case element_kind::uint16:
        add_numbers<std::uint16_t>(one.name, to);
        return true;
      case element_kind::uint32:
        add_numbers<std::uint32_t>(one.name, to);
        return true;
      case element_kind::float32:
        add_numbers<float>(one.name, to);
        return true;
      case element_kind::float64:
        add_numbers<double>(one.name, to);
        return true;
      case element_kind::text:
        to.push_back(column_of(
            one.name, are_of_edges_ ? of_graph_.edge_texts(one.name) : of_graph_.vertex_texts(one.name)));
        return true;
      default:
        return false;
    }
  }

  const properties& of_graph_;
  bool are_of_edges_;
};

}  // namespace

property_columns property_columns_of(const stored_graph& graph, array_store& arrays) {
  property_columns found;
  const property_list listed = properties_of(graph, arrays);
  const auto rows = graph.rows();
  if (!rows) {
    for (const auto* const of : {&listed.vertices, &listed.edges})
      for (const property_info& one : *of)
        if (one.is_array) found.left_out.push_back(one.name + " (of the frozen form)");
    return found;
  }
  const properties of_graph(arrays, graph.name(), *rows);
  for (const property_info& one : listed.vertices)
    if (one.is_array) column_reader(of_graph, false).read(one, found.vertices, found.left_out);
  for (const property_info& one : listed.edges)
    if (one.is_array) column_reader(of_graph, true).read(one, found.edges, found.left_out);
  return found;
}

}  // namespace perdure::graph::detail
