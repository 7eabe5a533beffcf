// Between the types of the library and those of the tables. Each side of a module has its own copy.
#pragma once

#include <algorithm>
#include <perdure/formats/array_source.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "module/table.hpp"

namespace perdure::formats::modules {

inline text to_text(std::string_view given) noexcept {
  return {given.data(), given.size()};
}
inline std::string_view from_text(const text& given) noexcept {
  return {given.data, given.size};
}

inline shape to_shape(const extents& given) noexcept {
  shape result;
  result.rank = given.rank();
  std::copy(given.begin(), given.end(), result.extent);
  return result;
}
inline extents from_shape(const shape& given) {
  return extents(std::span(given.extent, given.rank));
}

inline elements to_elements(const variable_elements& given) noexcept {
  return {given.ends.data(), given.ends.size(), to_text(given.bytes)};
}
inline variable_elements from_elements(const elements& given) {
  return {{given.ends, given.ends + given.count}, std::string(from_text(given.bytes))};
}

/// A description as the tables have it, and what it points to.
class described {
 public:
  explicit described(const array_description& what) {
    types_.reserve(what.attributes.size());
    for (const array_attribute& one : what.attributes) {
      types_.push_back(one.type.text());
      attributes_.push_back(
          {to_text(one.key), to_text(types_.back()), to_shape(one.dims), to_text(one.bytes)});
    }
    for (const std::string& one : what.dimensions) dimensions_.push_back(to_text(one));
    type_ = what.type.text();
    name_ = what.name;
    dims_ = to_shape(what.dims);
    chunk_ = to_shape(what.chunk);
  }
  /// Valid until this is moved or ends.
  description table() const noexcept {
    return {to_text(name_),
            to_text(type_),
            dims_,
            dimensions_.empty() ? nullptr : dimensions_.data(),
            chunk_,
            attributes_.data(),
            attributes_.size()};
  }

 private:
  std::string name_;
  std::string type_;
  shape dims_;
  shape chunk_;
  std::vector<text> dimensions_;
  std::vector<std::string> types_;
  std::vector<attribute> attributes_;  // of the described array's bytes
};

inline array_description from_description(const description& given) {
  array_description what{std::string(from_text(given.name)), data_type::parse(from_text(given.type)),
                         from_shape(given.dims)};
  if (given.dimensions != nullptr)
    for (const text& one : std::span(given.dimensions, given.dims.rank))
      what.dimensions.emplace_back(from_text(one));
  what.chunk = from_shape(given.chunk);
  for (const attribute& one : std::span(given.attributes, given.attribute_count))
    what.attributes.push_back({std::string(from_text(one.key)), data_type::parse(from_text(one.type)),
                               from_shape(one.dims), std::string(from_text(one.bytes))});
  return what;
}

}  // namespace perdure::formats::modules
