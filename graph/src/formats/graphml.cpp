// GraphML: nodes, edges, and data by keys that are declared before. Weights are an edge's data that is called
// "weight", times what is called "time". What else there is has no place in a graph, and is named.
#include <optional>
#include <string>
#include <utility>

#include "xml_source.hpp"

namespace perdure::graph::formats {
namespace {

class graphml final : public xml_dialect {
 public:
  graphml() {
    info_.format = graph_format::graphml;
    info_.description = "GraphML";
  }

  void begin(std::string_view element, const xml_attributes& attributes, sink& to) override {
    if (element == "key") {
      declare(attributes);
    } else if (element == "graph") {
      if (std::exchange(has_graph_, true)) to.refuse("a second graph, or one inside another, is not read");
      const char* const directed = attributes.find("edgedefault");
      info_.kind = directed != nullptr && std::string_view(directed) == "undirected" ? direction::undirected
                                                                                     : direction::directed;
      finish_info();
    } else if (element == "node") {
      to.node(required(attributes, "id", to));
    } else if (element == "edge") {
      begin_edge(attributes, to);
    } else if (element == "data") {
      const char* const key = attributes.find("key");
      key_ = key == nullptr ? "" : key;
    } else if (element == "hyperedge") {
      to.refuse("an edge of more than two nodes (hyperedge) is not read");
    } else if (element == "port") {
      to.refuse("ports of nodes are not read");
    }
  }

  void end(std::string_view element, std::string_view text, sink& to) override {
    if (element == "data" && is_in_edge_) {
      if (key_ == weight_key_) weight_ = xml_number(text, "the weight", to);
      if (key_ == time_key_) time_ = xml_number(text, "the time", to);
    } else if (element == "default") {
      if (declared_ == weight_key_) default_weight_ = xml_number(text, "the default weight", to);
      if (declared_ == time_key_) default_time_ = xml_number(text, "the default time", to);
    } else if (element == "edge") {
      is_in_edge_ = false;
      if (info_.has_weights && !weight_) to.refuse("an edge has no weight, and its key has no default");
      if (info_.has_times && !time_) to.refuse("an edge has no time, and its key has no default");
      to.edge(source_, target_, weight_.value_or(0), time_.value_or(0));
    }
  }

  const graph_file_info& info() const noexcept override { return info_; }

 private:
  static std::string required(const xml_attributes& attributes, const char* name, const sink& to) {
    const char* const value = attributes.find(name);
    if (value == nullptr) to.refuse(std::string("the attribute \"") + name + "\" is missing");
    return value;
  }

  void declare(const xml_attributes& attributes) {
    const auto text = [&](const char* name) {
      const char* const value = attributes.find(name);
      return std::string(value == nullptr ? "" : value);
    };
    declared_ = text("id");
    const std::string of = text("for");
    const std::string name = text("attr.name").empty() ? declared_ : text("attr.name");
    const bool is_of_edges = of == "edge" || of == "all" || of.empty();
    if (is_of_edges && name == "weight") {
      weight_key_ = declared_;
      info_.has_weights = true;
    } else if (is_of_edges && name == "time") {
      time_key_ = declared_;
      info_.has_times = true;
    } else {
      info_.left_out.push_back(name);
    }
  }

  void finish_info() {
    info_.description += info_.kind == direction::undirected ? ", undirected" : ", directed";
    if (info_.has_weights) info_.description += ", weights";
    if (info_.has_times) info_.description += ", times";
  }

  void begin_edge(const xml_attributes& attributes, const sink& to) {
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

  graph_file_info info_;
  bool has_graph_ = false;
  bool is_in_edge_ = false;
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

std::unique_ptr<xml_dialect> make_graphml() {
  return std::make_unique<graphml>();
}

}  // namespace perdure::graph::formats
