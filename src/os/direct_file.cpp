// Opens files once more that are open already: with flags of their own, and past the page cache.
#include "os/direct_file.hpp"

#include <fcntl.h>

#include <cstddef>
#include <cstdlib>
#include <memory>

#include "base/page_size.hpp"

namespace perdure::os {

file reopen(const file& opened, int flags) noexcept {
  const std::string link = "/proc/self/fd/" + std::to_string(opened.descriptor());
  return file(::open(link.c_str(), flags | O_CLOEXEC), opened.path());
}

file open_direct(const file& opened, int flags) noexcept {
  file direct = reopen(opened, flags | O_DIRECT);
  if (!direct) return {};
  const std::unique_ptr<void, decltype(&std::free)> probe(std::aligned_alloc(page_size, page_size),
                                                          &std::free);
  if (probe == nullptr || read_once(direct.descriptor(), probe.get(), page_size, 0) < 0) return {};
  return direct;
}

}  // namespace perdure::os
