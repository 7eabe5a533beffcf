#include "report_page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <perdure/version.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "html_text.hpp"
#include "report_charts.hpp"
#include "report_markup.hpp"
#include "report_set_page.hpp"
#include "report_style.hpp"
#include "type_names.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

constexpr std::size_t checkpoints_shown = 20;  // in the table; the charts have all
constexpr std::size_t attributes_shown = 12;

std::string dims_text(const json& dims) {
  if (dims.empty()) return "scalar";
  std::string text;
  for (const json& one : dims) text += (text.empty() ? "" : " × ") + grouped(one.get<std::uint64_t>());
  return text;
}

std::string verification_section(const json& facts) {
  std::string html = begin_section("verification", "Verification");
  const json& found = facts["verification"];
  if (found.is_null()) {
    html += paragraph("The store was not verified (--no-verify). Each page was checked before it was used.");
  } else {
    const std::uint64_t damages = number_at(found, "damages");
    html += "<p class=\"" + std::string(damages == 0 ? "good" : "bad") + "\"><b>" +
            (damages == 0 ? std::string("Whole") : counted(damages, "damage", "damages")) + "</b> at epoch " +
            grouped(number_at(found, "epoch")) + ": " + counted(number_at(found, "pages"), "page", "pages") +
            " checked, " + in_bytes(number_at(found, "bytes_read")) + " read in " +
            in_seconds(found["seconds"].get<double>()) + ".</p>\n";
    html += findings_table({{"", &found}});
  }
  html += list_of_problems(facts);
  return html + "</section>\n";
}

std::string objects_section(const json& facts) {
  std::string html = begin_section("objects", "Objects");
  const json& objects = rows_at(facts, "objects");
  const json& anonymous = rows_at(facts, "anonymous");
  if (!facts.contains("objects")) return html + paragraph("The objects were not read.") + "</section>\n";
  if (objects.empty() && anonymous.empty())
    return html + paragraph("The store has no objects.") + "</section>\n";
  const std::uint64_t used = facts.contains("heap") ? number_at(facts["heap"], "used_bytes") : 0;
  report_table listed(
      {{"Name", ""}, {"Type", "type mono"}, {"Elements", "n"}, {"Size", "n"}, {"Of the heap", "share n"}},
      "Objects");
  for (const json& one : objects) {
    const bool is_unique = text_at(one, "kind") == "unique";
    const std::uint64_t length = number_at(one, "length");
    std::string type = shown(type_in_words(text_at(one, "type")));
    if (length != 1) type += '[' + grouped(length) + ']';
    std::string size = bytes_cell(number_at(one, "reachable_bytes"));
    if (!one.value("reachable_is_all", true)) size.insert(0, "≥ ");
    std::string name =
        is_unique ? "<span class=\"soft\">(unique)</span>" : "<bdi>" + shown(text_at(one, "name")) + "</bdi>";
    if (one.contains("damaged")) name += " <b class=\"bad\">damaged</b>";
    listed.row({name, type, one.contains("elements") ? grouped(number_at(one, "elements")) : "", size,
                share_cell(number_at(one, "reachable_bytes"), used)});
  }
  for (const json& one : anonymous)
    listed.row({"<span class=\"soft\">(" +
                    counted(number_at(one, "number"), "anonymous object", "anonymous objects") + ")</span>",
                shown(type_in_words(text_at(one, "type"))), "", "≥ " + bytes_cell(number_at(one, "bytes")),
                share_cell(number_at(one, "bytes"), used)});
  for (const auto& [key, what] :
       {std::pair("other_objects", "object"), std::pair("other_anonymous", "anonymous object")}) {
    const json& rest = facts[key];
    const std::uint64_t number = number_at(rest, "number");
    if (number != 0)
      listed.row({"<span class=\"soft\">" +
                      counted(number, (std::string("other ") + what).c_str(),
                              (std::string("other ") + what + "s").c_str()) +
                      "</span>",
                  "", "", "≥ " + bytes_cell(number_at(rest, "bytes")),
                  share_cell(number_at(rest, "bytes"), used)});
  }
  html += paragraph(
      "Sizes include the memory that an object owns, as far as its type tells: ≥ is a lower bound. "
      "Shares are of all memory in allocated blocks.",
      "soft");
  return html + listed.finish() + "</section>\n";
}

