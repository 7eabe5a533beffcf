#include "os/direct_file.hpp"

#include <fcntl.h>

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace perdure::os {

file reopen(const file& opened, int flags) noexcept {
  const std::string link = "/proc/self/fd/" + std::to_string(opened.descriptor());
  return file(::open(link.c_str(), flags | O_CLOEXEC), opened.path());
}

file open_direct(const file& opened, int flags) noexcept {
  constexpr std::size_t page_bytes = 4096;
  file direct = reopen(opened, flags | O_DIRECT);
  if (!direct) return {};
  const std::unique_ptr<void, decltype(&std::free)> probe(std::aligned_alloc(page_bytes, page_bytes),
                                                          &std::free);
  if (probe == nullptr || read_once(direct.descriptor(), probe.get(), page_bytes, 0) < 0) return {};
  return direct;
}

}  // namespace perdure::os
