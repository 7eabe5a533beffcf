// Odd files of arrays after reports in issue trackers: what is in them, and what is to become of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <perdure/error.hpp>
#include <perdure/formats/array_file.hpp>
#include <perdure/formats/array_text.hpp>
#include <string>
#include <vector>

#include "formats/opened_file.hpp"

namespace perdure::test {

/// Fate of a file: `arrays` and `losses`, each with "; " between them, or `refusal`, a part of
/// the message.
struct fate {
  std::string arrays = {};  ///< one `shown_array` each
  std::string losses = {};  ///< the array's name, a blank and what is lost
  std::string refusal = {};
};

/// An array in one line: its name, its type with its shape, and its elements as JSON.
inline std::string shown_array(formats::array_source& one) {
  const formats::array_description& what = one.what();
  std::string text = what.name + (what.name.empty() ? "" : ": ") + what.type.text() + what.dims.text() + ' ';
  write_text(one, formats::text_style::json, [&](std::string_view some) { text += some; });
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// Opens a file, reads all of it, and compares what happens.
inline void judge(const std::filesystem::path& file, const fate& expected,
                  const formats::reading_options& options = {}) {
  fate found;
  const auto add = [](std::string& all, const std::string& one) { all += (all.empty() ? "" : "; ") + one; };
  try {
    const formats::array_file opened(file, options);
    for (const auto& one : opened) add(found.arrays, shown_array(*one));
    for (const std::string& one : formats::losses_of(opened)) add(found.losses, one);
  } catch (const error& failure) {
    found = {};
    found.refusal = failure.what();
    EXPECT_NE(found.refusal.find(file.filename().string()), std::string::npos) << found.refusal;
  }
  if (expected.refusal.empty()) {
    EXPECT_EQ(found.refusal, "");
  } else {
    EXPECT_NE(found.refusal.find(expected.refusal), std::string::npos)
        << (found.refusal.empty() ? "it was read: " + found.arrays : found.refusal);
  }
  EXPECT_EQ(found.arrays, expected.arrays);
  EXPECT_EQ(found.losses, expected.losses);
}

/// Bytes of an integer, the lowest or the highest first.
template <class T>
std::string little(T value) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof value; ++i)
    bytes += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i));
  return bytes;
}
template <class T>
std::string big(T value) {
  std::string bytes = little(value);
  std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

}  // namespace perdure::test
