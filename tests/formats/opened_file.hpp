// Facts about a file of arrays that was opened.
#pragma once

#include <algorithm>
#include <perdure/formats/array_file.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::formats {

/// The losses, each as the array's name, a blank and what it loses.
inline std::vector<std::string> losses_of(const array_file& opened) {
  std::vector<std::string> all;
  for (const loss& one : opened.losses()) all.push_back(one.array + ' ' + one.what);
  return all;
}

/// The attribute of that key, or null.
inline const array_attribute* find(const array_source& from, std::string_view key) {
  const std::vector<array_attribute>& all = from.what().attributes;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const array_attribute& one) { return one.key == key; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace perdure::formats
