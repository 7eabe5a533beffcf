// GraphML: nodes, edges, and data by keys that are declared before. Unless other keys are asked for, weights
// are an edge's data that is called "weight", times what is called "time". What else there is has no place in
// a graph, and is named.
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "column_names.hpp"
#include "xml_source.hpp"

namespace perdure::graph::formats {
namespace {

class graphml final : public xml_dialect {
 public:
  explicit graphml(const graph_file_options& options)
      : wanted_weight_(options.weight_column),
        wanted_time_(options.time_column),
        keeps_attributes_(options.keep_attributes) {
    info_.format = graph_format::graphml;
    info_.description = "GraphML";
  }

  void begin(std::string_view element, const xml_attributes& attributes, listed_elements& to) override {
    if (element == "key") {
      declare(attributes, to);
    } else if (element == "graph") {
      if (std::exchange(has_graph_, true)) to.refuse("a second graph, or one inside another, is not read");
      const char* const directed = attributes.find("edgedefault");
      info_.kind = directed != nullptr && std::string_view(directed) == "undirected" ? direction::undirected
                                                                                     : direction::directed;
      finish_info(to);
    } else if (element == "node") {
      node_ = required(attributes, "id", to);
      to.node(node_, node_);
      is_in_node_ = true;
      given_.clear();
    } else if (element == "edge") {
      begin_edge(attributes, to);
    } else if (element == "data") {
      const char* const key = attributes.find("key");
      key_ = key == nullptr ? "" : key;
      if (!declared_keys_.contains(key_))
        to.leave_out("data of the key \"" + key_ + "\", which is not declared");
    } else if (element == "hyperedge") {
      to.refuse("an edge of more than two nodes (hyperedge) is not read");
    } else if (element == "port") {
      to.refuse("ports of nodes are not read");
    }
  }

  void end(std::string_view element, std::string_view text, listed_elements& to) override {
    if (element == "data" && is_in_node_) {
      if (const auto found = node_keys_.find(key_); found != node_keys_.end()) {
        to.attribute(node_, found->second.name, text, found->second.is_text);
        given_.insert(key_);
      }
    } else if (element == "node") {
      is_in_node_ = false;
      for (const auto& [key, one] : node_keys_)
        if (one.by_default && !given_.contains(key))
          to.attribute(node_, one.name, *one.by_default, one.is_text);
    } else if (element == "data" && is_in_edge_) {
      if (key_ == weight_key_) weight_ = to.number(text, "the weight");
      if (key_ == time_key_) time_ = to.number(text, "the time");
    } else if (element == "default") {
      if (const auto found = node_keys_.find(declared_); found != node_keys_.end())
        found->second.by_default = std::string(text);
      if (declared_ == weight_key_) default_weight_ = to.number(text, "the default weight");
      if (declared_ == time_key_) default_time_ = to.number(text, "the default time");
    } else if (element == "edge") {
      is_in_edge_ = false;
      if (info_.has_weights && !weight_) to.refuse("an edge has no weight, and its key has no default");
      if (info_.has_times && !time_) to.refuse("an edge has no time, and its key has no default");
      to.edge(source_, target_, weight_, time_);
    }
  }

  const graph_file_info& info() const noexcept override { return info_; }

 private:
  static std::string required(const xml_attributes& attributes, const char* name, const listed_elements& to) {
    const char* const value = attributes.find(name);
    if (value == nullptr) to.refuse(std::string("the attribute \"") + name + "\" is missing");
    return value;
  }

  void declare(const xml_attributes& attributes, listed_elements& to) {
    const auto text = [&](const char* name) {
      const char* const value = attributes.find(name);
      return std::string(value == nullptr ? "" : value);
    };
    declared_ = text("id");
    declared_keys_.insert(declared_);
    const std::string of = text("for");
    const std::string name = text("attr.name").empty() ? declared_ : text("attr.name");
    const bool is_of_edges = of == "edge" || of == "all" || of.empty();
    const auto is_wanted = [&name](const std::string& wanted, const char* by_itself) {
      return wanted != no_column && name == (wanted.empty() ? by_itself : wanted);
    };
    if (is_of_edges && is_wanted(wanted_weight_, "weight")) {
      weight_key_ = declared_;
      info_.has_weights = true;
    } else if (is_of_edges && is_wanted(wanted_time_, "time")) {
      time_key_ = declared_;
      info_.has_times = true;
    } else if (keeps_attributes_ && of == "node") {
      const std::string type = text("attr.type");
      node_keys_.insert_or_assign(declared_,
                                  node_key{name, type.empty() || type == "string" || type == "boolean"});
    } else {
      to.leave_out(name);
    }
  }

  void finish_info(const listed_elements& to) {
    const auto require = [&to](const std::string& wanted, bool is_there) {
      if (!is_there && !wanted.empty() && wanted != no_column)
        to.refuse("no key of edges is called \"" + wanted + '"');
    };
    require(wanted_weight_, info_.has_weights);
    require(wanted_time_, info_.has_times);
    info_.description += info_.kind == direction::undirected ? ", undirected" : ", directed";
    if (info_.has_weights) info_.description += ", weights";
    if (info_.has_times) info_.description += ", times";
  }

  void begin_edge(const xml_attributes& attributes, const listed_elements& to) {
    is_in_edge_ = true;
    source_ = required(attributes, "source", to);
    target_ = required(attributes, "target", to);
    weight_ = default_weight_;
    time_ = default_time_;
    if (attributes.find("sourceport") != nullptr || attributes.find("targetport") != nullptr)
      to.refuse("ports of nodes are not read");
    if (const char* const directed = attributes.find("directed");
        directed != nullptr && (std::string_view(directed) == "true") != (info_.kind == direction::directed))
      to.refuse("directed and undirected edges in one graph are not read");
  }

  const std::string wanted_weight_;  // as asked for; empty: by itself
  const std::string wanted_time_;
  const bool keeps_attributes_;
  struct node_key {
    std::string name;
    bool is_text = false;
    std::optional<std::string> by_default = {};
  };

  graph_file_info info_;
  bool has_graph_ = false;
  bool is_in_edge_ = false;
  bool is_in_node_ = false;
  std::string node_;                           // its id
  std::map<std::string, node_key> node_keys_;  // those that are kept
  std::set<std::string> given_;                // that the node has
  std::set<std::string> declared_keys_;
  std::string declared_;  // the key whose declaration it is in
  std::string key_;       // of the data it is in
  std::optional<std::string> weight_key_;
  std::optional<std::string> time_key_;
  std::optional<double> default_weight_;
  std::optional<double> default_time_;
  std::string source_;
  std::string target_;
  std::optional<double> weight_;
  std::optional<double> time_;
};

}  // namespace

std::unique_ptr<xml_dialect> make_graphml(const graph_file_options& options) {
  return std::make_unique<graphml>(options);
}

}  // namespace perdure::graph::formats
