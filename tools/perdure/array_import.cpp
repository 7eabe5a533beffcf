// perdure array import STORE[:ID] FILE: arrays from files of other formats, as one checkpoint.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <new>
#include <perdure/array_store.hpp>
#include <perdure/error.hpp>
#include <perdure/formats/group_attributes.hpp>
#include <perdure/formats/store_exchange.hpp>
#include <perdure/progress.hpp>
#include <string>
#include <vector>

#include "apart.hpp"
#include "array_losses.hpp"
#include "array_options.hpp"
#include "array_place.hpp"
#include "command.hpp"
#include "interruption.hpp"
#include "library_limits.hpp"
#include "stored_arrays.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct array_import_wanted {
  std::string place;
  std::filesystem::path file;
  formats::file_format format = formats::file_format::automatic;
  std::string member;
  std::string type;
  formats::table_options table;
  array_layout layout = array_layout::blocks;
  std::string chunk;
  compression codec = compression::none;
  std::uint64_t level = 0;
  bool replace = false;
  bool is_strict = false;
  bool has_no_limits = false;
  bool as_json = false;
};

class array_import {
 public:
  explicit array_import(const array_import_wanted& given)
      : given_(given),
        place_(parse_array_place(given.place)),
        created_(!manager::exists(place_.store)),
        losses_(given.file, given.is_strict),
        limits_(given.file, formats::is_by_library(given.format) && !given.has_no_limits) {}

  void run() {
    try {
      import();
    } catch (const std::bad_alloc&) {
      if (limits_.memory() == 0) throw;
      throw error(errc::bad_input, given_.file.string() + ": its library needs more than " +
                                       in_bytes(limits_.memory()) +
                                       " of memory: it is damaged, or give --no-limits to go without limits");
    } catch (...) {
      const int signal = interruption_watch::signal();
      if (signal == 0) throw;
      throw interrupted(signal, "interrupted: " + place_.store.string() +
                                    (created_ ? " was not made" : " is as it was before"));
    }
    report();
  }

 private:
  formats::import_options options() {
    formats::import_options options;
    options.store.layout = given_.layout;
    options.store.codec = given_.codec;
    options.store.level = static_cast<int>(given_.level);
    if (!given_.chunk.empty()) {
      options.store.chunk = parse_chunk(given_.chunk);
      options.store.layout = array_layout::chunked;
    }
    options.replaces_any = given_.replace;
    options.before_piece = [this] {
      end_if_interrupted();
      limits_.begin();
    };
    options.after_piece = [this] { limits_.end(); };
    return options;
  }

  void import() {
    // The file is known to be sound as far as its headers tell before a store is made or opened.
    formats::reading_options reading;
    reading.format = given_.format;
    reading.member = given_.member;
    reading.table = given_.table;
    reading.before_array = [this] {
      end_if_interrupted();
      limits_.step();
    };
    limits_.begin();
    if (!given_.type.empty()) reading.type = data_type::parse(given_.type);
    const formats::array_file file(given_.file, reading);
    limits_.end();
    formats::array_source* const member = given_.member.empty() ? nullptr : &file.at(given_.member);
    for (const formats::loss& one : file.losses()) losses_.add(one);
    losses_.finish();
    if (file.empty() && file.losses().empty())
      throw error(errc::not_found, given_.file.string() + ": it has no arrays");
    array_store store(open_or_create, place_.store);
    try {
      const stopwatch watch;
      std::vector<std::string> ids{place_.id.empty() ? given_.member : place_.id};
      if (member != nullptr)
        formats::import_array(store, ids[0], *member, options());
      else
        ids = formats::import_arrays(store, place_.id, file, options());
      begin_progress_stage("writing the checkpoint");
      store.checkpoint("import " + given_.file.filename().string());
      seconds_ = watch.seconds();
      for (const std::string& id : ids) facts_.push_back(facts_of(store.info(id)));
      arrays_ = member != nullptr
                    ? 1
                    : static_cast<std::size_t>(std::count_if(file.begin(), file.end(), [](const auto& one) {
                        return !formats::is_group_attributes(one->what());
                      }));
    } catch (...) {
      limits_.end();
      store.discard();
      if (created_) manager::remove(place_.store);
      throw;
    }
    store.close();
  }

