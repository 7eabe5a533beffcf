// Errors: a code that a program can test, and a sentence on which a person can act.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace perdure {

/// The reason why an operation failed. Codes are stable: new ones are only added at the end.
enum class errc {
  ok = 0,
  not_found,          ///< the path or the object does not exist
  already_exists,     ///< the path or the name is taken
  not_a_store,        ///< the path exists but holds no datastore
  damaged,            ///< stored bytes contradict their checksums or lengths
  too_new,            ///< written by a later format this library cannot read
  too_old,            ///< written by a format this library no longer reads
  incompatible,       ///< another architecture, page size, or ABI
  in_use,             ///< locked by another process; the message names the holder
  permission_denied,  ///< the operating system refused access
  read_only,          ///< a write was asked of a store opened for reading
  no_space,           ///< the disk or quota is full
  out_of_capacity,    ///< the store's own reserved capacity is used up
  out_of_memory,      ///< the machine or its limits have no more memory or address space
  wrong_type,         ///< the object was stored as another type
  invalid_argument,   ///< a value outside what the function accepts
  bad_input,          ///< malformed input data; the message names line and column
  address_taken,      ///< a pinned store's recorded address range is occupied
  io,                 ///< any other failed system call
  unsupported,        ///< this kernel, file system or build cannot do it
  conflict,           ///< something else changed in the meantime what was to be changed
  undecided,          ///< a checkpoint is prepared, and nobody has said whether it counts
  timed_out,          ///< other ranks of the program were waited for in vain
  rank_failed,        ///< another rank of the program has given up; the message names it
};

/// The code's name, as the CLI prints it with --json ("not_found", …).
std::string_view to_string(errc code) noexcept;

/// The exception that every failure of the library is thrown as, except `std::bad_alloc` from allocation.
class error : public std::runtime_error {
 public:
  /// Makes an error of a code and a sentence.
  error(errc code, const std::string& what) : std::runtime_error(what), code_(code) {}
  /// Returns the code.
  errc code() const noexcept { return code_; }

 private:
  errc code_;
};

}  // namespace perdure
