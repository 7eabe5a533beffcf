// Fuzzing of the readers of HDF5 and NetCDF files, whose libraries a damaged file may bring to their end:
// each in a process of its own, under the limits of the program. Any bytes are read to their end or refused
// with one of Perdure's errors, unless the library fails; Perdure's own code does not.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <perdure/array_store.hpp>
#include <perdure/error.hpp>
#include <perdure/formats/array_file.hpp>
#include <perdure/formats/group_attributes.hpp>
#include <perdure/formats/store_exchange.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "crash/file_mutation.hpp"
#include "crash/fuzz_script.hpp"
#include "crash/library_child.hpp"
#include "crash/read_arrays.hpp"
#include "library_limits.hpp"
#include "support/scratch_directory.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using namespace perdure;
using formats::file_format;

struct original {
  file_format format;
  std::string bytes;
};

/// Arrays of all kinds of types in a store, each in a group of its own so that a file has few.
void fill(array_store& store) {
  const std::vector<double> numbers{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  store.store("numbers/n", array_view<const double, 2>(numbers.data(), {3, 4}), {.dimensions = {"y", "x"}});
  store.array("numbers/n").set_attribute("units", std::string("K"));
  store.array("numbers/n").set_attribute("range", std::vector<float>{1, 2});
  store.array("numbers/n")
      .set_attribute(std::string(formats::max_dims_key), std::vector<std::uint64_t>{~0ULL, 4});
  auto grid =
      store.create<std::int16_t>("chunks/c", {40, 50}, {.layout = array_layout::chunked, .chunk = {8, 8}});
  grid.write({{0, 0}, {8, 8}},
             array_view<const std::int16_t, 2>(std::vector<std::int16_t>(64, 7).data(), {8, 8}));
  store.store("texts/t", std::vector<std::string>{"a", "", "longer than a few"});
  store.array("texts/t").set_attribute("names", std::vector<std::string>{"x", "yy"});
  store.store("lists/l", std::vector<std::vector<std::int32_t>>{{1, 2}, {}, {3}});
  const data_type record = data_type::structure(
      {{"id", 0, element_kind::uint64}, {"at", 8, data_type(element_kind::float32).array({3})}}, 24, 8);
  const std::string zeros(72, '\1');
  for (const auto& [id, type] : {std::pair<std::string, data_type>{"mixed/record", record},
                                 {"mixed/truth", element_kind::boolean},
                                 {"mixed/complex", element_kind::complex64},
                                 {"mixed/text", element_kind::character},
                                 {"mixed/blob", data_type::opaque("tag", 3, 1)}})
    store.untyped()->store_whole(id, type, const_untyped_view::row_major(zeros.data(), {3}, type.size()), {});
  store.array("mixed/truth").set_attribute("n", nullptr);
  store.store("named/e", std::vector<std::int8_t>{0, 1, 1});
  store.array("named/e").set_attribute(std::string(formats::enumeration_key),
                                       std::vector<std::string>{"OFF=0", "ON=1"});
  store.array("named/e").set_attribute(std::string(formats::fill_value_key), std::int8_t{1});
}

/// A number of a NetCDF file of the old kind.
std::string big_endian(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift);
  return bytes;
}

std::string padded(std::string_view text) {
  std::string bytes = big_endian(static_cast<std::uint32_t>(text.size())).append(text);
  bytes.resize((bytes.size() + 3) / 4 * 4);
  return bytes;
}

