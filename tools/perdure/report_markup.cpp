#include "report_markup.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "html_text.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

constexpr std::size_t longest_text = 160;  // of names and types, in bytes

}  // namespace

std::uint64_t number_at(const json& facts, const char* key) {
  const auto found = facts.find(key);
  return found == facts.end() || !found->is_number() ? 0 : found->get<std::uint64_t>();
}

std::string text_at(const json& facts, const char* key) {
  const auto found = facts.find(key);
  return found == facts.end() || !found->is_string() ? std::string() : found->get<std::string>();
}

const json& rows_at(const json& facts, const char* key) {
  static const json none = json::array();
  const auto found = facts.find(key);
  return found == facts.end() || !found->is_array() ? none : *found;
}

std::string shown(std::string_view text) {
  return html_text(text, longest_text);
}

std::string with_unit(const std::string& text) {
  const std::size_t gap = text.find(' ');
  const std::string unit = gap == std::string::npos ? "" : text.substr(gap + 1);
  return html_text(text.substr(0, gap)) + "<i>" + html_text(unit == "bytes" ? "B" : unit) + "</i>";
}

std::string bytes_cell(std::uint64_t bytes) {
  return with_unit(in_bytes(bytes));
}

std::string six_digits(double value) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

std::string percent(double share) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), share >= 0.0995 || share == 0 ? "%.0f %%" : "%.1f %%", share * 100);
  return share > 0 && share < 0.0005 ? "< 0.1 %" : text.data();
}

std::string time_of_day(std::string time) {
  std::replace(time.begin(), time.end(), 'T', ' ');
  if (time.ends_with('Z')) time.pop_back();
  return time;
}

std::string span_of(std::uint64_t nanoseconds) {
  const double seconds = static_cast<double>(nanoseconds) / 1e9;
  std::array<char, 48> text;
  if (seconds >= 172800)
    std::snprintf(text.data(), text.size(), "%.1f d", seconds / 86400);
  else if (seconds >= 7200)
    std::snprintf(text.data(), text.size(), "%.1f h", seconds / 3600);
  else if (seconds >= 120)
    std::snprintf(text.data(), text.size(), "%.1f min", seconds / 60);
  else
    return in_seconds(seconds);
  return text.data();
}

std::string tile(const std::string& value, const std::string& label, const char* style) {
  return std::string("<div class=\"tile\"><b class=\"") + style + "\">" + html_text(value) + "</b><span>" +
         html_text(label) + "</span></div>";
}

std::string epoch_tile(const json& facts) {
  const json& checkpoints = rows_at(facts, "checkpoints");
  return "<div class=\"tile\"><b>epoch " + grouped(number_at(facts, "epoch")) + "</b><span>" +
         (checkpoints.empty() ? "no checkpoint in the log"
                              : "last checkpoint <span class=\"when\">" +
                                    html_text(time_of_day(text_at(checkpoints.back(), "time"))) + "</span>") +
         "</span></div>";
}

std::string begin_section(const char* id, const char* heading) {
  return std::string("<section id=\"") + id + "\"><h2>" + heading + "</h2>\n";
}

std::string facts_list(const std::vector<std::pair<std::string, std::string>>& facts) {
  std::string html = "<dl>";
  for (const auto& [name, value] : facts) html += "<dt>" + html_text(name) + "</dt><dd>" + value + "</dd>";
  return html + "</dl>\n";
}

std::string paragraph(const std::string& text, const char* style) {
  return std::string("<p class=\"") + style + "\">" + html_text(text) + "</p>\n";
}

std::string share_cell(std::uint64_t bytes, std::uint64_t whole) {
  const double share =
      whole == 0 ? 0 : std::min(static_cast<double>(bytes) / static_cast<double>(whole), 1.0);
  std::array<char, 32> width;
  std::snprintf(width.data(), width.size(), "%.1f", share * 60);
  return "<svg viewBox=\"0 0 60 9\" aria-hidden=\"true\"><rect width=\"" + std::string(width.data()) +
         "\" height=\"9\"/></svg><span>" + html_text(percent(share)) + "</span>";
}

std::string legend(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string html = "<ul class=\"legend\">";
  for (const auto& [style, text] : entries)
    html += "<li><svg viewBox=\"0 0 12 12\" aria-hidden=\"true\"><rect class=\"" + style +
            "\" width=\"12\" height=\"12\"/></svg>" + html_text(text) + "</li>";
  return html + "</ul>\n";
}

report_table::report_table(std::vector<report_column> columns, const std::string& label, bool becomes_blocks)
    : columns_(std::move(columns)) {
  html_ = "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"" + html_text(label) +
          "\"><table" + (becomes_blocks ? " class=\"rows\"" : "") + "><thead><tr>";
  for (const report_column& one : columns_)
    html_ += std::string("<th scope=\"col\" class=\"") + one.style + "\">" + one.heading + "</th>";
  html_ += "</tr></thead><tbody>";
}

void report_table::row(const std::vector<std::string>& cells) {
  html_ += "<tr>";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string style = columns_[i].style;
    if (i == 0)
      html_ += "<th scope=\"row\" class=\"" + style + "\"><div>" + cells[i] + "</div></th>";
    else
      html_ += "<td class=\"" + style + "\" data-label=\"" + columns_[i].heading + "\">" +
               (cells[i].empty() ? "" : "<div>" + cells[i] + "</div>") + "</td>";
  }
  html_ += "</tr>\n";
}

std::string chart_of(const std::string& heading, const std::string& largest, const std::string& svg,
                     const std::string& first, const std::string& last) {
  return "<figure><figcaption><span>" + html_text(heading) + "</span><span>" + html_text(largest) +
         "</span></figcaption>" + svg + "<figcaption><span>" + html_text(first) + "</span><span>" +
         html_text(last) + "</span></figcaption></figure>\n";
}

std::string findings_table(const std::vector<verified_part>& parts) {
  report_table listed(
      {{"What", "type"}, {"Kind", ""}, {"File", ""}, {"Offset", "n"}, {"Page", "n"}, {"Epoch", "n"}},
      "Findings of the verification");
  std::uint64_t damages = 0;
  std::size_t findings = 0;
  for (const auto& [prefix, part] : parts) {
    damages += number_at(*part, "damages");
    for (const json& one : rows_at(*part, "findings")) {
      ++findings;
      listed.row({shown(text_at(one, "what")), one.value("damage", true) ? "damage" : "note",
                  shown(prefix + text_at(one, "file")), grouped(number_at(one, "offset")),
                  one.contains("page") ? grouped(number_at(one, "page")) : "",
                  grouped(number_at(one, "epoch"))});
    }
  }
  if (findings == 0) return {};
  std::string html = listed.finish();
  if (damages > findings)
    html += paragraph("And " + grouped(damages - findings) + " more; 'perdure verify' lists them.");
  return html;
}

std::string list_of_problems(const json& facts) {
  const json& problems = rows_at(facts, "problems");
  if (problems.empty()) return {};
  std::string html = "<h3>Not on this page</h3><ul class=\"problems\">";
  for (const json& one : problems) html += "<li>" + html_text(one.get<std::string>(), 600) + "</li>";
  return html + "</ul>\n";
}

}  // namespace perdure::cli
