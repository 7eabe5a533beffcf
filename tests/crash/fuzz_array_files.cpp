// Fuzzing of the readers of array files: .npy, .npz, CSV and zarr.json. Any bytes are read to their end or
// refused with one of the library's errors.

#include <algorithm>
#include <cstdint>
#include <new>
#include <perdure/array/array_pieces.hpp>
#include <perdure/error.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "crash/fuzz_script.hpp"
#include "formats/array_file.hpp"
#include "formats/npy.hpp"
#include "formats/npz.hpp"
#include "formats/zarr_metadata.hpp"
#include "support/memory_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using namespace perdure;
using perdure::crash::fuzz_script;

/// Elements whose bytes are all 1.
class ones final : public formats::array_input {
 public:
  using array_input::array_input;
  void read(const slab& part, std::byte* to) override {
    std::fill_n(to, part.count.elements() * what_.type.size(), std::byte{1});
  }
  variable_elements read_variable() override { return {{1, 1, 4}, "abcd"}; }
};

std::vector<std::string> originals() {
  const data_type structure = data_type::structure(
      {{"id", 0, element_kind::uint64}, {"at", 8, data_type(element_kind::float32).array({3})}}, 24, 8);
  ones numbers({"n", element_kind::float64, {3, 4}, {}, {}, {}});
  ones structs({"s", structure, {2}, {}, {}, {}});
  ones texts({"t", element_kind::text, {3}, {}, {}, {}});
  std::vector<std::string> files;
  for (ones* const one : {&numbers, &structs, &texts}) {
    std::string& file = files.emplace_back();
    formats::write_npy(*one, [&](std::string_view bytes) { file += bytes; });
  }
  std::vector<formats::array_input*> all{&numbers, &structs, &texts};
  for (const bool compressed : {false, true}) {
    std::string& file = files.emplace_back();
    formats::write_npz(all, compressed, [&](std::string_view bytes) { file += bytes; });
  }
  files.emplace_back("# x\na,b\n1,2.5\n-3,nan\n");
  files.emplace_back("\"a\",\"b\"\"c\"\n,d\n");
  files.emplace_back("1;2\n1e300;18446744073709551615\ntrue;1+2j\n");
  files.push_back(
      formats::zarr_json_of({"z", element_kind::float64, {3, 4}, {"x", "y"}, {}, {}}, {2, 2}, true));
  return files;
}

void mutate(fuzz_script& script, std::string& file) {
  static constexpr const char* pieces[] = {
      "'<f8'", "'>U4'",  "'|O'",  "(3, 4)",     "(-1,)", "(18446744073709551615,)",
      "True",  "[",      "((((",  "'",          "\n",    ",",
      "\"",    "PK\5\6", "1e999", "2147483648", "\0",    "\xff\xff\xff\xff"};
  const std::size_t at = script.below(file.size());
  switch (script.byte() % 6) {
    case 0:
      file.resize(at);
      return;
    case 1:
      file.insert(at, pieces[script.below(std::size(pieces))]);
      return;
    case 2: {
      const std::string piece = pieces[script.below(std::size(pieces))];
      file.replace(at, std::min(piece.size(), file.size() - at), piece);
      return;
    }
    case 3:
      file.erase(at, script.byte());
      return;
    default:
      file[at] = static_cast<char>(script.byte());
  }
}

void read_all(formats::array_input& array) {
  const formats::array_description& what = array.what();
  if (what.type.is_variable()) {
    const variable_elements all = array.read_variable();
    if (all.ends.size() != what.dims.elements())
      throw std::logic_error("another number of texts than elements");
    return;
  }
  std::vector<std::byte> bytes;
  array_pieces pieces(what.dims, formats::elements_in_piece(what.type.size()));
  while (pieces.next_elements() != 0) {
    const slab part = pieces.next();
    bytes.resize(part.count.elements() * what.type.size());
    array.read(part, bytes.data());
  }
}

template <class Action>
void trying(Action&& action) {
  try {
    action();
  } catch (const error&) {
  } catch (const std::bad_alloc&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<std::string> files = originals();
  fuzz_script script({data, size});
  const std::size_t which = script.below(files.size());
  std::string file = files[which];
  while (!script.at_end() && !file.empty()) mutate(script, file);
  const memory_file changed(file);
  if (which + 1 == files.size()) {
    trying([&] { static_cast<void>(formats::read_zarr_json(changed.path())); });
    return 0;
  }
  using formats::file_format;
  const file_format format = which < 3 ? file_format::npy : which < 5 ? file_format::npz : file_format::csv;
  trying([&] {
    for (const auto& one : formats::open_arrays(changed.path(), {format, {}})) read_all(*one);
  });
  return 0;
}
