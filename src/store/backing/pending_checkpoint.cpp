#include <chrono>
#include <perdure/pending_checkpoint.hpp>
#include <utility>

#include "store/backing/checkpoint_outcome.hpp"

namespace perdure {

/// Thread-safe.
class pending_checkpoint::outcome {
 public:
  explicit outcome(std::future<std::uint64_t> epoch) : epoch_(epoch.share()) {}

  const std::shared_future<std::uint64_t>& epoch() const noexcept { return epoch_; }

 private:
  std::shared_future<std::uint64_t> epoch_;
};

pending_checkpoint store::handle_of(std::promise<std::uint64_t>& epoch) {
  return pending_checkpoint(std::make_shared<const pending_checkpoint::outcome>(epoch.get_future()));
}

pending_checkpoint::pending_checkpoint(std::shared_ptr<const outcome> of) noexcept
    : outcome_(std::move(of)) {}

pending_checkpoint pending_checkpoint::done(std::uint64_t epoch) {
  std::promise<std::uint64_t> known;
  known.set_value(epoch);
  return store::handle_of(known);
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
