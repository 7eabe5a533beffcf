// Finds the narrowest type that holds all values of an attribute, and stores them by handle or by arc.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <perdure/graph/keep_attributes.hpp>
#include <perdure/graph/properties.hpp>
#include <string_view>
#include <system_error>
#include <type_traits>

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

/// Returns whether a number is written without a point and without an exponent.
bool is_whole(std::string_view number) {
  return number.find_first_not_of("+-0123456789") == std::string_view::npos;
}

/// The values of one attribute, by handle or by arc.
class attribute_values {
 public:
  explicit attribute_values(std::size_t count) : values_(count, nullptr) {}

  void are_texts(bool is_text) { is_text_ |= is_text; }
  void set(std::size_t place, const std::string* value) { values_[place] = value; }

  /// `put` takes a vector of whole numbers, of numbers or of texts.
  template <class Put>
  void store(Put&& put) const {
    if (!is_text_ && store_whole(put)) return;
    if (!is_text_ && store_real(put)) return;
    std::vector<std::string> texts(values_.size());
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (values_[i] != nullptr) texts[i] = *values_[i];
    put(texts);
  }

 private:
  /// False if some have none, or one that is not whole.
  template <class Put>
  bool store_whole(Put&& put) const {
    std::vector<std::int64_t> numbers;
    numbers.reserve(values_.size());
    for (const std::string* const value : values_) {
      const std::optional<std::int64_t> number =
          value == nullptr ? std::nullopt : number_in<std::int64_t>(*value);
      if (!number) return false;
      numbers.push_back(*number);
    }
    put(numbers);
    return true;
  }

  /// False if a value is no number, or a whole one that would be rounded.
  template <class Put>
  bool store_real(Put&& put) const {
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
      if (!number || (std::abs(*number) >= first_rounded && is_whole(*value))) return false;
      numbers.push_back(*number);
    }
    put(numbers);
    return true;
  }

  std::vector<const std::string*> values_;  // null: none
  bool is_text_ = false;
};

/// The edges of all files, numbered on from file to file, and which of them each arc of a CSR is.
class arcs_of_edges {
 public:
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

  arcs_of_edges(const csr_view& view, std::span<const attributed_edges> files) : edges_(view.arcs(), none) {
    const std::vector<known_arc> known = sorted(view, files);
    auto next = known.begin();
    for (vertex_handle v = 0; v < view.size(); ++v) {
      const std::uint64_t begin = view.offsets[v];
      const std::uint64_t end = view.offsets[std::size_t{v} + 1];
      for (std::uint64_t arc = begin; arc < end; ++arc) {
        const known_arc wanted{v, view.targets[arc], view.arc_weights.empty() ? 0 : view.arc_weights[arc], 0};
        while (next != known.end() && ends_before(*next, wanted)) ++next;
        if (next != known.end() && !ends_before(wanted, *next)) edges_[arc] = next++->edge;
      }
    }
  }

  /// Number of the arc's edge; `none`: no file with attributes has it.
  std::uint64_t edge(std::uint64_t arc) const { return edges_[arc]; }

 private:
  struct known_arc {
    vertex_handle source;
    vertex_handle target;
    double weight;
    std::uint64_t edge;
  };

  /// The order of arcs in a CSR.
  static bool ends_before(const known_arc& a, const known_arc& b) {
    if (a.source != b.source) return a.source < b.source;
    if (a.target != b.target) return a.target < b.target;
    return std::strong_order(a.weight, b.weight) < 0;
  }

  static std::vector<known_arc> sorted(const csr_view& view, std::span<const attributed_edges> files) {
    std::vector<known_arc> all;
    std::uint64_t number = 0;
    for (const attributed_edges& file : files) {
      all.reserve(all.size() + file.edges.size() * (view.symmetric() || file.both_ends ? 2 : 1));
      for (std::size_t i = 0; i < file.edges.size(); ++i, ++number) {
        const vertex_handle source = view.find(file.edges[i].source);
        const vertex_handle target = view.find(file.edges[i].target);
        const double weight = view.arc_weights.empty() || file.weights.empty() ? 0 : file.weights[i];
        all.push_back({source, target, weight, number});
        if ((view.symmetric() || file.both_ends) && source != target)
          all.push_back({target, source, weight, number});
      }
    }
    std::sort(all.begin(), all.end(), [](const known_arc& a, const known_arc& b) {
      return ends_before(a, b) || (!ends_before(b, a) && a.edge < b.edge);
    });
    return all;
  }

  std::vector<std::uint64_t> edges_;
};

}  // namespace

std::vector<std::string> keep_attributes(array_store& arrays, const std::string& graph, const csr_view& view,
                                         std::span<const vertex_attribute> attributes) {
  std::map<std::string, attribute_values> all;
  for (const vertex_attribute& one : attributes) {
    attribute_values& values = all.try_emplace(one.name, view.size()).first->second;
    values.are_texts(one.is_text);
    for (std::size_t i = 0; i < one.vertices.size(); ++i)
      if (const vertex_handle v = view.find(one.vertices[i]); v != no_vertex) values.set(v, &one.values[i]);
  }
  properties to(arrays, graph, view);
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const auto& [name, values] : all) {
    values.store([&]<class T>(const std::vector<T>& elements) {
      if constexpr (std::is_same_v<T, std::string>) {
        to.set_vertex_texts(name, elements);
      } else {
        to.set_vertices<T>(name, elements);
      }
    });
    names.push_back(name);
  }
  return names;
}

std::vector<std::string> keep_edge_attributes(array_store& arrays, const std::string& graph,
                                              const csr_view& view, std::span<const attributed_edges> files) {
  std::vector<std::string> names;
  std::uint64_t edges = 0;
  for (const attributed_edges& file : files) {
    edges += file.edges.size();
    for (const edge_attribute& one : file.attributes) names.push_back(one.name);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (names.empty()) return names;
  const arcs_of_edges arcs(view, files);
  properties to(arrays, graph, view);
  for (const std::string& name : names) {
    std::vector<const std::string*> of_edges(edges, nullptr);
    attribute_values values(view.arcs());
    std::uint64_t first = 0;  // edge of the file
    for (const attributed_edges& file : files) {
      for (const edge_attribute& one : file.attributes) {
        if (one.name != name) continue;
        values.are_texts(one.is_text);
        for (std::size_t i = 0; i < one.edges.size(); ++i) of_edges[first + one.edges[i]] = &one.values[i];
      }
      first += file.edges.size();
    }
    for (std::uint64_t arc = 0; arc < view.arcs(); ++arc)
      if (arcs.edge(arc) != arcs_of_edges::none) values.set(arc, of_edges[arcs.edge(arc)]);
    values.store([&]<class T>(const std::vector<T>& elements) {
      if constexpr (std::is_same_v<T, std::string>) {
        to.set_edge_texts(name, elements);
      } else {
        to.set_edges<T>(name, elements);
      }
    });
  }
  return names;
}

}  // namespace perdure::graph
