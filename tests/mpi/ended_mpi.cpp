// A set of stores that is still open when MPI has ended: an error on each rank, and no crash.
#include <mpi.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <perdure/mpi.hpp>
#include <string>
#include <thread>

#include "support/scratch_directory.hpp"
#include "support/small_store.hpp"

namespace {

int failed = 0;
int losses = 0;

void expect(bool holds, const std::string& what) {
  if (holds) return;
  std::cerr << "ended_mpi: " << what << std::endl;
  failed = 1;
}

template <class Action>
void expect_refused(const std::string& what, Action&& action) {
  try {
    action();
    expect(false, what + " does not throw");
  } catch (const perdure::error& failure) {
    expect(failure.code() == perdure::errc::invalid_argument, what + ": another code");
    expect(std::string(failure.what()).find("MPI_Finalize") != std::string::npos,
           what + ": " + failure.what());
  }
}

// By files, as there is no MPI any more: rank 0 removes the directory at its end.
void wait_for_all(const std::string& path, int rank, int ranks) {
  const auto file_of = [&](int of) { return path + ".rank" + std::to_string(of); };
  std::ofstream(file_of(rank)) << "done";
  for (int other = 0; other < ranks && rank == 0; ++other)
    while (!std::filesystem::exists(file_of(other)))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::unique_ptr<perdure::scratch_directory> scratch;
  std::array<char, 256> name{};
  if (rank == 0) {
    scratch = std::make_unique<perdure::scratch_directory>(perdure::fast_directory());
    scratch->path().string().copy(name.data(), name.size() - 1);
  }
  MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
  perdure::mpi::options wanted;
  wanted.store = perdure::small_store();
  using perdure::mpi::array_store;
  const std::string path = name.data();
  auto fields = std::make_unique<array_store>(perdure::create_only, MPI_COMM_WORLD, path, wanted);
  fields->create<int>("steps", {10});
  fields->checkpoint("made");
  fields->array("steps").set_attribute("units", std::string("s"));
  auto unused = std::make_unique<array_store>(perdure::create_only, MPI_COMM_WORLD, path + ".unused", wanted);
  auto discarded =
      std::make_unique<array_store>(perdure::create_only, MPI_COMM_WORLD, path + ".discarded", wanted);
  MPI_Finalize();

  expect_refused("checkpoint", [&] { fields->checkpoint(); });
  expect_refused("a second one", [&] { fields->checkpoint(); });
  expect_refused("snapshot", [&] { fields->snapshot(path + ".copy"); });
  expect_refused("close", [&] { fields->close(); });
  fields.reset();
  expect_refused("close at once", [&] { unused->close(); });
  // Its destructor reports that what was changed is lost.
  perdure::set_close_failure_handler([](const std::filesystem::path&, const char*) { ++losses; });
  unused.reset();
  expect(losses == 1, "a destructor's failure is not reported");
  discarded->discard();
  discarded.reset();
  expect_refused("open", [&] { array_store(perdure::open_only, MPI_COMM_WORLD, path, wanted); });
  wait_for_all(path, rank, ranks);
  return failed;
}
