// GEXF, Gephi's format. An edge without a weight weighs 1, as the format says.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "xml_source.hpp"

namespace perdure::graph::formats {
namespace {

class gexf final : public xml_dialect {
 public:
  gexf() {
    info_.format = graph_format::gexf;
    info_.description = "GEXF";
    info_.has_weights = true;
  }

  void begin(std::string_view element, const xml_attributes& attributes, listed_elements& to) override {
    const auto text = [&](const char* name) {
      const char* const value = attributes.find(name);
      return std::string(value == nullptr ? "" : value);
    };
    if (element == "graph") {
      if (std::exchange(has_graph_, true)) to.refuse("a second graph is not read");
      if (text("mode") == "dynamic") to.refuse("a graph that changes in time (mode=\"dynamic\") is not read");
      const std::string kind = text("defaultedgetype");
      // "mutual" has an arc in both directions, as an undirected edge has.
      info_.kind = kind == "directed" ? direction::directed : direction::undirected;
      info_.description += kind == "directed" ? ", directed, weights" : ", undirected, weights";
    } else if (element == "attribute") {
      leave_out(text("title").empty() ? text("id") : text("title"));
    } else if (element == "node") {
      if (attributes.find("id") == nullptr) to.refuse("the attribute \"id\" is missing");
      to.node(text("id"), text("id"));
      if (!text("label").empty() && text("label") != text("id")) leave_out("label");
    } else if (element == "nodes" && std::exchange(is_in_nodes_, true)) {
      to.refuse("nodes inside nodes are not read");
    } else if (element == "edge") {
      if (attributes.find("source") == nullptr || attributes.find("target") == nullptr)
        to.refuse("the attributes \"source\" and \"target\" are missing");
      const std::string type = text("type");
      if (!type.empty() && (type == "directed") != (info_.kind == direction::directed))
        to.refuse("directed and undirected edges in one graph are not read");
      const char* const weight = attributes.find("weight");
      to.edge(text("source"), text("target"), weight == nullptr ? 1 : to.number(weight, "the weight"),
              std::nullopt);
    }
  }
  void end(std::string_view element, std::string_view, listed_elements&) override {
    if (element == "nodes") is_in_nodes_ = false;
  }
  const graph_file_info& info() const noexcept override { return info_; }
  const std::vector<std::string>& left_out() const noexcept override { return left_out_; }

 private:
  void leave_out(const std::string& name) {
    if (std::find(left_out_.begin(), left_out_.end(), name) == left_out_.end()) left_out_.push_back(name);
  }

  graph_file_info info_;
  std::vector<std::string> left_out_;
  bool has_graph_ = false;
  bool is_in_nodes_ = false;
};

}  // namespace

std::unique_ptr<xml_dialect> make_gexf() {
  return std::make_unique<gexf>();
}

}  // namespace perdure::graph::formats
