// perdure array ls STORE[:GROUP], perdure array stat STORE:ID: which arrays there are, and what they are.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "stored_arrays.hpp"
#include "type_names.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

constexpr std::size_t longest_type_shown = 40;

std::string shortened(std::string text) {
  if (text.size() > longest_type_shown) text = text.substr(0, longest_type_shown - 3) + "...";
  return text;
}

void list_arrays(const std::string& named, bool as_json) {
  const array_place place = parse_array_place(named);
  const arrays_to_read store(place.store);
  const std::vector<std::string> ids = store.named(place.id);
  if (as_json) {
    json rows = json::array();
    for (const std::string& id : ids) rows.push_back(facts_of(store.core().info(id)));
    print({{"store", place.store.string()}, {"arrays", std::move(rows)}});
    return;
  }
  output out = output::standard();
  if (ids.empty()) out.write("no arrays\n");
  for (const std::string& id : ids) {
    const array_info info = store.core().info(id);
    std::string line = printable_name(id);
    line.resize(std::max<std::size_t>(line.size(), 30), ' ');
    line += ' ' + shortened(printable_name(dtype_of(info.type))) + ' ' + info.dims.text() + "  " +
            in_bytes(info.bytes);
    if (info.stored_bytes != info.bytes) line += " in " + in_bytes(info.stored_bytes);
    out.write(line + "  " + std::string(to_string(info.layout)) + '\n');
  }
  out.finish();
}

void tell_of_array(const std::string& named, bool check, bool as_json) {
  const array_place place = parse_array_place_with_id(named);
  const arrays_to_read store(place.store);
  json facts = facts_of(store.core().info(place.id));
  json attributes = json::object();
  for (const std::string& key : store.core().attributes(place.id))
    if (const auto value = store.core().attribute(place.id, key)) attributes[key] = value_of(*value);
  facts["attributes"] = std::move(attributes);
  std::vector<std::string> findings;
  if (check) {
    findings = store.core().check(place.id);
    facts["damage"] = findings;
  }
  if (as_json) {
    print(facts);
  } else {
    output out = output::standard();
    for (const auto& [key, value] : facts.items()) {
      if (key == "attributes" || key == "damage") continue;
      std::string line = key;
      line.resize(14, ' ');
      const bool is_size = key == "bytes" || key == "stored_bytes";
      line += is_size             ? in_bytes(value.get<std::uint64_t>())
              : value.is_string() ? printable_name(value.get<std::string>())
                                  : value.dump();
      out.write(line + '\n');
    }
    for (const auto& [key, value] : facts["attributes"].items()) {
      const bool is_ascii = false;
      out.write("  " + printable_name(key) + " = " +
                value.dump(-1, ' ', is_ascii, json::error_handler_t::replace) + '\n');
    }
    if (check && findings.empty()) out.write("checked       sound\n");
    for (const std::string& one : findings) out.write("damaged: " + one + '\n');
    out.finish();
  }
  if (!findings.empty()) throw negative_result();
}

}  // namespace

void add_array_list_command(command array) {
  struct options {
    std::string place;
    bool as_json = false;
  };
  auto given = std::make_shared<options>();
  command list = array.add_command("ls", "List the arrays of a store, or of a group");
  list.add_text("STORE[:GROUP]", given->place, "The store's directory, and a group of arrays in it")
      .required();
  add_wait_option(list);
  add_json_option(list, given->as_json);
  list.example("run.store", "List the arrays of a store");
  list.example("run.store:fields", "List the arrays of the group fields");
  list.callback([given] { list_arrays(given->place, given->as_json); });
}

void add_array_stat_command(command array) {
  struct options {
    std::string place;
    bool check = false;
    bool as_json = false;
  };
  auto given = std::make_shared<options>();
  command stat = array.add_command("stat", "Tell an array's type, shape, bytes, layout and attributes");
  stat.add_text("STORE:ID", given->place, "The array").required();
  stat.add_flag("--check", given->check, "Compare all its blocks with their checksums");
  add_wait_option(stat);
  add_json_option(stat, given->as_json);
  stat.example("run.store:temperature --check", "Show type and shape of an array, and check its bytes");
  stat.callback([given] { tell_of_array(given->place, given->check, given->as_json); });
}

}  // namespace perdure::cli
