// Reads which mutant this process is, before anything else runs.
//   PERDURE_MUTANT=N         the number of the mistake to make
//   PERDURE_REACHED=FILE:N   a file of N bytes, in which those of the mistakes reached are set
#include "chosen_mutant.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace perdure_mutation {

int chosen = -1;
unsigned char* reached = nullptr;

namespace {

[[gnu::constructor(101)]] void read_environment() {
  if (const char* number = std::getenv("PERDURE_MUTANT")) chosen = std::atoi(number);
  const char* given = std::getenv("PERDURE_REACHED");
  if (given == nullptr) return;
  const std::string text = given;
  const auto colon = text.rfind(':');
  const int file = open(text.substr(0, colon).c_str(), O_RDWR | O_CLOEXEC);
  if (file == -1) std::abort();
  void* bytes =
      mmap(nullptr, std::stoul(text.substr(colon + 1)), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (bytes == MAP_FAILED) std::abort();
  reached = static_cast<unsigned char*>(bytes);
  close(file);
}

}  // namespace
}  // namespace perdure_mutation
