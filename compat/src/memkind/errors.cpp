// Error codes as sentences, and the version that is imitated.
#include <cstdio>

#include "memkind_1_0.h"

namespace {

// The kernel's limit.
constexpr int largest_errno = 4095;

const char* sentence_of(int code) {
  switch (code) {
    case MEMKIND_SUCCESS:
      return "success";
    case MEMKIND_ERROR_UNAVAILABLE:
      return "this machine has no memory of that kind";
    case MEMKIND_ERROR_MBIND:
      return "mbind failed";
    case MEMKIND_ERROR_MMAP:
      return "mmap failed";
    case MEMKIND_ERROR_MALLOC:
      return "there is no memory left";
    case MEMKIND_ERROR_ENVIRON:
      return "a MEMKIND_* environment variable has no sound value";
    case MEMKIND_ERROR_INVALID:
      return "an argument is invalid";
    case MEMKIND_ERROR_REPNAME:
      return "there is a kind of that name already";
    case MEMKIND_ERROR_TOOMANY:
      return "there are too many kinds";
    case MEMKIND_ERROR_BADOPS:
      return "the table of operations is missing or incomplete";
    case MEMKIND_ERROR_HUGETLB:
      return "there are no huge pages of that size";
    case MEMKIND_ERROR_MEMTYPE_NOT_AVAILABLE:
      return "this machine has no memory of that type";
    case MEMKIND_ERROR_OPERATION_FAILED:
      return "the operation failed";
    case MEMKIND_ERROR_ARENAS_CREATE:
      return "no arena could be made";
    case MEMKIND_ERROR_RUNTIME:
      return "unspecified error";
    default:
      return nullptr;
  }
}

}  // namespace

extern "C" {

void memkind_error_message(int err, char* msg, size_t size) {
  if (msg == nullptr || size == 0) return;
  // Programs know a message of memkind's by how it begins, and an unknown number by the words before it.
  if (const char* const sentence = sentence_of(err)) {
    std::snprintf(msg, size, "<memkind> %s", sentence);
  } else if (err > 0 && err <= largest_errno) {
    std::snprintf(msg, size, "<memkind> error number %d of the C library", err);
  } else {
    std::snprintf(msg, size, "<memkind> Undefined error number: %d", err);
  }
}

int memkind_get_version(void) {
  return 1 * 1000000 + 14 * 1000;
}

}  // extern "C"
