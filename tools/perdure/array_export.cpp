// perdure array export STORE[:ID[PART]] FILE: arrays as files of other formats.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <perdure/formats/array_file.hpp>
#include <perdure/formats/group_attributes.hpp>
#include <perdure/formats/store_exchange.hpp>
#include <perdure/workload/part_files.hpp>
#include <string>
#include <vector>

#include "array_losses.hpp"
#include "array_options.hpp"
#include "command.hpp"
#include "interruption.hpp"
#include "progress.hpp"
#include "stored_arrays.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct array_export_wanted {
  std::string place;
  std::filesystem::path file;
  formats::file_format format = formats::file_format::automatic;
  bool compressed = false;
  bool is_strict = false;
  bool as_json = false;
};

void export_arrays(const array_export_wanted& given) {
  const stopwatch watch;
  formats::file_format format = given.format;
  if (format == formats::file_format::automatic) format = formats::format_named(given.file);
  if (format == formats::file_format::automatic)
    throw usage_error(
        "the name " + given.file.string() +
        " does not tell a format: give --format, or one of .npy, .npz, .csv, .tsv, .h5, .nc, .zarr");
  array_place place = parse_array_place(given.place);
  const arrays_to_read store(place.store);
  const formats::array_selection part = take_part(place.id, store.core());
  formats::array_sources arrays;
  const std::vector<std::string> ids =
      place.id.empty() || !store.core().find(place.id) ? store.named(place.id) : std::vector{place.id};
  if (part.is_whole())
    arrays = formats::sources_of(store.arrays(), place.id);
  else
    arrays.push_back(formats::source_of(store.arrays(), place.id, part, place.id));
  std::vector<formats::array_source*> all;
  for (const auto& one : arrays) all.push_back(one.get());
  array_losses losses(given.file, given.is_strict);
  const interruption_watch interruption;
  if (given.file != "-")
    workload::remove_abandoned_parts(given.file);
  else
    end_progress_before_output();
  try {
    formats::write_arrays(
        given.file, all,
        {format, given.compressed, end_if_interrupted, [&](const formats::loss& one) { losses.add(one); }});
    losses.finish();
  } catch (...) {
    const int signal = interruption_watch::signal();
    if (signal == 0) throw;
    throw interrupted(signal, "interrupted: " + given.file.string() + " was not written");
  }
  if (given.file == "-") return;
  if (given.as_json) {
    print({{"store", place.store.string()},
           {"file", given.file.string()},
           {"format", std::string(formats::to_string(format))},
           {"arrays", ids},
           {"losses", losses.all()},
           {"seconds", watch.seconds()}});
    return;
  }
  const auto count = static_cast<std::size_t>(std::count_if(
      all.begin(), all.end(), [](const auto* one) { return !formats::is_group_attributes(one->what()); }));
  output out = output::standard();
  out.write(counted(count, "array", "arrays") + " to " + given.file.string() + " in " +
            in_seconds(watch.seconds()) + '\n');
  out.finish();
}

}  // namespace

void add_array_export_command(command array) {
  auto given = std::make_shared<array_export_wanted>();
  command export_command =
      array.add_command("export", "Write an array, a part of one, or a group of them to a file");
  export_command
      .add_text("STORE[:ID]", given->place,
                "The array; a part as in STORE:T[0:10,:,3]; or a group, or the whole store")
      .required();
  export_command
      .add_path("FILE", given->file,
                "A file named .npy, .npz, .csv, .tsv, .h5, .nc or .zarr; '-' is standard output")
      .required();
  add_file_format_option(export_command, given->format);
  export_command.add_flag("--compress", given->compressed,
                          "Make the file smaller, where its format can do that");
  add_strict_option(export_command, given->is_strict);
  add_wait_option(export_command);
  add_json_option(export_command, given->as_json);
  export_command.footer("The file appears under its name when it is whole.");
  export_command.example("run.store:temperature t.npy", "Write an array for NumPy");
  export_command.example("run.store results.h5 --compress", "Write all arrays to an HDF5 file");
  export_command.callback([given] { export_arrays(*given); });
}

}  // namespace perdure::cli