std::vector<map_cell> cells_of(const json& map) {
  std::vector<map_cell> cells;
  for (const json& one : rows_at(map, "stretches")) {
    const auto slabs = one[0].get<double>();
    const auto used = one[1].get<double>();
    const auto large = one[2].get<double>();
    const double all = slabs + large + one[3].get<double>();
    const double share = all == 0 ? 0 : (used + large) / all;
    const auto level = static_cast<unsigned>(std::ceil(share * 4 - 1e-9));
    cells.push_back({large > slabs ? 'l' : 's', std::min(level, 4U)});
  }
  return cells;
}

std::string heap_section(const json& facts) {
  if (!facts.contains("heap")) return {};
  const json& heap = facts["heap"];
  const std::uint64_t used = number_at(heap, "used_bytes");
  const std::uint64_t free = number_at(heap, "free_bytes");
  const std::uint64_t book = number_at(heap, "metadata_bytes");
  std::string html = begin_section("heap", "Heap");
  const std::string sums = in_bytes(used) + " in " + counted(number_at(heap, "blocks"), "block", "blocks") +
                           ", " + in_bytes(free) + " free between them, " + in_bytes(book) +
                           " of bookkeeping";
  html += "<figure>" +
          divided_bar({{"used", static_cast<double>(used)},
                       {"free", static_cast<double>(free)},
                       {"book", static_cast<double>(book)}},
                      sums) +
          "</figure>";
  html += legend({{"used", in_bytes(used) + " in " + counted(number_at(heap, "blocks"), "block", "blocks")},
                  {"free", in_bytes(free) + " free between them"},
                  {"book", in_bytes(book) + " of bookkeeping"}});
  const json& map = heap["map"];
  const std::vector<map_cell> cells = cells_of(map);
  if (!cells.empty()) {
    const std::uint64_t stretch = number_at(map, "stretch_bytes");
    html +=
        "<h3>Map</h3><figure>" +
        map_of_cells(cells, "Map of the heap: " + counted(cells.size(), "cell", "cells") + " of " +
                                in_bytes(stretch) + " each, from the lowest address to the highest") +
        "<figcaption><span>" + counted(cells.size(), "cell", "cells") + " of " + in_bytes(stretch) +
        " each, by address. The stronger the colour, the more of it is used.</span></figcaption></figure>";
    html += legend({{"s4", "small blocks (slabs), full"},
                    {"s1", "up to a quarter used"},
                    {"l4", "large blocks: " + counted(number_at(heap, "large_blocks"), "block", "blocks") +
                               ", " + in_bytes(number_at(heap, "large_bytes"))},
                    {"f", "free runs: " + grouped(number_at(heap, "free_runs")) + ", " +
                              in_bytes(number_at(heap, "free_run_bytes")) + ", the longest " +
                              in_bytes(number_at(heap, "longest_free_run"))}});
  }
  const json& classes = rows_at(heap, "size_classes");
  if (!classes.empty()) {
    html += "<h3>Size classes</h3>";
    report_table listed({{"Block", "n"},
                         {"Slabs", "n"},
                         {"In slabs", "n"},
                         {"Used blocks", "n"},
                         {"Free blocks", "n"},
                         {"Used", "share n"}},
                        "Size classes", false);
    for (const json& one : classes) {
      const std::uint64_t blocks = number_at(one, "used_blocks");
      listed.row({grouped(number_at(one, "block_bytes")) + "<i>B</i>", grouped(number_at(one, "slabs")),
                  bytes_cell(number_at(one, "slab_bytes")), grouped(blocks),
                  grouped(number_at(one, "free_blocks")),
                  share_cell(blocks, blocks + number_at(one, "free_blocks"))});
    }
    html += listed.finish();
  }
  return html + "</section>\n";
}

