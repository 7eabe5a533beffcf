// A program outside the project: it prints the first value of an object of a store.
#include <cstdint>
#include <iostream>
#include <perdure/inspect/contents.hpp>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const perdure::manager store(perdure::open_read_only, argv[1]);
  const perdure::inspect::object_reader reader(store, perdure::inspect::object_called(store, argv[2]));
  std::cout << std::get<std::uint64_t>(reader.values(1).at(0).held) << '\n';
}
