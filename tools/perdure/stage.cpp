// perdure stage in STORE FAST, perdure stage out FAST STORE: work on a copy in a faster place.
#include <filesystem>
#include <memory>
#include <perdure/datastore.hpp>
#include <perdure/store_maintenance.hpp>

#include "command.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

void stage_in(const std::filesystem::path& store, const std::filesystem::path& fast, bool as_json) {
  const stopwatch watch;
  store_maintenance::stage_in(store, fast);
  const double seconds = watch.seconds();
  const store_info info = store_maintenance::inspect(fast);
  if (as_json) {
    print({{"store", store.string()},
           {"fast", fast.string()},
           {"epoch", info.copied_epoch},
           {"size", info.size},
           {"seconds", seconds}});
    return;
  }
  output out = output::standard();
  out.write("epoch " + grouped(info.copied_epoch) + ", " + in_bytes(info.size) + ", staged in " +
            in_seconds(seconds) + '\n');
  out.finish();
}

void stage_out(const std::filesystem::path& fast, const std::filesystem::path& store, bool as_json) {
  const stopwatch watch;
  const stage_report report = store_maintenance::stage_out(fast, store);
  const double seconds = watch.seconds();
  if (as_json) {
    print({{"fast", fast.string()},
           {"store", store.string()},
           {"epoch", report.epoch},
           {"pages", report.pages},
           {"pages_written", report.pages_written},
           {"pages_released", report.pages_released},
           {"seconds", seconds}});
    return;
  }
  output out = output::standard();
  out.write("wrote back " + counted(report.pages_written, "page", "pages") + " of " + grouped(report.pages) +
            " in " + in_seconds(seconds) + "; " + store.string() + " is at epoch " + grouped(report.epoch) +
            '\n');
  out.finish();
}

struct stage_options {
  std::filesystem::path from;
  std::filesystem::path to;
  bool as_json = false;
};

}  // namespace

void add_stage_commands(command program) {
  command stage = program.add_command("stage", "Work on a copy of a store in a faster place");
  stage.require_command();
  auto given = std::make_shared<stage_options>();
  command in = stage.add_command("in", "Copy a store to a faster place");
  in.add_path("STORE", given->from, "The store").required();
  in.add_path("FAST", given->to, "The copy; nothing may be there").required();
  add_json_option(in, given->as_json);
  in.example("web.store /dev/shm/web.store", "Copy a store into memory, to work there");
  in.callback([given] { stage_in(given->from, given->to, given->as_json); });
  command out = stage.add_command("out", "Write home what is different in the copy, as one checkpoint");
  out.add_path("FAST", given->from, "The copy").required();
  out.add_path("STORE", given->to, "The store it was taken of, unchanged since").required();
  add_json_option(out, given->as_json);
  out.example("/dev/shm/web.store web.store", "Write the changes home");
  out.callback([given] { stage_out(given->from, given->to, given->as_json); });
}

}  // namespace perdure::cli
