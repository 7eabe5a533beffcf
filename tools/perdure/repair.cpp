// perdure repair STORE: mends what has a second source.
#include <filesystem>
#include <memory>
#include <perdure/datastore.hpp>
#include <perdure/store_maintenance.hpp>

#include "command.hpp"
#include "findings.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

void repair_store(const std::filesystem::path& path, const repair_options& options, bool as_json) {
  const stopwatch watch;
  const repair_report report = store_maintenance::repair(path, options);
  if (as_json) {
    print({{"store", path.string()},
           {"epoch", report.after.epoch},
           {"whole", report.whole()},
           {"done", report.done},
           {"before", to_json(report.before)},
           {"after", to_json(report.after)},
           {"seconds", watch.seconds()}});
  } else {
    output out = output::standard();
    for (const std::string& one : report.done) out.write("done: " + one + '\n');
    if (report.done.empty() && report.before.whole()) out.write("nothing to repair\n");
    print(out, report.after);
    out.finish();
  }
  if (!report.whole()) throw negative_result();
}

}  // namespace

void add_repair_command(command program) {
  struct options {
    std::filesystem::path store;
    repair_options repair;
    bool as_json = false;
  };
  auto given = std::make_shared<options>();
  command repair = program.add_command("repair", "Mend what can be mended in a damaged store");
  repair.add_path("STORE", given->store, "The store's directory").required();
  repair.add_flag("--accept-damage", given->repair.accept_damage,
                  "Take damaged pages, and zeros where a file is cut short, for right");
  add_threads_option(repair, given->repair.threads);
  add_json_option(repair, given->as_json);
  repair.footer("Exit codes: 0 whole now, 1 damage is left. Copy the store first if you can.");
  repair.example("web.store", "Mend a damaged store, and name what cannot be mended");
  repair.callback([given] { repair_store(given->store, given->repair, given->as_json); });
}

}  // namespace perdure::cli