std::string checkpoints_section(const json& facts) {
  std::string html = begin_section("checkpoints", "Checkpoints");
  const json& all = rows_at(facts, "checkpoints");
  if (all.empty()) return html + paragraph("The log of the store has no checkpoints.") + "</section>\n";
  std::vector<double> written;
  std::vector<double> sizes;
  std::vector<double> gaps;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    written.push_back(static_cast<double>(number_at(all[i], "bytes")));
    sizes.push_back(static_cast<double>(number_at(all[i], "size")));
    sum += number_at(all[i], "bytes");
    const std::uint64_t now = number_at(all[i], "time_ns");
    const std::uint64_t before = i == 0 ? now : number_at(all[i - 1], "time_ns");
    gaps.push_back(now > before ? static_cast<double>(now - before) : 0);
  }
  const auto most = [](const std::vector<double>& values) {
    return static_cast<std::uint64_t>(*std::max_element(values.begin(), values.end()));
  };
  const std::string first =
      "epoch " + grouped(number_at(all.front(), "epoch")) + ", " + time_of_day(text_at(all.front(), "time"));
  const std::string last =
      "epoch " + grouped(number_at(all.back(), "epoch")) + ", " + time_of_day(text_at(all.back(), "time"));
  const std::size_t each = values_of_bar(written.size());
  const std::string joins = each > 1 ? "; a bar is the largest of " + std::to_string(each) : "";
  html += paragraph(counted(all.size(), "checkpoint", "checkpoints") + " remembered, " + in_bytes(sum) +
                        " written by them. The log does not record how long a checkpoint took.",
                    "soft");
  html += chart_of(
      "Bytes written" + joins, "at most " + in_bytes(most(written)),
      bar_chart(joined(written), "Bytes written by each checkpoint, at most " + in_bytes(most(written))),
      first, last);
  html += chart_of(
      facts.contains("set") ? "Size of the set" : "Size of the store", "at most " + in_bytes(most(sizes)),
      area_chart(joined(sizes), "Size after each checkpoint, at most " + in_bytes(most(sizes))), "", "");
  if (all.size() > 1)
    html += chart_of("Time since the checkpoint before" + joins, "at most " + span_of(most(gaps)),
                     bar_chart(joined(gaps), "Time before each checkpoint, at most " + span_of(most(gaps))),
                     "", "");
  report_table listed({{"Epoch", "n"},
                       {"Time (UTC)", "when"},
                       {"After", "n"},
                       {"Written", "n"},
                       {"Size", "n"},
                       {"Label", "type"}},
                      "The last checkpoints", false);
  const std::size_t begin = all.size() > checkpoints_shown ? all.size() - checkpoints_shown : 0;
  for (std::size_t i = all.size(); i-- > begin;) {
    const json& one = all[i];
    std::string label = "<bdi>" + shown(text_at(one, "label")) + "</bdi>";
    if (text_at(one, "label").empty()) label.clear();
    if (one.value("kept", false)) label += " <span class=\"good\">kept</span>";
    listed.row({grouped(number_at(one, "epoch")), html_text(time_of_day(text_at(one, "time"))),
                i == 0 ? "" : with_unit(span_of(static_cast<std::uint64_t>(gaps[i]))),
                bytes_cell(number_at(one, "bytes")), bytes_cell(number_at(one, "size")), label});
  }
  html += listed.finish();
  if (begin != 0)
    html += paragraph("And " + grouped(begin) + " earlier ones; 'perdure log' lists them.", "soft");
  return html + "</section>\n";
}

std::string histogram_cell(const json& array) {
  if (array.contains("problem")) return "<span class=\"bad\">" + shown(text_at(array, "problem")) + "</span>";
  if (!array.contains("numbers")) return "<span class=\"soft\">not numbers</span>";
  const json& numbers = array["numbers"];
  const std::uint64_t sampled = number_at(numbers, "sampled");
  const std::uint64_t finite = sampled - number_at(numbers, "not_finite");
  std::string html = "<div>";
  if (finite != 0) {
    const std::string low = six_digits(numbers["smallest"].get<double>());
    const std::string high = six_digits(numbers["largest"].get<double>());
    std::string svg =
        bar_chart(numbers["bins"].get<std::vector<double>>(), "Histogram from " + low + " to " + high);
    svg.replace(svg.find("class=\"bars\""), 12, "class=\"bars hist\"");
    html += svg + "<div class=\"ends\"><span>" + low + "</span><span>" + high + "</span></div>";
    html += "<small>mean " + six_digits(numbers["mean"].get<double>()) + "</small>";
  }
  const auto line = [&](const std::string& text) { html += "<br/><small>" + html_text(text) + "</small>"; };
  if (sampled != finite) line(grouped(sampled - finite) + " not finite");
  if (sampled < number_at(numbers, "elements"))
    line("sample of " + grouped(sampled) + " of " +
         counted(number_at(numbers, "elements"), "element", "elements"));
  if (sampled == 0) line("no elements");
  return html + "</div>";
}

