// Graphs in XML: what GraphML and GEXF have in common. By expat, a piece of the file at a time, so that a
// file may be one line of many gigabytes.
#pragma once

#include <memory>
#include <optional>
#include <perdure/graph/graph_file.hpp>
#include <perdure/workload/byte_stream.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "listed_elements.hpp"

namespace perdure::graph::formats {

/// The attributes of an element.
class xml_attributes {
 public:
  explicit xml_attributes(const char* const* given) noexcept : given_(given) {}
  /// The value, or null.
  const char* find(std::string_view name) const noexcept;

 private:
  const char* const* given_;
};

/// Makes nodes and edges of a dialect's elements. Names are without a prefix.
class xml_dialect {
 public:
  virtual ~xml_dialect() = default;
  virtual void begin(std::string_view element, const xml_attributes& attributes, listed_elements& to) = 0;
  virtual void end(std::string_view element, std::string_view text, listed_elements& to) = 0;
  /// Complete once the first edge has been met, or the end.
  virtual const graph_file_info& info() const noexcept = 0;
};

std::unique_ptr<xml_dialect> make_graphml(const graph_file_options& options);
std::unique_ptr<xml_dialect> make_gexf(const graph_file_options& options);

/// Which of the two a file is, by the first element of its head; nothing: neither.
std::optional<graph_format> xml_format_of(std::string_view head);
/// Returns whether a text is XML at all.
bool is_xml(std::string_view head);

/// Reads to the first edge. Nodes are called by their ids.
std::unique_ptr<graph_file> open_xml(std::unique_ptr<workload::byte_stream> stream,
                                     std::unique_ptr<xml_dialect> dialect, const graph_file_options& options);

}  // namespace perdure::graph::formats
