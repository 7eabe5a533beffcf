// Damaged pages of a store that was opened with `verify_mode::lazy`, when a program touches them.
#pragma once

#include <cstdint>

namespace perdure {

/// A page of an open store that is not as it was written. The texts are valid during the call only.
struct page_damage {
  const char* store;     ///< path of the store
  const char* file;      ///< name within the store's directory
  std::uint64_t offset;  ///< in that file, in bytes
  std::uint64_t page;    ///< number of the page in the segment
  std::uint64_t epoch;   ///< the checkpoint that the bytes belong to
  /// A sentence that says what is wrong.
  const char* what;
  void* touched;  ///< address that the thread was about to touch; perhaps another page of the same 2 MiB
};

/// A function that is called in the SIGSEGV handler of the thread that touched 2 MiB with damaged pages in
/// them, once for each of the pages: it may do what a signal handler may, and may leave by `siglongjmp` or
/// `_exit`; it must not throw. If it returns for all of them the 2 MiB are opened as they are.
using damage_handler = void (*)(const page_damage& damage);

/// Installs a handler for the whole process and returns the one before. Null, as at the start: a line about
/// the first such page goes to standard error, and the thread gets SIGBUS. Thread-safe.
damage_handler set_damage_handler(damage_handler handler) noexcept;

}  // namespace perdure
