/* How functions of the C API fail.
 *
 * All return a perdure_status, except the few that cannot fail. What went wrong, as a sentence for a person,
 * is kept for each thread. Arguments that can be recognised as wrong (null, a handle that was closed or
 * freed, an address that is no block of the store) are PERDURE_INVALID_ARGUMENT, never undefined behaviour.
 * Where a function fails, handles and addresses it would have given are set to NULL. */
#ifndef PERDURE_C_ERROR_H
#define PERDURE_C_ERROR_H

#include <perdure/c/linkage.h>

/// The reason why a function failed. Numbers are stable: new ones are only added.
typedef enum perdure_status {
  PERDURE_OK = 0,
  PERDURE_NOT_FOUND = 1,          ///< the path or the object does not exist
  PERDURE_ALREADY_EXISTS = 2,     ///< the path or the name is taken
  PERDURE_NOT_A_STORE = 3,        ///< the path exists but holds no store
  PERDURE_DAMAGED = 4,            ///< stored bytes contradict their checksums or lengths
  PERDURE_TOO_NEW = 5,            ///< written by a later format this library cannot read
  PERDURE_TOO_OLD = 6,            ///< written by a format this library no longer reads
  PERDURE_INCOMPATIBLE = 7,       ///< another architecture, page size, or ABI
  PERDURE_IN_USE = 8,             ///< locked by another process; the message names the holder
  PERDURE_PERMISSION_DENIED = 9,  ///< the operating system refused access
  PERDURE_READ_ONLY = 10,         ///< a change was asked of a store opened for reading
  PERDURE_NO_SPACE = 11,          ///< the disk or quota is full
  PERDURE_OUT_OF_CAPACITY = 12,   ///< the store's own reserved capacity is used up
  PERDURE_OUT_OF_MEMORY = 13,  ///< no more memory, address space, or (for allocations) capacity of the store
  PERDURE_WRONG_TYPE = 14,     ///< the object is of another type, or too small or misaligned
  PERDURE_INVALID_ARGUMENT = 15,  ///< a value outside what the function accepts
  PERDURE_BAD_INPUT = 16,         ///< malformed input data
  PERDURE_ADDRESS_TAKEN = 17,     ///< a pinned store's recorded address range is occupied
  PERDURE_IO = 18,                ///< any other failed system call
  PERDURE_UNSUPPORTED = 19,       ///< this library, kernel or file system cannot do it
  PERDURE_CONFLICT = 20,          ///< something else changed in the meantime what was to be changed
  PERDURE_UNDECIDED = 21,         ///< a checkpoint is prepared, and nobody has said whether it counts
  PERDURE_TIMED_OUT = 22,         ///< other ranks of the program were waited for in vain
  PERDURE_RANK_FAILED = 23,       ///< another rank of the program has given up; the message names it
  PERDURE_INTERNAL = 1000         ///< a mistake in the library; please report it
} perdure_status;

PERDURE_BEGIN_DECLARATIONS

/// Returns the status's name ("not_found", …), for ever valid; "unknown" for other numbers. Thread-safe.
PERDURE_API const char* perdure_status_name(int status);

/// Returns what went wrong in the last call of this thread that failed; "" if none did. Valid until the next
/// call of this thread fails. Calls that succeed leave it alone.
PERDURE_API const char* perdure_last_error_message(void);

/// Returns the status of the same call; PERDURE_OK if none failed.
PERDURE_API perdure_status perdure_last_error_code(void);

PERDURE_END_DECLARATIONS

#endif
