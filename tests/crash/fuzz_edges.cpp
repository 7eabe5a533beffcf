// Fuzzing of the edge-list readers: text, pairs of numbers, and both compressed (gzip, zstd, xz). Any bytes
// are read to their end or refused with one of the library's errors.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <perdure/error.hpp>
#include <perdure/graph/edge_list.hpp>
#include <stdexcept>
#include <string>

#include "crash/fuzz_script.hpp"
#include "workload/compressed.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using namespace perdure;

/// A file in memory, open under a path.
class memory_file {
 public:
  explicit memory_file(std::string_view bytes) : descriptor_(::memfd_create("edges", MFD_CLOEXEC)) {
    if (descriptor_ < 0 ||
        ::pwrite(descriptor_, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
      throw std::runtime_error("no file in memory");
  }
  ~memory_file() { ::close(descriptor_); }
  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

std::string compressed(std::string_view bytes, unsigned format) {
  switch (format % 3) {
    case 0:
      return test::gzip(bytes, 1);
    case 1:
      return test::zstd(bytes, 1);
    default:
      return test::xz(bytes, 0);
  }
}

/// Pieces of which edge lists, sound and unsound, are made: bytes of the script choose among them.
std::string text_of(crash::fuzz_script& script) {
  static constexpr const char* pieces[] = {"1",
                                           "2",
                                           "18446744073709551615",
                                           "18446744073709551616",
                                           "007",
                                           " ",
                                           "\t",
                                           ",",
                                           "\n",
                                           "\r\n",
                                           "\r",
                                           "#",
                                           "%",
                                           "-1",
                                           "x",
                                           ".5",
                                           "1e308",
                                           "-",
                                           "\n\n",
                                           "9",
                                           "1 2\n",
                                           "3\t4\t0.25\n",
                                           "5,6",
                                           "\f",
                                           "%%MatrixMarket\n",
                                           "\xef\xbb\xbf"};
  std::string text;
  while (!script.at_end()) {
    const std::uint8_t chosen = script.byte();
    if (chosen < std::size(pieces) * 8) {
      text += pieces[chosen / 8];
    } else if (chosen == 255) {
      // A long line, or many: readers work in blocks.
      text += std::string(std::size_t{1} << (script.byte() % 22), script.byte() % 2 == 0 ? '7' : '\n');
    } else {
      text += static_cast<char>(script.byte());
    }
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  crash::fuzz_script script({data, size});
  const std::uint8_t how = script.byte();
  graph::edge_list_options options;
  options.format = how % 2 == 0 ? graph::edge_list_format::text : graph::edge_list_format::binary;
  options.skip_bad_lines = (how & 2) != 0;
  options.keep_values = (how & 4) != 0;
  std::string bytes =
      (how & 8) != 0 ? text_of(script) : std::string(script.rest().begin(), script.rest().end());
  if ((how & 16) != 0) {
    const std::size_t harm = (how & 32) != 0 ? bytes.size() % 97 : 0;
    const auto format = static_cast<unsigned>(size);
    bytes = compressed(bytes, format);
    // Damage to what is compressed, and bytes behind it.
    if (harm != 0) bytes[harm % bytes.size()] = static_cast<char>(bytes[harm % bytes.size()] + 1);
    if ((how & 64) != 0) bytes += compressed("1 2\n", format);
    if ((how & 128) != 0) bytes.resize(bytes.size() * 3 / 4);
  }
  const memory_file file(bytes);
  try {
    const auto source = graph::open_edge_list(file.path(), options);
    graph::edge_batch batch;
    while (source->next(batch)) {
      if (options.keep_values && options.format == graph::edge_list_format::text &&
          batch.values.size() != batch.edges.size())
        throw std::logic_error("values and edges differ in number");
    }
  } catch (const error&) {
  } catch (const std::bad_alloc&) {
  }
  return 0;
}
