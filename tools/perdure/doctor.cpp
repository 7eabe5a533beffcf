// perdure doctor: what this machine can do for Perdure, and why it cannot do the rest. Kinds of memory, the
// pager, persistent memory, page trackers, shared blocks, huge pages, limits, and what the environment asks
// for.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <perdure/datastore.hpp>
#include <perdure/kind.hpp>
#include <perdure/pager.hpp>
#include <perdure/store_maintenance.hpp>

#include "base/environment.hpp"
#include "command.hpp"
#include "machine.hpp"
#include "store/backing/backings.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

/// Why a kind that is always there gives no more than ordinary memory; nothing if it gives what it says.
std::optional<std::string> what_is_missing(static_kind which) {
  memory_request strict = request_of(which);
  strict.pages_preferred = false;
  if (strict.mode == numa_mode::preferred) strict.mode = numa_mode::bind;
  return kind::why_unavailable(strict);
}

json pager_tiers() {
  json tiers = json::array();
  for (const pager::tier which : {pager::tier::uffd_sigbus, pager::tier::guard, pager::tier::plain}) {
    const auto why_not = pager::why_unavailable(which);
    tiers.push_back({{"name", pager::to_string(which)}, {"available", !why_not}});
    if (why_not) tiers.back()["why_not"] = *why_not;
  }
  return tiers;
}

