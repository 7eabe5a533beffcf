// perdure array dump STORE:ID[PART]: an array's elements as text.
#include <memory>
#include <perdure/formats/array_text.hpp>
#include <perdure/formats/store_exchange.hpp>
#include <string>

#include "command.hpp"
#include "stored_arrays.hpp"

namespace perdure::cli {
namespace {

void dump(const std::string& named, bool as_json) {
  array_place place = parse_array_place_with_id(named);
  const arrays_to_read store(place.store);
  const formats::array_selection part = take_part(place.id, store.core());
  const auto array = formats::source_of(store.arrays(), place.id, part, place.id);
  const formats::array_description& what = array->what();
  output out = output::standard();
  if (as_json) {
    std::string head = "{\n \"id\": ";
    formats::append_json(head, place.id);
    head += ",\n \"dtype\": ";
    formats::append_json(head, dtype_of(what.type));
    out.write(head + ",\n \"shape\": " + shape_of_dims(what.dims).dump() + ",\n \"data\": ");
  }
  formats::write_text(*array, as_json ? formats::text_style::json : formats::text_style::lines,
                      [&](std::string_view text) { out.write(text); });
  if (as_json) out.write("\n}\n");
  out.finish();
}

}  // namespace

void add_array_dump_command(command array) {
  struct options {
    std::string place;
    bool as_json = false;
  };
  auto given = std::make_shared<options>();
  command dump_command = array.add_command("dump", "Print an array's elements, or those of a part of it");
  dump_command.add_text("STORE:ID[PART]", given->place, "The array; a part as in STORE:T[0:10,:,3]")
      .required();
  add_wait_option(dump_command);
  add_json_option(dump_command, given->as_json);
  dump_command.footer(
      "A part has numbers, FROM:TO, FROM:TO:STEP and \"...\", as in NumPy. Elements of the last dimension\n"
      "stand on one line, with spaces between them.");
  dump_command.example("run.store:temperature[0:10]", "Print the first ten elements");
  dump_command.callback([given] { dump(given->place, given->as_json); });
}

}  // namespace perdure::cli
