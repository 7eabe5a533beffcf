// Fuzzing of what a store says of its arrays: numbers in the catalogue, and bytes of compressed blocks, are
// changed in an open store. Whatever they claim then, every call answers, or throws one of the library's
// errors; no byte outside of the store's blocks is read or written.
//
// Pointers are left alone, but for those to blocks, which the library compares with the store's bounds:
// opening a store means trusting whoever wrote it with the containers of its objects.
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <new>
#include <numeric>
#include <perdure/array_store.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "array/stored_array.hpp"
#include "crash/fuzz_script.hpp"
#include "crash/scratch.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using namespace perdure;
using namespace perdure::crash;

constexpr std::uint64_t odd_numbers[] = {0,
                                         1,
                                         2,
                                         7,
                                         255,
                                         1U << 16,
                                         UINT64_C(1) << 31,
                                         UINT64_C(1) << 32,
                                         UINT64_C(1) << 61,
                                         INT64_MAX,
                                         UINT64_C(1) << 63,
                                         UINT64_MAX - 1,
                                         UINT64_MAX};

store_options small() {
  store_options options;
  options.capacity = std::size_t{1} << 30;
  options.home_file_size = std::size_t{16} << 20;
  return options;
}

/// A store with an array of each sort; made anew for each input, in memory that is never written out.
class victim {
 public:
  victim() : path_(here_.directory() / "store"), store_(create_only, path_, small()), arrays_(store_) {
    std::vector<double> numbers(120);
    std::iota(numbers.begin(), numbers.end(), 1);
    const array_view<const double> box(numbers.data(), {4, 5, 6});
    arrays_.store("whole", box, {.dimensions = {"x", "y", "z"}});
    arrays_.create<double>("parts", {4, 5, 6});
    arrays_.array("parts").write({{0, 0, 0}, {2, 5, 6}}, std::span<const double>(numbers.data(), 60));
    arrays_.array("parts").write({{1, 0, 0}, {2, 5, 6}}, std::span<const double>(numbers.data(), 60));
    arrays_.store("placed", box, {.layout = array_layout::contiguous});
    arrays_.store("chunks", box,
                  {.layout = array_layout::chunked, .chunk = {2, 2, 3}, .codec = compression::lz4});
    arrays_.store("packed", box,
                  {.layout = array_layout::chunked, .chunk = {4, 3, 6}, .codec = compression::zstd});
    arrays_.store("blocks", box,
                  {.layout = array_layout::chunked, .chunk = {4, 5, 6}, .codec = compression::blosc});
    arrays_.store("texts", std::vector<std::string>{"a", "", std::string(300, 'b')});
    arrays_.store("lists", std::vector<std::vector<int>>{{1, 2}, {}, {3}});
    arrays_.array("whole").set_attribute("units", "K");
    arrays_.array("whole").set_attribute("range", std::vector<double>{0, 1});
    catalogue_ = store_.find<detail::array_catalogue>(unique_instance).first;
    if (catalogue_ == nullptr) throw std::logic_error("the store has no catalogue of arrays");
  }
  ~victim() { store_.discard(); }

  manager& store() { return store_; }
  array_store& arrays() { return arrays_; }
  detail::array_catalogue& catalogue() { return *catalogue_; }

 private:
  scratch_directory here_{place_for_rigs()};
  std::filesystem::path path_;
  manager store_;
  array_store arrays_;
  detail::array_catalogue* catalogue_ = nullptr;
};

std::uint64_t odd_number(fuzz_script& script, std::uint64_t was) {
  switch (script.byte() % 4) {
    case 0:
      return was + script.byte() - 128;
    case 1:
      return script.word(2);
    default:
      return odd_numbers[script.below(std::size(odd_numbers))];
  }
}

void change_numbers(fuzz_script& script, perdure::vector<std::uint64_t>& numbers) {
  switch (script.byte() % 8) {
    case 0:
      numbers.push_back(odd_number(script, 1));
      return;
    case 1:
      if (!numbers.empty()) numbers.pop_back();
      return;
    default:
      if (!numbers.empty()) {
        std::uint64_t& one = numbers[script.below(numbers.size())];
        one = odd_number(script, one);
      }
  }
}

void change_text(fuzz_script& script, perdure::string& text) {
  static constexpr const char* types[] = {"float64",       "int8",           "string",
                                          "list<float64>", "float64[3]",     "",
                                          "bool",          "{8/8 a:int8@0}", "opaque(16/16 e)",
                                          "complex128",    "list<",          "float64[18446744073709551615]"};
  if (script.byte() % 2 == 0) {
    text = types[script.below(std::size(types))];
  } else if (!text.empty()) {
    text[script.below(text.size())] = static_cast<char>(script.byte());
  }
}

