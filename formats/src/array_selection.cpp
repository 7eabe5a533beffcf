// Parses parts of arrays, and applies them to shapes.
#include <algorithm>
#include <charconv>
#include <perdure/error.hpp>
#include <perdure/formats/array_selection.hpp>
#include <string>

namespace perdure::formats {

namespace {

std::int64_t number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{} || stop != text.data() + text.size())
    throw error(errc::invalid_argument,
                "\"" + std::string(text) +
                    "\" in brackets is no part of an array: give numbers and ranges, as [0:10,:,3]");
  return number;
}

std::string_view without_spaces(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

array_selection::array_selection(std::string_view text) {
  for (;;) {
    const std::size_t comma = text.find(',');
    selections_.push_back(parse_one(without_spaces(text.substr(0, comma))));
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  const auto is_rest = [](const selection& one) { return one.what == selection::kind::rest; };
  if (std::count_if(selections_.begin(), selections_.end(), is_rest) > 1)
    throw error(errc::invalid_argument, "\"...\" may stand in brackets once");
}

array_selection::selection array_selection::parse_one(std::string_view text) {
  selection one;
  if (text == "...") {
    one.what = selection::kind::rest;
    return one;
  }
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    one.what = selection::kind::one;
    one.begin = number_in(text);
    return one;
  }
  const std::string_view begin = without_spaces(text.substr(0, colon));
  const std::string_view behind = text.substr(colon + 1);
  const std::size_t second = behind.find(':');
  const std::string_view end = without_spaces(behind.substr(0, second));
  if (!begin.empty()) {
    one.has_begin = true;
    one.begin = number_in(begin);
  }
  if (!end.empty()) {
    one.has_end = true;
    one.end = number_in(end);
  }
  if (second != std::string_view::npos) {
    const std::string_view step = without_spaces(behind.substr(second + 1));
    if (!step.empty()) one.step = number_in(step);
    if (one.step < 1) throw error(errc::invalid_argument, "steps in brackets are 1 or more");
  }
  return one;
}

void array_selection::select(const selection& one, std::uint64_t extent, std::size_t dimension, slab& where) {
  // Of the extent's own range; no array has more elements than int64 counts.
  const auto size = static_cast<std::int64_t>(std::min<std::uint64_t>(extent, INT64_MAX));
  if (one.what == selection::kind::one) {
    const std::int64_t at = one.begin < 0 ? one.begin + size : one.begin;
    if (at < 0 || at >= size)
      throw error(errc::invalid_argument, "element " + std::to_string(one.begin) +
                                              " is asked for of dimension " + std::to_string(dimension) +
                                              ", which has " + std::to_string(extent));
    where.offset.push_back(static_cast<std::uint64_t>(at));
    where.count.push_back(1);
    where.stride.push_back(1);
    return;
  }
  const auto limited = [size](std::int64_t at) {
    if (at < 0) at = at < -size ? 0 : at + size;
    return std::min(at, size);
  };
  const std::int64_t begin = one.has_begin ? limited(one.begin) : 0;
  const std::int64_t end = one.has_end ? limited(one.end) : size;
  const std::int64_t span = std::max<std::int64_t>(end - begin, 0);
  const std::int64_t count = span == 0 ? 0 : (span - 1) / one.step + 1;
  where.offset.push_back(static_cast<std::uint64_t>(count == 0 ? 0 : begin));
  where.count.push_back(static_cast<std::uint64_t>(count));
  where.stride.push_back(count < 2 ? 1 : static_cast<std::uint64_t>(one.step));
}

array_selection::selected array_selection::of(const extents& dims) const {
  selected result;
  const auto is_rest = [](const selection& one) { return one.what == selection::kind::rest; };
  const bool has_rest = std::any_of(selections_.begin(), selections_.end(), is_rest);
  const std::size_t named = selections_.size() - (has_rest ? 1 : 0);
  if (named > dims.rank())
    throw error(errc::invalid_argument, "a part of " + std::to_string(named) +
                                            " dimensions is asked for of an array of shape " + dims.text());
  const std::size_t left = dims.rank() - named;
  std::size_t dimension = 0;
  const auto add = [&](const selection& one) {
    select(one, dims[dimension], dimension, result.where);
    result.is_dropped.push_back(one.what == selection::kind::one);
    ++dimension;
  };
  for (const selection& one : selections_) {
    if (is_rest(one))
      for (std::size_t i = 0; i < left; ++i) add({});
    else
      add(one);
  }
  while (dimension < dims.rank()) add({});
  return result;
}

extents array_selection::selected::dims() const {
  extents left;
  for (std::size_t i = 0; i < is_dropped.size(); ++i)
    if (!is_dropped[i]) left.push_back(where.count[i]);
  return left;
}

}  // namespace perdure::formats