std::string arrays_section(const json& facts) {
  const json& arrays = rows_at(facts, "arrays");
  if (arrays.empty()) return {};
  std::string html = begin_section("arrays", "Arrays");
  report_table listed({{"Name", ""},
                       {"Type", "type mono"},
                       {"Shape", "n"},
                       {"Stored", "n"},
                       {"Layout", "type"},
                       {"Values", "histogram"}},
                      "Arrays");
  for (const json& one : arrays) {
    std::string name = "<bdi>" + shown(text_at(one, "id")) + "</bdi>";
    std::size_t more = 0;
    for (const auto& [key, value] : one["attributes"].items()) {
      if (++more > attributes_shown) continue;
      const std::string text = value.is_string() ? value.get<std::string>()
                                                 : value.dump(-1, ' ', false, json::error_handler_t::replace);
      name += "<br/><small><bdi>" + html_text(key, 60) + "</bdi> = <bdi>" + html_text(text, 80) +
              "</bdi></small>";
    }
    if (more > attributes_shown)
      name += "<br/><small>and " + counted(more - attributes_shown, "more attribute", "more attributes") +
              "</small>";
    std::string layout = html_text(text_at(one, "layout"));
    if (one.contains("chunk")) layout += " of " + dims_text(one["chunk"]);
    layout += "<br/><small>" + counted(number_at(one, "blocks"), "block", "blocks");
    if (text_at(one, "compression") != "none") layout += ", " + html_text(text_at(one, "compression"));
    layout += "</small>";
    std::string stored = bytes_cell(number_at(one, "stored_bytes"));
    if (number_at(one, "stored_bytes") != number_at(one, "bytes"))
      stored += "<br/><small>of " + in_bytes(number_at(one, "bytes")) + "</small>";
    listed.row(
        {name, shown(text_at(one, "dtype")), dims_text(one["shape"]), stored, layout, histogram_cell(one)});
  }
  html += listed.finish();
  const std::uint64_t others = number_at(facts["other_arrays"], "number");
  if (others != 0)
    html += paragraph("And " + counted(others, "other array", "other arrays") + " of " +
                          in_bytes(number_at(facts["other_arrays"], "bytes")) +
                          "; 'perdure array ls' lists them.",
                      "soft");
  return html + "</section>\n";
}

std::vector<std::pair<double, double>> points_of(const json& degrees) {
  std::vector<std::pair<double, double>> points;
  for (const json& one : rows_at(degrees, "distribution")) {
    const auto from = one["from"].get<double>();
    const auto to = one["to"].get<double>();
    points.emplace_back(std::sqrt(from * to), one["vertices"].get<double>() / (to - from + 1));
  }
  return points;
}

std::string degree_facts(const json& degrees) {
  return html_text("at most " + grouped(number_at(degrees, "largest")) + ", mean " +
                   six_digits(degrees["mean"].get<double>()) + ", median " +
                   six_digits(degrees["median"].get<double>()));
}

