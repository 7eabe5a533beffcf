// Graphs in XML: what GraphML and GEXF have in common. By expat, a piece of the file at a time, so that a
// file may be one line of many gigabytes.
#pragma once

#include <memory>
#include <perdure/graph/graph_file.hpp>
#include <perdure/workload/byte_stream.hpp>
#include <string>
#include <string_view>

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

/// What a dialect makes of its elements. Names are without a prefix.
class xml_dialect {
 public:
  /// What dialects call: where elements stand is known to it.
  class sink {
   public:
    virtual ~sink() = default;
    /// Enters a node. Throws for one that is there already.
    virtual void node(std::string_view id) = 0;
    /// Hands an edge out. Throws where one of its ends is no node before it.
    virtual void edge(std::string_view source, std::string_view target, double weight, double time) = 0;
    [[noreturn]] virtual void refuse(const std::string& what) const = 0;
  };

  virtual ~xml_dialect() = default;
  virtual void begin(std::string_view element, const xml_attributes& attributes, sink& to) = 0;
  virtual void end(std::string_view element, std::string_view text, sink& to) = 0;
  /// Complete once the first edge has been met, or the end.
  virtual const graph_file_info& info() const noexcept = 0;
};

std::unique_ptr<xml_dialect> make_graphml();
std::unique_ptr<xml_dialect> make_gexf();

/// Which of the two a file is, by the first element of its head; null: neither.
std::unique_ptr<xml_dialect> xml_dialect_of(std::string_view head);
/// Whether a text is XML at all.
bool is_xml(std::string_view head);

/// Reads to the first edge. Nodes are called by their ids: by `names`, or else ids are numbers, as `17` or
/// `n17`.
std::unique_ptr<graph_file> open_xml(std::unique_ptr<workload::byte_stream> stream,
                                     std::unique_ptr<xml_dialect> dialect, vertex_namer* names);

/// Of a number in an attribute or an element. Refuses what is none.
double xml_number(std::string_view text, const char* what, const xml_dialect::sink& to);

}  // namespace perdure::graph::formats
