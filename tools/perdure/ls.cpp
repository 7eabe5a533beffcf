// perdure ls STORE: the objects in a store; perdure ls STORE NAME: the elements of one. Of a set of stores,
// in each part.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <perdure/error.hpp>
#include <perdure/inspect/contents.hpp>
#include <perdure/inspect/object_reader.hpp>
#include <perdure/manager.hpp>
#include <perdure/store_set.hpp>
#include <string>
#include <utility>
#include <vector>

#include "command.hpp"
#include "store_json.hpp"
#include "terminal.hpp"
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

/// A line of the list, in parts: a terminal cuts the first two, so that the sizes are seen.
struct listed_line {
  std::string name;
  std::string type;
  std::string size;
};

listed_line described(const object_info& object, const inspect::object_extent& extent) {
  listed_line line;
  line.name =
      object.kind() == instance_kind::unique ? "(unique)" : printable_name(std::string(object.name()));
  line.type = printable_name(type_in_words(object.type_name())) +
              (object.length() == 1 ? "" : '[' + std::to_string(object.length()) + ']');
  line.size = (extent.is_all ? "" : "at least ") + in_bytes(extent.bytes);
  if (extent.elements && object.length() == 1)
    line.size += ", " + counted(*extent.elements, "element", "elements");
  if (extent.is_damaged) line.size += ", damaged";
  return line;
}

/// Writes a line for each object. On a terminal each fits its width.
void write_lines(output& out, const std::vector<listed_line>& lines) {
  const std::size_t columns = columns_of_lines();
  // A name that is far longer than the others does not move them to the right.
  constexpr std::size_t widest = 40;
  std::size_t width = 4;
  for (const listed_line& one : lines) width = std::max(width, std::min(columns_of(one.name), widest));
  width = std::min(width, columns / 3);
  for (const listed_line& one : lines) {
    const std::string name =
        columns_of(one.name) > width ? shortened_to(std::max(width, columns / 3), one.name) : one.name;
    std::string line = name;
    if (columns_of(name) < width) line.append(width - columns_of(name), ' ');
    const std::size_t others = columns_of(line) + 4 + columns_of(one.size);
    line += "  " + shortened_to(columns > others ? columns - others : 0, one.type) + "  " + one.size;
    out.write(shortened_to(columns, line) + '\n');
  }
}

/// Finds the object; a unique one also by its type as the list writes it.
object_info object_called(const manager& store, const std::string& name) {
  try {
    return inspect::object_called(store, name);
  } catch (const error& failure) {
    if (failure.code() != errc::not_found) throw;
    std::vector<object_info> found;
    for (const object_info& one : store.unique_objects())
      if (type_in_words(one.type_name()) == name) found.push_back(one);
    if (found.empty()) throw;
    if (found.size() == 1) return found.front();
    throw error(errc::invalid_argument, store.path().string() + ": there are " +
                                            std::to_string(found.size()) + " unique objects of the type \"" +
                                            name + "\": call the one by its whole type, which --json prints");
  }
}

/// Prints the objects, or returns them as JSON.
json list_objects(const manager& store, const listing_wanted& given) {
  const std::vector<inspect::listed_object> listed = inspect::objects_in(store);
  const std::vector<inspect::anonymous_objects> anonymous = inspect::anonymous_objects_in(store);
  if (given.as_json) {
    json objects = json::array();
    for (const auto& [object, extent] : listed) objects.push_back(as_json(object, extent));
    json others = json::array();
    for (const inspect::anonymous_objects& one : anonymous) others.push_back(as_json(one));
    return {{"objects", objects}, {"anonymous", others}};
  }
  output out = output::standard();
  if (listed.empty() && anonymous.empty()) out.write("no objects\n");
  // Objects without names are as many as a program likes, so only their numbers are shown, by type.
  std::vector<listed_line> lines;
  lines.reserve(listed.size() + anonymous.size());
  for (const auto& [object, extent] : listed) lines.push_back(described(object, extent));
  for (const inspect::anonymous_objects& one : anonymous)
    lines.push_back({"(anonymous)", printable_name(type_in_words(one.type)),
                     counted(one.objects, "object", "objects") + " of at least " + in_bytes(one.bytes)});
  write_lines(out, lines);
  out.finish();
  return {};
}

