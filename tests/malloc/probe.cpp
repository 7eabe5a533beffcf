// Says which malloc serves it, and uses it: small, large, and more than a low limit leaves room for.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

int main() {
  using function = int (*)();
  const auto is_active = reinterpret_cast<function>(::dlsym(RTLD_DEFAULT, "perdure_malloc_is_active"));
  std::vector<void*> blocks;
  for (std::size_t bytes = 1; bytes < (std::size_t{64} << 20); bytes = bytes * 3 / 2 + 1) {
    void* const block = std::malloc(bytes);
    if (block == nullptr) return 1;
    std::memset(block, 1, bytes);
    blocks.push_back(block);
  }
  for (void* const block : blocks) std::free(block);
  void* const absurd = std::malloc(std::size_t{1} << 46);
  std::printf("%s, absurd size %s\n",
              is_active == nullptr ? "not loaded"
              : is_active() != 0   ? "heap"
                                   : "C library",
              absurd == nullptr ? "refused" : "given");
  std::free(absurd);
  return 0;
}
