// Hands files to what knows their format.
#include <algorithm>
#include <perdure/error.hpp>
#include <perdure/formats/array_file.hpp>
#include <string>
#include <utility>

#include "csv.hpp"
#include "format_module.hpp"
#include "input_file.hpp"
#include "npy.hpp"
#include "npz.hpp"
#include "output_file.hpp"
#include "replaced_file.hpp"
#include "zarr.hpp"

namespace perdure::formats {
namespace {

array_sources open_arrays(const std::filesystem::path& path, file_format format,
                          const reading_options& options) {
  array_sources arrays;
  switch (format) {
    case file_format::npy: {
      auto file = std::make_shared<const input_file>(path);
      const std::uint64_t bytes = file->size();
      arrays.push_back(open_npy(std::move(file), 0, bytes, ""));
      break;
    }
    case file_format::npz:
      arrays = open_npz(path);
      break;
    case file_format::csv:
      arrays.push_back(open_csv(path, options.type));
      break;
    case file_format::hdf5:
    case file_format::netcdf:
      arrays = open_by_module(std::string(to_string(format)), path);
      break;
    default:
      arrays = open_zarr(path);
      break;
  }
  std::sort(arrays.begin(), arrays.end(),
            [](const auto& a, const auto& b) { return a->what().name < b->what().name; });
  return arrays;
}

/// Calls the caller's function before each piece.
class watched_source final : public array_source {
 public:
  watched_source(array_source& from, const std::function<void()>& before)
      : array_source(from.what()), from_(from), before_(before) {}
  void read(const slab& part, std::byte* to) override {
    before_();
    from_.read(part, to);
  }
  variable_elements read_variable() override {
    before_();
    return from_.read_variable();
  }

 private:
  array_source& from_;
  const std::function<void()>& before_;
};

void require_different_names(std::span<array_source* const> arrays) {
  std::vector<std::string_view> names;
  for (const array_source* const one : arrays) names.push_back(one->what().name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end())
    throw error(errc::invalid_argument, "two arrays for one file are called \"" + std::string(*twice) + '"');
}

void write_format(const std::filesystem::path& path, bool is_tab_separated,
                  std::span<array_source* const> arrays, file_format format, bool compressed) {
  switch (format) {
    case file_format::hdf5:
    case file_format::netcdf:
      return write_by_module(std::string(to_string(format)), path, arrays, compressed);
    case file_format::zarr:
      return write_zarr(path, arrays, compressed);
    default:
      break;
  }
  output_file out(path);
  if (format == file_format::npz) {
    write_npz(arrays, compressed, out.sink());
  } else if (format == file_format::csv) {
    write_csv(*arrays[0], is_tab_separated ? '\t' : ',', out.sink());
  } else {
    write_npy(*arrays[0], out.sink());
  }
  out.finish();
}

}  // namespace

array_file::array_file(const std::filesystem::path& path, const reading_options& options)
    : path_(path),
      format_(options.format == file_format::automatic ? format_of(path) : options.format),
      arrays_(open_arrays(path, format_, options)) {}

array_source* array_file::find(std::string_view name) const noexcept {
  const auto found = std::find_if(arrays_.begin(), arrays_.end(),
                                  [name](const auto& one) { return one->what().name == name; });
  return found == arrays_.end() ? nullptr : found->get();
}

array_source& array_file::at(std::string_view name) const {
  array_source* const found = find(name);
  if (found != nullptr) return *found;
  throw error(errc::not_found, path_.string() + ": none of its " + std::to_string(size()) +
                                   (size() == 1 ? " array" : " arrays") + " is called \"" +
                                   std::string(name) + '"');
}

void write_arrays(const std::filesystem::path& path, std::span<array_source* const> arrays,
                  const writing_options& options) {
  const file_format format = options.format == file_format::automatic ? format_named(path) : options.format;
  if (format == file_format::automatic)
    throw error(
        errc::invalid_argument,
        "the name " + path.string() +
            " says no format: call the file .npy, .npz, .csv, .tsv, .h5, .nc or .zarr, or name a format");
  if (!holds_several(format) && arrays.size() != 1)
    throw error(errc::unsupported, "a file of format " + std::string(to_string(format)) +
                                       " has one array, and " + std::to_string(arrays.size()) +
                                       " are to be written: choose .npz, .h5, .nc or .zarr, or name one");
  require_different_names(arrays);
  array_sources watched;
  std::vector<array_source*> all(arrays.begin(), arrays.end());
  if (options.before_piece)
    for (array_source*& one : all)
      one = watched.emplace_back(std::make_unique<watched_source>(*one, options.before_piece)).get();
  replaced_file file(path);
  write_format(file.written(), path.native().ends_with(".tsv"), all, format, options.compressed);
  file.finish();
}

void write_array(const std::filesystem::path& path, array_source& array, const writing_options& options) {
  array_source* const one = &array;
  write_arrays(path, {&one, 1}, options);
}

}  // namespace perdure::formats
