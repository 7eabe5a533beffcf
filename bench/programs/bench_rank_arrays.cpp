// Arrays written by the ranks of an MPI program, each its block, and read again: by the same blocks, by
// another number of ranks, and in another decomposition. One kind of file a run, so that runs can take turns.
// It is started on as many ranks as any of these needs; those that have nothing to do sleep.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "measure.hpp"
#include "peers/plain_transfers.hpp"
#include "rank_array_files.hpp"

namespace perdure::bench {

int rank_in(MPI_Comm ranks) {
  int rank = 0;
  MPI_Comm_rank(ranks, &rank);
  return rank;
}

void sync_as_rank_0(MPI_Comm ranks, const std::filesystem::path& path) {
  if (rank_in(ranks) == 0) sync_file(path);
  MPI_Barrier(ranks);
}

namespace {

/// Kinds that this build has, and the packages that it lacked for others.
struct known_kinds {
  std::vector<rank_array_file_kind> there;
  std::vector<std::pair<std::string, std::string>> absent;
};

const known_kinds& all_kinds() {
  static const known_kinds all = [] {
    known_kinds known;
    const auto add = [&](const std::vector<rank_array_file_kind>& more) {
      known.there.insert(known.there.end(), more.begin(), more.end());
    };
    add(own_rank_array_files());
    add(plain_rank_array_files());
#ifdef WITH_HDF5
    add(hdf5_rank_array_files());
#else
    known.absent.emplace_back("hdf5", "libhdf5-openmpi-dev");
#endif
#ifdef WITH_NETCDF
    add(netcdf_rank_array_files());
#else
    known.absent.emplace_back("netcdf-4", "libnetcdf-mpi-dev");
#endif
#ifdef WITH_PNETCDF
    add(pnetcdf_rank_array_files());
#else
    known.absent.emplace_back("pnetcdf", "libpnetcdf-dev");
#endif
#ifdef WITH_ADIOS
    add(adios_rank_array_files());
#else
    known.absent.emplace_back("adios1", "libadios-openmpi-dev");
#endif
    return known;
  }();
  return all;
}

struct wanted {
  std::string kind = "perdure";
  std::filesystem::path directory = ".";
  std::size_t arrays = 10;
  std::size_t mebibytes = 2048;
  int ranks = 2;
};

/// Rows of 4 KiB, planes of 1 MiB (smaller where all is small), as many planes as there is room for;
/// divisible by four, so that blocks of all ranks are of one size.
box_extent dims_of(const wanted& w) {
  const std::size_t elements = w.mebibytes * 1024 * 1024 / sizeof(double) / w.arrays;
  const box_extent plane = elements < std::size_t{1} << 21 ? box_extent{0, 32, 64} : box_extent{0, 256, 512};
  const std::size_t planes = elements / (plane[1] * plane[2]) / 4 * 4;
  return {std::max<std::size_t>(planes, 4), plane[1], plane[2]};
}

box_extent grid_of(int ranks) {
  int grid[3] = {};
  MPI_Dims_create(ranks, 3, grid);
  return {static_cast<std::size_t>(grid[0]), static_cast<std::size_t>(grid[1]),
          static_cast<std::size_t>(grid[2])};
}

/// Of full entropy, between 1 and 2, another for each element.
double value_of(std::uint64_t number) {
  std::uint64_t bits = (number + 1) * 0x9e3779b97f4a7c15;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  bits ^= bits >> 31;
  bits = (bits >> 12) | 0x3ff0000000000000;
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// Calls `row(number, at)` for each row of a part of an array: the number of its first element, and where
/// that is in the part.
template <class Row>
void for_rows(const box_extent& dims, std::size_t array, const box& part, Row&& row) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < part.count[0]; ++i)
    for (std::size_t j = 0; j < part.count[1]; ++j, at += part.count[2])
      row(((array * dims[0] + part.offset[0] + i) * dims[1] + part.offset[1] + j) * dims[2] + part.offset[2],
          at);
}

/// Waits for all ranks without taking a processor from them.
void meet(MPI_Comm ranks) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(ranks, &request);
  for (int is_done = 0;;) {
    MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    if (is_done != 0) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// Ranks at the beginning of the world, and what this one of them has in memory.
class worker {
 public:
  worker(const wanted& w, const rank_array_file_kind& kind)
      : wanted_(w), kind_(kind), path_(w.directory / ("rank_arrays." + kind.name)) {
    shape_ = {w.arrays, dims_of(w), grid_of(w.ranks)};
    if (rank_in(MPI_COMM_WORLD) == 0) remove();
  }

  std::size_t bytes() const { return shape_.arrays * box{{}, shape_.dims}.elements() * sizeof(double); }

  double write() {
    return by_ranks(wanted_.ranks, [&](MPI_Comm ranks, const auto& timed) {
      const box block = block_of(shape_.dims, shape_.grid, static_cast<std::size_t>(rank_in(ranks)));
      values_.resize(shape_.arrays * block.elements());
      for (std::size_t array = 0; array < shape_.arrays; ++array) {
        double* const to = values_.data() + array * block.elements();
        for_rows(shape_.dims, array, block, [&](std::size_t number, std::size_t at) {
          for (std::size_t k = 0; k < block.count[2]; ++k) to[at + k] = value_of(number + k);
        });
      }
      if (rank_in(ranks) == 0) warm_up();
      return timed([&] {
        const auto file = kind_.create(ranks, path_, shape_);
        for (std::size_t array = 0; array < shape_.arrays; ++array)
          file->write(array, values_.data() + array * block.elements());
        file->close();
      });
    });
  }

  /// By so many ranks, of which each reads its block of the arrays; or, if `along_rows`, every so many of as
  /// many pieces along the last dimension, two at least.
  double read(int by, bool along_rows) {
    return by_ranks(by, [&](MPI_Comm ranks, const auto& timed) {
      const auto rank = static_cast<std::size_t>(rank_in(ranks));
      const auto count = static_cast<std::size_t>(by);
      std::vector<box> parts;
      const std::size_t pieces = std::max<std::size_t>(count, 2);
      for (std::size_t i = rank; along_rows && i < pieces; i += count)
        parts.push_back(part_of(shape_.dims, 2, i, pieces));
      if (!along_rows) parts.push_back(block_of(shape_.dims, grid_of(by), rank));
      // Nothing of what was there before may be taken for what was read; and the memory is touched.
      std::size_t all = 0;
      for (const box& part : parts) all += shape_.arrays * part.elements();
      values_.resize(all);
      std::fill(values_.begin(), values_.end(), 0.0);
      const double seconds = timed([&] {
        const auto file = kind_.open(ranks, path_, shape_);
        double* to = values_.data();
        for (std::size_t array = 0; array < shape_.arrays; ++array)
          for (const box& part : parts) {
            file->read(array, part, to);
            to += part.elements();
          }
        file->close();
      });
      const double* got = values_.data();
      for (std::size_t array = 0; array < shape_.arrays; ++array)
        for (const box& part : parts) {
          std::uint64_t wrong = 0;
          for_rows(shape_.dims, array, part, [&](std::size_t number, std::size_t at) {
            for (std::size_t k = 0; k < part.count[2]; ++k)
              wrong += got[at + k] != value_of(number + k) ? 1 : 0;
          });
          if (wrong != 0)
            throw std::logic_error(kind_.name + ": " + std::to_string(wrong) +
                                   " elements were read that are not what was written");
          got += part.elements();
        }
      return seconds;
    });
  }

  /// What the ranks hold, copied by all of them to memory that they have touched.
  double copy() {
    return by_ranks(wanted_.ranks, [&](MPI_Comm, const auto& timed) {
      std::vector<double> to(values_.size());
      return timed([&] { std::memcpy(to.data(), values_.data(), to.size() * sizeof(double)); });
    });
  }

  void remove() const {
    for (const auto& entry : std::filesystem::directory_iterator(wanted_.directory))
      if (entry.path().filename().string().starts_with(path_.filename().string()))
        std::filesystem::remove_all(entry.path());
  }

 private:
  /// A file of that size is written and removed, since on a virtual machine the first touch of memory by the
  /// page cache costs several times what writing does, and would hit whoever runs first. What others have
  /// left is written too.
  void warm_up() const {
    const std::filesystem::path path = wanted_.directory / "rank_arrays.warm_up";
    const int file = ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
    if (file < 0) throw std::runtime_error("cannot make " + path.string());
    const std::vector<char> piece(std::size_t{1} << 20, 'x');
    for (std::size_t done = 0; done < bytes(); done += piece.size())
      if (::write(file, piece.data(), piece.size()) < 0)
        throw std::runtime_error("cannot write " + path.string());
    ::unlink(path.c_str());
    ::syncfs(file);
    ::close(file);
  }

  /// Calls `work(communicator, timed)` on the first `count` ranks; `timed(action)` gives how long it took
  /// from the first rank's beginning to the last one's end. The others sleep.
  template <class Work>
  static double by_ranks(int count, Work&& work) {
    const int rank = rank_in(MPI_COMM_WORLD);
    MPI_Comm ranks = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank < count ? 0 : MPI_UNDEFINED, rank, &ranks);
    double seconds = 0;
    if (ranks != MPI_COMM_NULL) {
      seconds = work(ranks, [&](const auto& action) {
        meet(ranks);
        MPI_Barrier(ranks);
        // All ranks are on one machine, and have one clock.
        double begin = wall_seconds();
        action();
        double end = wall_seconds();
        meet(ranks);
        MPI_Allreduce(MPI_IN_PLACE, &begin, 1, MPI_DOUBLE, MPI_MIN, ranks);
        MPI_Allreduce(MPI_IN_PLACE, &end, 1, MPI_DOUBLE, MPI_MAX, ranks);
        return end - begin;
      });
      MPI_Comm_free(&ranks);
    }
    meet(MPI_COMM_WORLD);
    return seconds;
  }

  wanted wanted_;
  rank_array_file_kind kind_;
  std::filesystem::path path_;
  rank_arrays_shape shape_;
  std::vector<double> values_;
};

nlohmann::json measure(const wanted& w) {
  const auto& kinds = all_kinds().there;
  const auto kind =
      std::find_if(kinds.begin(), kinds.end(), [&](const auto& one) { return one.name == w.kind; });
  if (kind == kinds.end()) throw std::runtime_error("this build has no files of kind " + w.kind);
  int there = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &there);
  const int other = w.ranks < 4 ? 2 * w.ranks : w.ranks / 2;
  if (there < std::max(w.ranks, other)) throw std::runtime_error("too few ranks: mpirun must start more");
  worker ranks(w, *kind);
  nlohmann::json result{
      {"kind", w.kind}, {"ranks", w.ranks}, {"other_ranks", other}, {"bytes", ranks.bytes()}};
  result["write_seconds"] = ranks.write();
  result["read_seconds"] = ranks.read(w.ranks, false);
  result["copy_seconds"] = ranks.copy();
  result["read_other_ranks_seconds"] = ranks.read(other, false);
  result["read_other_parts_seconds"] = ranks.read(w.ranks, true);
  if (rank_in(MPI_COMM_WORLD) == 0) ranks.remove();
  return result;
}

}  // namespace
}  // namespace perdure::bench

