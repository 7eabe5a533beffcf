// Reads JSON files of zarr.
#include "zarr_json.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <perdure/error.hpp>
#include <system_error>
#include <utility>

#include "file_failure.hpp"
#include "input_file.hpp"

namespace perdure::formats {

namespace {

constexpr std::size_t longest_zarr_json = std::size_t{64} << 20;
constexpr int deepest_zarr_json = 100;

// No text that a file has in earnest begins with this character.
constexpr std::string_view mark = "\x01perdure:";

struct non_finite_number {
  std::string_view word;
  double value;
};
constexpr non_finite_number non_finite_numbers[] = {{"-Infinity", -std::numeric_limits<double>::infinity()},
                                                    {"Infinity", std::numeric_limits<double>::infinity()},
                                                    {"NaN", std::numeric_limits<double>::quiet_NaN()}};

/// Puts texts in the place of the numbers that JSON lacks.
std::string with_texts_for_numbers(std::string_view json) {
  std::string out;
  bool is_in_text = false;
  for (std::size_t at = 0; at < json.size();) {
    const char c = json[at];
    if (is_in_text && c == '\\') {
      out.append(json.substr(at, 2));
      at += 2;
      continue;
    }
    if (c == '"') is_in_text = !is_in_text;
    const non_finite_number* found = nullptr;
    if (!is_in_text)
      for (const non_finite_number& one : non_finite_numbers)
        if (json.substr(at).starts_with(one.word)) found = &one;
    if (found == nullptr) {
      out += c;
      ++at;
      continue;
    }
    out.append("\"\\u0001").append(mark.substr(1)).append(found->word).append(1, '"');
    at += found->word.size();
  }
  return out;
}

/// The message of a failure, without the number that the library gives it.
std::string reason_of(const nlohmann::json::exception& failure) {
  const std::string_view what = failure.what();
  const std::size_t end = what.find("] ");
  return std::string(what.starts_with('[') && end != std::string_view::npos ? what.substr(end + 2) : what);
}

}  // namespace

zarr_json read_json_file(const std::filesystem::path& path) {
  const input_file file(path);
  if (file.size() > longest_zarr_json) file.refuse("it is too long");
  const std::string text = file.text_at(0, file.size());
  // Deeper nesting than anybody writes would end on the stack.
  const auto limited = [&file](int depth, zarr_json::parse_event_t, zarr_json&) {
    if (depth > deepest_zarr_json) file.refuse("it is nested too deeply");
    return true;
  };
  try {
    return zarr_json::parse(with_texts_for_numbers(text), limited);
  } catch (const nlohmann::json::exception& failure) {
    file.refuse("it is no JSON: " + reason_of(failure));
  }
}

std::optional<double> non_finite(const zarr_json& value) {
  const auto* const text = value.get_ptr<const std::string*>();
  if (text == nullptr || !text->starts_with(mark)) return std::nullopt;
  for (const non_finite_number& one : non_finite_numbers)
    if (std::string_view(*text).substr(mark.size()) == one.word) return one.value;
  return std::nullopt;
}

zarr_json non_finite_json(std::string_view word) {
  return std::string(mark).append(word);
}

std::string text_of(const zarr_json& document, int indent) {
  std::string text = document.dump(indent, ' ', false, zarr_json::error_handler_t::replace);
  const std::string quoted = std::string("\"\\u0001").append(mark.substr(1));
  for (std::size_t at = text.find(quoted); at != std::string::npos; at = text.find(quoted, at)) {
    const std::size_t end = text.find('"', at + quoted.size());
    text.erase(end, 1);
    text.erase(at, quoted.size());
  }
  return text;
}

zarr_json json_from(const std::string& text) {
  zarr_json value = zarr_json::parse(with_texts_for_numbers(text), nullptr, false);
  return value.is_discarded() ? zarr_json(text) : value;
}

std::vector<std::string> directories_in(const std::filesystem::path& directory) {
  std::vector<std::string> names;
  std::error_code failure;
  std::filesystem::directory_iterator entries(directory, failure);
  if (failure == std::errc::no_such_file_or_directory) return names;
  for (; !failure && entries != std::filesystem::directory_iterator(); entries.increment(failure)) {
    std::error_code ignored;
    if (entries->is_directory(ignored)) names.push_back(entries->path().filename().string());
  }
  if (failure) fail_with(directory, "list", failure.value());
  std::sort(names.begin(), names.end());
  return names;
}

void lacks(std::string_view what) {
  throw error(errc::bad_input, std::string("it lacks ").append(what) + ", or it is none");
}

const zarr_json& member(const zarr_json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (found == object.end()) lacks(key);
  return *found;
}

std::string text_in(const zarr_json& value, std::string_view what) {
  if (!value.is_string()) lacks(what);
  return value.get<std::string>();
}

extents extents_in(const zarr_json& value, std::string_view what) {
  if (!value.is_array()) lacks(what);
  if (value.size() > max_rank)
    throw error(errc::unsupported, "it has " + std::to_string(value.size()) +
                                       " dimensions, and arrays have up to " + std::to_string(max_rank));
  extents dims;
  for (const zarr_json& one : value) {
    if (!one.is_number_unsigned()) lacks(what);
    dims.push_back(one.get<std::uint64_t>());
  }
  return dims;
}

zarr_json list_of(const extents& dims) {
  zarr_json list = zarr_json::array();
  for (const std::uint64_t n : dims) list.push_back(n);
  return list;
}

}  // namespace perdure::formats