void change_block(fuzz_script& script, detail::stored_block& block) {
  switch (script.byte() % 8) {
    case 0:
      block.stored_bytes = odd_number(script, block.stored_bytes);
      return;
    case 1:
      block.bytes = odd_number(script, block.bytes);
      return;
    case 2:
      block.codec = static_cast<std::uint8_t>(script.byte() % 4);
      return;
    case 3:
      block.shuffled = static_cast<std::uint8_t>(script.byte() % 2);
      return;
    case 4:
      block.unchecked = static_cast<std::uint8_t>(script.byte() % 2);
      return;
    case 5:
      block.data = nullptr;
      return;
    default:
      // Bytes of the block: those of compressed ones are instructions to the codec.
      if (block.data != nullptr && block.stored_bytes != 0 && block.stored_bytes < 5000)
        block.data[static_cast<std::ptrdiff_t>(script.below(block.stored_bytes))] =
            static_cast<std::byte>(script.byte());
  }
}

void change(fuzz_script& script, detail::array_catalogue& catalogue) {
  auto at = catalogue.arrays.begin();
  std::advance(at, static_cast<std::ptrdiff_t>(script.below(catalogue.arrays.size())));
  detail::stored_array& array = at->second;
  switch (script.byte() % 10) {
    case 0:
      return change_numbers(script, array.dims);
    case 1:
      return change_numbers(script, array.chunk);
    case 2:
      return change_numbers(script, array.boxes);
    case 3:
      return change_text(script, array.type);
    case 4:
      array.layout = static_cast<std::uint8_t>(script.byte() % 5);
      return;
    case 5:
      array.codec = static_cast<std::uint8_t>(script.byte() % 5);
      array.level = static_cast<std::int32_t>(script.word(4));
      return;
    case 6:
      array.may_overlap = static_cast<std::uint8_t>(script.byte() % 2);
      return;
    case 7:
      array.chunks[odd_number(script, 1)] = static_cast<std::uint32_t>(odd_number(script, 1));
      return;
    case 8:
      if (!array.attributes.empty()) {
        detail::stored_attribute& one = array.attributes.begin()->second;
        if (script.byte() % 2 == 0) return change_numbers(script, one.dims);
        return change_text(script, one.type);
      }
      [[fallthrough]];
    default:
      if (!array.blocks.empty()) change_block(script, array.blocks[script.below(array.blocks.size())]);
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

constexpr std::uint64_t most_elements = 4096;

/// What is asked of an array, whatever its type has become.
void read_all(untyped_arrays& core, const std::string& id) {
  trying([&] {
    const array_info info = core.info(id);
    static_cast<void>(core.parts(id));
    if (info.type.is_variable()) {
      static_cast<void>(core.read_variable(id, info.type));
      return;
    }
    // A part from the beginning, and all of it where that is little.
    slab part{extents::all(info.dims.rank(), 0), info.dims, {}};
    for (std::size_t i = 0; i < info.dims.rank(); ++i)
      part.count[i] = std::min<std::uint64_t>(info.dims[i], 3);
    for (const slab& one : {part, slab::whole(info.dims)}) {
      if (one.count.elements() > most_elements || info.type.size() > most_elements) continue;
      std::vector<std::byte> bytes(one.count.elements() * info.type.size());
      const auto to = untyped_view::row_major(bytes.data(), one.count, info.type.size());
      trying([&] { core.read(id, info.type, one, to); });
      trying([&] { static_cast<void>(core.read_held(id, one, to)); });
    }
    trying([&] {
      const viewed_array view = core.view(id, info.type, false);
      std::byte sum{};
      for (std::uint64_t i = 0; i < view.info.bytes; ++i) sum ^= view.data[i];
      static_cast<void>(sum);
    });
  });
  trying([&] { static_cast<void>(core.check(id)); });
  trying([&] { core.prefetch(id); });
  for (const char* const key : {"units", "range"})
    trying([&] { static_cast<void>(core.attribute(id, key)); });
}

void write_some(untyped_arrays& core, const std::string& id, std::uint8_t choice) {
  trying([&] {
    const array_info info = core.info(id);
    if (info.type.is_variable() || info.type.size() > most_elements) return;
    slab part{extents::all(info.dims.rank(), 0), info.dims, {}};
    for (std::size_t i = 0; i < info.dims.rank(); ++i)
      part.count[i] = std::min<std::uint64_t>(info.dims[i], 2);
    if (part.count.elements() > most_elements) return;
    const std::vector<std::byte> bytes(part.count.elements() * info.type.size());
    trying([&] {
      core.write(id, info.type, part,
                 const_untyped_view::row_major(bytes.data(), part.count, info.type.size()));
    });
    if (choice % 4 == 0 && info.dims.rank() != 0) {
      extents dims = info.dims;
      dims[0] = choice % 16;
      if (dims.elements() <= most_elements) trying([&] { core.resize(id, dims); });
    }
  });
  if (choice % 3 == 0)
    trying([&] { core.erase(id); });
  else
    trying([&] {
      const double one = 1;
      core.store_whole(id, element_kind::float64, const_untyped_view::row_major(&one, {}, 8), {});
    });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz_script script({data, size});
  victim store;
  const std::uint8_t choice = script.byte();
  while (!script.at_end()) change(script, store.catalogue());
  const auto core = untyped_arrays::of(detail::core_of(store.store()));
  const std::vector<std::string> ids = store.arrays().list();
  for (const std::string& id : ids) read_all(*core, id);
  for (const std::string& id : ids) write_some(*core, id, choice);
  for (const std::string& id : store.arrays().list()) read_all(*core, id);
  return 0;
}
