#include "findings.hpp"

#include <cstdio>
#include <optional>

#include "type_names.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

std::string as_address(std::uint64_t word) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(word));
  return text;
}

const char* kind_of_place(const std::optional<instance_kind>& kind) {
  if (!kind) return "block";
  return *kind == instance_kind::named ? "named" : *kind == instance_kind::unique ? "unique" : "anonymous";
}

std::string described(const inspect::pointing_bytes& one) {
  if (one.type.empty()) return "a block of " + in_bytes(one.bytes) + " at byte " + grouped(one.store_offset);
  const std::string type = printable_name(type_in_words(one.type)) +
                           (one.length == 1 ? "" : '[' + std::to_string(one.length) + ']');
  if (!one.name.empty()) return '"' + printable_name(one.name) + "\" (" + type + ')';
  return std::string(kind_of_place(one.kind)) + ' ' + type + " at byte " + grouped(one.store_offset);
}

}  // namespace

json to_json(const verify_finding& finding) {
  json value{{"part", to_string(finding.part)},
             {"damage", finding.damage},
             {"file", finding.file},
             {"offset", finding.offset}};
  if (finding.page) value["page"] = *finding.page;
  value["epoch"] = finding.epoch;
  value["what"] = finding.what;
  return value;
}

json to_json(const verify_report& report) {
  json findings = json::array();
  for (const verify_finding& one : report.findings) findings.push_back(to_json(one));
  return {{"whole", report.whole()},        {"damages", report.damages},
          {"epoch", report.epoch},          {"applied_epoch", report.applied_epoch},
          {"pages", report.pages},          {"bytes_read", report.bytes_read},
          {"findings", std::move(findings)}};
}

void print(output& out, const verify_report& report) {
  std::uint64_t listed = 0;
  for (const verify_finding& one : report.findings) {
    out.write((one.damage ? "damage: " : "note: ") + to_string(one) + '\n');
    listed += one.damage;
  }
  if (listed < report.damages) out.write("and " + grouped(report.damages - listed) + " more\n");
  out.write((report.whole() ? "whole" : counted(report.damages, "damage", "damages")) + " at epoch " +
            grouped(report.epoch) + ": " + counted(report.pages, "page", "pages") + ", " +
            in_bytes(report.bytes_read) + " read\n");
}

json to_json(const inspect::pointer_report& report) {
  json found = json::array();
  for (const inspect::pointing_bytes& one : report.found) {
    json row{{"kind", kind_of_place(one.kind)}};
    if (!one.name.empty()) row["name"] = one.name;
    if (!one.type.empty()) row["type"] = one.type;
    row["store_offset"] = one.store_offset;
    row["bytes"] = one.bytes;
    row["offset"] = one.offset;
    row["word"] = as_address(one.word);
    row["words"] = one.words;
    if (one.epoch != 0) row["mapped_for_epoch"] = one.epoch;
    found.push_back(std::move(row));
  }
  return {{"words", report.words},
          {"places", report.places},
          {"bytes_read", report.bytes_read},
          {"found", found}};
}

void print(output& out, const inspect::pointer_report& report) {
  for (const inspect::pointing_bytes& one : report.found)
    out.write("looks like a raw pointer: " + described(one) + ", offset " + grouped(one.offset) + ": " +
              as_address(one.word) +
              (one.epoch == 0 ? ", into a process"
                              : ", where epoch " + grouped(one.epoch) + " had the store mapped") +
              (one.words == 1 ? "" : ", the first of " + grouped(one.words)) + '\n');
  if (report.found.size() < report.places)
    out.write("and in " + grouped(report.places - report.found.size()) + " more\n");
  out.write(report.places == 0
                ? "nothing looks like a raw pointer: " + in_bytes(report.bytes_read) +
                      " read; some may be missed, as those that could be text or two small numbers\n"
                : counted(report.words, "word looks like a raw pointer", "words look like raw pointers") +
                      ", which lead nowhere in another process: docs/reference/types.md\n");
}

}  // namespace perdure::cli
