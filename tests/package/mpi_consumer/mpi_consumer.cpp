// A program of MPI, built against an installed Perdure. It says how often its ranks have run together.
#include <iostream>
#include <perdure/mpi.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    perdure::mpi::manager set(perdure::open_or_create, MPI_COMM_WORLD, argv[1]);
    const int runs = ++*set.local().find_or_construct<int>("runs")(0);
    if (set.rank() == 0) std::cout << runs << '\n';
  }
  MPI_Finalize();
}
