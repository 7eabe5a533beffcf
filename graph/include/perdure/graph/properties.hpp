// What vertices and edges have beside their places in a graph: typed columns, as arrays by name.
//
//     perdure::array_store arrays(store);
//     graph::properties of_web(arrays, "web.csr", web.view());
//     of_web.set_vertices<float>("rank", ranks);
//     const auto rank = of_web.vertices<float>("rank");     // where it lies in the store
//     of_web.set_edges<std::int64_t>("since", times);       // in the order of the CSR's arcs
#pragma once

#include <cstddef>
#include <cstdint>
#include <perdure/array_store.hpp>
#include <perdure/error.hpp>
#include <perdure/graph/csr_view.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perdure::graph {

/// The properties of one CSR. A property of vertices is the array `GRAPH/vertices/NAME`, with an element for
/// each handle; one of edges is `GRAPH/edges/NAME`, with an element for each arc, in the order of the CSR's
/// targets (an undirected edge has two). Elements are numbers or structs of numbers. So `perdure ls`, Python
/// and other programs see them as what they are.
///
/// They go with the CSR as it is: one that was built anew, or grew, has other arcs. A property that was set
/// for a graph of other size is refused.
///
/// Thread safety: as the array_store's.
class properties {
 public:
  /// All of these must outlive it.
  properties(array_store& arrays, std::string graph, const csr_view& view)
      : arrays_(arrays), graph_(std::move(graph)), view_(view) {}

  /// Replaces the property. `invalid_argument` where there are not as many values as vertices, and as
  /// `array_store::store`.
  template <array_element T>
  void set_vertices(std::string_view name, std::span<const T> values) {
    set(vertex_array(name), values, view_.size());
  }
  /// The same with a text for each vertex.
  void set_vertex_texts(std::string_view name, const std::vector<std::string>& values) {
    set_texts(vertex_array(name), values, view_.size());
  }
  /// The same with an element for each arc.
  template <array_element T>
  void set_edges(std::string_view name, std::span<const T> values) {
    set(edge_array(name), values, view_.arcs());
  }
  /// The same with a text for each arc.
  void set_edge_texts(std::string_view name, const std::vector<std::string>& values) {
    set_texts(edge_array(name), values, view_.arcs());
  }

  /// Where the values lie in the store. `not_found`, `wrong_type`, `invalid_argument` (of a graph of other
  /// size).
  template <array_element T>
  stored_view<const T, 1> vertices(std::string_view name) const {
    return get<T>(vertex_array(name), view_.size());
  }
  template <array_element T>
  stored_view<const T, 1> edges(std::string_view name) const {
    return get<T>(edge_array(name), view_.arcs());
  }

  /// The same of texts, as a copy.
  std::vector<std::string> vertex_texts(std::string_view name) const {
    return get_texts(vertex_array(name), view_.size());
  }
  std::vector<std::string> edge_texts(std::string_view name) const {
    return get_texts(edge_array(name), view_.arcs());
  }

  /// The arrays' ids, sorted.
  std::vector<std::string> vertex_properties() const { return arrays_.list(graph_ + "/vertices"); }
  std::vector<std::string> edge_properties() const { return arrays_.list(graph_ + "/edges"); }
  std::string vertex_array(std::string_view name) const { return graph_ + "/vertices/" + std::string(name); }
  std::string edge_array(std::string_view name) const { return graph_ + "/edges/" + std::string(name); }

 private:
  static void require_one_for_each(const std::string& id, std::uint64_t values, std::uint64_t wanted) {
    if (values != wanted)
      throw error(errc::invalid_argument, "the property \"" + id + "\" needs " + std::to_string(wanted) +
                                              " values, and " + std::to_string(values) + " are given");
  }
  static constexpr const char* arcs_attribute = "arcs of the graph";

  /// Whether the property was set for a graph with another number of arcs.
  bool has_grown(const std::string& id) const {
    const array_ref array = arrays_.array(id);
    return array.has_attribute(arcs_attribute) &&
           array.template attribute<std::uint64_t>(arcs_attribute) != view_.arcs();
  }

  template <class T>
  void set(const std::string& id, std::span<const T> values, std::uint64_t wanted) {
    require_one_for_each(id, values.size(), wanted);
    arrays_.store(id, array_view<const T, 1>(values));
    arrays_.array(id).set_attribute(arcs_attribute, view_.arcs());
  }

  void set_texts(const std::string& id, const std::vector<std::string>& values, std::uint64_t wanted) {
    require_one_for_each(id, values.size(), wanted);
    arrays_.store(id, values);
    arrays_.array(id).set_attribute(arcs_attribute, view_.arcs());
  }

  template <class T>
  stored_view<const T, 1> get(const std::string& id, std::uint64_t wanted) const {
    auto found = arrays_.view<T, 1>(id);
    require_unchanged(id, found.size(), wanted);
    return found;
  }

  std::vector<std::string> get_texts(const std::string& id, std::uint64_t wanted) const {
    auto found = arrays_.load<std::vector<std::string>>(id);
    require_unchanged(id, found.size(), wanted);
    return found;
  }

  void require_unchanged(const std::string& id, std::uint64_t values, std::uint64_t wanted) const {
    if (values != wanted || has_grown(id))
      throw error(errc::invalid_argument,
                  "the property \"" + id + "\" was set for a graph of other size: set it again");
  }

  array_store& arrays_;
  std::string graph_;
  csr_view view_;
};

}  // namespace perdure::graph
