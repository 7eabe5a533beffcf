// perdure info STORE: what the super block records.
#include <cstdio>
#include <filesystem>
#include <memory>
#include <perdure/datastore.hpp>

#include "command.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

std::string hexadecimal(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

void show_store(const std::filesystem::path& path, bool as_json) {
  const store_info info = datastore::inspect(path);
  if (as_json) {
    json value{{"store", path.string()},
               {"uuid", info.uuid},
               {"format_version", info.format_version},
               {"compat_features", info.compat_features},
               {"read_only_compat_features", info.read_only_compat_features},
               {"incompat_features", info.incompat_features},
               {"epoch", info.epoch},
               {"applied_epoch", info.applied_epoch},
               {"open_dirty", info.open_dirty},
               {"capacity", info.capacity},
               {"size", info.size},
               {"home_file_size", info.home_file_size},
               {"home_files", info.home_files},
               {"disk_bytes", info.disk_bytes},
               {"pinned", info.pinned}};
    if (info.pinned) value["address"] = info.address;
    value["abi"] = info.abi;
    print(value);
    return;
  }
  output out = output::standard();
  auto row = [&](std::string label, const std::string& value) {
    label.resize(16, ' ');
    out.write(label + value + '\n');
  };
  row("store", path.string());
  row("uuid", info.uuid);
  row("format", std::to_string(info.format_version) + " (features: compatible " +
                    hexadecimal(info.compat_features) + ", read-only " +
                    hexadecimal(info.read_only_compat_features) + ", required " +
                    hexadecimal(info.incompat_features) + ")");
  row("epoch", grouped(info.epoch) + " committed, " + grouped(info.applied_epoch) + " written home" +
                   (info.open_dirty ? "; not closed cleanly" : ""));
  row("size", in_bytes(info.size) + " of " + in_bytes(info.capacity) + " capacity");
  row("on disk", in_bytes(info.disk_bytes) + " in all files");
  row("home files", counted(info.home_files, "file", "files") + " of up to " + in_bytes(info.home_file_size));
  row("placement", info.pinned ? "pinned at " + hexadecimal(info.address) : "relocatable");
  row("abi", info.abi);
  out.finish();
}

}  // namespace

void add_info_command(command program) {
  struct options {
    std::filesystem::path store;
    bool as_json = false;
  };
  auto given = std::make_shared<options>();
  command info = program.add_command("info", "Show what a store records about itself");
  info.add_path("STORE", given->store, "The store's directory").required();
  add_json_option(info, given->as_json);
  info.callback([given] { show_store(given->store, given->as_json); });
}

}  // namespace perdure::cli