/// Two variables, one over a dimension that grows, and attributes, in NetCDF's old format.
std::string classic_file() {
  constexpr std::uint32_t dimension_list = 10;
  constexpr std::uint32_t variable_list = 11;
  constexpr std::uint32_t attribute_list = 12;
  constexpr std::uint32_t text = 2;
  constexpr std::uint32_t int16 = 3;
  constexpr std::uint32_t float64 = 6;
  const auto list = [](std::uint32_t tag, std::uint32_t count) {
    return big_endian(tag) + big_endian(count);
  };
  const std::string attributes = list(attribute_list, 2) + padded("units") + big_endian(text) + padded("K") +
                                 padded("range") + big_endian(int16) + big_endian(2) +
                                 std::string("\0\1\0\2", 4);
  std::string head = std::string("CDF\1") + big_endian(2) + list(dimension_list, 2) + padded("time") +
                     big_endian(0) + padded("x") + big_endian(3) + attributes + list(variable_list, 2);
  const std::string fixed =
      padded("x") + big_endian(1) + big_endian(1) + attributes + big_endian(float64) + big_endian(24);
  const std::string grows = padded("v") + big_endian(2) + big_endian(0) + big_endian(1) + big_endian(0) +
                            big_endian(0) + big_endian(int16) + big_endian(8);
  const auto begin = static_cast<std::uint32_t>(head.size() + fixed.size() + grows.size() + 8);
  return head + fixed + big_endian(begin) + grows + big_endian(begin + 24) + std::string(24 + 16, '\1');
}

/// Reads a file in this process. Throws one of the library's errors where it is refused.
void read(const std::filesystem::path& path, file_format format) {
  cli::library_limits limits(path, true);
  limits.begin();
  const formats::array_file file(path, {.format = format, .before_array = [&] { limits.step(); }});
  for (const auto& one : file) crash::read_all(*one, [&] { limits.step(); });
}

/// HDF5 opens no file without a name.
std::filesystem::path file_of(const std::string& bytes) {
  static const scratch_directory here{fast_directory()};
  const std::filesystem::path path = here / "file";
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

std::vector<original> originals() {
  const scratch_directory here{fast_directory()};
  array_store store(create_only, here / "store");
  fill(store);
  std::vector<original> files;
  for (const auto& [format, name] : {std::pair{file_format::hdf5, "f.h5"}, {file_format::netcdf, "f.nc"}}) {
    if (!formats::is_available(format)) continue;
    for (const char* const group : {"numbers", "chunks", "texts", "lists", "mixed", "named"})
      for (const bool compressed : {false, true}) {
        formats::export_arrays(store, group, here / name, {.compressed = compressed});
        std::ifstream stream(here / name, std::ios::binary);
        files.push_back({format, {std::istreambuf_iterator<char>(stream), {}}});
      }
    // A third of them is of the old kind.
    if (format == file_format::netcdf) files.insert(files.end(), files.size() / 2, {format, classic_file()});
  }
  // Files that are refused as they are would be no test of what stands behind.
  for (const original& one : files) read(file_of(one.bytes), one.format);
  return files;
}

constexpr std::string_view pieces[] = {"CDF\1",
                                       "CDF\2",
                                       "CDF\5",
                                       "\x89HDF\r\n\x1a\n",
                                       "TREE",
                                       "SNOD",
                                       "HEAP",
                                       "GCOL",
                                       "OHDR",
                                       "FSHD",
                                       "BTHD",
                                       "FADB",
                                       {"\0\0\0\0", 4},
                                       "\xff\xff\xff\xff",
                                       {"\x80\0\0\0", 4},
                                       {"\0\0\0\x80", 4}};

/// Ends that the library brought about.
struct counts {
  unsigned long runs = 0;
  unsigned long failed = 0;
  unsigned long slow = 0;
  counts() = default;
  counts(const counts&) = delete;
  counts& operator=(const counts&) = delete;
  ~counts() {
    std::printf("%lu files; the library failed over %lu, and was too slow over %lu\n", runs, failed, slow);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<original> files = originals();
  static counts ends;
  if (files.empty()) return 0;
  crash::fuzz_script script({data, size});
  const original& chosen = files[script.below(files.size())];
  std::string bytes = chosen.bytes;
  while (!script.at_end() && !bytes.empty()) crash::mutate(script, bytes, pieces);
  const std::filesystem::path changed = file_of(bytes);
  ++ends.runs;
  switch (crash::run_in_child([&] {
    try {
      read(changed, chosen.format);
    } catch (const error&) {
    }
  })) {
    case crash::child_end::done:
      break;
    case crash::child_end::library_failed:
      ++ends.failed;
      break;
    case crash::child_end::library_slow:
      ++ends.slow;
      break;
    case crash::child_end::violation:
      throw std::logic_error("Perdure's code failed over a file");
  }
  return 0;
}