std::string graphs_section(const json& facts) {
  const json& graphs = rows_at(facts, "graphs");
  if (graphs.empty()) return {};
  std::string html = begin_section("graphs", "Graphs");
  for (const json& one : graphs) {
    const bool is_undirected = one.value("undirected", false);
    html += "<h3><bdi>" + shown(text_at(one, "graph")) + "</bdi></h3><div class=\"graph\">";
    std::vector<std::pair<std::string, std::string>> list{
        {"vertices", grouped(number_at(one, "vertices"))},
        {"edges", grouped(number_at(one, "edges")) + (is_undirected ? ", undirected" : ", directed") +
                      (one.value("weighted", false) ? ", with weights" : "")},
        {"kept as", html_text(text_at(one, "layout"))},
        {"self loops", grouped(number_at(one, "self_loops"))},
        {"isolated vertices", grouped(number_at(one, "isolated"))},
        {is_undirected ? "degrees" : "out-degrees", degree_facts(one["degrees"])}};
    std::vector<log_series> series{{"", points_of(one["degrees"])}};
    if (one.contains("in_degrees")) {
      list.emplace_back("in-degrees", degree_facts(one["in_degrees"]));
      series.push_back({"second", points_of(one["in_degrees"])});
    }
    html += facts_list(list) + "<figure>" +
            log_plot(series, "neighbours", "vertices",
                     "Vertices by their number of neighbours, on logarithmic axes");
    if (one.contains("in_degrees")) html += legend({{"dot", "out-degree"}, {"dot second", "in-degree"}});
    html +=
        "<figcaption><span>Vertices for each degree; of large degrees the mean of their neighbours. Vertices "
        "without neighbours are not "
        "shown.</span></figcaption></figure></div>\n";
  }
  if (const std::uint64_t others = number_at(facts, "other_graphs"); others != 0)
    html += paragraph("And " + counted(others, "other graph", "other graphs") + ".", "soft");
  return html + "</section>\n";
}

std::string kmers_section(const json& facts) {
  const json& indexes = rows_at(facts, "kmer_indexes");
  if (indexes.empty()) return {};
  std::string html = begin_section("kmers", "K-mer indexes");
  report_table listed({{"Name", ""},
                       {"Kind", "type"},
                       {"Sequences", "n"},
                       {"Bases", "n"},
                       {"Entries", "n"},
                       {"Layers", "n"},
                       {"Table", "n"}},
                      "K-mer indexes");
  for (const json& one : indexes) {
    const bool is_exact = one.contains("kmers");
    listed.row({"<bdi>" + shown(text_at(one, "index")) + "</bdi>",
                (is_exact ? "exact, k = " : "minimizers, k = ") + std::to_string(number_at(one, "k")) +
                    (is_exact ? "" : ", l = " + std::to_string(number_at(one, "l"))),
                grouped(number_at(one, "sequences")), grouped(number_at(one, "bases")),
                grouped(number_at(one, is_exact ? "kmers" : "minimizers")), grouped(number_at(one, "layers")),
                bytes_cell(number_at(one, "bytes"))});
  }
  html += listed.finish();
  if (const std::uint64_t others = number_at(facts, "other_kmer_indexes"); others != 0)
    html += paragraph("And " + counted(others, "other index", "other indexes") + ".", "soft");
  return html + "</section>\n";
}

std::string store_section(const json& facts) {
  std::string html = begin_section("store", "The store");
  std::string epoch = grouped(number_at(facts, "epoch")) + " committed, " +
                      grouped(number_at(facts, "applied_epoch")) + " written home";
  if (facts.contains("undecided_epoch"))
    epoch += ", " + grouped(number_at(facts, "undecided_epoch")) + " prepared";
  if (facts.value("open_dirty", false)) epoch += "; not closed cleanly";
  html += facts_list({{"path", "<span class=\"mono\">" + html_text(text_at(facts, "store")) + "</span>"},
                      {"UUID", "<span class=\"mono\">" + html_text(text_at(facts, "uuid")) + "</span>"},
                      {"epoch", html_text(epoch)},
                      {"size", in_bytes(number_at(facts, "size")) + ", bookkeeping included"},
                      {"on disk", in_bytes(number_at(facts, "disk_bytes")) + " in all files"},
                      {"capacity", in_bytes(number_at(facts, "capacity")) + " of blocks"},
                      {"home files", counted(number_at(facts, "home_files"), "file", "files") + " of up to " +
                                         in_bytes(number_at(facts, "home_file_size"))},
                      {"placement", facts.value("pinned", false) ? "pinned at one address" : "relocatable"},
                      {"format", std::to_string(number_at(facts, "format_version"))},
                      {"ABI", html_text(text_at(facts, "abi"))}});
  return html + "</section>\n";
}

