// Files of arrays: .npy, .npz, CSV, zarr, HDF5 and NetCDF, read and written alike.
//
//     perdure::formats::array_file file("results.h5");
//     for (const auto& one : file)
//       std::cout << one->what().name << ' ' << one->what().type.text() << ' ' << one->what().dims.text() <<
//       '\n';
//     const std::vector<double> t = perdure::formats::load<double>(file.at("run/temperature"));
//
//     const auto source = perdure::formats::source_of("t", perdure::array_view<const double, 2>(t.data(),
//     {ny, nx})); perdure::formats::write_array("t.npy", *source);
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <perdure/data_type.hpp>
#include <perdure/formats/array_source.hpp>
#include <perdure/formats/file_format.hpp>
#include <perdure/formats/table_options.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::formats {

/// Options for opening a file of arrays.
struct reading_options {
  file_format format =
      file_format::automatic;  ///< format of the file; `automatic`: recognised by name and content
  /// Element type of a table of text: a number, text, text of fixed length, or a struct with a field for each
  /// column. Not set: the smallest of bool, int64, uint64, float64 and complex128 that has all numbers, or
  /// text; a struct if columns have names or are of different kinds.
  std::optional<data_type> type = {};
  table_options table = {};  ///< facts about a table of text
  /// Name of the only array that is opened; the file may have others that cannot be read. Empty: all.
  std::string member = {};
  /// Called before each array and each group of an HDF5 or NetCDF file is looked at; what it throws ends the
  /// opening. May be empty.
  std::function<void()> before_array = {};
};

/// An open file of arrays: a file, or a directory of zarr. Its arrays are sorted by name. Attributes of the
/// file and of its groups are arrays without elements (group_attributes.hpp).
///
/// Thread safety: one thread at a time, with all its sources. HDF5 and NetCDF files of one process: one
/// thread at a time for all of them, as their libraries ask for.
class array_file {
 public:
  /// Opens a file and reads what it says of its arrays. `not_found`, `permission_denied`, `io`; `bad_input`
  /// for a damaged file and an unknown format; `unsupported` for a type or an encoding that is not known, and
  /// if the format's module is not installed; `not_found` for a member that is not there. Of an HDF5 or
  /// NetCDF file arrays that cannot be read are left out, and `losses` names them.
  explicit array_file(const std::filesystem::path& path, const reading_options& options = {});

  /// Returns the path that the file was opened by.
  const std::filesystem::path& path() const noexcept { return path_; }
  /// Returns the format of the file.
  file_format format() const noexcept { return format_; }
  /// Returns the number of arrays.
  std::size_t size() const noexcept { return arrays_.size(); }
  /// Returns whether the file has no arrays.
  bool empty() const noexcept { return arrays_.empty(); }
  /// Returns an iterator to the first array, by name.
  auto begin() const noexcept { return arrays_.begin(); }
  /// Returns the iterator behind the last array.
  auto end() const noexcept { return arrays_.end(); }
  /// Returns what the file has and cannot be read: arrays that are left out, and attributes.
  const std::vector<loss>& losses() const noexcept { return losses_; }
  /// Returns the array of that name, or null.
  array_source* find(std::string_view name) const noexcept;
  /// Returns the array of that name; the only array of a file without names for the empty one. `not_found`;
  /// `unsupported` for an array that is left out.
  array_source& at(std::string_view name) const;

 private:
  std::filesystem::path path_;
  file_format format_;
  std::vector<loss> losses_;
  array_sources arrays_;
};

/// Options for writing a file of arrays.
struct writing_options {
  file_format format = file_format::automatic;  ///< `automatic`: as the file's name says
  bool compressed = false;                      ///< where the format can do that
  /// Called before each piece is read, about 8 MiB; what it throws ends the writing. May be empty.
  std::function<void()> before_piece = {};
  /// Called for what the format cannot hold: attributes of some types, names of dimensions. What it throws
  /// ends the writing. May be empty.
  std::function<void(const loss&)> on_loss = {};
};

/// Writes a file of these arrays. It appears under its name once it is whole: then a file of that name is
/// replaced, and a directory too if it is empty or one of zarr. On failure nothing is left behind, and what
/// had the name is as it was. Pipes and devices are written in place; "-" is standard output.
///
/// Arrays have different names. In a format of one array (`holds_several`) there is one, and its name does
/// not count. `invalid_argument` if the name says no format; `unsupported` for several arrays in a format of
/// one, for an element type that the format does not have, and if the format's module is not installed;
/// `already_exists` for a directory of anything else; `no_space`, `permission_denied`, `io`; and what reading
/// the arrays throws. A CSV or .npz file is refused with `no_space` before anything is written if the file
/// system has no room for the least that it can have; with `unsupported` if more than 64 GiB of an array, and
/// 1,000 times what is stored of it, would become zeros.
void write_arrays(const std::filesystem::path& path, std::span<array_source* const> arrays,
                  const writing_options& options = {});
/// Writes one array. Errors as `write_arrays`.
void write_array(const std::filesystem::path& path, array_source& array, const writing_options& options = {});

}  // namespace perdure::formats
