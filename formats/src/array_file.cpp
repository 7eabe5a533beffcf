// Hands files to what knows their format.
#include <algorithm>
#include <perdure/error.hpp>
#include <perdure/formats/array_file.hpp>
#include <perdure/formats/group_attributes.hpp>
#include <perdure/progress.hpp>
#include <set>
#include <string>
#include <utility>

#include "csv.hpp"
#include "declared_size.hpp"
#include "format_module.hpp"
#include "input_file.hpp"
#include "npy.hpp"
#include "npz.hpp"
#include "opened_arrays.hpp"
#include "output_file.hpp"
#include "replaced_file.hpp"
#include "stored_parts.hpp"
#include "zarr.hpp"

namespace perdure::formats {
namespace {

/// Leaves out arrays whose names no array in a store may have, and all but the first of those that have the
/// same one.
void drop_unnameable(opened_arrays& found) {
  const std::string* before = nullptr;
  std::erase_if(found.sources, [&](const auto& one) {
    const std::string& name = one->what().name;
    const bool is_second = before != nullptr && *before == name;
    // The array of a file that has no names has an empty one.
    if ((name.empty() || is_array_name(name)) && !is_second) {
      before = &name;
      return false;
    }
    found.losses.push_back(
        {name.substr(0, 100),
         is_second ? "is skipped: another array has the same name"
                   : "is skipped: names have 1 to 4096 bytes here, with single slashes between parts"});
    return true;
  });
}

opened_arrays open_arrays(const std::filesystem::path& path, file_format format,
                          const reading_options& options) {
  opened_arrays found;
  array_sources& arrays = found.sources;
  switch (format) {
    case file_format::npy: {
      auto file = std::make_shared<const input_file>(path);
      const std::uint64_t bytes = file->size();
      arrays.push_back(open_npy({std::move(file), 0, bytes}, "", found.losses));
      break;
    }
    case file_format::npz:
      found = open_npz(path, {options.member, options.before_array});
      break;
    case file_format::csv:
      found = open_csv(path, options.type, options.table);
      break;
    case file_format::hdf5:
    case file_format::netcdf:
      found = open_by_module(std::string(to_string(format)), path, {options.member, options.before_array});
      break;
    default:
      found = open_zarr(path, {options.member, options.before_array});
      break;
  }
  if (!options.member.empty())
    std::erase_if(arrays, [&](const auto& one) { return one->what().name != options.member; });
  std::stable_sort(arrays.begin(), arrays.end(),
                   [](const auto& a, const auto& b) { return a->what().name < b->what().name; });
  drop_unnameable(found);
  return found;
}

/// Calls the caller's function before each piece.
class watched_source final : public array_source {
 public:
  watched_source(array_source& from, const std::function<void()>& before)
      : array_source(from.what()), from_(from), before_(before), progress_(current_progress()) {}
  void read(const slab& part, std::byte* to) override {
    if (before_) before_();
    from_.read(part, to);
    if (progress_ != nullptr) progress_->add(part.count.elements() * what_.type.size());
  }
  variable_elements read_variable() override {
    if (before_) before_();
    return from_.read_variable();
  }
  std::optional<std::vector<slab>> stored_parts() override { return from_.stored_parts(); }

