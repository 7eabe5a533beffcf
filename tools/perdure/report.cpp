// perdure report STORE -o FILE: one page that shows what a store, or a set of stores, contains and how it
// stands.
#include <memory>
#include <optional>
#include <string>

#include "command.hpp"
#include "report_facts.hpp"
#include "report_page.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct report_options : report_wanted {
  std::filesystem::path file;
  bool skips_verification = false;
  bool as_json = false;
};

void write_report(report_options given) {
  if (given.file.empty() && !given.as_json)
    throw usage_error("report: name the page's file with -o FILE, or print its facts with --json");
  if (given.file == "-" && given.as_json)
    throw usage_error("--json and -o - would both write to standard output: give -o a file");
  given.is_verified = !given.skips_verification;
  const stopwatch watch;
  // Before the work, which may be long.
  std::optional<output> file;
  if (!given.file.empty()) file.emplace(output::to(given.file));
  json facts = facts_for_report(given);
  std::size_t bytes = 0;
  if (file) {
    const std::string page = report_page(facts);
    bytes = page.size();
    file->write(page);
    file->finish();
    facts["file"] = given.file.string();
  }
  facts["seconds"] = watch.seconds();
  if (given.as_json) {
    print(facts);
  } else if (given.file != "-") {
    output out = output::standard();
    out.write("wrote " + given.file.string() + ", " + in_bytes(bytes) + ", in " +
              in_seconds(watch.seconds()) + "\n");
    if (has_damage(facts))
      out.write(std::string(facts.contains("set") ? "the set" : "the store") +
                " is damaged, as the page shows\n");
    out.finish();
  }
  if (has_damage(facts)) throw negative_result();
}

}  // namespace

void add_report_command(command program) {
  auto given = std::make_shared<report_options>();
  command report = program.add_command("report",
                                       "Write a page (HTML) about a store or a set of stores: objects, heap, "
                                       "checkpoints, arrays, graphs, damage");
  report.add_path("STORE", given->store, store_to_read).required();
  report.add_path("-o,--output", given->file, "The page's file; '-' is standard output");
  report
      .add_number("--limit", 1, 10'000, "List no more objects, arrays, graphs, indexes and damages each",
                  [given](std::uint64_t n) { given->most_rows = n; })
      .default_text("100");
  report.add_flag("--no-verify", given->skips_verification,
                  "Do not check every byte first; each page is checked before it is used");
  add_threads_option(report, given->threads);
  add_wait_option(report);
  add_json_option(report, given->as_json);
  report.footer(
      "The page is one file that needs no network and no script. Histograms of arrays with more than "
      "1,048,576 "
      "elements are of a sample, which the page says. Of a set of stores it shows the parts, and the arrays "
      "and graphs of all ranks.\nExit codes: 0 written, 1 the store is damaged (the "
      "page "
      "is written and shows it), or failed.");
  report.callback([given] { write_report(*given); });
}

}  // namespace perdure::cli
