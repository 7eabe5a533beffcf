// A counter and a vector that outlive the program: each run adds its input to what the runs before it left.
#include <iostream>
#include <string>

#include "store_library.hpp"

using namespace store_library;
using lines_type = vector<text, allocator<text>>;

int main() {
  store file = open_or_create("hello.store");
  int& runs = *file.find_or_construct<int>("runs")(0);
  auto& lines = *file.find_or_construct<lines_type>("lines")(file.get_allocator<text>());

  ++runs;
  for (std::string line; std::getline(std::cin, line);) lines.emplace_back(line.c_str());

  std::cout << "run " << runs << ":";
  for (const auto& line : lines) std::cout << " [" << line << "]";
  std::cout << '\n';
}
