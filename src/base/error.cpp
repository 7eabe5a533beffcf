// The names of error codes.
#include <perdure/error.hpp>

namespace perdure {

std::string_view to_string(errc code) noexcept {
  switch (code) {
    case errc::ok:
      return "ok";
    case errc::not_found:
      return "not_found";
    case errc::already_exists:
      return "already_exists";
    case errc::not_a_store:
      return "not_a_store";
    case errc::damaged:
      return "damaged";
    case errc::too_new:
      return "too_new";
    case errc::too_old:
      return "too_old";
    case errc::incompatible:
      return "incompatible";
    case errc::in_use:
      return "in_use";
    case errc::permission_denied:
      return "permission_denied";
    case errc::read_only:
      return "read_only";
    case errc::no_space:
      return "no_space";
    case errc::out_of_capacity:
      return "out_of_capacity";
    case errc::out_of_memory:
      return "out_of_memory";
    case errc::wrong_type:
      return "wrong_type";
    case errc::invalid_argument:
      return "invalid_argument";
    case errc::bad_input:
      return "bad_input";
    case errc::address_taken:
      return "address_taken";
    case errc::io:
      return "io";
    case errc::unsupported:
      return "unsupported";
    case errc::conflict:
      return "conflict";
    case errc::undecided:
      return "undecided";
    case errc::timed_out:
      return "timed_out";
    case errc::rank_failed:
      return "rank_failed";
  }
  return "unknown";
}

}  // namespace perdure
