// Plots: points in a picture for a file, and bars for a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace perdure::cli {

struct plot {
  struct series {
    std::string name;
    std::vector<std::pair<double, double>> points;
    bool is_line = false;
  };

  std::string title;
  std::string x_name;
  std::string y_name;
  bool is_logarithmic = false;  ///< both axes; points at 0 or below are left out
  std::vector<series> all;
};

/// Returns a plot as SVG, 800 x 500, with axes, ticks and a legend if there are several series.
std::string svg_of(const plot& what);

/// A line with a bar for each value, scaled to the largest: "8-15  ########  120".
std::string bars_of(const std::vector<std::pair<std::string, std::uint64_t>>& values);

}  // namespace perdure::cli