int main(int argc, char** argv) {
  using namespace perdure::bench;
  wanted w;
  bool list = false;
  CLI::App app("Arrays of the ranks of an MPI program, in stores and in files of others");
  app.add_option("--kind", w.kind, "What they are kept in");
  app.add_option("--directory", w.directory, "Where files are made");
  app.add_option("--arrays", w.arrays);
  app.add_option("--mebibytes", w.mebibytes, "Of all arrays together");
  app.add_option("--ranks", w.ranks, "How many of them write");
  app.add_flag("--kinds", list, "Print the kinds that there are, and what others would need");
  CLI11_PARSE(app, argc, argv);
  if (list) {
    nlohmann::json known{{"kinds", nlohmann::json::array()}, {"absent", nlohmann::json::object()}};
    for (const rank_array_file_kind& one : all_kinds().there) known["kinds"].push_back(one.name);
    for (const auto& [name, package] : all_kinds().absent) known["absent"][name] = package;
    std::cout << known.dump() << '\n';
    return 0;
  }
  MPI_Init(&argc, &argv);
  try {
    const nlohmann::json measured = measure(w);
    if (rank_in(MPI_COMM_WORLD) == 0) std::cout << measured.dump() << std::endl;
  } catch (const std::exception& failure) {
    std::cerr << "bench_rank_arrays: " << failure.what() << std::endl;
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
