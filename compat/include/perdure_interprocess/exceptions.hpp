// Boost's exceptions, and the one that says what went wrong with a store.
//
// They are Boost's own types, so one handler also catches what Boost's locks and containers throw.
#pragma once

#include <boost/interprocess/exceptions.hpp>
#include <perdure/error.hpp>
#include <perdure_interprocess/errors.hpp>

namespace perdure_interprocess {

using boost::interprocess::bad_alloc;
using boost::interprocess::interprocess_exception;
using boost::interprocess::lock_exception;

/// The nearest of Boost's codes.
constexpr error_code_t error_code_of(perdure::errc code) noexcept {
  switch (code) {
    case perdure::errc::ok:
      return no_error;
    case perdure::errc::not_found:
      return not_found_error;
    case perdure::errc::already_exists:
      return already_exists_error;
    case perdure::errc::not_a_store:
      return path_error;
    case perdure::errc::damaged:
      return corrupted_error;
    case perdure::errc::in_use:
    case perdure::errc::address_taken:
      return busy_error;
    case perdure::errc::permission_denied:
      return security_error;
    case perdure::errc::read_only:
      return read_only_error;
    case perdure::errc::no_space:
      return out_of_space_error;
    case perdure::errc::out_of_capacity:
    case perdure::errc::out_of_memory:
      return out_of_memory_error;
    case perdure::errc::invalid_argument:
      return invalid_argument;
    case perdure::errc::io:
      return io_error;
    default:
      return other_error;
  }
}

/// Every failure of a store but `bad_alloc` is thrown as this. `what` is a sentence a person can act on.
class store_exception : public interprocess_exception {
 public:
  explicit store_exception(const perdure::error& failure)
      : interprocess_exception(error_info(error_code_of(failure.code())), failure.what()),
        reason_(failure.code()) {}

  /// Finer than `get_error_code`.
  perdure::errc reason() const noexcept { return reason_; }

 private:
  perdure::errc reason_;
};

}  // namespace perdure_interprocess
