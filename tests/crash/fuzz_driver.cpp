// Feeds a fuzz target inputs of its own making, the same for the same seed with any compiler.
//
//   fuzz_NAME [--runs N] [--first N] [--seed N] [--longest N]
//   fuzz_NAME --test N    N runs; twenty times as many where PERDURE_LONG_TESTS is set
//   fuzz_NAME FILE...     inputs from files, as libFuzzer leaves them
//
// A run that ends the process is named, and written to a file in the working directory.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "crash/scratch.hpp"
#include "support/random_stream.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using namespace perdure::crash;
using perdure::random_stream;
using perdure::scratch_directory;

constexpr unsigned patience_s = 120;  // for one input

struct settings {
  std::uint64_t runs = 10000;
  std::uint64_t first = 0;
  std::uint64_t seed = 1;
  std::uint64_t longest = 160;
  std::vector<std::string> files;
};

std::vector<std::uint8_t> input_of(const settings& wanted, std::uint64_t number) {
  random_stream random(wanted.seed, number);
  // Short ones most often: with many changes the first that is refused hides the others.
  const std::uint64_t longest =
      random.one_in(3) ? wanted.longest : std::min<std::uint64_t>(wanted.longest, 24);
  std::vector<std::uint8_t> bytes(1 + random.below(longest));
  for (std::uint8_t& one : bytes) one = static_cast<std::uint8_t>(random.next() >> 24);
  return bytes;
}

std::vector<std::uint8_t> input_from(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

settings parse(int argc, char** argv) {
  settings wanted;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const auto number = [&] { return i + 1 < argc ? std::strtoull(argv[++i], nullptr, 10) : 0; };
    if (name == "--runs")
      wanted.runs = number();
    else if (name == "--first")
      wanted.first = number();
    else if (name == "--seed")
      wanted.seed = number();
    else if (name == "--longest")
      wanted.longest = std::max<std::uint64_t>(1, number());
    else if (name == "--test")
      wanted.runs = number() * (thorough_tests_wanted() ? 20 : 1);
    else if (name.starts_with("--")) {
      std::fprintf(stderr, "%s: unknown option %s\n", argv[0], name.c_str());
      std::exit(2);
    } else
      wanted.files.push_back(name);
  }
  if (!wanted.files.empty()) wanted.runs = wanted.files.size();
  return wanted;
}

std::vector<std::uint8_t> input(const settings& wanted, std::uint64_t number) {
  return wanted.files.empty() ? input_of(wanted, number) : input_from(wanted.files[number]);
}

int run_all(const settings& wanted, std::atomic<std::uint64_t>& at_work) {
  for (std::uint64_t i = 0; i < wanted.runs; ++i) {
    at_work = wanted.first + i;
    const std::vector<std::uint8_t> bytes = input(wanted, at_work);
    ::alarm(patience_s);
    try {
      LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    } catch (const std::exception& failure) {
      std::fprintf(stderr, "not an error of the library's: %s\n", failure.what());
      return 1;
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const settings wanted = parse(argc, argv);
  void* shared =
      ::mmap(nullptr, sizeof(std::uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  auto& at_work = *new (shared) std::atomic<std::uint64_t>{0};
  // Made here, since a child that dies leaves things lying about.
  const scratch_directory here(place_for_rigs());
  ::setenv("PERDURE_CRASH_DIR", here.directory().c_str(), 1);
  const pid_t child = ::fork();
  // Through exit, so that what targets keep in files goes too.
  if (child == 0) std::exit(run_all(wanted, at_work));
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return 1;
  if (status == 0) {
    std::printf("%llu runs, 0 failures\n", static_cast<unsigned long long>(wanted.runs));
    return 0;
  }
  const std::uint64_t number = at_work;
  std::fprintf(stderr, "VIOLATION: run %llu of seed %llu %s (%d)\n", static_cast<unsigned long long>(number),
               static_cast<unsigned long long>(wanted.seed),
               WIFSIGNALED(status) ? "ended by a signal" : "failed",
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  if (wanted.files.empty()) {
    const std::string name = "failing-input-" + std::to_string(number);
    const std::vector<std::uint8_t> bytes = input(wanted, number);
    std::ofstream(name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    std::fprintf(stderr, "written to %s\n", name.c_str());
  }
  return 1;
}
