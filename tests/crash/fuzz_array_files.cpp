// Fuzzing of the readers of array files: .npy, .npz, CSV, plain and compressed, and zarr. Any bytes are read
// to their end or refused with one of the library's errors.

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <perdure/error.hpp>
#include <perdure/formats/array_file.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "crash/file_mutation.hpp"
#include "crash/fuzz_script.hpp"
#include "crash/read_arrays.hpp"
#include "formats/zarr_bytes.hpp"
#include "library_limits.hpp"
#include "os/crc32c.hpp"
#include "support/memory_file.hpp"
#include "support/scratch_directory.hpp"
#include "workload/compressed.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using namespace perdure;
using perdure::crash::fuzz_script;

/// Elements whose bytes are all 1.
class ones final : public formats::array_source {
 public:
  using array_source::array_source;
  void read(const slab& part, std::byte* to) override {
    std::fill_n(to, part.count.elements() * what_.type.size(), std::byte{1});
  }
  variable_elements read_variable() override { return {{1, 1, 4}, "abcd"}; }
};

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

struct original {
  formats::file_format format;
  std::string bytes;  // of zarr: of a file in the directory
  std::filesystem::path inside = {};
};

/// The directory of zarr stays, and its files are changed in their places.
const std::filesystem::path& directory() {
  static const scratch_directory made{fast_directory()};
  return made.directory();
}

/// Arrays as programs of others write them, each in a directory of its own.
void write_foreign_arrays(const std::filesystem::path& zarr) {
  const std::string bytes = test::bytes_of_elements<std::uint16_t>({1, 2, 3, 4, 5, 6});
  for (const auto& [name, chunk] : {std::pair<std::string, std::string>{"zlib", test::zlib(bytes)},
                                    {"lz4", test::lz4_stored(bytes)},
                                    {"blosc", test::blosc_stored(bytes, 2)},
                                    {"bz2", test::bzip2(bytes)}}) {
    test::write_file(zarr / name / ".zarray",
                     test::zarr_2_json("\">u2\"", "[4, 3]", "[2, 3]", R"({"id": ")" + name + "\"}",
                                       R"("order": "F", "fill_value": 7, )"));
    test::write_file(zarr / name / "1.0", chunk);
  }
  test::write_file(zarr / "group" / ".zgroup", R"({"zarr_format": 2})");
  test::write_file(zarr / "group" / ".zattrs",
                   R"({"a": [1, 2.5, NaN], "b": [["x"], ["y"]], "c": {"d": null}})");
  test::write_file(zarr / "group" / ".zmetadata",
                   R"({"metadata": {"a/.zarray": )" + test::zarr_2_json("\"<U2\"", "[2]", "[1]") + "}}");
  test::write_file(zarr / "group" / "a" / "0", std::string("a\0\0\0b\0\0\0", 8));
  test::write_file(zarr / "fields" / ".zarray",
                   test::zarr_2_json(R"([["a", "|S2"], ["b", "<i2", [2]]])", "[1]", "[1]", "null",
                                     R"("fill_value": "YWIBAAIA", )"));
  std::string index = test::bytes_of_elements<std::uint64_t>({0, 1, 1, 1, 2, 1, ~0ULL, ~0ULL});
  index += test::bytes_of_elements<std::uint32_t>({os::crc32c(0, index.data(), index.size())});
  test::write_file(
      zarr / "shards" / "zarr.json",
      test::zarr_3_json("\"uint8\"", "[5, 4]", "[2, 2]",
                        R"([{"name": "sharding_indexed", "configuration": {"chunk_shape": [1, 1],
                   "codecs": [{"name": "bytes"}], "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]}}])",
                        R"(, "ext": {"must_understand": false}, "dimension_names": ["y", null])"));
  test::write_file(zarr / "shards" / "c" / "1" / "1", "abc" + index);
}

std::vector<original> originals() {
  using formats::file_format;
  const data_type structure = data_type::structure(
      {{"id", 0, element_kind::uint64}, {"at", 8, data_type(element_kind::float32).array({3})}}, 24, 8);
  ones numbers({"n", element_kind::float64, {3, 4}, {"x", "y"}, {2, 2}, {}});
  ones structs({"s", structure, {2}, {}, {}, {}});
  ones texts({"t", element_kind::text, {3}, {}, {}, {}});
  std::vector<original> files;
  const std::filesystem::path file = directory() / "file";
  for (ones* const one : {&numbers, &structs, &texts}) {
    formats::write_array(file, *one, {.format = file_format::npy});
    files.push_back({file_format::npy, bytes_of(file)});
  }
  const std::vector<formats::array_source*> all{&numbers, &structs, &texts};
  for (const bool compressed : {false, true}) {
    formats::write_arrays(file, all, {.format = file_format::npz, .compressed = compressed});
    files.push_back({file_format::npz, bytes_of(file)});
  }
  for (const char* const table :
       {"# x\na,b\n1,2.5\n-3,nan\n", "\"a\",\"b\"\"c\n\"\n,d\n",
        "1;2\n1e300;18446744073709551615\ntrue;1+2j\n", "name,n\nann,1\n\"bob\",1_000\n",
        "a;b\n1,5;2\n1,234;x\n", " 1  2 \n3 4\n", "1|NA\n2|3\n"})
    files.push_back({file_format::csv, table});
  files.push_back({file_format::csv, test::gzip(files.back().bytes)});
  const std::filesystem::path zarr = directory() / "zarr";
  std::filesystem::create_directory(zarr);
  for (ones* const one : {&numbers, &texts})
    formats::write_array(zarr / one->what().name, *one, {.format = file_format::zarr, .compressed = true});
  write_foreign_arrays(zarr);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(zarr))
    if (entry.is_regular_file()) files.push_back({file_format::zarr, bytes_of(entry.path()), entry.path()});
  return files;
}

constexpr std::string_view pieces[] = {"'<f8'",
                                       "'>U4'",
                                       "'|O'",
                                       "(3, 4)",
                                       "(-1,)",
                                       "(18446744073709551615,)",
                                       "True",
                                       "[",
                                       "((((",
                                       "'",
                                       "\n",
                                       ",",
                                       "\"",
                                       "PK\5\6",
                                       "1e999",
                                       "2147483648",
                                       {"\0\0\0\0", 4},
                                       "\xff\xff\xff\xff",
                                       "NaN",
                                       "null",
                                       "[]",
                                       "{}",
                                       "-1",
                                       "4294967296"};

/// Reads a file under the limits of the program. Any end but success or an error of the library's is a
/// violation, `std::bad_alloc` included: a small file needs little.
void read(const std::filesystem::path& path, formats::file_format format) {
  cli::library_limits limits(path, true);
  limits.begin();
  try {
    const formats::array_file file(path, {.format = format, .before_array = [&] { limits.step(); }});
    for (const auto& one : file) crash::read_all(*one, [&] { limits.step(); });
  } catch (const error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<original> files = originals();
  fuzz_script script({data, size});
  const original& chosen = files[script.below(files.size())];
  std::string file = chosen.bytes;
  while (!script.at_end() && !file.empty()) crash::mutate(script, file, pieces);
  if (chosen.inside.empty()) {
    const memory_file changed(file);
    read(changed.path(), chosen.format);
    return 0;
  }
  std::ofstream(chosen.inside, std::ios::binary) << file;
  std::filesystem::path array = chosen.inside;
  while (array.parent_path().filename() != "zarr") array = array.parent_path();
  read(array, chosen.format);
  std::ofstream(chosen.inside, std::ios::binary) << chosen.bytes;
  return 0;
}
