// Packs and unpacks what reserved attributes say.
#include "reserved_keys.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <perdure/formats/group_attributes.hpp>
#include <utility>

namespace perdure::formats {

bool is_reserved_key(std::string_view key) noexcept {
  return key == fill_value_key || key == max_dims_key || key == charset_key || key == null_key ||
         (key.starts_with(enumeration_key) &&
          (key.size() == enumeration_key.size() || key[enumeration_key.size()] == ' '));
}

std::string enumeration_key_of(const std::string& key) {
  return std::string(enumeration_key) + ' ' + key;
}

const array_attribute* find_attribute(const array_description& what, std::string_view key) noexcept {
  const auto found = std::find_if(what.attributes.begin(), what.attributes.end(),
                                  [key](const array_attribute& one) { return one.key == key; });
  return found == what.attributes.end() ? nullptr : &*found;
}

std::vector<std::uint64_t> max_dims_of(const array_description& what, std::string& problem) {
  const array_attribute* const given = find_attribute(what, max_dims_key);
  if (given == nullptr) return {};
  std::vector<std::uint64_t> limits(given->bytes.size() / sizeof(std::uint64_t));
  if (!limits.empty()) std::memcpy(limits.data(), given->bytes.data(), limits.size() * sizeof limits[0]);
  bool fits = given->type == element_kind::uint64 && limits.size() == what.dims.rank();
  for (std::size_t i = 0; fits && i < limits.size(); ++i) fits = limits[i] >= what.dims[i] && limits[i] != 0;
  if (fits) return limits;
  problem = "loses the limits of its dimensions: they do not fit its shape";
  return {what.dims.begin(), what.dims.end()};
}

array_attribute max_dims_attribute(const std::vector<std::uint64_t>& limits) {
  std::string bytes(limits.size() * sizeof(std::uint64_t), '\0');
  if (!limits.empty()) std::memcpy(bytes.data(), limits.data(), bytes.size());
  return {std::string(max_dims_key), element_kind::uint64, {limits.size()}, std::move(bytes)};
}

variable_elements joined(const std::vector<std::string>& texts) {
  variable_elements all;
  for (const std::string& one : texts) {
    all.bytes += one;
    all.ends.push_back(all.bytes.size());
  }
  return all;
}

std::vector<std::string> split(const variable_elements& all) {
  std::vector<std::string> texts;
  std::uint64_t begin = 0;
  for (const std::uint64_t end : all.ends) {
    texts.push_back(all.bytes.substr(begin, end - begin));
    begin = end;
  }
  return texts;
}

std::vector<std::string> texts_of(const array_attribute* attribute) {
  if (attribute == nullptr || attribute->type != element_kind::text || attribute->dims.empty()) return {};
  return split(unpack_elements(attribute->dims, attribute->bytes));
}

array_attribute list_of_texts(std::string key, const std::vector<std::string>& texts) {
  return {std::move(key), element_kind::text, {texts.size()}, pack_elements(joined(texts))};
}

array_attribute characters_as_texts(const array_attribute& attribute) {
  array_attribute result{attribute.key, element_kind::text, {}, {}};
  const std::size_t rank = attribute.dims.rank();
  const std::size_t length = rank == 0 ? 1 : attribute.dims[rank - 1];
  if (rank > 1) result.dims = extents(attribute.dims.span().first(rank - 1));
  std::vector<std::string> texts;
  for (std::uint64_t i = 0; i < result.dims.elements(); ++i) {
    std::string one = attribute.bytes.substr(i * length, length);
    one.resize(one.find_last_not_of('\0') + 1);
    texts.push_back(std::move(one));
  }
  result.bytes = rank > 1 ? pack_elements(joined(texts)) : texts[0];
  return result;
}

bool parse_enumerator(std::string_view text, std::string& name, std::uint64_t& value) noexcept {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string_view::npos || equals == 0) return false;
  name = text.substr(0, equals);
  const char* const begin = text.data() + equals + 1;
  const char* const end = text.data() + text.size();
  std::int64_t number = 0;
  if (const auto [stop, problem] = std::from_chars(begin, end, number);
      problem == std::errc{} && stop == end) {
    value = static_cast<std::uint64_t>(number);
    return true;
  }
  const auto [stop, problem] = std::from_chars(begin, end, value);
  return problem == std::errc{} && stop == end;
}

}  // namespace perdure::formats
