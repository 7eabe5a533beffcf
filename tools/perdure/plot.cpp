#include "plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "html_text.hpp"
#include "plot_axis.hpp"
#include "terminal.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

constexpr double picture_width = 800;
constexpr double picture_height = 500;
constexpr double left_margin = 80;
constexpr double right_margin = 20;
constexpr double top_margin = 40;
constexpr double bottom_margin = 60;
constexpr std::array colours{"#1f5fa8", "#c0392b", "#2e8b57", "#8e6bbf"};

}  // namespace

std::string svg_of(const plot& what) {
  axis x(what.is_logarithmic, left_margin, picture_width - right_margin);
  axis y(what.is_logarithmic, picture_height - bottom_margin, top_margin);
  for (const plot::series& one : what.all)
    for (const auto& [px, py] : one.points)
      if (x.shows(px) && y.shows(py)) x.see(px), y.see(py);
  x.finish();
  y.finish();
  std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"800\" height=\"500\" font-family=\"sans-serif\" "
      "font-size=\"13\">\n<rect width=\"800\" height=\"500\" fill=\"white\"/>\n";
  const auto text = [&](double at_x, double at_y, const char* anchor, const std::string& words,
                        const char* more = "") {
    svg += "<text x=\"" + short_number(at_x) + "\" y=\"" + short_number(at_y) + "\" text-anchor=\"" + anchor +
           "\"" + more + ">" + html_text(words) + "</text>\n";
  };
  const auto line = [&](double x1, double y1, double x2, double y2, const char* colour) {
    svg += "<line x1=\"" + short_number(x1) + "\" y1=\"" + short_number(y1) + "\" x2=\"" + short_number(x2) +
           "\" y2=\"" + short_number(y2) + "\" stroke=\"" + colour + "\"/>\n";
  };
  text(picture_width / 2, 24, "middle", what.title, " font-size=\"16\"");
  for (const double tick : x.ticks()) {
    line(x.place(tick), top_margin, x.place(tick), picture_height - bottom_margin, "#e4e4e4");
    text(x.place(tick), picture_height - bottom_margin + 18, "middle", short_number(tick));
  }
  for (const double tick : y.ticks()) {
    line(left_margin, y.place(tick), picture_width - right_margin, y.place(tick), "#e4e4e4");
    text(left_margin - 6, y.place(tick) + 4, "end", short_number(tick));
  }
  line(left_margin, picture_height - bottom_margin, picture_width - right_margin,
       picture_height - bottom_margin, "black");
  line(left_margin, top_margin, left_margin, picture_height - bottom_margin, "black");
  text((left_margin + picture_width - right_margin) / 2, picture_height - 16, "middle", what.x_name);
  text(18, (top_margin + picture_height - bottom_margin) / 2, "middle", what.y_name,
       " transform=\"rotate(-90 18 240)\"");
  for (std::size_t i = 0; i < what.all.size(); ++i) {
    const plot::series& one = what.all[i];
    const char* const colour = colours[i % colours.size()];
    std::string path;
    for (const auto& [px, py] : one.points) {
      if (!x.shows(px) || !y.shows(py)) continue;
      const std::string place_x = short_number(x.place(px));
      const std::string place_y = short_number(y.place(py));
      path.append(place_x).append(",").append(place_y).append(" ");
      svg.append("<circle cx=\"").append(place_x).append("\" cy=\"").append(place_y);
      svg.append("\" r=\"2.5\" fill=\"").append(colour).append("\"/>\n");
    }
    if (one.is_line)
      svg += "<polyline fill=\"none\" stroke=\"" + std::string(colour) + "\" points=\"" + path + "\"/>\n";
    if (what.all.size() > 1) {
      const double at = top_margin + 16 + 18 * static_cast<double>(i);
      svg += "<circle cx=\"" + short_number(picture_width - right_margin - 150) + "\" cy=\"" +
             short_number(at - 4) + "\" r=\"4\" fill=\"" + colour + "\"/>\n";
      text(picture_width - right_margin - 140, at, "start", one.name);
    }
  }
  return svg + "</svg>\n";
}

std::string bars_of(const std::vector<std::pair<std::string, std::uint64_t>>& values) {
  std::size_t label_width = 0;
  std::size_t number_width = 0;
  std::uint64_t largest = 1;
  for (const auto& [label, value] : values) {
    label_width = std::max(label_width, label.size());
    number_width = std::max(number_width, grouped(value).size());
    largest = std::max(largest, value);
  }
  const std::size_t taken = label_width + number_width + 5;
  const std::size_t columns = size_of_terminal(STDOUT_FILENO).columns;
  const std::size_t longest = columns > taken + 10 ? columns - taken : 10;
  std::string text;
  for (const auto& [label, value] : values) {
    const auto length = static_cast<std::size_t>(std::llround(
        static_cast<double>(value) / static_cast<double>(largest) * static_cast<double>(longest)));
    const std::string number = grouped(value);
    text.append(label_width - label.size(), ' ').append(label).append("  ");
    text.append(number_width - number.size(), ' ').append(number).append("  ");
    text.append(value == 0 ? 0 : std::max<std::size_t>(length, 1), '#').append("\n");
  }
  return text;
}

}  // namespace perdure::cli
