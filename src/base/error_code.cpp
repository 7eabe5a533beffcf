// Which code of `errc` an errno has.
#include "base/error_code.hpp"

#include <cerrno>

namespace perdure::base {

errc code_of(const std::system_error& failure) noexcept {
  switch (failure.code().value()) {
    case ENOENT:
      return errc::not_found;
    case EEXIST:
      return errc::already_exists;
    case EACCES:
    case EPERM:
    case EROFS:
      return errc::permission_denied;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return errc::no_space;
    case ENOMEM:
      return errc::out_of_memory;
    case ELOOP:  // and ENXIO: something else than a file of the store has its name (os::file::open_in)
    case ENXIO:
      return errc::damaged;
    case ENOTSUP:
      return errc::unsupported;
    default:
      return errc::io;
  }
}

}  // namespace perdure::base
