// perdure array export STORE[:ID[PART]] FILE: arrays as files of other formats.
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <perdure/error.hpp>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "array_options.hpp"
#include "command.hpp"
#include "formats/array_file.hpp"
#include "interruption.hpp"
#include "stored_arrays.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

/// A file or directory that has its name once it is whole; else it is removed.
class exported_file {
 public:
  explicit exported_file(std::filesystem::path path) : path_(std::move(path)) {
    std::error_code ignored;
    const auto status = std::filesystem::status(path_, ignored);
    // Pipes and devices are written to where they are.
    const bool is_in_place =
        path_ == "-" || (std::filesystem::exists(status) && !std::filesystem::is_directory(status) &&
                         !std::filesystem::is_regular_file(status));
    if (is_in_place) return;
    if (path_.filename().empty()) path_ = path_.parent_path();
    temporary_ = path_;
    temporary_ += ".part" + std::to_string(::getpid());
  }
  exported_file(const exported_file&) = delete;
  exported_file& operator=(const exported_file&) = delete;
  ~exported_file() {
    std::error_code ignored;
    if (!temporary_.empty()) std::filesystem::remove_all(temporary_, ignored);
  }

  const std::filesystem::path& written() const noexcept { return temporary_.empty() ? path_ : temporary_; }
  void finish() {
    if (temporary_.empty()) return;
    // No rename replaces a directory that has something in it. It may be one of anything: only what this
    // command could have written is removed.
    if (std::filesystem::is_directory(path_)) {
      if (!std::filesystem::exists(path_ / "zarr.json") && !std::filesystem::is_empty(path_))
        throw error(errc::already_exists, path_.string() + " is a directory with something else in it");
      std::filesystem::remove_all(path_);
    }
    std::error_code problem;
    std::filesystem::rename(temporary_, path_, problem);
    if (problem) throw error(errc::io, path_.string() + ": cannot create: " + problem.message());
    temporary_.clear();
  }

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;  // empty: written in place
};

/// Ends in the middle when a signal asks for it.
class interruptible_array final : public formats::array_input {
 public:
  explicit interruptible_array(std::unique_ptr<formats::array_input> array)
      : array_input(array->what()), array_(std::move(array)) {}
  void read(const slab& part, std::byte* to) override {
    if (interruption_watch::signal() != 0) throw std::runtime_error("interrupted");
    array_->read(part, to);
  }
  variable_elements read_variable() override { return array_->read_variable(); }

 private:
  std::unique_ptr<formats::array_input> array_;
};

struct array_export_wanted {
  std::string place;
  std::filesystem::path file;
  formats::file_format format = formats::file_format::automatic;
  bool compressed = false;
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
  const array_part part =
      take_part(place.id, [&](const std::string& id) { return store.core().find(id).has_value(); });
  formats::array_inputs arrays;
  const bool is_group = part.is_whole() && (place.id.empty() || !store.core().find(place.id));
  const std::vector<std::string> ids = is_group ? store.named(place.id) : std::vector{place.id};
  for (const std::string& id : ids) {
    // Within a group's file arrays are called as within the group.
    std::string name = id;
    if (is_group && !place.id.empty()) name = id.substr(place.id.size() + 1);
    arrays.push_back(
        std::make_unique<interruptible_array>(open_stored_array(store, id, part, std::move(name))));
  }
  if (arrays.empty()) throw error(errc::not_found, place.store.string() + ": it has no arrays");
  std::vector<formats::array_input*> all;
  for (const auto& one : arrays) all.push_back(one.get());
  const interruption_watch interruption;
  try {
    exported_file file(given.file);
    formats::write_arrays(file.written(), all, {format, given.compressed});
    file.finish();
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
           {"seconds", watch.seconds()}});
    return;
  }
  output out = output::standard();
  out.write(counted(ids.size(), "array", "arrays") + " to " + given.file.string() + " in " +
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
  add_json_option(export_command, given->as_json);
  export_command.footer("The file appears under its name when it is whole.");
  export_command.callback([given] { export_arrays(*given); });
}

}  // namespace perdure::cli
