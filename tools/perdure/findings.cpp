#include "findings.hpp"

#include "units.hpp"

namespace perdure::cli {

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

}  // namespace perdure::cli
