// Finds the known word that was meant by an unknown one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace perdure::cli {

/// Returns the number of letters to insert, leave out, replace, or exchange with the next one, that makes one
/// word of the other. Capitals count as small letters.
std::size_t edits_between(std::string_view from, std::string_view to);

/// Returns the one of `known` that is nearest to `word`, or begins with it; empty where none is near.
std::string nearest_word(std::string_view word, const std::vector<std::string>& known);

/// Returns "; did you mean 'word'?"; nothing for an empty word.
std::string did_you_mean(const std::string& word);

}  // namespace perdure::cli
