// Lines for a program that touches memory of a store in a way that ends it.
#include "store/backing/fault_sentences.hpp"

namespace perdure::store {

os::fault_lines lines_for_faults(const std::filesystem::path& store, bool writable,
                                 fault_teller of_unreadable) {
  const std::string name = "perdure: " + store.string();
  os::fault_lines lines;
  if (!writable)
    lines.write =
        name +
        " is open for reading only and this program writes to its memory, which is a SIGSEGV; open it with "
        "open_only to change it, or with open_copy_on_write to change a copy\n";
  if (of_unreadable == fault_teller::notice)
    lines.unreadable =
        name +
        " has a page that cannot be had: its device reports an error, a file of it was cut, or the tmpfs "
        "that it lies on is full (see the kernel's log); the thread that touched it gets a SIGBUS\n";
  lines.closed = name +
                 " is closed and this program uses its memory, which is a SIGSEGV; containers, strings and "
                 "pointers must "
                 "not outlive the store that they are in\n";
  return lines;
}

}  // namespace perdure::store
