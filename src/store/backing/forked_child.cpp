// Errors in a forked child about a store that its parent has open.
#include "store/backing/forked_child.hpp"

#include <perdure/error.hpp>

namespace perdure::store {

std::string line_for_children(const std::filesystem::path& store, bool writable) {
  const std::string whose = writable ? "the writer" : "a reader";
  const std::string advice = writable ? "read it in the parent process, or open a snapshot of it here"
                                      : "close it here and open it for reading anew";
  return "perdure: this process was forked from " + whose + " of " + store.string() +
         " and has none of its memory; " + advice + '\n';
}

void refuse_child(const std::filesystem::path& store) {
  throw error(errc::invalid_argument,
              store.string() +
                  " was opened by the parent process: use it there, or open it or a snapshot of "
                  "it anew in this forked child");
}

}  // namespace perdure::store
