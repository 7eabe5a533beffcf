// Functions by which programs for Metall ask about the system's memory.
#pragma once

#include <sys/types.h>
#include <unistd.h>

namespace metall::mtlldetail {

inline ssize_t get_page_size() noexcept {
  return ::sysconf(_SC_PAGE_SIZE);
}

}  // namespace metall::mtlldetail
