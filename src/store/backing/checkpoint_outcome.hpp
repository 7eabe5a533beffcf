// The epoch of a checkpoint that a handle waits for, or what kept it from being made.
#pragma once

#include <cstdint>
#include <future>
#include <perdure/pending_checkpoint.hpp>
#include <utility>

namespace perdure::detail {

/// Thread-safe.
class checkpoint_outcome {
 public:
  explicit checkpoint_outcome(std::future<std::uint64_t> epoch) : epoch_(epoch.share()) {}

  const std::shared_future<std::uint64_t>& epoch() const noexcept { return epoch_; }

 private:
  std::shared_future<std::uint64_t> epoch_;
};

/// The handle of what the promise will be given.
inline pending_checkpoint handle_of(std::promise<std::uint64_t>& outcome) {
  return pending_checkpoint(std::make_shared<checkpoint_outcome>(outcome.get_future()));
}

}  // namespace perdure::detail
