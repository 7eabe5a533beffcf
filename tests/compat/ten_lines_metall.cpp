#include <iostream>
#include <metall/container/vector.hpp>
#include <metall/metall.hpp>
int main() {
  metall::manager store(metall::create_only, "numbers.store");
  using numbers = metall::container::vector<int>;
  numbers& some = *store.construct<numbers>("some")(store.get_allocator<int>());
  some.push_back(1);
  std::cout << some.size() << '\n';
}
