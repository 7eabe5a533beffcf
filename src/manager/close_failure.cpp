// Tells of checkpoints that fail in the destructor of a manager.
#include <atomic>
#include <iostream>

#include "perdure/manager.hpp"

namespace perdure {

namespace {
std::atomic<close_failure_handler> installed{nullptr};
}  // namespace

close_failure_handler set_close_failure_handler(close_failure_handler handler) noexcept {
  return installed.exchange(handler);
}

namespace detail {

void report_close_failure(const std::filesystem::path& path, const char* what) noexcept {
  if (const close_failure_handler handler = installed.load(); handler != nullptr) return handler(path, what);
  try {
    std::cerr << "perdure: changes to " << path.string() << " since its last checkpoint are lost: " << what
              << '\n';
  } catch (...) {
    // There is no one left to tell.
  }
}

}  // namespace detail

}  // namespace perdure