 private:
  array_source& from_;
  const std::function<void()>& before_;
  progress_record* progress_;  // of the caller, or null
};

void require_different_names(std::span<array_source* const> arrays) {
  std::vector<std::string_view> names;
  for (const array_source* const one : arrays) names.push_back(one->what().name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end())
    throw error(errc::invalid_argument, "two arrays for one file are called \"" + std::string(*twice) + '"');
}

/// Returns whether elements have bytes that only a program knows, by the name of a type.
bool has_named_bytes(const data_type& type) {
  if (type.kind() == element_kind::structure)
    return std::any_of(type.fields().begin(), type.fields().end(),
                       [](const data_field& field) { return has_named_bytes(field.type); });
  return type.kind() == element_kind::opaque &&
         type.base() != data_type::opaque("void", type.base().size(), 1);
}

/// Takes out what a format cannot hold, which `report` learns: attributes where it has none, and attributes
/// of a group that is an array here.
void drop_unwritable(std::vector<array_source*>& arrays, file_format format, const loss_sink& report) {
  const bool has_groups =
      format == file_format::hdf5 || format == file_format::netcdf || format == file_format::zarr;
  const std::string no_place = "the format " + std::string(to_string(format)) + " has no attributes";
  std::set<std::string_view> names;
  for (const array_source* const one : arrays) names.insert(one->what().name);
  std::erase_if(arrays, [&](const array_source* one) {
    const array_description& what = one->what();
    if (!is_group_attributes(what)) return false;
    const std::string_view group = group_of_attributes(what.name);
    if (!has_groups)
      report({what.name, "is left out: " + no_place});
    else if (!group.empty() && names.contains(group))
      report(
          {what.name, "is left out: \"" + std::string(group) + "\" is an array in this file, and no group"});
    else
      return false;
    return true;
  });
  // The formats by libraries say so themselves.
  if (!is_by_library(format))
    for (const array_source* const one : arrays)
      if (has_named_bytes(one->what().type))
        report({one->what().name, "becomes raw bytes: the format " + std::string(to_string(format)) +
                                      " has no type " + one->what().type.text()});
  if (has_groups) return;
  for (const array_source* const one : arrays) {
    const array_description& what = one->what();
    const std::size_t count = what.attributes.size();
    std::string lost;
    if (count != 0) lost = std::to_string(count) + (count == 1 ? " attribute" : " attributes");
    if (!what.dimensions.empty())
      lost += std::string(lost.empty() ? "" : " and ") + "the names of its dimensions";
    if (!lost.empty())
      report({what.name, "loses " + lost + ": the format " + std::string(to_string(format)) + " has none"});
  }
}

constexpr const char* advice_on_zeros =
    "export a part, or choose .npy, .zarr, .h5 or .nc, where elements that are not stored take no space";

/// Returns the least number of bytes that a CSV or .npz file of these arrays has.
std::uint64_t least_bytes(std::span<array_source* const> arrays, file_format format, bool compressed) {
  if (format == file_format::csv) return least_csv_bytes(arrays[0]->what());
  std::uint64_t bytes = 0;
  for (const array_source* const one : arrays) {
    const array_description& what = one->what();
    // The length of texts is known once they are read.
    if (what.type.is_variable()) continue;
    const std::uint64_t own = what.dims.elements() * what.type.size() / (compressed ? most_expansion : 1);
    if (__builtin_add_overflow(bytes, own, &bytes)) return UINT64_MAX;
  }
  return bytes;
}

/// Refuses arrays that are nearly nothing but zeros which nobody has stored, and would be written for hours
/// in a format that has no holes.
void refuse_endless(std::span<array_source* const> arrays, const std::filesystem::path& path) {
  constexpr std::uint64_t few_zeros = std::uint64_t{64} << 30;
  constexpr std::uint64_t most_times = 1000;
  for (array_source* const one : arrays) {
    const array_description& what = one->what();
    const auto parts = parts_beside_holes(*one);
    if (!parts) continue;
    std::uint64_t stored = 0;
    for (const slab& part : *parts) stored += part.count.elements();
    const std::uint64_t zeros = what.dims.elements() - stored;
    if (zeros > few_zeros / what.type.size() && zeros / most_times > stored)
      throw error(errc::unsupported,
                  path.string() + ": the array \"" + what.name + "\" stores " + std::to_string(stored) +
                      " of its " + std::to_string(what.dims.elements()) +
                      " elements, and all others would be written as zeros: " + advice_on_zeros);
  }
}

void write_format(const std::filesystem::path& path, bool is_tab_separated,
                  std::span<array_source* const> arrays, file_format format, bool compressed,
                  const loss_sink& report) {
  switch (format) {
    case file_format::hdf5:
    case file_format::netcdf:
      return write_by_module(std::string(to_string(format)), path, arrays, compressed, report);
    case file_format::zarr:
      return write_zarr(path, arrays, compressed, report);
    default:
      break;
  }
  output_file out(path);
  if (format == file_format::npz) {
    write_npz(arrays, compressed, out.sink());
  } else if (format == file_format::csv) {
    write_csv(*arrays[0], is_tab_separated ? '\t' : ',', out.sink());
  } else {
    write_npy(*arrays[0], out);
  }
  out.finish();
}

}  // namespace

array_file::array_file(const std::filesystem::path& path, const reading_options& options)
    : path_(path), format_(options.format == file_format::automatic ? format_of(path) : options.format) {
  opened_arrays found = open_arrays(path, format_, options);
  losses_ = std::move(found.losses);
  arrays_ = std::move(found.sources);
  if (!options.member.empty()) at(options.member);
}

array_source* array_file::find(std::string_view name) const noexcept {
  const auto found = std::find_if(arrays_.begin(), arrays_.end(),
                                  [name](const auto& one) { return one->what().name == name; });
  return found == arrays_.end() ? nullptr : found->get();
}

array_source& array_file::at(std::string_view name) const {
  array_source* const found = find(name);
  if (found != nullptr) return *found;
  for (const loss& one : losses_)
    if (one.array == name)
      throw error(errc::unsupported, path_.string() + ": " + std::string(name) + ' ' + one.what);
  if (empty())
    throw error(errc::not_found, path_.string() + ": it has no array \"" + std::string(name) + '"');
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
  require_different_names(arrays);
  const loss_sink report = [&](const loss& one) {
    if (options.on_loss) options.on_loss(one);
  };
  std::vector<array_source*> all(arrays.begin(), arrays.end());
  drop_unwritable(all, format, report);
  if (!holds_several(format) && all.size() != 1)
    throw error(errc::unsupported, "a file of format " + std::string(to_string(format)) +
                                       " has one array, and " + std::to_string(all.size()) +
                                       " are to be written: choose .npz, .h5, .nc or .zarr, or name one");
  array_sources watched;
  std::uint64_t bytes = 0;
  for (const array_source* const one : all) bytes += one->what().dims.elements() * one->what().type.size();
  begin_progress_stage("writing", bytes, "bytes");
  if (options.before_piece || current_progress() != nullptr)
    for (array_source*& one : all)
      one = watched.emplace_back(std::make_unique<watched_source>(*one, options.before_piece)).get();
  replaced_file file(path);
  if (format == file_format::csv || format == file_format::npz) {
    file.require_space(least_bytes(all, format, options.compressed), advice_on_zeros);
    refuse_endless(all, path);
  }
  write_format(file.written(), path.native().ends_with(".tsv"), all, format, options.compressed, report);
  file.finish();
}

void write_array(const std::filesystem::path& path, array_source& array, const writing_options& options) {
  array_source* const one = &array;
  write_arrays(path, {&one, 1}, options);
}

}  // namespace perdure::formats
