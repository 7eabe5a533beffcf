// Status codes, and the last error of each thread.
#include "perdure/c/error.h"

#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <system_error>

#include "c/boundary.hpp"

namespace perdure::c {

namespace {

constexpr perdure_status status_of(errc code) noexcept {
  return static_cast<perdure_status>(code);
}

static_assert(status_of(errc::ok) == PERDURE_OK);
static_assert(status_of(errc::not_found) == PERDURE_NOT_FOUND);
static_assert(status_of(errc::already_exists) == PERDURE_ALREADY_EXISTS);
static_assert(status_of(errc::not_a_store) == PERDURE_NOT_A_STORE);
static_assert(status_of(errc::damaged) == PERDURE_DAMAGED);
static_assert(status_of(errc::too_new) == PERDURE_TOO_NEW);
static_assert(status_of(errc::too_old) == PERDURE_TOO_OLD);
static_assert(status_of(errc::incompatible) == PERDURE_INCOMPATIBLE);
static_assert(status_of(errc::in_use) == PERDURE_IN_USE);
static_assert(status_of(errc::permission_denied) == PERDURE_PERMISSION_DENIED);
static_assert(status_of(errc::read_only) == PERDURE_READ_ONLY);
static_assert(status_of(errc::no_space) == PERDURE_NO_SPACE);
static_assert(status_of(errc::out_of_capacity) == PERDURE_OUT_OF_CAPACITY);
static_assert(status_of(errc::out_of_memory) == PERDURE_OUT_OF_MEMORY);
static_assert(status_of(errc::wrong_type) == PERDURE_WRONG_TYPE);
static_assert(status_of(errc::invalid_argument) == PERDURE_INVALID_ARGUMENT);
static_assert(status_of(errc::bad_input) == PERDURE_BAD_INPUT);
static_assert(status_of(errc::address_taken) == PERDURE_ADDRESS_TAKEN);
static_assert(status_of(errc::io) == PERDURE_IO);
static_assert(status_of(errc::unsupported) == PERDURE_UNSUPPORTED);
static_assert(status_of(errc::conflict) == PERDURE_CONFLICT);
static_assert(status_of(errc::undecided) == PERDURE_UNDECIDED);
static_assert(status_of(errc::timed_out) == PERDURE_TIMED_OUT);
static_assert(status_of(errc::rank_failed) == PERDURE_RANK_FAILED);

/// Kept small: a shared library that is loaded late gets its thread-local bytes from a narrow reserve, so the
/// text lies elsewhere.
struct last_error {
  perdure_status status = PERDURE_OK;
  bool thread_is_ending = false;
  char* text = nullptr;
};
constinit thread_local last_error last;

struct text_owner {
  ~text_owner() {
    std::free(last.text);
    last.text = nullptr;
    last.thread_is_ending = true;
  }
};

void record(perdure_status status, const char* what) noexcept {
  static thread_local text_owner owner;
  static_cast<void>(owner);
  last.status = status;
  // A message that refers to the last one must be copied before that goes.
  char* const copy = last.thread_is_ending ? nullptr : ::strdup(what);
  std::free(last.text);
  last.text = copy;
}

}  // namespace

perdure_status record_current_exception() noexcept {
  try {
    throw;
  } catch (const error& failure) {
    record(status_of(failure.code()), failure.what());
  } catch (const std::bad_alloc& failure) {
    record(PERDURE_OUT_OF_MEMORY,
           typeid(failure) == typeid(std::bad_alloc) ? "out of memory" : failure.what());
  } catch (const std::system_error& failure) {
    record(PERDURE_IO, failure.what());
  } catch (const std::exception& failure) {
    record(PERDURE_INTERNAL, failure.what());
  } catch (...) {
    record(PERDURE_INTERNAL, "an exception of an unknown type");
  }
  return last.status;
}

}  // namespace perdure::c

const char* perdure_status_name(int status) {
  if (status == PERDURE_INTERNAL) return "internal";
  // The names are literals, so they end with a zero.
  return perdure::to_string(static_cast<perdure::errc>(status)).data();
}

const char* perdure_last_error_message() {
  if (perdure::c::last.status == PERDURE_OK) return "";
  if (perdure::c::last.text == nullptr) return perdure_status_name(perdure::c::last.status);
  return perdure::c::last.text;
}

perdure_status perdure_last_error_code() {
  return perdure::c::last.status;
}
