// GEXF, Gephi's format. An edge without a weight weighs 1, as the format says.
#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "xml_source.hpp"

namespace perdure::graph::formats {
namespace {

class gexf final : public xml_dialect {
 public:
  explicit gexf(const graph_file_options& options) : keeps_attributes_(options.keep_attributes) {
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
    } else if (element == "attributes") {
      is_of_nodes_ = text("class") == "node";
    } else if (element == "attribute") {
      declare(text("id"), text("title").empty() ? text("id") : text("title"), text("type"), to);
    } else if (element == "attvalue" && !node_.empty()) {
      const std::string key = attributes.find("for") != nullptr ? text("for") : text("id");
      if (const auto found = node_keys_.find(key); found != node_keys_.end()) {
        to.attribute(node_, found->second.name, text("value"), found->second.is_text);
        given_.insert(key);
      }
    } else if (element == "node") {
      if (attributes.find("id") == nullptr) to.refuse("the attribute \"id\" is missing");
      node_ = text("id");
      given_.clear();
      to.node(node_, node_);
      if (!text("label").empty() && text("label") != node_) {
        if (keeps_attributes_) {
          to.attribute(node_, "label", text("label"), true);
        } else {
          to.leave_out("label");
        }
      }
      leave_out({"pid", "start", "end"}, "of nodes", attributes, to);
    } else if (element == "spell") {
      to.leave_out("spells");
    } else if (element == "color" || element == "position" || element == "size" || element == "shape" ||
               element == "thickness") {
      to.leave_out("colours, places and shapes");
    } else if (element == "nodes" && std::exchange(is_in_nodes_, true)) {
      to.refuse("nodes inside nodes are not read");
    } else if (element == "edge") {
      if (attributes.find("source") == nullptr || attributes.find("target") == nullptr)
        to.refuse("the attributes \"source\" and \"target\" are missing");
      const std::string type = text("type");
      if (!type.empty() && (type == "directed") != (info_.kind == direction::directed))
        to.refuse("directed and undirected edges in one graph are not read");
      leave_out({"label", "start", "end"}, "of edges", attributes, to);
      const char* const weight = attributes.find("weight");
      to.edge(text("source"), text("target"), weight == nullptr ? 1 : to.number(weight, "the weight"),
              std::nullopt);
    }
  }
  void end(std::string_view element, std::string_view text, listed_elements& to) override {
    if (element == "nodes") is_in_nodes_ = false;
    if (element == "default") {
      if (const auto found = node_keys_.find(declared_); found != node_keys_.end())
        found->second.by_default = std::string(text);
    }
    if (element != "node") return;
    for (const auto& [key, one] : node_keys_)
      if (one.by_default && !given_.contains(key))
        to.attribute(node_, one.name, *one.by_default, one.is_text);
    node_.clear();
  }
  const graph_file_info& info() const noexcept override { return info_; }

 private:
  static void leave_out(std::initializer_list<const char*> names, const char* of,
                        const xml_attributes& attributes, listed_elements& to) {
    for (const char* const name : names)
      if (attributes.find(name) != nullptr) to.leave_out(std::string(name) + ' ' + of);
  }

  void declare(const std::string& id, const std::string& name, const std::string& type, listed_elements& to) {
    declared_ = id;
    constexpr std::array numbers = {"integer", "long", "short", "byte", "float", "double"};
    const bool is_number = std::find(numbers.begin(), numbers.end(), type) != numbers.end();
    if (keeps_attributes_ && is_of_nodes_) {
      node_keys_.insert_or_assign(id, node_key{name, !is_number});
    } else {
      to.leave_out(name);
    }
  }

  struct node_key {
    std::string name;
    bool is_text = false;
    std::optional<std::string> by_default = {};
  };

  const bool keeps_attributes_;
  bool is_of_nodes_ = false;
  std::string declared_;                       // the attribute whose declaration it is in
  std::string node_;                           // the node that it is in; empty: none
  std::map<std::string, node_key> node_keys_;  // those that are kept
  std::set<std::string> given_;                // that the node has
  graph_file_info info_;
  bool has_graph_ = false;
  bool is_in_nodes_ = false;
};

}  // namespace

std::unique_ptr<xml_dialect> make_gexf(const graph_file_options& options) {
  return std::make_unique<gexf>(options);
}

}  // namespace perdure::graph::formats
