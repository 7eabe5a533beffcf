// A program written for Metall: counts its runs in a store and prints the count.
#include <metall/c_api/metall.h>

#include <iostream>
#include <metall/container/vector.hpp>
#include <metall/metall.hpp>

int main(int, char** argv) {
  using numbers = metall::container::vector<int>;
  if (!metall::manager::consistent(argv[1])) metall_close(metall_create(argv[1]));
  metall::manager manager(metall::open_only, argv[1]);
  numbers* const runs = manager.find_or_construct<numbers>("runs")(manager.get_allocator());
  if (runs == nullptr) return 1;
  runs->push_back(1);
  std::cout << runs->size() << '\n';
  return 0;
}