std::string title_of(const json& facts) {
  std::string path = text_at(facts, facts.contains("set") ? "set" : "store");
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path.substr(path.find_last_of('/') + 1);
}

std::string tiles(const json& facts) {
  std::string html;
  const json& verification = facts["verification"];
  if (verification.is_null())
    html += tile("Not verified", "--no-verify", "warn");
  else if (const std::uint64_t damages = number_at(verification, "damages"); damages == 0)
    html += tile("Whole", "every byte checked", "good");
  else
    html += tile("Damaged", counted(damages, "damage", "damages"), "bad");
  html += tile(in_bytes(number_at(facts, "disk_bytes")), "on disk, all files");
  if (facts.contains("heap")) {
    const json& heap = facts["heap"];
    html += tile(in_bytes(number_at(heap, "used_bytes")),
                 "in " + counted(number_at(heap, "blocks"), "block", "blocks") + ", " +
                     std::to_string(number_at(heap, "fragmentation_percent")) + " % free between them");
  }
  if (facts.contains("objects")) {
    std::uint64_t anonymous = number_at(facts["other_anonymous"], "number");
    for (const json& one : rows_at(facts, "anonymous")) anonymous += number_at(one, "number");
    const std::uint64_t objects =
        facts["objects"].size() + number_at(facts["other_objects"], "number") + anonymous;
    html += tile(grouped(objects), objects == 1 ? "object" : "objects");
  }
  return html + epoch_tile(facts);
}

struct page_section {
  const char* id;
  const char* heading;
  std::string content;  ///< empty: it is left out
};

std::vector<page_section> sections_of(const json& facts) {
  if (facts.contains("set"))
    return {{"verification", "Verification", set_verification_section(facts)},
            {"parts", "Parts", parts_section(facts)},
            {"checkpoints", "Checkpoints", checkpoints_section(facts)},
            {"arrays", "Arrays", arrays_section(facts)},
            {"graphs", "Graphs", graphs_section(facts)},
            {"set", "The set", set_section(facts)}};
  return {{"verification", "Verification", verification_section(facts)},
          {"objects", "Objects", objects_section(facts)},
          {"heap", "Heap", heap_section(facts)},
          {"checkpoints", "Checkpoints", checkpoints_section(facts)},
          {"arrays", "Arrays", arrays_section(facts)},
          {"graphs", "Graphs", graphs_section(facts)},
          {"kmers", "K-mer indexes", kmers_section(facts)},
          {"store", "The store", store_section(facts)}};
}

}  // namespace

std::string report_page(const json& facts) {
  const std::string title = html_text(title_of(facts), 200);
  const std::vector<page_section> sections = sections_of(facts);
  const bool is_set = facts.contains("set");
  // The policy keeps a browser from loading or running anything, whatever names and values hold.
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "img-src data:\"/><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>"
      "<link rel=\"icon\" href=\"data:,\"/><title>" +
      title + " – Perdure</title>\n<style>" + report_style +
      "</style></head>\n<body><a class=\"skip\" href=\"#main\">Skip to the contents</a>\n<header><h1><bdi>" +
      title + "</bdi></h1><p class=\"soft\">Report on a " + (is_set ? "set of stores, " : "store, ") +
      html_text(time_of_day(text_at(facts, "time"))) + " UTC" + "</p>\n<div class=\"tiles\">" +
      (is_set ? set_tiles(facts) : tiles(facts)) + "</div>\n</header>\n<nav aria-label=\"Sections\"><ul>";
  for (const page_section& one : sections)
    if (!one.content.empty())
      html += std::string("<li><a href=\"#") + one.id + "\">" + one.heading + "</a></li>";
  html += "</ul></nav>\n<main id=\"main\">\n";
  for (const page_section& one : sections) html += one.content;
  return html + "</main>\n<footer>Written by <code>perdure report</code> " + version_string +
         ".</footer></body></html>\n";
}

}  // namespace perdure::cli
