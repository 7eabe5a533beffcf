#include "crash/ranks/ranks_program.hpp"

#include <algorithm>

namespace perdure::crash {

const char* name_of(mishap what) {
  switch (what) {
    case mishap::none:
      return "nothing";
    case mishap::kill:
      return "a kill";
    case mishap::io_error:
      return "an I/O error";
    case mishap::no_space:
      return "a full disk";
    case mishap::io_errors:
      return "I/O errors";
    case mishap::sync_errors:
      return "errors of syncs";
  }
  return "?";
}

void ranks_expectation::learn(const logged_call& call) {
  switch (call.what) {
    case logged::attempt:
      begun_ = std::max(begun_, call.number);
      break;
    case logged::promise:
      promised_ = call.number;
      begun_ = std::max(begun_, call.number);
      break;
    case logged::withdrawal:
      withdrawn_.insert(call.number);
      break;
    default:
      break;
  }
}

std::string ranks_expectation::objection(std::size_t number) const {
  if (promised_ && number < *promised_)
    return "attempt " + std::to_string(number) + " is found and attempt " + std::to_string(*promised_) +
           " was promised";
  if (number > begun_) return "attempt " + std::to_string(number) + " is found, which was never begun";
  if (withdrawn_.contains(number))
    return "attempt " + std::to_string(number) + " is found, which was turned down";
  return {};
}

std::string ranks_expectation::text() const {
  return "promised: " + (promised_ ? std::to_string(*promised_) : "nothing") +
         ", begun: " + std::to_string(begun_);
}

}  // namespace perdure::crash
