// Heat in a plate, by the ranks of an MPI program: each has some rows, and the field goes on from its last
// checkpoint after any rank was killed, on any number of ranks.
//
//   mpirun -n 4 heat_mpi plate.set 400          400 steps, with a checkpoint every 20
//   mpirun -n 4 heat_mpi plate.set 400 130      the same, but the last rank is killed in step 130
//
// It says which step it begins with and, at the end, a digest of the field. A cell is computed from its
// neighbours by the same operations wherever it is, so the digest is the same however often, and on however
// many ranks, it ran.
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <perdure/mpi.hpp>
#include <vector>

namespace {

constexpr std::uint64_t rows = 120;
constexpr std::uint64_t columns = 160;
constexpr int steps_between_checkpoints = 20;

// The rows of a rank: as equal shares as can be, the larger ones first, as perdure::mpi::repartition divides
// them.
std::uint64_t first_row(int rank, int ranks) {
  const auto share = static_cast<std::uint64_t>(ranks);
  const auto before = static_cast<std::uint64_t>(rank);
  return rows / share * before + std::min(rows % share, before);
}

// A hot corner, and a cold plate.
double initial(std::uint64_t row, std::uint64_t column) {
  return row < 20 && column < 30 ? 100.0 : 20.0;
}

/// Some rows of the plate, with one more at either end that are the neighbours'.
class strip {
 public:
  strip(int rank, int ranks)
      : rank_(rank),
        ranks_(ranks),
        first_(first_row(rank, ranks)),
        count_(first_row(rank + 1, ranks) - first_) {
    now_.resize((count_ + 2) * columns);
    next_.resize(now_.size());
    for (std::uint64_t i = 0; i < count_; ++i)
      for (std::uint64_t j = 0; j < columns; ++j) now_[(i + 1) * columns + j] = initial(first_ + i, j);
  }

  double* cells() { return now_.data() + columns; }
  perdure::extents offset() const { return {first_, 0}; }
  perdure::extents count() const { return {count_, columns}; }

  void step() {
    const int length = static_cast<int>(columns);
    const int above = rank_ == 0 ? MPI_PROC_NULL : rank_ - 1;
    const int below = rank_ == ranks_ - 1 ? MPI_PROC_NULL : rank_ + 1;
    double* const last = now_.data() + count_ * columns;
    MPI_Sendrecv(cells(), length, MPI_DOUBLE, above, 0, last + columns, length, MPI_DOUBLE, below, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(last, length, MPI_DOUBLE, below, 1, now_.data(), length, MPI_DOUBLE, above, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    next_ = now_;
    for (std::uint64_t i = 0; i < count_; ++i) {
      const std::uint64_t row = first_ + i;
      if (row == 0 || row == rows - 1) continue;  // edges keep their temperature
      for (std::uint64_t j = 1; j + 1 < columns; ++j) {
        const std::uint64_t at = (i + 1) * columns + j;
        const double around = now_[at - columns] + now_[at + columns] + now_[at - 1] + now_[at + 1];
        next_[at] = now_[at] + 0.2 * (around - 4.0 * now_[at]);
      }
    }
    now_.swap(next_);
  }

 private:
  int rank_;
  int ranks_;
  std::uint64_t first_;
  std::uint64_t count_;
  std::vector<double> now_;
  std::vector<double> next_;
};

std::uint64_t digest_of(const std::vector<double>& field) {
  std::uint64_t digest = 14695981039346656037u;
  for (const double cell : field) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &cell, sizeof bits);
    digest = (digest ^ bits) * 1099511628211u;
  }
  return digest;
}

// A set of another number of parts than there are ranks is divided anew.
void fit_to_ranks(const std::filesystem::path& path, int ranks) {
  if (!std::filesystem::exists(path / "manifest")) return;
  const std::uint32_t parts = perdure::mpi::manager(perdure::open_read_only, MPI_COMM_WORLD, path).parts();
  if (parts != static_cast<std::uint32_t>(ranks)) perdure::mpi::repartition(MPI_COMM_WORLD, path);
}

void run(const std::filesystem::path& path, int last_step, int killed_in) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  fit_to_ranks(path, ranks);

  perdure::mpi::array_store plate(perdure::open_or_create, MPI_COMM_WORLD, path);
  strip mine(rank, ranks);
  int step = 0;
  if (plate.contains("temperature")) {
    step = plate.load<int>("step");
    plate.array("temperature")
        .read({mine.offset(), mine.count(), {}}, perdure::array_view<double, 2>(mine.cells(), mine.count()));
  } else {
    plate.create<double>("temperature", {rows, columns});
  }
  if (rank == 0) std::cout << "on " << ranks << " ranks from step " << step << std::endl;

  while (step < last_step) {
    mine.step();
    ++step;
    if (step == killed_in && rank == ranks - 1) std::raise(SIGKILL);
    if (step % steps_between_checkpoints != 0 && step != last_step) continue;
    plate.store("temperature", perdure::array_view<const double, 2>(mine.cells(), mine.count()),
                mine.offset());
    if (rank == 0) plate.store("step", step);
    plate.checkpoint();
  }
  if (rank == 0) {
    std::cout << "step " << step << ", digest " << std::hex
              << digest_of(plate.load<std::vector<double>>("temperature")) << std::dec << std::endl;
  }
  plate.close();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 1;
  if (argc < 3) {
    std::cerr << "usage: heat_mpi SET STEPS [STEP_IN_WHICH_A_RANK_IS_KILLED]\n";
  } else {
    try {
      run(argv[1], std::atoi(argv[2]), argc > 3 ? std::atoi(argv[3]) : 0);
      status = 0;
    } catch (const std::exception& failure) {
      // Others may wait for this rank's rows.
      std::cerr << "heat_mpi: " << failure.what() << std::endl;
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
  MPI_Finalize();
  return status;
}
