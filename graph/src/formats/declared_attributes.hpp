// Attributes of nodes and edges in files: by their names, and as files declare them.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::graph::formats {

/// Finds the attribute of this name, or adds it.
template <class Attribute>
Attribute& attribute_called(std::vector<Attribute>& all, std::string_view name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [name](const Attribute& one) { return one.name == name; });
  return found != all.end() ? *found : all.emplace_back(Attribute{std::string(name)});
}

/// An attribute that a file declares before nodes and edges have it.
struct declared_attribute {
  std::string name;
  bool is_text = false;
  std::optional<std::string> by_default = {};
};
using declared_attributes = std::map<std::string, declared_attribute>;  // by what the file calls it

}  // namespace perdure::graph::formats
