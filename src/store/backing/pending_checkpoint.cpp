#include <chrono>
#include <perdure/pending_checkpoint.hpp>

#include "store/backing/checkpoint_outcome.hpp"

namespace perdure {

pending_checkpoint::pending_checkpoint(std::shared_ptr<const detail::checkpoint_outcome> outcome) noexcept
    : outcome_(std::move(outcome)) {}

pending_checkpoint pending_checkpoint::done(std::uint64_t epoch) {
  std::promise<std::uint64_t> known;
  known.set_value(epoch);
  return detail::handle_of(known);
}

void pending_checkpoint::wait() const {
  outcome_->epoch().get();
}

bool pending_checkpoint::ready() const {
  return outcome_->epoch().wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

std::exception_ptr pending_checkpoint::error() const {
  try {
    outcome_->epoch().get();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

std::uint64_t pending_checkpoint::epoch() const {
  return outcome_->epoch().get();
}

}  // namespace perdure
