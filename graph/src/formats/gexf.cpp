// GEXF, Gephi's format. An edge without a weight weighs 1, as the format says.
#include <algorithm>
#include <array>
#include <initializer_list>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "declared_attributes.hpp"
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
      keys_ = text("class") == "node" ? &node_keys_ : text("class") == "edge" ? &edge_keys_ : nullptr;
    } else if (element == "attribute") {
      declare(text("id"), text("title").empty() ? text("id") : text("title"), text("type"), to);
    } else if (element == "attvalue") {
      const std::string key = attributes.find("for") != nullptr ? text("for") : text("id");
      const declared_attributes& keys = is_in_edge_ ? edge_keys_ : node_keys_;
      if (const auto found = keys.find(key); found != keys.end()) {
        add(found->second, text("value"), to);
        given_.insert(key);
      } else if (keeps_attributes_) {
        to.leave_out("values of the attribute \"" + key + "\", which is not declared");
      }
    } else if (element == "node") {
      if (attributes.find("id") == nullptr) to.refuse("the attribute \"id\" is missing");
      node_ = text("id");
      is_in_edge_ = false;
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
      leave_out({"start", "end"}, "of edges", attributes, to);
      const char* const weight = attributes.find("weight");
      to.edge(text("source"), text("target"), weight == nullptr ? 1 : to.number(weight, "the weight"),
              std::nullopt);
      is_in_edge_ = true;
      given_.clear();
      if (!text("label").empty()) {
        if (keeps_attributes_) {
          to.edge_attribute("label", text("label"), true);
        } else {
          to.leave_out("label of edges");
        }
      }
    }
  }
  void end(std::string_view element, std::string_view text, listed_elements& to) override {
    if (element == "nodes") is_in_nodes_ = false;
    if (element == "default") {
      if (keys_ == nullptr) return;
      if (const auto found = keys_->find(declared_); found != keys_->end())
        found->second.by_default = std::string(text);
    }
    if (element != "node" && element != "edge") return;
    for (const auto& [key, one] : is_in_edge_ ? edge_keys_ : node_keys_)
      if (one.by_default && !given_.contains(key)) add(one, *one.by_default, to);
  }
  const graph_file_info& info() const noexcept override { return info_; }

 private:
  /// Notes a value of the node or the edge that it is in.
  void add(const declared_attribute& key, const std::string& value, listed_elements& to) const {
    if (is_in_edge_) {
      to.edge_attribute(key.name, value, key.is_text);
    } else {
      to.attribute(node_, key.name, value, key.is_text);
    }
  }

  static void leave_out(std::initializer_list<const char*> names, const char* of,
                        const xml_attributes& attributes, listed_elements& to) {
    for (const char* const name : names)
      if (attributes.find(name) != nullptr) to.leave_out(std::string(name) + ' ' + of);
  }

  void declare(const std::string& id, const std::string& name, const std::string& type, listed_elements& to) {
    declared_ = id;
    constexpr std::array numbers = {"integer", "long", "short", "byte", "float", "double"};
    const bool is_number = std::find(numbers.begin(), numbers.end(), type) != numbers.end();
    if (keeps_attributes_ && keys_ != nullptr) {
      keys_->insert_or_assign(id, declared_attribute{name, !is_number});
    } else {
      to.leave_out(name);
    }
  }

  const bool keeps_attributes_;
  declared_attributes node_keys_;  // those that are kept
  declared_attributes edge_keys_;
  declared_attributes* keys_ = nullptr;  // of the class that is being declared; null: of another one
  std::string declared_;                 // the attribute whose declaration it is in
  std::string node_;                     // the node that it is in
  bool is_in_edge_ = false;              // it is in an edge, not in a node
  std::set<std::string> given_;          // attributes of that node or edge
  graph_file_info info_;
  bool has_graph_ = false;
  bool is_in_nodes_ = false;
};

}  // namespace

std::unique_ptr<xml_dialect> make_gexf(const graph_file_options& options) {
  return std::make_unique<gexf>(options);
}

}  // namespace perdure::graph::formats
