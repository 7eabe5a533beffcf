// Parses names of arrays, and of parts of them.
#include "array_place.hpp"

#include <perdure/error.hpp>
#include <perdure/manager.hpp>
#include <perdure/store_set.hpp>

#include "command_line.hpp"

namespace perdure::cli {

array_place parse_array_place(const std::string& text) {
  if (text.empty()) throw usage_error("no store is named");
  if (std::filesystem::is_directory(text)) return {text, ""};
  std::size_t chosen = std::string::npos;
  for (std::size_t at = text.find(':', 1); at != std::string::npos; at = text.find(':', at + 1)) {
    if (chosen == std::string::npos) chosen = at;  // nothing may be there yet
    if (const std::string store = text.substr(0, at); !manager::exists(store) && !is_set(store)) continue;
    chosen = at;
    break;
  }
  if (chosen == std::string::npos) return {text, ""};
  return {text.substr(0, chosen), text.substr(chosen + 1)};
}

array_place parse_array_place_with_id(const std::string& text) {
  array_place place = parse_array_place(text);
  if (place.id.empty())
    throw usage_error('"' + text +
                      "\" names no array: give the store and the array's id, as run.store:temperature");
  return place;
}

formats::array_selection take_part(std::string& id, const untyped_arrays& arrays) {
  const std::size_t open = id.rfind('[');
  if (!id.ends_with(']') || open == std::string::npos || arrays.find(id)) return {};
  try {
    formats::array_selection part(std::string_view(id).substr(open + 1, id.size() - open - 2));
    id.resize(open);
    return part;
  } catch (const error& failure) {
    throw usage_error(failure.what());
  }
}

}  // namespace perdure::cli
