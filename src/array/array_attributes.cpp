// Values beside arrays.
#include <algorithm>
#include <cstring>
#include <mutex>
#include <perdure/detail/index_order.hpp>

#include "array/array_geometry.hpp"
#include "array/array_name.hpp"
#include "array/stored_arrays.hpp"

namespace perdure::detail {
namespace {

/// `bad_input` if these cannot be the bytes of an attribute of that type and shape.
void require_bytes(const data_type& type, const extents& dims, std::string_view bytes) {
  if (type.is_variable()) {
    if (!dims.empty())
      unpack_elements(dims, bytes);
    else if (type.kind() == element_kind::sequence && type.element().size() != 0 &&
             bytes.size() % type.element().size() != 0)
      throw error(errc::bad_input,
                  std::to_string(bytes.size()) + " bytes are no elements of " + type.element().text());
  } else if (bytes.size() != bytes_of(dims, type.size())) {
    throw error(errc::bad_input, std::to_string(bytes.size()) + " bytes are not " + shape_text(dims) +
                                     " elements of " + type.text());
  }
}

}  // namespace

void stored_arrays::set_attribute(std::string_view id, std::string_view key, const data_type& type,
                                  const extents& dims, std::span<const std::byte> value) {
  arrays_.require_writable();
  if (key.empty() || key.size() > longest_id)
    throw error(errc::invalid_argument, "an attribute's name has 1 to 4096 bytes");
  try {
    require_bytes(type, dims, {reinterpret_cast<const char*>(value.data()), value.size()});
  } catch (const error& failure) {
    throw error(errc::invalid_argument,
                "the attribute \"" + std::string(key) + "\" cannot be set: " + failure.what());
  }
  stores_.await(id);
  const std::unique_lock lock(arrays_.mutex());
  stored_array& array = arrays_.require(id);
  const write_guard guard(arrays_.store().memory());
  const bool is_new = array.attributes.find(key) == array.attributes.end();
  // No attribute has the empty name. If there is no memory for the value all is as before.
  const auto entry = array.attributes.try_emplace(perdure::string(is_new ? key : "")).first;
  try {
    entry->second.type = type.text();
    assign(entry->second.dims, dims);
    entry->second.bytes.assign(reinterpret_cast<const char*>(value.data()), value.size());
  } catch (...) {
    array.attributes.erase(entry);
    throw;
  }
  if (is_new) return;
  array.attributes.find(key)->second.exchange(entry->second);
  array.attributes.erase(entry);
}

std::optional<attribute_value> stored_arrays::attribute(std::string_view id, std::string_view key) const {
  arrays_.require_open();
  const std::shared_lock lock(arrays_.mutex());
  const stored_array& array = arrays_.require(id);
  const auto found = array.attributes.find(key);
  if (found == array.attributes.end()) return std::nullopt;
  const stored_attribute& stored = found->second;
  try {
    attribute_value value{data_type::parse(stored.type), to_extents(stored.dims), std::string(stored.bytes)};
    require_bytes(value.type, value.dims, value.bytes);
    return value;
  } catch (const error& failure) {
    throw error(errc::damaged,
                quoted(id) + ": the attribute \"" + std::string(key) + "\": " + failure.what());
  }
}

std::vector<std::string> stored_arrays::attributes(std::string_view id) const {
  arrays_.require_open();
  std::vector<std::string> keys;
  {
    const std::shared_lock lock(arrays_.mutex());
    for (const auto& [key, value] : arrays_.require(id).attributes) keys.emplace_back(key);
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

bool stored_arrays::remove_attribute(std::string_view id, std::string_view key) {
  arrays_.require_writable();
  stores_.await(id);
  const std::unique_lock lock(arrays_.mutex());
  stored_array& array = arrays_.require(id);
  const write_guard guard(arrays_.store().memory());
  return array.attributes.erase(key) != 0;
}

}  // namespace perdure::detail
