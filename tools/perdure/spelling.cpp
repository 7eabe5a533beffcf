#include "spelling.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace perdure::cli {
namespace {

char small(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Words of so many letters, hyphens before an option's name left out, may differ by so many edits.
std::size_t most_edits(std::string_view word) noexcept {
  const std::size_t begin = std::min(word.find_first_not_of('-'), word.size());
  const std::size_t letters = word.size() - begin;
  return letters < 2 ? 0 : letters < 4 ? 1 : letters < 8 ? 2 : 3;
}

}  // namespace

std::size_t edits_between(std::string_view from, std::string_view to) {
  // Optimal string alignment; rows of the table for the letters before last, the last, and this one.
  std::vector<std::size_t> before(to.size() + 1);
  std::vector<std::size_t> last(to.size() + 1);
  std::vector<std::size_t> now(to.size() + 1);
  for (std::size_t j = 0; j <= to.size(); ++j) now[j] = j;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    before.swap(last);
    last.swap(now);
    now[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const bool is_same = small(from[i - 1]) == small(to[j - 1]);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (is_same ? 0 : 1)});
      if (i > 1 && j > 1 && small(from[i - 1]) == small(to[j - 2]) && small(from[i - 2]) == small(to[j - 1]))
        now[j] = std::min(now[j], before[j - 2] + 1);
    }
  }
  return now[to.size()];
}

std::string nearest_word(std::string_view word, const std::vector<std::string>& known) {
  std::string nearest;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const std::string& one : known) {
    std::size_t edits = edits_between(word, one);
    if (edits > most_edits(word)) {
      // A beginning of three letters is enough, after a word that is spelled nearly alike.
      const std::size_t begin = std::min(word.find_first_not_of('-'), word.size());
      if (word.size() - begin < 3 || !one.starts_with(word)) continue;
      edits = most_edits(word) + 1;
    }
    if (edits >= least) continue;
    least = edits;
    nearest = one;
  }
  return nearest;
}

std::string did_you_mean(const std::string& word) {
  return word.empty() ? std::string() : "; did you mean '" + word + "'?";
}

}  // namespace perdure::cli
