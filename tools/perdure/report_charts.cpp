#include "report_charts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "html_text.hpp"
#include "plot_axis.hpp"

namespace perdure::cli {
namespace {

/// Returns a number with up to two digits behind the point.
std::string coordinate(double value) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.2f", value);
  std::string digits = text.data();
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  return digits;
}

std::string begin_svg(const char* style, double width, double height, const std::string& description,
                      bool keeps_ratio = false) {
  return std::string("<svg class=\"") + style + "\" viewBox=\"0 0 " + coordinate(width) + ' ' +
         coordinate(height) + '"' + (keeps_ratio ? "" : " preserveAspectRatio=\"none\"") +
         " role=\"img\" aria-label=\"" + html_text(description) + "\">";
}

double largest_of(const std::vector<double>& values) {
  double largest = 0;
  for (const double one : values) largest = std::max(largest, one);
  return largest;
}

constexpr double chart_height = 100;
constexpr std::size_t most_bars = 200;

}  // namespace

std::string bar_chart(const std::vector<double>& values, const std::string& description) {
  const double largest = largest_of(values);
  std::string svg = begin_svg("bars", static_cast<double>(values.size()), chart_height, description);
  const double gap = values.size() > 100 ? 0 : 0.15;
  std::string path;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] <= 0) continue;
    const double height = std::max(values[i] / largest * chart_height, 1.5);
    path += "M" + coordinate(static_cast<double>(i) + gap / 2) + " " + coordinate(chart_height) + "v-" +
            coordinate(height) + "h" + coordinate(1 - gap) + "v" + coordinate(height) + "z";
  }
  return svg + "<path d=\"" + path + "\"/></svg>";
}

std::size_t values_of_bar(std::size_t values) {
  return std::max<std::size_t>((values + most_bars - 1) / most_bars, 1);
}

std::vector<double> joined(const std::vector<double>& values) {
  const std::size_t each = values_of_bar(values.size());
  std::vector<double> bars;
  for (std::size_t i = 0; i < values.size(); i += each)
    bars.push_back(
        *std::max_element(values.begin() + static_cast<std::ptrdiff_t>(i),
                          values.begin() + static_cast<std::ptrdiff_t>(std::min(i + each, values.size()))));
  return bars;
}

std::string area_chart(const std::vector<double>& values, const std::string& description) {
  const double largest = largest_of(values);
  std::string svg = begin_svg("area", static_cast<double>(values.size()), chart_height, description);
  // Steps: a value holds until the next one.
  std::string path = "M0 " + coordinate(chart_height);
  for (std::size_t i = 0; i < values.size(); ++i)
    path += "V" + coordinate(chart_height - (largest == 0 ? 0 : values[i] / largest * (chart_height - 2))) +
            "H" + std::to_string(i + 1);
  return svg + "<path d=\"" + path + "V" + coordinate(chart_height) + "z\"/></svg>";
}

std::string divided_bar(const std::vector<std::pair<std::string, double>>& parts,
                        const std::string& description) {
  double sum = 0;
  for (const auto& [style, size] : parts) sum += size;
  constexpr double width = 1000;
  std::string svg = begin_svg("divided", width, 10, description);
  double at = 0;
  for (const auto& [style, size] : parts) {
    const double part = sum == 0 ? 0 : size / sum * width;
    svg += "<rect class=\"" + style + "\" x=\"" + coordinate(at) + "\" y=\"0\" width=\"" + coordinate(part) +
           "\" height=\"10\"/>";
    at += part;
  }
  return svg + "</svg>";
}

std::string map_of_cells(const std::vector<map_cell>& cells, const std::string& description) {
  constexpr std::size_t columns = 64;
  const std::size_t rows = std::max<std::size_t>((cells.size() + columns - 1) / columns, 1);
  std::string svg = begin_svg("map", columns * 10, static_cast<double>(rows) * 10, description, true);
  std::array<std::string, 9> paths;  // free, slabs by level, large blocks by level
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const map_cell& cell = cells[i];
    const std::size_t style = cell.level == 0 ? 0 : (cell.kind == 's' ? 0 : 4) + std::min(cell.level, 4U);
    paths[style] +=
        "M" + std::to_string(i % columns * 10) + " " + std::to_string(i / columns * 10) + "h9v9h-9z";
  }
  static constexpr std::array names{"f", "s1", "s2", "s3", "s4", "l1", "l2", "l3", "l4"};
  for (std::size_t i = 0; i < paths.size(); ++i)
    if (!paths[i].empty()) svg += std::string("<path class=\"") + names[i] + "\" d=\"" + paths[i] + "\"/>";
  return svg + "</svg>";
}

std::string log_plot(const std::vector<log_series>& all, const std::string& x_name, const std::string& y_name,
                     const std::string& description) {
  constexpr double width = 520;
  constexpr double height = 340;
  constexpr double left = 66;
  constexpr double right = 12;
  constexpr double top = 12;
  constexpr double bottom = 52;
  axis x(true, left, width - right);
  axis y(true, height - bottom, top);
  for (const log_series& one : all)
    for (const auto& [px, py] : one.points)
      if (x.shows(px) && y.shows(py)) x.see(px), y.see(py);
  x.finish();
  y.finish();
  std::string svg = begin_svg("plot", width, height, description, true);
  const auto text = [&](double at_x, double at_y, const char* anchor, const std::string& words,
                        const std::string& more = {}) {
    svg += "<text x=\"" + coordinate(at_x) + "\" y=\"" + coordinate(at_y) + "\" text-anchor=\"" + anchor +
           "\"" + more + ">" + html_text(words) + "</text>";
  };
  const auto tick_text = [](double value) {
    if (value >= 1e9) return short_number(value / 1e9) + "G";
    if (value >= 1e6) return short_number(value / 1e6) + "M";
    return value >= 1e3 ? short_number(value / 1e3) + "k" : short_number(value);
  };
  std::string grid;
  for (const double tick : x.ticks()) {
    grid += "M" + coordinate(x.place(tick)) + " " + coordinate(top) + "V" + coordinate(height - bottom);
    text(x.place(tick), height - bottom + 20, "middle", tick_text(tick));
  }
  for (const double tick : y.ticks()) {
    grid += "M" + coordinate(left) + " " + coordinate(y.place(tick)) + "H" + coordinate(width - right);
    text(left - 8, y.place(tick) + 5, "end", tick_text(tick));
  }
  svg += "<path class=\"grid\" d=\"" + grid + "\"/>";
  text((left + width - right) / 2, height - 8, "middle", x_name);
  const double middle = (top + height - bottom) / 2;
  text(16, middle, "middle", y_name, " transform=\"rotate(-90 16 " + coordinate(middle) + ")\"");
  for (const log_series& one : all) {
    // A dot is a line without length and with round ends.
    std::string dots;
    for (const auto& [px, py] : one.points)
      if (x.shows(px) && y.shows(py))
        dots += "M" + coordinate(x.place(px)) + " " + coordinate(y.place(py)) + "h0";
    svg += "<path class=\"dots " + one.style + "\" d=\"" + dots + "\"/>";
  }
  return svg + "</svg>";
}

}  // namespace perdure::cli
