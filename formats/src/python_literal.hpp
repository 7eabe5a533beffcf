// Python's literals, of which headers of .npy files are made: strings, whole numbers, True and False, tuples,
// lists, dictionaries.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perdure::formats {

struct python_literal {
  enum class kind { none, text, number, truth, sequence, dictionary };
  kind what = kind::none;
  std::string text;
  std::int64_t number = 0;            ///< or whether it is True
  std::vector<python_literal> items;  ///< items; for a dictionary keys and values in turn

  /// Null where the dictionary has no such key.
  const python_literal* find(std::string_view key) const noexcept;
};

/// `bad_input`, which says at which character.
python_literal parse_python_literal(std::string_view text);

}  // namespace perdure::formats
