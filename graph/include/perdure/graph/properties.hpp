// Properties of vertices and edges: typed columns, stored as arrays by name.
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

/// The properties of one CSR. A property of vertices is the array `GRAPH/vertices/NAME` with an element for
/// each vertex. A property of edges is the array `GRAPH/edges/NAME` with an element for each arc, in the
/// order of the CSR's targets; an undirected edge has two. Elements are numbers or structs of numbers, so
/// `perdure ls`, Python and other programs can read them.
///
/// Properties belong to the CSR as it is: a CSR that was built again or has grown has other arcs. A property
/// that was set for a graph of another size is refused.
///
/// Thread safety: like the `array_store`.
class properties {
 public:
  /// Uses the arrays of the graph called `graph`, whose CSR is `view`. `arrays` and the arrays of the view
  /// must outlive this object.
  properties(array_store& arrays, std::string graph, const csr_view& view)
      : arrays_(arrays), graph_(std::move(graph)), view_(view) {}

  /// Replaces a property of vertices. Throws `invalid_argument` unless there are as many values as vertices,
  /// and what `array_store::store` throws.
  template <array_element T>
  void set_vertices(std::string_view name, std::span<const T> values) {
    set(vertex_array(name), values, view_.size());
  }
  /// Replaces a property of vertices that are texts. Throws like `set_vertices`.
  void set_vertex_texts(std::string_view name, const std::vector<std::string>& values) {
    set_texts(vertex_array(name), values, view_.size());
  }
  /// Replaces a property of edges. Throws `invalid_argument` unless there are as many values as arcs, and
  /// what `array_store::store` throws.
  template <array_element T>
  void set_edges(std::string_view name, std::span<const T> values) {
    set(edge_array(name), values, view_.arcs());
  }
  /// Replaces a property of edges that are texts. Throws like `set_edges`.
  void set_edge_texts(std::string_view name, const std::vector<std::string>& values) {
    set_texts(edge_array(name), values, view_.arcs());
  }

  /// Returns a view of a property of vertices, in place in the store. Throws `not_found`, `wrong_type` for
  /// elements of another type, and `invalid_argument` for a property of a graph of another size.
  template <array_element T>
  stored_view<const T, 1> vertices(std::string_view name) const {
    return get<T>(vertex_array(name), view_.size());
  }
  /// Returns a view of a property of edges, with an element for each arc. Throws like `vertices`.
  template <array_element T>
  stored_view<const T, 1> edges(std::string_view name) const {
    return get<T>(edge_array(name), view_.arcs());
  }

  /// Returns a copy of the texts of vertices. Throws like `vertices`.
  std::vector<std::string> vertex_texts(std::string_view name) const {
    return get_texts(vertex_array(name), view_.size());
  }
  /// Returns a copy of the texts of edges, one for each arc. Throws like `vertices`.
  std::vector<std::string> edge_texts(std::string_view name) const {
    return get_texts(edge_array(name), view_.arcs());
  }

  /// Returns the ids of the arrays of all vertex properties, sorted.
  std::vector<std::string> vertex_properties() const { return arrays_.list(graph_ + "/vertices"); }
  /// Returns the ids of the arrays of all edge properties, sorted.
  std::vector<std::string> edge_properties() const { return arrays_.list(graph_ + "/edges"); }
  /// Returns the id of the array of a vertex property.
  std::string vertex_array(std::string_view name) const { return graph_ + "/vertices/" + std::string(name); }
  /// Returns the id of the array of an edge property.
  std::string edge_array(std::string_view name) const { return graph_ + "/edges/" + std::string(name); }

 private:
  static void require_one_for_each(const std::string& id, std::uint64_t values, std::uint64_t wanted) {
    if (values != wanted)
      throw error(errc::invalid_argument, "the property \"" + id + "\" needs " + std::to_string(wanted) +
                                              " values, and " + std::to_string(values) + " are given");
  }
  static constexpr const char* arcs_attribute = "arcs of the graph";

  /// Returns whether the property was set for a graph with another number of arcs.
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
