// A graph of a store, as Python holds it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <perdure/graph/stored_graph.hpp>
#include <perdure/manager.hpp>
#include <perdure/store_set.hpp>
#include <string>

namespace perdure::python {

/// A graph of an open store or set of stores, which it keeps open.
///
/// Thread safety: all members from any thread, while nobody changes the graph.
class graph_handle {
 public:
  /// A graph that was found, and a view of it.
  struct found_graph {
    std::shared_ptr<const void> place;  // the store or the set, which outlives the rest
    graph::stored_graph graph;
    graph::any_view view;
  };

  /// Finds the graph as `stored_graph` does.
  graph_handle(std::shared_ptr<const manager> store, const std::string& name);
  graph_handle(std::shared_ptr<const set_reader> set, const std::string& name);

  const std::string& name() const noexcept { return name_; }
  /// Null for a set of stores.
  const std::shared_ptr<const manager>& store() const noexcept { return store_; }
  /// Returns the graph as it is now. Makes a view of it the first time, and after edges were added. Throws
  /// what finding graphs and `stored_graph::view` throw.
  std::shared_ptr<const found_graph> find(unsigned threads = 1) const;
  /// Returns the graph without a view.
  graph::stored_graph look() const;
  /// Returns the rows of a CSR, or of a growing graph whose frozen form has all its edges. Throws
  /// `invalid_argument` for another one.
  graph::csr_view rows() const;
  /// Returns what keeps the memory of `rows` alive.
  std::shared_ptr<const void> keeper() const;

 private:
  std::shared_ptr<const manager> store_;
  std::shared_ptr<const set_reader> set_;
  std::string name_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const found_graph> found_;
};

}  // namespace perdure::python
