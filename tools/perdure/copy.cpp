// perdure copy FROM TO, perdure snapshot STORE TO: another store with the same content.
#include <filesystem>
#include <memory>
#include <perdure/datastore.hpp>
#include <perdure/store_maintenance.hpp>
#include <perdure/store_set.hpp>

#include "command.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

void copy_store(const std::filesystem::path& from, const std::filesystem::path& to, bool as_json) {
  const stopwatch watch;
  std::uint64_t epoch = 0;
  std::uint64_t size = 0;
  if (is_set(from)) {
    copy_set(from, to);
    const set_info info = inspect_set(to);
    epoch = info.epoch;
    for (const set_part& part : info.parts) size += store_maintenance::inspect(part.path).size;
  } else {
    store_maintenance::copy(from, to);
    const store_info info = store_maintenance::inspect(to);
    epoch = info.copied_epoch;
    size = info.size;
  }
  const double seconds = watch.seconds();
  if (as_json) {
    print({{"from", from.string()},
           {"to", to.string()},
           {"epoch", epoch},
           {"size", size},
           {"seconds", seconds}});
    return;
  }
  output out = output::standard();
  out.write("epoch " + grouped(epoch) + ", " + in_bytes(size) + ", copied in " + in_seconds(seconds) + '\n');
  out.finish();
}

void add(command program, const char* name, const char* source, const char* purpose, const char* words,
         const char* example) {
  struct options {
    std::filesystem::path from;
    std::filesystem::path to;
    bool as_json = false;
  };
  auto given = std::make_shared<options>();
  command copy = program.add_command(name, purpose);
  copy.add_path(source, given->from,
                "The store or set of stores to copy, as of its last checkpoint, or STORE@LABEL: a checkpoint "
                "that it "
                "keeps")
      .required();
  copy.add_path("TO", given->to, "The new store; nothing may be there").required();
  add_wait_option(copy);
  add_json_option(copy, given->as_json);
  copy.footer(
      "Files share their blocks where the file system can do that (XFS, btrfs). After a crash the new "
      "store is there, whole, or not at all.");
  copy.example(words, example);
  copy.callback([given] { copy_store(given->from, given->to, given->as_json); });
}

}  // namespace

void add_copy_commands(command program) {
  add(program, "snapshot", "STORE", "Keep a store's last checkpoint as a store of its own",
      "web.store monday.store", "Keep the last checkpoint, also beside a program that writes");
  add(program, "copy", "FROM", "Copy a store", "web.store /backup/web.store", "Copy a store to another disk");
}

}  // namespace perdure::cli
