// A program outside the project: it counts its own runs in a store.
#include <cstdint>
#include <cstdio>
#include <perdure/manager.hpp>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  perdure::manager store(perdure::open_or_create, argv[1]);
  auto* runs = store.find_or_construct<std::uint64_t>("runs")(0U);
  std::printf("%llu\n", static_cast<unsigned long long>(++*runs));
  return 0;
}
