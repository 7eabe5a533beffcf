// Common part of all backings: whether a process has the memory, and keeping it from forked children.
#include "segment/segment.hpp"

#include <perdure/error.hpp>
#include <utility>

namespace perdure::detail {

possession segment::held() const noexcept {
  return withheld_ && withheld_->is_gone() ? possession::nothing : possession::own;
}

void segment::withhold_from_children(std::string sentence) {
  withheld_ = std::make_unique<os::withheld_memory>(base_, capacity_, std::move(sentence));
}

void segment::explain_faults(os::fault_lines lines) {
  notice_.emplace(base_, capacity_, std::move(lines));
}

void segment::require_own() const {
  if (held() == possession::own) return;
  throw error(errc::invalid_argument,
              "the memory belongs to the parent process: a forked child can neither grow nor release it");
}

}  // namespace perdure::detail
