// perdure diff A B: what changed between two states of one store.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <perdure/inspect/differences.hpp>
#include <perdure/manager.hpp>
#include <string>
#include <utility>

#include "command.hpp"
#include "progress.hpp"
#include "type_names.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

const char* name_of_kind(instance_kind kind) {
  return kind == instance_kind::named ? "named" : kind == instance_kind::unique ? "unique" : "anonymous";
}

std::string line_of_object(const inspect::object_difference& one) {
  std::string line = to_string(one.what);
  line.resize(9, ' ');
  line += one.object.kind() == instance_kind::named
              ? printable_name(std::string(one.object.name()))
              : '(' + std::string(name_of_kind(one.object.kind())) + ')';
  return line + "  " + printable_name(type_in_words(one.object.type_name())) + '\n';
}

manager opened(const std::filesystem::path& path) {
  return manager(open_read_only, path, {.beside_writer = reader_beside_writer::hold_writer});
}

void compare_stores(const std::filesystem::path& first, const std::filesystem::path& second, bool as_json) {
  const stopwatch watch;
  const manager before = opened(first);
  const manager after = opened(second);
  const inspect::store_differences found = [&] {
    const std::uint64_t all =
        std::max(before.memory().stats().segment_bytes, after.memory().stats().segment_bytes);
    std::atomic<std::uint64_t> done{0};
    const progress_line line("comparing", [&] { return workload::progress{done, all, "bytes"}; });
    return inspect::differences_between(before, after, [&done](std::uint64_t bytes) { done = bytes; });
  }();
  const std::uint64_t from = before.store().info().epoch;
  const std::uint64_t to = after.store().info().epoch;
  if (as_json) {
    json rows = json::array();
    for (const inspect::object_difference& one : found.objects)
      rows.push_back({{"what", to_string(one.what)},
                      {"kind", name_of_kind(one.object.kind())},
                      {"name", std::string(one.object.name())},
                      {"type", one.object.type_name()},
                      {"offset", one.object.offset()}});
    print({{"stores", {first.string(), second.string()}},
           {"epochs", {from, to}},
           {"pages", found.pages},
           {"different_pages", found.different_pages},
           {"same_objects", found.same_objects},
           {"objects", std::move(rows)},
           {"seconds", watch.seconds()}});
  } else {
    output out = output::standard();
    for (const inspect::object_difference& one : found.objects) out.write(line_of_object(one));
    out.write(grouped(found.different_pages) + " of " + counted(found.pages, "page", "pages") +
              (found.different_pages == 1 ? " differs" : " differ") + " between epochs " + grouped(from) +
              " and " + grouped(to) + "; " + counted(found.same_objects, "object is", "objects are") +
              " the same\n");
    out.finish();
  }
  if (!found.objects.empty() || found.different_pages != 0) throw negative_result();
}

}  // namespace

void add_diff_command(command program) {
  struct options {
    std::filesystem::path first;
    std::filesystem::path second;
    bool as_json = false;
  };
  auto given = std::make_shared<options>();
  command diff =
      program.add_command("diff", "Tell what changed between two copies of a store: objects, pages");
  diff.add_path("A", given->first, "The earlier copy's directory, or STORE@LABEL: a checkpoint that it keeps")
      .required();
  diff.add_path("B", given->second, "The later one's").required();
  add_wait_option(diff);
  add_json_option(diff, given->as_json);
  diff.footer(
      "Exit codes: 0 the same, 1 different. An object has changed when bytes of it, or of memory that "
      "belongs "
      "to what\nis in it, have. unsure: its own bytes agree, but its type does not tell of all that belongs "
      "to "
      "it.");
  diff.example("web.store@monday web.store", "List the objects that changed since Monday");
  diff.callback([given] { compare_stores(given->first, given->second, given->as_json); });
}

}  // namespace perdure::cli
