#include "crash/block/failing_write_back.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace perdure::crash {

namespace {

// Clean pages leave memory that is mapped from the file, as they do when memory is short.
void page_out_mappings(ino_t file) {
  std::ifstream maps("/proc/self/maps");
  for (std::string text; std::getline(maps, text);) {
    unsigned long begin = 0;
    unsigned long end = 0;
    unsigned long identity = 0;
    if (std::sscanf(text.c_str(), "%lx-%lx %*s %*x %*s %lu", &begin, &end, &identity) != 3) continue;
    if (identity == file) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_PAGEOUT);
  }
}

}  // namespace

failing_write_back::failing_write_back(real_disk& disk, std::uint64_t write) : disk_(disk), write_(write) {
  os::observe_files(this);
}

failing_write_back::~failing_write_back() {
  os::observe_files(nullptr);
}

void failing_write_back::after(const os::file_call& call, std::int64_t, int) {
  if (call.operation != os::file_operation::write || writes_++ != write_) return;
  struct stat status;
  if (::fstat(call.descriptor, &status) != 0) return;
  struck_ = true;
  constexpr unsigned all = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
  // The program's own descriptor must be the one to hear of the failure.
  const std::string link = "/proc/self/fd/" + std::to_string(call.descriptor);
  const int own = ::open(link.c_str(), O_RDWR | O_CLOEXEC);
  disk_.refuse_writes(true);
  // Data only: the file system's own records go on.
  ::sync_file_range(own, 0, 0, all);
  disk_.refuse_writes(false);
  page_out_mappings(status.st_ino);
  ::posix_fadvise(own, 0, 0, POSIX_FADV_DONTNEED);
  ::close(own);
}

}  // namespace perdure::crash
