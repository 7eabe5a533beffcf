// perdure copy FROM TO, perdure snapshot STORE TO: another store with the same content.
#include <filesystem>
#include <memory>
#include <perdure/datastore.hpp>
#include <perdure/store_maintenance.hpp>

#include "command.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

void copy_store(const std::filesystem::path& from, const std::filesystem::path& to, bool as_json) {
  const stopwatch watch;
  store_maintenance::copy(from, to);
  const double seconds = watch.seconds();
  const store_info info = store_maintenance::inspect(to);
  if (as_json) {
    print({{"from", from.string()},
           {"to", to.string()},
           {"epoch", info.copied_epoch},
           {"size", info.size},
           {"seconds", seconds}});
    return;
  }
  output out = output::standard();
  out.write("epoch " + grouped(info.copied_epoch) + ", " + in_bytes(info.size) + ", copied in " +
            in_seconds(seconds) + '\n');
  out.finish();
}

void add(command program, const char* name, const char* source, const char* purpose) {
  struct options {
    std::filesystem::path from;
    std::filesystem::path to;
    bool as_json = false;
  };
  auto given = std::make_shared<options>();
  command copy = program.add_command(name, purpose);
  copy.add_path(source, given->from, "The store to copy, as of its last checkpoint").required();
  copy.add_path("TO", given->to, "The new store; nothing may be there").required();
  add_json_option(copy, given->as_json);
  copy.footer(
      "Files share their blocks where the file system can do that (XFS, btrfs). After a crash the new\n"
      "store is there, whole, or not at all.");
  copy.callback([given] { copy_store(given->from, given->to, given->as_json); });
}

}  // namespace

void add_copy_commands(command program) {
  add(program, "snapshot", "STORE", "Keep a store's last checkpoint as a store of its own");
  add(program, "copy", "FROM", "Copy a store");
}

}  // namespace perdure::cli
