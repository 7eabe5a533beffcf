// Parses options of commands on arrays; the commands themselves by name.
#include "array_options.hpp"

#include <charconv>
#include <string_view>

namespace perdure::cli {

void add_file_format_option(command target, formats::file_format& format) {
  using formats::file_format;
  target.add_choice<file_format>("--format", format,
                                 {{"auto", file_format::automatic},
                                  {"npy", file_format::npy},
                                  {"npz", file_format::npz},
                                  {"csv", file_format::csv},
                                  {"hdf5", file_format::hdf5},
                                  {"netcdf", file_format::netcdf},
                                  {"zarr", file_format::zarr}},
                                 "The file's format, where its content or its name does not tell");
}

void add_table_options(command target, formats::table_options& table) {
  target.add_choice<char>("--separator", table.separator,
                          {{"auto", '\0'},
                           {"comma", ','},
                           {"semicolon", ';'},
                           {"tab", '\t'},
                           {"bar", '|'},
                           {"blanks", ' '},
                           {",", ','},
                           {";", ';'},
                           {"|", '|'}},
                          "What is between the fields of a table of text");
  target.add_choice<char>("--decimal", table.decimal, {{"auto", '\0'}, {".", '.'}, {",", ','}},
                          "What is before the fraction of numbers in a table of text");
  using formats::header_line;
  target.add_choice<header_line>(
      "--header", table.header,
      {{"auto", header_line::automatic}, {"yes", header_line::yes}, {"no", header_line::no}},
      "Whether the first line of a table of text has the names of its columns");
}

extents parse_chunk(const std::string& text) {
  extents chunk;
  std::string_view rest = text;
  for (;;) {
    const std::string_view one = rest.substr(0, rest.find(','));
    std::uint64_t number = 0;
    const auto [stop, problem] = std::from_chars(one.data(), one.data() + one.size(), number);
    if (problem != std::errc{} || stop != one.data() + one.size() || number == 0 || chunk.rank() == max_rank)
      throw usage_error("\"" + text + "\" is no shape of a chunk: give numbers, as 64,64,1");
    chunk.push_back(number);
    if (one.size() == rest.size()) return chunk;
    rest.remove_prefix(one.size() + 1);
  }
}

void add_array_commands(command program) {
  command array = program.add_command("array", "Look at the arrays of a store, and exchange them with files");
  array.require_command();
  add_array_list_command(array);
  add_array_stat_command(array);
  add_array_dump_command(array);
  add_array_import_command(array);
  add_array_export_command(array);
  add_array_diff_command(array);
}

}  // namespace perdure::cli
