// Results of a reader of a format: arrays, and what of the file is lost.
#pragma once

#include <functional>
#include <perdure/formats/array_source.hpp>
#include <string>
#include <vector>

namespace perdure::formats {

/// How a file is opened.
struct opening {
  /// The only array that is opened; empty: all.
  std::string member = {};
  /// Called before each array and group is looked at; what it throws ends the opening. May be empty.
  std::function<void()> before_array = {};
};

/// Arrays that can be read, and what of the file cannot.
struct opened_arrays {
  array_sources sources;
  std::vector<loss> losses;
};

/// Takes what a writer cannot write. What it throws ends the writing.
using loss_sink = std::function<void(const loss&)>;

}  // namespace perdure::formats
