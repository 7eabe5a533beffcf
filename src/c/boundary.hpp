// The edge of the C API, in every function: no exception leaves, arguments are checked, structs of
// other versions are read and filled as far as both sides know them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "perdure/c/error.h"
#include "perdure/error.hpp"

namespace perdure::c {

/// To be called in a handler: keeps for this thread what was caught, and returns its code.
perdure_status record_current_exception() noexcept;

/// Runs the body of one function of the API.
template <class Body>
perdure_status guarded(Body&& body) noexcept {
  try {
    body();
    return PERDURE_OK;
  } catch (...) {
    return record_current_exception();
  }
}

[[noreturn]] inline void refuse(const std::string& why) {
  throw error(errc::invalid_argument, why);
}

/// Throws `errc::not_found` for an object that the store does not have.
[[noreturn]] inline void refuse_missing_object(const char* name) {
  throw error(errc::not_found, "there is no object named \"" + std::string(name) + '"');
}

/// The argument `what`, which must not be null.
template <class T>
T& required(T* given, const char* what) {
  if (given == nullptr) refuse(std::string(what) + " is NULL");
  return *given;
}
inline const char* required_text(const char* given, const char* what) {
  return &required(given, what);
}

/// Like `required`, for a result that becomes NULL if the function fails.
template <class T>
T*& required_result(T** given, const char* what) {
  T*& result = required(given, what);
  result = nullptr;
  return result;
}

/// No struct of the API will ever be longer; what claims to be was not initialised.
inline constexpr std::size_t most_struct_bytes = 4096;

inline void require_struct_size(std::size_t size, const char* what) {
  if (size < sizeof(std::size_t) || size > most_struct_bytes)
    refuse(std::string(what) + "->struct_size is " + std::to_string(size) +
           ": set it to the struct's sizeof");
}

/// Options of a caller whose struct may be an older one (what it lacks is zero, the default) or a newer one
/// (which must not ask for what is unknown here). All zero for null.
template <class Options>
Options options_from(const Options* given, const char* what) {
  Options options{};
  options.struct_size = sizeof(Options);
  if (given == nullptr) return options;
  std::size_t size = 0;
  std::memcpy(&size, given, sizeof size);
  require_struct_size(size, what);
  std::memcpy(&options, given, std::min(size, sizeof(Options)));
  const auto* const bytes = reinterpret_cast<const unsigned char*>(given);
  if (size > sizeof(Options) &&
      std::any_of(bytes + sizeof(Options), bytes + size, [](unsigned char b) { return b != 0; }))
    throw error(errc::unsupported,
                std::string(what) + " has members that only a later version of this library knows");
  options.struct_size = sizeof(Options);
  return options;
}

/// Fills a caller's struct as far as it reaches; members of a newer one that are unknown here become zero.
template <class Struct>
void fill(Struct* given, Struct value, const char* what) {
  required(given, what);
  std::size_t size = 0;
  std::memcpy(&size, given, sizeof size);
  require_struct_size(size, what);
  value.struct_size = size;
  std::memcpy(static_cast<void*>(given), &value, std::min(size, sizeof(Struct)));
  if (size > sizeof(Struct))
    std::memset(reinterpret_cast<unsigned char*>(given) + sizeof(Struct), 0, size - sizeof(Struct));
}

}  // namespace perdure::c
