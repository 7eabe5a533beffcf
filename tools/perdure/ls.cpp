// perdure ls STORE: the objects in a store; perdure ls STORE NAME: the elements of one.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <perdure/inspect/contents.hpp>
#include <perdure/inspect/object_reader.hpp>
#include <perdure/manager.hpp>
#include <perdure/type_stamp.hpp>
#include <string>
#include <utility>
#include <vector>

#include "command.hpp"
#include "type_names.hpp"
#include "units.hpp"
#include "value_json.hpp"

namespace perdure::cli {
namespace {

struct listing_wanted {
  std::filesystem::path store;
  std::filesystem::path name;
  std::uint64_t limit = 20;
  verify_mode verify = verify_mode::journal;
  bool as_json = false;
};

json row_of(const object_info& object, const inspect::object_extent& extent) {
  json row{{"name", std::string(object.name())},
           {"kind", object.kind() == instance_kind::named ? "named" : "unique"},
           {"type", object.type_name()},
           {"length", object.length()},
           {"bytes", object.size()}};
  row["reachable_bytes"] = extent.bytes;
  row["reachable_is_all"] = extent.is_all && !extent.is_damaged;
  if (extent.elements) row["elements"] = *extent.elements;
  if (extent.is_damaged) row["damaged"] = true;
  row["attributes"] = json::object();
  for (const attribute& one : object.attributes()) row["attributes"][one.key] = one.value;
  return row;
}

std::string described(const object_info& object, const inspect::object_extent& extent) {
  std::string text = printable_name(short_type_name(object.type_name())) +
                     (object.length() == 1 ? "" : '[' + std::to_string(object.length()) + ']') + "  " +
                     (extent.is_all ? "" : "at least ") + in_bytes(extent.bytes);
  if (extent.elements && object.length() == 1)
    text += ", " + counted(*extent.elements, "element", "elements");
  return text + (extent.is_damaged ? ", damaged" : "");
}

void list_objects(const manager& store, const listing_wanted& given) {
  const std::vector<inspect::listed_object> listed = inspect::objects_in(store);
  const std::vector<inspect::anonymous_objects> anonymous = inspect::anonymous_objects_in(store);
  if (given.as_json) {
    json objects = json::array();
    for (const auto& [object, extent] : listed) objects.push_back(row_of(object, extent));
    json others = json::array();
    for (const inspect::anonymous_objects& one : anonymous)
      others.push_back({{"type", one.type}, {"number", one.objects}, {"bytes", one.bytes}});
    print({{"store", given.store.string()}, {"objects", objects}, {"anonymous", others}});
    return;
  }
  output out = output::standard();
  if (listed.empty() && anonymous.empty()) out.write("no objects\n");
  // Objects without names are as many as a program likes, so only their numbers are shown, by type.
  std::vector<std::pair<std::string, std::string>> lines;
  for (const auto& [object, extent] : listed)
    lines.emplace_back(
        object.kind() == instance_kind::unique ? "(unique)" : printable_name(std::string(object.name())),
        described(object, extent));
  for (const inspect::anonymous_objects& one : anonymous)
    lines.emplace_back("(anonymous)", printable_name(short_type_name(one.type)) + "  " +
                                          counted(one.objects, "object", "objects") + " of at least " +
                                          in_bytes(one.bytes));
  std::size_t width = 4;
  for (const auto& [name, text] : lines) width = std::max(width, name.size());
  for (const auto& [name, text] : lines)
    out.write(name + std::string(width + 2 - name.size(), ' ') + text + '\n');
  out.finish();
}

void show_object(const manager& store, const listing_wanted& given) {
  const object_info object = inspect::object_called(store, given.name.native());
  const inspect::object_reader reader(store, object);
  const inspect::object_extent extent = reader.extent();
  json values = json::array();
  for (const inspect::value& one : reader.values(given.limit)) values.push_back(to_json(one));
  if (given.as_json) {
    json row = row_of(object, extent);
    row["values"] = values;
    print({{"store", given.store.string()}, {"object", std::move(row)}});
    return;
  }
  output out = output::standard();
  out.write(described(object, extent) + '\n');
  for (const json& value : values)
    out.write(value.dump(-1, ' ', false, json::error_handler_t::replace) + '\n');
  const std::uint64_t all = reader.reads_elements() ? extent.elements.value_or(0) : 0;
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
