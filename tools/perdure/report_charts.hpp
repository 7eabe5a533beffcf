// Pictures of a report, as SVG that takes its colours from the page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace perdure::cli {

/// Returns bars from left to right, scaled to the largest value. A value that is not 0 is always seen.
/// `description` is read out instead of the picture.
std::string bar_chart(const std::vector<double>& values, const std::string& description);

/// Returns how many values share a bar, so that there are no more bars than a chart can show.
std::size_t values_of_bar(std::size_t values);
/// Returns a value for each bar: the largest of the values that share it.
std::vector<double> joined(const std::vector<double>& values);

/// Returns an area below a line through the values, scaled to the largest.
std::string area_chart(const std::vector<double>& values, const std::string& description);

/// Returns a bar divided into parts; each has a style class and a size.
std::string divided_bar(const std::vector<std::pair<std::string, double>>& parts,
                        const std::string& description);

/// A cell of a map.
struct map_cell {
  char kind = 'f';     ///< 's' slabs, 'l' large blocks, 'f' free
  unsigned level = 0;  ///< 1 to 4 quarters that are used; 0 for free
};
/// Returns cells in rows of 64.
std::string map_of_cells(const std::vector<map_cell>& cells, const std::string& description);

/// Points of a plot with logarithmic axes, and the style class of their marks.
struct log_series {
  std::string style;
  std::vector<std::pair<double, double>> points;
};
/// Returns the points, with axes, ticks and the names of the axes.
std::string log_plot(const std::vector<log_series>& all, const std::string& x_name, const std::string& y_name,
                     const std::string& description);

}  // namespace perdure::cli
