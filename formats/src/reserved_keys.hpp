// Attributes that stand for facts which formats keep apart from attributes (group_attributes.hpp).
#pragma once

#include <algorithm>
#include <initializer_list>
#include <perdure/error.hpp>
#include <perdure/formats/array_source.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "opened_arrays.hpp"

namespace perdure::formats {

/// Returns whether a key stands for such a fact, so that a file cannot have an attribute of that name here.
bool is_reserved_key(std::string_view key) noexcept;
/// Calls `write` with each attribute of a file's own. Attributes that it throws `unsupported` for are
/// reported as lost, and those of `without`, which stand for facts that the format does not have.
template <class Write>
void write_each_attribute(const array_description& what, std::initializer_list<std::string_view> without,
                          const loss_sink& report, Write&& write) {
  for (const array_attribute& one : what.attributes) {
    if (std::find(without.begin(), without.end(), one.key) != without.end())
      report(
          {what.name, "loses the attribute \"" + one.key + "\": the format has nothing that it stands for"});
    if (is_reserved_key(one.key)) continue;
    try {
      write(one);
    } catch (const error& failure) {
      if (failure.code() != errc::unsupported) throw;
      report({what.name, "loses the attribute \"" + one.key + "\": " + failure.what()});
    }
  }
}
/// Returns the key of the names of values of an attribute that is an enumeration.
std::string enumeration_key_of(const std::string& key);
/// Returns an attribute of that key, or null.
const array_attribute* find_attribute(const array_description& what, std::string_view key) noexcept;

/// Returns the largest extent of each dimension that the array has by its attribute; its shape, and a
/// sentence in `problem`, if the attribute does not fit the shape. Returns none without the attribute.
std::vector<std::uint64_t> max_dims_of(const array_description& what, std::string& problem);
/// Returns such an attribute.
array_attribute max_dims_attribute(const std::vector<std::uint64_t>& limits);

/// Returns the texts, one after the other, as elements.
variable_elements joined(const std::vector<std::string>& texts);
/// Returns the elements as texts.
std::vector<std::string> split(const variable_elements& all);
/// Returns the texts of an attribute that is a list of texts; none if it is no such list.
std::vector<std::string> texts_of(const array_attribute* attribute);
/// Returns a list of texts as an attribute.
array_attribute list_of_texts(std::string key, const std::vector<std::string>& texts);

/// Returns an attribute of characters as one text, or as a list of texts: the last dimension is the length of
/// each. Zeros at the end of a text are dropped.
array_attribute characters_as_texts(const array_attribute& attribute);

/// Name and value of one value of an enumeration, from NAME=VALUE. The value is of any integer type, with its
/// lowest bytes first. Returns false if the text is nothing such.
bool parse_enumerator(std::string_view text, std::string& name, std::uint64_t& value) noexcept;

}  // namespace perdure::formats
