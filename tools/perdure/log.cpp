// perdure log STORE: the checkpoints a store remembers.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <perdure/datastore.hpp>
#include <perdure/store_maintenance.hpp>
#include <perdure/store_set.hpp>
#include <string>
#include <vector>

#include "command.hpp"
#include "store_json.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

std::string printable_label(std::string label) {
  for (char& c : label)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return label;
}

void show_log(const std::filesystem::path& path, std::uint64_t last, bool as_json) {
  std::vector<checkpoint_record> log = is_set(path) ? log_of_set(path) : store_maintenance::log(path);
  if (log.size() > last) log.erase(log.begin(), log.end() - static_cast<std::ptrdiff_t>(last));
  if (as_json) {
    json checkpoints = json::array();
    for (const checkpoint_record& one : log) checkpoints.push_back(cli::as_json(one));
    print({{"store", path.string()}, {"checkpoints", checkpoints}});
    return;
  }
  output out = output::standard();
  if (log.empty()) out.write("no checkpoints\n");
  for (const checkpoint_record& one : log) {
    char line[96];
    std::snprintf(line, sizeof line, "%8s  %s  %10s", grouped(one.epoch).c_str(), in_utc(one.time_ns).c_str(),
                  in_bytes(one.bytes()).c_str());
    out.write(line);
    if (!one.label.empty()) out.write("  " + printable_label(one.label));
    if (one.kept) {
      const bool is_hidden = std::any_of(log.begin(), log.end(), [&one](const checkpoint_record& other) {
        return other.epoch > one.epoch && other.label == one.label;
      });
      out.write(is_hidden ? "  (kept; a later one has this label: open " + path.string() + "@" +
                                std::to_string(one.epoch) + ")"
                          : "  (kept)");
    }
    out.write("\n");
  }
  out.finish();
}

}  // namespace

void add_log_command(command program) {
  struct options {
    std::filesystem::path store;
    std::uint64_t last = checkpoints_remembered;
    bool as_json = false;
  };
  auto given = std::make_shared<options>();
  command log = program.add_command("log", "List checkpoints of a store or set: time, bytes written, label");
  log.add_path("STORE", given->store, store_to_read).required();
  log.add_number("--last", 1, 1'000'000'000, "Only so many", [given](std::uint64_t n) { given->last = n; })
      .default_text(std::to_string(given->last));
  add_json_option(log, given->as_json);
  log.example("web.store --last 5", "List the last five checkpoints");
  log.callback([given] { show_log(given->store, given->last, given->as_json); });
}

}  // namespace perdure::cli