  void report() const {
    if (given_.as_json) {
      print({{"store", place_.store.string()},
             {"created", created_},
             {"file", given_.file.string()},
             {"arrays", facts_},
             {"losses", losses_.all()},
             {"seconds", seconds_}});
      return;
    }
    output out = output::standard();
    for (const json& one : facts_)
      out.write(one["id"].get<std::string>() + "  " + one["dtype"].get<std::string>() + ' ' +
                one["shape"].dump() + "  " + in_bytes(one["bytes"].get<std::uint64_t>()) + '\n');
    out.write(counted(arrays_, "array", "arrays") + " in " + in_seconds(seconds_) + '\n');
    out.finish();
  }

  const array_import_wanted& given_;
  array_place place_;
  bool created_;
  array_losses losses_;
  library_limits limits_;
  interruption_watch interruption_;
  json facts_ = json::array();
  std::size_t arrays_ = 0;
  double seconds_ = 0;
};

}  // namespace

void add_array_import_command(command array) {
  auto given = std::make_shared<array_import_wanted>();
  command import = array.add_command(
      "import",
      "Keep the arrays of a file in a store, all or none of them; the store is made if it does not exist");
  import
      .add_text("STORE[:ID]", given->place,
                "Where to; without an id arrays are called as they are in the file")
      .required();
  import.add_path("FILE", given->file, "A .npy, .npz, CSV, HDF5 or NetCDF file, or a zarr directory")
      .required();
  add_file_format_option(import, given->format);
  import.add_text("--member", given->member, "Only the array of this name in the file");
  import.add_text("--type", given->type, "Of a table of text: what its elements are, as float32 or string");
  add_table_options(import, given->table);
  import.add_choice<array_layout>("--layout", given->layout,
                                  {{"blocks", array_layout::blocks},
                                   {"contiguous", array_layout::contiguous},
                                   {"chunked", array_layout::chunked}},
                                  "How the elements lie in the store");
  import.add_text("--chunk", given->chunk,
                  "Elements of a chunk along each dimension, as 64,64,1; makes it chunked");
  import.add_choice<compression>("--compression", given->codec,
                                 {{"none", compression::none},
                                  {"lz4", compression::lz4},
                                  {"zstd", compression::zstd},
                                  {"blosc", compression::blosc}},
                                 "How blocks are made smaller");
  import.add_number("--level", 0, 22, "Of the compression; 0 is its usual one",
                    [given](std::uint64_t n) { given->level = n; });
  import.add_flag("--replace", given->replace,
                  "Take the place of an array whatever its type was, and drop its attributes");
  add_strict_option(import, given->is_strict);
  import.add_flag("--no-limits", given->has_no_limits,
                  "Let the library of HDF5 or NetCDF take any time and memory for a file");
  add_wait_option(import);
  add_json_option(import, given->as_json);
  import.footer(
      "After a crash the store has all arrays of the file, or is as it was before. An array of the same id "
      "is "
      "replaced if its type is the same; --replace does so whatever it was. Arrays and attributes that a "
      "store "
      "cannot keep are left out and named on standard error.");
  import.example("run.store results.h5", "Keep all arrays of a file");
  import.example("run.store:t t.npy --compression zstd", "Keep one array under a name, compressed");
  import.callback([given] {
    if (given->format == formats::file_format::automatic) given->format = formats::format_of(given->file);
    if (formats::is_by_library(given->format)) {
      const std::filesystem::path store = parse_array_place(given->place).store;
      const bool is_there = manager::exists(store);
      go_on_apart(given->file.string(), [&] {
        if (!is_there && manager::exists(store)) manager::remove(store);
      });
    }
    array_import(*given).run();
  });
}

}  // namespace perdure::cli
