// A module of a format whose library never ends, or wants all memory there is.
#include <cstdint>
#include <cstdlib>
#include <perdure/error.hpp>
#include <string_view>
#include <vector>

#include "module/table.hpp"

namespace {

using namespace perdure::formats::modules;

const program_table* program = nullptr;

void* fail(void* call, perdure::errc code, std::string_view why) {
  program->fail(call, static_cast<std::int32_t>(code), {why.data(), why.size()});
  return nullptr;
}

/// 4 GiB, if they are given.
bool can_hoard() {
  constexpr std::size_t piece = std::size_t{64} << 20;
  std::vector<void*> all;
  bool is_given = true;
  while (is_given && all.size() < 64) {
    void* const one = std::malloc(piece);
    is_given = one != nullptr;
    if (is_given) all.push_back(one);
  }
  for (void* const one : all) std::free(one);
  return is_given;
}

void* open(void* call, text path, text) {
  if (std::string_view(path.data, path.size).ends_with("endless.h5")) {
    volatile std::uint64_t count = 0;
    for (;;) count = count + 1;
  }
  return can_hoard() ? fail(call, perdure::errc::io, "4 GiB of memory are given")
                     : fail(call, perdure::errc::out_of_memory, "no memory");
}

constexpr format_table functions{table_version, open, nullptr, nullptr, nullptr, nullptr, nullptr};

}  // namespace

extern "C" [[gnu::visibility("default")]] const format_table* perdure_format_module(
    const program_table* given) {
  program = given;
  return &functions;
}
