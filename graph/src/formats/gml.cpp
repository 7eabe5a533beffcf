// One graph of nodes and edges. Unless other keys are asked for, weights are an edge's `weight`, or where the
// first edge has none its `value`, and times its `time`. Other numbers and texts become attributes where
// these are kept. Everything else is named.
#include "gml.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "column_names.hpp"
#include "gml_tokens.hpp"
#include "listed_source.hpp"

namespace perdure::graph::formats {
namespace {

using token = gml_tokens::kind;

class gml_source final : public listed_source {
 public:
  gml_source(std::unique_ptr<workload::byte_stream> stream, const graph_file_options& options)
      : listed_source(std::move(stream), options, order_of_nodes::before_edges),
        wanted_weight_(options.weight_column),
        wanted_time_(options.time_column),
        keeps_attributes_(options.keep_attributes),
        tokens_(this->stream(), [this](const std::string& what) { refuse(what); }) {
    info_.format = graph_format::gml;
    info_.kind = direction::undirected;
    find_graph();
    read_to_first_edge();
    info_.description = info_.kind == direction::directed ? "GML, directed" : "GML, undirected";
    if (info_.has_weights) info_.description += ", weights (" + weight_key_ + ")";
    if (info_.has_times) info_.description += ", times";
  }

  const graph_file_info& info() const noexcept override { return info_; }

 private:
  struct value {
    std::string text;
    bool is_text = false;
  };
  struct plain_value {
    std::string key;
    std::string text;
    bool is_text;
  };

  file_place where() const override { return {tokens_.line(), tokens_.column()}; }
  /// Takes the token behind a key. NAN and INF are numbers there, as NetworkX writes them.
  token next_value() {
    const token found = tokens_.next();
    return found == token::key && is_not_finite(tokens_.text()) ? token::number : found;
  }
  static bool is_not_finite(std::string_view text) {
    constexpr std::array words = {"NAN", "nan", "NaN", "INF", "inf"};
    return std::find(words.begin(), words.end(), text) != words.end();
  }

  /// Up to the list of the graph.
  void find_graph() {
    for (;;) {
      const token found = tokens_.next();
      if (found == token::end) refuse("the file ends before its graph");
      if (found != token::key) refuse("expected a key, as graph");
      const std::string key = tokens_.text();
      const token next = next_value();
      if (key == "graph" && next == token::open) return;
      skip(next);
    }
  }

  /// Takes in one entry of the graph's list, or finds its end.
  bool read_some() override {
    const token found = tokens_.next();
    if (found == token::end) refuse("the file ends inside the graph");
    if (found == token::close) {
      find_end();
      return false;
    }
    if (found != token::key) refuse("expected a key, as node or edge");
    const std::string key = tokens_.text();
    const token next = next_value();
    if ((key == "node" || key == "edge") && next == token::open) {
      if (key == "node") {
        read_node();
      } else {
        read_edge();
      }
    } else if (key == "directed") {
      read_direction(next);
    } else {
      skip(next);
    }
    return true;
  }

  void find_end() {
    for (;;) {
      const token found = tokens_.next();
      if (found == token::end) return;
      if (found != token::key) refuse("expected a key, or the file's end");
      if (tokens_.text() == "graph") refuse("a second graph is not read");
      skip(next_value());
    }
  }

  void read_direction(token found) {
    if (found != token::number || (tokens_.text() != "0" && tokens_.text() != "1"))
      refuse("expected directed 0 or directed 1");
    const direction now = tokens_.text() == "1" ? direction::directed : direction::undirected;
    if (has_edges_ && now != *info_.kind) refuse("directed is said only behind edges");
    info_.kind = now;
  }

  /// Skips a value, of which `found` was the first token.
  void skip(token found) {
    if (found == token::key || found == token::close || found == token::end)
      refuse("expected the value of a key");
    if (found != token::open) return;
    for (std::uint64_t depth = 1; depth != 0;) {
      const token next = tokens_.next();
      if (next == token::end) refuse("the file ends inside a list");
      if (next == token::open) ++depth;
      if (next == token::close) --depth;
    }
  }

  /// Reads the list of a node or an edge. `wanted(key)` gives where its value is to be kept, or null; then
  /// `other(key, value, is_text)` may keep it, and returns whether it has.
  template <class Wanted, class Other>
  void read_list(Wanted&& wanted, Other&& other) {
    for (;;) {
      const token found = tokens_.next();
      if (found == token::close) return;
      if (found == token::end) refuse("the file ends inside a list");
      if (found != token::key) refuse("expected a key");
      const std::string key = tokens_.text();
      const token next = next_value();
      std::optional<value>* const kept = wanted(key);
      if (kept == nullptr) {
        const bool is_plain = next == token::number || next == token::text;
        if (is_plain && other(key, tokens_.text(), next == token::text)) continue;
        skip(next);
        leave_out(key);
        continue;
      }
      if (next != token::number && next != token::text) refuse("expected a number or a text as " + key);
      if (*kept) refuse("a second " + key);
      *kept = value{tokens_.text(), next == token::text};
    }
  }