/// Prints the elements of the object, or returns them as JSON.
json show_object(const manager& store, const listing_wanted& given) {
  const object_info object = object_called(store, given.name.native());
  const inspect::object_reader reader(store, object);
  const inspect::object_extent extent = reader.extent();
  json values = json::array();
  for (const inspect::value& one : reader.values(given.limit)) values.push_back(to_json(one));
  if (given.as_json) {
    json row = as_json(object, extent);
    row["values"] = values;
    return {{"object", std::move(row)}};
  }
  output out = output::standard();
  const std::size_t columns = columns_of_lines();
  const listed_line line = described(object, extent);
  out.write(shortened_to(columns, line.type + "  " + line.size) + '\n');
  for (const json& value : values)
    out.write(shortened_to(columns, value.dump(-1, ' ', false, json::error_handler_t::replace)) + '\n');
  const std::uint64_t all = reader.reads_elements() ? extent.elements.value_or(0) : 0;
  if (all > values.size()) out.write("and " + grouped(all - values.size()) + " more (--limit)\n");
  out.finish();
  return {};
}

json show(const manager& store, const listing_wanted& given) {
  return given.name.empty() ? list_objects(store, given) : show_object(store, given);
}

void print_line(const std::string& text) {
  output out = output::standard();
  out.write(text + '\n');
  out.finish();
}

/// Shows the objects of each part. An object of that name may be in some of them.
void show_parts(const set_reader& set, const listing_wanted& given) {
  json parts = json::array();
  std::exception_ptr not_found;
  std::uint32_t shown = 0;
  for (std::uint32_t i = 0; i < set.parts(); ++i) {
    if (!given.as_json) print_line("part " + std::to_string(i));
    try {
      parts.push_back(show(set.open_part(i), given));
      ++shown;
    } catch (const error& failure) {
      if (failure.code() != errc::not_found) throw;
      not_found = std::current_exception();
      parts.push_back(nullptr);
      if (!given.as_json) print_line("no such object");
    }
  }
  if (shown == 0 && not_found) std::rethrow_exception(not_found);
  if (given.as_json) print({{"set", given.store.string()}, {"parts", std::move(parts)}});
}

void show_contents(const listing_wanted& given) {
  const store_options how{.verify = given.verify, .beside_writer = reader_beside_writer::hold_writer};
  if (is_set(given.store)) return show_parts(set_reader(given.store, how), given);
  json found = show(manager(open_read_only, given.store, how), given);
  if (!given.as_json) return;
  json value{{"store", given.store.string()}};
  value.update(found);
  print(value);
}

}  // namespace

void add_list_command(command program) {
  auto given = std::make_shared<listing_wanted>();
  command list =
      program.add_command("ls", "List the objects in a store or a set of stores, or the elements of one");
  list.add_path("STORE", given->store, store_to_read).required();
  list.add_path("NAME", given->name, "The object whose elements are shown; of a unique one, its type");
  list.add_number("--limit", 1, 1'000'000, "Show no more elements of a container",
                  [given](std::uint64_t n) { given->limit = n; })
      .default_text("20");
  add_verify_option(list, given->verify);
  add_wait_option(list);
  add_json_option(list, given->as_json);
  list.footer(
      "Bytes are those of an object with all memory that belongs to what is in it, where its types tell: "
      "numbers,\nenumerations, plain structs, pairs, tuples, optionals, arrays, strings, vectors, flat maps "
      "and "
      "flat sets of them. Else\nthey are \"at least\" so many. Of lists, trees, hash tables and deques the "
      "elements are only counted.");
  list.example("web.store", "List the objects of a store");
  list.example("web.store words", "Print the first elements of an object");
  list.callback([given] { show_contents(*given); });
}

}  // namespace perdure::cli
