// perdure info STORE: what the super block records; of a set of stores, what its manifest records.
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <perdure/kept_checkpoint.hpp>
#include <perdure/manager.hpp>
#include <perdure/store_maintenance.hpp>
#include <perdure/store_set.hpp>

#include "command.hpp"
#include "store/backing/backings.hpp"
#include "store/file/store_busy.hpp"
#include "store_json.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

std::string hexadecimal(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

/// Statistics of the heap, or why they are not known now, as before the first checkpoint.
struct heap_found {
  std::optional<heap_stats> stats;
  std::string why_not;
};

heap_found heap_of(const std::filesystem::path& path) {
  try {
    // Quick enough beside a writer.
    const manager store(open_read_only, path, {.beside_writer = reader_beside_writer::hold_writer});
    return {store.memory().stats(), {}};
  } catch (const store::store_busy& busy) {
    return {std::nullopt, busy.reason() + "; wait for it with --wait SECONDS"};
  } catch (const error& failure) {
    return {std::nullopt, failure.what()};
  }
}

json backings_of(const std::filesystem::path& name, std::uint64_t address_space) {
  const std::filesystem::path path = resolve_store_name(name);
  json rows = json::array();
  for (const store::backing_row& one : store::all_backings()) {
    const auto why_not = store::why_not_of(one, path, address_space);
    rows.push_back({{"name", one.name}, {"available", !why_not}});
    if (why_not) rows.back()["why_not"] = *why_not;
  }
  return rows;
}

void show_set(const std::filesystem::path& path, bool as_json) {
  const set_info info = inspect_set(path);
  std::uint64_t size = 0;
  std::uint64_t disk_bytes = 0;
  json parts = json::array();
  output out = output::standard();
  const auto row = [&](std::string label, const std::string& value) {
    label.resize(16, ' ');
    if (!as_json) out.write(label + value + '\n');
  };
  row("set", path.string());
  row("uuid", info.uuid);
  row("epoch", grouped(info.epoch));
  for (const set_part& part : info.parts) {
    json one{{"path", part.path.string()}};
    std::string where = part.path.string();
    if (!part.is_here) {
      one["machine"] = part.machine;
      where += ", on the machine " + part.machine;
    } else if (part.is_missing) {
      one["missing"] = true;
      where += ", which is missing";
    } else {
      const store_info of_part = store_maintenance::inspect(part.path);
      size += of_part.size;
      disk_bytes += of_part.disk_bytes;
      one["size"] = of_part.size;
      one["disk_bytes"] = of_part.disk_bytes;
    }
    row("part " + std::to_string(parts.size()), where);
    parts.push_back(std::move(one));
  }
  row("size", in_bytes(size) + " in all parts here");
  row("on disk", in_bytes(disk_bytes) + " in all files of theirs");
  if (!as_json) return out.finish();
  print({{"set", path.string()},
         {"uuid", info.uuid},
         {"epoch", info.epoch},
         {"part_epoch", info.part_epoch},
         {"size", size},
         {"disk_bytes", disk_bytes},
         {"parts", std::move(parts)}});
}

void show_store(const std::filesystem::path& path, bool as_json) {
  if (is_set(path)) return show_set(path, as_json);
  const store_info info = store_maintenance::inspect(path);
  if (as_json) {
    json value = cli::as_json(path, info);
    value["backings"] = backings_of(path, info.address_space);
    const heap_found found = heap_of(path);
    if (const auto& heap = found.stats)
      value["heap"] = cli::as_json(*heap);
    else
      value["heap_why_not"] = found.why_not;
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
                   (info.undecided_epoch != 0 ? ", " + grouped(info.undecided_epoch) + " prepared" : "") +
                   (info.open_dirty ? "; not closed cleanly" : ""));
  row("size", in_bytes(info.size) + ", the heap's bookkeeping included");
  row("capacity", in_bytes(info.capacity) + " of blocks");
  row("on disk", in_bytes(info.disk_bytes) + " in all files");
  row("home files", counted(info.home_files, "file", "files") + " of up to " + in_bytes(info.home_file_size));
  row("placement", info.pinned ? "pinned at " + hexadecimal(info.address) : "relocatable");
  row("abi", info.abi);
  std::string backings;
  for (const json& one : backings_of(path, info.address_space)) {
    if (one["available"].get<bool>())
      backings += (backings.empty() ? "" : ", ") + one["name"].get<std::string>();
  }
  row("backings", backings);
  const heap_found found = heap_of(path);
  if (const auto& heap = found.stats) {
    // Of a small heap most is free, as memory comes in pieces that are larger; that tells nothing.
    const bool is_small = heap->used_bytes < (std::uint64_t{1} << 20);
    row("heap", in_bytes(heap->used_bytes) + " in " + counted(heap->blocks, "block", "blocks") + ", " +
                    (is_small ? ""
                              : in_bytes(heap->free_bytes) + " free between them (" +
                                    std::to_string(fragmentation(*heap)) + " %), ") +
                    in_bytes(heap->metadata_bytes) + " of bookkeeping");
  } else {
    row("heap", "not known: " + found.why_not);
  }
  out.finish();
}

}  // namespace

void add_info_command(command program) {
  struct options {
    std::filesystem::path store;
    bool as_json = false;
  };
  auto given = std::make_shared<options>();
  command info = program.add_command("info", "Show what a store, or a set of stores, records about itself");
  info.add_path("STORE", given->store, store_to_read).required();
  add_wait_option(info);
  add_json_option(info, given->as_json);
  info.example("web.store", "Show capacity, use and last checkpoint of a store");
  info.callback([given] { show_store(given->store, given->as_json); });
}

}  // namespace perdure::cli