  /// Makes what `read_list` calls for keys that are not wanted: keeps them if attributes are kept.
  auto keep_in(std::vector<plain_value>& others) const {
    return [this, &others](const std::string& key, const std::string& text, bool is_text) {
      if (keeps_attributes_) others.push_back({key, text, is_text});
      return keeps_attributes_;
    };
  }

  void read_node() {
    const file_place begin = where();
    std::optional<value> id;
    std::optional<value> label;
    std::vector<plain_value> others;
    read_list([&](const std::string& key) { return key == "id"      ? &id
                                                   : key == "label" ? &label
                                                                    : nullptr; },
              keep_in(others));
    if (!id) throw error_at(begin, "a node without an id");
    node(id->text, label ? label->text : id->text);
    for (const plain_value& one : others) attribute(id->text, one.key, one.text, one.is_text);
    if (!label || has_names() || label->text == id->text) return;
    if (keeps_attributes_) {
      attribute(id->text, "label", label->text, true);
    } else {
      leave_out("label");
    }
  }

  void read_edge() {
    const file_place begin = where();
    std::optional<value> source;
    std::optional<value> target;
    std::optional<value> weight;
    std::optional<value> other_weight;
    std::optional<value> time;
    std::vector<plain_value> others;
    read_list(
        [&](const std::string& key) -> std::optional<value>* {
          if (key == "source") return &source;
          if (key == "target") return &target;
          if (key == time_key_) return &time;
          if (!wanted_weight_.empty()) return key == wanted_weight_ && key != no_column ? &weight : nullptr;
          return key == "weight" ? &weight : key == "value" ? &other_weight : nullptr;
        },
        keep_in(others));
    if (!source || !target) throw error_at(begin, "an edge without a source or a target");
    if (!std::exchange(has_edges_, true)) {
      if (wanted_weight_.empty() && !weight && other_weight) weight_key_ = "value";
      info_.has_weights = wanted_weight_.empty() ? weight || other_weight : wanted_weight_ != no_column;
      info_.has_times = time || !wanted_time_.empty();
    }
    if (weight_key_ == "value" && wanted_weight_.empty()) {
      std::swap(weight, other_weight);
      if (other_weight)
        throw error_at(begin, "an edge with a weight beside its value: the first edge has none");
    } else if (other_weight && !keeps_attributes_) {
      leave_out("value");
    } else if (other_weight) {
      others.push_back({"value", other_weight->text, other_weight->is_text});
    }
    const auto require_as_first = [&](bool has, bool first_has, const std::string& what) {
      if (has && !first_has) throw error_at(begin, "an edge with " + what + ", and the first edge has none");
      if (first_has && !has) throw error_at(begin, "an edge without " + what);
    };
    require_as_first(weight.has_value(), info_.has_weights, weight_key_);
    require_as_first(time.has_value(), info_.has_times, time_key_);
    edge(source->text, target->text, number_in(weight, "the weight"), number_in(time, "the time"));
    for (const plain_value& one : others) edge_attribute(one.key, one.text, one.is_text);
  }

  std::optional<double> number_in(const std::optional<value>& given, const char* what) const {
    if (!given) return std::nullopt;
    return number(given->text, what);
  }

  const std::string wanted_weight_;  // as asked for; empty: by itself
  const std::string wanted_time_;
  const bool keeps_attributes_;
  gml_tokens tokens_;
  graph_file_info info_;
  std::string weight_key_ = wanted_weight_.empty() ? "weight" : wanted_weight_;
  std::string time_key_ = wanted_time_.empty() ? "time" : wanted_time_;
  bool has_edges_ = false;
};

}  // namespace

bool is_gml(std::string_view head) {
  // Keys with plain values may come before.
  const auto skip_space = [&head] {
    for (;;) {
      const std::size_t at = head.find_first_not_of(" \t\r\n");
      head.remove_prefix(std::min(at, head.size()));
      if (!head.starts_with('#')) return;
      head.remove_prefix(std::min(head.find('\n'), head.size()));
    }
  };
  constexpr int most_keys = 16;
  for (int keys = 0; keys < most_keys; ++keys) {
    skip_space();
    const auto is_of_key = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    const auto* const key_end = std::find_if_not(head.begin(), head.end(), is_of_key);
    const std::string_view key = head.substr(0, static_cast<std::size_t>(key_end - head.begin()));
    if (key.empty()) return false;
    head.remove_prefix(key.size());
    skip_space();
    if (key == "graph") return head.starts_with('[');
    if (head.starts_with('"')) {
      const std::size_t end = head.find('"', 1);
      if (end == std::string_view::npos) return false;
      head.remove_prefix(end + 1);
    } else {
      head.remove_prefix(std::min(head.find_first_of(" \t\r\n["), head.size()));
    }
  }
  return false;
}

std::unique_ptr<graph_file> open_gml(std::unique_ptr<workload::byte_stream> stream,
                                     const graph_file_options& options) {
  return std::make_unique<gml_source>(std::move(stream), options);
}

}  // namespace perdure::graph::formats
