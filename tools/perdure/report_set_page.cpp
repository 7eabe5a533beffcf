#include "report_set_page.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "html_text.hpp"
#include "report_charts.hpp"
#include "report_markup.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

constexpr std::size_t parts_shown = 128;  // in the table; the chart has all

std::uint64_t damages_of(const json& verification) {
  std::uint64_t damages = verification.contains("problem") ? 1 : 0;
  for (const json& one : rows_at(verification, "parts")) damages += number_at(one, "damages");
  return damages;
}

std::uint64_t used_by(const json& part) {
  return part.contains("heap") ? number_at(part["heap"], "used_bytes") : 0;
}

}  // namespace

std::string set_tiles(const json& facts) {
  const json& verification = facts["verification"];
  std::string html;
  if (verification.is_null())
    html += tile("Not verified", "--no-verify", "warn");
  else if (const std::uint64_t damages = damages_of(verification); damages == 0)
    html += tile("Whole", "every byte of every part checked", "good");
  else
    html += tile("Damaged", counted(damages, "damage", "damages"), "bad");
  const std::size_t parts = rows_at(facts, "parts").size();
  html += tile(counted(parts, "part", "parts"), "one for each rank");
  html += tile(in_bytes(number_at(facts, "disk_bytes")), "on disk, all files of all parts");
  if (facts.contains("arrays")) {
    const std::uint64_t arrays = facts["arrays"].size() + number_at(facts["other_arrays"], "number");
    html += tile(grouped(arrays), arrays == 1 ? "array" : "arrays");
  }
  return html + epoch_tile(facts);
}

std::string set_verification_section(const json& facts) {
  std::string html = begin_section("verification", "Verification");
  const json& found = facts["verification"];
  if (found.is_null()) {
    html += paragraph("The set was not verified (--no-verify). Each page was checked before it was used.");
    return html + list_of_problems(facts) + "</section>\n";
  }
  std::uint64_t pages = 0;
  std::uint64_t bytes = 0;
  std::vector<verified_part> parts;
  for (const json& one : rows_at(found, "parts")) {
    pages += number_at(one, "pages");
    bytes += number_at(one, "bytes_read");
    parts.emplace_back("part " + std::to_string(parts.size()) + ": ", &one);
  }
  const std::uint64_t damages = damages_of(found);
  html += "<p class=\"" + std::string(damages == 0 ? "good" : "bad") + "\"><b>" +
          (damages == 0 ? std::string("Whole") : counted(damages, "damage", "damages")) + "</b> at epoch " +
          grouped(number_at(found, "epoch")) + ": " + counted(pages, "page", "pages") + " of " +
          counted(parts.size(), "part", "parts") + " checked, " + in_bytes(bytes) + " read in " +
          in_seconds(found["seconds"].get<double>()) + ".</p>\n";
  if (found.contains("problem"))
    html += "<p class=\"bad\">" + html_text(text_at(found, "problem"), 600) + "</p>\n";
  return html + findings_table(parts) + list_of_problems(facts) + "</section>\n";
}

std::string parts_section(const json& facts) {
  const json& parts = rows_at(facts, "parts");
  std::string html = begin_section("parts", "Parts");
  std::vector<double> used;
  for (const json& one : parts) used.push_back(static_cast<double>(used_by(one)));
  const auto most =
      static_cast<std::uint64_t>(used.empty() ? 0 : *std::max_element(used.begin(), used.end()));
  if (used.size() > 1 && most != 0) {
    const std::size_t each = values_of_bar(used.size());
    html += chart_of("In blocks of each part" +
                         (each > 1 ? "; a bar is the largest of " + std::to_string(each) : std::string()),
                     "at most " + in_bytes(most),
                     bar_chart(joined(used), "Bytes in blocks of each part, at most " + in_bytes(most)),
                     "part 0", "part " + grouped(used.size() - 1));
  }
  report_table listed({{"Part", ""},
                       {"Objects", "n"},
                       {"In blocks", "n"},
                       {"Of the largest", "share n"},
                       {"Size", "n"},
                       {"On disk", "n"},
                       {"Path", "type mono"}},
                      "Parts");
  std::size_t number = 0;
  for (const json& one : parts) {
    if (number == parts_shown) break;
    const bool is_read = one.contains("heap");
    std::string path = html_text(text_at(one, "path"), 600);
    if (one.contains("machine")) path += "<br/><small>on " + shown(text_at(one, "machine")) + "</small>";
    if (one.contains("problem"))
      path += "<br/><small class=\"bad\">" + html_text(text_at(one, "problem"), 600) + "</small>";
    listed.row({"part " + grouped(number++), is_read ? grouped(number_at(one, "objects")) : "",
                is_read ? bytes_cell(used_by(one)) : "", is_read ? share_cell(used_by(one), most) : "",
                one.contains("size") ? bytes_cell(number_at(one, "size")) : "",
                one.contains("disk_bytes") ? bytes_cell(number_at(one, "disk_bytes")) : "", path});
  }
  html += listed.finish();
  if (parts.size() > parts_shown)
    html += paragraph("And " + counted(parts.size() - parts_shown, "other part", "other parts") +
                          "; 'perdure info' lists them.",
                      "soft");
  return html + paragraph("'perdure report' of a part's path shows its objects and its heap.", "soft") +
         "</section>\n";
}

std::string set_section(const json& facts) {
  std::string html = begin_section("set", "The set");
  html += facts_list({{"path", "<span class=\"mono\">" + html_text(text_at(facts, "set"), 600) + "</span>"},
                      {"UUID", "<span class=\"mono\">" + html_text(text_at(facts, "uuid")) + "</span>"},
                      {"epoch", grouped(number_at(facts, "epoch")) + " of the set, " +
                                    grouped(number_at(facts, "part_epoch")) + " of its parts"},
                      {"size", in_bytes(number_at(facts, "size")) + " in all parts, bookkeeping included"},
                      {"on disk", in_bytes(number_at(facts, "disk_bytes")) + " in all files"}});
  return html + "</section>\n";
}

}  // namespace perdure::cli
