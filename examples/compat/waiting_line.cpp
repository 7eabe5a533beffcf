// A waiting line of the program's own nodes: each run lets in the first who waits, then lines up those who
// came.
#include <iostream>
#include <string>

#include "store_library.hpp"

using namespace store_library;

struct person {
  person(const std::string& called, const allocator<char>& memory) : name(called.c_str(), memory) {}

  text name;
  offset_ptr<person> next;
};

struct waiting_line {
  offset_ptr<person> first;
  offset_ptr<person> last;
};

int main() {
  store file = open_or_create("line.store");
  waiting_line& line = *file.find_or_construct<waiting_line>("line")();

  if (line.first) {
    const offset_ptr<person> admitted = line.first;
    std::cout << admitted->name << " is let in.";
    line.first = admitted->next;
    file.destroy_ptr(&*admitted);
  } else {
    std::cout << "Nobody waits.";
  }

  for (std::string name; std::cin >> name;) {
    const offset_ptr<person> comer =
        file.construct<person>(anonymous_instance)(name, file.get_allocator<char>());
    (line.first ? line.last->next : line.first) = comer;
    line.last = comer;
  }

  std::cout << " Waiting:";
  for (offset_ptr<person> one = line.first; one; one = one->next) std::cout << ' ' << one->name;
  std::cout << '\n';
}
