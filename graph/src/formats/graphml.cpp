// GraphML: nodes, edges, and data by keys that are declared before. Unless other keys are asked for, weights
// are an edge's data that is called "weight", times what is called "time". Other data become attributes where
// these are kept. Everything else is named.
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "column_names.hpp"
#include "declared_attributes.hpp"
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
    if (data_depth_ != 0) {
      // Elements of another vocabulary, as yEd's shapes.
      ++data_depth_;
      to.leave_out(name_of_key());
      has_structure_ = true;
    } else if (element == "key") {
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
      begin_data_of(owner::node);
    } else if (element == "edge") {
      begin_edge(attributes, to);
    } else if (element == "data") {
      const char* const key = attributes.find("key");
      key_ = key == nullptr ? "" : key;
      data_depth_ = 1;
      has_structure_ = false;
      if (!declared_keys_.contains(key_))
        to.leave_out("data of the key \"" + key_ + "\", which is not declared");
    } else if (element == "hyperedge") {
      to.refuse("an edge of more than two nodes (hyperedge) is not read");
    } else if (element == "port") {
      to.refuse("ports of nodes are not read");
    }
  }

  void end(std::string_view element, std::string_view text, listed_elements& to) override {
    if (data_depth_ > 1) {
      --data_depth_;
    } else if (data_depth_ == 1) {
      data_depth_ = 0;
      end_data(text, to);
    } else if (element == "node") {
      add_defaults(node_keys_);
      for (const auto& [key, value] : data_) to.attribute(node_, key->name, value, key->is_text);
      is_in_ = owner::graph;
    } else if (element == "default") {
      for (declared_attributes* const keys : {&node_keys_, &edge_keys_})
        if (const auto found = keys->find(declared_); found != keys->end())
          found->second.by_default = std::string(text);
      if (declared_ == weight_key_) default_weight_ = to.number(text, "the default weight");
      if (declared_ == time_key_) default_time_ = to.number(text, "the default time");
    } else if (element == "edge") {
      is_in_ = owner::graph;
      if (info_.has_weights && !weight_) to.refuse("an edge has no weight, and its key has no default");
      if (info_.has_times && !time_) to.refuse("an edge has no time, and its key has no default");
      to.edge(source_, target_, weight_, time_);
      add_defaults(edge_keys_);
      for (const auto& [key, value] : data_) to.edge_attribute(key->name, value, key->is_text);
    }
  }

  const graph_file_info& info() const noexcept override { return info_; }

 private:
  enum class owner { graph, node, edge };
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
    const std::string of = text("for");
    const std::string name = text("attr.name").empty() ? declared_ : text("attr.name");
    declared_keys_.insert_or_assign(declared_, name);
    const bool is_of_all = of == "all" || of.empty();
    const bool is_of_edges = of == "edge" || is_of_all;
    const bool is_of_nodes = of == "node" || is_of_all;
    const std::string type = text("attr.type");
    const declared_attribute kept{name, type.empty() || type == "string" || type == "boolean"};
    const auto is_wanted = [&name](const std::string& wanted, const char* by_itself) {
      return wanted != no_column && name == (wanted.empty() ? by_itself : wanted);
    };
    if (is_of_edges && is_wanted(wanted_weight_, "weight")) {
      weight_key_ = declared_;
      info_.has_weights = true;
    } else if (is_of_edges && is_wanted(wanted_time_, "time")) {
      time_key_ = declared_;
      info_.has_times = true;
    } else if (keeps_attributes_ && (is_of_nodes || is_of_edges)) {
      if (is_of_edges) edge_keys_.insert_or_assign(declared_, kept);
    } else {
      to.leave_out(name);
    }
    if (keeps_attributes_ && is_of_nodes) node_keys_.insert_or_assign(declared_, kept);
  }

  void begin_data_of(owner one) {
    is_in_ = one;
    data_.clear();
    given_.clear();
  }

  void end_data(std::string_view text, listed_elements& to) {
    if (is_in_ == owner::edge && key_ == weight_key_) {
      weight_ = to.number(text, "the weight");
    } else if (is_in_ == owner::edge && key_ == time_key_) {
      time_ = to.number(text, "the time");
    } else if (keeps_attributes_ && !has_structure_) {
      keep_data(text, to);
    }
  }

  void keep_data(std::string_view text, listed_elements& to) {
    const declared_attributes& keys = is_in_ == owner::edge ? edge_keys_ : node_keys_;
    const auto found = keys.find(key_);
    if (is_in_ != owner::graph && found != keys.end()) {
      data_.emplace_back(&found->second, std::string(text));
      given_.insert(key_);
    } else if (declared_keys_.contains(key_)) {
      to.leave_out(name_of_key() + (is_in_ == owner::graph  ? " of the graph"
                                    : is_in_ == owner::edge ? " of edges"
                                                            : " of nodes"));
    }
  }

  void add_defaults(const declared_attributes& keys) {
    for (const auto& [key, one] : keys)
      if (one.by_default && !given_.contains(key)) data_.emplace_back(&one, *one.by_default);
  }

  /// Returns what the key of the data that it is in is called.
  std::string name_of_key() const {
    const auto found = declared_keys_.find(key_);
    return found == declared_keys_.end() ? key_ : found->second;
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
    begin_data_of(owner::edge);
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

  graph_file_info info_;
  bool has_graph_ = false;
  owner is_in_ = owner::graph;
  std::string node_;               // its id
  declared_attributes node_keys_;  // those that are kept
  declared_attributes edge_keys_;
  std::vector<std::pair<const declared_attribute*, std::string>> data_;  // of the node or edge
  std::set<std::string> given_;                                          // keys of these data
  std::map<std::string, std::string> declared_keys_;                     // names by ids
  std::string declared_;                                                 // the key whose declaration it is in
  std::string key_;                                                      // of the data it is in
  unsigned data_depth_ = 0;     // elements of these data that are open; 0: outside of data
  bool has_structure_ = false;  // elements are in these data
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
