// Verification and repair.
#include "perdure/c/verify.h"

#include <memory>
#include <string>
#include <utility>

#include "c/handles.hpp"
#include "perdure/datastore.hpp"
#include "perdure/store_maintenance.hpp"

using namespace perdure::c;

namespace {

perdure_verify_report* report_handle(perdure::verify_report report) {
  auto made = std::make_unique<perdure_verify_report>();
  made->report = std::move(report);
  for (const perdure::verify_finding& one : made->report.findings) {
    perdure_verify_finding item{};
    item.section = perdure::to_string(one.part).data();  // literals, which end with a zero
    item.file = one.file.c_str();
    item.what = one.what.c_str();
    item.offset = one.offset;
    item.page = one.page.value_or(PERDURE_NO_PAGE);
    item.epoch = one.epoch;
    item.damage = one.damage ? 1 : 0;
    made->items.push_back(item);
  }
  return new_handle(std::move(made));
}

void require_whole(const perdure::verify_report& report, const std::string& path) {
  if (report.whole()) return;
  std::string what = path + " is damaged";
  for (const perdure::verify_finding& one : report.findings) {
    if (!one.damage) continue;
    what += ": " + perdure::to_string(one);
    break;
  }
  if (report.damages > 1) what += " (and " + std::to_string(report.damages - 1) + " more)";
  throw perdure::error(perdure::errc::damaged, what);
}

}  // namespace

perdure_status perdure_verify(const char* path, const perdure_verify_options* options,
                              perdure_verify_report** report) {
  return guarded([&] {
    if (report != nullptr) *report = nullptr;
    const char* const where = required_text(path, "path");
    const perdure_verify_options wanted = options_from(options, "options");
    if (wanted.reserved != 0) refuse("options->reserved is not 0");
    perdure::verify_options chosen;
    chosen.threads = wanted.threads;
    if (wanted.most_findings != 0) chosen.most_findings = wanted.most_findings;
    const perdure::verify_report found = perdure::detail::verify_store(where, chosen);
    if (report != nullptr) *report = report_handle(found);
    require_whole(found, where);
  });
}

perdure_status perdure_repair(const char* path, const perdure_repair_options* options,
                              perdure_text_list** done, perdure_verify_report** before,
                              perdure_verify_report** after) {
  return guarded([&] {
    if (done != nullptr) *done = nullptr;
    if (before != nullptr) *before = nullptr;
    if (after != nullptr) *after = nullptr;
    const char* const where = required_text(path, "path");
    const perdure_repair_options wanted = options_from(options, "options");
    perdure::repair_options chosen;
    chosen.accept_damage = wanted.accept_damage != 0;
    chosen.threads = wanted.threads;
    perdure::repair_report outcome = perdure::store_maintenance::repair(where, chosen);
    if (done != nullptr) {
      auto list = std::make_unique<perdure_text_list>();
      list->items = std::move(outcome.done);
      *done = new_handle(std::move(list));
    }
    if (before != nullptr) *before = report_handle(std::move(outcome.before));
    if (after != nullptr) *after = report_handle(outcome.after);
    require_whole(outcome.after, where);
  });
}

perdure_status perdure_verify_report_summary(const perdure_verify_report* report,
                                             perdure_verify_summary* summary) {
  return guarded([&] {
    const perdure_verify_report& found = object_of(report);
    perdure_verify_summary value{};
    value.epoch = found.report.epoch;
    value.applied_epoch = found.report.applied_epoch;
    value.pages = found.report.pages;
    value.bytes_read = found.report.bytes_read;
    value.damages = found.report.damages;
    value.findings = found.items.size();
    fill(summary, value, "summary");
  });
}

perdure_status perdure_verify_report_finding(const perdure_verify_report* report, size_t index,
                                             const perdure_verify_finding** finding) {
  return guarded([&] {
    const perdure_verify_finding*& result = required_result(finding, "finding");
    result = &item_of(report, index);
  });
}

perdure_status perdure_verify_report_free(perdure_verify_report* report) {
  return free_handle(report);
}
