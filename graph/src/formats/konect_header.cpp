#include "konect_header.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "line_scan.hpp"

namespace perdure::graph::formats {
namespace {

constexpr std::array<std::string_view, 9> kinds_of_weights{
    "unweighted", "positive",      "posweighted", "signed",          "multisigned",
    "weighted",   "multiweighted", "dynamic",     "multiposweighted"};

/// The words of a line that begins with '%'; none of another.
std::vector<std::string_view> words_of_comment(std::string_view line) {
  std::vector<std::string_view> words;
  if (!line.starts_with('%')) return words;
  constexpr std::string_view blanks = " \t\r";
  for (std::size_t at = 1;;) {
    at = line.find_first_not_of(blanks, at);
    if (at == std::string_view::npos) return words;
    const std::size_t end = std::min(line.find_first_of(blanks, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
}

std::optional<std::uint64_t> number_in(std::string_view word) {
  std::uint64_t number = 0;
  const auto result = std::from_chars(word.data(), word.data() + word.size(), number);
  if (result.ec != std::errc{} || result.ptr != word.data() + word.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<konect_header> konect_header_of(std::string_view text) {
  const std::size_t feed = text.find('\n');
  const std::vector<std::string_view> words = words_of_comment(text.substr(0, feed));
  if (words.size() != 2 ||
      std::find(kinds_of_weights.begin(), kinds_of_weights.end(), words[1]) == kinds_of_weights.end())
    return std::nullopt;
  konect_header header;
  if (words[0] == "sym") {
    header.kind = konect_header::structure::symmetric;
  } else if (words[0] == "bip") {
    header.kind = konect_header::structure::bipartite;
  } else if (words[0] != "asym") {
    return std::nullopt;
  }
  if (feed == std::string_view::npos) return header;
  text.remove_prefix(feed + 1);
  const std::vector<std::string_view> sizes = words_of_comment(text.substr(0, text.find('\n')));
  if (sizes.size() == 3 && number_in(sizes[0]) && number_in(sizes[2])) header.left = number_in(sizes[1]);
  return header;
}

}  // namespace perdure::graph::formats
