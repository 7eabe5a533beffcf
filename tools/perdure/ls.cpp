// perdure ls STORE: the objects in a store; perdure ls STORE NAME: the elements of one.
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <perdure/error.hpp>
#include <perdure/manager.hpp>
#include <perdure/type_stamp.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "command.hpp"
#include <perdure/inspect/object_reader.hpp>
#include "type_names.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct listing_wanted {
  std::filesystem::path store;
  std::filesystem::path name;
  std::uint64_t limit = 20;
  verify_mode verify = verify_mode::journal;
  bool as_json = false;
};

struct entry {
  std::string name;
  std::string kind;
  std::string type;
  std::uint64_t length;
  std::uint64_t bytes;
  object_extent extent;
  json attributes = json::object();
};

entry entry_of(const manager& store, const object_info& object, const char* kind) {
  entry e{std::string(object.name()),           kind, object.type_name(), object.length(), object.size(),
          object_reader(store, object).extent()};
  for (const attribute& a : object.attributes()) e.attributes[a.key] = a.value;
  return e;
}

json row_of(const entry& e) {
  json row{{"name", e.name}, {"kind", e.kind}, {"type", e.type}, {"length", e.length}, {"bytes", e.bytes}};
  row["reachable_bytes"] = e.extent.bytes;
  row["reachable_is_all"] = e.extent.is_all && !e.extent.is_damaged;
  if (e.extent.elements) row["elements"] = *e.extent.elements;
  if (e.extent.is_damaged) row["damaged"] = true;
  row["attributes"] = e.attributes;
  return row;
}

std::string described(const entry& e) {
  std::string text = printable_name(short_type_name(e.type)) +
                     (e.length == 1 ? "" : '[' + std::to_string(e.length) + ']') + "  " +
                     (e.extent.is_all ? "" : "at least ") + in_bytes(e.extent.bytes);
  if (e.extent.elements && e.length == 1) text += ", " + counted(*e.extent.elements, "element", "elements");
  return text + (e.extent.is_damaged ? ", damaged" : "");
}

/// Objects without names are as many as a program likes, so only their numbers are shown, by type.
struct anonymous_objects {
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;  // of the objects alone
};

std::map<std::string, anonymous_objects> anonymous_objects_by_type(const manager& store) {
  std::map<std::string_view, anonymous_objects> by_mangled_name;
  for (const object_info& object : store.anonymous_objects()) {
    anonymous_objects& all = by_mangled_name[object.mangled_type_name()];
    ++all.number;
    all.bytes += object.size();
  }
  std::map<std::string, anonymous_objects> by_name;
  for (const auto& [name, all] : by_mangled_name) by_name.emplace(demangle(name), all);
  return by_name;
}

void list_objects(const manager& store, const listing_wanted& given) {
  std::vector<entry> entries;
  for (auto i = store.named_begin(); i != store.named_end(); ++i)
    entries.push_back(entry_of(store, *i, "named"));
  for (auto i = store.unique_begin(); i != store.unique_end(); ++i)
    entries.push_back(entry_of(store, *i, "unique"));
  std::sort(entries.begin(), entries.end(), [](const entry& a, const entry& b) {
    return std::pair(a.name, a.type) < std::pair(b.name, b.type);
  });
  const std::map<std::string, anonymous_objects> anonymous = anonymous_objects_by_type(store);
  if (given.as_json) {
    json objects = json::array();
    for (const entry& e : entries) objects.push_back(row_of(e));
    json others = json::array();
    for (const auto& [type, all] : anonymous)
      others.push_back({{"type", type}, {"number", all.number}, {"bytes", all.bytes}});
    print({{"store", given.store.string()}, {"objects", objects}, {"anonymous", others}});
    return;
  }
  output out = output::standard();
  if (entries.empty() && anonymous.empty()) out.write("no objects\n");
  std::size_t width = 4;
  for (entry& e : entries) {
    e.name = e.kind == "unique" ? "(unique)" : printable_name(e.name);
    width = std::max(width, e.name.size());
  }
  const auto write = [&](const std::string& name, const std::string& text) {
    out.write(name + std::string(width + 2 - name.size(), ' ') + text + '\n');
  };
  const std::string nameless = "(anonymous)";
  if (!anonymous.empty()) width = std::max(width, nameless.size());
  for (const entry& e : entries) write(e.name, described(e));
  for (const auto& [type, all] : anonymous)
    write(nameless, printable_name(short_type_name(type)) + "  " + counted(all.number, "object", "objects") +
                        " of at least " + in_bytes(all.bytes));
  out.finish();
}

/// The named object, or the unique one of the type of that name, as a person or a compiler writes it.
object_info object_called(const manager& store, const listing_wanted& given) {
  const std::string& name = given.name.native();
  for (const object_info& object : store.named_objects())
    if (object.name() == name) return object;
  std::vector<object_info> found;
  for (const object_info& object : store.unique_objects()) {
    const std::string type = object.type_name();
    if (type == name || object.mangled_type_name() == name) return object;
    if (short_type_name(type) == name) found.push_back(object);
  }
  if (found.size() > 1)
    throw error(errc::invalid_argument,
                given.store.string() + ": there are " + grouped(found.size()) +
                    " unique objects of types of such a name; give one's whole name, " +
                    "which --json shows");
  if (found.empty())
    throw error(errc::not_found, given.store.string() + ": there is no object named \"" + name +
                                     "\", and no unique one of such a type");
  return found.front();
}

void show_object(const manager& store, const listing_wanted& given) {
  const object_info object = object_called(store, given);
  const object_reader reader(store, object);
  const entry found = entry_of(store, object, object.kind() == instance_kind::named ? "named" : "unique");
  const json values = reader.values(given.limit);
  if (given.as_json) {
    json row = row_of(found);
    row["values"] = values;
    print({{"store", given.store.string()}, {"object", std::move(row)}});
    return;
  }
  output out = output::standard();
  out.write(described(found) + '\n');
  for (const json& value : values)
    out.write(value.dump(-1, ' ', false, json::error_handler_t::replace) + '\n');
  const std::uint64_t all = reader.reads_elements() ? found.extent.elements.value_or(0) : 0;
  if (all > values.size()) out.write("and " + grouped(all - values.size()) + " more (--limit)\n");
  out.finish();
}

void show_contents(const listing_wanted& given) {
  const manager store(open_read_only, given.store,
                      {.verify = given.verify, .beside_writer = reader_beside_writer::hold_writer});
  if (given.name.empty()) {
    list_objects(store, given);
  } else {
    show_object(store, given);
  }
}

}  // namespace

void add_list_command(command program) {
  auto given = std::make_shared<listing_wanted>();
  command list = program.add_command("ls", "List the objects in a store, or the elements of one");
  list.add_path("STORE", given->store, "The store's directory").required();
  list.add_path("NAME", given->name, "The object whose elements are shown; of a unique one, its type");
  list.add_number("--limit", 1, 1'000'000, "Show no more elements of a container",
                  [given](std::uint64_t n) { given->limit = n; })
      .default_text("20");
  add_verify_option(list, given->verify);
  add_json_option(list, given->as_json);
  list.footer(
      "Bytes are those of an object with all memory that belongs to what is in it, where its types tell: "
      "numbers,\nenumerations, plain structs, pairs, tuples, optionals, arrays, strings, vectors, flat maps "
      "and "
      "flat sets of them. Else\nthey are \"at least\" so many. Of lists, trees, hash tables and deques the "
      "elements are only counted.");
  list.callback([given] { show_contents(*given); });
}

}  // namespace perdure::cli
