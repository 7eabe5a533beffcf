// A program as it is written for Boost.Interprocess: an index from words to the places where they occur. It
// is compiled for Boost.Interprocess and for Perdure, and tells what each step costs.
//
//     bench_migration_boost build|scan|remove PATH WORDS
#include <fcntl.h>
#include <unistd.h>

#include <boost/container/scoped_allocator.hpp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

#include "measure.hpp"

#ifdef FOR_BOOST_INTERPROCESS
#include <boost/interprocess/containers/map.hpp>
#include <boost/interprocess/containers/string.hpp>
#include <boost/interprocess/containers/vector.hpp>
#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/managed_mapped_file.hpp>
namespace bip = boost::interprocess;
#else
#include <perdure_interprocess/containers/map.hpp>
#include <perdure_interprocess/containers/string.hpp>
#include <perdure_interprocess/containers/vector.hpp>
#include <perdure_interprocess/file_mapping.hpp>
#include <perdure_interprocess/managed_mapped_file.hpp>
namespace bip = perdure_interprocess;
#endif

namespace {

using file = bip::managed_mapped_file;
template <class T>
using stored = boost::container::scoped_allocator_adaptor<bip::allocator<T, file::segment_manager>>;
using text = bip::basic_string<char, std::char_traits<char>, stored<char>>;
using places = bip::vector<std::uint32_t, stored<std::uint32_t>>;
using index_type = bip::map<text, places, std::less<text>, stored<std::pair<const text, places>>>;

/// Words as they come in texts: few of them often.
class word_source {
 public:
  std::string next() {
    const std::uint64_t drawn = random_();
    return "a common part of words/" + std::to_string((drawn >> 32U) % (1 + drawn % 100'000));
  }

 private:
  std::mt19937_64 random_{7};
};

void tell(const char* step, const perdure::bench::stopwatch& watch, const char* separator) {
  std::printf("\"%s\": {\"wall\": %.9f, \"cpu\": %.9f}%s", step, watch.wall(), watch.cpu(), separator);
}

/// Boost's flush only asks the kernel to write its file; Perdure's, of a directory, returns when all is on
/// the device.
void wait_for_device(const char* path) {
  if (std::filesystem::is_directory(path)) return;
  const int descriptor = ::open(path, O_RDONLY | O_CLOEXEC);
  const bool synced = descriptor >= 0 && ::fsync(descriptor) == 0;
  if (descriptor >= 0) ::close(descriptor);
  if (!synced) throw std::runtime_error("the file cannot be synced");
}

void build(const char* path, std::uint32_t words) {
  // Boost takes the size from the disk, sparse; a word takes less than this in either library.
  const std::size_t capacity = (std::size_t{64} << 20U) + std::size_t{words} * 64;
  const perdure::bench::stopwatch building;
  std::optional<file> store(std::in_place, bip::create_only, path, capacity);
  index_type& index = *store->construct<index_type>("index")(store->get_allocator<text>());
  word_source source;
  for (std::uint32_t place = 0; place < words; ++place)
    index[text(source.next().c_str(), index.get_allocator())].push_back(place);
  std::printf("{");
  tell("build", building, ", ");
  const perdure::bench::stopwatch flushing;
  if (!store->flush()) throw std::runtime_error("the flush failed");
  wait_for_device(path);
  tell("flush", flushing, ", ");
  const perdure::bench::stopwatch closing;
  store.reset();
  tell("close", closing, "}\n");
}

void scan(const char* path, std::uint32_t words) {
  const perdure::bench::stopwatch opening;
  file store(bip::open_only, path);
  const index_type* const index = store.find<index_type>("index").first;
  if (index == nullptr) throw std::runtime_error("there is no index");
  std::printf("{");
  tell("open", opening, ", ");
  const perdure::bench::stopwatch scanning;
  std::uint64_t found = 0;
  std::uint64_t sum = 0;
  for (const auto& [word, at] : *index) {
    found += at.size();
    for (const std::uint32_t place : at) sum += place;
  }
  tell("scan", scanning, "}\n");
  if (found != words || sum != std::uint64_t{words} * (words - 1) / 2)
    throw std::runtime_error("the index is not what was built");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string step = argc == 4 ? argv[1] : "";
  try {
    const auto words = argc == 4 ? static_cast<std::uint32_t>(std::stoul(argv[3])) : 0;
    if (step == "build") {
      bip::file_mapping::remove(argv[2]);
      build(argv[2], words);
    } else if (step == "scan") {
      scan(argv[2], words);
    } else if (step == "remove") {
      bip::file_mapping::remove(argv[2]);
      std::puts("{}");
    } else {
      std::fputs("usage: bench_migration_... build|scan|remove PATH WORDS\n", stderr);
      return 2;
    }
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "bench_migration: %s\n", failure.what());
    return 1;
  }
  return 0;
}