json backings(const std::filesystem::path& directory) {
  json rows = json::array();
  for (const store::backing_row& one : store::all_backings()) {
    const auto why_not = store::why_not_in(one, directory);
    json row{{"name", one.name},
             {"available", !why_not},
             {"memory", one.memory},
             {"atomic_checkpoints", one.atomic_checkpoints},
             {"prepares", one.prepares},
             {"verifies_lazily", one.verifies_lazily},
             {"readers_beside_writer", one.readers_beside},
             {"memory_in_forked_child", one.memory_in_child},
             {"most_pages", one.most_pages}};
    if (why_not) {
      row["why_not"] = *why_not;
      if (one.otherwise) row["falls_back"] = store::row_of(*one.otherwise).name;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

json persistent_memory(const std::filesystem::path& directory) {
  const auto why_not = store_maintenance::why_not_persistent(directory);
  json row{{"directory", directory.string()}, {"available", !why_not}};
  if (why_not) row["why_not"] = *why_not;
  return row;
}

json environment() {
  json rows = json::array();
  for (const base::environment_variable& one : base::environment) {
    const auto value = base::value_of(one);
    json row{{"name", one.name},          {"value", value ? json(*value) : json(nullptr)},
             {"purpose", one.purpose},    {"values", base::allowed_values(one)},
             {"default", one.by_default}, {"read_by", one.read_by}};
    if (const auto why_not = value ? base::why_refused(one, *value) : std::nullopt) row["why_not"] = *why_not;
    rows.push_back(std::move(row));
  }
  return rows;
}

json noticed_copies(const std::filesystem::path& directory) {
  json row{{"directory", directory.string()}, {"available", false}};
  try {
    const auto why_not = store_maintenance::why_copies_pass_unnoticed(directory);
    row["available"] = !why_not;
    if (why_not) row["why_not"] = *why_not;
  } catch (const error& failure) {
    row["why_not"] = failure.what();
  }
  return row;
}

std::string column(std::string name) {
  name.resize(std::max<std::size_t>(38, name.size() + 1), ' ');
  return name;
}

void write_directory(output& out, const char* what, const json& row) {
  out.write(std::string(what) + '\n');
  out.write(column("  in " + row["directory"].get<std::string>()) +
            (row["available"].get<bool>() ? "yes" : "no    " + row["why_not"].get<std::string>()) + '\n');
}

void examine(const std::filesystem::path& directory, bool as_json) {
  json kinds = json::array();
  for (unsigned i = 0; i < static_kind_count; ++i) {
    const auto which = static_cast<static_kind>(i);
    const auto why_not = kind::why_unavailable(which);
    json row{{"name", to_string(which)}, {"available", !why_not}};
    if (why_not) {
      row["why_not"] = *why_not;
    } else {
      if (const auto missing = what_is_missing(which)) row["falls_back"] = *missing;
      try {
        // Nothing of the kind is taken before something is allocated.
        const memory_size size = kind::get(which).size();
        row["total"] = size.total;
        row["free"] = size.free;
      } catch (const error&) {
        // Too little address space, or no page to begin with, says nothing about the machine.
      }
    }
    kinds.push_back(std::move(row));
  }
  const json tiers = pager_tiers();
  const json memories = backings(directory);
  const json persistent = persistent_memory(directory);
  const json trackers = page_trackers(directory);
  const json sharing = shared_blocks(directory);
  const json noticed = noticed_copies(directory);
  const json variables = environment();
  if (as_json)
    return print({{"kinds", kinds},
                  {"pager", tiers},
                  {"backings", memories},
                  {"persistent_memory", persistent},
                  {"page_trackers", trackers},
                  {"shared_blocks", sharing},
                  {"noticed_copies", noticed},
                  {"huge_pages", huge_pages()},
                  {"limits", limits()},
                  {"environment", variables}});
  output out = output::standard();
  out.write("kinds of memory\n");
  for (const json& row : kinds) {
    const std::string name = column("  " + row["name"].get<std::string>());
    if (!row["available"].get<bool>()) {
      out.write(name + "no    " + row["why_not"].get<std::string>() + '\n');
      continue;
    }
    std::string line = name + "yes   ";
    if (row.contains("free"))
      line += in_bytes(row["free"].get<std::uint64_t>()) + " of " +
              in_bytes(row["total"].get<std::uint64_t>()) + " free";
    if (row.contains("falls_back")) line += "; ordinary memory, as " + row["falls_back"].get<std::string>();
    out.write(line + '\n');
  }
  out.write("tiers of the pager, best first\n");
  for (const json& row : tiers) {
    const std::string name = column("  " + row["name"].get<std::string>());
    out.write(name + (row["available"].get<bool>() ? "yes" : "no    " + row["why_not"].get<std::string>()) +
              '\n');
  }
  out.write("backings of stores in " + directory.string() + '\n');
  for (const json& row : memories) {
    std::string line = column("  " + row["name"].get<std::string>());
    line += row["available"].get<bool>() ? "yes   " + row["memory"].get<std::string>()
                                         : "no    " + row["why_not"].get<std::string>();
    if (row.contains("falls_back")) line += "; as " + row["falls_back"].get<std::string>();
    if (!row["atomic_checkpoints"].get<bool>()) line += "; checkpoints are not atomic";
    out.write(line + '\n');
  }
  write_directory(out, "copies of stores that share their blocks", sharing);
  write_directory(out, "stores that other tools have copied are told from the original, and verified",
                  noticed);
  out.write("how stores find what a program has changed, best first\n");
  for (const json& row : trackers) {
    if (row.contains("why_not")) {
      out.write("  no store can be made: " + row["why_not"].get<std::string>() + '\n');
      continue;
    }
    out.write(column("  " + row["name"].get<std::string>()) + (row["available"].get<bool>() ? "yes" : "no") +
              (row["used"].get<bool>() ? "   used" : "") + '\n');
  }
  out.write(column("transparent huge pages") + huge_pages() + '\n');
  out.write("limits\n");
  const json found = limits();
  for (const auto& [name, value] : found.items())
    out.write(column("  " + name) + (value.is_null() ? "none" : grouped(value.get<std::uint64_t>())) + '\n');
  out.write("variables of the environment that are set (--json tells of all)\n");
  for (const json& row : variables) {
    if (row["value"].is_null()) continue;
    out.write(column("  " + row["name"].get<std::string>()) + row["value"].get<std::string>() +
              (row.contains("why_not") ? "    is not possible: it may be " + row["values"].get<std::string>()
                                       : "") +
              '\n');
  }
  out.finish();
}

}  // namespace

void add_doctor_command(command program) {
  struct options {
    std::filesystem::path directory = ".";
    bool as_json = false;
  };
  auto given = std::make_shared<options>();
  command doctor =
      program.add_command("doctor", "Say what this machine can do, and why it cannot do the rest");
  doctor.add_path("--at", given->directory, "Where stores are to be (default: the current directory)");
  add_json_option(doctor, given->as_json);
  doctor.example("", "Show what this machine offers in the current directory");
  doctor.example("--at /scratch", "Show it for another file system");
  doctor.callback([given] { examine(given->directory, given->as_json); });
}

}  // namespace perdure::cli
