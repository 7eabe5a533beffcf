// A counter and a vector that outlive the program: each run adds its input to what the runs before it left.
#include <iostream>
#include <perdure/perdure.hpp>
#include <string>

int main() {
  perdure::manager store(perdure::open_or_create, "hello.store");
  int& runs = *store.find_or_construct<int>("runs")(0);
  auto& lines = *store.find_or_construct<perdure::vector<perdure::string>>("lines")();

  ++runs;
  for (std::string line; std::getline(std::cin, line);) lines.emplace_back(line);

  std::cout << "run " << runs << ":";
  for (const auto& line : lines) std::cout << " [" << line << "]";
  std::cout << '\n';
  store.close();  // a checkpoint; throws if it cannot be made
}
