// Arrays written by threads, each its part, and read again: by the same parts, and by others. One kind of
// file a run, so that runs can take turns; or many small arrays.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "array_files.hpp"
#include "measure.hpp"

namespace perdure::bench {

const std::vector<array_file_kind>& array_file_kinds() {
  static const std::vector<array_file_kind> all = [] {
    std::vector<array_file_kind> kinds = own_array_file_kinds();
    for (const auto& more : {
             plain_array_file_kinds(),
#ifdef WITH_HDF5
             hdf5_array_file_kinds(),
#endif
#ifdef WITH_NETCDF
             netcdf_array_file_kinds(),
#endif
         })
      kinds.insert(kinds.end(), more.begin(), more.end());
    return kinds;
  }();
  return all;
}

namespace {

struct wanted {
  std::string kind = "perdure";
  std::filesystem::path directory;
  std::size_t arrays = 10;
  box_extent dims{64, 256, 512};
  unsigned threads = 1;
  std::size_t small = 0;
};

void by_threads(unsigned threads, const std::function<void(unsigned)>& work) {
  std::vector<std::jthread> others;
  for (unsigned i = 1; i < threads; ++i) others.emplace_back(work, i);
  work(0);
}

double value_at(const box_extent& dims, std::size_t i, std::size_t j, std::size_t k) {
  return static_cast<double>((i * dims[1] + j) * dims[2] + k);
}

void fill(std::vector<double>& values, const box_extent& dims, const box& part) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < part.count[0]; ++i)
    for (std::size_t j = 0; j < part.count[1]; ++j)
      for (std::size_t k = 0; k < part.count[2]; ++k)
        values[at++] = value_at(dims, part.offset[0] + i, part.offset[1] + j, part.offset[2] + k);
}

/// From before the file is opened until it is closed. Each thread reads every so many of `parts` along a
/// dimension.
double read_all(const array_file_kind& kind, const wanted& w, const std::filesystem::path& path,
                std::size_t dimension, unsigned parts) {
  std::vector<std::vector<double>> buffers(parts);
  for (unsigned i = 0; i < parts; ++i) buffers[i].resize(part_of(w.dims, dimension, i, parts).elements());
  const stopwatch watch;
  {
    const auto file = kind.open(path, w.arrays, w.dims);
    by_threads(w.threads, [&](unsigned thread) {
      for (std::size_t array = 0; array < w.arrays; ++array)
        for (unsigned i = thread; i < parts; i += w.threads)
          file->read(array, part_of(w.dims, dimension, i, parts), buffers[i].data());
    });
    file->close();
  }
  const double seconds = watch.wall();
  for (unsigned i = 0; i < parts; ++i) {
    const box part = part_of(w.dims, dimension, i, parts);
    // All arrays have the same values.
    if (buffers[i].front() != value_at(w.dims, part.offset[0], part.offset[1], part.offset[2]))
      throw std::logic_error(kind.name + " has read something else than was written");
  }
  return seconds;
}

nlohmann::json measure_large(const wanted& w) {
  const auto& kinds = array_file_kinds();
  const auto kind =
      std::find_if(kinds.begin(), kinds.end(), [&](const auto& one) { return one.name == w.kind; });
  if (kind == kinds.end()) throw std::runtime_error("this build has no files of kind " + w.kind);
  const std::filesystem::path path = w.directory / ("arrays." + w.kind);
  std::filesystem::remove_all(path);
  std::vector<std::vector<double>> buffers(w.threads);
  by_threads(w.threads, [&](unsigned thread) {
    const box part = part_of(w.dims, 0, thread, w.threads);
    buffers[thread].resize(part.elements());
    fill(buffers[thread], w.dims, part);
  });
  const stopwatch watch;
  {
    const auto file = kind->create(path, w.arrays, w.dims);
    by_threads(w.threads, [&](unsigned thread) {
      const box part = part_of(w.dims, 0, thread, w.threads);
      for (std::size_t array = 0; array < w.arrays; ++array) file->write(array, part, buffers[thread].data());
    });
    file->close();
  }
  const double write_seconds = watch.wall();
  buffers.clear();
  const double same = read_all(*kind, w, path, 0, w.threads);
  // Halves of rows, also by one thread.
  const double other = read_all(*kind, w, path, 2, 2);
  std::filesystem::remove_all(path);
  return {{"kind", w.kind},
          {"bytes", w.arrays * w.dims[0] * w.dims[1] * w.dims[2] * sizeof(double)},
          {"write_seconds", write_seconds},
          {"read_seconds", same},
          {"read_other_seconds", other}};
}

nlohmann::json measure_small(const wanted& w) {
  const std::filesystem::path path = w.directory / ("small." + w.kind);
  std::filesystem::remove_all(path);
  small_array_seconds taken;
  if (w.kind == "perdure") {
    taken = small_arrays_in_store(path, w.small);
  } else {
#ifdef WITH_HDF5
    taken = small_arrays_in_hdf5(path, w.small);
#else
    throw std::runtime_error("this build has no HDF5");
#endif
  }
  std::filesystem::remove_all(path);
  return {{"kind", w.kind},
          {"store_seconds", taken.store},
          {"open_seconds", taken.open},
          {"load_seconds", taken.load}};
}

}  // namespace
}  // namespace perdure::bench

int main(int argc, char** argv) {
  using namespace perdure::bench;
  wanted w;
  bool list = false;
  CLI::App app("Arrays in stores, files, HDF5 and NetCDF");
  app.add_option("--kind", w.kind, "perdure, pwrite, mmap, hdf5 or netcdf");
  app.add_option("--directory", w.directory, "Where files are made");
  app.add_option("--arrays", w.arrays);
  app.add_option("--dims", w.dims);
  app.add_option("--threads", w.threads);
  app.add_option("--small", w.small, "So many arrays of ten doubles instead");
  app.add_flag("--kinds", list, "Print the kinds that there are");
  CLI11_PARSE(app, argc, argv);
  if (list) {
    for (const array_file_kind& one : array_file_kinds())
      std::cout << one.name << (one.is_for_one_thread ? " 1\n" : " 2\n");
    return 0;
  }
  std::cout << (w.small != 0 ? measure_small(w) : measure_large(w)).dump() << '\n';
}
