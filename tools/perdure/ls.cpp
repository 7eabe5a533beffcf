// perdure ls STORE: the objects in a store.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <perdure/manager.hpp>
#include <vector>

#include "command.hpp"
#include "type_names.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct entry {
  std::string name;
  std::string kind;
  std::string type;
  std::uint64_t length;
  std::uint64_t bytes;
  json attributes = json::object();
};

entry entry_of(const object_info& object, const char* kind) {
  entry e{std::string(object.name()), kind, object.type_name(), object.length(), object.size()};
  for (const attribute& a : object.attributes()) e.attributes[a.key] = a.value;
  return e;
}

void list_objects(const std::filesystem::path& path, verify_mode verify, bool as_json) {
  const manager store(open_read_only, path,
                      {.verify = verify, .beside_writer = reader_beside_writer::hold_writer});
  std::vector<entry> entries;
  for (auto i = store.named_begin(); i != store.named_end(); ++i) entries.push_back(entry_of(*i, "named"));
  for (auto i = store.unique_begin(); i != store.unique_end(); ++i) entries.push_back(entry_of(*i, "unique"));
  std::sort(entries.begin(), entries.end(), [](const entry& a, const entry& b) {
    return std::pair(a.name, a.type) < std::pair(b.name, b.type);
  });
  if (as_json) {
    json objects = json::array();
    for (const entry& e : entries)
      objects.push_back({{"name", e.name},
                         {"kind", e.kind},
                         {"type", e.type},
                         {"length", e.length},
                         {"bytes", e.bytes},
                         {"attributes", e.attributes}});
    print({{"store", path.string()}, {"objects", objects}});
    return;
  }
  output out = output::standard();
  if (entries.empty()) out.write("no objects\n");
  std::size_t width = 4;
  for (entry& e : entries) {
    e.name = e.kind == "unique" ? "(unique)" : printable_name(e.name);
    width = std::max(width, e.name.size());
  }
  for (const entry& e : entries)
    out.write(e.name + std::string(width + 2 - e.name.size(), ' ') + printable_name(short_type_name(e.type)) +
              (e.length == 1 ? "" : '[' + std::to_string(e.length) + ']') + "  " + in_bytes(e.bytes) + '\n');
  out.finish();
}

}  // namespace

void add_list_command(command program) {
  struct options {
    std::filesystem::path store;
    verify_mode verify = verify_mode::journal;
    bool as_json = false;
  };
  auto given = std::make_shared<options>();
  command list = program.add_command("ls", "List the objects in a store");
  list.add_path("STORE", given->store, "The store's directory").required();
  add_verify_option(list, given->verify);
  add_json_option(list, given->as_json);
  list.callback([given] { list_objects(given->store, given->verify, given->as_json); });
}

}  // namespace perdure::cli
